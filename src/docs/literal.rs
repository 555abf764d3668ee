//! Literals in code: JSON, and what pages write in its stead: comments, trailing commas, `...`, and the dictionaries
//! and objects of Python and JavaScript. Values that are not literals are kept as [`Node::Elided`].

use serde_json::{Map, Number, Value};

/// A value, and where in the code it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The byte in the code.
    pub at: usize,
    /// The value.
    pub node: Node,
}

/// What a literal is.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A string.
    Text(String),
    /// A number.
    Number(Number),
    /// `true`, `True`, ...
    Bool(bool),
    /// `null`, `None`, ...
    Null,
    /// A list; something was left out where the flag is set.
    List(Vec<Literal>, bool),
    /// An object; something was left out where the flag is set.
    Object(Vec<(String, Literal)>, bool),
    /// Something that cannot be read from the page: a variable, an expression, `...`.
    Elided,
}

impl Literal {
    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Literal> {
        match &self.node {
            Node::Object(members, _) => members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same as JSON; `None` where a part of it was left out.
    pub fn value(&self) -> Option<Value> {
        Some(match &self.node {
            Node::Text(text) => Value::String(text.clone()),
            Node::Number(number) => Value::Number(number.clone()),
            Node::Bool(value) => Value::Bool(*value),
            Node::Null => Value::Null,
            Node::List(items, false) => Value::Array(items.iter().map(Literal::value).collect::<Option<_>>()?),
            Node::Object(members, false) => {
                let members = members.iter().map(|(key, value)| Some((key.clone(), value.value()?)));
                Value::Object(members.collect::<Option<Map<_, _>>>()?)
            }
            Node::List(..) | Node::Object(..) | Node::Elided => return None,
        })
    }
}

/// How deep a literal may be nested.
const DEEPEST: usize = 48;

/// The objects and lists in a piece of code, outermost only, in order. `work` is how many bytes may still be looked
/// at, so that no page takes long; nothing more is found when it is used up.
pub fn literals(code: &str, work: &mut usize) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = code[at..].find(['{', '[']) {
        at += next;
        let mut parser = Parser { code, at, work };
        match parser.value(0) {
            Some(literal) => {
                at = parser.at.max(at + 1);
                found.push(literal);
            }
            None if *work == 0 => break,
            None => at += 1,
        }
    }
    found
}

struct Parser<'a, 'w> {
    code: &'a str,
    at: usize,
    work: &'w mut usize,
}

impl<'a> Parser<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.code[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on by some bytes.
    fn go(&mut self, bytes: usize) -> Option<()> {
        *self.work = self.work.saturating_sub(bytes.max(1));
        self.at += bytes;
        (*self.work > 0).then_some(())
    }

    fn takes(&mut self, text: &str) -> bool {
        let takes = self.rest().starts_with(text);
        if takes {
            self.at += text.len();
        }
        takes
    }

