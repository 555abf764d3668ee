//! What is learned of a handler before it is judged: how it says that something is done, and how it shows a file.
//!
//! A handler may answer in words of its own, in any language, and may flag no errors. A short harmless script, the
//! same for every handler, shows what its success looks like; a later reply that looks otherwise can then be told
//! from success without knowing the language.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::lines::{self, Reading, Style};
use crate::wire::{Command, PATH_PARAMETERS, ToolResult};

/// What is known of one handler.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    success: HashMap<Command, String>,
    /// What it answers, without flag, to a view of a path where nothing is.
    missing: Option<String>,
    /// Whether it flags an error, as far as one was seen.
    pub flags_errors: Option<bool>,
    /// How it writes a file's lines.
    pub style: Option<Style>,
    /// What went wrong with the script, in order.
    pub troubles: Vec<String>,
}

const FILE: &str = "/memories/memconf-probe.md";
const MISSING: &str = "/memories/memconf-no-such-file.md";
const MOVED: &str = "/memories/memconf-probe-2.md";
const TEXT: &str = "memconf probe: first line\nsecond line\n  third line, indented";

impl Profile {
    /// The script: the first command fails, each other succeeds on a handler that works at all.
    pub fn script() -> Vec<Value> {
        vec![
            json!({ "command": "view", "path": MISSING }),
            json!({ "command": "create", "path": FILE, "file_text": TEXT }),
            json!({ "command": "view", "path": FILE }),
            json!({ "command": "str_replace", "path": FILE, "old_str": "second", "new_str": "changed" }),
            json!({ "command": "insert", "path": FILE, "insert_line": 1, "insert_text": "inserted line\n" }),
            json!({ "command": "rename", "old_path": FILE, "new_path": MOVED }),
            json!({ "command": "delete", "path": MOVED }),
        ]
    }

    /// Learns from the answer to one command of the script.
    pub fn learn(&mut self, input: &Value, reply: &ToolResult) {
        let Some(command) = Command::of(input) else { return };
        if input["path"] == MISSING {
            self.flags_errors = Some(reply.is_error);
            self.missing = (!reply.is_error).then(|| skeleton(input, &reply.content));
            return;
        }
        if reply.is_error {
            let text = super::text::quote(&reply.content);
            self.troubles.push(format!("`{command}` of a plain file is answered with the error {text}"));
            return;
        }
        match command {
            Command::View => self.learn_style(&reply.content),
            command => {
                self.success.insert(command, skeleton(input, &reply.content));
            }
        }
    }

    fn learn_style(&mut self, text: &str) {
        let lines: Vec<(u64, &str)> = (1..).zip(TEXT.split('\n')).collect();
        let known: HashSet<&str> = TEXT.split('\n').collect();
        // With both readings of a final newline: a handler may add one.
        let mut phantom = lines.clone();
        phantom.push((4, ""));
        for expected in [&lines, &phantom] {
            if let Reading::Match(style) = lines::read(text, expected, &known, None, false) {
                self.style = Some(style);
                return;
            }
        }
        let text = super::text::quote(text);
        self.troubles
            .push(format!("`view` of a plain file does not show its lines in a way that memconf can read: {text}"));
    }

    /// Whether a reply looks like this handler's success; `None` where no success of the command is known.
    pub fn looks_like_success(&self, command: Command, input: &Value, text: &str) -> Option<bool> {
        self.success.get(&command).map(|success| *success == skeleton(input, text))
    }

    /// Whether an unflagged reply to a view is what this handler says of a path where nothing is.
    pub fn looks_missing(&self, input: &Value, text: &str) -> bool {
        self.missing.as_ref().is_some_and(|missing| *missing == skeleton(input, text))
    }
}

/// The first line of a reply without what the command brought in: paths and numbers.
fn skeleton(input: &Value, text: &str) -> String {
    let mut first = text.lines().next().unwrap_or_default().to_owned();
    let mut paths: Vec<&str> = PATH_PARAMETERS.iter().filter_map(|name| input.get(name)?.as_str()).collect();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths.into_iter().filter(|path| path.len() > 1) {
        first = first.replace(path, "{path}");
        let relative = path.trim_start_matches("/memories").trim_matches('/');
        if relative.len() > 1 {
            first = first.replace(relative, "{path}");
        }
    }
    let mut bare = String::with_capacity(first.len());
    for c in first.chars() {
        match c.is_ascii_digit() {
            true if bare.ends_with('#') => {}
            true => bare.push('#'),
            false => bare.push(c),
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_language_is_learned() {
        let mut profile = Profile::default();
        for input in Profile::script() {
            let reply = match Command::of(&input) {
                Some(Command::View) => {
                    ToolResult::ok("内容：\n1| memconf probe: first line\n2| second line\n3|   third line, indented")
                }
                Some(Command::Delete) => ToolResult::ok(format!("已删除 {} (1)", input["path"].as_str().unwrap())),
                _ => ToolResult::ok("好"),
            };
            profile.learn(&input, &reply);
        }
        assert!(profile.troubles.is_empty(), "{:?}", profile.troubles);
        assert_eq!(profile.style, Some(Style { separator: Some("| ".into()), header: 1 }));
        let delete = json!({ "command": "delete", "path": "/memories/other.txt" });
        assert_eq!(profile.looks_like_success(Command::Delete, &delete, "已删除 /memories/other.txt (12)"), Some(true));
        assert_eq!(profile.looks_like_success(Command::Delete, &delete, "找不到 /memories/other.txt"), Some(false));
    }
}
