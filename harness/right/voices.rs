//! Words: the documentation's, those of published handlers, and others that nobody has published.

use super::say::{Row, Say};

/// The documentation's own strings.
pub fn docs(say: &Say<'_>) -> String {
    match say {
        Say::File { path, lines } => {
            let header = format!("Here's the content of {path} with line numbers:");
            lines.iter().fold(header, |text, (number, line)| format!("{text}\n{number:6}\t{line}"))
        }
        Say::Directory { path, rows } => {
            let header = format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                 node_modules:\n4.0K\t{path}"
            );
            listed(header, path, rows, |size| size_of(size, 1024.0), "4.0K", "/")
        }
        Say::Created { path } => format!("File created successfully at: {path}"),
        Say::Edited { snippet, .. } => {
            let header = "The memory file has been edited.".to_owned();
            snippet.iter().fold(header, |text, (number, line)| format!("{text}\n{number:6}\t{line}"))
        }
        Say::Inserted { path, .. } => format!("The file {path} has been edited."),
        Say::Deleted { path, .. } => format!("Successfully deleted {path}"),
        Say::Renamed { old, new } => format!("Successfully renamed {old} to {new}"),
        Say::Missing { command: "view", path } => {
            format!("The path {path} does not exist. Please provide a valid path.")
        }
        Say::Missing { command: "str_replace", path } | Say::NotAFile { command: "str_replace", path } => {
            format!("Error: The path {path} does not exist. Please provide a valid path.")
        }
        Say::Missing { path, .. } | Say::NotAFile { path, .. } => format!("Error: The path {path} does not exist"),
        Say::Exists { path } => format!("Error: File {path} already exists"),
        Say::NotFound { old, path } => {
            format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        }
        Say::Ambiguous { old, lines, .. } => format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is \
             unique",
            joined(lines)
        ),
        Say::BadLine { line, count } => format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, \
             {count}]"
        ),
        Say::BadRange => "Error: Invalid `view_range` parameter".into(),
        Say::LineLimit { path, .. } => format!("File {path} exceeds maximum line limit of 999,999 lines."),
        Say::DestinationExists { new } => format!("Error: The destination {new} already exists"),
        Say::IntoItself { old, new } => format!("Error: {new} is below {old}"),
        Say::Root { command } => format!("Error: Cannot {command} the /memories directory itself"),
        Say::Outside { path } => format!("Error: Path must start with /memories, got: {}", path.escape_debug()),
        Say::Refused { what } => format!("Error: the {what} is refused"),
        Say::Unknown { command } => format!("Error: Unknown command: {command}"),
        Say::Parameter { name } => format!("Error: Invalid or missing parameter `{name}`"),
    }
}

/// The Python SDK's (PyPI anthropic 2.14.0), as it reaches Claude.
pub fn python_sdk(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let header = format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n4K\t{path}"
            );
            listed(header, path, rows, |size| size_of(size, 1024.0).replace(".0", ""), "4K", "/")
        }
        Say::Edited { snippet, .. } => {
            let header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
            snippet.iter().fold(header.to_owned(), |text, (number, line)| format!("{text}\n{number:6}\t{line}"))
        }
        Say::Missing { command: "insert", path } => {
            format!("The path {path} does not exist. Please provide a valid path.")
        }
        Say::NotAFile { path, .. } => format!("The path {path} is not a file."),
        Say::BadLine { line, count } => {
            format!("Invalid `insert_line` parameter: {line}. It should be within the range [0, {count}].")
        }
        Say::Unknown { command } => format!("NotImplementedError('Unknown command: {command}')"),
        other => bare(docs(other)),
    }
}

/// The TypeScript SDK's (@anthropic-ai/sdk 1.14.0), as it reaches Claude: every error has the prefix.
pub fn typescript_sdk(say: &Say<'_>) -> String {
    let text = match say {
        Say::Directory { .. } => return docs(say).replace(".0K", "K"),
        Say::LineLimit { path, count } => {
            format!("File {path} has too many lines ({count}). Maximum is 999,999 lines.")
        }
        Say::BadLine { .. } => bare(docs(say)),
        Say::Unknown { command } => format!("{command} not implemented"),
        other => bare(python_sdk(other)),
    };
    if say.is_error() { format!("Error: {text}") } else { text }
}

/// The Java SDK's example.
pub fn java_example(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let row = |row: &Row| match row.size {
                Some(size) => format!("\n{:<10}\t{}", size_of(size, 1000.0).to_lowercase().replace('b', ""), row.path),
                None => format!("\n{:<10}\t{}", "DIR", row.path),
            };
            format!("Contents of directory {path}:{}", rows.iter().map(row).collect::<String>())
        }
        Say::Edited { path, snippet } => {
            let header = format!("The memory file has been edited.\nHere's the content of {path} with line numbers:");
            snippet.iter().fold(header, |text, (number, line)| format!("{text}\n{number:6}\t{line}"))
        }
        Say::Outside { .. } => "Error: Invalid path. All paths must start with /memories".into(),
        error if error.is_error() => format!("Error: {}", bare(docs(error))),
        other => docs(other),
    }
}

