//! What a handler wrote, made fit for a report: the end of its log, a line of its output.

use std::fmt::Write;

/// How many bytes of the log are kept.
const KEPT: usize = 8 << 10;

/// How many characters of a line are quoted.
const QUOTED: usize = 200;

/// The end of a log, bounded however long the log gets.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let surplus = (self.bytes.len() + bytes.len()).saturating_sub(KEPT);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus.min(self.bytes.len()));
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.is_cut = false;
    }

    /// The text, lossily decoded, with what a terminal could obey escaped.
    pub(super) fn text(&self) -> String {
        let mut bytes = self.bytes.as_slice();
        let mut text = String::new();
        if self.is_cut {
            text.push_str("[...]");
            // What is left of a character that was cut in two would look like a fault of the handler's.
            let torn = bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
            bytes = &bytes[torn..];
        }
        String::from_utf8_lossy(bytes).chars().for_each(|c| push_escaped(&mut text, c, true));
        text
    }
}

/// The beginning of a line, lossily decoded and escaped, to be quoted in one line.
pub(in crate::transport) fn quote(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let head = String::from_utf8_lossy(&line[..line.len().min(QUOTED * 4)]);
    let mut text = String::new();
    head.chars().take(QUOTED).for_each(|c| push_escaped(&mut text, c, false));
    if head.chars().count() > QUOTED || line.len() > QUOTED * 4 {
        let _ = write!(text, "... ({} bytes)", line.len());
    }
    text
}

fn push_escaped(text: &mut String, c: char, is_block: bool) {
    match c {
        '\n' | '\t' if is_block => text.push(c),
        '\'' | '"' | '\\' => text.push(c),
        // Controls, and what reorders or hides text: `escape_debug` knows what is printable.
        _ => text.extend(c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::default();
        tail.push(b"one\n\x1b[31mtwo\xff\r\n");
        assert_eq!(tail.text(), "one\n\\u{1b}[31mtwo\u{fffd}\\r\n");
        for _ in 0..10_000 {
            tail.push("é".as_bytes());
        }
        tail.push(b"end");
        assert!(tail.text().starts_with("[...]é") && tail.text().ends_with("éend"));
        assert!(tail.bytes.len() <= KEPT);
        tail.push(&[b'x'; 3 * KEPT]);
        assert_eq!(tail.text(), format!("[...]{}", "x".repeat(KEPT)));
    }

    #[test]
    fn a_line_is_quoted_in_one_line() {
        assert_eq!(quote(b"  {\"a\": '\\n'}\r\n"), r#"{"a": '\n'}"#);
        assert_eq!(quote(b"\x1b\x00\xe2\x80\xae"), "\\u{1b}\\0\\u{202e}");
        assert_eq!(quote(&[b'a'; 1_000_000]), format!("{}... (1000000 bytes)", "a".repeat(200)));
    }
}
