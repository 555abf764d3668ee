//! A planted node as it stands in a case file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{Wrong, bytes, octal, wrong};
use super::{Plant, PlantNode, Text};

/// A node in the store: one of `text`, `hex`, `link`, `fifo`, `hard_link`, `mode`, `hex_name`, `entries` and
/// `behind_link`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlantFile {
    /// Where, below /memories.
    pub path: String,
    /// A file with this text.
    #[serde(default)]
    pub text: Option<Text>,
    /// A file with these bytes, in hexadecimal; spaces are ignored.
    #[serde(default)]
    pub hex: Option<String>,
    /// A symbolic link with this target. `{outside}` stands for a directory outside the store.
    #[serde(default)]
    pub link: Option<String>,
    /// A named pipe.
    #[serde(default)]
    pub fifo: Option<bool>,
    /// A further name of the file at this path.
    #[serde(default)]
    pub hard_link: Option<String>,
    /// Other permissions for what stands there, such as "0000". Where they keep this user from nothing, the case is not applicable.
    #[serde(default)]
    pub mode: Option<String>,
    /// A file in this directory, whose name has these bytes, in hexadecimal.
    #[serde(default)]
    pub hex_name: Option<String>,
    /// A directory with so many empty files, at most 100000.
    #[serde(default)]
    pub entries: Option<usize>,
    /// With the path /memories: the store's directory moves aside, and a link to it takes its place.
    #[serde(default)]
    pub behind_link: Option<bool>,
}

pub(super) fn plant(file: PlantFile) -> Result<Plant, Wrong> {
    const MOST_ENTRIES: usize = 100_000;
    let PlantFile { path, text, hex, link, fifo, hard_link, mode, hex_name, entries, behind_link } = file;
    let mut nodes = Vec::new();
    nodes.extend(text.map(|text| PlantNode::File(text.0.into_bytes())));
    nodes.extend(hex.map(|hex| bytes(&hex)).transpose()?.map(PlantNode::File));
    nodes.extend(link.map(PlantNode::Link));
    nodes.extend(fifo.filter(|is| *is).map(|_| PlantNode::Fifo));
    nodes.extend(hard_link.map(PlantNode::HardLink));
    nodes.extend(mode.map(|mode| octal(&mode)).transpose()?.map(PlantNode::Mode));
    nodes.extend(hex_name.map(|name| bytes(&name)).transpose()?.map(PlantNode::RawName));
    nodes.extend(entries.map(PlantNode::Entries));
    nodes.extend(behind_link.filter(|is| *is).map(|_| PlantNode::BehindLink));
    let (Some(node), true) = (nodes.pop(), nodes.is_empty()) else {
        return wrong(
            "plant",
            "a planted node has one of `text`, `hex`, `link`, `fifo: true`, `hard_link`, `mode`, `hex_name`, `entries` and `behind_link: true`",
        );
    };
    match &node {
        PlantNode::HardLink(file) if !is_inside(file) => {
            return wrong("hard_link", format!("a hard link leads to a plain path below /memories/, not to `{file}`"));
        }
        PlantNode::RawName(name) if name.is_empty() || name.contains(&b'/') || name.contains(&0) => {
            return wrong("hex_name", "a name has bytes, and neither 00 nor 2f among them");
        }
        PlantNode::Entries(count) if *count > MOST_ENTRIES => {
            return wrong("entries", format!("`entries` is at most {MOST_ENTRIES}"));
        }
        _ => {}
    }
    let fits = if node == PlantNode::BehindLink { path == "/memories" } else { is_inside(&path) };
    match fits {
        true => Ok(Plant { path, node }),
        false if node == PlantNode::BehindLink => wrong("path", "`behind_link` goes with the path /memories"),
        false => wrong("path", format!("a node is planted below /memories/, on a plain path, not at `{path}`")),
    }
}

fn is_inside(path: &str) -> bool {
    let plain = |name: &str| !name.is_empty() && name != "." && name != "..";
    path.strip_prefix("/memories/").is_some_and(|rest| rest.split('/').all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{builtin_catalogue, load_case};
    use serde_json::json;

    fn planted(node: &serde_json::Value) -> Result<PlantNode, String> {
        let view = json!({ "command": "view", "path": "/memories" });
        let steps = json!([{ "plant": node }, { "call": view, "expect": { "any_ok": true } }]);
        let file =
            json!({ "id": "x/y", "title": "t", "requirements": ["path.no-escape"], "needs": ["disk"], "steps": steps });
        let case = load_case("x/y.json".as_ref(), &file.to_string(), builtin_catalogue());
        let case = case.map_err(|errors| errors.iter().map(ToString::to_string).collect::<String>())?;
        assert_eq!(case.to_json()["steps"][0]["plant"], *node);
        match &case.steps[0].action {
            crate::case::Action::Plant(plant) => {
                let (field, value) = plant.node.to_json();
                assert_eq!(PlantNode::from_json(field, &value).as_ref(), Some(&plant.node));
                Ok(plant.node.clone())
            }
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn every_node_is_read_and_written() {
        for (node, expected) in [
            (json!({ "path": "/memories/a", "text": "b" }), PlantNode::File(b"b".to_vec())),
            (json!({ "path": "/memories/a", "hex": "ff" }), PlantNode::File(vec![0xff])),
            (json!({ "path": "/memories/a", "link": ".." }), PlantNode::Link("..".into())),
            (json!({ "path": "/memories/a", "fifo": true }), PlantNode::Fifo),
            (json!({ "path": "/memories/a", "hard_link": "/memories/b" }), PlantNode::HardLink("/memories/b".into())),
            (json!({ "path": "/memories/a", "mode": "0000" }), PlantNode::Mode(0)),
            (json!({ "path": "/memories/a", "hex_name": "61ff" }), PlantNode::RawName(vec![0x61, 0xff])),
            (json!({ "path": "/memories/a", "entries": 3 }), PlantNode::Entries(3)),
            (json!({ "path": "/memories", "behind_link": true }), PlantNode::BehindLink),
        ] {
            assert_eq!(planted(&node), Ok(expected));
        }
    }

    #[test]
    fn a_wrong_node_is_named() {
        for (node, message) in [
            (json!({ "path": "/memories/a" }), "has one of"),
            (json!({ "path": "/memories/a", "text": "b", "mode": "0600" }), "has one of"),
            (json!({ "path": "/memories/a", "behind_link": true }), "goes with the path /memories"),
            (json!({ "path": "/memories", "text": "b" }), "below /memories/"),
            (json!({ "path": "/memories/../a", "text": "b" }), "below /memories/"),
            (json!({ "path": "/memories/a", "hard_link": "/memories/../../etc/passwd" }), "plain path below"),
            (json!({ "path": "/memories/a", "mode": "8" }), "not an octal mode"),
            (json!({ "path": "/memories/a", "hex_name": "2f" }), "neither 00 nor 2f"),
            (json!({ "path": "/memories/a", "hex_name": "" }), "a name has bytes"),
            (json!({ "path": "/memories/a", "hex_name": "6\u{e9}" }), "pairs of hexadecimal digits"),
            (json!({ "path": "/memories/a", "entries": 100_001 }), "at most 100000"),
        ] {
            let error = planted(&node).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
