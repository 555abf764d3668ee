//! `cases/`, inside the binary.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use super::{Case, Catalogue, LoadErrors, load_case};

static CASES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/cases");

/// The requirements and rulings that ship with memconf.
pub fn builtin_catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        let json = CASES.get_file("requirements.json").and_then(|file| file.contents_utf8()).unwrap_or_default();
        // The lint test parses the same text: a release cannot hold a broken one.
        Catalogue::parse(json).unwrap_or_default()
    });
    &CATALOGUE
}

/// The cases that ship with memconf, ordered by id.
///
/// # Errors
/// None in a release: the tests load the same files.
pub fn builtin_cases() -> Result<Vec<Case>, LoadErrors> {
    let mut files = Vec::new();
    for group in CASES.dirs() {
        let name = group.path().to_string_lossy();
        if name == "dialects" || name == "schema" {
            continue;
        }
        for file in group.files().filter(|file| file.path().extension().is_some_and(|end| end == "json")) {
            files.push((format!("cases/{}", file.path().display()), file.contents_utf8().unwrap_or_default()));
        }
    }
    let mut cases = Vec::with_capacity(files.len());
    let mut errors = Vec::new();
    for (path, json) in files {
        match load_case(path.as_ref(), json, builtin_catalogue()) {
            Ok(case) => cases.push(case),
            Err(found) => errors.extend(found),
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    if errors.is_empty() { Ok(cases) } else { Err(LoadErrors(errors)) }
}

/// The file of a case that ships with memconf, by its id.
pub fn builtin_case_text(id: &str) -> Option<&'static str> {
    CASES.get_file(format!("{id}.json")).and_then(|file| file.contents_utf8())
}

/// The dialect files that ship with memconf: name without `.json`, and text.
pub fn builtin_dialects() -> Vec<(&'static str, &'static str)> {
    let files = CASES.get_dir("dialects").into_iter().flat_map(Dir::files);
    files.filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?))).collect()
}
