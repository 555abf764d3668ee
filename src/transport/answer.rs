//! What a handler in Rust answers to a message of the protocol, whatever carries it.

use serde_json::{Value, json};

use super::Handler;
use crate::wire::{MAX_VALUES, ToolResult, holds_too_much, write_tool_result};

/// Appends the handler's answer to `message`, with a final LF, to `reply`. What is no message is answered by an object
/// of the type `error`; gives whether it was a message.
pub fn answer(handler: &mut dyn Handler, message: &[u8], reply: &mut Vec<u8>) -> bool {
    if holds_too_much(message) {
        return error(reply, &format!("it holds more than {MAX_VALUES} values"));
    }
    let message: Value = match serde_json::from_slice(message) {
        Ok(message) => message,
        Err(fault) => return error(reply, &format!("not a JSON object: {fault}")),
    };
    match (message["type"].as_str(), message["root"].as_str(), message["id"].as_str()) {
        (Some("reset"), Some(root), _) => {
            let ready = handler.reset(root.as_ref());
            let mut object = json!({ "type": "ready", "name": ready.name, "version": ready.version });
            if let Some(store) = ready.store {
                object["store"] = store.into();
            }
            send(reply, &object);
            true
        }
        (Some("tool_use"), _, Some(id)) => {
            let result = match message.get("input") {
                Some(input) => handler.call(input),
                None => ToolResult::error("Error: the tool_use has no `input`"),
            };
            write_tool_result(reply, id, &result);
            true
        }
        (kind, ..) => {
            let kind = kind.unwrap_or("no type");
            error(reply, &format!("a message of type `{kind}` with its fields is not known"))
        }
    }
}

fn error(reply: &mut Vec<u8>, message: &str) -> bool {
    send(reply, &json!({ "type": "error", "message": message }));
    false
}

fn send(reply: &mut Vec<u8>, object: &Value) {
    reply.extend_from_slice(object.to_string().as_bytes());
    reply.push(b'\n');
}
