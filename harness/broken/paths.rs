//! Paths that lead out of the store: no check, a check that is not the use, a check before the decoding.

use std::path::PathBuf;

use memconf::case::{
    Facet::{Behaviour, Safety},
    Level::Must,
};

use super::host::{Sent, Site, below, checked, host, joined, lexical, right};
use super::{Broken, on_disk};

/// The right place for every command but one, which joins without a check.
fn unchecked(site: &Site, sent: Sent<'_>, command: &str, name: &str) -> Result<PathBuf, String> {
    match sent.command == command && sent.name == name {
        true => Ok(joined(site, below(sent.path)?)),
        false => right(site, sent),
    }
}

/// Checks the path as it was sent, and uses what `decode` makes of it.
fn decoded_late(site: &Site, sent: Sent<'_>, decode: fn(&str) -> String) -> Result<PathBuf, String> {
    Ok(joined(site, &decode(checked(sent.path)?)))
}

fn percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The directory that stands for everything beyond: `{outside}` of the scripts.
fn home(site: &Site) -> PathBuf {
    site.base.join("outer/abs")
}

macro_rules! unchecked_in {
    ($handler:literal, $about:literal, $command:literal, $name:literal) => {
        on_disk($handler, $about, Safety, Must, || host(|site, sent| unchecked(site, sent, $command, $name)))
    };
}

macro_rules! decoding {
    ($handler:literal, $about:literal, $decode:expr) => {
        on_disk($handler, $about, Safety, Must, || host(|site, sent| decoded_late(site, sent, $decode)))
    };
}

