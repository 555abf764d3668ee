//! Lines of a text. Only LF ends a line, and a final LF begins no further one: `a` LF `b` LF has two lines
//! (`ruling.fidelity`, `ruling.trailing-newline`). All of it is linear in the size of the text.

/// How many lines a text has.
pub(super) fn line_count(text: &str) -> usize {
    line_feeds(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The lines `first` to `last`, counted from 1, both included, as one piece without the last one's LF. `None` where
/// there are none.
pub(super) fn lines(text: &str, first: usize, last: usize) -> Option<&str> {
    let start = line_start(text, first.checked_sub(1)?);
    if start == text.len() || last < first {
        return None;
    }
    let rest = &text[start..];
    let piece = &rest[..line_start(rest, last - first + 1)];
    Some(piece.strip_suffix('\n').unwrap_or(piece))
}

/// Appends an LF and each line with its number: right-aligned in 6 characters, TAB, the line's text
/// (`view.line-format`).
pub(super) fn push_numbered(out: &mut String, piece: &str, count: usize, first: usize) {
    out.reserve(piece.len() + 8 * count);
    for (number, line) in (first..).zip(piece.split('\n')) {
        out.push('\n');
        push_number(out, number);
        out.push('\t');
        out.push_str(line);
    }
}

/// What a replacement came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replaced {
    /// The new text, and where in it the change stands: byte positions.
    Once { text: String, start: usize, end: usize },
    /// There is no occurrence.
    NotFound,
    /// There are several: the line of each one's first byte, as `2, 5, 5`.
    Several { lines: String },
}

/// Replaces the one occurrence of `old`, which is not empty, with `new`; both are literal (`ruling.literal-text`).
/// Occurrences that overlap count once (`ruling.overlap`).
pub(super) fn replace(text: &str, old: &str, new: &str) -> Replaced {
    let mut occurrences = text.match_indices(old).map(|(at, _)| at);
    let Some(start) = occurrences.next() else { return Replaced::NotFound };
    let Some(second) = occurrences.next() else {
        let mut replaced = String::with_capacity(text.len() - old.len() + new.len());
        replaced.push_str(&text[..start]);
        replaced.push_str(new);
        replaced.push_str(&text[start + old.len()..]);
        return Replaced::Once { text: replaced, start, end: start + new.len() };
    };
    let mut lines = String::new();
    let (mut line, mut counted) = (1, 0);
    for at in [start, second].into_iter().chain(occurrences) {
        line += line_feeds(&text.as_bytes()[counted..at]);
        counted = at;
        if !lines.is_empty() {
            lines.push_str(", ");
        }
        push_digits(&mut lines, line);
    }
    Replaced::Several { lines }
}

/// Appends the lines that a change between two byte positions touches, with two lines before and two after.
pub(super) fn push_snippet(out: &mut String, text: &str, start: usize, end: usize) {
    let count = line_count(text);
    // An LF belongs to the line that it ends, so the last changed line is the one of the last changed byte.
    let changed = line_feeds(&text.as_bytes()[..start]) + 1;
    let last = changed + line_feeds(&text.as_bytes()[start..end.saturating_sub(1).max(start)]);
    let (first, last) = (changed.saturating_sub(2).max(1), (last + 2).min(count));
    if let Some(piece) = lines(text, first, last) {
        push_numbered(out, piece, last - first + 1, first);
    }
}

/// The text with `insert` as lines of their own after line `after`, 0 being the beginning.
///
/// One final LF of `insert` ends its last line, every further one is a blank line, and an empty `insert` is one
/// blank line (`ruling.insert-newline`). A text without final LF keeps to that where `insert` comes last and has none
/// either (`ruling.insert-at-end`).
///
/// # Errors
/// The number of lines, where there is no line `after`.
pub(super) fn insert(text: &str, after: u64, insert: &str) -> Result<String, usize> {
    let count = line_count(text);
    let after = usize::try_from(after).ok().filter(|after| *after <= count).ok_or(count)?;
    let at = line_start(text, after);
    let (before, behind) = text.split_at(at);
    let open = !before.is_empty() && !before.ends_with('\n');
    let mut out = String::with_capacity(text.len() + insert.len() + 2);
    out.push_str(before);
    if open {
        out.push('\n');
    }
    out.push_str(insert);
    if !insert.ends_with('\n') && (!open || insert.is_empty()) {
        out.push('\n');
    }
    out.push_str(behind);
    Ok(out)
}

/// Where the line after `skipped` lines begins; the text's end, where there is none.
fn line_start(text: &str, skipped: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut left) = (0, skipped);
    if left == 0 {
        return 0;
    }
    for chunk in bytes.chunks(4096) {
        let found = line_feeds(chunk);
        if found < left {
            left -= found;
            at += chunk.len();
            continue;
        }
        for (index, byte) in chunk.iter().enumerate() {
            if *byte == b'\n' {
                left -= 1;
                if left == 0 {
                    return at + index + 1;
                }
            }
        }
    }
    bytes.len()
}

