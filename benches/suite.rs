//! How long it takes: the whole suite in process on both stores, one step, a round trip over stdio beside a bare pipe
//! loop, and how the time grows with the number of cases.
//!
//! `cargo bench`; for the round trips pin both processes to one core: `taskset -c 0 cargo bench -- stdio`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio as Pipe};

use criterion::{BenchmarkId, Criterion, Throughput};
use memconf::Handler;
use memconf::case::{Case, builtin_cases, builtin_catalogue};
use memconf::event::RunReport;
use memconf::reference::Reference;
use memconf::runner::{Connect, RunOptions, connect_builtin, connect_in_process, run};
use memconf::transport::{Stdio, StdioCommand, Transport};
use memconf::wire::write_tool_use;
use serde_json::{Value, json};

/// This program started with this argument is the handler that echoes.
const ECHO: &str = "--echo-child";

fn main() {
    if std::env::args().any(|argument| argument == ECHO) {
        return echo();
    }
    let mut criterion = Criterion::default().configure_from_args();
    suite(&mut criterion);
    step(&mut criterion);
    round_trip(&mut criterion);
    growth(&mut criterion);
    criterion.final_summary();
}

fn suite(criterion: &mut Criterion) {
    let cases = builtin_cases().unwrap();
    let mut group = criterion.benchmark_group("suite");
    group.sample_size(10).throughput(Throughput::Elements(cases.len() as u64));
    group.bench_function("load", |bencher| bencher.iter(|| builtin_cases().unwrap()));
    group.bench_function("memory", |bencher| bencher.iter(|| replay(&cases, &connect_builtin())));
    group.bench_function("directory", |bencher| {
        bencher.iter(|| replay(&cases, &connect_in_process("built-in", Reference::in_directory)));
    });
    group.finish();
}

fn step(criterion: &mut Criterion) {
    let mut handler = Reference::in_memory();
    handler.reset("/".as_ref());
    handler.call(&json!({ "command": "create", "path": "/memories/notes.md", "file_text": "one\ntwo\nthree\n" }));
    let view = json!({ "command": "view", "path": "/memories/notes.md" });
    let mut group = criterion.benchmark_group("step");
    group.bench_function("handler alone", |bencher| bencher.iter(|| black_box(handler.call(&view))));
    // A case of one step more or less, judged: the difference is a step with all its checks.
    let cases: Vec<Case> = builtin_cases().unwrap().into_iter().filter(|case| case.id == "view/file").collect();
    let steps = cases[0].steps.len() as u64;
    let many: Vec<Case> = copies(&cases, 1000);
    group.sample_size(10).throughput(Throughput::Elements(1000 * steps));
    group.bench_function("with all checks", |bencher| bencher.iter(|| replay(&many, &connect_builtin())));
    group.finish();
}

fn round_trip(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stdio");
    let this = std::env::current_exe().unwrap();
    let input = json!({ "command": "view", "path": "/memories/notes.md" });

    let mut child = Command::new(&this).arg(ECHO).stdin(Pipe::piped()).stdout(Pipe::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let (mut request, mut reply) = (Vec::new(), Vec::new());
    group.bench_function("bare pipe loop", |bencher| {
        bencher.iter(|| {
            request.clear();
            write_tool_use(&mut request, "toolu_1", &input);
            to.write_all(&request).unwrap();
            reply.clear();
            from.read_until(b'\n', &mut reply).unwrap();
        });
    });
    drop(to);
    child.wait().unwrap();

    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("case");
    std::fs::create_dir(&root).unwrap();
    let command = StdioCommand::new(vec![this.display().to_string(), ECHO.into()]);
    let mut transport = Stdio::new(command, scratch.path().to_path_buf());
    transport.begin(&root).unwrap();
    group.bench_function("memconf", |bencher| bencher.iter(|| transport.call(&input).unwrap()));
    group.finish();
}

fn growth(criterion: &mut Criterion) {
    let all: Vec<Case> = builtin_cases().unwrap().into_iter().filter(|case| !case.id.contains("limit")).collect();
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for count in [1000, 10_000] {
        let cases = copies(&all, count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &cases, |bencher, cases| {
            bencher.iter(|| replay(cases, &connect_builtin()));
        });
    }
    group.finish();
}

fn copies(cases: &[Case], count: usize) -> Vec<Case> {
    let numbered = cases.iter().cycle().take(count).enumerate().map(|(number, case)| {
        let mut copy = case.clone();
        copy.id = format!("{number:06}/{}", case.id);
        copy
    });
    numbered.collect()
}

fn replay(cases: &[Case], connect: &dyn Connect) -> RunReport {
    run(cases, builtin_catalogue(), connect, &RunOptions::default(), &|_| true, &mut |_| {}).unwrap()
}

/// Answers at once, with the id that it finds.
fn echo() {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut input, mut output) = (BufReader::new(input), output);
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        reply.clear();
        match line.windows(6).position(|bytes| bytes == br#""id":""#) {
            Some(at) => {
                let id = &line[at + 6..];
                let length = id.iter().position(|byte| *byte == b'"').unwrap();
                reply.extend_from_slice(br#"{"type":"tool_result","tool_use_id":""#);
                reply.extend_from_slice(&id[..length]);
                reply.extend_from_slice(b"\",\"content\":\"ok\"}\n");
            }
            None => {
                let ready: Value = json!({ "type": "ready" });
                reply.extend_from_slice(format!("{ready}\n").as_bytes());
            }
        }
        output.write_all(&reply).unwrap();
        output.flush().unwrap();
        line.clear();
    }
}
