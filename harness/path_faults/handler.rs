//! A plain handler on a real directory, with one hole for each fault.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use memconf::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

pub type Answer = Result<String, String>;

/// Turns a path as sent into a place on the host, or refuses it.
pub type Resolve = fn(&Faulty, &str) -> Result<PathBuf, String>;

/// A handler whose only fault is its `resolve`, or one of the flags.
pub struct Faulty {
    pub root: PathBuf,
    pub resolve: Resolve,
    pub faults: Faults,
}

/// Faults outside `resolve`.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    /// Links are followed, wherever they lead.
    pub follows_links: bool,
    /// A listing shows what stands behind a link.
    pub lists_links: bool,
    /// The last name is not looked at: a dangling link is written through.
    pub checks_existing_only: bool,
    /// Only the parent directory is looked at.
    pub checks_parent_only: bool,
    /// Only the target is looked at, where it is a link itself.
    pub checks_last_only: bool,
    /// The root is guarded by its exact string.
    pub guards_string: bool,
    /// The root is not guarded.
    pub no_guard: bool,
    /// The root may be renamed.
    pub renames_root: bool,
    /// Errors are the system's, with the host's path.
    pub host_paths: bool,
    /// A directory moved below itself is lost.
    pub loses_self_moves: bool,
    /// Files are 0644.
    pub open_modes: bool,
    /// A very long path ends it.
    pub panics_on_long: bool,
    /// A path that is a list is joined without a look.
    pub joins_lists: bool,
    /// A rename is not checked where it goes.
    pub unchecked_destination: bool,
    /// A rename is not checked where it comes from.
    pub unchecked_source: bool,
    /// A file is emptied before it is removed.
    pub empties_first: bool,
    /// A file that cannot be read counts as empty, and is replaced as a whole.
    pub unreadable_is_empty: bool,
    /// A name that is not UTF-8 ends it.
    pub panics_on_raw_names: bool,
    /// A directory with more files than it has room for ends it.
    pub panics_on_many: bool,
    /// The root is known by its real path only.
    pub guards_real_root: bool,
    /// Names are listed as they are, control characters and all.
    pub lists_raw_names: bool,
}

impl Faulty {
    pub fn new(resolve: Resolve, faults: Faults) -> Faulty {
        Faulty { root: PathBuf::new(), resolve, faults }
    }

    fn place(&self, input: &Value, name: &str) -> Result<PathBuf, String> {
        let sent = match input.get(name) {
            Some(Value::String(path)) => path.clone(),
            Some(Value::Array(parts)) if self.faults.joins_lists => {
                let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
                let path = parts.join("/");
                return Ok(self.root.join(path.trim_start_matches("/memories").trim_start_matches('/')));
            }
            _ => return Err(format!("Error: `{name}` must be a string")),
        };
        if self.faults.panics_on_long && sent.len() > 3000 {
            panic!("the path is too long");
        }
        let unchecked = (name == "new_path" && self.faults.unchecked_destination)
            || (name == "old_path" && self.faults.unchecked_source);
        if unchecked {
            return below(&sent).map(|rest| self.root.join(rest));
        }
        let place = (self.resolve)(self, &sent)?;
        self.look_at_links(&place)?;
        Ok(place)
    }

