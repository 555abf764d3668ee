//! Answers that are late, wrong, too long, or none.

use super::*;

#[test]
fn silence_runs_into_the_timeout() {
    let mut bench = Script { call: "time.sleep(1000)", ..PLAIN }.impatient();
    let fault = bench.fault();
    assert!(matches!(fault, Fault::Timeout { partial: false, .. }), "{fault}");
    assert_eq!(fault.to_string(), "no answer within 300 ms");

    let call = "sys.stdout.write(result(m['id'], 'x')); sys.stdout.flush(); time.sleep(1000)";
    let fault = Script { call, ..PLAIN }.impatient().fault();
    assert!(matches!(fault, Fault::Timeout { partial: true, .. }), "{fault}");
}

#[test]
fn a_first_answer_may_take_its_time_but_not_again_and_again() {
    let mut command = Script { reset: "unknown()", call: "time.sleep(1000)", ..PLAIN }.command();
    command.timeout = Duration::from_millis(200);
    command.start_timeout = Some(Duration::from_secs(3));
    let mut bench = Bench::new(command);
    assert!(matches!(bench.fault(), Fault::Timeout { after, .. } if after.as_secs() == 3));
    assert!(matches!(bench.fault(), Fault::Timeout { after, .. } if after.as_millis() == 200));
}

#[test]
fn a_crash_is_told_with_its_status() {
    for (call, expected) in [
        ("sys.exit(3)", "exit status 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11 (SIGSEGV)"),
        ("sys.stdout.write('{\"type\":'); sys.stdout.flush(); os._exit(7)", "exit status 7"),
        ("send('panic!'); os._exit(7)", "exit status 7"),
        // A child that lives on holds stdout open.
        ("subprocess.Popen(['sleep', '1000']); os._exit(5)", "exit status 5"),
    ] {
        let mut bench = Script { call, ..PLAIN }.bench();
        let began = Instant::now();
        let fault = bench.fault();
        assert!(matches!(&fault, Fault::Ended { status } if status == expected), "{expected}: {fault}");
        assert!(began.elapsed() < Duration::from_secs(15), "it must not run into the timeout");
    }
}

#[test]
fn an_answer_to_another_command_is_a_fault() {
    let fault = Script { call: "send(result('toolu_0', 'x'))", ..PLAIN }.bench().fault();
    let Fault::WrongId { expected, found } = &fault else { panic!("{fault}") };
    assert_eq!((expected.as_str(), found.as_str()), ("toolu_1", "toolu_0"));

    // A second answer to the last command stands where the answer to the next is due.
    let mut bench = Script { call: "send(result(m['id'], 'x') + '\\n' + result(m['id'], 'y'))", ..PLAIN }.bench();
    bench.begin();
    assert_eq!(bench.call(), "x");
    assert!(matches!(bench.try_call(), Err(Fault::WrongId { .. })));

    for (call, expected) in [("ready()", "ready"), ("unknown()", "error")] {
        let fault = Script { call, ..PLAIN }.bench().fault();
        assert!(matches!(&fault, Fault::Unexpected { found, .. } if found == expected), "{fault}");
    }
}

#[test]
fn output_before_the_answer_is_skipped_and_told_once() {
    let call = r"send('debug: \x1b[1mviewing'); send(''); send('{\'level\': 1}'); ok('fine')";
    let mut bench = Script { call, ..PLAIN }.bench();
    bench.begin();
    for _ in 0..3 {
        assert_eq!(bench.call(), "fine");
    }
    let warnings = bench.stdio.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains(r"`debug: \u{1b}[1mviewing`"), "{warnings:?}");
    assert!(warnings[0].contains("print logs to stderr, not to stdout"), "{warnings:?}");
    assert!(bench.stdio.warnings().is_empty());
}

#[test]
fn garbage_in_place_of_an_answer_is_quoted() {
    for (call, expected) in [
        ("send('here you are')", "`here you are` is not a JSON object"),
        ("[send('x') for _ in range(1000)]", "`x` is not"),
        ("send('y' * 100000)", "y... (100000 bytes)` is not"),
        ("os.write(1, b'\\xff\\xfe\\n')", "not UTF-8"),
        ("send(result(m['id'], 'x') + result(m['id'], 'y'))", "one JSON object a line"),
        ("send(json.dumps(json.loads(result(m['id'], 'x')), indent=2))", "one JSON object a line"),
        ("send(result(m['id'], 'x').replace(',', ',\\n', 1))", "one JSON object a line"),
        ("send('{\"type\":\"tool_result\",\"content\":\"x\"}')", "without `tool_use_id`"),
        ("send(result(m['id'], 5))", "`content` that is a number"),
    ] {
        let fault = Script { call, ..PLAIN }.impatient().fault();
        let Fault::NotAMessage { .. } = fault else { panic!("{call}: {fault}") };
        assert!(fault.to_string().contains(expected), "{call}: {fault}");
    }
}

