//! Recognising a file's lines in any reasonable wording: another header, other padding, `1|text`, `1: text`, no
//! numbers at all.
//!
//! The reading is guided by what is expected, and kept honest by what the case knows: a line that the case has
//! written is never taken for a header or a footer, all lines must be numbered in one style, and a number, where
//! there is one, must be the right one.

use std::collections::HashSet;

use super::text::quote;

/// How a handler writes the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// What stands between number and text; `None`: no numbers.
    pub separator: Option<String>,
    /// How many lines stand before the first.
    pub header: usize,
}

/// What became of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The expected lines, in this style.
    Match(Style),
    /// The expected lines under other numbers.
    Renumbered(String),
    /// Something else, with what is wrong.
    Mismatch(String),
    /// Neither lines nor anything that the case has written.
    Unobservable,
}

const MOST_HEADER: usize = 3;
const MOST_FOOTER: usize = 3;

/// Reads `text` as the lines `expected`. `known` holds every line that the case has written; `style` is how this
/// handler writes lines, where that is known already. With `cut`, the lines after the expected ones do not matter.
pub fn read(text: &str, expected: &[(u64, &str)], known: &HashSet<&str>, style: Option<&Style>, cut: bool) -> Reading {
    let lines: Vec<&str> = text.split('\n').collect();
    for header in 0..=MOST_HEADER.min(lines.len()) {
        if lines.len() < header + expected.len() {
            break;
        }
        let (body, rest) = lines[header..].split_at(expected.len());
        let Some(separator) = one_style(body, expected, style) else { continue };
        let found = Style { separator, header };
        if expected.is_empty() && header == 0 && !text.trim().is_empty() {
            continue;
        }
        let outside = |line: &&str| is_outside(line, found.separator.as_deref(), known, expected.is_empty());
        let footer_fits = cut || footer(rest, &found, outside);
        if lines[..header].iter().all(outside) && footer_fits {
            return Reading::Match(found);
        }
    }
    if expected.is_empty() && text.trim().is_empty() {
        return Reading::Match(Style { separator: None, header: 0 });
    }
    mismatch(&lines, expected, known, style, cut)
}

/// The separator that all `body` lines share with their numbers, if they are the expected lines.
fn one_style(body: &[&str], expected: &[(u64, &str)], style: Option<&Style>) -> Option<Option<String>> {
    let mut separator: Option<Option<&str>> = None;
    let mut trimmed = false;
    for (line, (number, text)) in body.iter().zip(expected) {
        let found = match line.strip_suffix(text).map(|prefix| separator_in(prefix, *number)) {
            Some(Some(found)) => found,
            _ => return None,
        };
        match (separator, found) {
            (None, found) => separator = Some(found),
            (Some(before), found) if before == found => {}
            // An empty line, whose number stands alone because trailing blanks were cut off.
            (Some(Some(before)), Some(cut)) if text.is_empty() && before.trim_end() == cut => trimmed = true,
            (Some(Some(cut)), Some(later)) if later.trim_end() == cut && !trimmed => {
                separator = Some(Some(later));
                trimmed = true;
            }
            _ => return None,
        }
    }
    let found = separator.flatten();
    if let (Some(Some(usual)), Some(found)) = (style.map(|style| &style.separator), found) {
        let all_empty = expected.iter().all(|(_, text)| text.is_empty());
        if found != usual && !(all_empty && found == usual.trim_end()) {
            return None;
        }
    }
    Some(found.map(str::to_owned))
}

/// Reads what stands before a line's text: nothing (no numbers), or the right number between blanks, an optional
/// bracket or letter, and a separator. The outer `None`: neither.
fn separator_in(prefix: &str, number: u64) -> Option<Option<&str>> {
    if prefix.is_empty() {
        return Some(None);
    }
    let rest = prefix.trim_start_matches([' ', '\t', '[', '(', '|', '#']);
    let rest = rest.strip_prefix(['L', 'l']).unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (found, separator) = rest.split_at(digits);
    let right = found.parse::<u64>().is_ok_and(|found| found == number);
    // Numbers aligned to the left are followed by blanks, as many as they are short.
    let aligned = separator.trim_start_matches(' ');
    let separator = if aligned.is_empty() { separator } else { aligned };
    let plain = separator.chars().count() <= 4 && !separator.chars().any(char::is_alphanumeric);
    (right && plain).then_some(Some(separator))
}

