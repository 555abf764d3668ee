//! Removing a directory with all that it holds, at any depth, with a bounded number of open directories and a bounded
//! stack.

use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::write::hidden_name;

/// How deep directories are held open. What lies deeper is moved up first.
const DEPTH: usize = 24;

/// Removes the directory of a name. Links are removed, not followed.
pub(super) fn tree(parent: &Dir, name: &str) -> io::Result<()> {
    let top = parent.open_dir_nofollow(name)?;
    while empty(&top, &top, 0)? {}
    drop(top);
    parent.remove_dir(name)
}

/// Removes what a directory holds. Answers whether directories were moved to the top, and wait there.
fn empty(top: &Dir, dir: &Dir, depth: usize) -> io::Result<bool> {
    let mut moved = false;
    let mut entries = Vec::new();
    for entry in dir.entries()? {
        let entry = entry?;
        entries.push((entry.file_name(), entry.file_type()?.is_dir()));
    }
    for (name, is_directory) in entries {
        if !is_directory {
            dir.remove_file(&name)?;
        } else if depth == DEPTH {
            dir.rename(&name, top, hidden_name())?;
            moved = true;
        } else {
            moved |= empty(top, &dir.open_dir_nofollow(&name)?, depth + 1)?;
            dir.remove_dir(&name)?;
        }
    }
    Ok(moved)
}
