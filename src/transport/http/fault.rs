//! What can go wrong between memconf and a server. Each says what happened and what to do next.

use std::time::Duration;

use thiserror::Error;

use crate::wire::ReplyFault;

/// Why there is no answer over HTTP. Displayed as a sentence without subject: "the server ...".
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum HttpFault {
    /// No connection, or none with TLS.
    #[error("the server at {url} cannot be reached: {reason}; is it started, and is the URL right?")]
    Unreachable { url: String, reason: String },
    /// The server's certificate was not accepted.
    #[error("no TLS connection to {url}: {reason}; a certificate of your own is told by `--cacert FILE`")]
    Tls { url: String, reason: String },
    /// The server asks for other credentials, another URL or more patience: no case can be judged.
    #[error("the server refuses the request with {status}{}: {advice}", said(.body))]
    Refused { status: String, body: String, advice: &'static str },
    /// Not all of the answer came in time.
    #[error("no whole answer within {after:?} ({came}); a slower server needs a longer `--timeout`")]
    Timeout { after: Duration, came: String },
    /// The connection ended early.
    #[error("the connection was cut {when}: look into the server's log for a crash or a limit of a proxy")]
    Cut { when: String },
    /// The body has no end in sight.
    #[error("the answer is longer than {limit} bytes{}: a command's answer is a few KiB", announced(.declared))]
    TooLong { limit: usize, declared: Option<u64> },
    /// Not HTTP/1.1, or a broken form of it.
    #[error("the answer is not proper HTTP/1.1 ({reason}); is it another protocol, or a server written by hand?")]
    NotHttp { reason: String },
    /// A redirect within the origin.
    #[error("the server redirects ({status}) to {to}: commands are not sent twice, so give that as `--url`")]
    Redirect { status: u16, to: String },
    /// A redirect to another origin.
    #[error(
        "the server redirects ({status}) to {to}, another origin: not followed, since the headers may hold secrets. If \
         that is the handler, give it as `--url`"
    )]
    RedirectAway { status: u16, to: String },
    /// The body is compressed.
    #[error("the answer is compressed ({coding}) though the request allows `identity` only: switch compression off")]
    Compressed { coding: String },
    /// The server failed, and its answer is no message.
    #[error(
        "the server failed with {status}{}: look into its log. An error that Claude is to read is a `tool_result` with \
         `is_error`, or a plain text with a 4xx status",
        said(.body)
    )]
    Failed { status: String, body: String },
    /// A page, a picture: neither a message nor a plain text.
    #[error("the answer is `{media}`, neither a message (application/json) nor a plain text: is the URL right?{}", said(.body))]
    WrongType { media: String, body: String },
    /// A body that should be a message and is none.
    #[error(
        "the body `{body}` ({status}) {fault}; a POST is answered by one JSON object, `{{\"type\":\"tool_result\", ...}}`, \
         or by a plain text as text/plain"
    )]
    NotAMessage { status: String, body: String, fault: ReplyFault },
}

impl HttpFault {
    /// Whether the handler is to blame: the step fails. Otherwise the case could not run.
    pub fn is_failure(&self) -> bool {
        !matches!(self, HttpFault::Unreachable { .. } | HttpFault::Tls { .. } | HttpFault::Refused { .. })
    }

    /// Whether it would be the same for every case.
    pub fn is_hopeless(&self) -> bool {
        matches!(
            self,
            HttpFault::Unreachable { .. }
                | HttpFault::Tls { .. }
                | HttpFault::Refused { .. }
                | HttpFault::Redirect { .. }
                | HttpFault::RedirectAway { .. }
        )
    }
}

fn said(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(" (`{body}`)") }
}

fn announced(length: &Option<u64>) -> String {
    length.map(|length| format!(" ({length} are announced)")).unwrap_or_default()
}
