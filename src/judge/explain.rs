//! Why a text is not the expected one, in the words of the template instead of a raw diff.

use super::lines::split_number;
use super::shape::Shape;
use super::text::quote;

/// Why a text differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The same for all differences of one kind, so that they can be shown together.
    pub cause: String,
    /// The difference at hand.
    pub message: String,
}

impl Reason {
    fn plain(message: impl Into<String>) -> Reason {
        let message = message.into();
        Reason { cause: message.clone(), message }
    }
}

/// Why `actual` is not `expected`, a text of the `docs` dialect. `key` is the name of the message in the dialects.
pub fn wording(expected: &str, actual: &str, shape: &Shape<'_>, key: Option<&str>, prefix: bool) -> Reason {
    let known = match shape {
        Shape::Lines(_) => lines(expected, actual),
        Shape::Listing(_) => listing(expected, actual),
        Shape::Done => None,
    };
    known.or_else(|| small(expected, actual, prefix)).unwrap_or_else(|| {
        let cause = key.map_or_else(|| "another text".to_owned(), |key| format!("another text for {key}"));
        Reason { cause, message: format!("the text is {}, {} expected", quote(actual), quote(expected)) }
    })
}

/// The difference between two texts, where a few words describe it completely.
pub fn difference(expected: &str, actual: &str) -> Option<String> {
    small(expected, actual, false).map(|reason| reason.message)
}

/// Differences that a few words describe completely.
fn small(expected: &str, actual: &str, prefix: bool) -> Option<Reason> {
    const ERROR: &str = "Error: ";
    let same = |actual: &str, expected: &str| if prefix { actual.starts_with(expected) } else { actual == expected };
    if expected.strip_prefix(ERROR).is_some_and(|expected| same(actual, expected)) {
        return Some(Reason::plain("prefix \"Error: \" missing"));
    }
    if actual.strip_prefix(ERROR).is_some_and(|actual| same(actual, expected)) {
        return Some(Reason::plain("prefix \"Error: \" added"));
    }
    if let Some(rest) = actual.strip_prefix(expected) {
        return match rest {
            "\n" => Some(Reason::plain("trailing newline added")),
            "." => Some(Reason::plain("final full stop added")),
            rest if rest.chars().all(char::is_whitespace) => Some(Reason::plain("trailing white space added")),
            rest => Some(Reason {
                cause: "the text goes on".into(),
                message: format!("the text goes on with {}", quote(rest)),
            }),
        };
    }
    match expected.strip_prefix(actual)? {
        _ if actual.is_empty() => Some(Reason::plain("the text is empty")),
        "\n" => Some(Reason::plain("trailing newline missing")),
        "." => Some(Reason::plain("final full stop missing")),
        rest => Some(Reason {
            cause: "the text ends early".into(),
            message: format!("the end of the text is missing: {}", quote(rest)),
        }),
    }
}

fn lines(expected: &str, actual: &str) -> Option<Reason> {
    let (header, body) = expected.split_once('\n').map_or((expected, None), |(header, body)| (header, Some(body)));
    let first = body.and_then(|body| body.split('\n').next());
    let (_, _, text) = first.and_then(split_number)?;
    let mut before = 0;
    let mut found = None;
    for line in actual.split('\n') {
        if let Some((_, separator, shown)) = split_number(line).filter(|(_, _, shown)| *shown == text) {
            found = Some((line, separator, shown));
            break;
        }
        if line == text && !text.is_empty() {
            return Some(Reason::plain("the lines are not numbered"));
        }
        before += 1;
    }
    let (line, separator, shown) = found?;
    let shown_header = actual.split('\n').next().unwrap_or_default();
    if before == 0 {
        return Some(Reason::plain("the header line is missing"));
    }
    if shown_header != header {
        let message = format!("the header is {}, {} expected", quote(shown_header), quote(header));
        return Some(Reason { cause: "another header for a file".into(), message });
    }
    let width = line.len() - separator.len() - shown.len();
    if separator != "\t" {
        return Some(Reason::plain(format!("{} stands after the line number, TAB expected", quote(separator))));
    }
    if width != 6 {
        let padded = if line.starts_with(' ') { "" } else { ", without padding" };
        return Some(Reason {
            cause: "line numbers are not 6 wide".into(),
            message: format!("line number is {width} wide{padded}, 6 expected"),
        });
    }
    if actual.trim_end_matches('\n') == expected.trim_end_matches('\n') && actual.len() > expected.len() {
        return Some(Reason::plain("trailing newline added"));
    }
    None
}

