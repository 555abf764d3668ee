//! `memconf review`.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use memconf::event::exit;
use memconf::fixtures::golden::{Choice, GoldenError, Pending, pending};

use super::Stop;

const EXAMPLES: &str = "Examples:
  memconf review transcripts            asks for each: accept, reject or skip
  memconf review transcripts --accept   without asking, also in a pipe

Exit codes: 0 nothing waits any more; 1 something still waits; 2 not on a terminal, or an unreadable folder";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Review {
    /// The folder of the transcripts
    folder: PathBuf,
    /// Accept all, without asking
    #[arg(long, conflicts_with = "reject")]
    accept: bool,
    /// Reject all, without asking
    #[arg(long)]
    reject: bool,
}

impl Review {
    pub fn run(self) -> Result<u8, Stop> {
        let waiting = pending(&self.folder).map_err(failed)?;
        let mut out = anstream::stdout().lock();
        if waiting.is_empty() {
            writeln!(out, "nothing to review in {}", self.folder.display())?;
            return Ok(exit::OK);
        }
        let all = match (self.accept, self.reject) {
            (true, _) => Some(Choice::Accept),
            (_, true) => Some(Choice::Reject),
            (false, false) => None,
        };
        if let Some(choice) = all {
            for one in &waiting {
                one.decide(choice).map_err(failed)?;
            }
            let word = if choice == Choice::Accept { "accepted" } else { "rejected" };
            writeln!(out, "{} transcripts {word}", waiting.len())?;
            return Ok(exit::OK);
        }
        let input = std::io::stdin();
        if !input.is_terminal() || !std::io::stdout().is_terminal() {
            return Err(Stop::usage(format!(
                "{} changed transcripts wait in {}, and a review needs a terminal; `--accept` or `--reject` decides \
                 on all of them without asking",
                waiting.len(),
                self.folder.display()
            )));
        }
        let left = ask(&waiting, &mut input.lock(), &mut out)?;
        Ok(if left == 0 { exit::OK } else { exit::FAILED })
    }
}

fn failed(error: GoldenError) -> Stop {
    Stop::usage(error.to_string())
}

/// Asks for each; gives the number of those that still wait.
fn ask(waiting: &[Pending], input: &mut impl BufRead, out: &mut impl Write) -> Result<usize, Stop> {
    let mut left = 0;
    for (index, one) in waiting.iter().enumerate() {
        writeln!(out, "\n{} of {}: {}\n{}", index + 1, waiting.len(), one.id, one.diff().map_err(failed)?)?;
        let choice = loop {
            write!(out, "[a]ccept, [r]eject, [s]kip, [q]uit? ")?;
            out.flush()?;
            let mut line = String::new();
            let ended = input.read_line(&mut line)? == 0;
            match line.trim().to_lowercase().as_str() {
                "a" | "accept" => break Choice::Accept,
                "r" | "reject" => break Choice::Reject,
                "s" | "skip" => break Choice::Skip,
                "q" | "quit" => return Ok(left + waiting.len() - index),
                _ if ended => return Ok(left + waiting.len() - index),
                _ => {}
            }
        };
        one.decide(choice).map_err(failed)?;
        left += usize::from(choice == Choice::Skip);
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["a", "b", "c", "d"] {
            std::fs::write(folder.path().join(format!("{id}.golden")), "old\n").unwrap();
            std::fs::write(folder.path().join(format!("{id}.golden.new")), "new\n").unwrap();
        }
        let mut shown = Vec::new();
        let waiting = pending(folder.path()).unwrap();
        let left = ask(&waiting, &mut b"a\nwhat\nr\ns\nq\n".as_slice(), &mut shown).ok().unwrap();
        assert_eq!(left, 2);
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("1 of 4: a\n") && shown.contains("-old\n+new"), "{shown}");
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!((text("a.golden"), text("a.golden.new")), (Some("new\n".into()), None));
        assert_eq!((text("b.golden"), text("b.golden.new")), (Some("old\n".into()), None));
        assert_eq!((text("c.golden"), text("c.golden.new")), (Some("old\n".into()), Some("new\n".into())));
        // The end of the input leaves the rest as it is.
        assert_eq!(ask(&pending(folder.path()).unwrap(), &mut b"".as_slice(), &mut Vec::new()).ok(), Some(2));
    }
}
