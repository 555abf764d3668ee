//! A bar on a terminal; nothing in a pipe.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Report;
use crate::event::{Event, Material};
use crate::judge::{Verdict, is_trouble};

/// Shows on stderr how far a run is, if stderr is a terminal.
pub struct Progress {
    bar: Option<ProgressBar>,
    troubles: usize,
}

impl Progress {
    /// Nothing is shown before the run begins.
    pub fn new() -> Progress {
        Progress { bar: None, troubles: 0 }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

impl Report for Progress {
    fn event(&mut self, event: &Event<'_>, _: Material<'_>) -> io::Result<()> {
        match event {
            Event::RunStarted { cases } if io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(Some(*cases as u64), ProgressDrawTarget::stderr_with_hz(10));
                if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} cases, {elapsed}{msg}") {
                    bar.set_style(style);
                }
                self.bar = Some(bar);
            }
            Event::FuzzStarted { count, time } if io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
                let bound = match (count, time) {
                    (_, Some(time)) => format!(" of {} s", time.as_secs()),
                    (count, None) => format!(" of at most {count} attempts"),
                };
                if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} attempts, {elapsed}{prefix}{msg}") {
                    bar.set_style(style);
                }
                bar.set_prefix(bound);
                self.bar = Some(bar);
            }
            Event::RunStarted { .. } | Event::FuzzStarted { .. } => {}
            Event::FuzzProgress { done, found } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(*done);
                    bar.set_message(format!(", {found} findings"));
                    bar.tick();
                }
            }
            Event::CaseFinished(result) => {
                if is_trouble(result.verdict) || result.verdict == Verdict::Warn {
                    self.troubles += 1;
                    if let Some(bar) = &self.bar {
                        bar.set_message(format!(", {} not as documented", self.troubles));
                    }
                }
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            Event::RunFinished(_) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
        Ok(())
    }
}
