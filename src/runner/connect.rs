//! How a worker gets its handler.

use crate::reference::Reference;
use crate::sandbox::Area;
use crate::transport::{Handler, Http, HttpTarget, InProcess, Stdio, StdioCommand, Transport};

/// Makes the transport of each worker.
pub trait Connect: Sync {
    /// The word for reports: `built-in`, `stdio`, ...
    fn transport(&self) -> &'static str;

    /// Whether the handler can touch a disk at all; only memconf's own handler in memory is known not to.
    fn touches_disk(&self) -> bool {
        true
    }

    /// How many workers can run cases at a time: 1 where all of them reach the same store.
    fn most_workers(&self) -> usize {
        usize::MAX
    }

    /// A transport that stays in the store of this name. `None` where stores have no names.
    fn connect_store(&self, name: &str) -> Option<Box<dyn Transport>> {
        let _ = name;
        None
    }

    /// A transport for one worker, whose part of the sandbox is `area`. Nothing need be started yet.
    fn connect(&self, area: &Area) -> Box<dyn Transport>;
}

/// Reaches memconf's own handler, with its store in memory.
pub fn connect_builtin() -> impl Connect {
    struct InMemory;

    impl Connect for InMemory {
        fn transport(&self) -> &'static str {
            "built-in"
        }

        fn touches_disk(&self) -> bool {
            false
        }

        fn connect(&self, _: &Area) -> Box<dyn Transport> {
            Box::new(InProcess::new(Reference::in_memory()))
        }
    }

    InMemory
}

/// Reaches handlers that `make` makes in this process.
pub fn connect_in_process<H, F>(transport: &'static str, make: F) -> impl Connect
where
    H: Handler + 'static,
    F: Fn() -> H + Sync,
{
    struct InThisProcess<F>(&'static str, F);

    impl<H: Handler + 'static, F: Fn() -> H + Sync> Connect for InThisProcess<F> {
        fn transport(&self) -> &'static str {
            self.0
        }

        fn connect(&self, _: &Area) -> Box<dyn Transport> {
            Box::new(InProcess::new((self.1)()))
        }
    }

    InThisProcess(transport, make)
}

/// Reaches a handler in a process of its own, one a worker.
pub fn connect_stdio(command: StdioCommand) -> impl Connect {
    OverStdio { command, attacked: false, launcher: None }
}

/// As [`connect_stdio`], for a handler that is attacked: its home and temporary directories lie in the sandbox.
pub fn connect_attacked(command: StdioCommand) -> impl Connect {
    OverStdio { command, attacked: true, launcher: None }
}

/// As [`connect_attacked`], with a belt: `launcher`, followed by a directory, `--` and a command, starts that command so
/// that it can write nowhere but below the directory (see [`belt_on`](crate::transport::belt_on)).
pub fn connect_belted(command: StdioCommand, launcher: Vec<String>) -> impl Connect {
    OverStdio { command, attacked: true, launcher: Some(launcher) }
}

/// Reaches a server over HTTP.
pub fn connect_http(target: HttpTarget) -> impl Connect {
    OverHttp { target }
}

struct OverHttp {
    target: HttpTarget,
}

impl Connect for OverHttp {
    fn transport(&self) -> &'static str {
        "http"
    }

    fn most_workers(&self) -> usize {
        if self.target.has_session_header() { usize::MAX } else { 1 }
    }

    fn connect_store(&self, name: &str) -> Option<Box<dyn Transport>> {
        Http::in_store(self.target.clone(), name).map(|http| Box::new(http) as Box<dyn Transport>)
    }

    fn connect(&self, _: &Area) -> Box<dyn Transport> {
        Box::new(Http::new(self.target.clone()))
    }
}

struct OverStdio {
    command: StdioCommand,
    attacked: bool,
    launcher: Option<Vec<String>>,
}

impl Connect for OverStdio {
    fn transport(&self) -> &'static str {
        "stdio"
    }

    fn connect(&self, area: &Area) -> Box<dyn Transport> {
        let mut command = self.command.clone();
        if self.attacked {
            for name in ["HOME", "USERPROFILE", "TMPDIR"] {
                command.env.push((name.into(), area.home().display().to_string()));
            }
            command.env.extend(toolchains());
        }
        if let Some(launcher) = &self.launcher {
            let directory = area.directory().display().to_string();
            let words = launcher.iter().cloned().chain([directory, "--".to_owned()]);
            command.argv = words.chain(command.argv).collect();
        }
        Box::new(Stdio::new(command, area.start_dir()))
    }
}

/// Where version managers keep their programs, which they would otherwise look for below the new home directory.
fn toolchains() -> Vec<(String, String)> {
    const KEPT: [(&str, &str); 7] = [
        ("PYENV_ROOT", ".pyenv"),
        ("RUSTUP_HOME", ".rustup"),
        ("CARGO_HOME", ".cargo"),
        ("NVM_DIR", ".nvm"),
        ("VOLTA_HOME", ".volta"),
        ("ASDF_DATA_DIR", ".asdf"),
        ("RBENV_ROOT", ".rbenv"),
    ];
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let kept = KEPT.iter().filter(|(name, _)| std::env::var_os(name).is_none()).filter_map(|(name, folder)| {
        let folder = home.join(folder);
        folder.is_dir().then(|| ((*name).to_owned(), folder.display().to_string()))
    });
    kept.collect()
}
