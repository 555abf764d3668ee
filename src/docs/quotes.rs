//! Texts that are quoted in running text: in code spans and in quotation marks.

use super::page::Prose;

/// What is quoted, without the marks, and where it begins. A quotation holds the code spans in it, with backticks.
pub fn quotes(prose: &Prose) -> Vec<(String, usize)> {
    let text = &prose.text;
    let mut found: Vec<(std::ops::Range<usize>, bool)> = Vec::new();
    let code_at = |at: usize| {
        let before = prose.codes.partition_point(|code| code.start <= at);
        before.checked_sub(1).map(|index| &prose.codes[index]).filter(|code| code.contains(&at))
    };
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        if code_at(at).is_some() {
            continue;
        }
        match open {
            Some((start, close)) if c == close => {
                found.push((start..at, false));
                open = None;
            }
            Some(_) => {}
            None => {
                let close = match c {
                    '"' => '"',
                    '“' | '„' => '”',
                    '«' => '»',
                    '「' => '」',
                    _ => continue,
                };
                open = Some((at + c.len_utf8(), close));
            }
        }
    }
    let quoted = found.clone();
    let alone = |code: &&std::ops::Range<usize>| {
        let before = quoted.partition_point(|(quote, _)| quote.start <= code.start);
        before.checked_sub(1).is_none_or(|index| !quoted[index].0.contains(&code.start))
    };
    found.extend(prose.codes.iter().filter(alone).map(|code| (code.clone(), true)));
    found.sort_by_key(|(range, _)| range.start);
    let texts = found.into_iter().filter_map(|(range, is_code)| {
        let inner = text[range.clone()].trim();
        // A quotation that is one code span is that span; marks inside a span belong to the page, too.
        let first = prose.codes.get(prose.codes.partition_point(|code| code.start < range.start));
        let whole = first.filter(|code| !is_code && inner.len() == code.len() + 2 && range.contains(&code.start));
        let inner = whole.map_or(inner, |code| &text[code.clone()]);
        let inner = unquoted(inner.trim());
        (!inner.is_empty()).then(|| (inner.to_owned(), range.start))
    });
    texts.collect()
}

/// Without the quotation marks around it.
fn unquoted(text: &str) -> &str {
    for (open, close) in [('"', '"'), ('\'', '\''), ('“', '”')] {
        if let Some(inner) = text.strip_prefix(open).and_then(|text| text.strip_suffix(close)) {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::page::{Piece, read};
    use super::*;

    fn of(page: &str) -> Vec<String> {
        let pieces = read(page);
        let [Piece::Prose(prose)] = pieces.as_slice() else { panic!("{pieces:?}") };
        quotes(prose).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn quotations_and_code_spans() {
        assert_eq!(of("a `b` \"c\" “d `e` f” \"`g`\" `\"h\"` ``\"i `j`\"``"), ["b", "c", "d `e` f", "g", "h", "i `j`"]);
        assert_eq!(of("say \"the <path> is\" and 5\" more"), ["the <path> is"]);
    }
}
