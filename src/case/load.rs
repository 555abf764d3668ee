//! Reading case files. Every error names file, line and field, and the nearest valid word.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::file::CaseFile;
use super::{Case, Catalogue};

/// What is wrong with a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// Counted from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong, with the field, and what to do.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// All that is wrong with a folder of case files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LoadErrors(pub Vec<LoadError>);

impl fmt::Display for LoadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        for (index, error) in self.0.iter().take(SHOWN).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        if self.0.len() > SHOWN {
            write!(f, "\n... and {} more", self.0.len() - SHOWN)?;
        }
        Ok(())
    }
}

/// A case file of more bytes is refused.
const LARGEST_FILE: u64 = 16 << 20;

/// Every case below `folder` (`GROUP/NAME.json`, at any depth), ordered by id, and the requirements that it
/// cites: the built-in ones and those of `requirements.json` in `folder`, if there is one. The folders
/// `dialects` and `schema` are left out.
///
/// # Errors
/// All that is wrong, not only the first.
pub fn load_dir(folder: &Path, builtin: &Catalogue) -> Result<(Vec<Case>, Catalogue), LoadErrors> {
    let mut catalogue = builtin.clone();
    let whole = |file: &Path, message: String| LoadErrors(vec![LoadError { file: file.into(), line: 0, message }]);
    let own = folder.join("requirements.json");
    if own.is_file() {
        let json = std::fs::read_to_string(&own).map_err(|error| whole(&own, format!("cannot be read: {error}")))?;
        let parsed = Catalogue::parse(&json).map_err(|message| whole(&own, message))?;
        let new = parsed.iter().filter(|one| builtin.get(&one.id).is_none()).cloned().collect::<Vec<_>>();
        for requirement in new {
            catalogue.add_requirement(requirement).map_err(|message| whole(&own, message))?;
        }
    }
    let mut files = Vec::new();
    collect(folder, folder, &mut files).map_err(|(path, error)| whole(&path, format!("cannot be read: {error}")))?;
    if files.is_empty() {
        return Err(whole(folder, "no case files (GROUP/NAME.json) below this folder".into()));
    }
    files.sort();
    let mut cases: Vec<Case> = Vec::with_capacity(files.len());
    let mut errors = Vec::new();
    let mut seen: HashMap<String, PathBuf> = HashMap::new();
    for file in files {
        let json = match read(&file) {
            Ok(json) => json,
            Err(message) => {
                errors.push(LoadError { file, line: 0, message });
                continue;
            }
        };
        match load_case(&file, &json, &catalogue) {
            Ok(case) => {
                let expected = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
                if Path::new(&case.id) != expected {
                    let message =
                        format!("the id `{}` must name its folder and file: `{}`", case.id, expected.display());
                    errors.push(LoadError { line: line_of(&json, "\"id\""), file: file.clone(), message });
                }
                if let Some(first) = seen.insert(case.id.clone(), file.clone()) {
                    let message = format!("the id `{}` stands in {} too", case.id, first.display());
                    errors.push(LoadError { line: line_of(&json, "\"id\""), file, message });
                }
                cases.push(case);
            }
            Err(found) => errors.extend(found),
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    if errors.is_empty() { Ok((cases, catalogue)) } else { Err(LoadErrors(errors)) }
}

/// Reads one case.
///
/// # Errors
/// All that is wrong with it.
pub fn load_case(file: &Path, json: &str, catalogue: &Catalogue) -> Result<Case, Vec<LoadError>> {
    let error = |line: usize, message: String| LoadError { file: file.into(), line, message };
    let parsed: CaseFile = match serde_json::from_str(json) {
        Ok(parsed) => parsed,
        Err(found) => return Err(vec![error(found.line(), explain(&found))]),
    };
    let mut errors = Vec::new();
    let cited = parsed.requirements.iter().chain(parsed.steps.iter().flat_map(|step| &step.requirements));
    for id in cited {
        if catalogue.get(id).is_none() {
            let near = nearest(id, catalogue.iter().map(|one| one.id.as_str()));
            let message = format!("`requirements`: no requirement is called `{id}`{}", hint(near));
            errors.push(error(line_of(json, &format!("\"{id}\"")), message));
        }
    }
    if parsed.steps.is_empty() {
        errors.push(error(line_of(json, "\"steps\""), "`steps`: a case needs at least one step".into()));
    } else if parsed.steps.iter().all(|step| step.expect.is_none()) {
        let message = "`steps`: no step has an `expect`, so that the case could not fail".into();
        errors.push(error(line_of(json, "\"steps\""), message));
    }
    match parsed.into_case() {
        Ok(case) if errors.is_empty() => Ok(case),
        Ok(_) => Err(errors),
        Err(found) => {
            errors.extend(found.into_iter().map(|one| {
                let line = line_of_step(json, one.step, &one.field);
                error(line, format!("step {}, `{}`: {}", one.step, one.field, one.message))
            }));
            Err(errors)
        }
    }
}

fn collect(top: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), (PathBuf, std::io::Error)> {
    let entries = std::fs::read_dir(folder).map_err(|error| (folder.to_path_buf(), error))?;
    for entry in entries {
        let entry = entry.map_err(|error| (folder.to_path_buf(), error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(|error| (path.clone(), error))?;
        if kind.is_dir() {
            if folder == top && (name == "dialects" || name == "schema") {
                continue;
            }
            collect(top, &path, files)?;
        } else if path.extension().is_some_and(|end| end == "json") && !(folder == top && name == "requirements.json") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| format!("cannot be read: {error}"))?.len();
    if size > LARGEST_FILE {
        return Err(format!("has {size} bytes; a case file has at most {LARGEST_FILE}. Use `repeat` for long texts"));
    }
    std::fs::read_to_string(file).map_err(|error| format!("cannot be read: {error}"))
}

/// serde's message, with the nearest key where a key is unknown.
fn explain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(head, _)| head);
    let column = error.column();
    let mut words = message.split('`').skip(1).step_by(2);
    match (message.starts_with("unknown field") || message.starts_with("unknown variant"), words.next()) {
        (true, Some(key)) => format!("{message}{} (column {column})", hint(nearest(key, words))),
        _ => format!("{message} (column {column})"),
    }
}

fn hint(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The most similar of `words`, if any is similar at all.
pub(super) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn line_of(json: &str, needle: &str) -> usize {
    json.lines().position(|line| line.contains(needle)).map_or(0, |at| at + 1)
}

/// The line of `field` in a step: the n-th step begins at the n-th `"call"`, `"restart"` or `"plant"` key.
fn line_of_step(json: &str, step: usize, field: &str) -> usize {
    let starts = ["\"call\"", "\"restart\"", "\"plant\""];
    let mut count = 0;
    let mut start = 0;
    for (index, line) in json.lines().enumerate() {
        count += starts.iter().filter(|key| line.contains(*key)).count();
        if count >= step {
            if start == 0 {
                start = index + 1;
            }
            if line.contains(&format!("\"{field}\"")) {
                return index + 1;
            }
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::builtin_catalogue;

    fn errors(json: &str) -> String {
        let found = load_case("x/y.json".as_ref(), json, builtin_catalogue()).unwrap_err();
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest() {
        let json = "{\"id\":\"x/y\",\"title\":\"t\",\n\"steps\":[{\"cal\":{}}]}";
        let found = errors(json);
        assert!(found.starts_with("x/y.json:2: unknown field `cal`"), "{found}");
        assert!(found.contains("did you mean `call`?"), "{found}");
    }

    #[test]
    fn an_unknown_requirement_is_named_with_its_line_and_the_nearest() {
        let json = "{\"id\":\"x/y\",\"title\":\"t\",\n\"requirements\":[\"view.rnage\"],\n\"steps\":[{\"call\":{},\"expect\":{\"any_ok\":true}}]}";
        assert_eq!(
            errors(json),
            "x/y.json:2: `requirements`: no requirement is called `view.rnage`; did you mean `view.range`?"
        );
    }

    #[test]
    fn a_wrong_step_is_named_with_its_number_line_and_field() {
        let step = |expect: &str| {
            format!(
                "{{\"id\":\"x/y\",\"title\":\"t\",\"steps\":[\n{{\"call\":{{}}}},\n{{\"call\":{{}},\n\"expect\":{expect}}}]}}"
            )
        };
        assert!(
            errors(&step("{\"ok\":\"a\",\"error\":\"b\"}"))
                .starts_with("x/y.json:4: step 2, `expect`: an outcome has exactly one of")
        );
        assert!(errors(&step("{\"any_of\":[{\"choice\":\"x\",\"any_ok\":true}]}")).contains("`x` is not a choice"));
        let unjudged = "{\"id\":\"x/y\",\"title\":\"t\",\n\"steps\":[{\"call\":{}}]}";
        assert!(errors(unjudged).starts_with("x/y.json:2: `steps`: no step has an `expect`"));
        assert!(errors(&step("{\"ok\":5}")).contains("expected a string or an array of lines"));
        assert!(errors(&step("{\"any_ok\":true,\"modes\":{\"/memories/a\":\"9\"}}")).contains("not an octal mode"));
    }
}
