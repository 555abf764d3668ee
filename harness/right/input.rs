//! How inputs are taken.

use serde_json::Value;

use super::say::Say;

/// How strictly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Types must be right; unknown fields do not matter; a null where a field is optional is as if it were left out.
    Plain,
    /// Unknown fields and nulls are errors too.
    Strict,
    /// `"1"`, `true` and `1.0` are 1; fields under another known name are found; a range of one line is that line.
    Lenient,
}

/// An input that makes sense.
pub struct Input {
    pub command: String,
    pub paths: Vec<String>,
    /// `file_text`, `new_str` or `insert_text`.
    pub text: String,
    pub old: String,
    pub line: Value,
    pub range: Option<(i64, i64)>,
}

/// Command, path parameters, other required ones, optional ones.
type Form = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const FORMS: [Form; 6] = [
    ("view", &["path"], &[], &["view_range"]),
    ("create", &["path"], &["file_text"], &[]),
    ("str_replace", &["path"], &["old_str"], &["new_str"]),
    ("insert", &["path"], &["insert_line", "insert_text"], &[]),
    ("delete", &["path"], &[], &[]),
    ("rename", &["old_path", "new_path"], &[], &[]),
];

impl Input {
    /// Reads an input object.
    pub fn read(input: &Value, manner: Manner) -> Result<Input, Say<'_>> {
        let command = input["command"].as_str().unwrap_or_default();
        let Some((_, paths, required, optional)) = FORMS.iter().find(|(name, ..)| *name == command) else {
            return Err(Say::Unknown { command });
        };
        let known = |name: &str| name == "command" || [*paths, *required, *optional].concat().contains(&name);
        if manner == Manner::Strict {
            let fields = input.as_object().into_iter().flatten();
            for (name, value) in fields {
                if !known(name) || value.is_null() {
                    return Err(Say::Parameter { name });
                }
            }
        }
        let field = |name: &'static str| match input.get(name) {
            None if manner == Manner::Lenient => match name {
                "old_path" => input.get("path"),
                "insert_text" => input.get("new_str"),
                _ => None,
            },
            other => other,
        };
        let text = |name: &'static str| match field(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(Say::Parameter { name }),
        };
        let mut read = Input {
            command: command.to_owned(),
            paths: Vec::new(),
            text: String::new(),
            old: String::new(),
            line: Value::Null,
            range: None,
        };
        for name in *paths {
            read.paths.push(text(name)?);
        }
        match command {
            "create" => read.text = text("file_text")?,
            "str_replace" => {
                read.old = text("old_str")?;
                read.text = match field("new_str") {
                    None | Some(Value::Null) => String::new(),
                    Some(_) => text("new_str")?,
                };
            }
            "insert" => {
                read.text = text("insert_text")?;
                read.line = match field("insert_line") {
                    Some(value) => number(value, manner).ok_or(Say::Parameter { name: "insert_line" })?,
                    None => return Err(Say::Parameter { name: "insert_line" }),
                };
            }
            "view" => {
                read.range = match field("view_range") {
                    None | Some(Value::Null) => None,
                    Some(value) => range(value, manner).ok_or(Say::BadRange)?,
                }
            }
            _ => {}
        }
        Ok(read)
    }
}

fn number(value: &Value, manner: Manner) -> Option<Value> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(value.clone()),
        Value::String(text) if manner == Manner::Lenient => text.trim().parse::<i64>().ok().map(Value::from),
        Value::Bool(true) if manner == Manner::Lenient => Some(Value::from(1)),
        _ => None,
    }
}

/// `Some(None)`: as if there were no range.
fn range(value: &Value, manner: Manner) -> Option<Option<(i64, i64)>> {
    let lenient = manner == Manner::Lenient;
    let whole = |value: &Value| match value {
        Value::Number(number) if lenient && number.is_f64() => number.as_f64().map(|number| number as i64),
        other => number(other, manner).and_then(|number| number.as_i64()),
    };
    match value {
        Value::Array(list) if list.is_empty() && lenient => Some(None),
        Value::Array(list) => match list.as_slice() {
            [one] if lenient => whole(one).map(|one| Some((one, one))),
            [first, last] => Some(Some((whole(first)?, whole(last)?))),
            [first, last, ..] if lenient => Some(Some((whole(first)?, whole(last)?))),
            _ => None,
        },
        _ if lenient => Some(None),
        _ => None,
    }
}
