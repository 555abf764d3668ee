//! Watches over the processes that memconf starts, so that none survives it: however it ends, a process is in
//! the list here from its start to its reaping.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, test_kill_process_group, waitid,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::kin;

/// The environment variable that marks a handler and all that it starts.
pub(super) const MARKER: &[u8] = b"MEMCONF_RUN";

/// How long a killed process may take to be gone before it is left behind.
pub(super) const GONE: Duration = Duration::from_secs(5);

/// How long the other members of its group may take.
const GROUP_GONE: Duration = Duration::from_millis(500);

struct Live {
    pid: Pid,
    marker: String,
}

struct Registry {
    live: Vec<Live>,
    /// memconf was interrupted: nothing starts any more.
    is_closed: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { live: Vec::new(), is_closed: false });
static ADOPTS: AtomicBool = AtomicBool::new(false);
static SPAWNER: Mutex<Option<Sender<Job>>> = Mutex::new(None);

struct Job {
    command: Command,
    marker: String,
    reply: SyncSender<io::Result<Child>>,
}

/// Kills every process that a [`Stdio`](super::Stdio) of this program runs at the moment, and waits until they are
/// gone. May be called from any thread. The transports find their handlers ended.
pub fn end_all() {
    end_listed(&registry());
}

/// From now on, when SIGINT, SIGTERM or SIGHUP comes: kills all handlers as [`end_all`] does, lets none start any
/// more, calls `cleanup`, and exits with 128 plus the signal's number (130 for Ctrl-C). A second signal exits at
/// once. A signal that is ignored when this is called, as under `nohup`, stays ignored.
///
/// # Errors
/// Where no signal handler or no thread can be had.
pub fn on_interrupt(cleanup: impl Fn() + Send + 'static) -> io::Result<()> {
    let is_ending = Arc::new(AtomicBool::new(false));
    let wanted: Vec<i32> = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)).collect();
    for &signal in &wanted {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&is_ending))?;
    }
    let mut signals = Signals::new(&wanted)?;
    let watch = move || {
        if let Some(signal) = signals.forever().next() {
            is_ending.store(true, Ordering::SeqCst);
            let mut registry = registry();
            registry.is_closed = true;
            end_listed(&registry);
            drop(registry);
            cleanup();
            std::process::exit(128 + signal);
        }
    };
    std::thread::Builder::new().name("memconf-signals".into()).spawn(watch).map(drop)
}

/// Makes this program the parent of every process whose own parent ends, among those that it started (Linux, by
/// `PR_SET_CHILD_SUBREAPER`), so that also a daemon that a handler started with another environment is found and
/// killed. For a program's `main` only: any child in a process group of its own that this module did not
/// start is then taken for such an orphan once no handler runs.
///
/// # Errors
/// Where the kernel refuses. Elsewhere than on Linux nothing is done.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        ADOPTS.store(true, Ordering::SeqCst);
    }
    Ok(())
}

