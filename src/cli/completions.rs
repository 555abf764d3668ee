//! `memconf completions`.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use memconf::event::exit;

use super::Stop;

#[derive(Args)]
#[command(after_help = "Example:\n  memconf completions bash > /etc/bash_completion.d/memconf")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn run<C: CommandFactory>(self) -> Result<u8, Stop> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "memconf", &mut script);
        std::io::stdout().write_all(&script)?;
        Ok(exit::OK)
    }
}
