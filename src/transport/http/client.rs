//! One POST, and what answers it: bounded in time and memory, never redirected, never compressed.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use ureq::http::{HeaderValue, Response, StatusCode, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectProxyConnector, Connector, NextTimeout, RustlsConnector};
use ureq::{Agent, Body, Error, Proxy, Timeout};

use super::super::stdio::quote;
use super::HttpTarget;
use super::fault::HttpFault;
use super::socket::SocketConnector;

/// How long an idle connection is kept: less than any server's patience, since a command is not sent twice.
const IDLE: Duration = Duration::from_secs(4);

/// What a buffer holds before any of the body has come, at most.
const FIRST: usize = 64 << 10;

/// A client with a connection of its own that it keeps alive.
pub(super) struct Client {
    agent: Agent,
    pub(super) target: HttpTarget,
}

/// An answer with its whole body.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// The media type in lower case, without parameters; empty where there is none.
    pub(super) media: String,
    pub(super) body: Vec<u8>,
}

impl Client {
    pub(super) fn new(target: HttpTarget) -> Client {
        let roots = match target.certificates.as_slice() {
            [] => RootCerts::WebPki,
            certificates => RootCerts::new_with_certs(certificates),
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(target.timeout))
            .max_idle_age(IDLE)
            .user_agent(concat!("memconf/", env!("CARGO_PKG_VERSION")))
            .accept("application/json, text/plain")
            .accept_encoding("identity")
            // Where a proxy is set for the outside world, it does not lead to this machine.
            .proxy(if target.is_loopback() { None } else { Proxy::try_from_env() })
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .build();
        let connector =
            ().chain(ConnectProxyConnector::default()).chain(SocketConnector).chain(RustlsConnector::default());
        Client { agent: Agent::with_parts(config, connector, Remembered::default()), target }
    }

    /// Sends a message. `store` is the value of the session header.
    pub(super) fn post(&self, message: &[u8], store: Option<&HeaderValue>) -> Result<Answer, HttpFault> {
        let mut request = self.agent.post(&self.target.uri).header(CONTENT_TYPE, JSON);
        for (name, value) in &self.target.headers {
            request = request.header(name, value);
        }
        if let (Some(name), Some(value)) = (&self.target.session, store) {
            request = request.header(name, value);
        }
        let mut response = request.send(message).map_err(|error| self.before_answer(error))?;
        self.check(&response)?;
        let body = self.body(&mut response)?;
        let media = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Ok(Answer { status: response.status(), media, body: self.cleaned(body) })
    }

    /// What the head of an answer already tells.
    fn check(&self, response: &Response<Body>) -> Result<(), HttpFault> {
        let status = response.status();
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if status.is_redirection() {
            let to = text(LOCATION);
            let shown = self.shown(to.split('?').next().unwrap_or_default().as_bytes());
            let status = status.as_u16();
            return Err(match same_origin(&self.target.uri, to) {
                true => HttpFault::Redirect { status, to: shown },
                false => HttpFault::RedirectAway { status, to: shown },
            });
        }
        let coding = text(CONTENT_ENCODING).trim();
        if !coding.is_empty() && !coding.eq_ignore_ascii_case("identity") {
            return Err(HttpFault::Compressed { coding: self.shown(coding.as_bytes()) });
        }
        let limit = self.target.max_reply;
        match text(CONTENT_LENGTH).trim().parse::<u64>() {
            Ok(declared) if declared > limit as u64 => Err(HttpFault::TooLong { limit, declared: Some(declared) }),
            _ => Ok(()),
        }
    }

    fn body(&self, response: &mut Response<Body>) -> Result<Vec<u8>, HttpFault> {
        let limit = self.target.max_reply;
        let declared = response.body().content_length();
        let mut reader = response.body_mut().with_config().limit(limit as u64).reader();
        let expected = declared.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        let mut body = Vec::with_capacity(expected.min(FIRST));
        match reader.read_to_end(&mut body) {
            Ok(_) => Ok(body),
            Err(error) => Err(self.within_body(error, body.len(), declared)),
        }
    }

