//! The paths of commands: text that a handler must never trust.

use std::borrow::Cow;
use std::fmt::Write as _;

use thiserror::Error;

use crate::wire::ROOT;

/// The longest name in a path, in bytes: what common file systems take. The same in every store.
pub const MAX_NAME: usize = 255;
/// The longest path as sent, in bytes.
pub const MAX_PATH: usize = 4096;
/// The deepest path, in names below `/memories`. It bounds the open directories and the work of one command.
pub const MAX_LEVELS: usize = 256;

/// How often a name is percent-decoded in search of `..`.
const DECODINGS: usize = 3;
/// How many characters of a path are repeated in an error.
const SHOWN: usize = 200;

/// A path inside the store in its one spelling: `/memories`, or `/memories/` and names joined by `/`. No name is
/// empty, `.`, `..` or holds a control character. All else is literal: `%41`, `~`, `-x`, `a..b`, spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualPath<'a>(Cow<'a, str>);

/// Why a path is refused. Displayed as the end of "The path ...".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PathFault {
    /// Neither `/memories` nor below it (requirement `path.inside-only`).
    #[error("is outside {ROOT}. Use {ROOT} itself or a path that begins with {ROOT}/")]
    Outside,
    /// Some reading of it has a `..` component (`path.traversal-rejected`, `path.encoded-watched`).
    #[error("has a `..` component, plain or encoded. Name the place itself, beginning with {ROOT}/")]
    Climbs,
    /// A C0 or C1 control character, DEL, U+2028 or U+2029 (`ruling.nul`, `ruling.control-characters`).
    #[error("has a control character or a line separator")]
    Control,
    /// A name of more than [`MAX_NAME`] bytes (`ruling.long-names`).
    #[error("has a name of more than {MAX_NAME} bytes")]
    LongName,
    /// More than [`MAX_PATH`] bytes.
    #[error("is longer than {MAX_PATH} bytes")]
    Long,
    /// More than [`MAX_LEVELS`] names.
    #[error("has more than {MAX_LEVELS} levels")]
    Deep,
}

impl<'a> VirtualPath<'a> {
    /// Reads a path as sent. `//`, `/./` and a trailing `/` are dropped; nothing else is changed.
    ///
    /// # Errors
    /// [`PathFault`] where the path must not reach a store.
    pub fn parse(sent: &'a str) -> Result<Self, PathFault> {
        let below = sent.strip_prefix(ROOT).ok_or(PathFault::Outside)?;
        if !below.is_empty() && !below.starts_with('/') {
            return Err(PathFault::Outside);
        }
        if sent.len() > MAX_PATH {
            return Err(PathFault::Long);
        }
        if has_control(below) {
            return Err(PathFault::Control);
        }
        if climbs(below) {
            return Err(PathFault::Climbs);
        }
        let (mut levels, mut normal) = (0, true);
        for name in below.split('/').skip(1) {
            match name {
                "" | "." => normal = false,
                _ if name.len() > MAX_NAME => return Err(PathFault::LongName),
                _ => levels += 1,
            }
        }
        if levels > MAX_LEVELS {
            return Err(PathFault::Deep);
        }
        if normal {
            return Ok(VirtualPath(Cow::Borrowed(sent)));
        }
        let mut text = String::with_capacity(sent.len());
        text.push_str(ROOT);
        for name in below.split('/').filter(|name| !matches!(*name, "" | ".")) {
            text.push('/');
            text.push_str(name);
        }
        Ok(VirtualPath(Cow::Owned(text)))
    }

    /// The one spelling of the path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `/memories` itself.
    pub fn is_root(&self) -> bool {
        self.0.len() == ROOT.len()
    }

