//! Spellings of virtual paths.

use crate::wire::ROOT;

/// The plain form of a path: no empty and no `.` components, no trailing slash, `x/..` resolved.
pub fn normalised(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut plain = String::with_capacity(path.len());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => plain.truncate(plain.rfind('/').unwrap_or(0)),
            part => {
                if absolute || !plain.is_empty() {
                    plain.push('/');
                }
                plain.push_str(part);
            }
        }
    }
    if absolute && plain.is_empty() {
        plain.push('/');
    }
    plain
}

/// The plain form of what a generous handler takes a path for: `..` at the root stays there, as chroot has it, the
/// leading slash may be missing, and the prefix be in any case. `None` where nobody takes it for one in the store.
pub fn kept_inside(path: &str) -> Option<String> {
    let bare = path.trim_start_matches('/');
    let name = ROOT.trim_start_matches('/');
    let (prefix, rest) = bare.split_at_checked(name.len())?;
    let is_root = prefix.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('/'));
    // An absolute path, in which nothing stands above the first name.
    is_root.then(|| format!("{ROOT}{}", normalised(rest)).trim_end_matches('/').to_owned())
}

/// How a handler may write a path that it was sent: as it was sent, in a plain form, or in between.
pub fn spellings(path: &str) -> Vec<String> {
    let mut forms = vec![path.to_owned()];
    let slash = path.trim_end_matches('/');
    let plain = [Some(normalised(path)), kept_inside(path)].into_iter().flatten();
    for form in plain.chain([slash.to_owned(), path.replace("//", "/"), format!("{slash}/")]) {
        let extra_slash = form.ends_with('/') && !path.ends_with('/');
        if !form.is_empty() && !extra_slash && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// The part of `path` below `directory`, both normalised; `None` where it is not below it.
pub fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// Every directory between `/memories` and `path`, and `path`, all normalised.
pub fn with_parents(path: &str) -> Vec<String> {
    let path = normalised(path);
    let Some(rest) = below(&path, ROOT) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = ROOT.to_owned();
    for part in rest.split('/') {
        at.push('/');
        at.push_str(part);
        found.push(at.clone());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_as_sent_or_plainer() {
        assert_eq!(normalised("/memories//a/./b/../c/"), "/memories/a/c");
        assert_eq!(["/", "", "/..", "a/../../b", "/a/..", "../a/b/.."].map(normalised), ["/", "", "/", "b", "/", "a"]);
        assert_eq!(spellings("/memories/a"), ["/memories/a"]);
        assert_eq!(spellings("/memories/"), ["/memories/", "/memories"]);
        assert_eq!(spellings("/memories/../a"), ["/memories/../a", "/a", "/memories/a"]);
        assert_eq!(spellings("Memories/a"), ["Memories/a", "/memories/a"]);
        for (path, kept) in [
            ("/memories/../../a/../b", Some("/memories/b")),
            ("/MEMORIES", Some("/memories")),
            ("//memories//", Some("/memories")),
            ("/memoriesX/a", None),
            ("/etc/memories", None),
            ("/memorié", None),
        ] {
            assert_eq!(kept_inside(path).as_deref(), kept, "{path}");
        }
        assert_eq!(with_parents("/memories/a/b"), ["/memories/a", "/memories/a/b"]);
    }
}
