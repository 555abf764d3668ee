//! Voices that differ from another one in the form of a view or a listing.

use super::say::{Row, Say};
use super::voices::{docs, friendly, listed, size_of};

/// A view is the file's text and nothing else.
pub fn plain_text(say: &Say<'_>) -> String {
    match say {
        Say::File { lines, .. } => lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n"),
        other => docs(other),
    }
}

/// A view without a byte order mark.
pub fn without_mark(say: &Say<'_>) -> String {
    match say {
        Say::File { .. } => docs(say).replace('\u{feff}', ""),
        other => docs(other),
    }
}

/// A view is what `cat -n` prints.
pub fn cat_n(say: &Say<'_>) -> String {
    match say {
        Say::File { lines, .. } => {
            let lines: Vec<String> = lines.iter().map(|(number, line)| format!("{number:6}\t{line}")).collect();
            lines.join("\n")
        }
        other => docs(other),
    }
}

/// A view in a fence, with a closing line.
pub fn fenced(say: &Say<'_>) -> String {
    match say {
        Say::File { path, lines } => {
            let text = lines.iter().fold(String::new(), |text, (number, line)| format!("{text}[{number}] {line}\n"));
            format!("{path}\n```\n{text}```")
        }
        other => docs(other),
    }
}

/// Directories without a slash.
pub fn no_slash(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let header = format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                 node_modules:\n4.0K\t{path}"
            );
            listed(header, path, rows, |size| size_of(size, 1024.0), "4.0K", "")
        }
        other => docs(other),
    }
}

/// Sizes in units of 1000, rows in the opposite order.
pub fn thousands(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let header = format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                 node_modules:\n4.1K\t{path}"
            );
            let rows: Vec<Row> = rows.iter().rev().cloned().collect();
            listed(header, path, &rows, |size| size_of(size, 1000.0), "4.1K", "/")
        }
        other => docs(other),
    }
}

/// Paths alone, without sizes.
pub fn paths_alone(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let path = path.trim_end_matches('/');
            rows.iter().fold(format!("{path}:"), |text, row| format!("{text}\n{path}/{}", row.path))
        }
        other => docs(other),
    }
}

/// Files alone: directories have no rows of their own.
pub fn files_alone(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let rows: Vec<Row> = rows.iter().filter(|row| row.size.is_some()).cloned().collect();
            docs(&Say::Directory { path, rows })
        }
        other => docs(other),
    }
}

/// Paths alone, with control characters written as escapes, so that a name cannot pass for two rows.
pub fn escaped_paths(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let escaped = |path: &str| {
                path.chars()
                    .map(|c| if c.is_control() { c.escape_debug().to_string() } else { c.into() })
                    .collect::<String>()
            };
            let rows: Vec<Row> = rows.iter().map(|row| Row { path: escaped(&row.path), ..row.clone() }).collect();
            paths_alone(&Say::Directory { path, rows })
        }
        other => docs(other),
    }
}

/// A tree as `tree` draws it.
pub fn tree(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let mut text = (*path).to_owned();
            for (at, row) in rows.iter().enumerate() {
                let last = !rows[at + 1..]
                    .iter()
                    .take_while(|next| next.level >= row.level)
                    .any(|next| next.level == row.level);
                let bars = "│   ".repeat(row.level - 1);
                let name = row.path.rsplit('/').next().unwrap_or_default();
                text.push_str(&format!("\n{bars}{} {name}", if last { "└──" } else { "├──" }));
            }
            text
        }
        other => docs(other),
    }
}

/// Friendly, with every row a sentence's part: a dash, the name, a note.
pub fn bullets(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } if rows.is_empty() => format!("{path} is empty."),
        Say::Directory { path, rows } => {
            let row = |row: &Row| {
                let indent = "  ".repeat(row.level);
                let name = row.path.rsplit('/').next().unwrap_or_default();
                format!("\n{indent}- {name}{}", if row.size.is_some() { "" } else { "/" })
            };
            format!("{path}/{}", rows.iter().map(row).collect::<String>())
        }
        other => friendly(other),
    }
}