pub fn all() -> Vec<Broken> {
    vec![
        on_disk("joins-without-a-check", "joins root and path, and checks the prefix alone", Safety, Must, || {
            host(|site, sent| Ok(joined(site, below(sent.path)?)))
        }),
        unchecked_in!("view-unchecked", "validates every path but that of view", "view", "path"),
        unchecked_in!("create-unchecked", "validates every path but that of create", "create", "path"),
        unchecked_in!("str-replace-unchecked", "validates every path but that of str_replace", "str_replace", "path"),
        unchecked_in!("insert-unchecked", "validates every path but that of insert", "insert", "path"),
        unchecked_in!("delete-unchecked", "validates every path but that of delete", "delete", "path"),
        unchecked_in!("rename-source-unchecked", "validates the new path of a rename alone", "rename", "old_path"),
        unchecked_in!("rename-destination-unchecked", "validates the old path of a rename alone", "rename", "new_path"),
        on_disk("checks-the-first-name-alone", "looks for `..` in front alone: x/../.. passes", Safety, Must, || {
            host(|site, sent| {
                let rest = below(sent.path)?;
                match rest.trim_start_matches('/').starts_with("..") {
                    true => right(site, sent),
                    false => Ok(joined(site, rest)),
                }
            })
        }),
        on_disk(
            "checks-existing-paths-alone",
            "resolves a path only where it exists (Java example): a create climbs",
            Safety,
            Must,
            || {
                host(|site, sent| {
                    let place = joined(site, below(sent.path)?);
                    match place.exists() && !place.starts_with(&site.root) {
                        true => right(site, sent),
                        false => Ok(place),
                    }
                })
            },
        ),
        on_disk(
            "prefix-check-without-separator",
            "compares root and path as texts: a sibling passes (CVE-2026-34451, CVE-2025-53110)",
            Safety,
            Must,
            || {
                host(|site, sent| {
                    let place = joined(site, below(sent.path)?);
                    match place.to_string_lossy().starts_with(&*site.root.to_string_lossy()) {
                        true => Ok(place),
                        false => Err("Error: Path would escape /memories".into()),
                    }
                })
            },
        ),
        on_disk(
            "virtual-prefix-without-separator",
            "takes /memories_evil for a directory beside its root (CVE-2026-55443)",
            Safety,
            Must,
            || {
                host(|site, sent| match sent.path.strip_prefix("/memories") {
                    Some(rest) if !rest.split('/').any(|name| name == "..") => {
                        Ok(lexical(&PathBuf::from(format!("{}{rest}", site.root.display()))))
                    }
                    _ => right(site, sent),
                })
            },
        ),
        on_disk(
            "absolute-paths-as-they-are",
            "joins with an absolute path, which drops the root",
            Safety,
            Must,
            || {
                host(|site, sent| match sent.path.starts_with(&*site.base.to_string_lossy()) {
                    true => Ok(lexical(&PathBuf::from(sent.path))),
                    false => right(site, sent),
                })
            },
        ),
        on_disk(
            "absolute-second-component",
            "joins the rest of `/memories//abs`, which drops the root (Path::join, os.path.join)",
            Safety,
            Must,
            || host(|site, sent| Ok(lexical(&site.root.join(checked(sent.path)?)))),
        ),
        on_disk(
            "relative-to-the-working-directory",
            "opens a relative path where the process runs",
            Behaviour,
            Must,
            || {
                host(|site, sent| {
                    match sent.path.starts_with(['/', '~']) || sent.path.trim().is_empty() || sent.path.contains(':') {
                        true => right(site, sent),
                        false => Ok(joined(site, sent.path)),
                    }
                })
            },
        ),
        decoding!("decodes-after-the-check", "decodes %2e%2e%2f after the check (CVE-2021-41773)", percent),
        on_disk("decodes-twice", "checks after one decoding and decodes again (CVE-2021-42013)", Safety, Must, || {
            host(|site, sent| {
                let once = percent(sent.path);
                Ok(joined(site, &percent(checked(&once)?)))
            })
        }),
        on_disk("decodes-until-nothing-changes", "decodes as long as it can, after the check", Safety, Must, || {
            host(|site, sent| {
                decoded_late(site, sent, |rest| {
                    (0..4).fold(rest.to_owned(), |text, _| percent(&text.replace("%%32%65", ".")))
                })
            })
        }),
        decoding!(
            "backslash-is-a-separator",
            "checks between slashes and uses backslashes too (Windows, CVE-2026-54286)",
            |rest| { percent(rest).replace('\\', "/") }
        ),
        on_disk(
            "backslash-after-the-root",
            "turns every backslash of a path into a slash after the check",
            Safety,
            Must,
            || {
                host(|site, sent| {
                    let slashed = sent.path.replace('\\', "/");
                    match sent.path.split('/').any(|name| name == "..") {
                        true => right(site, sent),
                        false => Ok(joined(site, below(&slashed)?)),
                    }
                })
            },
        ),
        on_disk("strips-dotdot-once", "takes `../` out once: `....//` becomes `../`", Safety, Must, || {
            host(|site, sent| Ok(joined(site, &below(sent.path)?.replace("../", ""))))
        }),
        on_disk("strips-dot-slash", "takes `./` out after the check: `..././` becomes `../`", Safety, Must, || {
            host(|site, sent| {
                let rest = checked(sent.path)?;
                Ok(joined(site, &rest.replace(".../", "/../").replace("../.", "..")))
            })
        }),
        decoding!(
            "drops-invisible-characters",
            "drops zero-width characters after the check: `.` and `.` meet",
            |rest| { rest.replace(['\u{200b}', '\u{200c}', '\u{200d}', '\u{feff}', '\u{2060}'], "") }
        ),
        decoding!("normalises-after-the-check", "folds full-width dots and slashes (NFKC) after the check", |rest| {
            rest.replace('\u{ff0e}', ".").replace('\u{ff0f}', "/").replace('\u{ff3c}', "/")
        }),
        decoding!("folds-dot-leaders", "folds dot leaders and small stops (NFKC) after the check", |rest| {
            rest.replace(['\u{2024}', '\u{fe52}', '\u{3002}'], ".").replace('\u{2025}', "..").replace('\u{2215}', "/")
        }),
        decoding!("decodes-percent-u", "decodes %u002e after the check (CVE-2021-34429)", |rest| {
            rest.replace("%u002e", ".").replace("%u002f", "/")
        }),
        decoding!("decodes-overlong", "takes overlong bytes for what they spell (CVE-2008-2938)", |rest| {
            rest.replace("%c0%ae", ".").replace("%c0%af", "/").replace("%e0%80%ae", ".")
        }),
        decoding!("decodes-c-escapes", "decodes \\u002e and \\x2e after the check", |rest| {
            rest.replace("\\u002e", ".").replace("\\x2e", ".")
        }),
        decoding!("decodes-entities", "decodes HTML entities after the check", |rest| {
            rest.replace("&#46;", ".").replace("&period;", ".").replace("&sol;", "/")
        }),
        decoding!("nul-dropped-after-the-check", "drops NUL after the check: `.` and `.` meet", |rest| rest
            .replace('\0', "")),
        on_disk("nul-cuts-after-the-check", "ends a path at NUL after the check (a C string)", Behaviour, Must, || {
            host(|site, sent| decoded_late(site, sent, |rest| rest.split('\0').next().unwrap_or_default().to_owned()))
        }),
        decoding!(
            "dots-at-the-end-dropped",
            "drops what stands behind two dots in a name (Windows drops dots and blanks)",
            |rest| {
                let plain = |name: &str| {
                    if name.starts_with("..") && name.trim_end_matches(['.', ' ', '\0']).is_empty() {
                        "..".to_owned()
                    } else {
                        name.to_owned()
                    }
                };
                rest.split('/').map(plain).collect::<Vec<_>>().join("/")
            }
        ),
        on_disk("tilde-is-home", "expands a tilde (expanduser)", Safety, Must, || {
            host(|site, sent| match sent.path.strip_prefix("~/").or_else(|| sent.path.strip_prefix("/memories/~/")) {
                Some(rest) => Ok(lexical(&home(site).join(rest))),
                None => right(site, sent),
            })
        }),
        on_disk("variables-expanded", "expands $HOME in a path (expandvars)", Safety, Must, || {
            host(|site, sent| {
                let rest = sent.path.trim_start_matches("/memories/");
                let variable = ["${HOME}/", "$HOME/", "%HOME%/"].into_iter().find_map(|name| rest.strip_prefix(name));
                match variable {
                    Some(rest) => Ok(lexical(&home(site).join(rest))),
                    None => right(site, sent),
                }
            })
        }),
        on_disk("file-urls-opened", "opens what a file: URL names", Safety, Must, || {
            host(|site, sent| match sent.path.split_once("file://") {
                Some((_, path)) if path.starts_with(&*site.base.to_string_lossy()) => Ok(lexical(&PathBuf::from(path))),
                Some((_, path)) if path.starts_with("/memories/") => right(site, Sent { path, ..sent }),
                _ => right(site, sent),
            })
        }),
        on_disk("empty-path-is-the-parent", "joins an empty path to the directory above", Behaviour, Must, || {
            host(|site, sent| match sent.path.trim().trim_matches('/').is_empty() {
                true => Ok(site.root.parent().unwrap_or(&site.root).to_path_buf()),
                false => right(site, sent),
            })
        }),
    ]
}
