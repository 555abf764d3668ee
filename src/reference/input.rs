//! The parameters of a command. The input is what a model wrote: it may be wrong in any way (`ruling.wrong-input`).
//! What is no parameter of the command is ignored (`ruling.extra-input`).

use serde_json::{Map, Number, Value};

use super::VirtualPath;
use super::path::shown;
use crate::wire::Command;

/// An input object that names a command.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub command: Command,
    fields: &'a Map<String, Value>,
}

/// The lines that a view asks for: from `start`, counted from 1, to `end`, or to the last where `end` is -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub start: i64,
    pub end: i64,
}

/// Every `Err` is the text of the error.
impl<'a> Input<'a> {
    /// Finds the command.
    pub fn parse(input: &'a Value) -> Result<Self, String> {
        let Value::Object(fields) = input else {
            return Err(format!("Error: The input of the tool is {}, not an object", kind(input)));
        };
        if let Some(command) = Command::of(input) {
            return Ok(Input { command, fields });
        }
        let names = "view, create, str_replace, insert, delete and rename";
        Err(match fields.get("command") {
            None => format!("Error: Missing required parameter `command`. The commands are {names}"),
            Some(Value::String(name)) => {
                format!("Error: Unknown command `{}`. The commands are {names}", shown(name))
            }
            Some(other) => format!("Error: Invalid `command` parameter: it is {}, not a string", kind(other)),
        })
    }

    /// A parameter that holds a path.
    pub fn path(&self, name: &str) -> Result<VirtualPath<'a>, String> {
        let sent = self.text(name)?;
        VirtualPath::parse(sent).map_err(|fault| format!("Error: The path `{}` {fault}", shown(sent)))
    }

    /// A string that must be there.
    pub fn text(&self, name: &str) -> Result<&'a str, String> {
        match self.required(name)? {
            Value::String(text) => Ok(text),
            other => Err(self.mistyped(name, other, "a string")),
        }
    }

    /// A string that may be absent or null.
    pub fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.mistyped(name, other, "a string")),
        }
    }

    /// An integer that must be there. Of any size: whether it can be used is not judged here.
    pub fn integer(&self, name: &str) -> Result<&'a Number, String> {
        match self.required(name)? {
            Value::Number(number) if saturated(number).is_some() => Ok(number),
            other => Err(self.mistyped(name, other, "an integer")),
        }
    }

    /// `view_range`, which may be absent or null.
    pub fn range(&self) -> Result<Option<Range>, String> {
        let expected = "a list of two integers";
        match self.fields.get("view_range") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(items)) => {
                let integers = || items.iter().map(|item| item.as_number().and_then(saturated));
                let ([_, _], Some(Some(start)), Some(Some(end))) =
                    (items.as_slice(), integers().next(), integers().nth(1))
                else {
                    return Err(format!("Error: Invalid `view_range` parameter of `view`: it is not {expected}"));
                };
                Ok(Some(Range { start, end }))
            }
            Some(other) => Err(self.mistyped("view_range", other, expected)),
        }
    }

    fn required(&self, name: &str) -> Result<&'a Value, String> {
        self.fields.get(name).ok_or_else(|| format!("Error: Missing required parameter `{name}` of `{}`", self.command))
    }

    fn mistyped(&self, name: &str, found: &Value, expected: &str) -> String {
        format!("Error: Invalid `{name}` parameter of `{}`: it is {}, not {expected}", self.command, kind(found))
    }
}

/// An integer, cut to what fits; `None` where the number is no integer as written.
fn saturated(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| number.is_u64().then_some(i64::MAX))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction or an exponent",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(input: &Value) -> String {
        Input::parse(input).map(|input| input.command.to_string()).unwrap_or_else(|text| text)
    }

    #[test]
    fn the_command() {
        assert_eq!(command(&json!({"command": "view"})), "view");
        assert_eq!(command(&json!("view")), "Error: The input of the tool is a string, not an object");
        assert!(command(&json!({})).starts_with("Error: Missing required parameter `command`."));
        assert!(command(&json!({"command": "toString"})).starts_with("Error: Unknown command `toString`."));
        assert!(command(&json!({"command": 5})).starts_with("Error: Invalid `command` parameter: it is a number,"));
        let long = command(&json!({"command": "x".repeat(10_000)}));
        assert!(long.len() < 400, "{}", long.len());
    }

    #[test]
    fn strings() {
        let value = json!({"command": "create", "path": "/etc", "file_text": null, "a": "b"});
        let input = Input::parse(&value).unwrap();
        assert_eq!(input.text("a"), Ok("b"));
        assert_eq!(input.text("b"), Err("Error: Missing required parameter `b` of `create`".into()));
        let null = "Error: Invalid `file_text` parameter of `create`: it is null, not a string";
        assert_eq!(input.text("file_text"), Err(null.into()));
        assert_eq!(input.optional_text("file_text"), Ok(None));
        assert_eq!(input.optional_text("a"), Ok(Some("b")));
        let outside = input.path("path").unwrap_err();
        assert!(outside.starts_with("Error: The path `/etc` is outside /memories."), "{outside}");
    }

    #[test]
    fn integers() {
        let number = |value: Value| {
            let value = json!({"command": "insert", "insert_line": value});
            Input::parse(&value).unwrap().integer("insert_line").map(|number| number.to_string())
        };
        assert_eq!(number(json!(-3)), Ok("-3".into()));
        assert_eq!(number(json!(u64::MAX)), Ok("18446744073709551615".into()));
        for wrong in [json!(1.0), json!("1"), json!(null), json!([1]), json!(true), json!(1e30)] {
            assert!(number(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges() {
        let range = |value: Value| Input::parse(&json!({"command": "view", "view_range": value})).unwrap().range();
        assert_eq!(range(json!([2, -1])), Ok(Some(Range { start: 2, end: -1 })));
        assert_eq!(range(json!([1, u64::MAX])), Ok(Some(Range { start: 1, end: i64::MAX })));
        assert_eq!(range(json!(null)), Ok(None));
        for wrong in
            [json!([]), json!([1]), json!([1, 2, 3]), json!(["1", "2"]), json!([1.5, 2]), json!("1-2"), json!({})]
        {
            assert!(range(wrong.clone()).unwrap_err().contains("a list of two integers"), "{wrong}");
        }
    }
}
