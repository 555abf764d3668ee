//! Where attacks land on handlers that are written out here, each with its own way to make a place of a path. None of
//! it is shared with the rule that it tests.

use super::super::*;

/// So many strings are looked at, half of them on each host.
const STRINGS: u64 = 100_000;

const SANDBOX: &str = "/tmp/memconf-0123456789abcdef";
const STORE: &str = "/tmp/memconf-0123456789abcdef/w0/outer/c1/memories";
const OUTSIDE: &str = "/tmp/memconf-0123456789abcdef/w0/outer/abs";

/// A host without `/memories`, and one that has it.
const FREE: Host = Host { root_is_free: true, has_plain_sandbox: true };
const TAKEN: Host = Host { root_is_free: false, has_plain_sandbox: true };

/// What a process does with `.` and `..`.
fn real(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        if name == ".." {
            names.pop();
        } else if !name.is_empty() && name != "." {
            names.push(name);
        }
    }
    format!("/{}", names.join("/"))
}

/// A path joined to another as Python, Node's `resolve` and Rust join: an absolute one replaces it.
fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") }
}

fn rest(path: &str) -> Option<&str> {
    path.strip_prefix("/memories").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn decode(path: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = path.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let two: String = bytes.clone().take(2).map(char::from).collect();
        match u8::from_str_radix(&two, 16) {
            Ok(decoded) if byte == b'%' && two.len() == 2 && !two.starts_with('+') => {
                out.push(decoded);
                bytes.nth(1);
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn slashes(path: &str) -> String {
    path.chars().map(|c| if c == '\\' { '/' } else { c }).collect()
}

fn ascii(path: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff0e}' | '\u{2024}' | '\u{fe52}' => '.',
        '\u{ff0f}' | '\u{2215}' => '/',
        '\u{ff3c}' => '\\',
        '\u{ff05}' => '%',
        c => c,
    };
    path.chars().map(plain).collect()
}

fn printable(path: &str) -> String {
    path.chars().filter(|c| *c >= ' ' && *c != '\u{7f}').collect()
}

type Lands = fn(&str) -> Option<String>;

/// A handler's name, and where a path lands on it; `None`: it refuses.
const HANDLERS: [(&str, Lands); 24] = [
    ("takes every path for one of the host", |path| Some(join("/srv/app", path))),
    ("is mounted at the host's /memories", |path| rest(path).map(|rest| format!("/memories{rest}"))),
    ("is mounted there, and refuses `..`", |path| {
        rest(path).filter(|rest| !rest.contains("..")).map(|rest| format!("/memories{rest}"))
    }),
    ("takes for the host's what is not below /memories", |path| match rest(path) {
        Some(rest) => Some(format!("{STORE}{rest}")),
        None => Some(join("/home/user/project", path)),
    }),
    ("joins without a look", |path| rest(path).map(|rest| format!("{STORE}/{rest}"))),
    ("joins an absolute second component", |path| Some(join(STORE, path.strip_prefix("/memories/")?))),
    ("joins the whole path", |path| Some(join(STORE, path))),
    ("appends the whole path", |path| Some(format!("{STORE}/{path}"))),
    ("replaces the prefix as text", |path| Some(path.replacen("/memories", STORE, 1))),
    ("strips `../` once, then joins", |path| Some(join(STORE, &rest(path)?.replacen('/', "", 1).replace("../", "")))),
    ("strips `../` once on a mounted store", |path| Some(path.replace("../", ""))),
    ("strips `..`, then joins", |path| Some(join(STORE, &rest(path)?.replacen('/', "", 1).replace("..", "")))),
    ("strips `./`, then is mounted", |path| Some(path.replace("./", ""))),
    ("decodes, then takes for one of the host", |path| Some(join("/srv/app", &decode(path)))),
    ("decodes, then joins", |path| Some(join(STORE, decode(path).strip_prefix("/memories/")?))),
    ("decodes twice, then is mounted", |path| Some(decode(&decode(path)))),
    ("checks, decodes, joins", |path| Some(join(STORE, &decode(path.strip_prefix("/memories/")?)))),
    ("takes `\\` for `/`, then is mounted", |path| Some(slashes(path))),
    ("decodes, takes `\\` for `/`, joins", |path| {
        Some(join(STORE, &slashes(&decode(path.strip_prefix("/memories/")?))))
    }),
    ("cuts at a NUL, then is mounted", |path| path.split('\0').next().map(str::to_owned)),
    ("drops what is not printable, then is mounted", |path| Some(join("/srv/app", &printable(path)))),
    ("trims, then takes for one of the host", |path| Some(join("/", path.trim()))),
    ("normalises to ASCII, then is mounted", |path| Some(join("/srv/app", &ascii(path)))),
    ("folds case, then is mounted", |path| Some(join("/srv/app", &path.to_lowercase()))),
];

/// Why a command may not be sent: where it lands on one of the handlers.
fn harm(slot: Slot, sent: &str, host: Host) -> Option<String> {
    let filled = sent.replace("{outside}", OUTSIDE).replace("{store}", STORE);
    HANDLERS.iter().find_map(|(name, lands)| {
        let place = real(&lands(&filled)?);
        let in_the_sandbox = place.starts_with(&format!("{SANDBOX}/w0/"));
        let in_the_mount = place.starts_with("/memories/");
        let takes = !matches!(slot, Slot::Create | Slot::RenameNew);
        let nothing_there = place == "/memories" && host.root_is_free && takes;
        let fine = in_the_sandbox || in_the_mount || nothing_there;
        (!fine).then(|| format!("{slot:?} {sent:?} lands at {place:?} on a handler that {name}"))
    })
}

/// Every path of a shot, with the slot that it stands in.
fn paths(attempt: &Attempt) -> Vec<(Slot, String)> {
    let other = |slot| if slot == Slot::RenameNew { Slot::RenameOld } else { Slot::RenameNew };
    let others = attempt.shots.iter().filter_map(|shot| Some((other(shot.slot), shot.other.clone()?)));
    attempt.strings().chain(others).collect()
}

fn aims_outside(host: Host) {
    let attacks = PathAttacks::on(host, 7);
    let (mut strings, mut destructive, mut leads_out) = (0, 0, 0);
    for attempt in (0..).map_while(|number| attacks.attempt(number)) {
        for (slot, text) in paths(&attempt) {
            strings += 1;
            if slot.is_destructive() {
                destructive += 1;
                leads_out += u64::from(text.contains("{outside}") || text.contains("{store}"));
                assert_eq!(harm(slot, &text, host), None);
            }
        }
        if strings >= STRINGS / 2 {
            break;
        }
    }
    assert!(destructive > 10_000 && leads_out > 5_000, "{destructive} {leads_out} of {strings}");
}

#[test]
fn no_command_that_can_destroy_aims_outside() {
    aims_outside(FREE);
}

#[test]
fn nor_where_the_host_has_memories_of_its_own() {
    aims_outside(TAKEN);
}

#[test]
fn what_would_aim_outside_is_not_sent() {
    let cases = [
        "/memories/../canary.txt",
        "/memories/../memories-x/memconf-new.txt",
        "/memories/../../x",
        "/memories/%2e%2e/canary.txt",
        "/memories/....//canary.txt",
        "/memories/....//memories_evil/canary.txt",
        "/memories/..\\canary.txt",
        "/memories//memories_evil/canary.txt",
        "/memories//etc/hosts",
        "/memories_evil/canary.txt",
        "/memories-x",
        "/Memories",
        "/etc/hosts",
        "/",
        "",
        ".",
        "memories/x.md",
        "/memories/~/canary.txt",
    ];
    for sent in cases {
        for slot in Slot::ALL.into_iter().filter(|slot| slot.is_destructive()) {
            assert!(!FREE.may_be_sent(slot, &sent.into()), "{slot:?} {sent}");
        }
        assert!(FREE.may_be_sent(Slot::View, &sent.into()), "{sent}");
    }
    for list in [serde_json::json!(["/memories", "..", "x"]), serde_json::json!({ "path": "/etc/hosts" })] {
        assert!(!FREE.may_be_sent(Slot::Delete, &list), "{list}");
    }
    assert!(FREE.may_be_sent(Slot::Delete, &"/memories/".into()));
    assert!(!FREE.may_be_sent(Slot::Create, &"/memories/".into()));
    assert!(!TAKEN.may_be_sent(Slot::Delete, &"/memories/".into()));
    let away = Host { has_plain_sandbox: false, ..FREE };
    assert!(FREE.may_be_sent(Slot::Delete, &"{outside}/canary.txt".into()));
    assert!(!away.may_be_sent(Slot::Delete, &"{outside}/canary.txt".into()));
}

/// A command that can destroy is sent with the sandbox's own path only where the store is visible there.
#[test]
fn absolute_paths_need_the_disk() {
    let attacks = PathAttacks::on(FREE, 3);
    let mut met = 0;
    for attempt in (0..4000).filter_map(|number| attacks.attempt(number)) {
        let aims = paths(&attempt).iter().any(|(slot, text)| slot.is_destructive() && text.contains("{"));
        if aims && paths(&attempt).iter().any(|(_, text)| text.contains("{outside}") || text.contains("{store}")) {
            met += 1;
            assert!(attacks.case(&attempt).needs(crate::case::Need::Disk), "{attempt:?}");
        }
    }
    assert!(met > 100, "{met}");
}
