//! No process of a handler's survives: not its end, not memconf's.

use super::*;
use std::process::Child;

/// Forks twice and starts a session of its own, as a daemon does; notes its number.
const DAEMON: &str = r#"
def daemon(environment=None, session=True):
    if os.fork() == 0:
        if session:
            os.setsid()
        if os.fork() > 0:
            os._exit(0)
        if environment is not None:
            code = "import time, sys; open(sys.argv[1], 'a').write(sys.argv[2] + '\\n'); time.sleep(1000)"
            file = os.path.join(os.environ["MEMCONF_ROOT"], "pids")
            os.execve(sys.executable, [sys.executable, "-c", code, file, str(os.getpid())], environment)
        os.closerange(0, 3)
        note("pids", os.getpid())
        time.sleep(1000)
        os._exit(0)
"#;

fn with_daemon(setup: &str) -> Script {
    Script { setup: format!("{DAEMON}\nnote('pids', os.getpid())\n{setup}").leak(), ..PLAIN }
}

fn pids(bench: &Bench, count: usize) -> Vec<String> {
    let pids = notes(&bench.dir.path().join("scratch/root/pids"), count);
    assert!(pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    pids
}

fn assert_gone(pids: &[String]) {
    for pid in pids {
        assert!(!is_running(pid), "process {pid} lives on");
    }
}

#[test]
fn a_daemon_is_gone_with_its_handler() {
    let mut bench = with_daemon("daemon()").bench();
    bench.begin();
    let pids = pids(&bench, 2);
    drop(bench.stdio);
    assert_gone(&pids);
}

#[test]
fn a_daemon_is_gone_after_a_crash() {
    let mut bench = Script { call: "os.kill(os.getpid(), signal.SIGKILL)", ..with_daemon("daemon()") }.bench();
    bench.begin();
    let pids = pids(&bench, 2);
    assert!(matches!(bench.try_call(), Err(Fault::Ended { .. })));
    assert_gone(&pids);
}

#[test]
fn what_stays_in_the_group_is_gone_with_it() {
    let mut bench = Script { call: "os._exit(0)", ..with_daemon("daemon({}, session=False)") }.bench();
    bench.begin();
    let pids = pids(&bench, 2);
    assert!(matches!(bench.try_call(), Err(Fault::Ended { .. })));
    assert_gone(&pids);
}

#[test]
fn a_descendant_without_the_marker_is_found_by_its_ancestry() {
    let setup = "subprocess.Popen([sys.executable, '-c', 'import os, subprocess, time; os.setsid(); \
                 p = subprocess.Popen([\"sleep\", \"1000\"], start_new_session=True); \
                 open(\"root/pids\", \"a\").write(f\"{os.getpid()}\\\\n{p.pid}\\\\n\"); time.sleep(1000)'], env={'PATH': os.environ['PATH']})";
    let mut bench = with_daemon(setup).bench();
    bench.begin();
    let pids = pids(&bench, 3);
    drop(bench.stdio);
    assert_gone(&pids);
}

#[test]
fn who_ignores_all_that_can_be_ignored_is_killed() {
    let setup = "for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n\
                 import atexit; atexit.register(lambda: time.sleep(1000))";
    let mut bench = with_daemon(setup).bench();
    bench.begin();
    let pids = pids(&bench, 1);
    bench.stdio.restart().unwrap();
    assert_gone(&pids);

    let setup = "os.kill(os.getpid(), signal.SIGSTOP)";
    let mut command = with_daemon(setup).command();
    command.start_timeout = Some(Duration::from_secs(1));
    let mut bench = Bench::new(command);
    bench.begin(); // stopped, it knows no reset
    let pids = notes(&bench.root().join("pids"), 1);
    drop(bench.stdio);
    assert_gone(&pids);
}

#[test]
fn no_zombie_remains() {
    let mut bench = Script { reset: "unknown()", call: "ok(str(os.getpid()))", ..PLAIN }.bench();
    let mut pids = Vec::new();
    for _ in 0..3 {
        bench.begin();
        pids.push(bench.call());
    }
    drop(bench.stdio);
    for pid in pids {
        assert!(!Path::new("/proc").join(&pid).exists(), "{pid} is not reaped");
    }
}

/// A memconf of its own: this test program, running only [`victim`].
fn start_victim(kind: &str) -> (Child, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "transport::stdio::tests::survivors::victim", "--ignored", "--nocapture"]);
    command.env("MEMCONF_TEST_VICTIM", kind).env("MEMCONF_TEST_DIR", dir.path());
    command.stdout(std::process::Stdio::null());
    (command.spawn().unwrap(), dir)
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

#[test]
#[ignore = "only run by other tests, in a process of its own"]
fn victim() {
    let (Ok(kind), Some(dir)) = (std::env::var("MEMCONF_TEST_VICTIM"), std::env::var_os("MEMCONF_TEST_DIR")) else {
        return;
    };
    let dir = PathBuf::from(dir);
    let cleaned = dir.join("cleaned");
    super::super::adopt_orphans().unwrap();
    super::super::on_interrupt(move || std::fs::write(&cleaned, "").unwrap()).unwrap();
    let setup = if kind == "killed" { "" } else { "daemon()\ndaemon({})" };
    let call = "ok('') if m['id'] == 'toolu_1' else time.sleep(1000)";
    let script = Script { call, ..with_daemon(setup) };
    std::fs::create_dir(dir.join("root-1")).unwrap();
    let mut stdio = Stdio::new(script.command(), dir.clone());
    stdio.begin(&dir.join("root-1")).unwrap();
    stdio.call(&view()).unwrap();
    if kind == "ends" {
        notes(&dir.join("root/pids"), 3);
        drop(stdio);
        std::process::exit(50);
    }
    let fault = stdio.call(&view()).unwrap_err();
    // Until the signal's thread exits: the handler is not to blame for its end.
    assert!(matches!(fault, Fault::Own { .. }), "{fault}");
    std::thread::sleep(Duration::from_secs(100));
}

#[test]
fn an_interrupted_memconf_ends_all_and_cleans_up() {
    use rustix::process::Signal;
    for (sent, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let (mut victim, dir) = start_victim("interrupted");
        let pids = notes(&dir.path().join("root/pids"), 3);
        signal(&victim, sent);
        assert_eq!(victim.wait().unwrap().code(), Some(code));
        assert_gone(&pids);
        assert!(dir.path().join("cleaned").exists());
    }
}

#[test]
fn a_killed_memconf_takes_its_handler_along() {
    let (mut victim, dir) = start_victim("killed");
    let pids = notes(&dir.path().join("root/pids"), 1);
    signal(&victim, rustix::process::Signal::KILL);
    victim.wait().unwrap();
    wait_for("the handler's end", || (!is_running(&pids[0])).then_some(()));
}

#[test]
fn an_adopted_orphan_is_found_without_marker_and_ancestry() {
    let (mut victim, dir) = start_victim("ends");
    let pids = notes(&dir.path().join("root/pids"), 3);
    assert_eq!(victim.wait().unwrap().code(), Some(50));
    assert_gone(&pids);
}