/// The C# SDK's example.
pub fn csharp_example(say: &Say<'_>) -> String {
    match say {
        Say::Directory { path, rows } => {
            let row = |row: &Row| match row.size {
                Some(size) => format!("\n{size}\t{}", row.path),
                None => format!("\nDIR\t{}/", row.path),
            };
            format!("Here're the files and directories in {path}:{}", rows.iter().map(row).collect::<String>())
        }
        Say::Edited { path, .. } => format!("The memory file {path} has been edited."),
        Say::Missing { command: "insert", path } | Say::NotAFile { path, .. } => {
            format!("The path {path} does not exist. Please provide a valid path.")
        }
        other => bare(docs(other)),
    }
}

/// The cookbook's `memory_tool.py`, which flags no error.
pub fn cookbook(say: &Say<'_>) -> String {
    match say {
        Say::File { lines, .. } => {
            let lines: Vec<String> = lines.iter().map(|(number, line)| format!("{number:4}: {line}")).collect();
            lines.join("\n")
        }
        Say::Directory { path, rows } if rows.is_empty() => format!("Directory: {path}\n(empty)"),
        Say::Directory { path, rows } => {
            let row = |row: &Row| format!("\n- {}{}", row.path, if row.size.is_some() { "" } else { "/" });
            format!("Directory: {path}{}", rows.iter().map(row).collect::<String>())
        }
        Say::Created { path } => format!("File created successfully at {path}"),
        Say::Edited { path, .. } => format!("File {path} has been edited successfully"),
        Say::Inserted { path, line } => format!("Text inserted at line {line} in {path}"),
        Say::Deleted { path, directory } => {
            format!("{} deleted: {path}", if *directory { "Directory" } else { "File" })
        }
        Say::Renamed { old, new } => format!("Renamed {old} to {new}"),
        Say::Missing { command: "view" | "delete", path } => format!("Path not found: {path}"),
        Say::Missing { command: "rename", path } => format!("Source path not found: {path}"),
        Say::Missing { path, .. } | Say::NotAFile { path, .. } => format!("File not found: {path}"),
        Say::NotFound { path, .. } => {
            format!("String not found in {path}. The exact text must exist in the file.")
        }
        Say::Ambiguous { path, lines, .. } => format!(
            "String appears {} times in {path}. The string must be unique. Use more specific context.",
            lines.len()
        ),
        Say::BadLine { line, count } => format!("Invalid insert_line {line}. Must be between 0 and {count}"),
        Say::DestinationExists { new } => {
            format!("Destination already exists: {new}. Cannot overwrite existing files/directories.")
        }
        Say::Root { command } => format!("Cannot {command} the /memories directory itself"),
        Say::Outside { path } => format!(
            "Path must start with /memories, got: {path}. All memory operations must be confined to the /memories \
             directory."
        ),
        Say::Unknown { command } => format!(
            "Unknown command: '{command}'. Valid commands are: view, create, str_replace, insert, delete, rename"
        ),
        Say::Parameter { name } => format!("Missing required parameters: {name}"),
        Say::Exists { path } | Say::LineLimit { path, .. } => format!("Cannot create {path}: it is there"),
        Say::BadRange => "Cannot read file: list index out of range".into(),
        Say::IntoItself { old, new } => format!("Cannot rename {old} to {new}: Invalid argument"),
        Say::Refused { what } => format!("Cannot use this {what}"),
    }
}

