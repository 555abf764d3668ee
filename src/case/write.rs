//! A case as JSON, in the format that the loader reads.

use serde_json::{Map, Value, json};

use super::{Action, Case, Expected, Outcome, PlantNode, Step};

impl Case {
    /// The case as it would stand in its file. Every `repeat` is written out.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("id".into(), self.id.clone().into());
        object.insert("title".into(), self.title.clone().into());
        object.insert("requirements".into(), self.requirements.clone().into());
        if !self.needs.is_empty() {
            let needs: Vec<&str> = self.needs.iter().map(|need| need.as_str()).collect();
            object.insert("needs".into(), needs.into());
        }
        object.insert("steps".into(), self.steps.iter().map(step).collect::<Vec<_>>().into());
        Value::Object(object)
    }
}

impl PlantNode {
    /// The field of the case format that says what is planted, and its value.
    pub fn to_json(&self) -> (&'static str, Value) {
        match self {
            PlantNode::File(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => ("text", text.into()),
                Err(_) => ("hex", hex(bytes).into()),
            },
            PlantNode::Link(target) => ("link", target.clone().into()),
            PlantNode::Fifo => ("fifo", Value::Bool(true)),
            PlantNode::HardLink(file) => ("hard_link", file.clone().into()),
            PlantNode::Mode(mode) => ("mode", format!("{mode:04o}").into()),
            PlantNode::RawName(name) => ("hex_name", hex(name).into()),
            PlantNode::Entries(count) => ("entries", (*count).into()),
            PlantNode::BehindLink => ("behind_link", Value::Bool(true)),
        }
    }

    /// Reads what [`PlantNode::to_json`] gives; `None` where it is something else.
    pub fn from_json(field: &str, value: &Value) -> Option<PlantNode> {
        match (field, value) {
            ("text", Value::String(text)) => Some(PlantNode::File(text.clone().into_bytes())),
            ("hex", Value::String(digits)) => unhex(digits).map(PlantNode::File),
            ("link", Value::String(target)) => Some(PlantNode::Link(target.clone())),
            ("fifo", Value::Bool(true)) => Some(PlantNode::Fifo),
            ("hard_link", Value::String(file)) => Some(PlantNode::HardLink(file.clone())),
            ("mode", Value::String(mode)) => u32::from_str_radix(mode, 8).ok().map(PlantNode::Mode),
            ("hex_name", Value::String(digits)) => unhex(digits).map(PlantNode::RawName),
            ("entries", count) => count.as_u64()?.try_into().ok().map(PlantNode::Entries),
            ("behind_link", Value::Bool(true)) => Some(PlantNode::BehindLink),
            _ => None,
        }
    }
}

fn step(step: &Step) -> Value {
    let mut object = Map::new();
    match &step.action {
        Action::Call(input) => object.insert("call".into(), input.clone()),
        Action::Restart => object.insert("restart".into(), true.into()),
        Action::Plant(plant) => {
            let (field, value) = plant.node.to_json();
            object.insert("plant".into(), json!({ "path": plant.path, field: value }))
        }
    };
    if let Some(when) = &step.when {
        object.insert("when".into(), when.clone().into());
    }
    if !step.requirements.is_empty() {
        object.insert("requirements".into(), step.requirements.clone().into());
    }
    match step.outcomes.as_slice() {
        [] => {}
        [one] if one.choice.is_none() && one.when.is_none() => {
            object.insert("expect".into(), outcome(one));
        }
        several => {
            let list: Vec<Value> = several.iter().map(outcome).collect();
            object.insert("expect".into(), json!({ "any_of": list }));
        }
    }
    Value::Object(object)
}

fn outcome(outcome: &Outcome) -> Value {
    let mut object = Map::new();
    for (field, choice) in [("choice", &outcome.choice), ("when", &outcome.when)] {
        if let Some(choice) = choice {
            object.insert(field.into(), choice.clone().into());
        }
    }
    let (field, value) = match &outcome.expected {
        Expected::Ok(text) => ("ok", self::text(text)),
        Expected::OkStartsWith(text) => ("ok_starts_with", self::text(text)),
        Expected::AnyOk => ("any_ok", true.into()),
        Expected::Error(text) => ("error", self::text(text)),
        Expected::AnyError => ("any_error", true.into()),
    };
    object.insert(field.into(), value);
    let (mut disk, mut disk_hex) = (Map::new(), Map::new());
    for (path, bytes) in &outcome.disk {
        match bytes.as_deref().map(std::str::from_utf8) {
            None => disk.insert(path.clone(), Value::Null),
            Some(Ok(text)) => disk.insert(path.clone(), text.into()),
            Some(Err(_)) => disk_hex.insert(path.clone(), hex(bytes.as_deref().unwrap_or_default()).into()),
        };
    }
    let modes = outcome.modes.iter().map(|(path, mode)| (path.clone(), format!("{mode:04o}").into())).collect();
    for (field, map) in [("disk", disk), ("disk_hex", disk_hex), ("modes", modes)] {
        if !map.is_empty() {
            object.insert(field.into(), Value::Object(map));
        }
    }
    Value::Object(object)
}

/// An array of lines, where there are several.
fn text(text: &str) -> Value {
    if text.contains('\n') { text.split('\n').collect::<Vec<_>>().into() } else { text.into() }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let whole = digits.is_ascii() && digits.len().is_multiple_of(2);
    let pairs = (0..if whole { digits.len() } else { 0 }).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect::<Option<_>>().filter(|_| whole)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::case::{builtin_cases, builtin_catalogue, load_case};

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for case in builtin_cases().unwrap() {
            let json = case.to_json().to_string();
            let again = load_case("x".as_ref(), &json, builtin_catalogue()).unwrap();
            assert_eq!(format!("{case:?}"), format!("{again:?}"));
        }
    }
}
