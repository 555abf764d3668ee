//! Where a server is, and what every request to it holds.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue, Uri};
use ureq::tls::{Certificate, PemItem, parse_pem};

/// How long an answer is awaited, by default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long an answer may be, by default, in bytes.
const MAX_REPLY: usize = 32 << 20;

/// A secret that is shorter is not looked for in answers: it would be found by chance.
const SHORT: usize = 6;

/// Headers that belong to the transport.
const OWN: [&str; 6] =
    ["content-length", "transfer-encoding", "connection", "accept-encoding", "content-type", "expect"];

/// A server that speaks the protocol, a POST a message.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpTarget {
    /// How long an answer is awaited, the connection included; 10 s by default.
    pub timeout: Duration,
    /// How many bytes one answer may have; 32 MiB by default.
    pub max_reply: usize,
    /// Whether a store that holds something when memconf first looks may be emptied, where the server knows no other
    /// way to an empty store.
    pub erase: bool,
    pub(super) uri: Uri,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) session: Option<HeaderName>,
    pub(super) certificates: Vec<Certificate<'static>>,
    /// What must not show: values of headers.
    pub(super) secrets: Vec<String>,
    /// Names the stores of this run: what is not known cannot be guessed.
    pub(super) names: std::hash::RandomState,
    /// Whether this run has emptied the store already: what it holds now is memconf's own.
    pub(super) is_own: Arc<AtomicBool>,
}

impl HttpTarget {
    /// A server with the default limits.
    ///
    /// # Errors
    /// A sentence for people, where `url` is not a URL to send a POST to.
    pub fn new(url: &str) -> Result<HttpTarget, String> {
        let shown = url.split('?').next().unwrap_or_default();
        let uri: Uri = url.parse().map_err(|error| format!("`{shown}` is not a URL: {error}"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(format!("`{shown}` begins with neither http:// nor https://"));
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if uri.host().is_none_or(str::is_empty) {
            return Err(format!("`{shown}` names no host"));
        }
        if authority.contains('@') {
            // It would stand in reports and in command lines.
            return Err("the URL holds a user name or password: give them by --header 'Authorization: env:VAR'".into());
        }
        Ok(HttpTarget {
            timeout: TIMEOUT,
            max_reply: MAX_REPLY,
            erase: false,
            uri,
            headers: Vec::new(),
            session: None,
            certificates: Vec::new(),
            secrets: Vec::new(),
            names: std::hash::RandomState::new(),
            is_own: Arc::new(AtomicBool::new(false)),
        })
    }

    /// Adds a header to every request, given as `Name: value`. A value whose last word is `env:VAR` gets that word from
    /// the environment variable. No value shows in any message.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn add_header(&mut self, header: &str) -> Result<(), String> {
        let (name, value) = header.split_once(':').ok_or("a header is written `Name: value`")?;
        let name = header_name(name)?;
        let (scheme, word) = match value.trim().rsplit_once(' ') {
            Some((scheme, word)) => (format!("{scheme} "), word),
            None => (String::new(), value.trim()),
        };
        let word = match word.strip_prefix("env:") {
            Some(variable) => std::env::var(variable).map_err(|_| {
                format!("the header `{name}` wants the environment variable `{variable}`, which is not set")
            })?,
            None => word.to_owned(),
        };
        let whole = format!("{scheme}{word}");
        let mut value = HeaderValue::from_str(&whole)
            .map_err(|_| format!("the value of the header `{name}` has characters that cannot be sent"))?;
        value.set_sensitive(true);
        self.secrets.extend([whole, word].into_iter().filter(|secret| secret.len() >= SHORT));
        self.headers.push((name, value));
        Ok(())
    }

    /// Names the header that says which store is meant: the way a service maps `/memories` to a user's own store. Each
    /// case then gets a fresh name.
    ///
    /// # Errors
    /// A sentence for people, where it is no name of a header.
    pub fn set_session_header(&mut self, name: &str) -> Result<(), String> {
        let name = header_name(name)?;
        if self.headers.iter().any(|(other, _)| *other == name) {
            return Err(format!("`{name}` is given as --header too: memconf itself chooses its value"));
        }
        self.session = Some(name);
        Ok(())
    }

    /// Whether a header says which store is meant.
    pub fn has_session_header(&self) -> bool {
        self.session.is_some()
    }

    /// Trusts the certificates of a PEM file, and no others.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn trust(&mut self, file: &Path) -> Result<(), String> {
        let shown = file.display();
        let text = std::fs::read(file).map_err(|error| format!("failed to read {shown}: {error}"))?;
        for item in parse_pem(&text) {
            match item {
                Ok(PemItem::Certificate(certificate)) => self.certificates.push(certificate.to_owned()),
                Ok(_) => {}
                Err(error) => return Err(format!("{shown} is not PEM: {error}")),
            }
        }
        if self.certificates.is_empty() { Err(format!("{shown} holds no certificate")) } else { Ok(()) }
    }

    /// The URL without its query, which may hold a secret.
    pub(super) fn shown_url(&self) -> String {
        self.uri.to_string().split('?').next().unwrap_or_default().to_owned()
    }

    /// A text without any secret in it.
    pub(super) fn without_secrets(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| match text.contains(secret) {
            true => text.replace(secret, "[secret]"),
            false => text,
        })
    }

    /// Whether the server is on this machine, where no proxy leads to.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.uri.host().unwrap_or_default().trim_matches(['[', ']']);
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the headers' values.
        f.debug_struct("HttpTarget").field("uri", &self.uri).field("session", &self.session).finish_non_exhaustive()
    }
}

fn header_name(name: &str) -> Result<HeaderName, String> {
    let name = name.trim();
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is no name of a header"))?;
    if OWN.contains(&parsed.as_str()) {
        return Err(format!("memconf itself sets the header `{name}`"));
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_checked() {
        for (url, words) in [
            ("127.0.0.1:80", "neither http:// nor https://"),
            ("ftp://host/", "neither http:// nor https://"),
            ("http://", "not a URL"),
            ("http://user:hunter22@host/", "--header"),
        ] {
            let error = HttpTarget::new(url).unwrap_err();
            assert!(error.contains(words) && !error.contains("hunter22"), "{url}: {error}");
        }
        assert!(HttpTarget::new("http://[::1]:80/a?b").unwrap().is_loopback());
        assert!(!HttpTarget::new("https://example.org").unwrap().is_loopback());
    }

    #[test]
    fn a_secret_shows_nowhere() {
        let mut target = HttpTarget::new("http://localhost/").unwrap();
        target.add_header("Authorization: Bearer hunter2222").unwrap();
        assert_eq!(target.headers[0].1, "Bearer hunter2222");
        assert!(!format!("{target:?} {:?}", target.headers).contains("hunter"));
        assert_eq!(target.without_secrets("x hunter2222 Bearer hunter2222".into()), "x [secret] [secret]");
        assert!(target.add_header("X: env:MEMCONF_NOT_SET").unwrap_err().contains("`MEMCONF_NOT_SET`"));
        assert!(target.add_header("X hunter2222").is_err_and(|error| !error.contains("hunter")));
        assert!(target.add_header("Content-Length: 5").is_err());
        assert!(target.set_session_header("authorization").is_err());
    }
}
