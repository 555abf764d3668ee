//! Handlers behind HTTP: the same verdicts as over stdio, tenants kept apart or caught, hostile servers, and memconf's
//! own server under garbage. All traffic is on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;
#[path = "http/fuzzed.rs"]
mod fuzzed;
#[path = "http/hostile.rs"]
mod hostile;
#[path = "http/parser.rs"]
mod parser;
mod provision;
#[path = "http/served.rs"]
mod served;

use std::collections::BTreeMap;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::case::{Case, Need, builtin_cases, builtin_catalogue};
use memconf::judge::{CaseResult, Demands, Dialects, Verdict};
use memconf::runner::{Connect, RunOptions, connect_http, connect_stdio, run, tenants};
use memconf::transport::{HttpTarget, StdioCommand};
use serde_json::Value;

use common::command::{Ran, memconf, ran};
use served::Served;

/// A broken twin, and checks that catch it.
const TWINS: [(&str, &[&str]); 4] = [
    ("rename-unchecked", &["tenants/renames"]),
    ("like-key", &["tenants/name-with-percent", "tenants/name-with-underscore"]),
    ("shared-cache", &["tenants/cache"]),
    ("folded-key", &["tenants/name-in-other-case"]),
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("reference-as-over-stdio", || reference_as_over_stdio(&[])),
        Trial::test("reference-on-disk-as-over-stdio", || reference_as_over_stdio(&["--disk"])),
        Trial::test("reference-with-stores", reference_with_stores),
        Trial::test("python-sdk-as-over-stdio", python_sdk_as_over_stdio),
        Trial::test("tenants-kept-apart", tenants_kept_apart),
        Trial::test("cleaned-up-by-commands", cleaned_up_by_commands),
        Trial::test("a-foreign-store-is-left-alone", a_foreign_store_is_left_alone),
        Trial::test("secrets-and-tls", secrets_and_tls),
        Trial::test("usage", usage),
        Trial::test("no-server", no_server),
        Trial::test("server-under-garbage", parser::survives_garbage),
        Trial::test("server-and-web-pages", parser::refuses_web_pages),
    ];
    let twins = TWINS.iter().map(|(twin, checks)| Trial::test(format!("twin/{twin}"), move || is_caught(twin, checks)));
    trials.extend(twins);
    trials.extend(hostile::trials());
    trials.extend(fuzzed::trials());
    libtest_mimic::run(&arguments, trials).exit()
}

fn reference_as_over_stdio(options: &[&str]) -> Result<(), Failed> {
    let served = Served::memconf(options)?;
    let over_http = judged(&connect_http(HttpTarget::new(&served.url)?), &builtin_cases().unwrap())?;
    let words =
        [&[common::command::binary().display().to_string(), "serve".into(), "--stdio".into()], &*owned(options)];
    same(&over_http, &judged(&connect_stdio(StdioCommand::new(words.concat())), &builtin_cases().unwrap())?)
}

fn reference_with_stores() -> Result<(), Failed> {
    let served = Served::memconf(&["--session-header", "X-Store"])?;
    let mut target = HttpTarget::new(&served.url)?;
    target.set_session_header("x-store")?;
    let mut cases = builtin_cases().unwrap();
    cases.extend(tenants::cases());
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    let results = judged(&connect_http(target), &cases)?;
    let wrong: Vec<_> = results
        .iter()
        .filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::NotApplicable))
        .map(|result| format!("{}: {:?} {:?} {:?}", result.id, result.verdict, result.failures, result.notes))
        .collect();
    let of_tenants =
        results.iter().filter(|result| result.id.starts_with("tenants/") && result.verdict == Verdict::Pass);
    if wrong.is_empty() && of_tenants.count() == tenants::cases().len() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn python_sdk_as_over_stdio() -> Result<(), Failed> {
    let provisioned = provision::provision("python-sdk")?;
    let python = provisioned.command[0].clone();
    let server = common::harness("adapters/python/http_server.py").display().to_string();
    let served = Served::start(&[python, "-I".into(), server])?;
    let over_http = judged(&connect_http(HttpTarget::new(&served.url)?), &builtin_cases().unwrap())?;
    let mut command = StdioCommand::new(provisioned.command);
    command.env = provisioned.env;
    same(&over_http, &judged(&connect_stdio(command), &builtin_cases().unwrap())?)
}

