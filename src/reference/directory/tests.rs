//! What only a disk can show: links, special files, modes, and what is left behind.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{Reference, Store, VirtualPath};
use super::DirectoryStore;
use crate::transport::Handler;

/// A directory that holds the store's root and, beside it, what must not be touched.
struct Place {
    outer: TempDir,
    handler: Reference<DirectoryStore>,
}

impl Place {
    fn new() -> Self {
        let outer = TempDir::new().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::create_dir(outer.path().join("beside")).unwrap();
        fs::write(outer.path().join("beside/secret.txt"), "secret\n").unwrap();
        let handler = Reference::open_directory(&root).unwrap();
        Place { outer, handler }
    }

    fn root(&self) -> std::path::PathBuf {
        self.outer.path().join("root")
    }

    fn beside(&self) -> std::path::PathBuf {
        self.outer.path().join("beside")
    }

    fn call(&mut self, input: Value) -> Result<String, String> {
        let result = self.handler.call(&input);
        assert!(!result.content.contains(&*self.outer.path().to_string_lossy()), "{}", result.content);
        assert!(!result.content.contains("secret\n"), "{}", result.content);
        if result.is_error { Err(result.content) } else { Ok(result.content) }
    }

    fn view(&mut self, path: &str) -> Result<String, String> {
        self.call(json!({"command": "view", "path": path}))
    }

    fn create(&mut self, path: &str) -> Result<String, String> {
        self.call(json!({"command": "create", "path": path, "file_text": "text\n"}))
    }

    fn edit(&mut self, path: &str) -> Result<String, String> {
        let inserted =
            self.call(json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "inserted"}));
        let replaced = self.call(json!({"command": "str_replace", "path": path, "old_str": "secret", "new_str": "x"}));
        assert_eq!(inserted.is_ok(), replaced.is_ok());
        replaced
    }

    fn delete(&mut self, path: &str) -> Result<String, String> {
        self.call(json!({"command": "delete", "path": path}))
    }

    fn rename(&mut self, old: &str, new: &str) -> Result<String, String> {
        self.call(json!({"command": "rename", "old_path": old, "new_path": new}))
    }

    /// Names below a directory of the host, each with its mode.
    fn tree(&self, below: &Path) -> Vec<String> {
        let entries = walkdir::WalkDir::new(below).min_depth(1).sort_by_file_name();
        let row = |entry: walkdir::DirEntry| {
            let mode = entry.path().symlink_metadata().unwrap().mode() & 0o7777;
            format!("{} {mode:o}", entry.path().strip_prefix(below).unwrap().display())
        };
        entries.into_iter().map(|entry| row(entry.unwrap())).collect()
    }

    fn assert_beside_untouched(&self) {
        assert_eq!(fs::read_to_string(self.beside().join("secret.txt")).unwrap(), "secret\n");
        assert_eq!(fs::read_dir(self.beside()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(self.outer.path()).unwrap().count(), 2);
    }
}

#[test]
fn the_store_is_the_root_itself() {
    let place = Place::new();
    let mut handler = Reference::in_directory();
    assert!(handler.call(&json!({"command": "view", "path": "/memories"})).is_error);
    assert!(!handler.restart());
    symlink(place.root(), place.beside().join("alias")).unwrap();
    let ready = handler.reset(&place.beside().join("alias"));
    let canonical = place.root().canonicalize().unwrap();
    assert_eq!(ready.store.as_deref(), canonical.to_str());
    assert_eq!(handler.store().path(), Some(&*canonical));
    assert!(!handler.call(&json!({"command": "create", "path": "/memories/a", "file_text": "1"})).is_error);
    assert_eq!(fs::read(canonical.join("a")).unwrap(), b"1");
    let ready = handler.reset(&place.root().join("missing"));
    assert_eq!(ready.store, None);
    let result = handler.call(&json!({"command": "view", "path": "/memories"}));
    assert_eq!(
        (result.content.as_str(), result.is_error),
        ("Error: Could not view /memories: the store is not open", true)
    );
}

