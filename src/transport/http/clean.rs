//! An empty store by commands alone: what `view` lists is deleted, and a last `view` has to show nothing.

use serde_json::{Value, json};

use crate::transport::Fault;
use crate::transport::stdio::quote;
use crate::wire::{Command, ROOT, ToolResult};

/// How often the store is listed and its entries deleted before it is given up.
const ROUNDS: usize = 3;

/// How many names that no listing showed are kept for the next clean-up, at most.
const MOST: usize = 10_000;

/// Sends a command.
pub(super) type Send<'a> = dyn FnMut(&Value) -> Result<ToolResult, Fault> + 'a;

/// What memconf made that a listing may not show: hidden files, for instance.
#[derive(Default)]
pub(super) struct Made {
    paths: Vec<String>,
}

impl Made {
    /// Remembers what a command made, where it succeeded.
    pub(super) fn note(&mut self, input: &Value, result: &ToolResult) {
        let parameter = match Command::of(input) {
            Some(Command::Create) => "path",
            Some(Command::Rename) => "new_path",
            _ => return,
        };
        let Some(path) = input.get(parameter).and_then(Value::as_str).filter(|_| !result.is_error) else { return };
        if let Some(path) = to_delete(path)
            && self.paths.len() < MOST
            && !self.paths.contains(&path)
        {
            self.paths.push(path);
        }
    }
}

/// Empties the store. `may_delete` is whether what is in it may be deleted: it is memconf's own, or the user said so.
pub(super) fn empty(send: &mut Send<'_>, made: &mut Made, may_delete: bool) -> Result<(), Fault> {
    let mut listing = view(send)?;
    for _ in 0..ROUNDS {
        let entries = entries(&listing);
        if entries.is_empty() && made.paths.is_empty() {
            break;
        }
        if !may_delete {
            let first = entries.first().map(|name| quote(name.as_bytes())).unwrap_or_default();
            let reason = format!(
                "the store holds {} entries (`{first}`, ...), which memconf has not made. Empty it, or give `--erase` if \
                 all that is in it may be deleted, or `--session-header NAME` if a header says which store is meant",
                entries.len()
            );
            return Err(Fault::CannotIsolate { reason });
        }
        for name in &entries {
            delete(send, &format!("{ROOT}/{name}"))?;
        }
        for path in made.paths.drain(..).rev() {
            delete(send, &path)?;
        }
        listing = view(send)?;
    }
    match entries(&listing).first() {
        None => Ok(()),
        Some(name) => {
            let reason = format!("`{ROOT}/{}` is still listed after it was deleted", quote(name.as_bytes()));
            Err(Fault::CannotIsolate { reason })
        }
    }
}

fn view(send: &mut Send<'_>) -> Result<String, Fault> {
    let listing = send(&json!({ "command": "view", "path": ROOT }))?;
    // Some handlers have no /memories before the first file: an error lists nothing either.
    Ok(if listing.is_error { String::new() } else { listing.content })
}

fn delete(send: &mut Send<'_>, path: &str) -> Result<(), Fault> {
    // Whether it is gone the last listing tells.
    send(&json!({ "command": "delete", "path": path })).map(drop)
}

/// The entries of the first level that a listing shows, whatever its form: rows with whole paths, with sizes before
/// names, with dashes or with the lines of a tree. Never `.` or `..`.
fn entries(listing: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in listing.lines() {
        let Some(name) = entry(line) else { continue };
        if !name.is_empty() && name != "." && name != ".." && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn entry(line: &str) -> Option<&str> {
    const PREFIX: &str = "/memories/";
    if let Some(at) = line.find(PREFIX) {
        // In a header such as `Directory: /memories/` nothing follows.
        return line[at + PREFIX.len()..].split('/').next().map(str::trim_end);
    }
    if line.contains(ROOT) {
        return None;
    }
    let marked = ["- ", "* ", "├── ", "└── ", "|-- ", "`-- ", "+ "];
    let name = match marked.iter().find_map(|mark| line.strip_prefix(mark)) {
        Some(name) => name,
        None => line.split_once('\t').filter(|(size, _)| is_size(size)).map(|(_, name)| name)?,
    };
    Some(name.trim().trim_start_matches("./").split('/').next().unwrap_or_default())
}

fn is_size(word: &str) -> bool {
    let word = word.trim();
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || "., BKMGTi".contains(c))
}

/// What to delete so that a path that was made is gone: the entry below the root that holds it, where the path is a
/// plain one; else the path itself. `None` where that might be more than was made.
fn to_delete(path: &str) -> Option<String> {
    let plain = |name: &str| {
        name.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c)) && name.chars().any(char::is_alphanumeric)
    };
    let below = path.strip_prefix("/memories/")?;
    let mut segments = below.split('/');
    if segments.clone().all(plain) {
        return segments.next().map(|first| format!("{ROOT}/{first}"));
    }
    let last = below.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    // A last segment of dots, however they are spelled, is a directory that was there before.
    let is_named = last.chars().any(char::is_alphanumeric) && !last.contains("..") && !last.contains('%');
    is_named.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_listings_of_many_forms() {
        let header = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:";
        let docs =
            format!("{header}\n4.0K\t/memories\n12B\t/memories/a b.txt\n4.0K\t/memories/dir/\n3B\t/memories/dir/x\n");
        for (listing, names) in [
            (docs.as_str(), vec!["a b.txt", "dir"]),
            ("Directory: /memories\n- a.txt\n- dir/", vec!["a.txt", "dir"]),
            ("/memories/\n├── a\n└── b/", vec!["a", "b"]),
            ("1.5K\ta\n2\tb/c", vec!["a", "b"]),
            ("Directory: /memories/", vec![]),
            ("(empty)", vec![]),
            ("0\t/memories/..\n0\t/memories/.", vec![]),
        ] {
            assert_eq!(entries(listing), names, "{listing}");
        }
    }

    #[test]
    fn nothing_is_deleted_that_was_there_before() {
        assert_eq!(to_delete("/memories/.hidden/a").as_deref(), Some("/memories/.hidden"));
        assert_eq!(to_delete("/memories/a\u{1}b").as_deref(), Some("/memories/a\u{1}b"));
        assert_eq!(to_delete("/memories/../x").as_deref(), Some("/memories/../x"));
        for path in [
            "/memories/..",
            "/memories/../..",
            "/memories/%2e%2e",
            "/memories",
            "/memories/",
            "/memories//",
            "/memories/./",
            "/memories/\\",
            "/etc/x",
            "..",
            "/memories/a/..",
        ] {
            assert_eq!(to_delete(path), None, "{path}");
        }
    }

    #[test]
    fn what_cannot_be_emptied_is_said() {
        let deleted = std::cell::Cell::new(0);
        let mut send = |input: &Value| {
            deleted.set(deleted.get() + usize::from(input["command"] == "delete"));
            Ok(ToolResult::ok("4.0K\t/memories\n1B\t/memories/stays"))
        };
        let fault = empty(&mut send, &mut Made::default(), true).unwrap_err().to_string();
        assert!(fault.contains("`/memories/stays` is still listed"), "{fault}");
        assert_eq!(deleted.get(), ROUNDS);
        let fault = empty(&mut send, &mut Made::default(), false).unwrap_err().to_string();
        assert!(fault.contains("--erase") && deleted.get() == ROUNDS, "{fault}");
    }
}
