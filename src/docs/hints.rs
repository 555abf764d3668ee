//! What running text says of the examples around it.

/// Whether prose says that something is a TAB.
pub fn says_tab(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "tab" | "tabs" | "tabulator" | "tabulation"))
        || text.contains("탭")
        || text.contains("タブ")
        || text.contains("制表")
}

/// Whether prose announces a result: "The handler answers:", "Result".
pub fn is_label(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let words = ["result", "return", "response", "respond", "output", "answer", "replies", "error", "→", "=>"];
    (text.len() <= 60 || text.len() <= 300 && text.ends_with(':')) && words.iter().any(|word| text.contains(word))
}

/// Whether prose says that a result that it quotes, or that follows, is not what a handler answers.
pub fn is_counterexample(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = [
        "wrong:",
        "wrong.",
        "incorrect",
        "bad:",
        "instead of",
        "rather than",
        "not return",
        "n't return",
        "never return",
        "❌",
        "used to",
        "older",
        "previously",
        "unlike",
    ];
    words.iter().any(|word| lower.contains(word))
}

/// What a page says of an example before it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// Nothing.
    None,
    /// Its path is one that is refused.
    Path,
    /// It is wrong.
    Wrong,
}

/// What prose says of the command that follows.
pub fn warns(text: &str) -> Warning {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "wrong",
        "invalid",
        "incorrect",
        "malformed",
        "malicious",
        "attack",
        "reject",
        "refuse",
        "not allowed",
        "illegal",
        "bad example",
        "mistake",
        "anti-pattern",
    ]) {
        Warning::Wrong
    } else if has(&["unsafe", "traversal", "escape", "forbidden", "outside", "denied", "do not", "don't", "never"]) {
        Warning::Path
    } else {
        Warning::None
    }
}
