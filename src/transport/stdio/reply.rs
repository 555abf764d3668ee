//! What a line on stdout is: the answer, a line to be skipped, or a fault.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::tail::quote;
use crate::transport::Fault;
use crate::wire::{MAX_VALUES, Reply, ReplyFault, holds_too_much};

/// How many lines that are no messages are skipped before an answer.
const MAX_LINES: usize = 100;

/// How many bytes of them.
const MAX_BYTES: usize = 64 << 10;

/// What came through stdout in place of a message.
#[derive(Debug)]
pub(super) struct Junk {
    /// The first such line, to be quoted.
    line: String,
    fault: ReplyFault,
    /// How many there are.
    pub(super) lines: usize,
    bytes: usize,
}

impl Junk {
    /// The fault of there being no answer beside it.
    pub(super) fn into_fault(self) -> Fault {
        Fault::NotAMessage { line: self.line, fault: self.fault }
    }

    /// What is said where there is one.
    pub(super) fn warning(&self) -> String {
        format!(
            "the handler prints on stdout what is no message; the line `{}` {}. memconf skips such lines: print logs \
             to stderr, not to stdout",
            self.line, self.fault
        )
    }
}

/// Reads a line; `None` where it is skipped.
///
/// A line that was meant as an answer, but is wrong, is a fault at once: to wait for a better one would be to wait
/// for the timeout. Anything else may be the output of some library, and the answer may follow.
pub(super) fn judge(line: &[u8], junk: &mut Option<Junk>) -> Result<Option<Reply>, Fault> {
    if holds_too_much(line) {
        let reason = format!("it holds more than {MAX_VALUES} values");
        return Err(Fault::NotAMessage { line: quote(line), fault: ReplyFault::NotJson { reason } });
    }
    let fault = match Reply::parse(line) {
        Ok(reply) => return Ok(Some(reply)),
        Err(_) if line.trim_ascii().is_empty() => return Ok(None),
        Err(fault) => fault,
    };
    let (fault, is_meant) = explain(line, fault);
    if is_meant {
        return Err(Fault::NotAMessage { line: quote(line), fault });
    }
    let junk = junk.get_or_insert_with(|| Junk { line: quote(line), fault, lines: 0, bytes: 0 });
    junk.lines += 1;
    junk.bytes += line.len();
    if junk.lines > MAX_LINES || junk.bytes > MAX_BYTES {
        return Err(Fault::NotAMessage { line: junk.line.clone(), fault: junk.fault.clone() });
    }
    Ok(None)
}

/// The fields that tell an answer from a structured log.
#[derive(Deserialize)]
struct Telltale<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
    tool_use_id: Option<IgnoredAny>,
    content: Option<IgnoredAny>,
}

/// The fault with advice, and whether the line was meant as an answer.
fn explain(line: &[u8], fault: ReplyFault) -> (ReplyFault, bool) {
    let line = line.trim_ascii();
    if !line.starts_with(b"{") {
        let advised = match fault {
            ReplyFault::NotJson { reason } => ReplyFault::NotJson {
                reason: format!("{reason}; one JSON object a line is due, and logs go to stderr"),
            },
            fault => fault,
        };
        return (advised, false);
    }
    let because = |reason: &str| ReplyFault::NotJson { reason: reason.to_owned() };
    let mut objects = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
    match objects.next() {
        Some(Ok(_)) if objects.byte_offset() < line.len() => {
            let more = &line[objects.byte_offset()..];
            let is_object = more.trim_ascii_start().starts_with(b"{");
            let what = if is_object { "a second object follows it" } else { "something follows it" };
            (because(&format!("{what} on the same line; write one JSON object a line")), true)
        }
        Some(Err(error)) if error.classify() == Category::Eof => {
            (because("an object begins on this line and does not end on it; write one JSON object a line"), true)
        }
        Some(Ok(_)) => {
            let told = serde_json::from_slice::<Telltale<'_>>(line);
            let is_meant = told.is_ok_and(|told| {
                told.tool_use_id.is_some()
                    || told.content.is_some()
                    || told.kind.is_some_and(|kind| kind == "tool_result" || kind == "ready")
            });
            (fault, is_meant)
        }
        _ => (fault, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(line: &str) -> Option<String> {
        judge(line.as_bytes(), &mut None).err().map(|fault| fault.to_string())
    }

    #[test]
    fn what_was_meant_as_an_answer_is_a_fault_at_once() {
        let two = r#"{"type":"tool_result","tool_use_id":"a"} {"type":"tool_result","tool_use_id":"b"}"#;
        let fault = fault_of(two).unwrap();
        assert!(fault.contains("second object") && fault.contains("one JSON object a line"), "{fault}");
        for half in ["{", r#"{"type": "tool_result","#, r#"{"type":"tool_res"#] {
            let fault = fault_of(half).unwrap();
            assert!(fault.contains("does not end") && fault.contains("one JSON object a line"), "{fault}");
        }
        for wrong in [
            r#"{"type":"tool_result"}"#,
            r#"{"type":"tool_result","tool_use_id":5}"#,
            r#"{"type":"tool_result","tool_use_id":"a","content":5}"#,
            r#"{"content":"ok"}"#,
            r#"{"tool_use_id":"a"}"#,
        ] {
            assert!(fault_of(wrong).is_some(), "{wrong}");
        }
        let deep = format!(r#"{{"type":"tool_result","tool_use_id":"a","content":{}"#, "[".repeat(100_000));
        assert!(fault_of(&deep).is_some());
    }

    #[test]
    fn what_may_be_a_log_is_skipped_but_not_for_ever() {
        let mut junk = None;
        for line in ["loading", "", "{not json}", r#"{"level":"info","msg":"x"}"#, "[1]", "\u{1b}[0m"] {
            assert!(judge(line.as_bytes(), &mut junk).unwrap().is_none(), "{line}");
        }
        let told = junk.as_ref().unwrap();
        assert_eq!(told.lines, 5);
        assert!(told.warning().contains("the line `loading`") && told.warning().contains("print logs to stderr"));
        for _ in 0..95 {
            judge(b"more", &mut junk).unwrap();
        }
        assert!(matches!(judge(b"more", &mut junk), Err(Fault::NotAMessage { line, .. }) if line == "loading"));
        assert!(judge(&vec![b'x'; 65 << 10], &mut None).is_err());
    }

    #[test]
    fn a_line_of_many_values_is_not_parsed() {
        let answer = |content: &str| format!(r#"{{"type":"tool_result","tool_use_id":"a","content":{content}}}"#);
        let bomb = answer(&format!("[{}0]", "0,".repeat(1_000_000)));
        assert!(fault_of(&bomb).is_some_and(|fault| fault.contains("more than 100000 values")));
        let text = answer(&format!(r#""\"[{}""#, "0,[".repeat(1_000_000)));
        assert!(judge(text.as_bytes(), &mut None).unwrap().is_some());
    }

    #[test]
    fn other_messages_are_left_to_the_caller() {
        let error = judge(br#"{"type":"error","message":"no"}"#, &mut None).unwrap().unwrap();
        assert_eq!(error, Reply::Other { kind: "error".into() });
    }
}