    /// White space and comments. A comment that is `...` alone leaves something out.
    fn blank(&mut self) -> Option<bool> {
        let mut elided = false;
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            if trimmed.len() < rest.len() {
                self.go(rest.len() - trimmed.len())?;
                continue;
            }
            let comment = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/")? + 2
            } else {
                return Some(elided);
            };
            let text = rest[..comment].trim_matches(['/', '*', '#', ' ', '\r']);
            elided |= text.starts_with("...") || text.starts_with('…');
            self.go(comment)?;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        self.blank()?;
        let at = self.at;
        if depth > DEEPEST {
            return None;
        }
        let node = match self.peek()? {
            '{' => self.object(depth)?,
            '[' => self.list(depth)?,
            _ => self.scalar()?,
        };
        Some(Literal { at, node })
    }

    fn object(&mut self, depth: usize) -> Option<Node> {
        self.go(1)?;
        let (mut members, mut elided) = (Vec::new(), false);
        loop {
            elided |= self.blank()?;
            if self.takes("}") {
                return Some(Node::Object(members, elided));
            }
            if self.elision() {
                elided = true;
                self.skip_expression()?;
            } else {
                let key = self.key()?;
                self.blank()?;
                if self.takes(":") {
                    let value = self.value(depth + 1)?;
                    let value = self.unless_expression(value)?;
                    members.push((key, value));
                } else if matches!(self.peek()?, ',' | '}') {
                    members.push((key, Literal { at: self.at, node: Node::Elided }));
                } else {
                    return None;
                }
            }
            elided |= self.blank()?;
            if !self.takes(",") && self.peek()? != '}' && !self.at_elision() {
                return None;
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        self.go(1)?;
        let (mut items, mut elided) = (Vec::new(), false);
        loop {
            elided |= self.blank()?;
            if self.takes("]") {
                return Some(Node::List(items, elided));
            }
            if self.elision() {
                elided = true;
                self.skip_expression()?;
            } else {
                let item = self.value(depth + 1)?;
                items.push(self.unless_expression(item)?);
            }
            elided |= self.blank()?;
            if !self.takes(",") && self.peek()? != ']' && !self.at_elision() {
                return None;
            }
        }
    }

    fn at_elision(&self) -> bool {
        ["...", "…", "**"].iter().any(|mark| self.rest().starts_with(mark))
    }

    fn elision(&mut self) -> bool {
        self.takes("...") || self.takes("…") || self.takes("**")
    }

    fn key(&mut self) -> Option<String> {
        let c = self.peek()?;
        if matches!(c, '"' | '\'') {
            return self.quoted();
        }
        let end = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        self.go(end)?;
        (!word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit())).then(|| word.to_owned())
    }

    fn scalar(&mut self) -> Option<Node> {
        let rest = self.rest();
        if rest.starts_with(['"', '\'', '`']) {
            return self.quoted().map(Node::Text);
        }
        // Strings with a prefix: f"...", rb'...'
        let prefix = rest.bytes().take_while(|byte| b"fFrRbBuU".contains(byte)).count();
        if (1..=2).contains(&prefix) && rest[prefix..].starts_with(['"', '\'']) {
            self.go(prefix)?;
            return self.quoted().map(Node::Text);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_+-.".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let node = match word {
            "true" | "True" => Node::Bool(true),
            "false" | "False" => Node::Bool(false),
            "null" | "None" | "nil" | "undefined" => Node::Null,
            word => match serde_json::from_str::<Number>(word) {
                Ok(number) => Node::Number(number),
                Err(_) => Node::Elided,
            },
        };
        if node == Node::Elided {
            self.skip_expression()?;
        } else {
            self.go(end)?;
        }
        Some(node)
    }

    /// A value that goes on as an expression is none that can be read.
    fn unless_expression(&mut self, literal: Literal) -> Option<Literal> {
        self.blank()?;
        if matches!(self.peek()?, ',' | '}' | ']') || self.at_elision() {
            return Some(literal);
        }
        self.skip_expression()?;
        Some(Literal { at: literal.at, node: Node::Elided })
    }

    /// Goes to the comma or the bracket that ends an expression.
    fn skip_expression(&mut self) -> Option<()> {
        let mut open = 0;
        loop {
            match self.peek()? {
                '"' | '\'' | '`' => {
                    self.quoted()?;
                    continue;
                }
                ',' if open == 0 => return Some(()),
                '}' | ']' | ')' if open == 0 => return Some(()),
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                // An entry of a list or an object may stand without a comma after `...` alone.
                '\n' if open == 0 => return Some(()),
                ';' => return None,
                _ => {}
            }
            self.go(self.peek()?.len_utf8())?;
        }
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = self.peek()?;
        let triple = quote.to_string().repeat(3);
        let end = if quote != '`' && self.rest().starts_with(&triple) { triple } else { quote.to_string() };
        self.go(end.len())?;
        let mut text = String::new();
        loop {
            if self.takes(&end) {
                return Some(text);
            }
            let c = self.peek()?;
            self.go(c.len_utf8())?;
            match c {
                '\\' => self.escape(&mut text)?,
                '\n' if quote == '\'' && end.len() == 1 => return None,
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let c = self.peek()?;
        self.go(c.len_utf8())?;
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            '\n' => {}
            'u' => {
                let first = self.hex()?;
                let second = (0xd800..0xdc00).contains(&first) && self.takes("\\u");
                let code =
                    if second { 0x10000 + ((first - 0xd800) << 10) + self.hex()?.checked_sub(0xdc00)? } else { first };
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            '"' | '\'' | '`' | '\\' | '/' => text.push(c),
            c => text.extend(['\\', c]),
        }
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.go(4)?;
        Some(code)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn one(code: &str) -> Literal {
        let mut found = literals(code, &mut 1_000_000);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn json_and_what_pages_make_of_it() {
        let json = r#"{"a": [1, -2.5, true, null, "x\n\t\u00e9\ud83d\ude00\"\\"], "b": {}}"#;
        assert_eq!(one(json).value(), Some(serde_json::from_str(json).unwrap()));
        let loose = "{\n  // a comment\n  'a': 1, /* b */\n  \"view_range\": [1, 10], // Optional\n  c: True,\n}";
        assert_eq!(one(loose).value(), Some(json!({"a": 1, "view_range": [1, 10], "c": true})));
    }

    #[test]
    fn what_is_left_out_is_known_to_be() {
        for code in
            ["{\"a\": 1, ...}", "{\"a\": 1,\n ...\n}", "{\"a\": 1, // ...\n}", "{\"a\": 1, **rest}", "{...x, a: 1}"]
        {
            let Node::Object(members, elided) = one(code).node else { panic!() };
            assert!(elided && members.len() == 1, "{code}: {members:?}");
        }
        let dict = one("{\"id\": block.id, \"f\": f(1, {2}), \"s\": \"a\" + b, \"t\": f\"x {y}\", short}");
        assert_eq!(dict.get("id").unwrap().node, Node::Elided);
        assert_eq!(dict.get("s").unwrap().node, Node::Elided);
        assert_eq!(dict.get("t").unwrap().text(), Some("x {y}"));
        assert_eq!(dict.get("short").unwrap().node, Node::Elided);
        assert_eq!(one("[...]").node, Node::List(vec![], true));
    }

    #[test]
    fn programs_are_passed_over() {
        let code = "function f(a) { if (a) { return {\"command\": \"view\"}; } }\nx = [i for i in y]";
        let found = literals(code, &mut 1_000_000);
        assert!(
            found.iter().any(|literal| literal.get("command").and_then(Literal::text) == Some("view")),
            "{found:?}"
        );
    }

    #[test]
    fn no_page_takes_long() {
        let mut work = 1_000_000;
        literals(&"[1,".repeat(100_000), &mut work);
        literals(&"{a:".repeat(100_000), &mut work);
        assert!(literals("{}", &mut 0).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_panics(code in "[\\[\\]{}:,\"'`\\\\ua1.\\-/*# \nfé…]{0,60}") {
            let mut work = 10_000;
            literals(&code, &mut work);
        }
    }
}