#[test]
fn links_lead_nowhere() {
    let mut place = Place::new();
    let (root, beside) = (place.root(), place.beside());
    place.create("/memories/file").unwrap();
    place.create("/memories/dir/file").unwrap();
    symlink(beside.join("secret.txt"), root.join("to-file")).unwrap();
    symlink(&beside, root.join("to-dir")).unwrap();
    symlink(beside.join("new.txt"), root.join("dangling")).unwrap();
    symlink("file", root.join("inside")).unwrap();
    symlink("dir", root.join("inside-dir")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink(".", root.join("to-root")).unwrap();
    let links = ["to-file", "to-dir", "dangling", "inside", "inside-dir", "loop", "to-root"];
    let listed = place.view("/memories").unwrap();
    for link in links {
        assert!(!listed.contains(link), "{listed}");
        let path = format!("/memories/{link}");
        let missing = format!("The path {path} does not exist. Please provide a valid path.");
        assert_eq!(place.view(&path), Err(missing.clone()));
        assert_eq!(place.edit(&path), Err(format!("Error: {missing}")));
        assert_eq!(place.create(&path), Err(format!("Error: File {path} already exists")));
        assert_eq!(place.rename(&path, "/memories/moved"), Err(format!("Error: The path {path} does not exist")));
        assert_eq!(place.rename("/memories/file", &path), Err(format!("Error: The destination {path} already exists")));
        for below in ["secret.txt", "file", "new.txt", "x/y"] {
            let below = format!("{path}/{below}");
            assert!(place.view(&below).unwrap_err().ends_with("does not exist. Please provide a valid path."));
            place.edit(&below).unwrap_err();
            place.create(&below).unwrap_err();
            place.delete(&below).unwrap_err();
            place.rename(&below, "/memories/moved").unwrap_err();
            place.rename("/memories/file", &below).unwrap_err();
        }
    }
    place.assert_beside_untouched();
    for link in links {
        assert_eq!(place.delete(&format!("/memories/{link}")), Ok(format!("Successfully deleted /memories/{link}")));
        assert!(root.join(link).symlink_metadata().is_err());
    }
    assert_eq!(place.tree(&root), ["dir 700", "dir/file 600", "file 600"]);
    assert_eq!(fs::read_to_string(root.join("file")).unwrap(), "text\n");
    symlink(&beside, root.join("dir/link")).unwrap();
    place.delete("/memories/dir").unwrap();
    place.assert_beside_untouched();
}

#[test]
fn special_files_are_never_opened() {
    let mut place = Place::new();
    let fifo = place.root().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.root().join("socket")).unwrap();
    assert!(place.view("/memories").unwrap().ends_with("4.0K\t/memories"));
    for name in ["fifo", "socket"] {
        let path = format!("/memories/{name}");
        let special = |verb: &str| Err(format!("Error: Could not {verb} {path}: it is neither a file nor a directory"));
        assert_eq!(place.view(&path), special("view"));
        assert_eq!(place.edit(&path), special("edit"));
        assert_eq!(place.rename(&path, "/memories/x"), special("rename"));
        assert_eq!(place.create(&path), Err(format!("Error: File {path} already exists")));
        place.create(&format!("{path}/x")).unwrap_err();
        place.delete(&path).unwrap();
    }
    assert!(place.tree(&place.root()).is_empty());
}

#[test]
fn bytes_and_names_that_are_no_text() {
    let mut place = Place::new();
    let root = place.root();
    fs::write(root.join("binary"), b"a\xff\n").unwrap();
    assert_eq!(
        place.view("/memories/binary"),
        Err("Error: Could not view /memories/binary: the file is not UTF-8 text".into())
    );
    place.edit("/memories/binary").unwrap_err();
    assert_eq!(fs::read(root.join("binary")).unwrap(), b"a\xff\n");
    fs::write(root.join(OsStr::from_bytes(b"\xff")), b"").unwrap();
    fs::write(root.join("x\n4.0K\t"), b"").unwrap();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d").join(OsStr::from_bytes(b"\xff")), b"").unwrap();
    assert!(place.view("/memories").unwrap().ends_with("4.0K\t/memories\n3B\t/memories/binary\n4.0K\t/memories/d/"));
    place.delete("/memories/d").unwrap();
    assert!(!root.join("d").exists());
    let sparse = fs::File::create(root.join("sparse")).unwrap();
    sparse.set_len(1 << 42).unwrap();
    assert_eq!(
        place.view("/memories/sparse"),
        Err("Error: Could not view /memories/sparse: the file is too large".into())
    );
    place.edit("/memories/sparse").unwrap_err();
}

#[test]
fn an_edit_makes_a_new_file_of_its_own() {
    let mut place = Place::new();
    let root = place.root();
    fs::write(root.join("a"), "secret line\n").unwrap();
    fs::hard_link(root.join("a"), place.beside().join("a")).unwrap();
    fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o644)).unwrap();
    place.edit("/memories/a").unwrap();
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "inserted\nx line\n");
    assert_eq!(fs::read_to_string(place.beside().join("a")).unwrap(), "secret line\n");
    assert_eq!(place.tree(&root), ["a 600"]);
}

