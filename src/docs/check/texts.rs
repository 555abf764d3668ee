//! Results that are none of the texts of the dialect.

use super::super::entry::{Answer, Place};
use super::super::message::{self, Match, Near, compare, keys, meaning, said_by};
use super::super::view::{Context, Numbered, file};
use super::super::words::{Shape, skeleton};
use super::{Checker, LIKE, agrees, is_foreign};
use crate::judge::{Dialect, Filling, LineFormat, difference};
use crate::wire::{Command, ROOT};

impl Checker<'_> {
    /// A result that is none of the texts for its command.
    pub(super) fn other_text(&mut self, answer: &Answer, command: Option<Command>, context: Context<'_>) {
        let Some(command) = command else { return };
        let error = self.is_error(answer);
        if command == Command::View && !error {
            return self.raw_view(answer, context);
        }
        let all = keys(self.dialect, &[command]);
        let about = meaning(&answer.text);
        let of_kind =
            |key: &&String| key.ends_with(".ok") != error && !key.starts_with("path.") && !key.starts_with("command.");
        let fitting: Vec<String> = all.iter().filter(of_kind).cloned().collect();
        let meant: Vec<String> =
            fitting.iter().filter(|key| about.iter().any(|end| key.ends_with(end))).cloned().collect();
        let any: Vec<String> =
            all.iter().filter(|key| !key.starts_with("path.") && !key.starts_with("command.")).cloned().collect();
        let candidates = match compare(self.dialect, &answer.text, &any, context.sent) {
            // So like one of the texts that nothing else can be meant, flagged or not.
            Match::Near(near) if near.likeness >= 0.72 && agrees(&answer.text, &near) => vec![near.key],
            _ if error && !meant.is_empty() => meant,
            _ => fitting,
        };
        if let Match::Near(near) = compare(self.dialect, &answer.text, &candidates, context.sent) {
            self.wrong_text(answer, near, &[command], context.sent);
        } else if let Match::Right(_) = compare(self.dialect, &answer.text, &all, context.sent) {
            self.flag(answer, !error);
        }
    }

    /// A view that shows a text as it is.
    fn raw_view(&mut self, answer: &Answer, context: Context<'_>) {
        if answer.place == Place::Block && is_code(&answer.text) {
            return;
        }
        let first: Vec<&str> = answer.text.split('\n').take(3).collect();
        let path = context.sent.and_then(|sent| sent.get("path")).map_or(ROOT, String::as_str);
        let is_directory = path.trim_end_matches('/') == ROOT || path.ends_with('/');
        let key = if is_directory { "view.directory-header" } else { "view.file-header" };
        let header = self.dialect.templates(key).first();
        let format = self.dialect.templates("view.line").first().and_then(LineFormat::of);
        if header.is_none() {
            let first = answer.text.split('\n').next().unwrap_or_default();
            let numbered = format
                .as_ref()
                .is_some_and(|format| Numbered::read(first, format, context.exact).is_some_and(|line| line.separator));
            if numbered || answer.text.trim().is_empty() {
                let issues = file(&answer.text, false, context);
                self.issues(answer, issues);
                return;
            }
        }
        let header = header.map(|header| message::fill(header, context.sent, &skeleton("").1));
        let rows = if is_directory {
            format!("4.0K\t{}", path.trim_end_matches('/'))
        } else {
            let numbered = first.iter().zip(1..).map(|(line, number)| match &format {
                Some(format) => format.write(number, line),
                None => (*line).to_owned(),
            });
            numbered.collect::<Vec<_>>().join("\n")
        };
        let form = match (is_directory, &header) {
            (true, _) => "a listing has a header",
            (false, Some(_)) => "a header comes first, then numbered lines",
            (false, None) => "its lines are numbered",
        };
        let right = header.into_iter().chain([rows]).collect::<Vec<_>>().join("\n");
        let message = format!("`view` does not answer so: {form}");
        self.find(answer.line(0), message, &first.join("\n"), &right, key);
    }

    fn wrong_text(&mut self, answer: &Answer, near: Near, commands: &[Command], sent: Option<&Filling>) {
        let first = answer.text.split('\n').next().unwrap_or_default();
        let other = said_by(self.dialect, &answer.text, commands, sent);
        let name = &self.dialect.name;
        let whole: Vec<&str> = answer.text.split('\n').take(3).collect();
        let page = if near.right == first { whole.join("\n") } else { first.to_owned() };
        let why = difference(&near.right, &page).or_else(|| other.map(|other| format!("this is what `{other}` says")));
        let message = match why {
            Some(why) => format!("not the text of `{name}`: {why}"),
            None => format!("not the text of `{name}`"),
        };
        self.find(answer.line(0), message, &page, &near.right, requirement(&near.key));
    }

    pub(super) fn unpaired(&mut self, answer: &Answer, context: Context<'_>) {
        let first = answer.text.split('\n').next().unwrap_or_default();
        if is_foreign(first) {
            return;
        }
        let prose = answer.place == Place::Prose;
        let all = keys(self.dialect, &Command::ALL);
        let own = answer.section.map(|command| keys(self.dialect, &[command]));
        let whole = match compare(self.dialect, &answer.text, &all, None) {
            Match::Right(key) => {
                self.examples += 1;
                self.flag(answer, !key.ends_with(".ok"));
                let Some(own) = own else { return };
                if let Match::Near(near) = compare(self.dialect, &answer.text, &own, None) {
                    let commands: Vec<Command> = answer.section.into_iter().collect();
                    if near.likeness >= 0.6 && meaning(first).is_empty() == near.key.ends_with(".ok") {
                        self.wrong_text(answer, near, &commands, context.sent);
                    }
                }
                return;
            }
            Match::Near(near) => near,
            Match::None => return,
        };
        if prose && is_fragment(self.dialect, first, own.as_ref().unwrap_or(&all)) {
            return;
        }
        let arguments = skeleton(first).1;
        let has_arguments = !arguments.is_empty();
        let near = match own {
            Some(own) => match compare(self.dialect, &answer.text, &own, None) {
                Match::Near(near) if near.likeness >= whole.likeness - 0.1 => near,
                Match::Near(near)
                    if is_error_text(first)
                        && has_arguments
                        && meaning(first).iter().any(|end| near.key.ends_with(end)) =>
                {
                    Near { likeness: LIKE, ..near }
                }
                _ => whole,
            },
            None => whole,
        };
        let same_word = || first.split(' ').next() == near.right.split(' ').next();
        let done = answer.section.is_some() && near.key.ends_with(".ok") && near.likeness >= 0.6 && same_word();
        let alike = (near.likeness >= LIKE || done) && (has_arguments || !near.has_holes) || near.likeness >= 0.9;
        if !alike || !agrees(first, &near) {
            return;
        }
        self.examples += 1;
        self.wrong_text(answer, near, &Command::ALL, None);
    }
}

