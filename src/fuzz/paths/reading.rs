//! The ways in which a handler may read a path otherwise than letter by letter.

use super::Class;

/// One step between the string that was sent and the path that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Reading {
    Percent,
    Backslash,
    StripUp,
    StripDots,
    StripOwn,
    CutNul,
    DropNul,
    DropControls,
    Normalise,
    DropIgnorables,
    Trim,
    TrimNames,
    Fold,
    PercentU,
    Escapes,
    Entities,
    Overlong,
    Quoted,
    Home,
    FileUrl,
    Drive,
    CutQuery,
    Shell,
}

impl Reading {
    /// All, the commonest first.
    pub const ALL: [Reading; 23] = [
        Reading::Percent,
        Reading::Backslash,
        Reading::StripUp,
        Reading::StripDots,
        Reading::StripOwn,
        Reading::CutNul,
        Reading::DropNul,
        Reading::Trim,
        Reading::TrimNames,
        Reading::DropControls,
        Reading::Normalise,
        Reading::DropIgnorables,
        Reading::Fold,
        Reading::PercentU,
        Reading::Escapes,
        Reading::Entities,
        Reading::Overlong,
        Reading::Quoted,
        Reading::Home,
        Reading::FileUrl,
        Reading::Drive,
        Reading::CutQuery,
        Reading::Shell,
    ];

    /// The class of attacks that it makes possible.
    pub fn class(self) -> Class {
        match self {
            Reading::Percent => Class::A11,
            Reading::Backslash => Class::A3,
            Reading::StripUp | Reading::StripDots | Reading::StripOwn => Class::A2,
            Reading::CutNul | Reading::DropNul | Reading::DropControls => Class::A16,
            Reading::Normalise | Reading::DropIgnorables => Class::A14,
            Reading::Trim | Reading::TrimNames | Reading::Fold => Class::A8,
            Reading::PercentU | Reading::Escapes | Reading::Entities | Reading::Quoted => Class::A13,
            Reading::Overlong => Class::A12,
            Reading::Drive => Class::A5,
            Reading::Home | Reading::FileUrl | Reading::CutQuery | Reading::Shell => Class::A15,
        }
    }

    /// What the handler did, and a word for it in ids.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Reading::Percent => ("percent-decoded", "decoded"),
            Reading::Backslash => ("with `\\` taken for a separator", "backslash"),
            Reading::StripUp => ("stripped of `../` in one pass", "stripped"),
            Reading::StripDots => ("stripped of `..` in one pass", "dots-stripped"),
            Reading::StripOwn => ("stripped of `./` in one pass", "own-stripped"),
            Reading::CutNul => ("cut at a NUL", "nul-cut"),
            Reading::DropNul => ("stripped of NULs", "nul-dropped"),
            Reading::DropControls => ("stripped of control characters", "controls-dropped"),
            Reading::Normalise => ("Unicode-normalised (NFKC)", "normalised"),
            Reading::DropIgnorables => ("stripped of ignorable characters", "ignorables-dropped"),
            Reading::Trim => ("trimmed", "trimmed"),
            Reading::TrimNames => ("with its names trimmed", "names-trimmed"),
            Reading::Fold => ("case-folded", "case-folded"),
            Reading::PercentU => ("decoded from `%uXXXX`", "percent-u"),
            Reading::Escapes => ("decoded from escapes of C or JSON", "escapes"),
            Reading::Entities => ("decoded from HTML entities", "entities"),
            Reading::Overlong => ("decoded from overlong UTF-8", "overlong"),
            Reading::Quoted => ("decoded from quoted-printable", "quoted-printable"),
            Reading::Home => ("expanded by `~` or `$HOME`", "home-expanded"),
            Reading::FileUrl => ("read as a file URL", "file-url"),
            Reading::Drive => ("begun anew behind a drive letter", "drive"),
            Reading::CutQuery => ("cut at `?`, `#` or `;`", "query-cut"),
            Reading::Shell => ("expanded by a shell", "shell"),
        }
    }

    /// Whether the string holds anything that this reading would change; a cheap look before it is tried.
    pub(super) fn concerns(self, text: &str) -> bool {
        let has = |signs: &[u8]| text.bytes().any(|byte| signs.contains(&byte));
        match self {
            Reading::Percent | Reading::PercentU | Reading::Overlong => has(b"%"),
            Reading::Quoted => has(b"="),
            Reading::Backslash | Reading::Escapes => has(b"\\"),
            Reading::StripUp | Reading::StripDots => text.contains(".."),
            Reading::StripOwn => text.contains("./"),
            Reading::CutNul | Reading::DropNul => has(b"\0"),
            Reading::DropControls => text.chars().any(char::is_control),
            Reading::Normalise | Reading::DropIgnorables => !text.is_ascii(),
            Reading::Trim => text.starts_with(is_blank) || text.ends_with(is_blank),
            Reading::TrimNames => text.split('/').any(|name| trim_name(name).len() != name.len()),
            Reading::Fold => text.chars().any(char::is_uppercase),
            Reading::Entities => has(b"&"),
            Reading::Home => has(b"~$"),
            Reading::FileUrl => text.contains("file:"),
            Reading::Drive => text.contains(':'),
            Reading::CutQuery => has(b"?#;"),
            Reading::Shell => has(b"$`{[?"),
        }
    }

    /// The string as it is read so.
    pub fn read(self, text: &str) -> String {
        match self {
            Reading::Percent => percent(text, '%'),
            Reading::Quoted => percent(text, '='),
            Reading::Backslash => text.replace('\\', "/"),
            Reading::StripUp => text.replace("../", "").replace("..\\", ""),
            Reading::StripDots => text.replace("..", ""),
            Reading::StripOwn => text.replace("./", ""),
            Reading::CutNul => text.split('\0').next().unwrap_or_default().to_owned(),
            Reading::DropNul => text.replace('\0', ""),
            Reading::DropControls => text.chars().filter(|c| !c.is_control()).collect(),
            Reading::Normalise => normalised(text),
            Reading::DropIgnorables => text.chars().filter(|c| !is_ignorable(*c)).collect(),
            Reading::Trim => text.trim_matches(is_blank).to_owned(),
            Reading::TrimNames => text.split('/').map(trim_name).collect::<Vec<_>>().join("/"),
            Reading::Fold => text.to_lowercase(),
            Reading::PercentU => numbers(text, &[("%u", 4)]),
            Reading::Escapes => numbers(text, &[("\\x", 2), ("\\u", 4)]),
            Reading::Entities => entities(text),
            Reading::Overlong => overlong(text),
            Reading::Home => home(text),
            Reading::FileUrl => file_url(text),
            Reading::Drive => drive(text).to_owned(),
            Reading::CutQuery => text.split(['?', '#', ';']).next().unwrap_or_default().to_owned(),
            Reading::Shell => shell(text),
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

fn percent(text: &str, sign: char) -> String {
    if !text.contains(sign) {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).filter(|pair| pair.iter().all(u8::is_ascii_hexdigit));
        let byte = pair.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match byte.filter(|_| char::from(bytes[at]) == sign) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2025}' => out.push_str(".."),
            '\u{2026}' => out.push_str("..."),
            '\u{2024}' | '\u{fe52}' => out.push('.'),
            '\u{2215}' | '\u{2044}' => out.push('/'),
            '\u{fe68}' => out.push('\\'),
            '\u{a0}' | '\u{3000}' => out.push(' '),
            '\u{ff01}'..='\u{ff5e}' => out.push(char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)),
            c => out.push(c),
        }
    }
    out
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn trim_name(name: &str) -> &str {
    let name = name.trim();
    // A system that drops dots at the end of a name keeps `.` and `..`.
    let bare = name.trim_end_matches(['.', ' ']);
    if bare.is_empty() { name } else { bare }
}