    fn before_answer(&self, error: Error) -> HttpFault {
        let url = self.target.shown_url();
        let after = self.target.timeout;
        match error {
            Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                HttpFault::Unreachable { url, reason: format!("no connection within {after:?}") }
            }
            Error::Timeout(_) => HttpFault::Timeout { after, came: "the head of the answer has not all come".into() },
            Error::Io(error) => match error.kind() {
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof => HttpFault::Cut { when: "before an answer".into() },
                io::ErrorKind::InvalidData => HttpFault::Tls { url, reason: self.shown(error.to_string().as_bytes()) },
                _ => HttpFault::Unreachable { url, reason: error.to_string() },
            },
            Error::HostNotFound => HttpFault::Unreachable { url, reason: "its name is not known".into() },
            Error::Rustls(error) => HttpFault::Tls { url, reason: self.shown(error.to_string().as_bytes()) },
            Error::Tls(reason) => HttpFault::Tls { url, reason: reason.into() },
            Error::LargeResponseHeader(..) | Error::Protocol(_) => {
                HttpFault::NotHttp { reason: self.shown(error.to_string().as_bytes()) }
            }
            error => HttpFault::Unreachable { url, reason: self.shown(error.to_string().as_bytes()) },
        }
    }

    fn within_body(&self, error: io::Error, came: usize, declared: Option<u64>) -> HttpFault {
        let of = declared.map(|length| format!(" of {length}")).unwrap_or_default();
        match Error::from(error) {
            Error::Timeout(_) => {
                HttpFault::Timeout { after: self.target.timeout, came: format!("{came}{of} bytes of the body came") }
            }
            Error::BodyExceedsLimit(_) => HttpFault::TooLong { limit: self.target.max_reply, declared: None },
            Error::Protocol(error) => HttpFault::NotHttp { reason: self.shown(error.to_string().as_bytes()) },
            _ => HttpFault::Cut { when: format!("after {came}{of} bytes of the body") },
        }
    }

    /// A quotation of what the server sent, without any secret that it echoed.
    pub(super) fn shown(&self, bytes: &[u8]) -> String {
        quote(&self.cleaned(bytes.to_vec()))
    }

    fn cleaned(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.target.secrets.is_empty() {
            return bytes;
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.target.without_secrets(text).into_bytes(),
            // It is told as a fault, with a quotation that is cleaned once more.
            Err(error) => {
                self.target.without_secrets(String::from_utf8_lossy(error.as_bytes()).into_owned()).into_bytes()
            }
        }
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Whether a redirect stays where it is.
fn same_origin(from: &Uri, to: &str) -> bool {
    if to.starts_with("//") || to.starts_with('\\') || to.starts_with("/\\") {
        return false;
    }
    match to.parse::<Uri>() {
        Ok(to) if to.scheme().is_none() && to.authority().is_none() => true,
        Ok(to) => {
            let port =
                |uri: &Uri| uri.port_u16().or(if uri.scheme_str() == Some("https") { Some(443) } else { Some(80) });
            let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
            to.scheme() == from.scheme() && host(&to) == host(from) && port(&to) == port(from)
        }
        // A relative path.
        Err(_) => !to.contains(':'),
    }
}

/// Looks the host up once: otherwise each request would start a thread to do so in bounded time.
#[derive(Debug, Default)]
struct Remembered {
    found: Mutex<Option<(Uri, ResolvedSocketAddrs)>>,
    resolver: DefaultResolver,
}

impl Resolver for Remembered {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, addresses)) = &*found
            && known.authority() == uri.authority()
        {
            let mut copy = self.empty();
            addresses.iter().for_each(|address| copy.push(*address));
            return Ok(copy);
        }
        let addresses = self.resolver.resolve(uri, config, timeout)?;
        let mut copy = self.empty();
        addresses.iter().for_each(|address| copy.push(*address));
        *found = Some((uri.clone(), copy));
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let from: Uri = "http://host:80/a".parse().unwrap();
        for to in ["/b", "b/c", "http://HOST/b", "http://host:80/", "?x"] {
            assert!(same_origin(&from, to), "{to}");
        }
        for to in ["https://host/", "http://host:81/", "http://other/", "//other/b", "http://host.evil/", "/\\evil"] {
            assert!(!same_origin(&from, to), "{to}");
        }
    }
}
