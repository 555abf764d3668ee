//! The view of a directory.

use std::fmt::Write as _;

use super::{Store, StoreError, VirtualPath};

/// How deep a listing goes below its directory.
const LEVELS: usize = 2;

/// The size that every directory is given: what it would be differs between file systems.
const DIRECTORY_SIZE: &str = "4.0K";

/// A directory as the documentation wants it (`view.directory-*`): a header, and a row each for the directory itself
/// and what lies up to two levels below, in pre-order. A directory below has a final `/`. No final LF.
pub(super) fn listing<S: Store>(store: &S, path: &VirtualPath<'_>) -> Result<String, StoreError> {
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:\n\
         {DIRECTORY_SIZE}\t{path}"
    );
    let mut place = String::from(path.as_str());
    store.walk(path, &mut |entry| {
        if entry.name.starts_with('.') || entry.name == "node_modules" {
            return false;
        }
        if entry.level == 1 {
            place.truncate(path.as_str().len());
        }
        text.push('\n');
        match entry.size {
            Some(size) => push_size(&mut text, size),
            None => text.push_str(DIRECTORY_SIZE),
        }
        text.push('\t');
        text.push_str(&place);
        text.push('/');
        text.push_str(entry.name);
        if entry.size.is_some() {
            return false;
        }
        text.push('/');
        if entry.level >= LEVELS {
            return false;
        }
        place.push('/');
        place.push_str(entry.name);
        true
    })?;
    Ok(text)
}

/// A size that a person can read (`view.directory-size`): bytes below 1024, else one decimal of a unit of 1024,
/// rounded half up.
fn push_size(text: &mut String, bytes: u64) {
    // Writing to a String cannot fail.
    if bytes < 1024 {
        let _ = write!(text, "{bytes}B");
        return;
    }
    let mut unit = 1024_u128;
    for name in ["K", "M", "G", "T"] {
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        if tenths < 10_240 || name == "T" {
            let _ = write!(text, "{}.{}{name}", tenths / 10, tenths % 10);
            return;
        }
        unit *= 1024;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (bytes, text) in [
            (0, "0B"),
            (1023, "1023B"),
            (1024, "1.0K"),
            (1075, "1.0K"),
            (1076, "1.1K"),
            (1280, "1.3K"),
            (1536, "1.5K"),
            (4096, "4.0K"),
            (1_048_524, "1023.9K"),
            (1_048_525, "1.0M"),
            (1 << 20, "1.0M"),
            (1 << 30, "1.0G"),
            (1 << 40, "1.0T"),
            (u64::MAX, "16777216.0T"),
        ] {
            let mut out = String::new();
            push_size(&mut out, bytes);
            assert_eq!(out, text, "{bytes}");
        }
    }
}
