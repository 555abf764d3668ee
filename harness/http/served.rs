//! A server as a process of its own, ended with the test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{common, provision};

pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    /// Starts a program whose first line on stdout ends with its URL.
    pub fn start(words: &[String]) -> Result<Served, String> {
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .env_remove("MEMCONF_ROOT")
            .spawn()
            .map_err(|error| format!("{words:?}: {error}"))?;
        let mut line = String::new();
        let stdout = child.stdout.as_mut().ok_or("no stdout")?;
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
        let url = line.split_whitespace().last().unwrap_or_default().to_owned();
        let served = Served { child, url };
        if served.url.starts_with("http") { Ok(served) } else { Err(format!("{words:?} says no URL, but `{line}`")) }
    }

    /// `memconf serve --http 0 OPTIONS`.
    pub fn memconf(options: &[&str]) -> Result<Served, String> {
        let mut words =
            vec![common::command::binary().display().to_string(), "serve".into(), "--http".into(), "0".into()];
        words.extend(options.iter().map(|word| (*word).to_owned()));
        Served::start(&words)
    }

    /// The service with several tenants.
    pub fn tenants(options: &[&str]) -> Result<Served, String> {
        let script = common::harness("adapters/python/tenants.py").display().to_string();
        let mut words = vec![provision::python()?.display().to_string(), "-I".into(), script];
        words.extend(options.iter().map(|word| (*word).to_owned()));
        Served::start(&words)
    }

    /// `HOST:PORT`.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// The most memory it has had, in KiB.
    pub fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A certificate for 127.0.0.1 that signs itself, and its key, made for this test.
pub fn certificate(folder: &Path) -> Result<(String, String), String> {
    let file = |name: &str| folder.join(name).display().to_string();
    let (certificate, key) = (file("cert.pem"), file("key.pem"));
    let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=memconf-test \
                 -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE";
    let output = Command::new("openssl")
        .args(words.split_whitespace())
        .args(["-keyout", &key, "-out", &certificate])
        .output()
        .map_err(|error| format!("openssl, which makes the certificate of the test, does not start: {error}"))?;
    if output.status.success() {
        Ok((certificate, key))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
