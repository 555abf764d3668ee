//! Texts for people: invisible characters shown, long texts cut.

/// A text in quotes, on one line, with what cannot be seen written out, cut to about 100 characters.
pub fn quote(text: &str) -> String {
    const MOST: usize = 100;
    let mut shown = String::from("`");
    let mut characters = text.chars();
    for c in characters.by_ref().take(MOST) {
        push_visible(&mut shown, c);
    }
    let rest = characters.count();
    if rest > 0 {
        shown.push_str(&format!("... ({rest} more characters)"));
    }
    shown.push('`');
    shown
}

/// A text that is kept with a result: cut where it is very long.
pub fn cut(text: &str) -> String {
    const LONGEST: usize = 100_000;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}\n... ({} more bytes)", &text[..end], text.len() - end)
}

/// A text in which everything that cannot be seen is written out, except line feeds: no control character is left
/// that XML or a terminal would not take, or would not show.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push(c),
            // Not characters at all, and not allowed in XML.
            '\u{fffe}' | '\u{ffff}' => shown.extend(c.escape_unicode()),
            c => push_visible(&mut shown, c),
        }
    }
    shown
}

/// Appends a character, written out where it cannot be seen: `\n`, `\t`, `\u{85}`.
pub fn push_visible(shown: &mut String, c: char) {
    match c {
        '\n' | '\t' | '\r' | '\0' => shown.extend(c.escape_default()),
        c if c.is_control() || is_invisible(c) => shown.extend(c.escape_unicode()),
        c => shown.push(c),
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{a0}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_invisible_is_seen() {
        assert_eq!(quote("a\tb\r\n\u{feff}\u{2028}\u{7}é"), "`a\\tb\\r\\n\\u{feff}\\u{2028}\\u{7}é`");
        assert!(quote(&"x".repeat(1000)).ends_with("... (900 more characters)`"));
    }
}
