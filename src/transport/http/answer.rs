//! What an HTTP answer means: a message, a plain text, or a fault.

use ureq::http::StatusCode;

use super::client::{Answer, Client};
use super::fault::HttpFault;
use crate::wire::{MAX_VALUES, Reply, ReplyFault, ToolResult, holds_too_much};

/// An answer, understood.
pub(super) enum Meaning {
    /// A message of the protocol, whatever the status and the media type.
    Message(Reply),
    /// A text with a status: what a service answers that knows nothing of the protocol.
    Plain(StatusCode, ToolResult),
}

/// Reads an answer.
///
/// A message counts with any status and media type. Otherwise the status and the media type decide.
pub(super) fn read(client: &Client, answer: Answer) -> Result<Meaning, HttpFault> {
    let Answer { status, media, body } = answer;
    let fault = if holds_too_much(&body) {
        ReplyFault::NotJson { reason: format!("it holds more than {MAX_VALUES} values") }
    } else {
        match Reply::parse(&body) {
            Ok(reply) => return Ok(Meaning::Message(reply)),
            Err(fault) => fault,
        }
    };
    let shown = client.shown(&body);
    if let Some(advice) = refusal(status) {
        return Err(HttpFault::Refused { status: status.to_string(), body: shown, advice });
    }
    if status.is_server_error() {
        return Err(HttpFault::Failed { status: status.to_string(), body: shown });
    }
    let is_json = media == "application/json" || media.ends_with("+json");
    let is_untyped = media.is_empty() || media == "application/octet-stream";
    // An object was meant as a message, also where nothing says so.
    let looks_like_json = body.trim_ascii_start().starts_with(b"{") && (is_untyped || media == "text/plain");
    let is_text = media == "text/plain" || is_untyped;
    if is_json || looks_like_json || is_text && matches!(fault, ReplyFault::NotUtf8 { .. }) {
        return Err(HttpFault::NotAMessage { status: status.to_string(), body: shown, fault });
    }
    if !is_text && !body.is_empty() {
        return Err(HttpFault::WrongType { media: client.shown(media.as_bytes()), body: shown });
    }
    let content = String::from_utf8(body).unwrap_or_default();
    let result = if status.is_success() { ToolResult::ok(content) } else { ToolResult::error(content) };
    Ok(Meaning::Plain(status, result))
}

/// What to do about a status that says nothing of the command.
fn refusal(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            Some("give credentials by --header 'Authorization: env:VAR'")
        }
        StatusCode::METHOD_NOT_ALLOWED => Some("a message is a POST: is the URL right?"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Some("a message is application/json: the server has to take that"),
        StatusCode::TOO_MANY_REQUESTS => Some("switch its rate limit off for the run, or use `--jobs 1`"),
        StatusCode::MISDIRECTED_REQUEST => Some("is the URL right?"),
        _ => None,
    }
}