    /// Every component that exists, from the root down, must be no link.
    fn look_at_links(&self, place: &Path) -> Result<(), String> {
        let faults = &self.faults;
        let Ok(rest) = place.strip_prefix(&self.root) else { return Ok(()) };
        if faults.follows_links {
            return Ok(());
        }
        if faults.checks_existing_only {
            return match place.canonicalize() {
                Ok(real) if !real.starts_with(&self.root) => Err("Error: a link".into()),
                _ => Ok(()),
            };
        }
        let parts: Vec<_> = rest.components().collect();
        let mut at = self.root.clone();
        for (number, part) in parts.iter().enumerate() {
            at.push(part);
            let last = number + 1 == parts.len();
            if (last && faults.checks_parent_only) || (!last && faults.checks_last_only) {
                continue;
            }
            if fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink()) {
                return Err("Error: a link".into());
            }
        }
        Ok(())
    }

    fn error(&self, error: &std::io::Error, place: &Path) -> String {
        if self.faults.host_paths { format!("Error: {error}: {}", place.display()) } else { "Error: no".into() }
    }

    fn read(&self, place: &Path) -> Answer {
        let meta = fs::metadata(place).map_err(|error| self.error(&error, place))?;
        if !meta.is_file() {
            return Err("Error: not a file".into());
        }
        match fs::read_to_string(place) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied && self.faults.unreadable_is_empty => {
                let _ = fs::remove_file(place);
                Ok(String::new())
            }
            read => read.map_err(|error| self.error(&error, place)),
        }
    }

    fn write(&self, place: &Path, text: &str) -> Result<(), String> {
        fs::write(place, text).map_err(|error| self.error(&error, place))?;
        if !self.faults.open_modes {
            self.private(place, 0o600);
        }
        Ok(())
    }

    fn private(&self, place: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(place, fs::Permissions::from_mode(mode));
    }

    fn parents(&self, place: &Path) -> Result<(), String> {
        let Some(parent) = place.parent() else { return Ok(()) };
        fs::create_dir_all(parent).map_err(|error| self.error(&error, parent))?;
        if !self.faults.open_modes && parent.starts_with(&self.root) {
            self.private(parent, 0o700);
        }
        Ok(())
    }

    fn is_root(&self, place: &Path, sent: &Value) -> bool {
        match self.faults {
            Faults { no_guard: true, .. } => false,
            Faults { guards_string: true, .. } => sent == "/memories",
            Faults { guards_real_root: true, .. } => place.canonicalize().is_ok_and(|real| real == self.root),
            _ => normal(place) == self.root,
        }
    }

    fn answer(&mut self, input: &Value) -> Answer {
        let text = |name: &str| input[name].as_str().ok_or_else(|| format!("Error: no `{name}`"));
        match input["command"].as_str() {
            Some("view") => self.view(input),
            Some("create") => {
                let place = self.place(input, "path")?;
                // A pipe too: to open one would wait for ever.
                if fs::metadata(&place).is_ok_and(|meta| !meta.is_file()) {
                    return Err("Error: no file".into());
                }
                self.parents(&place)?;
                self.write(&place, text("file_text")?)?;
                Ok(format!("File created successfully at: {}", text("path")?))
            }
            Some("str_replace") => {
                let place = self.place(input, "path")?;
                let (old, new) = (text("old_str")?, text("new_str")?);
                let held = self.read(&place)?;
                if held.matches(old).count() != 1 {
                    return Err("Error: No replacement was performed".into());
                }
                self.write(&place, &held.replacen(old, new, 1))?;
                Ok("The memory file has been edited.".into())
            }
            Some("insert") => {
                let place = self.place(input, "path")?;
                let held = self.read(&place)?;
                let line = input["insert_line"].as_u64().ok_or("Error: no line")? as usize;
                let mut lines: Vec<&str> = held.split('\n').collect();
                lines.insert(line.min(lines.len()), text("insert_text")?.trim_end_matches('\n'));
                self.write(&place, &lines.join("\n"))?;
                Ok(format!("The file {} has been edited.", text("path")?))
            }
            Some("delete") => self.delete(input),
            Some("rename") => self.rename(input),
            _ => Err("Error: unknown command".into()),
        }
    }

    fn view(&self, input: &Value) -> Answer {
        let place = self.place(input, "path")?;
        let sent = input["path"].as_str().unwrap_or_default();
        if place.is_dir() {
            let mut rows = format!(
                "Here're the files and directories up to 2 levels deep in {sent}, excluding hidden items and node_modules:\n4.0K\t{sent}"
            );
            self.list(&place, sent.trim_end_matches('/'), 1, &mut rows);
            return Ok(rows);
        }
        let held = self.read(&place).map_err(|error| match self.faults.host_paths {
            true => error,
            false => format!("The path {sent} does not exist. Please provide a valid path."),
        })?;
        let mut shown = format!("Here's the content of {sent} with line numbers:");
        for (number, line) in held.lines().enumerate() {
            shown += &format!("\n{:6}\t{line}", number + 1);
        }
        Ok(shown)
    }

    fn list(&self, place: &Path, sent: &str, level: usize, rows: &mut String) {
        let faults = &self.faults;
        for (number, entry) in fs::read_dir(place).into_iter().flatten().flatten().enumerate() {
            assert!(!faults.panics_on_many || number < 5000, "too many files");
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) if !faults.panics_on_raw_names => name.to_string_lossy().into_owned(),
                Err(name) => panic!("{name:?} is not UTF-8"),
            };
            let breaks = |c: char| !faults.lists_raw_names && (c.is_control() || c == '\u{2028}');
            let name = name.replace(breaks, "?");
            let Ok(meta) = entry.file_type() else { continue };
            if meta.is_symlink() && !self.faults.lists_links {
                continue;
            }
            let directory = entry.path().is_dir();
            *rows += &format!("\n1.0K\t{sent}/{name}{}", if directory { "/" } else { "" });
            if directory && level < 2 {
                self.list(&entry.path(), &format!("{sent}/{name}"), level + 1, rows);
            }
        }
    }

    fn delete(&self, input: &Value) -> Answer {
        let place = self.place(input, "path")?;
        if self.is_root(&place, &input["path"]) {
            return Err("Error: the root cannot be deleted".into());
        }
        let meta = fs::symlink_metadata(&place).map_err(|_| "Error: The path does not exist".to_owned())?;
        if meta.is_file() && self.faults.empties_first {
            let _ = fs::write(&place, "");
        }
        let done = if meta.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
        done.map_err(|error| self.error(&error, &place))?;
        Ok(format!("Successfully deleted {}", input["path"].as_str().unwrap_or_default()))
    }

    fn rename(&self, input: &Value) -> Answer {
        let (old, new) = (self.place(input, "old_path")?, self.place(input, "new_path")?);
        if self.is_root(&old, &input["old_path"]) && !self.faults.renames_root {
            return Err("Error: the root cannot be renamed".into());
        }
        if fs::symlink_metadata(&old).is_err() || fs::symlink_metadata(&new).is_ok() {
            return Err("Error: The path does not exist, or the destination exists".into());
        }
        if normal(&new).starts_with(normal(&old)) {
            if self.faults.loses_self_moves && normal(&old) != self.root {
                let _ = fs::remove_dir_all(&old);
            }
            if !(self.faults.renames_root && normal(&old) == self.root) {
                return Err("Error: into itself".into());
            }
            let _ = fs::remove_dir_all(&old);
        }
        self.parents(&new)?;
        fs::rename(&old, &new).map_err(|error| self.error(&error, &old))?;
        Ok("Successfully renamed".into())
    }
}

impl Handler for Faulty {
    fn call(&mut self, input: &Value) -> ToolResult {
        match self.answer(input) {
            Ok(text) => ToolResult::ok(text),
            Err(text) => ToolResult::error(text),
        }
    }

    fn reset(&mut self, root: &Path) -> Ready {
        self.root = root.to_path_buf();
        Ready { store: Some(root.display().to_string()), ..Ready::default() }
    }
}

/// What stands behind `/memories/`.
pub fn below(sent: &str) -> Result<&str, String> {
    let rest = sent.strip_prefix("/memories").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    rest.map(|rest| rest.trim_start_matches('/')).ok_or_else(|| "Error: outside /memories".into())
}

/// Without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Refuses what has a component `..`.
pub fn no_dots(sent: &str) -> Result<(), String> {
    match sent.split('/').any(|part| part == "..") {
        true => Err("Error: `..` is not allowed".into()),
        false => Ok(()),
    }
}