#[test]
fn a_line_without_end_is_cut_off() {
    for call in ["os.write(1, b'x' * 3000000)", "while True: os.write(1, b'x' * 60000)", "ok('x' * 3000000)"] {
        let mut command = Script { call, ..PLAIN }.command();
        command.max_reply = 1 << 20;
        let fault = Bench::new(command).fault();
        assert!(matches!(fault, Fault::Flood { limit: 1_048_576 }), "{call}: {fault}");
    }
    // Lines without end, none of them an answer.
    let fault = Script { call: "while True: send('no')", ..PLAIN }.bench().fault();
    assert!(matches!(fault, Fault::NotAMessage { .. }), "{fault}");
    let fault = Script { call: "while True: send('\\n' * 60000)", ..PLAIN }.impatient().fault();
    assert!(matches!(fault, Fault::Timeout { .. }), "{fault}");
}

#[test]
fn a_large_answer_comes_whole() {
    let mut bench = Script { call: "ok('x' * 16000000)", ..PLAIN }.bench();
    bench.begin();
    for _ in 0..2 {
        let answer = bench.call();
        assert!(answer.len() == 16_000_000 && answer.chars().all(|c| c == 'x'));
    }
}

#[test]
fn a_flood_on_stderr_blocks_nothing() {
    let call = "for _ in range(800): os.write(2, b'x' * 65535 + b'\\n')\nos.write(2, b'the end\\n'); ok('fine')";
    let mut bench = Script { call, ..PLAIN }.bench();
    bench.begin();
    assert_eq!(bench.call(), "fine");
    let log = bench.stdio.log();
    assert!(log.len() < 10_000 && log.starts_with("[...]xxx") && log.ends_with("x\nthe end\n"));
    bench.begin();
    assert_eq!(bench.stdio.log(), "");

    let mut bench = Script { call: "while True: os.write(2, b'x' * 60000)", ..PLAIN }.impatient();
    assert!(matches!(bench.fault(), Fault::Timeout { .. }));
    assert!(bench.stdio.log().ends_with("xxx"));
}

#[test]
fn a_large_request_reaches_a_slow_reader() {
    let code = r#"
import json, os, time
def line():
    parts = []
    while not parts or not parts[-1].endswith(b"\n"):
        parts.append(os.read(0, 1 << 18))
        os.write(2, b"." * 4096)
    return json.loads(b"".join(parts))
while True:
    m = line()
    answer = {"type": "ready"}
    if m["type"] == "tool_use":
        answer = {"type": "tool_result", "tool_use_id": m["id"], "content": str(len(m["input"]["file_text"]))}
    os.write(1, json.dumps(answer).encode() + b"\n")
"#;
    let mut command = StdioCommand::new(vec![python().into(), "-c".into(), code.into()]);
    command.timeout = Duration::from_secs(60);
    let mut bench = Bench::new(command);
    bench.begin();
    let input = json!({"command": "create", "path": "/memories/a", "file_text": "x".repeat(20_000_000)});
    assert_eq!(bench.stdio.call(&input).unwrap().content, "20000000");
    assert!(bench.stdio.request.capacity() <= super::super::IDLE);
}

#[test]
fn a_large_request_that_nobody_reads_runs_into_the_timeout() {
    let mut bench = Script { reset: "ready(); time.sleep(1000)", ..PLAIN }.impatient();
    bench.begin();
    let input = json!({"command": "create", "path": "/memories/a", "file_text": "x".repeat(1_000_000)});
    assert!(matches!(bench.stdio.call(&input), Err(Fault::Timeout { .. })));
}

#[test]
fn a_closed_pipe_is_named() {
    let began = Instant::now();
    let mut bench = Script { call: "ok('fine'); os.close(0); note('closed', 1); time.sleep(1000)", ..PLAIN }.bench();
    bench.begin();
    assert_eq!(bench.call(), "fine");
    notes(&bench.dir.path().join("scratch/root/closed"), 1);
    let fault = bench.try_call().unwrap_err();
    assert!(matches!(fault, Fault::Closed { stream: "stdin" }), "{fault}");

    let fault = Script { call: "os.close(1); time.sleep(1000)", ..PLAIN }.bench().fault();
    assert!(matches!(fault, Fault::Closed { stream: "stdout" }), "{fault}");

    // With all three closed there is nothing left to poll.
    let fault = Script { call: "os.closerange(0, 3); time.sleep(1000)", ..PLAIN }.bench().fault();
    assert!(matches!(fault, Fault::Closed { stream: "stdout" }), "{fault}");
    assert!(began.elapsed() < Duration::from_secs(25), "it must not run into the timeout");
}

#[test]
fn the_last_line_may_lack_its_end() {
    let call = "sys.stdout.write(result(m['id'], 'bye')); sys.stdout.flush(); os._exit(0)";
    let mut bench = Script { call, ..PLAIN }.bench();
    bench.begin();
    assert_eq!(bench.call(), "bye");
    assert!(matches!(bench.try_call(), Err(Fault::Ended { .. })));
}

#[test]
fn ids_and_kinds_are_escaped() {
    let fault = Script { call: "send(result('\\x1b' * 5000, ''))", ..PLAIN }.bench().fault();
    assert!(matches!(&fault, Fault::WrongId { found, .. } if found.starts_with("\\u{1b}") && found.len() < 2000));
    let fault = Script { call: "send(json.dumps({'type': '\\x1b[0m'}))", ..PLAIN }.bench().fault();
    assert!(matches!(&fault, Fault::Unexpected { found, .. } if found == "\\u{1b}[0m"), "{fault}");
}
