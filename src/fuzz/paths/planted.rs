//! Nodes that memconf puts into the store itself, where it sees the disk: links that lead out, loops, pipes.

use super::Class;
use super::script::{Attempt, FRESH, Shot};
use super::token::Slot;
use crate::case::{Plant, PlantNode};

type About = (&'static str, &'static str);

const FILE: About = ("a link to a file outside", "file-link");
const RELATIVE: About = ("a relative link to a file outside", "relative-link");
const DIRECTORY: About = ("a link to a directory outside", "directory-link");
const BELOW: About = ("a path below a link to a directory outside", "below-a-link");
const LISTED: About = ("the root, which holds a link to a directory outside", "listing");
const DANGLING: About = ("a dangling link that leads outside", "dangling-link");
const MOVED: About = ("a relative link that a rename turned outwards", "moved-link");
const LOOP: About = ("a loop of links", "link-loop");
const ROOT: About = ("a link to the root itself", "link-to-the-root");
const CHAIN: About = ("a chain of links that leads outside", "link-chain");
const PIPE: About = ("a named pipe", "pipe");

fn link(path: &str, target: &str) -> Plant {
    plant(path, PlantNode::Link(target.into()))
}

fn plant(path: &str, node: PlantNode) -> Plant {
    Plant { path: format!("/memories/{path}"), node }
}

/// Each slot alone, with the same nodes.
fn each(found: &mut Vec<Attempt>, class: Class, about: About, plants: &[Plant], path: &str, slots: &[Slot]) {
    for slot in slots {
        let shot = Shot::raw(*slot, format!("/memories/{path}"));
        found.push(Attempt { about: Some(about), plants: plants.to_vec(), ..Attempt::new(class, vec![shot]) });
    }
}

pub(super) fn all() -> Vec<Attempt> {
    let mut found = Vec::new();
    let all = &Slot::ALL;
    let to_file = [link("memconf-link.md", "{outside}/canary.txt")];
    each(&mut found, Class::C1, FILE, &to_file, "memconf-link.md", all);
    let relative = [link("memconf-link.md", "../canary.txt")];
    each(&mut found, Class::C1, RELATIVE, &relative, "memconf-link.md", all);
    let to_directory = [link("memconf-ext", "{outside}")];
    each(&mut found, Class::C2, DIRECTORY, &to_directory, "memconf-ext", all);
    each(&mut found, Class::C2, BELOW, &to_directory, "memconf-ext/canary.txt", all);
    let make = [Slot::Create, Slot::RenameNew];
    each(&mut found, Class::C2, BELOW, &to_directory, &format!("memconf-ext/{FRESH}"), &make);
    each(&mut found, Class::C2, BELOW, &to_directory, &format!("memconf-ext/memconf-sub/{FRESH}"), &make);
    let upwards = [link("memconf-ext", "..")];
    each(&mut found, Class::C2, BELOW, &upwards, "memconf-ext/canary.txt", all);
    each(&mut found, Class::C2, BELOW, &upwards, "memconf-ext/memories_evil/canary.txt", all);
    listings(&mut found);
    let chain = [link("memconf-a", "memconf-b"), link("memconf-b", "{outside}")];
    each(&mut found, Class::C2, CHAIN, &chain, "memconf-a/canary.txt", all);
    let dangling = [link("memconf-link.md", "{outside}/memconf-new.txt")];
    each(&mut found, Class::C3, DANGLING, &dangling, "memconf-link.md", all);
    let dangling_up = [link("memconf-link.md", "../memconf-new.txt")];
    each(&mut found, Class::C3, DANGLING, &dangling_up, "memconf-link.md", all);
    let dangling_directory = [link("memconf-ext", "{outside}/memconf-new.txt")];
    each(&mut found, Class::C3, DANGLING, &dangling_directory, &format!("memconf-ext/{FRESH}"), &make);
    moved(&mut found);
    let own_loop = [link("memconf-loop", "memconf-loop")];
    each(&mut found, Class::C5, LOOP, &own_loop, "memconf-loop", all);
    each(&mut found, Class::C5, LOOP, &own_loop, "memconf-loop/x.md", all);
    let two = [link("memconf-a", "memconf-b"), link("memconf-b", "memconf-a")];
    each(&mut found, Class::C5, LOOP, &two, "memconf-a", all);
    let to_root = [link("memconf-nest/root", "..")];
    for path in ["memconf-nest/root", "memconf-nest/root/memconf-nest/root"] {
        each(&mut found, Class::C5, ROOT, &to_root, path, &[Slot::View, Slot::StrReplace, Slot::Insert, Slot::Create]);
    }
    let pipe = [Plant { path: "/memories/memconf-pipe".into(), node: PlantNode::Fifo }];
    each(&mut found, Class::C7, PIPE, &pipe, "memconf-pipe", all);
    each(&mut found, Class::C7, PIPE, &pipe, "", &[Slot::View]);
    modes(&mut found);
    found
}

