//! A belt around a handler that is attacked: it, and all that it starts, can write below one directory only.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Puts the belt on this process, and becomes the command. Returns only where that failed: why, in a sentence.
pub fn belt_on(writable: &Path, argv: &[String]) -> String {
    if let Err(why) = restrict(writable) {
        return why;
    }
    let Some((program, args)) = argv.split_first() else { return "no command is given".into() };
    format!("failed to start `{program}`: {}", Command::new(program).args(args).exec())
}

#[cfg(target_os = "linux")]
fn restrict(writable: &Path) -> Result<(), String> {
    use landlock::{ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus};

    let all = AccessFs::from_write(ABI::V3);
    let rule = |path: &Path, access| PathFd::new(path).map(|fd| PathBeneath::new(fd, access));
    let restricted = || -> Result<_, Box<dyn std::error::Error>> {
        let rules = Ruleset::default().handle_access(all)?.create()?;
        let rules = rules.add_rule(rule(writable, all)?)?;
        // /dev/null and its like.
        let rules = rules.add_rule(rule(Path::new("/dev"), AccessFs::WriteFile | AccessFs::Truncate)?)?;
        Ok(rules.restrict_self()?)
    };
    match restricted() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(()),
        Ok(_) => Err("the belt cannot be put on: this system has no Landlock (Linux 5.13 or later, \
                      `landlock` among its security modules); leave out --belt"
            .into()),
        Err(error) => Err(format!("the belt cannot be put on: {error}; leave out --belt")),
    }
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Path) -> Result<(), String> {
    Err("the belt needs Landlock, which is there on Linux only; leave out --belt".into())
}
