//! A handler in a process whose home directory lies in the sandbox.

use crate::runner::Connect;
use crate::sandbox::Area;
use crate::transport::{Stdio, StdioCommand, Transport};

/// Reaches a handler in a process of its own, one a worker, with `HOME` in the sandbox: `~` leads to a canary, and to
/// nothing of the user's.
pub fn attack_stdio(command: StdioCommand) -> impl Connect {
    struct Attacked(StdioCommand);

    impl Connect for Attacked {
        fn transport(&self) -> &'static str {
            "stdio"
        }

        fn connect(&self, area: &Area) -> Box<dyn Transport> {
            let mut command = self.0.clone();
            if !command.env.iter().any(|(name, _)| name == "HOME") {
                command.env.push(("HOME".into(), area.home().display().to_string()));
            }
            Box::new(Stdio::new(command, area.start_dir()))
        }
    }

    Attacked(command)
}