/// Views of what holds a link: neither names nor sizes behind it come back.
fn listings(found: &mut Vec<Attempt>) {
    for (target, place) in [("{outside}", ""), ("..", ""), ("{outside}", "memconf-nest")] {
        let path = if place.is_empty() { "memconf-ext".to_owned() } else { format!("{place}/memconf-ext") };
        let plants = vec![link(&path, target)];
        for view in ["/memories", "/memories/", "/memories/memconf-nest"] {
            let shots = vec![Shot::raw(Slot::View, view)];
            found.push(Attempt { about: Some(LISTED), plants: plants.clone(), ..Attempt::new(Class::C2, shots) });
        }
    }
}

/// A link that stays inside where it stands, and leads out once it is moved one level up.
fn moved(found: &mut Vec<Attempt>) {
    let plants = || vec![link("memconf-nest/rel", "../canary.txt")];
    let moved = Shot {
        other: Some("/memories/memconf-rel".into()),
        ..Shot::raw(Slot::RenameOld, "/memories/memconf-nest/rel")
    };
    for slot in Slot::ALL {
        let shot = Shot::raw(slot, "/memories/memconf-rel");
        let shots = vec![moved.clone(), shot];
        found.push(Attempt { about: Some(MOVED), plants: plants(), ..Attempt::new(Class::C4, shots) });
    }
}

/// Files and directories that a command makes are for their owner alone, whatever the umask.
fn modes(found: &mut Vec<Attempt>) {
    let path = |name: &str| format!("/memories/memconf-new/{name}");
    // Of several directories that one command makes, all are meant, not the last alone.
    let nested = "/memories/memconf-outer/inner/a.md".to_owned();
    let modes = ["/memories/memconf-outer", "/memories/memconf-outer/inner"].map(|folder| (folder.to_owned(), 0o700));
    let modes = std::iter::once((nested.clone(), 0o600)).chain(modes).collect();
    found.push(Attempt { modes, ..Attempt::new(Class::Mode, vec![Shot::raw(Slot::Create, nested)]) });
    let create = Shot::raw(Slot::Create, path("a.md"));
    for (slot, modes) in [
        (None, vec![(path("a.md"), 0o600), ("/memories/memconf-new".to_owned(), 0o700)]),
        (Some(Slot::StrReplace), vec![(path("a.md"), 0o600)]),
        (Some(Slot::Insert), vec![(path("a.md"), 0o600)]),
    ] {
        let mut shots = vec![create.clone()];
        shots.extend(slot.map(|slot| Shot::raw(slot, path("a.md"))));
        found.push(Attempt { modes, ..Attempt::new(Class::Mode, shots) });
    }
}

const NAMES: About = ("one of two names of a file", "hard-link");
const SHUT: About = ("a file that this user may not read", "unreadable-file");
const SHUT_DIRECTORY: About = ("a directory that this user may not read", "unreadable-directory");
const RAW: About = ("a directory with a name that is not UTF-8", "raw-name");
const MANY: About = ("a directory with very many files", "many-files");
const BEHIND: About = ("the root, which is a link to the store", "linked-root");

/// Nodes that lead nowhere else and are odd in themselves.
pub(super) fn odd() -> Vec<Attempt> {
    let mut found = Vec::new();
    hard_links(&mut found);
    unreadable(&mut found);
    raw_names(&mut found);
    many(&mut found);
    linked_root(&mut found);
    found
}

fn kept(path: &str, text: &str) -> (String, String) {
    (format!("/memories/{path}"), text.to_owned())
}

/// What is taken away under one name stays under the other. (An edit may reach both, or part them.)
fn hard_links(found: &mut Vec<Attempt>) {
    let first = kept("memconf-first.md", "canary under two names");
    let plants = [plant("memconf-second.md", PlantNode::HardLink(first.0.clone()))];
    for slot in [Slot::View, Slot::Delete, Slot::RenameOld] {
        let shot = Shot::raw(slot, "/memories/memconf-second.md");
        let kept = vec![first.clone()];
        found.push(Attempt {
            about: Some(NAMES),
            plants: plants.to_vec(),
            kept,
            ..Attempt::new(Class::C6, vec![shot])
        });
    }
}

