//! Attacks and random scripts over HTTP: nothing is found on the reference handler, and faults are.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use memconf::Handler;
use memconf::case::{Level, builtin_catalogue};
use memconf::fuzz::paths::PathAttacks;
use memconf::fuzz::{FuzzOptions, FuzzReport, fuzz, scripts};
use memconf::judge::Demands;
use memconf::reference::Reference;
use memconf::runner::connect_http;
use memconf::transport::{HttpServer, HttpTarget};
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("fuzz/silent", || holds(Box::new(Reference::in_memory()), &[])),
        Trial::test("fuzz/found", || {
            let faulty = Box::new(Faulty { inner: Box::new(Reference::in_memory()) });
            holds(faulty, &["fuzz/paths-a7-prefix-served", "fuzz/scripts-create-stores-text-line-ends"])
        }),
    ]
}

/// Whether the findings at level must begin with just these ids, each with one at least.
fn holds(handler: Box<dyn Handler>, ids: &[&str]) -> Result<(), Failed> {
    let server = HttpServer::bind_one("127.0.0.1:0".parse().unwrap(), handler)?;
    let url = format!("http://{}/", server.address()?);
    std::thread::spawn(move || server.serve());
    let (paths, scripts) = fuzzed(&url)?;
    let results = paths.report.results.iter().chain(&scripts.report.results);
    let found: Vec<String> = results
        .filter(|result| result.worst() == Some(Level::Must) || result.failures.is_empty())
        .map(|result| result.id.clone())
        .collect();
    if !paths.report.warnings.iter().any(|warning| warning.contains("accepted-unverified")) {
        return Err("it is not said that memconf does not see what some attempts did".into());
    }
    let wrong = found.iter().filter(|found| {
        let family = found.split('-').next().unwrap_or_default();
        !ids.iter().any(|id| id.starts_with(family))
    });
    let missed = ids.iter().filter(|id| !found.iter().any(|found| found.starts_with(*id)));
    if wrong.count() + missed.count() == 0 { Ok(()) } else { Err(format!("{found:?}").into()) }
}

fn fuzzed(url: &str) -> Result<(FuzzReport, FuzzReport), Failed> {
    let connect = connect_http(HttpTarget::new(url)?);
    let options = |count| FuzzOptions { jobs: 0, seed: 1, count, time: None, demands: Demands::default() };
    let attacks = PathAttacks::new(1);
    let paths = fuzz(&attacks, builtin_catalogue(), &connect, &options(attacks.enumerated()), &mut |_| {})?;
    let choices = scripts::learn(&connect, builtin_catalogue())?;
    let scripts = scripts::scripts(1, choices);
    Ok((paths, fuzz(&scripts, builtin_catalogue(), &connect, &options(300), &mut |_| {})?))
}

/// Serves `/memoriesX/a` from `/memories/X/a`, and stores CRLF as LF.
struct Faulty {
    inner: Box<dyn Handler>,
}

impl Handler for Faulty {
    fn call(&mut self, input: &Value) -> ToolResult {
        let mut input = input.clone();
        for key in ["path", "old_path", "new_path"] {
            let rest = input[key].as_str().and_then(|path| path.strip_prefix("/memories"));
            if let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')) {
                input[key] = format!("/memories/{rest}").into();
            }
        }
        if let Some(text) = input["file_text"].as_str() {
            input["file_text"] = text.replace("\r\n", "\n").into();
        }
        self.inner.call(&input)
    }

    fn reset(&mut self, root: &Path) -> Ready {
        self.inner.reset(root)
    }
}