/// Whether a line may stand before or after a file's lines: the case has not written it, and it is not numbered as
/// the lines are.
fn is_outside(line: &str, separator: Option<&str>, known: &HashSet<&str>, no_lines: bool) -> bool {
    if known.contains(line) && !line.is_empty() {
        return false;
    }
    let Some((_, found, text)) = split_number(line) else { return true };
    match separator {
        Some(separator) => !(found == separator || found == separator.trim_end()) || text.len() > 400,
        // Where no line is expected, a numbered one is one too many.
        None => !(no_lines || known.contains(text)),
    }
}

fn footer(rest: &[&str], style: &Style, outside: impl Fn(&&str) -> bool) -> bool {
    if rest.len() > MOST_FOOTER || !rest.iter().all(outside) {
        return false;
    }
    // Without numbers an empty line at the end is a line of the file.
    style.separator.is_some() || rest.is_empty() || !rest.iter().any(|line| line.is_empty())
}

/// Number, separator and text of a numbered line.
pub fn split_number(line: &str) -> Option<(u64, &str, &str)> {
    let rest = line.trim_start_matches([' ', '[', '(', '#']);
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let (number, rest) = rest.split_at(digits);
    let number = number.parse().ok()?;
    let rest = if rest.trim_start_matches(' ').starts_with('\t') { rest.trim_start_matches(' ') } else { rest };
    for separator in ["\t", ": ", ":", " | ", "| ", "|", "] ", ") ", ". ", " - ", " → ", "→", "  "] {
        if let Some(text) = rest.strip_prefix(separator) {
            return Some((number, &rest[..separator.len()], text));
        }
    }
    rest.is_empty().then_some((number, "", ""))
}

fn mismatch(
    lines: &[&str],
    expected: &[(u64, &str)],
    known: &HashSet<&str>,
    style: Option<&Style>,
    cut: bool,
) -> Reading {
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Reading::Mismatch(format!("nothing is shown; {} expected", count(expected.len())));
    }
    let numbered: Vec<(u64, &str)> = lines
        .iter()
        .filter_map(|line| split_number(line))
        .filter(|(_, separator, _)| {
            !separator.is_empty() || style.is_none_or(|style| style.separator.as_deref() == Some(""))
        })
        .map(|(number, _, text)| (number, text))
        .collect();
    let unnumbered = style.is_some_and(|style| style.separator.is_none());
    if !unnumbered && (numbered.len() > 1 || numbered.iter().any(|(_, text)| known.contains(text))) {
        return differ(&numbered, expected, cut);
    }
    let start = match style {
        Some(style) if style.separator.is_none() => style.header.min(lines.len()),
        _ => match lines.iter().position(|line| !line.is_empty() && known.contains(line)) {
            Some(first) => first,
            None if expected.iter().all(|(_, text)| text.trim().is_empty()) => {
                return Reading::Mismatch(format!("{} expected, none found", count(expected.len())));
            }
            None if lines.iter().any(|line| ends_in_known(line, known)) => {
                let shown = lines.iter().find(|line| ends_in_known(line, known)).copied().unwrap_or_default();
                return Reading::Mismatch(format!("a line is shown as {}, without its right number", quote(shown)));
            }
            None if style.is_some() && lines.len() <= 2 => {
                return Reading::Mismatch(format!("no line of the file is shown; {} expected", count(expected.len())));
            }
            None => return Reading::Unobservable,
        },
    };
    let first = expected.first().map_or(1, |(number, _)| *number);
    let shown: Vec<(u64, &str)> = (first..).zip(lines[start..].iter().copied()).collect();
    differ(&shown, expected, cut)
}

/// Whether a line is one that the case has written, behind something that is no right number.
fn ends_in_known(line: &str, known: &HashSet<&str>) -> bool {
    const SHORTEST: usize = 4;
    let starts = line.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, c)| at + c.len_utf8());
    starts.into_iter().any(|at| line.len() - at >= SHORTEST && known.contains(&line[at..]))
}

/// What the first difference is, in words.
fn differ(found: &[(u64, &str)], expected: &[(u64, &str)], cut: bool) -> Reading {
    let enough = if cut { found.len() >= expected.len() } else { found.len() == expected.len() };
    let same_texts = enough && found.iter().zip(expected).all(|(a, b)| a.1 == b.1);
    if let (true, Some(found), Some(expected)) = (same_texts, found.first(), expected.first()) {
        return Reading::Renumbered(format!("the lines are numbered from {}, {} expected", found.0, expected.0));
    }
    Reading::Mismatch(difference(found, expected))
}

