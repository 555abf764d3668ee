//! Words of result texts: placeholders, paths, numbers; how alike two texts are.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::judge::Template;
use crate::wire::ROOT;

/// Whether a text is a placeholder and nothing else: `{path}`, `<path>`, `$path`, `[path]`, `%s`, `PATH`, `...`.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    placeholder_length(text).is_some_and(|length| length == text.len())
        || matches!(text, "string" | "int" | "integer" | "number" | "array" | "text" | "…" | "...")
        || !text.is_empty()
            && text.len() <= 24
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            && text.len() > 1
}

/// How long the placeholder is that a text begins with.
pub fn placeholder_length(text: &str) -> Option<usize> {
    const LONGEST: usize = 60;
    for dots in ["...", "…", "%s", "%d"] {
        if text.starts_with(dots) {
            return Some(dots.len());
        }
    }
    let (open, close) = match text.chars().next()? {
        '\\' if text.starts_with("\\{") => ("\\{", "}"),
        '{' if text.starts_with("{{") => ("{{", "}}"),
        '{' => ("{", "}"),
        '$' if text.starts_with("${") => ("${", "}"),
        '<' => ("<", ">"),
        '[' => ("[", "]"),
        '$' => {
            let word = text[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            return (word > 0 && !text.as_bytes()[1].is_ascii_digit()).then_some(word + 1);
        }
        _ => return None,
    };
    let end = (0..=text.len().min(LONGEST + 4)).rev().find(|at| text.is_char_boundary(*at))?;
    let inner = text.get(open.len()..end)?.find(close).filter(|length| *length > 0)?;
    let word = text[open.len()..][..inner].trim();
    let fits = word.chars().all(|c| c.is_alphanumeric() || " _-.:/\\'()?".contains(c));
    let begins = word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.');
    (fits && begins).then_some(open.len() + inner + close.len())
}

/// What stands in a text where a template has holes.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Paths, and placeholders outside backticks.
    pub paths: Vec<String>,
    /// Numbers.
    pub numbers: Vec<String>,
    /// What stands between backticks.
    pub quoted: Vec<String>,
    /// All of these, in the order of the text.
    pub all: Vec<String>,
}

impl Arguments {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// A mark for an argument.
const HOLE: char = '\u{1}';

/// A text with its arguments taken out.
pub fn skeleton(text: &str) -> (String, Arguments) {
    let (mut out, mut arguments) = (String::new(), Arguments::default());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let before_is_word = out.chars().next_back().is_some_and(char::is_alphanumeric);
        if c == '`'
            && let Some(length) = rest[1..].find('`')
        {
            let inner = &rest[1..][..length];
            out.push('`');
            match inner {
                "insert_line" | "view_range" | "old_str" => out.push_str(inner),
                inner if inner.starts_with(ROOT) => {
                    arguments.paths.push(inner.to_owned());
                    arguments.all.push(inner.to_owned());
                    out.push(HOLE);
                }
                inner => {
                    arguments.quoted.push(inner.to_owned());
                    arguments.all.push(inner.to_owned());
                    out.push(HOLE);
                }
            }
            out.push('`');
            rest = &rest[length + 2..];
            continue;
        }
        let placeholder = placeholder_length(rest).filter(|_| !before_is_word || c == '{');
        if let Some(length) = placeholder {
            // `{path}/{name}` and `/memories/<name>` are one argument.
            let end = length + path_length(&rest[length..]);
            arguments.paths.push(rest[..end].to_owned());
            arguments.all.push(rest[..end].to_owned());
            out.push(HOLE);
            rest = &rest[end..];
            continue;
        }
        if (c == '/' || (c == '.' && rest.starts_with("./"))) && !before_is_word {
            let end = path_length(rest).max(1);
            if end > 1 {
                arguments.paths.push(rest[..end].to_owned());
                arguments.all.push(rest[..end].to_owned());
                out.push(HOLE);
                rest = &rest[end..];
                continue;
            }
        }
        if c.is_ascii_digit() && !before_is_word {
            let end = rest.bytes().take_while(u8::is_ascii_digit).count();
            // The limit of lines is part of the text.
            if !rest.starts_with("999,999") && !out.ends_with("999,") {
                arguments.numbers.push(rest[..end].to_owned());
                arguments.all.push(rest[..end].to_owned());
                out.push(HOLE);
                rest = &rest[end..];
                continue;
            }
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    (out, arguments)
}

/// How long the path is that a text begins with: without the stop, comma or quotation mark behind it.
fn path_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        if let Some(length) = placeholder_length(&text[end..]).filter(|_| text[end..].starts_with(['{', '<', '$'])) {
            end += length;
            continue;
        }
        if c.is_whitespace() || "\"'`,;()<>{}|".contains(c) || end == 0 && c != '/' && c != '.' {
            break;
        }
        end += c.len_utf8();
    }
    text[..end].trim_end_matches(['.', ':', '!']).len()
}

