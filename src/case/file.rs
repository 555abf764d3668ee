//! A case as it stands in its file. These types are the JSON Schema, and turn into [`Case`](super::Case).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::plant::{PlantFile, plant};
use super::{Action, Case, Expected, Need, Outcome, Step, Text, split_choice};

/// A script of memory commands and what a handler must answer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// GROUP/NAME: the folder and the file, without `.json`. Never reused or renamed.
    pub id: String,
    /// One sentence that says what is right.
    pub title: String,
    /// Ids from requirements.json. They give the level.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// What the case cannot do without.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// In the order of execution, all in one empty store.
    pub steps: Vec<StepFile>,
}

/// One of `call`, `restart` and `plant`, and what is expected.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepFile {
    /// The input object of the command, sent as it is. `{outside}` in a path stands for an absolute directory outside the store, `{store}` for the store's own directory (needs `disk`).
    #[serde(default)]
    pub call: Option<Map<String, Value>>,
    /// Stop the handler and start it on the same store. Needs `restart`.
    #[serde(default)]
    pub restart: Option<bool>,
    /// Put a node into the store from outside. Needs `disk`.
    #[serde(default)]
    pub plant: Option<PlantFile>,
    /// Fields of the call that are filled with a repeated text.
    #[serde(default)]
    pub repeat: BTreeMap<String, RepeatFile>,
    /// KEY: VALUE. The step counts only if that choice was taken earlier in the case.
    #[serde(default)]
    pub when: Option<String>,
    /// Requirements of this step alone, where its level differs from the case's.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// What a handler must answer. Without it the step is carried out and not judged.
    #[serde(default)]
    pub expect: Option<ExpectFile>,
}

/// A repeated text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepeatFile {
    /// What is repeated.
    pub text: String,
    /// How often.
    pub times: usize,
}

/// One of `ok`, `ok_starts_with`, `any_ok`, `error`, `any_error` and `any_of`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectFile {
    /// Success with this text.
    #[serde(default)]
    pub ok: Option<Text>,
    /// Success with a text that begins so.
    #[serde(default)]
    pub ok_starts_with: Option<Text>,
    /// Success, whatever the text.
    #[serde(default)]
    pub any_ok: Option<bool>,
    /// An error with this text.
    #[serde(default)]
    pub error: Option<Text>,
    /// An error, whatever the text.
    #[serde(default)]
    pub any_error: Option<bool>,
    /// Several allowed outcomes.
    #[serde(default)]
    pub any_of: Option<Vec<OutcomeFile>>,
    /// Exact texts of files where the disk is visible; null: nothing there.
    #[serde(default)]
    pub disk: BTreeMap<String, Option<Text>>,
    /// Exact bytes of files that are not text, where the disk is visible, in hexadecimal.
    #[serde(default)]
    pub disk_hex: BTreeMap<String, String>,
    /// Permissions where the disk is visible, such as "0600".
    #[serde(default)]
    pub modes: BTreeMap<String, String>,
}

/// One of `ok`, `ok_starts_with`, `any_ok`, `error` and `any_error`, and under which choice.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeFile {
    /// KEY: VALUE. A handler must take the same value in every case.
    #[serde(default)]
    pub choice: Option<String>,
    /// KEY: VALUE. Allowed only if that choice was taken earlier in the case.
    #[serde(default)]
    pub when: Option<String>,
    /// Success with this text.
    #[serde(default)]
    pub ok: Option<Text>,
    /// Success with a text that begins so.
    #[serde(default)]
    pub ok_starts_with: Option<Text>,
    /// Success, whatever the text.
    #[serde(default)]
    pub any_ok: Option<bool>,
    /// An error with this text.
    #[serde(default)]
    pub error: Option<Text>,
    /// An error, whatever the text.
    #[serde(default)]
    pub any_error: Option<bool>,
    /// Exact texts of files where the disk is visible; null: nothing there.
    #[serde(default)]
    pub disk: BTreeMap<String, Option<Text>>,
    /// Exact bytes of files that are not text, where the disk is visible, in hexadecimal.
    #[serde(default)]
    pub disk_hex: BTreeMap<String, String>,
    /// Permissions where the disk is visible, such as "0600".
    #[serde(default)]
    pub modes: BTreeMap<String, String>,
}

/// The JSON Schema of a case file.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(CaseFile).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), "A memconf case".into());
    }
    schema
}

/// What is wrong in a step: the field to look for in the file, and the sentence.
#[derive(Debug)]
pub(super) struct Invalid {
    pub step: usize,
    pub field: String,
    pub message: String,
}

