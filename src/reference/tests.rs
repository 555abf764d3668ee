//! What the handler answers, in both stores alike.

mod agreement;
mod speed;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// Runs a test over an empty store in memory, then over one in a directory.
fn each(test: impl Fn(&mut dyn Handler)) {
    let mut memory = Reference::in_memory();
    memory.reset(Path::new("/nowhere"));
    test(&mut memory);
    let root = TempDir::new().unwrap();
    let mut directory = Reference::in_directory();
    directory.reset(root.path());
    test(&mut directory);
    assert_eq!(leftovers(root.path()), Vec::<String>::new());
}

/// The temporary files below a directory.
fn leftovers(root: &Path) -> Vec<String> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".memconf-"))
        .collect()
}

fn ok(handler: &mut dyn Handler, input: Value) -> String {
    let result = handler.call(&input);
    assert!(!result.is_error, "{input}: {}", result.content);
    result.content
}

fn error(handler: &mut dyn Handler, input: Value) -> String {
    let result = handler.call(&input);
    assert!(result.is_error, "{input}: {}", result.content);
    result.content
}

fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

fn str_replace(path: &str, old: &str, new: &str) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
}

fn insert(path: &str, line: i64, text: &str) -> Value {
    json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text})
}

fn delete(path: &str) -> Value {
    json!({"command": "delete", "path": path})
}

fn rename(old: &str, new: &str) -> Value {
    json!({"command": "rename", "old_path": old, "new_path": new})
}

const LISTING: &str = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n4.0K\t/memories";

#[test]
fn views_of_files() {
    each(|h| {
        let header = "Here's the content of /memories/a with line numbers:";
        for (text, lines) in [
            ("", ""),
            ("\n", "\n     1\t"),
            ("a", "\n     1\ta"),
            ("a\n", "\n     1\ta"),
            ("a\n\n", "\n     1\ta\n     2\t"),
            (
                "\u{feff}a \r\n\tb\r\rc\u{85}\u{2028}\u{c}d\r\n",
                "\n     1\t\u{feff}a \r\n     2\t\tb\r\rc\u{85}\u{2028}\u{c}d\r",
            ),
        ] {
            ok(h, create("/memories/a", text));
            assert_eq!(ok(h, view("/memories/a")), format!("{header}{lines}"));
            ok(h, delete("/memories/a"));
        }
        ok(h, create("/memories/long", &"x".repeat(20_000)));
        assert!(ok(h, view("/memories/long")).len() > 20_000);
        let missing = "The path /memories/b does not exist. Please provide a valid path.";
        assert_eq!(error(h, view("/memories/b")), missing);
        assert_eq!(error(h, view("/memories/long/b")), missing.replace("/b ", "/long/b "));
    });
}

#[test]
fn ranges() {
    each(|h| {
        ok(h, create("/memories/a", "1\n2\n3\n4\n5\n"));
        ok(h, create("/memories/empty", ""));
        let lines = |h: &mut dyn Handler, path: &str, range: Value| {
            let result = h.call(&json!({"command": "view", "path": path, "view_range": range}));
            let Some((_, lines)) = result.content.split_once(" with line numbers:") else { return result.content };
            assert!(!result.is_error);
            lines.replace("\n     ", " ").replace('\t', ":")
        };
        for (range, expected) in [
            (json!([2, 4]), " 2:2 3:3 4:4"),
            (json!([3, -1]), " 3:3 4:4 5:5"),
            (json!([5, 5]), " 5:5"),
            (json!([5, 9]), " 5:5"),
            (json!([1, u64::MAX]), " 1:1 2:2 3:3 4:4 5:5"),
            (json!(null), " 1:1 2:2 3:3 4:4 5:5"),
        ] {
            assert_eq!(lines(h, "/memories/a", range), expected);
        }
        assert_eq!(
            lines(h, "/memories/a", json!([0, 2])),
            "Error: Invalid `view_range` parameter: [0, 2]. It should be [start, end] within the range of lines of the \
             file: [1, 5]; an end of -1 is the last line"
        );
        for wrong in
            [json!([-1, -1]), json!([6, 9]), json!([6, -1]), json!([4, 2]), json!([2, -2]), json!([1]), json!([1.0, 2])]
        {
            assert!(lines(h, "/memories/a", wrong).starts_with("Error: Invalid `view_range` parameter"));
        }
        assert_eq!(lines(h, "/memories/empty", json!([1, -1])), "");
        assert_eq!(lines(h, "/memories/empty", json!([1, 1])), "");
        assert!(lines(h, "/memories/empty", json!([2, 2])).starts_with("Error: Invalid `view_range`"));
        let directory = h.call(&json!({"command": "view", "path": "/memories", "view_range": [7, 3]}));
        assert!(!directory.is_error);
    });
}

