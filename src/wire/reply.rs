//! What a handler sends, and what can be wrong with it. Nothing here is trusted.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::ToolResult;

/// A message from a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to `reset`.
    Ready(Ready),
    /// The answer to `tool_use`, with the id that it names.
    ToolResult {
        /// The id of the `tool_use` that this answers.
        tool_use_id: String,
        /// What Claude would read.
        result: ToolResult,
    },
    /// An object of another type: from a handler that does not know the message.
    Other {
        /// The value of `type`, as far as it is a string.
        kind: String,
    },
}

/// What a handler says of itself when it is ready. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The directory that `/memories` maps to, an absolute path. It need not exist before the first `create`.
    pub store: Option<String>,
    /// Whether the store outlives the process: it is found again by a new process with the same
    /// `MEMCONF_ROOT`. Assumed where `store` is given.
    pub persists: Option<bool>,
    /// The handler's name.
    pub name: Option<String>,
    /// The handler's version.
    pub version: Option<String>,
    /// Where the handler is published.
    pub url: Option<String>,
}

/// Why a line is not a message of the protocol. Displayed as the end of "the reply ...".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum ReplyFault {
    #[error("is not UTF-8 (first bad byte at {at})")]
    NotUtf8 { at: usize },
    #[error("is not a JSON object ({reason})")]
    NotJson { reason: String },
    #[error("has no `type`")]
    NoType,
    #[error("is a `tool_result` without `tool_use_id`")]
    NoId,
    #[error("has a `{field}` that is {found}; {expected} is expected")]
    WrongField { field: &'static str, found: &'static str, expected: &'static str },
}

/// The fields that a reply may have, before they are judged.
#[derive(Deserialize)]
pub struct ReplyFields<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    is_error: Value,
    #[serde(default)]
    store: Value,
    #[serde(default)]
    persists: Value,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    version: Value,
    #[serde(default)]
    url: Value,
}

impl Reply {
    /// Reads one message.
    ///
    /// # Errors
    /// [`ReplyFault`] where the bytes are not a message that protocol version 1 knows.
    pub fn parse(bytes: &[u8]) -> Result<Reply, ReplyFault> {
        let text = std::str::from_utf8(bytes).map_err(|error| ReplyFault::NotUtf8 { at: error.valid_up_to() })?;
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if !text.starts_with('{') {
            return Err(ReplyFault::NotJson { reason: "it does not begin with `{`".into() });
        }
        let fields: ReplyFields<'_> =
            serde_json::from_str(text).map_err(|error| ReplyFault::NotJson { reason: error.to_string() })?;
        fields.into_reply()
    }
}

impl ReplyFields<'_> {
    fn into_reply(self) -> Result<Reply, ReplyFault> {
        match self.kind.as_deref() {
            Some("tool_result") => {
                let tool_use_id = self.tool_use_id.ok_or(ReplyFault::NoId)?.into_owned();
                let mut result = content(self.content)?;
                result.is_error = boolean("is_error", &self.is_error)?.unwrap_or(false);
                Ok(Reply::ToolResult { tool_use_id, result })
            }
            Some("ready") => Ok(Reply::Ready(Ready {
                store: string("store", self.store)?,
                persists: boolean("persists", &self.persists)?,
                name: string("name", self.name)?,
                version: string("version", self.version)?,
                url: string("url", self.url)?,
            })),
            Some(kind) => Ok(Reply::Other { kind: kind.chars().take(80).collect() }),
            None => Err(ReplyFault::NoType),
        }
    }
}

fn content(value: Value) -> Result<ToolResult, ReplyFault> {
    match value {
        Value::String(text) => Ok(ToolResult::ok(text)),
        Value::Null => Ok(ToolResult::default()),
        Value::Array(blocks) => {
            let mut result = ToolResult::default();
            for block in &blocks {
                match (block.get("type").and_then(Value::as_str), block.get("text")) {
                    (Some("text"), Some(Value::String(text))) => result.content.push_str(text),
                    (Some("text"), _) => {
                        let expected = "a string in each text block's `text`";
                        return Err(ReplyFault::WrongField {
                            field: "content",
                            found: "an incomplete block",
                            expected,
                        });
                    }
                    (Some(_), _) => result.other_blocks += 1,
                    (None, _) => {
                        let expected = "a list of content blocks, each with a `type`,";
                        return Err(ReplyFault::WrongField { field: "content", found: kind(block), expected });
                    }
                }
            }
            Ok(result)
        }
        other => {
            let expected = "a string or a list of content blocks";
            Err(ReplyFault::WrongField { field: "content", found: kind(&other), expected })
        }
    }
}

fn boolean(field: &'static str, value: &Value) -> Result<Option<bool>, ReplyFault> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        other => Err(ReplyFault::WrongField { field, found: kind(other), expected: "true or false" }),
    }
}

fn string(field: &'static str, value: Value) -> Result<Option<String>, ReplyFault> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(ReplyFault::WrongField { field, found: kind(&other), expected: "a string" }),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(json: &str) -> ToolResult {
        match Reply::parse(json.as_bytes()) {
            Ok(Reply::ToolResult { result, .. }) => result,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn content_is_a_string_or_blocks() {
        let text = r#"{"type":"tool_result","tool_use_id":"t","content":"a\nb"}"#;
        assert_eq!(result(text), ToolResult::ok("a\nb"));
        let blocks = r#"{"type":"tool_result","tool_use_id":"t","is_error":true,
            "content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}"#;
        assert_eq!(result(blocks), ToolResult { content: "ab".into(), is_error: true, other_blocks: 1 });
        assert_eq!(result(r#"{"type":"tool_result","tool_use_id":"t"}"#), ToolResult::ok(""));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let fault = |bytes: &[u8]| Reply::parse(bytes).unwrap_err().to_string();
        assert_eq!(fault(b"\xff\xfe"), "is not UTF-8 (first bad byte at 0)");
        assert!(fault(b"hello").starts_with("is not a JSON object (it does not begin with `{`"));
        assert!(fault(br#"{"type":"tool_result"}{}"#).contains("trailing characters"));
        assert_eq!(fault(b"{}"), "has no `type`");
        assert_eq!(fault(br#"{"type":"tool_result","content":""}"#), "is a `tool_result` without `tool_use_id`");
        let number = br#"{"type":"tool_result","tool_use_id":"t","content":5}"#;
        assert!(fault(number).contains("`content` that is a number"));
        let flag = br#"{"type":"tool_result","tool_use_id":"t","content":"","is_error":"yes"}"#;
        assert!(fault(flag).contains("`is_error` that is a string"));
        let deep = format!(r#"{{"type":"tool_result","content":{}"#, "[".repeat(100_000));
        assert!(fault(deep.as_bytes()).contains("recursion"));
    }
}
