//! The cases as data: they keep to their schema and to the lints, and the schema is the one that the types make.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::collections::BTreeMap;

use memconf::case::{Need, builtin_cases, builtin_catalogue, lint, load_dir, schema};
use walkdir::WalkDir;

#[test]
fn the_schema_is_the_one_that_the_types_make() {
    let file = common::package().join("cases/schema/case.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("MEMCONF_UPDATE").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let stands = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        stands == made,
        "cases/schema/case.json is stale; write it again with MEMCONF_UPDATE=1 cargo test --test cases"
    );
}

#[test]
fn every_case_keeps_to_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let mut checked = 0;
    for entry in WalkDir::new(common::package().join("cases")).min_depth(2) {
        let path = entry.unwrap().into_path();
        let group = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|end| end != "json") || group == "schema" || group == "dialects" {
            continue;
        }
        let case = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&case).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        checked += 1;
    }
    assert_eq!(checked, builtin_cases().unwrap().len());
}

#[test]
fn a_wrong_case_does_not_keep_to_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for wrong in [
        r#"{"id":"a/b","title":"t","steps":[{"call":{},"expext":{}}]}"#,
        r#"{"id":"a/b","title":"t","steps":[{"call":{},"expect":{"ok":5}}]}"#,
        r#"{"id":"a/b","title":"t","needs":["disc"],"steps":[]}"#,
        r#"{"id":"a/b","steps":[]}"#,
    ] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn the_collection_keeps_to_the_lints() {
    let found = lint(&builtin_cases().unwrap(), builtin_catalogue());
    let lines: Vec<String> = found.iter().map(|one| format!("{}: {}", one.id, one.message)).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn the_folder_and_the_binary_hold_the_same_cases() {
    let (cases, catalogue) = load_dir(&common::package().join("cases"), builtin_catalogue()).unwrap();
    let ids: Vec<&String> = cases.iter().map(|case| &case.id).collect();
    let builtin = builtin_cases().unwrap();
    assert_eq!(ids, builtin.iter().map(|case| &case.id).collect::<Vec<_>>());
    assert_eq!(catalogue.iter().count(), builtin_catalogue().iter().count());
    assert!(catalogue.iter().count() > 90);
}

#[test]
fn there_are_enough_cases_of_every_group() {
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    let cases = builtin_cases().unwrap();
    for case in &cases {
        *groups.entry(case.id.split('/').next().unwrap().to_owned()).or_default() += 1;
    }
    let names: Vec<&str> = groups.keys().map(String::as_str).collect();
    let expected =
        ["create", "delete", "fidelity", "input", "insert", "paths", "rename", "store", "str_replace", "view"];
    assert_eq!(names, expected);
    assert!(cases.len() >= 300, "{}", cases.len());
    assert!(cases.iter().filter(|case| case.needs(Need::Restart)).count() >= 10);
    assert!(cases.iter().filter(|case| case.needs(Need::Disk)).count() >= 20);
}
