//! The two stores answer alike, whatever comes.

use proptest::prelude::*;

use super::*;

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "d", "d/e", "d/e/f", "a/x", "n/m"]),
        1 => prop::sample::select(vec!["", "/", "a/", "./d", "d//e", ".h", "node_modules", "d/node_modules", "é b", "%41", "a..b"]),
        1 => prop::sample::select(vec!["..", "d/..", "%2e%2e", "a\nb"]),
    ];
    name.prop_map(|name| if name.is_empty() { "/memories".into() } else { format!("/memories/{name}") })
}

fn text() -> impl Strategy<Value = String> {
    "[ab\n]{0,8}|\r\n[ab]{2}\r\n|a\u{e9}\u{2028}"
}

fn command() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => path().prop_map(|path| view(&path)),
        1 => (path(), -2_i64..5, -2_i64..5)
            .prop_map(|(path, a, b)| json!({"command": "view", "path": path, "view_range": [a, b]})),
        4 => (path(), text()).prop_map(|(path, text)| create(&path, &text)),
        3 => (path(), "[ab\n]{0,2}", text()).prop_map(|(path, old, new)| str_replace(&path, &old, &new)),
        2 => (path(), -1_i64..6, text()).prop_map(|(path, line, text)| insert(&path, line, &text)),
        2 => path().prop_map(|path| delete(&path)),
        3 => (path(), path()).prop_map(|(old, new)| rename(&old, &new)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_stores_answer_alike(commands in prop::collection::vec(command(), 1..40)) {
        let root = TempDir::new().unwrap();
        let mut memory = Reference::in_memory();
        let mut directory = Reference::in_directory();
        memory.reset(root.path());
        directory.reset(root.path());
        for input in &commands {
            let before = directories(root.path());
            let answer = directory.call(input);
            prop_assert_eq!(&answer, &memory.call(input), "{}", input);
            prop_assert!(!answer.content.contains(&*root.path().to_string_lossy()), "{}", answer.content);
            if answer.is_error {
                prop_assert_eq!(before, directories(root.path()), "{}", input);
            }
        }
        prop_assert_eq!(leftovers(root.path()), Vec::<String>::new());
        for path in ["/memories", "/memories/a", "/memories/d", "/memories/d/e", "/memories/n"] {
            prop_assert_eq!(directory.call(&view(path)), memory.call(&view(path)));
        }
    }
}

/// All that is below a directory.
fn directories(root: &Path) -> Vec<std::path::PathBuf> {
    walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(|entry| entry.unwrap().into_path()).collect()
}