#[test]
fn the_line_limit() {
    each(|h| {
        let text = "\n".repeat(999_999);
        ok(h, create("/memories/most", &text));
        assert!(ok(h, view("/memories/most")).ends_with("\n999999\t"));
        ok(h, create("/memories/more", &(text + "x")));
        let limit = "File /memories/more exceeds maximum line limit of 999,999 lines.";
        assert_eq!(error(h, view("/memories/more")), limit);
        assert_eq!(error(h, json!({"command": "view", "path": "/memories/more", "view_range": [1, 2]})), limit);
        let edited = ok(h, str_replace("/memories/more", "x", "y"));
        assert_eq!(edited, "The memory file has been edited.\n999998\t\n999999\t\n1000000\ty");
    });
}

#[test]
fn listings() {
    each(|h| {
        assert_eq!(ok(h, view("/memories")), LISTING);
        for path in
            ["b.txt", "a-b", "a/x/too/deep", "a/y", "Z", ".hidden", "node_modules/m", "a/.h/i", "a/node_modules"]
        {
            ok(h, create(&format!("/memories/{path}"), &"x".repeat(1536)));
        }
        let rows = "\n1.5K\t/memories/Z\n4.0K\t/memories/a/\n4.0K\t/memories/a/x/\n1.5K\t/memories/a/y\n1.5K\t/memories/a-b\
                    \n1.5K\t/memories/b.txt";
        // Names are sorted as names: `a` before `a-b`, although `a/` is not before `a-`.
        assert_eq!(ok(h, view("/memories/")), format!("{LISTING}{rows}"));
        assert!(ok(h, view("/memories//a/.")).ends_with(
            "in /memories/a, excluding hidden items and node_modules:\n4.0K\t/memories/a\n4.0K\t/memories/a/x/\
             \n4.0K\t/memories/a/x/too/\n1.5K\t/memories/a/y"
        ));
        assert!(ok(h, view("/memories/node_modules")).ends_with("\n1.5K\t/memories/node_modules/m"));
        assert!(ok(h, view("/memories/.hidden")).contains("\n     1\txxx"));
    });
}

#[test]
fn creating() {
    each(|h| {
        assert_eq!(ok(h, create("/memories/a.txt", "1\n")), "File created successfully at: /memories/a.txt");
        let exists = "Error: File /memories/a.txt already exists";
        assert_eq!(error(h, create("/memories/a.txt", "2\n")), exists);
        assert_eq!(error(h, create("/memories//a.txt/", "2\n")), exists);
        assert!(ok(h, view("/memories/a.txt")).ends_with("\t1"));
        ok(h, create("/memories/d/e/f.txt/", "f"));
        assert!(ok(h, view("/memories/d/e/f.txt")).ends_with("\tf"));
        assert_eq!(error(h, create("/memories/d/e", "")), "Error: File /memories/d/e already exists");
        assert_eq!(error(h, create("/memories/", "")), "Error: File /memories already exists");
        let below = "Error: Could not create /memories/a.txt/b/c: the path leads through a file";
        assert_eq!(error(h, create("/memories/a.txt/b/c", "")), below);
        assert!(
            error(h, create("/memoriesX/a", "")).starts_with("Error: The path `/memoriesX/a` is outside /memories.")
        );
        assert!(error(h, create("/memories/x/../y", "")).starts_with("Error: The path `/memories/x/../y` has a `..`"));
    });
}