/// What cannot be read is refused, and still there when it can be read again.
fn unreadable(found: &mut Vec<Attempt>) {
    const TEXT: &str = "canary behind a lock";
    let mode = |path: &str, mode| plant(path, PlantNode::Mode(mode));
    let file = "memconf-shut.md";
    for (slot, or_text) in
        [(Slot::View, None), (Slot::StrReplace, Some(TEXT.replace("canary", "sparrow"))), (Slot::Insert, None)]
    {
        found.push(Attempt {
            about: Some(SHUT),
            kept: vec![kept(file, TEXT)],
            plants: vec![mode(file, 0)],
            mends: vec![mode(file, 0o600)],
            or_text: or_text.into_iter().collect(),
            ..Attempt::new(Class::C9, vec![Shot::raw(slot, format!("/memories/{file}"))])
        });
    }
    let (directory, inner) = ("memconf-shut", "memconf-shut/inner.md");
    let views = ["/memories".to_owned(), format!("/memories/{directory}"), format!("/memories/{inner}")];
    let shots = views.into_iter().map(|path| Shot::raw(Slot::View, path));
    let shots = shots.chain([Shot::raw(Slot::Create, format!("/memories/{directory}/{FRESH}"))]);
    for shot in shots.chain([Slot::StrReplace, Slot::Insert].map(|slot| Shot::raw(slot, format!("/memories/{inner}"))))
    {
        found.push(Attempt {
            about: Some(SHUT_DIRECTORY),
            kept: vec![kept("memconf-kept.md", "Kept beside it"), kept(inner, TEXT)],
            plants: vec![mode(directory, 0)],
            mends: vec![mode(directory, 0o700)],
            ..Attempt::new(Class::C9, vec![shot])
        });
    }
}

/// A name that is no text is left out, or shown somehow; what stands beside it is served.
fn raw_names(found: &mut Vec<Attempt>) {
    let plants = [plant("memconf-nest", PlantNode::RawName(b"memconf-\xff\xfe.md".to_vec()))];
    let beside = "memconf-nest/kept.md";
    for (slot, path) in [
        (Slot::View, "/memories"),
        (Slot::View, "/memories/memconf-nest"),
        (Slot::View, "/memories/memconf-nest/memconf-\u{fffd}\u{fffd}.md"),
        (Slot::Delete, "/memories/memconf-nest/memconf-\u{fffd}\u{fffd}.md"),
        (Slot::Create, "/memories/memconf-nest/memconf-new.txt"),
    ] {
        let kept = vec![kept(beside, "Kept beside it")];
        let plants = plants.to_vec();
        found.push(Attempt { about: Some(RAW), plants, kept, ..Attempt::new(Class::C10, vec![Shot::raw(slot, path)]) });
    }
    each(found, Class::C10, RAW, &plants, "memconf-nest", &[Slot::Delete, Slot::RenameOld]);
}

/// A view of many files ends, and so does their removal.
fn many(found: &mut Vec<Attempt>) {
    let shots = [(10_000, Slot::View, "/memories/memconf-many"), (10_000, Slot::Delete, "/memories/memconf-many")];
    for (count, slot, path) in shots.into_iter().chain([(100_000, Slot::View, "/memories")]) {
        let plants = vec![plant("memconf-many", PlantNode::Entries(count))];
        let kept = vec![kept("memconf-kept.md", "Kept beside them")];
        found.push(Attempt {
            about: Some(MANY),
            plants,
            kept,
            ..Attempt::new(Class::C10, vec![Shot::raw(slot, path)])
        });
    }
}

/// A root that is a link is the root for all that.
fn linked_root(found: &mut Vec<Attempt>) {
    let plants = [Plant { path: "/memories".into(), node: PlantNode::BehindLink }];
    for path in ["/memories", "/memories/", "/memories/."] {
        for slot in [Slot::View, Slot::Delete, Slot::RenameOld] {
            let shot = Shot::raw(slot, path);
            let kept = vec![kept("memconf-kept.md", "Kept in the root")];
            let plants = plants.to_vec();
            found.push(Attempt { about: Some(BEHIND), plants, kept, ..Attempt::new(Class::C11, vec![shot]) });
        }
    }
}
