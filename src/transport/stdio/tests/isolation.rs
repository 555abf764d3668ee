//! How a handler gets an empty store, and how it is started.

use super::*;

const WHERE: &str = "ok('|'.join([str(os.getpid()), os.environ['MEMCONF_ROOT'], os.getcwd()]))";

#[test]
fn one_process_serves_all_cases_where_reset_is_known() {
    let reset = r#"send(json.dumps({"type": "ready", "store": m["root"] + "/store", "name": "probe"}))"#;
    let mut bench = Script { reset, call: WHERE, ..PLAIN }.bench();
    let ready = bench.begin();
    assert_eq!(ready.store, Some(bench.root().join("store").to_str().unwrap().to_owned()));
    assert_eq!(ready.name.as_deref(), Some("probe"));
    let first = bench.call();
    let scratch = bench.dir.path().canonicalize().unwrap().join("scratch");
    let (_, place) = first.split_once('|').unwrap();
    assert_eq!(place.split_once('|').unwrap().1, scratch.to_str().unwrap());
    for _ in 0..3 {
        bench.begin();
        assert_eq!(bench.call(), first);
        assert_eq!(bench.call(), first);
    }
    assert!(bench.stdio.warnings().is_empty());
}

#[test]
fn each_case_gets_a_process_where_reset_is_not_known() {
    for reset in [
        "unknown()",
        "send(result('none', 'what?'))",
        "send('what?')",
        "send('{\"type\":\"tool_result\"}')",
        "raise SystemExit(1)",
        "raise KeyError('id')",
        "os.close(1)",
        "pass",
    ] {
        let mut command = Script { reset, call: WHERE, ..PLAIN }.command();
        if reset == "pass" {
            command.start_timeout = Some(Duration::from_millis(500));
        } else if reset == "send('what?')" {
            command.timeout = Duration::from_secs(2); // how long `ready` may follow
        }
        let mut bench = Bench::new(command);
        let mut pids = Vec::new();
        for _ in 0..2 {
            assert_eq!(bench.begin(), Ready::default());
            let answer = bench.call();
            assert_eq!(answer, bench.call());
            let parts: Vec<&str> = answer.split('|').collect();
            let root = bench.root();
            assert_eq!(parts[1..], [root.to_str().unwrap(); 2], "{reset}");
            pids.push(parts[0].to_owned());
        }
        assert_ne!(pids[0], pids[1], "{reset}");
        assert!(!is_running(&pids[0]), "{reset}");
        let warnings = bench.stdio.warnings();
        assert_eq!(warnings.len(), usize::from(reset == "pass"), "{reset}: {warnings:?}");
    }
}

#[test]
fn a_line_before_ready_does_not_hide_it() {
    let mut bench = Script { setup: "send('hello')", ..PLAIN }.bench();
    bench.begin();
    bench.call();
    bench.begin();
    let warnings = bench.stdio.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("`hello`") && warnings[0].contains("stderr"), "{warnings:?}");
}

#[test]
fn a_reset_that_fails_later_gets_a_new_process() {
    let setup = "resets = 0";
    let reset = "resets += 1\nready() if resets == 1 else sys.exit(4)";
    let mut bench = Script { setup, reset, call: WHERE }.bench();
    bench.begin();
    let first = bench.call();
    bench.begin();
    assert_ne!(bench.call(), first);
    let warnings = bench.stdio.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("exit status 4"), "{warnings:?}");

    // Nor does the second process know better: that is the fault.
    let reset = "ready() if not os.path.exists('used') else sys.exit(4)\nopen('used', 'w')";
    let mut bench = Script { reset, ..PLAIN }.bench();
    bench.begin();
    let fault = bench.try_begin().unwrap_err();
    assert!(matches!(&fault, Fault::Ended { status } if status.starts_with("exit status 4")), "{fault}");
    assert!(bench.try_begin().is_err());
}

#[test]
fn after_a_fault_the_next_case_runs() {
    for reset in ["ready()", "unknown()"] {
        let call = "ok('fine') if m['input']['path'] == '/memories' else sys.exit(9)";
        let mut bench = Script { reset, call, ..PLAIN }.bench();
        for _ in 0..2 {
            bench.begin();
            bench.call();
            let fault = bench.stdio.call(&json!({"command": "view", "path": "/memories/x"})).unwrap_err();
            assert!(matches!(&fault, Fault::Ended { status } if status == "exit status 9"), "{fault}");
        }
        // There is no process to be asked in the same case.
        assert!(matches!(bench.try_call(), Err(Fault::Own { .. })));
    }
}