/// Whether a block of text is rather a program, a drawing or a command line than a result.
fn is_code(text: &str) -> bool {
    let signs = ["def ", "function ", "=>", "import ", "return ", ";\n", "├", "└", "{\n", "self."];
    signs.iter().any(|sign| text.contains(sign)) || text.starts_with(['$', '>', '%'])
}

/// Whether a text is a part of one of the texts, quoted for itself. A whole text with a stop of its own is none.
fn is_fragment(dialect: &Dialect, text: &str, keys: &[String]) -> bool {
    let (part, arguments) = skeleton(text);
    let part = part.trim();
    let templates = || keys.iter().flat_map(|key| dialect.templates(key)).map(Shape::of_template);
    let is_whole = templates().any(|template| {
        part.strip_suffix('.') == Some(&template.skeleton) || template.skeleton.strip_suffix('.') == Some(part)
    });
    let is_part = |template: &str| {
        template.contains(part)
            && template.strip_prefix("Error: ") != Some(part)
            && (arguments.is_empty() || part.len() * 5 < template.len() * 3)
    };
    !is_whole && templates().any(|template| is_part(&template.skeleton))
}

fn is_error_text(text: &str) -> bool {
    text.starts_with("Error")
}

/// The id behind `memconf explain` for a text.
fn requirement(key: &str) -> &str {
    match key {
        "path.outside" => "path.inside-only",
        "command.unknown" => "tool.six-commands",
        key => key,
    }
}
