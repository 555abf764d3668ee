//! How paths are read: seven ways, each of which is right.

use super::files::Names;
use super::handler::Refusal::{self, Disliked, Outside};

/// `.` and empty names are dropped, `..` goes up as long as it stays inside; control characters are refused.
pub fn usual(path: &str) -> Result<Names, Refusal> {
    let names = resolved(inside(path)?, false)?;
    match path.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) || too_long(&names) {
        true => Err(Disliked),
        false => Ok(names),
    }
}

/// As `usual`, and `..` at the root stays there, as chroot has it.
pub fn clamped(path: &str) -> Result<Names, Refusal> {
    let names = resolved(inside(path)?, true)?;
    match path.chars().any(char::is_control) || too_long(&names) {
        true => Err(Disliked),
        false => Ok(names),
    }
}

/// One spelling a file, of letters, digits and three signs; no hidden names; nothing else.
pub fn strict(path: &str) -> Result<Names, Refusal> {
    let rest = inside(path)?;
    if rest.is_empty() {
        return Ok(Names::new());
    }
    let names: Vec<&str> = rest.split('/').collect();
    let plain = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && !name.contains("..")
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    match names.iter().all(plain) && rest.len() < 200 {
        true => Ok(names.into_iter().map(str::to_owned).collect()),
        false => Err(Disliked),
    }
}

/// Every name is kept as it stands, whatever its characters; only NUL is refused, and `..` where it leads out.
pub fn literal(path: &str) -> Result<Names, Refusal> {
    if path.contains('\0') {
        return Err(Disliked);
    }
    resolved(inside(path)?, false)
}

/// A path is a key: no `.`, no `..`, no empty name anywhere.
pub fn keys(path: &str) -> Result<Names, Refusal> {
    let rest = inside(path)?.trim_end_matches('/');
    let names: Names = rest.split('/').filter(|_| !rest.is_empty()).map(str::to_owned).collect();
    let odd = |name: &String| name.is_empty() || name == "." || name == ".." || name.chars().any(char::is_control);
    if names.iter().any(odd) { Err(Disliked) } else { Ok(names) }
}

/// The leading slash may be missing, and the prefix be in any case: both mean the same file.
pub fn generous(path: &str) -> Result<Names, Refusal> {
    let bare = path.trim_start_matches('/');
    match bare.get(..8) {
        Some(prefix) if prefix.eq_ignore_ascii_case("memories") => usual(&format!("/memories{}", &bare[8..])),
        _ => Err(Outside),
    }
}

/// A backslash is a slash, and the path is judged after that, as on Windows.
pub fn backslashed(path: &str) -> Result<Names, Refusal> {
    let slashed = path.replace('\\', "/");
    match slashed.contains("..") {
        true => Err(Disliked),
        false => usual(&slashed),
    }
}

fn inside(path: &str) -> Result<&str, Refusal> {
    match path.strip_prefix("/memories") {
        Some("") => Ok(""),
        Some(rest) => rest.strip_prefix('/').ok_or(Outside),
        None => Err(Outside),
    }
}

fn resolved(rest: &str, clamp: bool) -> Result<Names, Refusal> {
    let mut names = Names::new();
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." if names.pop().is_none() && !clamp => return Err(Outside),
            ".." => {}
            name => names.push(name.to_owned()),
        }
    }
    Ok(names)
}

fn too_long(names: &Names) -> bool {
    names.iter().any(|name| name.len() > 255) || names.iter().map(|name| name.len() + 1).sum::<usize>() > 4000
}