fn judged(connect: &dyn Connect, cases: &[Case]) -> Result<Vec<CaseResult>, Failed> {
    let (docs, _) = Dialects::builtin().get("docs").unwrap();
    let demands = Demands { dialect: Some(docs), ..Demands::default() };
    let options = RunOptions { demands, ..RunOptions::default() };
    let report = run(cases, builtin_catalogue(), connect, &options, &|_| true, &mut |_| {});
    let report = report.map_err(|error| error.to_string())?;
    if !report.warnings.is_empty() {
        return Err(format!("warnings: {:?}", report.warnings).into());
    }
    Ok(report.results)
}

/// The same verdicts for the same reasons. Only what needs a restart cannot be had over HTTP.
fn same(over_http: &[CaseResult], over_stdio: &[CaseResult]) -> Result<(), Failed> {
    let restarts: Vec<String> =
        builtin_cases().unwrap().iter().filter(|case| case.needs(Need::Restart)).map(|case| case.id.clone()).collect();
    let line = |result: &CaseResult| {
        let failures = result.failures.iter().map(|one| format!("{} {:?} {}", one.step, one.facet, one.cause));
        format!("{:?} {:?} {:?}", result.verdict, result.facets, failures.collect::<Vec<_>>())
    };
    let by_id = |results: &[CaseResult]| -> BTreeMap<String, String> {
        results.iter().map(|result| (result.id.clone(), line(result))).collect()
    };
    let (http, stdio) = (by_id(over_http), by_id(over_stdio));
    let mut wrong: Vec<String> = stdio
        .iter()
        .filter(|(id, line)| !restarts.contains(id) && http.get(*id) != Some(line))
        .map(|(id, line)| format!("{id}\n  over stdio: {line}\n  over HTTP:  {:?}", http.get(id)))
        .collect();
    let of_restarts = over_http.iter().filter(|result| restarts.contains(&result.id));
    wrong.extend(
        of_restarts
            .filter(|result| result.verdict != Verdict::NotApplicable)
            .map(|result| format!("{}: judged", result.id)),
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn tenants_kept_apart() -> Result<(), Failed> {
    let served = Served::tenants(&[])?;
    let ran = over_http(&served, &["--session-header", "X-Tenant", "--filter", "tenants/", "--jobs", "2"]);
    let report = report(&ran)?;
    if ran.code == 0 && report["summary"]["verdicts"]["pass"] == tenants::cases().len() {
        Ok(())
    } else {
        Err(format!("{report:#}").into())
    }
}

fn is_caught(twin: &str, checks: &[&str]) -> Result<(), Failed> {
    let served = Served::tenants(&["--twin", twin])?;
    let ran = over_http(&served, &["--session-header", "X-Tenant", "--filter", "tenants/"]);
    let report = report(&ran)?;
    let failed: Vec<&str> =
        cases(&report).filter(|case| case["verdict"] == "fail").filter_map(|case| case["id"].as_str()).collect();
    let safety = cases(&report).filter(|case| case["verdict"] == "fail").all(|case| case["facets"]["safety"] == "fail");
    let missed: Vec<_> = checks.iter().filter(|check| !failed.contains(check)).collect();
    if ran.code == 1 && missed.is_empty() && safety {
        Ok(())
    } else {
        Err(format!("missed {missed:?}: {report:#}").into())
    }
}

/// One tenant, and nothing to empty its store with but commands.
fn cleaned_up_by_commands() -> Result<(), Failed> {
    let served = Served::tenants(&[])?;
    let cleaned = report(&over_http(&served, &["--header", "X-Tenant: one"]))?;
    let named = report(&over_http(&served, &["--session-header", "X-Tenant"]))?;
    let lines = |report: &Value| -> BTreeMap<String, String> {
        let line = |case: &Value| {
            (case["id"].as_str().unwrap().to_owned(), format!("{} {}", case["verdict"], case["failures"]))
        };
        cases(report).filter(|case| !case["id"].as_str().unwrap().starts_with("tenants/")).map(line).collect()
    };
    let (cleaned, named) = (lines(&cleaned), lines(&named));
    let wrong: Vec<_> = named
        .iter()
        .filter(|(id, line)| cleaned.get(*id) != Some(line))
        .map(|(id, line)| format!("{id}\n  {line}\n  {:?}", cleaned.get(id)))
        .collect();
    if wrong.is_empty() && cleaned.len() == named.len() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn a_foreign_store_is_left_alone() -> Result<(), Failed> {
    let served = Served::tenants(&[])?;
    let create = r#"{"type":"tool_use","id":"1","name":"memory","input":{"command":"create","path":"/memories/mine.txt","file_text":"mine"}}"#;
    let view = create.replace("create", "view");
    let send = |body: &str| parser::post(&served, &[("X-Tenant", "one")], body.as_bytes()).unwrap();
    send(create);
    let options = ["--header", "X-Tenant: one", "--filter", "create/ok"];
    let refused = over_http(&served, &options);
    let text = refused.out.clone() + &refused.err;
    if refused.code != 3 || !text.contains("--erase") || !send(&view).contains("mine") {
        return Err(format!("{}: {text}", refused.code).into());
    }
    let erased = over_http(&served, &[&options[..], &["--erase"]].concat());
    if erased.code == 0 && send(&view).contains(" 400 ") { Ok(()) } else { Err(erased.out.into()) }
}

fn secrets_and_tls() -> Result<(), Failed> {
    const TOKEN: &str = "hunter2-hunter2";
    let folder = tempfile::tempdir()?;
    let (certificate, key) = served::certificate(folder.path())?;
    let served = Served::tenants(&["--token", TOKEN, "--tls", &certificate, &key])?;
    let run = |token: &str, options: &[&str]| {
        let base = [
            "run",
            "--url",
            &served.url,
            "--session-header",
            "X-Tenant",
            "--filter",
            "create/ok",
            "--report",
            "json=-",
        ];
        let ran = ran(memconf().args(base).args(options).env("MEMCONF_TEST_TOKEN", token));
        let text = format!("{} {}{}", ran.code, ran.out, ran.err);
        if text.contains(TOKEN) { Err(format!("the secret shows: {text}")) } else { Ok(text) }
    };
    let bearer = ["--header", "Authorization: Bearer env:MEMCONF_TEST_TOKEN"];
    let trusted = ["--cacert", certificate.as_str()];
    for (token, options, words) in [
        (TOKEN, [bearer, trusted].concat(), &["0 ", "\"pass\": 1"][..]),
        (TOKEN, bearer.to_vec(), &["3 ", "no TLS connection", "--cacert FILE"]),
        // It echoes the wrong credentials.
        (
            "wrong-credentials",
            [bearer, trusted].concat(),
            &["3 ", "401 Unauthorized", "wrong credentials: [secret]", "--header"],
        ),
        ("x", trusted.to_vec(), &["3 ", "401 Unauthorized"]),
    ] {
        let text = run(token, &options)?;
        if text.contains("wrong-credentials")
            || !words.iter().all(|word| text.contains(word))
            || !text.starts_with(words[0])
        {
            return Err(format!("{words:?} expected: {text}").into());
        }
    }
    Ok(())
}

fn usage() -> Result<(), Failed> {
    for (words, told) in [
        (&["--url", "127.0.0.1:1"][..], "http://"),
        (&["--url", "http://user:secret99@127.0.0.1:1/"], "--header"),
        (&["--url", "http://127.0.0.1:1/", "--jobs", "2"], "--session-header NAME"),
        (&["--url", "http://127.0.0.1:1/", "--header", "secret99"], "Name: value"),
        (&["--url", "http://127.0.0.1:1/", "--header", "X: env:MEMCONF_NOT_SET"], "MEMCONF_NOT_SET"),
        (&["--url", "http://127.0.0.1:1/", "--cacert", "/nowhere.pem"], "/nowhere.pem"),
        (&["--url", "http://127.0.0.1:1/", "--", "handler"], "cannot be used with"),
        (&["--header", "X: y"], "--url"),
        (&["--session-header", "X"], "--url"),
    ] {
        let ran = ran(memconf().arg("run").args(words));
        if ran.code != 2 || !ran.err.contains(told) || ran.err.contains("secret99") {
            return Err(format!("{words:?}: {}: {}", ran.code, ran.err).into());
        }
    }
    Ok(())
}

/// Nothing listens: it is said once, at once, and the run is incomplete.
fn no_server() -> Result<(), Failed> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let url = format!("http://127.0.0.1:{port}/memory");
    let started = std::time::Instant::now();
    let ran = ran(memconf().args(["run", "--url", &url]));
    let text = ran.out + &ran.err;
    let is_quick = started.elapsed().as_secs() < 20;
    if ran.code == 3 && text.contains("cannot be reached") && text.contains(&url) && is_quick {
        Ok(())
    } else {
        Err(text.into())
    }
}

fn over_http(served: &Served, options: &[&str]) -> Ran {
    ran(memconf().args(["run", "--url", &served.url, "--report", "json=-"]).args(options))
}

fn report(ran: &Ran) -> Result<Value, Failed> {
    serde_json::from_str(&ran.out).map_err(|error| format!("{error}\n{}\n{}", ran.out, ran.err).into())
}

fn cases(report: &Value) -> impl Iterator<Item = &Value> {
    report["cases"].as_array().into_iter().flatten()
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
