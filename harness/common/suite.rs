//! The built-in cases on one handler.

use std::sync::atomic::{AtomicUsize, Ordering};

use memconf::case::{Case, builtin_cases, builtin_catalogue};
use memconf::event::RunReport;
use memconf::runner::{Connect, RunOptions, run};
use memconf::sandbox::Area;
use memconf::transport::{Handler, InProcess, Transport};

/// Runs every built-in case on the handler that `make` makes, with one worker. Without `disk` the handler is known
/// to touch none, and the sandbox makes nothing there.
pub fn run_suite(make: fn() -> Box<dyn Handler>, disk: bool) -> RunReport {
    struct InThisProcess {
        make: fn() -> Box<dyn Handler>,
        disk: bool,
    }

    impl Connect for InThisProcess {
        fn transport(&self) -> &'static str {
            "in-process"
        }

        fn touches_disk(&self) -> bool {
            self.disk
        }

        fn connect(&self, _: &Area) -> Box<dyn Transport> {
            Box::new(InProcess::new((self.make)()))
        }
    }

    let connect = InThisProcess { make, disk };
    let options = RunOptions { jobs: 1, keep_steps: true, ..RunOptions::default() };
    run(cases(), builtin_catalogue(), &connect, &options, &|_| true, &mut |_| {}).expect("the sandbox can be made")
}

/// The built-in cases, ordered by id.
pub fn cases() -> &'static [Case] {
    static CASES: std::sync::LazyLock<Vec<Case>> =
        std::sync::LazyLock::new(|| builtin_cases().expect("the built-in cases are valid"));
    &CASES
}

/// Does `count` pieces of work, as many at once as there are cores.
pub fn work(count: usize, piece: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    piece(index);
                }
            });
        }
    });
}

/// Handlers that panic on purpose do not fill the log; a panic of anything else is still shown.
pub fn quiet_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let own = info.payload_as_str().is_some_and(|text| text.starts_with("on purpose"));
        if !own {
            usual(info);
        }
    }));
}
