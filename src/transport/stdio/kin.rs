//! Processes that a handler started and that left its process group: found by ancestry, and by the marker that
//! memconf puts into the environment of every handler. Linux only; elsewhere nothing is found.

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::*;
#[cfg(target_os = "linux")]
pub(super) use linux::*;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io::Read;
    use std::time::{Duration, Instant};

    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpgid, getpgrp, getpid, kill_process, pidfd_open, pidfd_send_signal,
        waitpid,
    };

    use crate::transport::stdio::watch::MARKER;

    /// How long what escaped is hunted down: who forks without end may outrun anyone.
    const HUNT: Duration = Duration::from_secs(2);

    /// How often orphans are looked for without a pause.
    const EAGER: u32 = 2_000;

    /// How many descendants are recorded at most.
    const MANY: usize = 10_000;

    /// A process, told from a later one of the same number by its start.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::transport::stdio) struct Kin {
        pid: Pid,
        started: u64,
    }

    impl Kin {
        fn of(pid: Pid) -> Option<Kin> {
            let stat = Stat::of(pid)?;
            (!stat.is_dead).then_some(Kin { pid, started: stat.started })
        }

        fn is_alive(self) -> bool {
            Kin::of(self.pid) == Some(self)
        }
    }

    /// The living descendants of a process.
    pub(in crate::transport::stdio) fn descendants(pid: Pid) -> Vec<Kin> {
        let mut found: Vec<Kin> = children(pid).into_iter().filter_map(Kin::of).collect();
        let mut next = 0;
        while let Some(kin) = found.get(next).copied().filter(|_| found.len() < MANY) {
            found.extend(children(kin.pid).into_iter().filter_map(Kin::of));
            next += 1;
        }
        found
    }

    /// Kills `kin`, and all processes with one of the `markers` in their environment, and the descendants of
    /// those, until none is left.
    pub(in crate::transport::stdio) fn sweep(markers: &[&str], mut kin: Vec<Kin>) {
        let until = Instant::now() + HUNT;
        let mut pause = Duration::from_micros(500);
        loop {
            kin.retain(|kin| kin.is_alive());
            let marked: Vec<Kin> = marked(markers).into_iter().filter_map(Kin::of).collect();
            kin.extend(marked.into_iter().filter(|new| !kin.contains(new)).collect::<Vec<_>>());
            if kin.is_empty() || Instant::now() > until {
                return;
            }
            let more: Vec<Kin> = kin.iter().flat_map(|kin| descendants(kin.pid)).collect();
            for new in more {
                if !kin.contains(&new) {
                    kin.push(new);
                }
            }
            kin.iter().for_each(|&kin| kill(kin.pid, || kin.is_alive()));
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Orphans that memconf inherited (see [`adopt_orphans`](super::super::adopt_orphans)): children of this
    /// process, not among the `known`, in a process group of their own. The dead are reaped; the living are
    /// killed, all of them or those with a marker.
    pub(in crate::transport::stdio) fn end_strays(known: &[Pid], only: Option<&str>) {
        let until = Instant::now() + HUNT;
        let mut environment = Vec::new();
        for round in 0.. {
            let mut is_done = true;
            for pid in children(getpid()) {
                if known.contains(&pid) || getpgid(Some(pid)).is_ok_and(|group| group == getpgrp()) {
                    continue;
                }
                // A child that is not reaped keeps its number: it can be killed without a second look. To be fast
                // counts, as against one that forks and ends again and again.
                if only.is_none_or(|only| marker(pid, &mut environment) == Some(only)) {
                    let _ = kill_process(pid, Signal::KILL);
                    is_done = false;
                }
                is_done &= !matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(Some(_)));
            }
            if is_done || Instant::now() > until {
                return;
            }
            match round < EAGER {
                true => std::thread::yield_now(),
                false => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Kills a process, unless it turns out to be another one once it is held.
    fn kill(pid: Pid, is_it: impl Fn() -> bool) {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(held) if is_it() => drop(pidfd_send_signal(&held, Signal::KILL)),
            Err(rustix::io::Errno::NOSYS) if is_it() => drop(kill_process(pid, Signal::KILL)),
            _ => {}
        }
    }

    /// The processes with one of the markers in their environment.
    fn marked(markers: &[&str]) -> Vec<Pid> {
        let own = getpid();
        let mut environment = Vec::new();
        let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
        pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
            .filter(|&pid| pid != own && marker(pid, &mut environment).is_some_and(|found| markers.contains(&found)))
            .collect()
    }

    /// The marker in the environment that a process was started with.
    fn marker(pid: Pid, environment: &mut Vec<u8>) -> Option<&str> {
        environment.clear();
        fs::File::open(format!("/proc/{pid}/environ")).ok()?.read_to_end(environment).ok()?;
        let variable = environment.split(|&byte| byte == 0).find_map(|variable| variable.strip_prefix(MARKER))?;
        std::str::from_utf8(variable.strip_prefix(b"=")?).ok()
    }

    /// The children of all threads of a process.
    fn children(pid: Pid) -> Vec<Pid> {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists.flat_map(|list| list.split_whitespace().filter_map(pid_of).collect::<Vec<_>>()).collect()
    }

    fn pid_of(text: &str) -> Option<Pid> {
        Pid::from_raw(text.parse().ok()?)
    }

    struct Stat {
        is_dead: bool,
        started: u64,
    }

    impl Stat {
        fn of(pid: Pid) -> Option<Stat> {
            let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
            // The name in parentheses may hold anything, parentheses too.
            let after = stat.iter().rposition(|&byte| byte == b')')? + 1;
            let mut fields = std::str::from_utf8(&stat[after..]).ok()?.split_whitespace();
            let is_dead = matches!(fields.next()?, "Z" | "X" | "x");
            Some(Stat { is_dead, started: fields.nth(18)?.parse().ok()? })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use rustix::process::Pid;

    #[derive(Clone, Copy, Debug)]
    pub(in crate::transport::stdio) struct Kin;

    pub(in crate::transport::stdio) fn descendants(_: Pid) -> Vec<Kin> {
        Vec::new()
    }

    pub(in crate::transport::stdio) fn sweep(_: &[&str], _: Vec<Kin>) {}

    pub(in crate::transport::stdio) fn end_strays(_: &[Pid], _: Option<&str>) {}
}
