//! Sets up the real handlers of `handlers.toml` below `target/provision/`, and says how to start them.
//!
//! An installation is made once and kept: it ends with a stamp that holds its pins, and what has no stamp, or a stamp
//! with other pins, is made anew. Test processes that ask at the same time wait for each other. Nothing goes through
//! a shell.

#![allow(dead_code, reason = "each test target uses its own part")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde::Deserialize;

/// A handler that is installed and can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provisioned {
    /// Its name in `handlers.toml`.
    pub name: String,
    /// The program, as an absolute path, and its arguments. It runs in any working directory.
    pub command: Vec<String>,
    /// What to add to its environment.
    pub env: Vec<(String, String)>,
}

/// A row of `handlers.toml`. Paths are absolute.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handler {
    /// The name to provision it by.
    pub name: String,
    /// What installs it.
    pub kind: Kind,
    /// The pins that matter: `anthropic==2.14.0`, `@anthropic-ai/sdk@1.14.0`.
    pub packages: Vec<String>,
    /// All packages with their versions: a requirements file, or a `package-lock.json`.
    pub lock: PathBuf,
    /// The program that speaks memconf's protocol.
    pub adapter: PathBuf,
    /// The arguments of the adapter.
    pub args: Vec<String>,
    /// The list of its known failures. It may not exist.
    pub known_failures: PathBuf,
    /// A release with a known vulnerability or defect, which the attacks must find; or the one that mended it.
    #[serde(default)]
    pub control: bool,
    /// What it is, for people.
    pub note: String,
}

/// What installs a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// uv, from PyPI, for Python.
    Python,
    /// npm, for Node.
    Npm,
}

/// Installs a handler unless it is, and says how to start it.
///
/// # Errors
/// A sentence for people: an unknown name, a missing tool and how to get it, or what an installer printed as it failed.
pub fn provision(name: &str) -> Result<Provisioned, String> {
    let pins = Pins::read()?;
    let Some(handler) = pins.handlers.iter().find(|handler| handler.name == name) else {
        let names: Vec<_> = pins.handlers.iter().map(|handler| handler.name.as_str()).collect();
        return Err(format!("handlers.toml has no handler `{name}`: it has {}", names.join(", ")));
    };
    let mut env = Vec::new();
    let mut command = match handler.kind {
        // -I: neither the user's PYTHON* variables nor the adapter's own folder get between the package and the test.
        Kind::Python => vec![text(&python_environment(handler, &pins.tools.uv)?.join("bin/python"))?, "-I".to_owned()],
        Kind::Npm => {
            let node = on_path("node").ok_or_else(|| missing("node"))?;
            env.push(("MEMCONF_MODULES".to_owned(), text(&node_modules(handler)?)?));
            vec![text(&node)?]
        }
    };
    command.push(text(&handler.adapter)?);
    command.extend(handler.args.iter().cloned());
    Ok(Provisioned { name: name.to_owned(), command, env })
}

/// The rows of `handlers.toml`, in their order. Installs nothing.
///
/// # Errors
/// A sentence for people: the file cannot be read, or says something that it must not.
pub fn handlers() -> Result<Vec<Handler>, String> {
    Ok(Pins::read()?.handlers)
}

/// The interpreter behind the `python3` of the PATH, which itself may be a slow shim. Enough for scripts that need
/// the standard library only.
///
/// # Errors
/// A sentence for people: there is none, or it is too old.
pub fn python() -> Result<PathBuf, String> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PYTHON.get_or_init(find_python).clone()
}

/// What `handlers.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    tools: Tools,
    #[serde(rename = "handler")]
    handlers: Vec<Handler>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    uv: String,
}

impl Pins {
    fn read() -> Result<Self, String> {
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness");
        let path = harness.join("handlers.toml");
        let mut pins: Self = toml::from_str(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        for handler in &mut pins.handlers {
            for file in [&mut handler.lock, &mut handler.adapter, &mut handler.known_failures] {
                *file = harness.join(&*file);
            }
        }
        Ok(pins)
    }
}

/// The environment of a Python handler.
fn python_environment(handler: &Handler, uv: &str) -> Result<PathBuf, String> {
    let lock = read(&handler.lock)?;
    for pin in &handler.packages {
        let locked = lock.lines().any(|line| line.split(';').next().map(str::trim) == Some(pin));
        require_locked(handler, pin, locked)?;
    }
    installed(&handler.lock, &lock, "bin/python", &handler.packages, |folder| {
        let uv = uv_binary(uv)?;
        let python = folder.join("bin/python");
        run(Command::new(&uv)
            .args(["venv", "--quiet", "--no-python-downloads", "--python"])
            .arg(self::python()?)
            .arg(folder))?;
        run(Command::new(&uv)
            .args(["pip", "install", "--quiet", "--no-deps", "--python"])
            .arg(&python)
            .arg("--requirements")
            .arg(&handler.lock))?;
        // --no-deps keeps unpinned packages out; this finds the pins that lack one.
        run(Command::new(&uv).args(["pip", "check", "--quiet", "--python"]).arg(&python))?;
        // A start without input shows that it starts, and compiles what it imports: seconds that no test has to wait.
        run(Command::new(&python).arg("-I").arg(&handler.adapter).args(&handler.args)).map(drop)
    })
}

/// The folder whose `node_modules` an npm handler's packages are in.
fn node_modules(handler: &Handler) -> Result<PathBuf, String> {
    let manifest = handler.lock.with_file_name("package.json");
    let pins = [read(&manifest)?, read(&handler.lock)?];
    for pin in &handler.packages {
        let locked =
            pin.rsplit_once('@').is_some_and(|(name, version)| pins[0].contains(&format!("\"{name}\": \"{version}\"")));
        require_locked(handler, pin, locked)?;
    }
    installed(&handler.lock, &pins.concat(), "node_modules", &handler.packages, |folder| {
        for file in [&manifest, &handler.lock] {
            let copy = folder.join(file.file_name().unwrap_or_default());
            fs::copy(file, &copy).map_err(|error| format!("failed to write {}: {error}", copy.display()))?;
        }
        let npm = on_path("npm").ok_or_else(|| missing("npm"))?;
        run(Command::new(npm)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(folder))
        .map(drop)
    })
}

/// The pinned uv. pip brings it, as it is on every machine with Python, and is too slow for all that follows.
fn uv_binary(version: &str) -> Result<PathBuf, String> {
    let pin = format!("uv=={version}");
    let folder = installed(Path::new("uv"), &pin, "bin/uv", std::slice::from_ref(&pin), |folder| {
        let python = self::python()?;
        run(Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--no-deps",
                "--target",
            ])
            .arg(folder)
            .arg(&pin)
            .envs([("PIP_USER", "0"), ("PIP_REQUIRE_VIRTUALENV", "0"), ("PIP_ROOT_USER_ACTION", "ignore")]))
        .map(drop)
        .map_err(|error| match error.contains("No module named pip") {
            true => format!(
                "{} has no pip: install it (Debian: apt-get install python3-pip; elsewhere: python3 -m ensurepip)",
                python.display()
            ),
            false => error,
        })
    })?;
    Ok(folder.join("bin/uv"))
}