#[test]
fn refusals_leave_nothing() {
    let mut place = Place::new();
    let root = place.root();
    place.create("/memories/a").unwrap();
    place.create("/memories/a/b/c").unwrap_err();
    place.rename("/memories/a", "/memories/a/b").unwrap_err();
    place.rename("/memories/missing", "/memories/x/y/z").unwrap_err();
    place.call(json!({"command": "create", "path": "/memories/x/y"})).unwrap_err();
    assert_eq!(place.tree(&root), ["a 600"]);
    // What fails late undoes what it made: here the parents of a file that cannot be moved.
    let mut store = DirectoryStore::open(&root).unwrap();
    let (old, new) = (VirtualPath::parse("/memories/a").unwrap(), VirtualPath::parse("/memories/n/m/b").unwrap());
    let place_of_new = super::tree::vacant(&store.root().unwrap().dir, &new, "b").unwrap();
    drop(super::NewParents::make(&store.root().unwrap().dir, &new, place_of_new).unwrap());
    assert_eq!(place.tree(&root), ["a 600"]);
    store.rename(&old, &new).unwrap();
    assert_eq!(place.tree(&root), ["n 700", "n/m 700", "n/m/b 600"]);
}

#[test]
fn what_fails_before_it_is_in_its_place_is_gone() {
    let mut place = Place::new();
    let root = place.root();
    place.create("/memories/a").unwrap();
    let dir = cap_std::fs::Dir::open_ambient_dir(&root, cap_std::ambient_authority()).unwrap();
    drop(super::Temporary::write(&dir, "half a text").unwrap());
    assert_eq!(place.tree(&root), ["a 600"]);
    assert!(super::Temporary::write(&dir, "b").unwrap().place("a").is_err());
    assert_eq!(place.tree(&root), ["a 600"]);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "text\n");
}

#[test]
fn modes_do_not_depend_on_the_umask() {
    use rustix::fs::Mode;
    let run = |umask: u32| {
        let mut place = Place::new();
        let before = rustix::process::umask(Mode::from_raw_mode(umask));
        place.create("/memories/a/b/c").unwrap();
        place.create("/memories/secret").unwrap();
        place
            .call(json!({"command": "insert", "path": "/memories/a/b/c", "insert_line": 0, "insert_text": ""}))
            .unwrap();
        place.rename("/memories/secret", "/memories/d/e/f").unwrap();
        let tree = place.tree(&place.root());
        rustix::process::umask(before);
        tree
    };
    let expected = ["a 700", "a/b 700", "a/b/c 600", "d 700", "d/e 700", "d/e/f 600"];
    assert_eq!(run(0o000), expected);
    assert_eq!(run(0o077), expected);
    assert_eq!(run(0o027), expected);
}

#[test]
fn a_directory_of_any_depth_is_removed() {
    let mut place = Place::new();
    // Renames nest what no single path can name.
    let deep = format!("/memories/d{}", "/n".repeat(254));
    for _ in 0..3 {
        place.create(&format!("{deep}/leaf")).unwrap();
        place.rename("/memories/d", "/memories/s").unwrap();
        place.create(&format!("{deep}/other")).unwrap();
        place.rename("/memories/s", &format!("{deep}/s")).unwrap();
    }
    place.create("/memories/keep").unwrap();
    place.delete("/memories/d").unwrap();
    assert_eq!(place.tree(&place.root()), ["keep 600"]);
}

#[test]
fn steps_where_the_file_system_cannot_refuse_to_replace() {
    let mut place = Place::new();
    place.create("/memories/a").unwrap();
    place.create("/memories/d/x").unwrap();
    let root = place.root();
    let dir = cap_std::fs::Dir::open_ambient_dir(&root, cap_std::ambient_authority()).unwrap();
    assert!(super::write::move_in_steps(&dir, "a", &dir, "d").is_err());
    super::write::move_in_steps(&dir, "a", &dir, "b").unwrap();
    super::write::move_in_steps(&dir, "d", &dir, "e").unwrap();
    assert_eq!(place.tree(&root), ["b 600", "e 700", "e/x 600"]);
}

#[test]
fn concurrent_commands_lose_nothing() {
    let mut place = Place::new();
    place.call(json!({"command": "create", "path": "/memories/a", "file_text": ""})).unwrap();
    let root = place.root();
    let created: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let root = &root;
                scope.spawn(move || {
                    let mut handler = Reference::open_directory(root).unwrap();
                    let mut created = 0;
                    for round in 0..25 {
                        let line = json!({"command": "insert", "path": "/memories/a", "insert_line": 0,
                            "insert_text": format!("{worker} {round}")});
                        assert!(!handler.call(&line).is_error);
                        let file = json!({"command": "create", "path": format!("/memories/n{round}/m/f"),
                            "file_text": worker.to_string()});
                        created += usize::from(!handler.call(&file).is_error);
                    }
                    created
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(created, 25);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap().lines().count(), 100);
}
