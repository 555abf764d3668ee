//! All built-in cases on one handler in this process.

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
