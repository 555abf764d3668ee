//! What a finding is about: one word for all failures that are likely one fault.

use crate::case::{Action, Case, Facet, Level, Step};
use crate::fuzz::Cause;
use crate::judge::{CaseResult, Failure};
use crate::wire::Command;

/// The cause of the worst failure of the first command that went wrong; `None` where nothing failed that must or should
/// hold. After that command the store is in another state than the model, and what fails only says so again.
pub(super) fn of(case: &Case, result: &CaseResult) -> Option<Cause> {
    let fails = |failure: &&Failure| failure.facet != Facet::Wording && failure.level > Level::May;
    let first = result.failures.iter().filter(fails).map(|failure| failure.step).filter(|step| *step > 0).min();
    let changes = |step: &Step| match &step.action {
        Action::Call(input) => Command::of(input).is_some_and(Command::mutates),
        _ => false,
    };
    let next = first.and_then(|first| case.steps.iter().skip(first).position(changes).map(|more| first + more));
    let counts = |failure: &&Failure| fails(failure) && next.is_none_or(|next| failure.step <= next);
    let worst = result.failures.iter().filter(counts).map(|failure| failure.level).max()?;
    let failure = result.failures.iter().filter(counts).find(|failure| failure.level == worst)?;
    let requirement = match failure.step.checked_sub(1) {
        Some(step) => case.requirements_of(step).first().map_or("", String::as_str),
        None => "",
    };
    let word = kind(failure);
    let about = match word.key {
        _ if word.stands_alone => "",
        // What is lost like this is lost by a command however it is used.
        LINE_ENDS | BLANK_LINES | BLANKS => family(requirement),
        _ => requirement,
    };
    let mut key = "fuzz/scripts".to_owned();
    for part in [about, word.key].into_iter().filter(|part| !part.is_empty()) {
        key.push('-');
        key.extend(part.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }));
    }
    let title = match about {
        "" => word.title.to_owned(),
        _ => format!("{} ({about})", word.title),
    };
    Some(Cause { key, title })
}

const LINE_ENDS: &str = "line-ends";
const BLANK_LINES: &str = "blank-lines";
const BLANKS: &str = "blanks";

/// The command that a requirement is about.
fn family(requirement: &str) -> &str {
    match requirement {
        "insert.after-line" | "ruling.insert-newline" | "ruling.insert-at-end" => "insert",
        "str_replace.edits" | "str_replace.new-str-optional" | "ruling.multi-line" | "ruling.literal-text" => {
            "str_replace"
        }
        other => other,
    }
}

struct Word {
    key: &'static str,
    title: &'static str,
    /// Whatever the command was.
    stands_alone: bool,
}

fn kind(failure: &Failure) -> Word {
    let word = |key, title| Word { key, title, stands_alone: false };
    let alone = |key, title| Word { key, title, stands_alone: true };
    let message = failure.message.as_str();
    if failure.facet == Facet::Safety {
        return match failure.cause.as_str() {
            "a path of the host comes back" => alone("host-path", "No answer holds a path of the host"),
            "something outside the store was read" => alone("outside-read", "Nothing outside the store is read"),
            _ => alone("outside", "Nothing outside the store is changed"),
        };
    }
    if failure.cause.starts_with("fault: ") {
        return match message.contains("panicked") || message.contains("ended without") {
            true => word("crash", "The handler survives these commands"),
            false => word("no-answer", "Every one of these commands is answered"),
        };
    }
    if message.starts_with("an error is expected") {
        return word("accepted", "The last of these commands is refused");
    }
    if message.contains("the answer is the error") {
        return word("refused", "The last of these commands succeeds");
    }
    if message.starts_with("takes the choice") {
        return word("choice", "A choice once taken is kept to");
    }
    let rows = ["not listed: ", "listed, but", "a row for something", "the file "];
    if rows.iter().any(|words| message.starts_with(words)) {
        return word("rows", "A listing shows what is there");
    }
    word(text(failure), "After these commands the file holds what they say")
}

/// In what way a text is another one, as far as that can be told from what was expected and what came.
fn text(failure: &Failure) -> &'static str {
    let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) else { return "text" };
    let same = |leave: &dyn Fn(&str) -> String| leave(expected) == leave(actual);
    let body = |text: &str| {
        let lines = text.split('\n').map(|line| line.split_once('\t').map_or(line, |(_, line)| line).to_owned());
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    if same(&|text| text.replace('\r', "")) {
        LINE_ENDS
    } else if same(&body) {
        BLANK_LINES
    } else if same(&|text| text.split_whitespace().collect()) {
        BLANKS
    } else {
        "text"
    }
}