/// A folder below `target/provision/`, named after the file that holds its pins, in which `build` has run to its end
/// with these very pins. `witness` is a path in it that must still lead somewhere.
fn installed(
    named_after: &Path,
    pins: &str,
    witness: &str,
    what: &[String],
    build: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let provision = target().join("provision");
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness");
    let name = text(named_after.strip_prefix(harness).unwrap_or(named_after))?.replace(['/', '\\'], "-");
    let folder = provision.join(&name);
    let stamp = folder.join(".memconf-pins");
    let done = || fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == pins) && folder.join(witness).exists();
    if done() {
        return Ok(folder);
    }
    let wrong = |error| format!("failed to set up {}: {error}", folder.display());
    fs::create_dir_all(&provision).map_err(wrong)?;
    // Held until this function returns, and let go by the system if the process ends before.
    let lock = File::create(provision.join(format!("{name}.lock"))).map_err(wrong)?;
    lock.lock().map_err(wrong)?;
    if done() {
        return Ok(folder);
    }
    tell(&format!("installing {} in {}", what.join(", "), folder.display()));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(wrong)?;
    }
    fs::create_dir(&folder).map_err(wrong)?;
    build(&folder)?;
    fs::write(&stamp, pins).map_err(wrong)?;
    Ok(folder)
}

/// The folder that cargo builds in.
fn target() -> PathBuf {
    // Set for integration tests and benches: the only source that knows cargo's whole configuration.
    if let Some(parent) = option_env!("CARGO_TARGET_TMPDIR").and_then(|folder| Path::new(folder).parent()) {
        return parent.to_owned();
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn find_python() -> Result<PathBuf, String> {
    const OLDEST: (u32, u32) = (3, 10); // anthropic 2 asks for it
    let shim = on_path("python3").ok_or_else(|| missing("python3"))?;
    let script = "import sys; print(*sys.version_info[:2], sys.executable)";
    // A shim of pyenv stands on the PATH, but fails, while no version is chosen.
    let said = run(Command::new(shim).args(["-I", "-c", script]))
        .map_err(|error| format!("python3 does not run: {}\n{error}", how_to_install("python3")))?;
    let mut words = said.trim_end().splitn(3, ' ');
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let (Some(major), Some(minor)) = (number(), number()) else {
        return Err(format!("python3 does not say its version, but `{}`", said.trim_end()));
    };
    if (major, minor) < OLDEST {
        return Err(format!(
            "python3 is Python {major}.{minor}, too old: put {}.{} or newer first on the PATH",
            OLDEST.0, OLDEST.1
        ));
    }
    words.next().map(PathBuf::from).ok_or_else(|| "python3 does not say where it is".to_owned())
}

fn on_path(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file() && file.is_absolute())
}

fn missing(tool: &str) -> String {
    format!("{tool} is not on the PATH: {}", how_to_install(tool))
}

fn how_to_install(tool: &str) -> &'static str {
    match tool {
        "python3" => {
            "install Python 3.10+ with pip (Debian: apt-get install python3 python3-pip; macOS: brew install python)"
        }
        _ => "install Node.js 20+ with npm (Debian: apt-get install nodejs npm; macOS: brew install node)",
    }
}

fn require_locked(handler: &Handler, pin: &str, locked: bool) -> Result<(), String> {
    match locked {
        true => Ok(()),
        false => Err(format!(
            "handlers.toml pins {pin} for `{}`, but {} does not: make it anew, as handlers.toml says",
            handler.name,
            handler.lock.display()
        )),
    }
}

/// Runs a command to its end and returns what it printed. A failure quotes that.
fn run(command: &mut Command) -> Result<String, String> {
    let line = |command: &Command| {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    };
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("failed to start `{}`: {error}", line(command)))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(stdout.into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed ({}):\n{}", line(command), output.status, format!("{stdout}{stderr}").trim_end()))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("failed to read {}: {error}", path.display()))
}

fn text(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not UTF-8", path.display()))
}

#[allow(clippy::print_stderr, reason = "the first run of a test takes long here, and would seem to hang")]
fn tell(message: &str) {
    eprintln!("memconf: {message}");
}
