//! `memconf init`: placeholder until the templates land.

use clap::Args;

use super::Stop;

#[derive(Args)]
pub struct Init {
    /// The language
    language: String,
}

impl Init {
    pub fn run(self) -> Result<u8, Stop> {
        Err(Stop::usage(self.language))
    }
}
