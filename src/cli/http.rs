//! The options that reach a handler over HTTP.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memconf::transport::HttpTarget;

use super::Stop;

/// A handler behind HTTP.
#[derive(Args)]
pub struct HttpArgs {
    /// Reach the handler over HTTP: a POST to this URL for each message
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "disk", "cwd"])]
    pub url: Option<String>,
    /// Send this header with every request; a value `env:VAR`, also behind a scheme as in
    /// 'Authorization: Bearer env:TOKEN', is taken from the environment. No value is ever printed
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// The header that says whose store is meant: each case gets a fresh name, and stores are tried against each other
    #[arg(long, value_name = "NAME", requires = "url")]
    pub session_header: Option<String>,
    /// Trust the certificates in this PEM file, and no others
    #[arg(long, value_name = "FILE", requires = "url")]
    cacert: Option<PathBuf>,
    /// All that the store holds may be deleted, where it is emptied by commands
    #[arg(long, requires = "url", conflicts_with = "session_header")]
    erase: bool,
}

impl HttpArgs {
    pub fn target(&self, url: &str, timeout: Duration) -> Result<HttpTarget, Stop> {
        let mut target = HttpTarget::new(url).map_err(Stop::usage)?;
        target.timeout = timeout;
        target.erase = self.erase;
        self.header.iter().try_for_each(|header| target.add_header(header)).map_err(Stop::usage)?;
        if let Some(name) = &self.session_header {
            target.set_session_header(name).map_err(Stop::usage)?;
        }
        if let Some(file) = &self.cacert {
            target.trust(file).map_err(Stop::usage)?;
        }
        Ok(target)
    }

    /// The options again, without any secret.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(url) = &self.url {
            words.extend(["--url".to_owned(), url.clone()]);
        }
        for header in &self.header {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            let is_secret = !value.split(' ').any(|word| word.starts_with("env:"));
            words.extend(["--header".to_owned(), if is_secret { format!("{name}: ...") } else { header.clone() }]);
        }
        if let Some(name) = &self.session_header {
            words.extend(["--session-header".to_owned(), name.clone()]);
        }
        if let Some(file) = &self.cacert {
            words.extend(["--cacert".to_owned(), file.display().to_string()]);
        }
        if self.erase {
            words.push("--erase".into());
        }
        words
    }
}
