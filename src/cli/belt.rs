//! `memconf belt`: what `memconf fuzz --belt` starts a handler with; not for people.

use std::path::PathBuf;

use clap::Args;
use memconf::event::exit;
use memconf::transport::belt_on;

use super::Stop;

#[derive(Args)]
pub struct Belt {
    /// The one directory that can be written
    writable: PathBuf,
    /// The command, behind `--`
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

impl Belt {
    pub fn run(self) -> Result<u8, Stop> {
        Err(Stop::Message(belt_on(&self.writable, &self.command), exit::INCOMPLETE))
    }
}