/// Friendly English of its own.
pub fn friendly(say: &Say<'_>) -> String {
    match say {
        Say::File { path, lines } => {
            let header = format!("Sure! This is what I keep in {path} ({} lines):", lines.len());
            lines.iter().fold(header, |text, (number, line)| format!("{text}\n{number} | {line}"))
        }
        Say::Directory { path, rows } => {
            let header = format!("Here is what is stored under {path}:");
            let row = |row: &Row| match row.size {
                Some(size) => format!("\n* {} ({size} bytes)", row.path),
                None => format!("\n* {}/ [folder]", row.path),
            };
            header + &rows.iter().map(row).collect::<String>()
        }
        Say::Created { path } => format!("All right, I have saved that as {path}."),
        Say::Edited { path, .. } => format!("Done! I have changed the text in {path}."),
        Say::Inserted { path, line } => format!("Done! I have added your text to {path} after line {line}."),
        Say::Deleted { path, .. } => format!("{path} has been forgotten."),
        Say::Renamed { old, new } => format!("{old} is called {new} from now on."),
        Say::Missing { path, .. } => format!("Hmm, I have nothing under {path}."),
        Say::NotAFile { path, .. } => format!("{path} is a folder, so there is no text to work on."),
        Say::Exists { path } => format!("There is a note called {path} already; pick another name."),
        Say::NotFound { path, .. } => format!("I looked through {path}, but the text you gave me is nowhere in it."),
        Say::Ambiguous { lines, .. } => {
            format!("That text is there {} times (lines {}); give me more of it.", lines.len(), joined(lines))
        }
        Say::BadLine { count, .. } => format!("The note has {count} lines, so that line is not there."),
        Say::BadRange => "I can not make sense of those line numbers.".into(),
        Say::LineLimit { .. } => "This note is far too long to show.".into(),
        Say::DestinationExists { new } => format!("The name {new} is taken."),
        Say::IntoItself { .. } => "A folder does not fit into itself.".into(),
        Say::Root { .. } => "I would rather keep all of my memory.".into(),
        Say::Outside { .. } => "That is not a place in my memory.".into(),
        Say::Refused { what } => format!("Sorry, I do not take this {what}."),
        Say::Unknown { .. } => "I do not know how to do that.".into(),
        Say::Parameter { name } => format!("I need a proper `{name}` for that."),
    }
}

/// Chinese.
pub fn chinese(say: &Say<'_>) -> String {
    match say {
        Say::File { path, lines } => {
            let header = format!("文件 {path} 的内容：");
            lines.iter().fold(header, |text, (number, line)| format!("{text}\n{number}: {line}"))
        }
        Say::Directory { path, rows } => {
            let row = |row: &Row| match row.size {
                Some(size) => format!("\n文件 {}（{size} 字节）", row.path),
                None => format!("\n目录 {}/", row.path),
            };
            format!("目录 {path} 的内容：{}", rows.iter().map(row).collect::<String>())
        }
        Say::Created { path } => format!("已创建文件 {path}"),
        Say::Edited { path, .. } => format!("已修改文件 {path}"),
        Say::Inserted { path, line } => format!("已在 {path} 第 {line} 行之后插入文本"),
        Say::Deleted { path, .. } => format!("已删除 {path}"),
        Say::Renamed { old, new } => format!("已将 {old} 重命名为 {new}"),
        Say::Missing { path, .. } => format!("找不到 {path}"),
        Say::NotAFile { path, .. } => format!("{path} 不是文件"),
        Say::Exists { path } => format!("文件 {path} 已存在"),
        Say::NotFound { path, .. } => format!("在 {path} 中找不到指定的文本"),
        Say::Ambiguous { lines, .. } => format!("文本出现了 {} 次，行号：{}", lines.len(), joined(lines)),
        Say::BadLine { count, .. } => format!("行号无效，应在 0 到 {count} 之间"),
        Say::BadRange => "行范围无效".into(),
        Say::LineLimit { .. } => "文件行数过多".into(),
        Say::DestinationExists { new } => format!("目标 {new} 已存在"),
        Say::IntoItself { .. } => "不能移动到自身之内".into(),
        Say::Root { .. } => "不能对根目录执行此操作".into(),
        Say::Outside { .. } => "路径必须位于记忆目录之内".into(),
        Say::Refused { .. } => "不接受此内容".into(),
        Say::Unknown { .. } => "未知命令".into(),
        Say::Parameter { name } => format!("参数 {name} 缺失或无效"),
    }
}

/// Without `Error: `.
fn bare(text: String) -> String {
    text.strip_prefix("Error: ").map(str::to_owned).unwrap_or(text)
}

fn joined(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Rows as `size` TAB `path`.
pub fn listed(
    header: String,
    path: &str,
    rows: &[Row],
    size: impl Fn(u64) -> String,
    directory: &str,
    slash: &str,
) -> String {
    let path = path.trim_end_matches('/');
    rows.iter().fold(header, |text, row| match row.size {
        Some(bytes) => format!("{text}\n{}\t{path}/{}", size(bytes), row.path),
        None => format!("{text}\n{directory}\t{path}/{}{slash}", row.path),
    })
}

/// A size in units of 1024 or 1000.
pub fn size_of(bytes: u64, base: f64) -> String {
    let (mut size, mut units) = (bytes as f64, "BKMGT".chars());
    let mut unit = units.next().unwrap_or('B');
    while size >= base {
        size /= base;
        unit = units.next().unwrap_or('T');
    }
    if unit == 'B' { format!("{bytes}B") } else { format!("{size:.1}{unit}") }
}