fn listing(expected: &str, actual: &str) -> Option<Reason> {
    let header = expected.split('\n').next().unwrap_or_default();
    let mut lines = actual.split('\n');
    let shown = lines.next().unwrap_or_default();
    if shown.contains('\t') || shown.starts_with("/memories") {
        return Some(Reason::plain("the header of the listing is missing"));
    }
    if shown != header {
        let message = format!("the header is {}, {} expected", quote(shown), quote(header));
        return Some(Reason { cause: "another header for a directory".into(), message });
    }
    let rows: Vec<&str> = lines.collect();
    let Some(first) = rows.first() else { return Some(Reason::plain("the row of the viewed directory is missing")) };
    for row in &rows {
        match row.split_once('\t') {
            None if row.is_empty() => return Some(Reason::plain("trailing newline added")),
            None => {
                let message = format!("a row is {}, `size` TAB `path` expected", quote(row));
                return Some(Reason { cause: "rows are not size TAB path".into(), message });
            }
            Some((size, path)) if !is_size(size) => {
                let message =
                    format!("the size of {path} is {}; a number with a unit such as `1.5K` is expected", quote(size));
                return Some(Reason { cause: "sizes are not of the form 1.5K".into(), message });
            }
            Some(_) => {}
        }
    }
    for line in expected.split('\n').skip(1) {
        let bytes = line.strip_prefix("{size:").and_then(|rest| rest.split_once("}\t"));
        let Some((bytes, path)) = bytes.and_then(|(bytes, path)| Some((bytes.parse::<u64>().ok()?, path))) else {
            continue;
        };
        let shown = rows.iter().filter_map(|row| row.split_once('\t')).find(|(_, shown)| *shown == path);
        if let Some((size, _)) = shown.filter(|(size, _)| !size_is(size, bytes)) {
            let message = format!("the size of {path} is {}, but it has {bytes} bytes", quote(size));
            return Some(Reason { cause: "sizes are wrong".into(), message });
        }
    }
    let directory = expected.split('\n').nth(1).and_then(|row| row.split_once('\t')).map(|(_, path)| path);
    if directory.is_some()
        && first.split_once('\t').map(|(_, path)| path.trim_end_matches('/'))
            != directory.map(|path| path.trim_end_matches('/'))
    {
        return Some(Reason::plain("the row of the viewed directory is not the first"));
    }
    let message = format!("the listing is {}, {} expected", quote(actual), quote(expected));
    Some(Reason { cause: "another listing".into(), message })
}

/// Whether a text is a number with at most one decimal and a unit: `0B`, `4K`, `4.0K`.
pub fn is_size(text: &str) -> bool {
    number_and_unit(text).is_some()
}

/// Whether a size is `bytes`, within rounding, 1024- or 1000-based.
pub fn size_is(text: &str, bytes: u64) -> bool {
    let Some((number, unit)) = number_and_unit(text) else { return false };
    [1024f64, 1000.0].into_iter().any(|base| {
        let exact = bytes as f64 / base.powi(unit);
        // One decimal may be rounded either way, none may be rounded up to the next whole unit.
        (number - exact).abs() <= if number.fract() == 0.0 && unit > 0 { 1.0 } else { 0.1 }
            && (unit > 0 || number == exact)
    })
}

fn number_and_unit(text: &str) -> Option<(f64, i32)> {
    let unit = "BKMGT".find(text.chars().last()?)?;
    let number = &text[..text.len() - 1];
    let (whole, decimal) = number.split_once('.').map_or((number, None), |(whole, decimal)| (whole, Some(decimal)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits(whole) && decimal.is_none_or(|decimal| decimal.len() == 1 && digits(decimal));
    plain.then(|| number.parse().ok()).flatten().map(|number| (number, unit as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(expected: &str, actual: &str, shape: &Shape<'_>) -> String {
        wording(expected, actual, shape, None, false).message
    }

    #[test]
    fn differences_are_told_in_words() {
        let done = Shape::Done;
        assert_eq!(message("Error: x", "x", &done), "prefix \"Error: \" missing");
        assert_eq!(message("x", "Error: x", &done), "prefix \"Error: \" added");
        assert_eq!(message("x", "x\n", &done), "trailing newline added");
        assert_eq!(message("x.", "x", &done), "final full stop missing");
        assert_eq!(message("x", "y\t", &done), "the text is `y\\t`, `x` expected");
        let lines = Shape::Lines(vec![(1, "a")]);
        let header = "Here's the content of /memories/a with line numbers:";
        let expected = format!("{header}\n     1\ta");
        let of = |actual: String| message(&expected, &actual, &lines);
        assert_eq!(of(format!("{header}\n   1\ta")), "line number is 4 wide, 6 expected");
        assert_eq!(of(format!("{header}\n1\ta")), "line number is 1 wide, without padding, 6 expected");
        assert_eq!(of(format!("{header}\n     1: a")), "`: ` stands after the line number, TAB expected");
        assert_eq!(of("     1\ta".into()), "the header line is missing");
        assert_eq!(of(format!("{header}\na")), "the lines are not numbered");
        assert!(of("File:\n     1\ta".into()).starts_with("the header is `File:`"));
        assert_eq!(of(format!("{expected}\n")), "trailing newline added");
    }

    #[test]
    fn sizes_are_understood() {
        for size in ["0B", "4K", "4.0K", "1.5M"] {
            assert!(is_size(size), "{size}");
        }
        for size in ["4", "4.00K", "K", ".5K", "4 K", "4k", "1undefined"] {
            assert!(!is_size(size), "{size}");
        }
        assert!(size_is("1.5K", 1536) && size_is("1.5K", 1500) && size_is("2K", 1536) && size_is("0B", 0));
        assert!(!size_is("1.5K", 2048) && !size_is("1B", 2) && !size_is("4K", 100));
    }
}
