//! `memconf serve`: the reference handler as a server.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use clap::Args;
use memconf::event::exit;
use memconf::reference::Reference;
use memconf::transport::Handler;
use memconf::wire::{ToolResult, write_tool_result};
use serde_json::{Value, json};

use super::Stop;

const EXAMPLES: &str = "Examples:
  memconf serve --stdio                      in memory
  memconf serve --stdio --disk               below the folder that `reset` names, or MEMCONF_ROOT
  memconf run -- memconf serve --stdio       memconf, pointed at itself";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// One JSON object a line on standard input and output
    #[arg(long, required = true)]
    stdio: bool,
    /// Keep the store in a directory: the one that `reset` names, or else MEMCONF_ROOT
    #[arg(long)]
    disk: bool,
}

impl Serve {
    pub fn run(self) -> Result<u8, Stop> {
        let mut handler: Box<dyn Handler> = match (self.disk, std::env::var_os("MEMCONF_ROOT")) {
            (true, Some(root)) => {
                let opened = Reference::open_directory(&PathBuf::from(root));
                Box::new(opened.map_err(|error| Stop::usage(format!("failed to open MEMCONF_ROOT: {error}")))?)
            }
            (true, None) => Box::new(Reference::in_directory()),
            (false, _) => Box::new(Reference::in_memory()),
        };
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let (mut line, mut reply) = (Vec::new(), Vec::new());
        while input.read_until(b'\n', &mut line)? > 0 {
            reply.clear();
            answer(handler.as_mut(), &line, &mut reply);
            output.write_all(&reply)?;
            output.flush()?;
            line.clear();
        }
        Ok(exit::OK)
    }
}

fn answer(handler: &mut dyn Handler, line: &[u8], reply: &mut Vec<u8>) {
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            return send(reply, &json!({ "type": "error", "message": format!("not a JSON object: {error}") }));
        }
    };
    match (message["type"].as_str(), message["root"].as_str(), message["id"].as_str()) {
        (Some("reset"), Some(root), _) => {
            let ready = handler.reset(root.as_ref());
            let mut object = json!({ "type": "ready", "name": ready.name, "version": ready.version });
            if let Some(store) = ready.store {
                object["store"] = store.into();
            }
            send(reply, &object);
        }
        (Some("tool_use"), _, Some(id)) => {
            let result = match message.get("input") {
                Some(input) => handler.call(input),
                None => ToolResult::error("Error: the tool_use has no `input`"),
            };
            write_tool_result(reply, id, &result);
        }
        (kind, ..) => {
            let kind = kind.unwrap_or("no type");
            send(
                reply,
                &json!({ "type": "error", "message": format!("a message of type `{kind}` with its fields is not known") }),
            );
        }
    }
}

fn send(reply: &mut Vec<u8>, object: &Value) {
    reply.extend_from_slice(object.to_string().as_bytes());
    reply.push(b'\n');
}