#[test]
fn environment_and_directory_are_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let call = "ok(os.environ['COLOUR'] + '|' + os.getcwd() + '|' + os.environ['MEMCONF_ROOT'])";
    let mut command = Script { reset: "unknown()", call, ..PLAIN }.command();
    command.cwd = Some(dir.path().to_owned());
    command.env = vec![("COLOUR".into(), "blue".into()), ("MEMCONF_ROOT".into(), "/nowhere".into())];
    let mut bench = Bench::new(command);
    bench.begin();
    let root = bench.root();
    let cwd = dir.path().canonicalize().unwrap();
    assert_eq!(bench.call(), format!("blue|{}|{}", cwd.display(), root.display()));
}

#[test]
fn a_restarted_handler_finds_its_store() {
    for reset in ["root = m['root']; ready()", "unknown()"] {
        let setup = "root = os.environ['MEMCONF_ROOT']";
        let call = "open(root + '/log', 'a').write('x')\nok(open(root + '/log').read() + '|' + os.getcwd())";
        let mut bench = Script { setup, reset, call }.bench();
        for _ in 0..2 {
            bench.begin();
            let root = bench.root();
            assert!(bench.call().starts_with("x|"));
            assert!(bench.call().starts_with("xx|"));
            // Where the next case needs only a reset, the process does not run in what is gone by then.
            let scratch = bench.dir.path().canonicalize().unwrap().join("scratch");
            let cwd = if reset == "unknown()" { root.clone() } else { scratch };
            for expected in ["xxx", "xxxx"] {
                bench.stdio.restart().unwrap();
                assert_eq!(bench.call(), format!("{expected}|{}", cwd.display()));
            }
            // The directory of a case does not outlive it.
            std::fs::remove_dir_all(root).unwrap();
        }
    }
}

#[test]
fn a_handler_may_write_its_store_at_the_end() {
    let setup = "signal.signal(signal.SIGTERM, lambda *_: (note('store', 'saved'), os._exit(0)))";
    let call = "ok('fine') if m['input']['path'] == '/memories' else None";
    let mut bench = Script { setup, reset: "unknown()", call }.bench();
    bench.begin();
    bench.call();
    bench.stdio.restart().unwrap();
    bench.call();
    // At the end of its stdin it ends by itself, and SIGTERM is not needed.
    assert!(!bench.root().join("store").exists());

    let setup = "signal.signal(signal.SIGTERM, lambda *_: (note('store', 'saved'), os._exit(0)))\n\
                 import atexit; atexit.register(lambda: time.sleep(100))";
    let mut bench = Script { setup, reset: "unknown()", call }.bench();
    bench.begin();
    bench.call();
    bench.stdio.restart().unwrap();
    assert_eq!(notes(&bench.root().join("store"), 1), ["saved"]);
}

#[test]
fn what_does_not_open_its_root_again_cannot_be_restarted() {
    let setup = "if os.path.exists('used'): sys.exit('no way back')\nopen('used', 'w')";
    let mut bench = Script { setup, reset: "unknown()", ..PLAIN }.bench();
    bench.begin();
    bench.call();
    bench.stdio.restart().unwrap();
    let fault = bench.try_call().unwrap_err();
    let root = bench.root();
    let Fault::CannotRestart { reason } = &fault else { panic!("{fault}") };
    assert!(reason.contains(root.to_str().unwrap()) && reason.contains("exit status 1"), "{reason}");
    assert!(!fault.is_failure());
    assert!(bench.stdio.log().contains("no way back"));
}

#[test]
fn what_cannot_be_started_is_told_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (program, expected) in [
        ("memconf-no-such-program".to_owned(), "not found on PATH"),
        ("./no/such/program".to_owned(), "there is no such file"),
        (file("plain", "#!/bin/sh\n", 0o644), "not executable"),
        (file("orphan", "#!/no/such/interpreter\n", 0o755), "interpreter"),
        (dir.path().to_str().unwrap().to_owned(), "is a directory"),
        (String::new(), "no program is given"),
    ] {
        let mut bench = Bench::new(StdioCommand::new(vec![program]));
        match bench.try_begin() {
            Err(Fault::Spawn { reason, .. }) => assert!(reason.contains(expected), "{reason}"),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let mut command = PLAIN.command();
    command.cwd = Some(dir.path().join("gone"));
    assert!(Bench::new(command).try_begin().unwrap_err().to_string().contains("no directory"));
}

#[test]
fn a_program_that_dies_at_once_is_told_with_its_log() {
    let mut bench = Script { setup: "sys.exit('cannot import x')", ..PLAIN }.bench();
    let fault = bench.fault();
    assert_eq!(fault.to_string(), "the handler ended without an answer (exit status 1, before its first answer)");
    assert_eq!(bench.stdio.log(), "cannot import x\n");
}