impl CaseFile {
    /// Checks what serde cannot, and fills in the repeated texts.
    pub(super) fn into_case(self) -> Result<Case, Vec<Invalid>> {
        let mut wrong = Vec::new();
        let mut steps = Vec::with_capacity(self.steps.len());
        for (index, file) in self.steps.into_iter().enumerate() {
            match step(file) {
                Ok(step) => steps.push(step),
                Err((field, message)) => wrong.push(Invalid { step: index + 1, field, message }),
            }
        }
        for (index, step) in steps.iter().enumerate() {
            let missing = match step.action {
                Action::Restart => (!self.needs.contains(&Need::Restart)).then_some("restart"),
                Action::Plant(_) => (!self.needs.contains(&Need::Disk)).then_some("disk"),
                Action::Call(_) => None,
            };
            if let Some(need) = missing {
                let message = format!("the step needs `\"needs\": [\"{need}\"]` in the case");
                wrong.push(Invalid { step: index + 1, field: "needs".into(), message });
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Case { id: self.id, title: self.title, requirements: self.requirements, needs: self.needs, steps })
    }
}

pub(super) type Wrong = (String, String);

fn step(file: StepFile) -> Result<Step, Wrong> {
    let StepFile { call, restart, plant, repeat, when, requirements, expect } = file;
    let action = match (call, restart, plant) {
        (Some(call), None, None) => Action::Call(Value::Object(fill(call, repeat)?)),
        (None, Some(true), None) => Action::Restart,
        (None, None, Some(plant)) => Action::Plant(self::plant(plant)?),
        _ => return wrong("call", "a step has one of `call`, `restart: true` and `plant`"),
    };
    if let Some(when) = &when {
        choice("when", when)?;
    }
    let outcomes = match expect {
        Some(_) if !matches!(action, Action::Call(_)) => return wrong("expect", "only a `call` has an `expect`"),
        Some(expect) => outcomes(expect)?,
        None => Vec::new(),
    };
    Ok(Step { action, when, requirements, outcomes })
}

fn fill(mut call: Map<String, Value>, repeat: BTreeMap<String, RepeatFile>) -> Result<Map<String, Value>, Wrong> {
    const MOST: usize = 64 << 20;
    for (field, RepeatFile { text, times }) in repeat {
        if text.len().saturating_mul(times) > MOST {
            return wrong("repeat", format!("`{field}` would be longer than 64 MiB"));
        }
        call.insert(field, Value::String(text.repeat(times)));
    }
    Ok(call)
}

pub(super) fn octal(mode: &str) -> Result<u32, Wrong> {
    match u32::from_str_radix(mode, 8) {
        Ok(bits) if bits <= 0o7777 => Ok(bits),
        _ => wrong("mode", format!("`{mode}` is not an octal mode such as \"0600\"")),
    }
}

pub(super) fn bytes(hex: &str) -> Result<Vec<u8>, Wrong> {
    let digits: Vec<u32> = hex.chars().filter(|c| *c != ' ').map_while(|c| c.to_digit(16)).collect();
    let all = hex.chars().filter(|c| *c != ' ').count();
    if digits.len() != all || all % 2 == 1 {
        return wrong("hex", "`hex` takes pairs of hexadecimal digits");
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

fn outcomes(file: ExpectFile) -> Result<Vec<Outcome>, Wrong> {
    let ExpectFile { ok, ok_starts_with, any_ok, error, any_error, any_of, disk, disk_hex, modes } = file;
    let Some(list) = any_of else {
        let one = OutcomeFile {
            ok,
            ok_starts_with,
            any_ok,
            error,
            any_error,
            disk,
            disk_hex,
            modes,
            ..OutcomeFile::default()
        };
        return Ok(vec![outcome(one)?]);
    };
    if ok.is_some() || ok_starts_with.is_some() || any_ok.is_some() || error.is_some() || any_error.is_some() {
        return wrong("any_of", "`any_of` stands alone: put the other outcome into its list");
    }
    if list.is_empty() {
        return wrong("any_of", "`any_of` needs at least one outcome");
    }
    list.into_iter()
        .map(|mut one| {
            for (path, text) in &disk {
                one.disk.entry(path.clone()).or_insert_with(|| text.clone());
            }
            for (path, hex) in &disk_hex {
                one.disk_hex.entry(path.clone()).or_insert_with(|| hex.clone());
            }
            for (path, mode) in &modes {
                one.modes.entry(path.clone()).or_insert_with(|| mode.clone());
            }
            outcome(one)
        })
        .collect()
}

fn outcome(file: OutcomeFile) -> Result<Outcome, Wrong> {
    let OutcomeFile { choice: taken, when, ok, ok_starts_with, any_ok, error, any_error, disk, disk_hex, modes } = file;
    let expected = match (ok, ok_starts_with, any_ok, error, any_error) {
        (Some(text), None, None, None, None) => Expected::Ok(text.0),
        (None, Some(text), None, None, None) => Expected::OkStartsWith(text.0),
        (None, None, Some(true), None, None) => Expected::AnyOk,
        (None, None, None, Some(text), None) => Expected::Error(text.0),
        (None, None, None, None, Some(true)) => Expected::AnyError,
        _ => {
            let message =
                "an outcome has exactly one of `ok`, `ok_starts_with`, `any_ok: true`, `error`, `any_error: true`";
            return wrong("expect", message);
        }
    };
    for (field, value) in [("choice", &taken), ("when", &when)] {
        if let Some(value) = value {
            choice(field, value)?;
        }
    }
    let mut permissions = Vec::new();
    for (path, mode) in modes {
        permissions.push((path, octal(&mode)?));
    }
    let mut disk: Vec<_> = disk.into_iter().map(|(path, text)| (path, text.map(|text| text.0.into_bytes()))).collect();
    for (path, hex) in disk_hex {
        disk.push((path, Some(bytes(&hex)?)));
    }
    Ok(Outcome { expected, choice: taken, when, disk, modes: permissions })
}

fn choice(field: &str, value: &str) -> Result<(), Wrong> {
    match split_choice(value) {
        Some(_) => Ok(()),
        None => wrong(
            field,
            format!("`{value}` is not a choice; write `KEY: VALUE` in lower case, such as `existing-file: error`"),
        ),
    }
}

pub(super) fn wrong<T>(field: &str, message: impl Into<String>) -> Result<T, Wrong> {
    Err((field.to_owned(), message.into()))
}