    /// The names below `/memories`, from the top down.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0[ROOT.len()..].strip_prefix('/').into_iter().flat_map(|below| below.split('/'))
    }

    /// The names of the directories that lead to the last name.
    pub fn parents(&self) -> impl DoubleEndedIterator<Item = &str> {
        let mut names = self.names();
        names.next_back();
        names
    }

    /// The last name; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// Whether this path lies below the other, at any depth.
    pub fn is_below(&self, other: &VirtualPath<'_>) -> bool {
        self.as_str().strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl std::fmt::Display for VirtualPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text holds what could forge a row of a listing or end a string early.
pub(super) fn has_control(text: &str) -> bool {
    if text.is_ascii() {
        return text.bytes().any(|byte| byte.is_ascii_control());
    }
    text.chars().any(is_control)
}

/// A value as an error repeats it: at most 200 characters, control characters escaped.
pub(super) fn shown(value: &str) -> Cow<'_, str> {
    if value.len() <= SHOWN && !has_control(value) {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(SHOWN * 2);
    for (at, character) in value.chars().enumerate() {
        if at == SHOWN {
            text.push_str("...");
            break;
        }
        if is_control(character) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{}", character.escape_unicode());
        } else {
            text.push(character);
        }
    }
    Cow::Owned(text)
}

fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Whether a layer that decodes, maps `\` or normalises (NFKC) would find a `..` component here.
fn climbs(below: &str) -> bool {
    if below.split('/').any(|name| name == "..") {
        return true;
    }
    if below.bytes().all(|byte| byte.is_ascii() && byte != b'%' && byte != b'\\') {
        return false;
    }
    let mut reading = Cow::Borrowed(below.as_bytes());
    for _ in 0..=DECODINGS {
        let folded = folded(&reading);
        if folded.split(|byte| *byte == b'/').any(|name| name == b"..") {
            return true;
        }
        match percent_decoded(&folded) {
            Some(decoded) => reading = Cow::Owned(decoded),
            None => return false,
        }
    }
    false
}

/// The known look-alikes of `.`, `/`, `\` and `%` as what NFKC makes of them, and `\` as `/`.
fn folded(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let (replacement, length): (&[u8], usize) = match rest {
            [b'\\', ..] => (b"/", 1),
            [0xE2, 0x80, 0xA4, ..] => (b".", 3),  // U+2024 one dot leader
            [0xE2, 0x80, 0xA5, ..] => (b"..", 3), // U+2025 two dot leader
            [0xEF, 0xB9, 0x92, ..] => (b".", 3),  // U+FE52 small full stop
            [0xEF, 0xBC, 0x8E, ..] => (b".", 3),  // U+FF0E full-width full stop
            [0xEF, 0xBC, 0x8F, ..] => (b"/", 3),  // U+FF0F full-width solidus
            [0xEF, 0xBC, 0xBC, ..] => (b"/", 3),  // U+FF3C full-width reverse solidus
            [0xEF, 0xBC, 0x85, ..] => (b"%", 3),  // U+FF05 full-width percent sign
            [0xEF, 0xB9, 0xA8, ..] => (b"/", 3),  // U+FE68 small reverse solidus
            [0xEF, 0xB9, 0xAA, ..] => (b"%", 3),  // U+FE6A small percent sign
            _ => {
                out.push(*first);
                rest = tail;
                continue;
            }
        };
        out.extend_from_slice(replacement);
        rest = &rest[length..];
    }
    out
}

/// The bytes percent-decoded once; `None` where nothing is encoded.
fn percent_decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let mut found = false;
    while let [first, tail @ ..] = rest {
        if let [b'%', high, low, after @ ..] = rest
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.push(high << 4 | low);
            rest = after;
            found = true;
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    found.then_some(out)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(path: &str) -> Option<PathFault> {
        VirtualPath::parse(path).err()
    }

    #[test]
    fn one_spelling() {
        for (sent, spelling) in [
            ("/memories", "/memories"),
            ("/memories/", "/memories"),
            ("/memories//", "/memories"),
            ("/memories/./.", "/memories"),
            ("/memories/a", "/memories/a"),
            ("/memories//a/./b//", "/memories/a/b"),
        ] {
            assert_eq!(VirtualPath::parse(sent).unwrap().as_str(), spelling, "{sent}");
        }
    }

    #[test]
    fn parts() {
        let path = VirtualPath::parse("/memories/a/b/c").unwrap();
        assert_eq!(path.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(path.parents().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(path.name(), Some("c"));
        let root = VirtualPath::parse("/memories/").unwrap();
        assert!(root.is_root() && root.names().next().is_none() && root.name().is_none());
        assert!(path.is_below(&root) && !root.is_below(&root));
        assert!(!VirtualPath::parse("/memories/ab").unwrap().is_below(&VirtualPath::parse("/memories/a").unwrap()));
    }

    #[test]
    fn ordinary_names_stay_literal() {
        for name in [
            "a..b",
            "notes..md",
            "...",
            "..a",
            "a..",
            "%41",
            "50%.md",
            "%2e",
            "%zz",
            "~",
            "-x",
            "a b",
            " ",
            "\u{e9}",
            "日本",
            "a\\b",
            "$HOME",
            "*",
            "…",
            "a%2fb",
            "%2e%2ea",
            "..%2ea",
            "😀",
        ] {
            let path = format!("/memories/{name}");
            assert_eq!(VirtualPath::parse(&path).map(|path| path.to_string()), Ok(path.clone()), "{name}");
        }
    }

    #[test]
    fn outside() {
        for path in ["", " ", "/", "/memoriesX", "/memoriesX/a", "memories/a", "/Memories/a", "//memories/a"] {
            assert_eq!(fault(path), Some(PathFault::Outside), "{path}");
        }
        for path in ["/etc/passwd", "/memories\\a", "/memories.", "/./memories", " /memories", "../memories"] {
            assert_eq!(fault(path), Some(PathFault::Outside), "{path}");
        }
    }

    #[test]
    fn every_reading_that_climbs() {
        for below in [
            "..",
            "../",
            "../x",
            "a/../b",
            "a/..",
            "%2e%2e/x",
            "%2E%2e%2fx",
            ".%2e/x",
            "%2e./x",
            "%252e%252e%252fx",
            "%25252e%25252e/x",
            "..\\x",
            "a\\..\\b",
            "..%5cx",
            "..%255cx",
            "x%2f..",
            "\u{ff0e}\u{ff0e}/x",
            "\u{2025}/x",
            "\u{2024}\u{2024}/x",
            "\u{fe52}./x",
            "..\u{ff0f}x",
            "..\u{ff3c}x",
            "..\u{fe68}x",
            "%ef%bc%8e%ef%bc%8e/x",
            "\u{ff05}2e\u{ff05}2e/x",
            "\u{fe6a}2e./x",
            "%%32%65%%32%65/x",
            "\u{2025}",
        ] {
            assert_eq!(fault(&format!("/memories/{below}")), Some(PathFault::Climbs), "{below}");
        }
    }

    #[test]
    fn control_characters_and_line_separators() {
        for character in
            ['\0', '\n', '\r', '\t', '\u{1b}', '\u{7f}', '\u{80}', '\u{85}', '\u{9f}', '\u{2028}', '\u{2029}']
        {
            assert_eq!(fault(&format!("/memories/a{character}b")), Some(PathFault::Control), "{character:?}");
        }
        assert_eq!(fault("/memories/a\u{a0}b"), None);
    }

    #[test]
    fn limits() {
        assert_eq!(fault(&format!("/memories/{}", "x".repeat(255))), None);
        assert_eq!(fault(&format!("/memories/{}", "x".repeat(256))), Some(PathFault::LongName));
        assert_eq!(fault(&format!("/memories/{}", "é".repeat(128))), Some(PathFault::LongName));
        assert_eq!(fault(&format!("/memories/{}", "./".repeat(2043))), None);
        assert_eq!(fault(&format!("/memories/{}", "./".repeat(2044))), Some(PathFault::Long));
        assert_eq!(fault(&format!("/memories{}", "/x".repeat(256))), None);
        assert_eq!(fault(&format!("/memories{}", "/x".repeat(257))), Some(PathFault::Deep));
    }

    #[test]
    fn what_an_error_repeats() {
        assert_eq!(shown("/memories/a"), "/memories/a");
        assert_eq!(shown("a\nb\u{2028}"), "a\\u{a}b\\u{2028}");
        assert_eq!(shown(&"é".repeat(1000)), format!("{}...", "é".repeat(200)));
        assert_eq!(shown(&"é".repeat(200)), "é".repeat(200));
    }
}