/// Whether a value can stand where a template has a path: a path of the store, or a placeholder.
pub fn is_path(value: &str) -> bool {
    let (skeleton, arguments) = skeleton(value);
    let one = skeleton.chars().eq([HOLE]) && arguments.paths.len() == 1;
    if value == ROOT || value.starts_with(&format!("{ROOT}/")) {
        return !value.contains(['\n', '\'', '"', '`']) && !value.ends_with(['.', '!', ',', ';', ':', ' ']);
    }
    one && placeholder_length(value).is_some()
}

/// A skeleton, ready to be held against others.
#[derive(Debug)]
pub struct Shape {
    /// The skeleton.
    pub skeleton: String,
    lower: String,
    words: BTreeSet<String>,
}

impl Shape {
    /// Of a skeleton.
    pub fn new(skeleton: String) -> Self {
        let lower = skeleton.to_lowercase();
        let words =
            lower.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').filter(|word| !word.is_empty());
        let words = words.map(str::to_owned).collect();
        Shape { skeleton, lower, words }
    }

    /// Of the first line of a template. The templates are few, and each is held against every text: they are kept.
    pub fn of_template(template: &Template) -> Rc<Shape> {
        thread_local!(static KEPT: RefCell<HashMap<String, Rc<Shape>>> = RefCell::default());
        let display = template.to_string();
        KEPT.with_borrow_mut(|kept| match kept.get(&display) {
            Some(shape) => Rc::clone(shape),
            None => {
                let line = display.split('\n').next().unwrap_or_default();
                let shape = Rc::new(Shape::new(skeleton(line).0));
                kept.insert(display, Rc::clone(&shape));
                shape
            }
        })
    }

    /// How alike two skeletons are, from 0 to 1: letter by letter, or by their words in any order.
    pub fn likeness(&self, other: &Shape) -> f64 {
        const LONGEST: usize = 400;
        let both = self.words.intersection(&other.words).count() as f64;
        let shared = 2.0 * both / ((self.words.len() + other.words.len()) as f64).max(1.0);
        if shared < 0.5 || self.lower.len() > LONGEST {
            return shared * 0.9;
        }
        strsim::normalized_levenshtein(&self.lower, &other.lower).max(shared * 0.95)
    }
}

/// Whether a line leaves something out: `...`, `[...]`, `# ...`, `... 10 more lines`.
pub fn is_elision(line: &str) -> bool {
    let text = line.trim().trim_start_matches(['#', '/', '*', '(', '[', '<', '-', ' ', '\t', '→']);
    let is_dots = text.starts_with("...") || text.starts_with('…') || text.starts_with("⋮");
    is_dots || matches!(line.trim(), ":" | "." | "(more lines)")
}

/// The ways in which plain text writes a TAB.
pub const TABS: [&str; 8] = ["\t", "→", "\\t", "{tab}", "<TAB>", "<tab>", "[TAB]", "␉"];

/// Takes the TAB off that a text begins with, in any writing; only a real one where `exact`.
pub fn strip_tab(text: &str, exact: bool) -> Option<&str> {
    let writings = if exact { &TABS[..1] } else { &TABS[..] };
    writings.iter().find_map(|tab| text.strip_prefix(tab))
}

/// A text with every writing of a TAB as a real one.
pub fn with_tabs(text: &str) -> String {
    TABS[1..].iter().fold(text.to_owned(), |text, tab| text.replace(tab, "\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        for text in
            ["{path}", "<path>", "$path", "${path}", "[path]", "{{path}}", "%s", "PATH", "\\{old_str}", "{x.y}", "..."]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "path", "/memories", "[0, 3]", "a {b}", "{}", "$5", "<", "{a} {b}"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn arguments_are_taken_out() {
        let (text, arguments) = skeleton("Error: The path /memories/a.txt does not exist.");
        assert_eq!(text, "Error: The path \u{1} does not exist.");
        assert_eq!(arguments.paths, ["/memories/a.txt"]);
        let (text, arguments) = skeleton("Error: Invalid `insert_line` parameter: 7. In [0, {n}], old_str `x y`");
        assert_eq!(text, "Error: Invalid `insert_line` parameter: \u{1}. In [\u{1}, \u{1}], old_str `\u{1}`");
        assert_eq!(
            (arguments.numbers, arguments.paths, arguments.quoted),
            (vec!["7".into(), "0".into()], vec!["{n}".into()], vec!["x y".into()])
        );
        assert_eq!(skeleton("at: /memories/{user}/<file>.md").1.paths, ["/memories/{user}/<file>.md"]);
    }

    #[test]
    fn likeness_sees_words_in_another_order() {
        let likeness = |a: &str, b: &str| Shape::new(a.into()).likeness(&Shape::new(b.into()));
        assert!(likeness("File successfully created at: \u{1}", "File created successfully at: \u{1}") > 0.9);
        assert!(likeness("file does not exist", "Error: The path \u{1} does not exist") < 0.7);
    }

    #[test]
    fn what_can_be_a_path() {
        for text in ["/memories", "/memories/a b.txt", "{path}", "<path>", "{path}/{name}"] {
            assert!(is_path(text), "{text}");
        }
        for text in ["/repo/a", "'/memories/a'", "a", "/memories/a."] {
            assert!(!is_path(text), "{text}");
        }
    }
}