fn difference(found: &[(u64, &str)], expected: &[(u64, &str)]) -> String {
    for (at, (number, text)) in expected.iter().enumerate() {
        match found.get(at) {
            None => {
                let missing = expected.len() - at;
                let blank = expected[at..].iter().all(|(_, text)| text.is_empty());
                let what = if blank { "blank line" } else { "line" };
                let end = if missing == 1 { format!("the last {what}") } else { format!("the last {missing} {what}s") };
                return format!("{end} of {} missing", count(expected.len()));
            }
            Some((_, shown)) if shown != text => {
                return format!("line {number} is {}, {} expected", quote(shown), quote(text));
            }
            Some((shown, _)) if shown != number => return format!("line {number} is numbered {shown}"),
            Some(_) => {}
        }
    }
    let extra = found.len().saturating_sub(expected.len());
    match found.get(expected.len()) {
        Some((_, text)) if extra == 1 => format!("one line too many: {}", quote(text)),
        Some((_, text)) => format!("{extra} lines too many, the first is {}", quote(text)),
        None => "the lines differ".into(),
    }
}

fn count(lines: usize) -> String {
    if lines == 1 { "1 line".into() } else { format!("{lines} lines") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: [(u64, &str); 3] = [(1, "alpha"), (2, ""), (3, "  gamma: 3")];
    const KNOWN: [&str; 4] = ["alpha", "", "  gamma: 3", "delta"];

    fn reading(text: &str) -> Reading {
        read(text, &EXPECTED, &KNOWN.into_iter().collect(), None, false)
    }

    #[test]
    fn any_reasonable_wording_is_read() {
        for text in [
            "Here's the content of /memories/a with line numbers:\n     1\talpha\n     2\t\n     3\t  gamma: 3",
            "1: alpha\n2: \n3:   gamma: 3",
            "1|alpha\n2|\n3|  gamma: 3",
            "   1\talpha\n   2\n   3\t  gamma: 3",
            "文件 /memories/a 的内容：\n  1 | alpha\n  2 | \n  3 |   gamma: 3\n（完）",
            "alpha\n\n  gamma: 3",
            "```\nalpha\n\n  gamma: 3\n```",
            "[1] alpha\n[2] \n[3]   gamma: 3",
            "1     \talpha\n2     \t\n3     \t  gamma: 3",
            "/memories/a (3 lines)\n\n1\talpha\n2\t\n3\t  gamma: 3\n\n[end of file]",
        ] {
            assert!(matches!(reading(text), Reading::Match(_)), "{text}: {:?}", reading(text));
        }
    }

    #[test]
    fn a_wrong_line_is_never_read_as_right() {
        for (text, why) in [
            ("     1\talpha\n     2\t\n     3\tgamma: 3", "line 3 is"),
            ("     0\talpha\n     1\t\n     2\t  gamma: 3", "numbered from 0, 1 expected"),
            ("     1\talpha\n     2\t", "the last line of 3 lines missing"),
            ("     1\talpha\n     2\t\n     3\t  gamma: 3\n     4\tdelta", "one line too many"),
            ("     1\talpha\n     2\t\n     3\t  gamma: 3\n     4\t", "one line too many"),
            ("     1\tdelta\n     2\talpha\n     3\t\n     4\t  gamma: 3", "line 1 is"),
            ("delta\nalpha\n\n  gamma: 3", "line 1 is"),
            ("alpha\n\n  gamma: 3\n", "one line too many"),
            ("header\nalpha\n  gamma: 3", "line 2 is"),
        ] {
            match reading(text) {
                Reading::Mismatch(message) | Reading::Renumbered(message) => {
                    assert!(message.contains(why), "{text}: {message}")
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn leading_blanks_need_the_usual_separator() {
        let known = [" x"].into_iter().collect();
        assert!(matches!(read("1: x", &[(1, " x")], &known, None, false), Reading::Match(_)));
        let style = Style { separator: Some(": ".into()), header: 0 };
        assert!(matches!(read("1: x", &[(1, " x")], &known, Some(&style), false), Reading::Mismatch(_)));
    }

    #[test]
    fn what_shows_nothing_of_the_file_is_not_judged() {
        assert_eq!(reading("ok"), Reading::Unobservable);
        assert_eq!(reading("{\"content\": \"YWxwaGE=\"}"), Reading::Unobservable);
    }

    #[test]
    fn no_lines_are_no_lines() {
        let none = |text| read(text, &[], &KNOWN.into_iter().collect(), None, false);
        for text in
            ["", "Here's the content of /memories/a with line numbers:", "Here's the content:\n", "(empty file)"]
        {
            assert!(matches!(none(text), Reading::Match(_)), "{text}");
        }
        for text in ["     1\talpha", "alpha", "     1\t", "header\n     1\tdelta"] {
            assert!(!matches!(none(text), Reading::Match(_)), "{text}");
        }
    }
}