#[test]
fn replacing() {
    each(|h| {
        ok(h, create("/memories/a", "one\r\ntwo two\r\nthree\r\n"));
        let edited = "The memory file has been edited.\n     1\tone\r\n     2\ttwo two\r\n     3\t3$&\r";
        assert_eq!(ok(h, str_replace("/memories/a", "three", "3$&")), edited);
        assert_eq!(
            error(h, str_replace("/memories/a", "two", "2")),
            "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 2. Please ensure it is unique"
        );
        assert_eq!(
            error(h, str_replace("/memories/a", "x\ny", "2")),
            "No replacement was performed, old_str `x\ny` did not appear verbatim in /memories/a."
        );
        let omitted = json!({"command": "str_replace", "path": "/memories/a", "old_str": "one\r\ntwo two\r\n"});
        assert_eq!(ok(h, omitted), "The memory file has been edited.\n     1\t3$&\r");
        let null = json!({"command": "str_replace", "path": "/memories/a", "old_str": "3$&\r\n", "new_str": null});
        assert_eq!(ok(h, null), "The memory file has been edited.");
        assert!(error(h, str_replace("/memories/a", "", "x")).starts_with("Error: Invalid `old_str` parameter"));
        for path in ["/memories/b", "/memories/a/b", "/memories", "/memories/d"] {
            ok(h, create("/memories/d/e", ""));
            let missing = format!("Error: The path {path} does not exist. Please provide a valid path.");
            assert_eq!(error(h, str_replace(path, "x", "y")), missing);
            ok(h, delete("/memories/d/e"));
        }
    });
}

#[test]
fn inserting() {
    each(|h| {
        ok(h, create("/memories/a", "1\n2\n"));
        assert_eq!(ok(h, insert("/memories/a", 0, "0")), "The file /memories/a has been edited.");
        ok(h, insert("/memories/a", 3, "3"));
        assert!(ok(h, view("/memories/a")).ends_with(":\n     1\t0\n     2\t1\n     3\t2\n     4\t3"));
        let bad = |line: &str| {
            let range = "It should be within the range of lines of the file: [0, 4]";
            format!("Error: Invalid `insert_line` parameter: {line}. {range}")
        };
        assert_eq!(error(h, insert("/memories/a", 5, "x")), bad("5"));
        assert_eq!(error(h, insert("/memories/a", -1, "x")), bad("-1"));
        let mut huge = insert("/memories/a", 0, "x");
        huge["insert_line"] = json!(u64::MAX);
        assert_eq!(error(h, huge), bad("18446744073709551615"));
        for path in ["/memories/b", "/memories/a/b", "/memories"] {
            assert_eq!(error(h, insert(path, 0, "x")), format!("Error: The path {path} does not exist"));
        }
    });
}

#[test]
fn deleting() {
    each(|h| {
        ok(h, create("/memories/d/e/f", "f"));
        ok(h, create("/memories/d2", "2"));
        assert_eq!(error(h, delete("/memories/d/x")), "Error: The path /memories/d/x does not exist");
        assert_eq!(error(h, delete("/memories/d2/x")), "Error: The path /memories/d2/x does not exist");
        assert_eq!(ok(h, delete("/memories/d/e/f")), "Successfully deleted /memories/d/e/f");
        ok(h, view("/memories/d/e"));
        assert_eq!(ok(h, delete("/memories/d/")), "Successfully deleted /memories/d");
        error(h, view("/memories/d"));
        for root in ["/memories", "/memories/", "/memories//", "/memories/./"] {
            assert_eq!(error(h, delete(root)), "Error: Cannot delete the /memories directory itself");
        }
        assert!(error(h, delete("/memories/d2/..")).contains("has a `..` component"));
        assert_eq!(ok(h, view("/memories")), format!("{LISTING}\n1B\t/memories/d2"));
    });
}