/// How many LF there are. In short runs with a narrow counter, which the compiler turns into vector code.
fn line_feeds(bytes: &[u8]) -> usize {
    bytes
        .chunks(255)
        .map(|chunk| usize::from(chunk.iter().fold(0_u8, |sum, byte| sum + u8::from(*byte == b'\n'))))
        .sum()
}

fn push_number(out: &mut String, number: usize) {
    let mut limit = 100_000;
    while number < limit && limit > 1 {
        out.push(' ');
        limit /= 10;
    }
    push_digits(out, number);
}

fn push_digits(out: &mut String, mut number: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(str::from_utf8(&digits[at..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(text: &str, first: usize, last: usize) -> String {
        let mut out = String::new();
        if let Some(piece) = lines(text, first, last) {
            push_numbered(&mut out, piece, last - first + 1, first);
        }
        out
    }

    fn replaced(text: &str, old: &str, new: &str) -> String {
        match replace(text, old, new) {
            Replaced::Once { text, .. } => text,
            other => format!("{other:?}"),
        }
    }

    fn snippet(text: &str, old: &str, new: &str) -> String {
        let Replaced::Once { text, start, end } = replace(text, old, new) else { return "none".into() };
        let mut out = String::new();
        push_snippet(&mut out, &text, start, end);
        out
    }

    #[test]
    fn counts() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("\n", 1), ("a\nb", 2), ("a\n\n", 2), ("a\rb\u{2028}c", 1)]
        {
            assert_eq!(line_count(text), count, "{text:?}");
        }
        assert_eq!(line_count(&"\n".repeat(100_000)), 100_000);
    }

    #[test]
    fn numbers() {
        assert_eq!(numbered("a\n\nb", 1, 3), "\n     1\ta\n     2\t\n     3\tb");
        assert_eq!(numbered("a\r\nb\r\n", 1, 2), "\n     1\ta\r\n     2\tb\r");
        assert_eq!(numbered("\n", 1, 1), "\n     1\t");
        assert_eq!(numbered("a\nb\nc\n", 2, 2), "\n     2\tb");
        assert_eq!(numbered("a\nb\nc\n", 3, 3), "\n     3\tc");
        assert_eq!((numbered("", 1, 1), numbered("a\n", 2, 2)), (String::new(), String::new()));
        for (number, text) in [(7, "     7"), (10, "    10"), (999_999, "999999"), (1_000_000, "1000000")] {
            let mut out = String::new();
            push_number(&mut out, number);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn replacing() {
        assert_eq!(replaced("abc\n", "b", ""), "ac\n");
        assert_eq!(replaced("a\r\nb\r\n", "b", "$&\\1%s"), "a\r\n$&\\1%s\r\n");
        assert_eq!(replaced("a\nb\nc", "a\nb\n", "x"), "xc");
        assert_eq!(replaced("aaa", "aa", "X"), "Xa");
        assert_eq!(replaced("ab", "ab", "ab"), "ab");
        assert_eq!(replace("a", "b", ""), Replaced::NotFound);
        assert_eq!(replace("a.c", "a*c", ""), Replaced::NotFound);
        assert_eq!(replace("x x\ny\nx", "x", ""), Replaced::Several { lines: "1, 1, 3".into() });
        assert_eq!(replace("a\nb\na\nb\n", "a\nb", ""), Replaced::Several { lines: "1, 3".into() });
    }

    #[test]
    fn snippets() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n";
        assert_eq!(snippet(text, "4", "x"), "\n     2\t2\n     3\t3\n     4\tx\n     5\t5\n     6\t6");
        assert_eq!(snippet(text, "4", "x\ny"), "\n     2\t2\n     3\t3\n     4\tx\n     5\ty\n     6\t5\n     7\t6");
        assert_eq!(snippet(text, "4\n", "x\n"), "\n     2\t2\n     3\t3\n     4\tx\n     5\t5\n     6\t6");
        assert_eq!(snippet(text, "8\n", ""), "\n     6\t6\n     7\t7");
        assert_eq!(snippet("a", "a", ""), "");
        assert_eq!(snippet("a", "a", "b"), "\n     1\tb");
    }

    #[test]
    fn inserting() {
        let ok = |text: &str, after: u64, new: &str| insert(text, after, new).unwrap();
        for new in ["N", "N\n"] {
            assert_eq!(ok("a\nb\n", 0, new), "N\na\nb\n");
            assert_eq!(ok("a\nb\n", 1, new), "a\nN\nb\n");
            assert_eq!(ok("a\nb\n", 2, new), "a\nb\nN\n");
            assert_eq!(ok("a\nb", 1, new), "a\nN\nb");
            assert_eq!(ok("", 0, new), "N\n");
            assert_eq!(ok("\n", 0, new), "N\n\n");
            assert_eq!(ok("a\n\n\n", 1, new), "a\nN\n\n\n");
        }
        assert_eq!(ok("x\ny", 2, "z"), "x\ny\nz");
        assert_eq!(ok("x\ny", 2, "z\n"), "x\ny\nz\n");
        assert_eq!(ok("a\nb\n", 1, "A\n\n"), "a\nA\n\nb\n");
        assert_eq!(ok("a\r\nb\r\n", 1, "N"), "a\r\nN\nb\r\n");
        for new in ["", "\n"] {
            assert_eq!(ok("a\nb\n", 1, new), "a\n\nb\n");
            assert_eq!(ok("x", 1, new), "x\n\n");
            assert_eq!(ok("", 0, new), "\n");
        }
        assert_eq!(insert("a\nb\n", 3, "N"), Err(2));
        assert_eq!(insert("", 1, "N"), Err(0));
        assert_eq!(insert("a", u64::MAX, "N"), Err(1));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_insertion_is_lines_among_lines(text in "[ab\n\r]{0,12}", new in "[ab\n\r]{0,6}", after in 0_u64..14) {
            let ended = |text: &str| text.lines_of();
            match insert(&text, after, &new) {
                Err(count) => prop_assert!(after > count as u64),
                Ok(out) => {
                    let mut expected = ended(&text);
                    let added = if new.is_empty() { vec![String::new()] } else { ended(&new) };
                    let at = after as usize;
                    expected.splice(at..at, added);
                    prop_assert_eq!(ended(&out), expected);
                }
            }
        }

        #[test]
        fn any_lines(text in "[ab\n]{0,80}", far in 0_usize..3, first in 1_usize..60, more in 0_usize..40) {
            // Positions are sought in runs of 4096 bytes.
            let text = "x".repeat(far * 4090) + &text;
            let all = text.lines_of();
            let last = (first + more).min(all.len());
            let expected = (first <= last).then(|| all[first - 1..last].join("\n"));
            prop_assert_eq!(lines(&text, first, last).map(String::from), expected);
        }
    }

    trait LinesOf {
        fn lines_of(&self) -> Vec<String>;
    }

    impl LinesOf for str {
        fn lines_of(&self) -> Vec<String> {
            let mut lines: Vec<String> = self.split('\n').map(String::from).collect();
            if lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            lines
        }
    }

    impl LinesOf for String {
        fn lines_of(&self) -> Vec<String> {
            self.as_str().lines_of()
        }
    }
}