/// Does not come back if memconf was interrupted: the thread that watches for signals ends the program, and a
/// `main` that calls this before it exits leaves it the time to clean up, and the exit code.
pub fn give_way() {
    while is_closed() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether memconf was interrupted: what happens to a handler now is not its own doing.
pub(super) fn is_closed() -> bool {
    registry().is_closed
}

/// Starts a process, in a group of its own, that is killed when memconf dies. `None` where memconf was interrupted.
///
/// The signal at the parent's death comes when the *thread* that started the process ends; hence one thread
/// that never ends starts all of them.
pub(super) fn spawn(mut command: Command, marker: &str) -> io::Result<Child> {
    command.process_group(0);
    die_with_parent(&mut command);
    let (reply, answer) = sync_channel(1);
    let job = Job { command, marker: marker.to_owned(), reply };
    let gone = || io::Error::other("the thread that starts processes is gone");
    spawner()?.send(job).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

/// Kills a process that is not yet reaped, and its group.
pub(super) fn kill(pid: Pid, signal: Signal) {
    // The group first: the process may have put itself into another one, hence itself too.
    let _ = kill_process_group(pid, signal);
    let _ = kill_process(pid, signal);
}

/// How a process ended, if it has; it is not reaped, so its number stays taken. The inner `None`: not known.
pub(super) fn ended(pid: Pid) -> Option<Option<WaitIdStatus>> {
    match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT) {
        Ok(None) => None,
        Ok(Some(status)) => Some(Some(status)),
        // Where SIGCHLD is ignored, the kernel has reaped it.
        Err(_) => Some(None),
    }
}

/// Reaps a process that has ended, takes it off the list, and ends what it left behind.
pub(super) fn bury(child: &mut Child, marker: &str, kin: Vec<kin::Kin>) {
    let pid = Pid::from_child(child);
    kin::sweep(&[marker], kin);
    let mut registry = registry();
    if ended(pid).is_some() {
        let _ = child.wait();
    }
    registry.live.retain(|live| live.pid != pid);
    drop(registry);
    await_group(pid, marker);
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end_listed(registry: &Registry) {
    let mut kin = Vec::new();
    for live in &registry.live {
        kin.extend(kin::descendants(live.pid));
        kill(live.pid, Signal::KILL);
    }
    let markers: Vec<&str> = registry.live.iter().map(|live| live.marker.as_str()).collect();
    kin::sweep(&markers, kin);
    if ADOPTS.load(Ordering::SeqCst) {
        let known: Vec<Pid> = registry.live.iter().map(|live| live.pid).collect();
        kin::end_strays(&known, None);
    }
    let until = Instant::now() + GONE;
    while registry.live.iter().any(|live| ended(live.pid).is_none()) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends inherited orphans: those with the marker, or all once no handler runs.
fn end_strays(registry: &Registry, marker: &str) {
    if ADOPTS.load(Ordering::SeqCst) {
        let known: Vec<Pid> = registry.live.iter().map(|live| live.pid).collect();
        kin::end_strays(&known, Some(marker).filter(|_| !known.is_empty()));
    }
}

/// Waits until the other members of a killed group are gone, so that none still writes where memconf cleans up.
/// Where nobody reaps orphans, as in some containers, they never are.
fn await_group(group: Pid, marker: &str) {
    let until = Instant::now() + GROUP_GONE;
    loop {
        end_strays(&registry(), marker);
        if test_kill_process_group(group).is_err() || Instant::now() > until {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn spawner() -> io::Result<Sender<Job>> {
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(jobs) = &*spawner {
        return Ok(jobs.clone());
    }
    let (jobs, queue) = channel::<Job>();
    let work = move || {
        for mut job in queue {
            let _ = job.reply.send(start_listed(&mut job.command, job.marker));
        }
    };
    std::thread::Builder::new().name("memconf-spawner".into()).spawn(work)?;
    Ok(spawner.insert(jobs).clone())
}

/// Starts a process and lists it, in one step as seen from the thread that ends all.
fn start_listed(command: &mut Command, marker: String) -> io::Result<Child> {
    let mut registry = registry();
    if registry.is_closed {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let child = command.spawn()?;
    registry.live.push(Live { pid: Pid::from_child(&child), marker });
    Ok(child)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let prepare = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // memconf may have died before the signal was set.
        match rustix::process::getppid() == Some(parent) {
            true => Ok(()),
            false => Err(rustix::io::Errno::SRCH.into()),
        }
    };
    // SAFETY: between fork and exec only what is async-signal-safe may run. `prepare` makes two system calls
    // (prctl, getppid) and takes no lock; it captures a number, and an `io::Error` from an errno
    // allocates nothing.
    unsafe { command.pre_exec(prepare) };
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_: &mut Command) {}

/// Whether a signal is ignored at the moment; `false` where that cannot be told.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