#[test]
fn renaming() {
    each(|h| {
        ok(h, create("/memories/d/e", "e"));
        ok(h, create("/memories/f", "f"));
        assert_eq!(
            ok(h, rename("/memories/f", "/memories/n/m/f")),
            "Successfully renamed /memories/f to /memories/n/m/f"
        );
        assert_eq!(error(h, rename("/memories/f", "/memories/x/y")), "Error: The path /memories/f does not exist");
        assert_eq!(
            error(h, rename("/memories/d/e/f", "/memories/x")),
            "Error: The path /memories/d/e/f does not exist"
        );
        for destination in ["/memories/d", "/memories/d/e", "/memories/n/m/f"] {
            let exists = format!("Error: The destination {destination} already exists");
            assert_eq!(error(h, rename("/memories/n/m/f", destination)), exists);
        }
        assert_eq!(error(h, rename("/memories/d", "/memories/")), "Error: The destination /memories already exists");
        assert_eq!(
            error(h, rename("/memories/./", "/memories/x")),
            "Error: Cannot rename the /memories directory itself"
        );
        assert_eq!(error(h, rename("/memories/x", "/memories/d")), "Error: The path /memories/x does not exist");
        assert!(error(h, rename("/memories/d", "/memories/d/x/y")).ends_with("a path cannot be moved below itself"));
        assert!(error(h, rename("/memories/d", "/memories/n/m/f/x/y")).ends_with("the new path leads through a file"));
        ok(h, rename("/memories/d", "/memories/n/d"));
        let rows = "\n4.0K\t/memories/n/\n4.0K\t/memories/n/d/\n4.0K\t/memories/n/m/";
        assert_eq!(ok(h, view("/memories")), format!("{LISTING}{rows}"));
        assert!(ok(h, view("/memories/n/d/e")).ends_with("\te"));
    });
}

#[test]
fn wrong_input() {
    each(|h| {
        ok(h, create("/memories/a", "1\n"));
        for input in [
            json!(null),
            json!([]),
            json!({}),
            json!({"command": "append", "path": "/memories/a"}),
            json!({"command": "view"}),
            json!({"command": "view", "path": ["/memories"]}),
            json!({"command": "create", "path": "/memories/b"}),
            json!({"command": "create", "path": "/memories/b", "file_text": 5}),
            json!({"command": "str_replace", "path": "/memories/a"}),
            json!({"command": "str_replace", "path": "/memories/a", "old_str": "1", "new_str": 2}),
            json!({"command": "insert", "path": "/memories/a", "insert_line": "1", "insert_text": "x"}),
            json!({"command": "insert", "path": "/memories/a", "insert_line": 1.0, "insert_text": "x"}),
            json!({"command": "insert", "path": "/memories/a", "insert_line": 1}),
            json!({"command": "rename", "old_path": "/memories/a"}),
            json!({"command": "rename", "path": "/memories/a", "new_path": "/memories/b"}),
        ] {
            assert!(error(h, input).starts_with("Error: "));
        }
        let more = json!({"command": "view", "path": "/memories", "why": {"no": "reason"}});
        assert_eq!(ok(h, more), format!("{LISTING}\n2B\t/memories/a"));
    });
}

#[test]
fn hostile_paths_reach_nothing() {
    each(|h| {
        let long = format!("/memories/{}", "x".repeat(300));
        let deep = format!("/memories{}", "/d".repeat(300));
        for path in
            ["/memories/a\0b", "/memories/a\nb", "/memories/%2e%2e/x", "/memories/..\\x", "", "/etc", &long, &deep]
        {
            for command in
                [view(path), create(path, ""), delete(path), rename("/memories/a", path), rename(path, "/memories/b")]
            {
                assert!(error(h, command).starts_with("Error: The path `"));
            }
        }
        assert_eq!(ok(h, view("/memories")), LISTING);
        let nested = format!("/memories{}", "/d".repeat(200));
        ok(h, create(&nested, "x"));
        ok(h, delete("/memories/d"));
    });
}

#[test]
fn a_restart_keeps_the_store_and_a_reset_empties_it() {
    each(|h| {
        ok(h, create("/memories/a", "1"));
        assert!(h.restart());
        ok(h, view("/memories/a"));
        let other = TempDir::new().unwrap();
        let ready = h.reset(other.path());
        assert_eq!(ready.name.as_deref(), Some("memconf reference"));
        assert_eq!(ok(h, view("/memories")), LISTING);
    });
}