/// Every `PREFIX` and so many hexadecimal digits as the character of that number.
fn numbers(text: &str, forms: &[(&str, usize)]) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    'next: while let Some(c) = rest.chars().next() {
        for (prefix, digits) in forms {
            let hex = rest.strip_prefix(prefix).and_then(|behind| behind.get(..*digits));
            let number = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
            if let Some(decoded) = number.and_then(char::from_u32) {
                out.push(decoded);
                rest = &rest[prefix.len() + digits..];
                continue 'next;
            }
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

fn entities(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').unwrap_or(0);
        let decoded = match rest.get(1..end.max(1)) {
            Some("period") => Some('.'),
            Some("sol") => Some('/'),
            Some("bsol") => Some('\\'),
            Some("amp") => Some('&'),
            Some(word) => match word.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32),
                None => word.strip_prefix('#').and_then(|number| number.parse().ok()).and_then(char::from_u32),
            },
            None => None,
        };
        match decoded {
            Some(c) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn overlong(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("%c0%") && !lower.contains("%e0%80%") && !lower.contains("%f0%80%80%") {
        return text.to_owned();
    }
    let mut out = text.to_owned();
    for head in ["%c0%", "%e0%80%", "%f0%80%80%"] {
        for (low, c) in [("ae", '.'), ("af", '/')] {
            for sequence in [format!("{head}{low}"), format!("{head}{low}").to_uppercase()] {
                out = out.replace(&sequence, &c.to_string());
            }
        }
    }
    out
}

/// Where a home directory stands among the symbolic places of `landing.rs`.
pub(super) const HOME: &str = "/=sandbox=/w/outer/home";

fn home(text: &str) -> String {
    let text = text.replace("${HOME}", HOME).replace("$HOME", HOME);
    match text.split('/').position(|part| part == "~") {
        // `~` as a name of its own: what stands before it is dropped, as an absolute second component drops it.
        Some(0) => text.replacen('~', HOME, 1),
        Some(_) => text.replacen("/~", &format!("/{HOME}"), 1),
        None => text,
    }
}

fn file_url(text: &str) -> String {
    let Some(at) = text.find("file:") else { return text.to_owned() };
    let behind = &text[at + 5..];
    let path = behind.strip_prefix("//localhost").or_else(|| behind.strip_prefix("//")).unwrap_or(behind);
    format!("{}{path}", &text[..at])
}

/// What stands behind the last component that begins with a drive letter: Windows joins so. Prefixes of its device
/// namespaces go with what stands before.
fn drive(text: &str) -> &str {
    let bytes = text.as_bytes();
    let begins = |at: usize| at == 0 || matches!(bytes[at - 1], b'/' | b'\\');
    let mut places = (0..bytes.len().saturating_sub(1)).rev();
    let place = places.find(|at| begins(*at) && bytes[*at].is_ascii_alphabetic() && bytes[at + 1] == b':');
    place.map_or(text, |at| &text[at + 2..])
}

fn shell(text: &str) -> String {
    let text = text.replace("$(printf ..)", "..").replace("`printf ..`", "..");
    text.replace("{..,x}", "..").replace(".[.]", "..").replace(".?", "..")
}
