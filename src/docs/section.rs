//! Where in a page something stands: under which headings, about which tool, about which command.

use crate::wire::Command;

/// Whether a heading begins something new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Its examples have nothing to do with those before.
    New,
    /// It goes on: the second or a later step.
    Continued,
}

/// The headings above a place.
#[derive(Debug, Default)]
pub struct Sections {
    stack: Vec<Heading>,
    /// What is known before the first heading.
    base: Option<bool>,
}

#[derive(Debug)]
struct Heading {
    level: u8,
    command: Option<Command>,
    /// Whether it is about the memory tool, where that can be told.
    memory: Option<bool>,
}

impl Sections {
    /// Enters a section.
    pub fn enter(&mut self, level: u8, text: &str) -> Section {
        self.stack.retain(|heading| heading.level < level);
        let lower = text.to_lowercase();
        let others =
            ["text editor", "text_editor", "str_replace_based", "bash", "computer use", "web search", "code execution"];
        let memory = if lower.contains("memory") || lower.contains("memories") {
            Some(true)
        } else if others.iter().any(|other| lower.contains(other)) {
            Some(false)
        } else {
            None
        };
        self.stack.push(Heading { level, command: command_of(&lower), memory });
        if is_later_step(&lower) { Section::Continued } else { Section::New }
    }

    /// An example of another tool was seen.
    pub fn other_tool(&mut self) {
        self.set(false);
    }

    /// An example of the memory tool was seen.
    pub fn memory_tool(&mut self) {
        self.set(true);
    }

    fn set(&mut self, memory: bool) {
        match self.stack.last_mut() {
            Some(heading) => heading.memory = Some(memory),
            None => self.base = Some(memory),
        }
    }

    /// Whether what stands here is about the memory tool.
    pub fn about_memory(&self) -> bool {
        self.stack.iter().rev().find_map(|heading| heading.memory).or(self.base).unwrap_or(true)
    }

    /// The command that the nearest heading of a command names.
    pub fn command(&self) -> Option<Command> {
        self.stack.iter().rev().find_map(|heading| heading.command)
    }

    /// The command that a paragraph is about: the one of the section, unless the paragraph names others.
    pub fn command_for(&self, text: &str) -> Option<Command> {
        let named = named(&text.to_lowercase(), "`");
        match (self.command(), named.as_slice()) {
            (own, []) => own,
            (Some(own), [one]) if *one == own => Some(own),
            (None, [one]) => Some(*one).filter(|one| text.trim_start().to_lowercase().starts_with(&format!("`{one}`"))),
            _ => None,
        }
    }
}

/// The commands that stand in a text between these marks.
fn named(text: &str, mark: &str) -> Vec<Command> {
    Command::ALL.into_iter().filter(|command| text.contains(&format!("{mark}{command}{mark}"))).collect()
}

/// The command that a heading is about, if it says nothing else: "view", "1. The `view` command".
fn command_of(heading: &str) -> Option<Command> {
    let fillers = ["the", "command", "commands", "memory", "tool", "operation", "a", "and"];
    let words = heading
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && !fillers.contains(word) && !word.bytes().all(|byte| byte.is_ascii_digit()));
    let words: Vec<&str> = words.collect();
    let [word] = words.as_slice() else { return None };
    Command::ALL.into_iter().find(|command| command.as_str() == *word)
}

/// "2. ...", "Step 3: ...".
fn is_later_step(heading: &str) -> bool {
    let rest = heading.trim_start().strip_prefix("step").unwrap_or(heading).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let marked = rest[digits..].starts_with(['.', ')', ':', ' ', '-']) || rest.len() == digits;
    marked && rest[..digits].parse::<u32>().is_ok_and(|step| step > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_commands_and_tools() {
        let mut sections = Sections::default();
        assert!(sections.about_memory());
        assert_eq!(sections.enter(2, "The `view` command"), Section::New);
        assert_eq!(sections.command(), Some(Command::View));
        sections.enter(3, "Errors");
        assert_eq!(sections.command(), Some(Command::View));
        assert_eq!(sections.command_for("unlike `delete`"), None);
        sections.enter(2, "Create a file");
        assert_eq!(sections.command(), None);
        sections.enter(2, "Text editor tool");
        assert!(!sections.about_memory());
        sections.enter(2, "Next");
        assert!(sections.about_memory());
        assert_eq!(sections.enter(3, "Step 2: rename"), Section::Continued);
        assert_eq!(sections.enter(3, "1. view"), Section::New);
    }
}
