//! What is tried first: every slot of every command with every class.

use std::sync::LazyLock;

use super::Class;
use super::SIBLINGS;
use super::encode::{Code, Encoding, On};
use super::script::{Attempt, FRESH, NEST, Shot};
use super::token::{Slot, Tree, Walk};

/// One way to write a path that leads up.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// What it is meant to show.
    pub(super) class: Class,
    /// Applied in order.
    pub(super) encodings: Vec<Encoding>,
    before: &'static str,
    after: &'static str,
    prefix: &'static str,
}

impl Style {
    fn new(class: Class, encodings: Vec<Encoding>) -> Style {
        Style { class, encodings, before: "", after: "", prefix: "/memories" }
    }

    /// A tree, written so.
    pub(super) fn apply(&self, mut tree: Tree) -> Tree {
        tree.encodings.extend(self.encodings.iter().copied());
        self.before.clone_into(&mut tree.before);
        self.after.clone_into(&mut tree.after);
        self.prefix.clone_into(&mut tree.prefix);
        tree
    }
}

/// The codes that stand for a dot, a slash or both, with what they are tried on.
fn coded() -> Vec<(Class, Code, &'static [On])> {
    use On::{All, Dots, DotsAndSeparators, FirstDots, LastDots, Separators};
    vec![
        (Class::A11, Code::Percent, &[Dots, Separators, DotsAndSeparators, FirstDots, LastDots, All]),
        (Class::A11, Code::PercentUpper, &[Dots, DotsAndSeparators]),
        (Class::A3, Code::Backslash, &[Separators]),
        (Class::A3, Code::SlashBackslash, &[Separators]),
        (Class::A3, Code::BackslashSlash, &[Separators]),
        (Class::A14, Code::Wide, &[Dots, Separators, DotsAndSeparators, FirstDots, All]),
        (Class::A14, Code::Leader, &[Dots, LastDots]),
        (Class::A14, Code::Small, &[Dots]),
        (Class::A14, Code::WideBackslash, &[Separators]),
        (Class::A14, Code::DivisionSlash, &[Separators]),
        (Class::A13, Code::PercentU, &[Dots, DotsAndSeparators]),
        (Class::A13, Code::Hex, &[Dots, DotsAndSeparators]),
        (Class::A13, Code::Escape, &[Dots, DotsAndSeparators]),
        (Class::A13, Code::Entity, &[Dots, DotsAndSeparators]),
        (Class::A13, Code::NamedEntity, &[Dots, DotsAndSeparators]),
        (Class::A13, Code::Quoted, &[Dots]),
        (Class::A12, Code::Overlong2, &[Dots, DotsAndSeparators]),
        (Class::A12, Code::Overlong3, &[Dots]),
    ]
}

/// Fillers that some filter deletes, by class, with the places in `../` that they go to. A control character goes where
/// no trimming takes it for a blank.
const FILLERS: [(Class, &str, &[usize]); 14] = [
    (Class::A2, "../", &[1, 2]),
    (Class::A2, "..", &[1]),
    (Class::A2, "..\\", &[1, 2]),
    (Class::A2, "./", &[1, 2]),
    (Class::A16, "\0", &[1, 2]),
    (Class::A16, "\r", &[1]),
    (Class::A16, "\n", &[1]),
    (Class::A16, "\t", &[1]),
    (Class::A16, "\u{7f}", &[1]),
    (Class::A16, "%00", &[1, 2]),
    (Class::A14, "\u{200d}", &[1, 2]),
    (Class::A14, "\u{feff}", &[1]),
    (Class::A8, " ", &[2]),
    (Class::A8, "\u{a0}", &[2]),
];

/// Every way to write a path that leads up, the plain one first.
pub(super) fn styles() -> &'static [Style] {
    static STYLES: LazyLock<Vec<Style>> = LazyLock::new(make_styles);
    &STYLES
}

fn make_styles() -> Vec<Style> {
    let mut styles = vec![Style::new(Class::A1, Vec::new())];
    for (class, filler, places) in FILLERS {
        for place in places {
            styles.push(Style::new(class, vec![Encoding::new(Code::Nest(filler, *place), On::Dots)]));
        }
    }
    for (class, code, places) in coded() {
        for on in places {
            styles.push(Style::new(class, vec![Encoding::new(code, *on)]));
        }
    }
    // Encoded again: each layer is taken off by one decoding.
    let percent = |on| Encoding::new(Code::Percent, on);
    for (class, first) in [
        (Class::A11, percent(On::Dots)),
        (Class::A11, percent(On::Separators)),
        (Class::A11, percent(On::DotsAndSeparators)),
        (Class::A3, Encoding::new(Code::Backslash, On::Separators)),
        (Class::A14, Encoding::new(Code::Wide, On::Dots)),
        (Class::A2, Encoding::new(Code::Nest("../", 1), On::Dots)),
        (Class::A16, Encoding::new(Code::Nest("\0", 1), On::Dots)),
    ] {
        styles.push(Style::new(class, vec![first, percent(On::DotsAndSeparators)]));
        styles.push(Style::new(class, vec![first, percent(On::DotsAndSeparators), percent(On::DotsAndSeparators)]));
        styles.push(Style::new(class, vec![first, percent(On::All)]));
    }
    for (class, after) in [
        (Class::A1, "/"),
        (Class::A1, "/."),
        (Class::A16, "\0"),
        (Class::A16, "\0.md"),
        (Class::A16, "%00.md"),
        (Class::A8, " "),
        (Class::A8, "\u{a0}"),
        (Class::A16, "\u{1b}"),
        (Class::A8, "."),
        (Class::A15, "?x"),
        (Class::A15, "#x"),
        (Class::A15, ";x"),
    ] {
        styles.push(Style { after, ..Style::new(class, Vec::new()) });
    }
    for before in [" ", "\t", "\0", "./", "/.", "/", "file:", "file://"] {
        let class = if before.starts_with("file") { Class::A15 } else { Class::A8 };
        styles.push(Style { before, ..Style::new(class, Vec::new()) });
    }
    for prefix in ["", "memories", "/Memories", "/MEMORIES", "/memories/memories", "\\memories", "%2fmemories"] {
        styles.push(Style { prefix, ..Style::new(Class::A8, Vec::new()) });
    }
    styles
}

/// All attempts that walk up or aim elsewhere, in a fixed order.
pub(super) fn all() -> Vec<Attempt> {
    let mut found = Vec::new();
    for style in styles() {
        walks(&mut found, style.class, &|tree| style.apply(tree));
    }
    siblings(&mut found);
    absolute(&mut found);
    expansions(&mut found);
    drives(&mut found);
    root_aliases(&mut found);
    found
}

/// A way up, with every slot.
fn walks(found: &mut Vec<Attempt>, class: Class, style: &dyn Fn(Tree) -> Tree) {
    let view = |tree: Tree| Shot::new(Slot::View, style(tree));
    let mut files: Vec<Shot> = (1..=3).map(|times| view(Tree::up(times, "canary.txt"))).collect();
    for name in [NEST, "memconf-nowhere"] {
        files.push(view(Tree::new(vec![Walk::In(name.into()), Walk::Up, Walk::Up], "canary.txt")));
    }
    files.push(view(Tree::new(vec![Walk::Own, Walk::Up], "canary.txt")));
    files.push(view(Tree::new(vec![Walk::Empty, Walk::Up], "canary.txt")));
    found.push(Attempt::new(class, files));
    let last_own = |times: usize| Tree::new([vec![Walk::Up; times], vec![Walk::Own]].concat(), "");
    let directories =
        [Tree::up(1, ""), Tree::up(2, ""), last_own(1), Tree::new(vec![Walk::Up, Walk::Empty], "")].map(view);
    found.push(Attempt::new(class, directories.to_vec()));
    for slot in Slot::ALL.into_iter().filter(|slot| slot.is_destructive()) {
        let targets: &[&str] = match slot {
            Slot::Create => &[FRESH, "canary.txt", "memconf-new/deep.txt"],
            Slot::RenameNew => &[FRESH, "canary.txt"],
            _ => &["canary.txt"],
        };
        for target in targets {
            let tree = Tree::new(vec![Walk::Top], format!("{{outside}}/{target}"));
            found.push(Attempt::new(class, vec![Shot::new(slot, style(tree))]));
        }
        let nested = Tree::new(vec![Walk::In(NEST.into()), Walk::Top], format!("{{outside}}/{}", targets[0]));
        found.push(Attempt::new(class, vec![Shot::new(slot, style(nested))]));
    }
}

/// Every slot with a target file, and views of a directory.
fn every_slot(found: &mut Vec<Attempt>, class: Class, refused: bool, place: &dyn Fn(Slot, &str) -> Tree) {
    let shot = |slot, target: &str| Shot { refused, ..Shot::new(slot, place(slot, target)) };
    found.push(Attempt::new(class, vec![shot(Slot::View, "canary.txt")]));
    found.push(Attempt::new(class, vec![shot(Slot::View, "")]));
    for slot in Slot::ALL.into_iter().filter(|slot| slot.is_destructive()) {
        let target = if matches!(slot, Slot::Create | Slot::RenameNew) { FRESH } else { "canary.txt" };
        found.push(Attempt::new(class, vec![shot(slot, target)]));
    }
}

fn siblings(found: &mut Vec<Attempt>) {
    let join = |directory: String, target: &str| match target {
        "" => directory,
        target => format!("{directory}/{target}"),
    };
    for suffix in SIBLINGS {
        let by_dots = |slot: Slot, target: &str| match slot.is_destructive() {
            true => Tree::new(vec![Walk::Top], join(format!("{{store}}{suffix}"), target)),
            false => Tree::up(1, join(format!("memories{suffix}"), target)),
        };
        every_slot(found, Class::A7, false, &by_dots);
        let by_name = |_: Slot, target: &str| Tree::new(Vec::new(), target).prefixed(&format!("/memories{suffix}"));
        every_slot(found, Class::A7, true, &by_name);
    }
    // Served from inside: what stands behind the letters of `/memories` is a file of the store.
    for (sent, held) in [("/memoriesX/note.md", "/memories/X/note.md"), ("/memories_evil", "/memories/_evil")] {
        for slot in [Slot::View, Slot::Delete] {
            let shot = Shot { refused: true, ..Shot::raw(slot, sent) };
            let kept = vec![(held.to_owned(), "Not to be had under another name".to_owned())];
            found.push(Attempt { kept, ..Attempt::new(Class::A7, vec![shot]) });
        }
    }
}

fn absolute(found: &mut Vec<Attempt>) {
    let outside = |target: &str| match target {
        "" => "{outside}".to_owned(),
        target => format!("{{outside}}/{target}"),
    };
    every_slot(found, Class::A4, true, &|_, target| Tree::new(Vec::new(), outside(target)).prefixed(""));
    for walk in [vec![], vec![Walk::Empty], vec![Walk::Own], vec![Walk::In(NEST.into())]] {
        let glued = |_: Slot, target: &str| {
            let mut tree = Tree::new(walk.clone(), "");
            // `{outside}` begins with a slash of its own: the second slash makes it an absolute component.
            tree.after = format!("/{}", outside(target));
            tree
        };
        every_slot(found, Class::A4, false, &glued);
    }
    let encoded =
        |_: Slot, target: &str| Tree { after: format!("%2f{}", outside(target)), ..Tree::new(vec![Walk::Own], "") };
    every_slot(found, Class::A11, false, &encoded);
}

/// Drive letters and device namespaces of Windows, before an absolute path and before steps up.
fn drives(found: &mut Vec<Attempt>) {
    let join = |head: &str, target: &str| {
        let tail = if target.is_empty() { String::new() } else { format!("/{target}") };
        Tree { after: format!("{head}{{outside}}{tail}"), ..Tree::new(Vec::new(), "") }
    };
    for head in ["/C:", "/memconf-nest/C:", "/./z:"] {
        every_slot(found, Class::A5, false, &|_, target| join(head, target));
    }
    for head in ["C:", "\\\\?\\C:", "\\\\.\\C:", "\\??\\C:", "//?/C:", "\\\\localhost\\C$", "//localhost/C$"] {
        for prefix in ["", "/memories/"] {
            let tree = join(head, "canary.txt").prefixed(prefix);
            found.push(Attempt::new(Class::A5, vec![Shot::new(Slot::View, tree)]));
        }
    }
    let relative =
        ["/memories/C:../canary.txt", "/memories/memconf-nest/C:../../canary.txt", "/memories/C:..\\canary.txt"];
    found.push(Attempt::new(Class::A5, relative.map(|sent| Shot::raw(Slot::View, sent)).to_vec()));
}

/// Only looked at: where `~` leads is the handler's affair.
fn expansions(found: &mut Vec<Attempt>) {
    let heads = ["~", "$HOME", "${HOME}", "$(printf ..)", "`printf ..`", "{..,x}", ".[.]", ".?"];
    for head in heads {
        let shots = [
            Tree::new(vec![Walk::In(head.into())], "canary.txt"),
            Tree::new(vec![Walk::In(head.into())], "canary.txt").prefixed(""),
        ];
        found.push(Attempt::new(Class::A15, shots.map(|tree| Shot::new(Slot::View, tree)).to_vec()));
        let directory = Tree::new(vec![Walk::In(head.into())], "");
        found.push(Attempt::new(Class::A15, vec![Shot::new(Slot::View, directory)]));
    }
    for head in ["file:", "file://", "file://localhost"] {
        for prefix in ["/memories/", ""] {
            let sent = format!("{prefix}{head}{{outside}}/canary.txt");
            found.push(Attempt::new(Class::A15, vec![Shot::raw(Slot::View, sent)]));
        }
    }
}

/// Spellings of the root, with all that would destroy it.
fn root_aliases(found: &mut Vec<Attempt>) {
    let spellings = [
        ("", ""),
        ("", "/"),
        ("", "//"),
        ("", "/."),
        ("", "/./"),
        ("", "/memconf-nest/.."),
        ("", "/memconf-nest/../"),
        ("", "/memconf-nowhere/.."),
        ("", "/../memories"),
        ("", "/../memories/"),
        ("", " "),
        ("", "\\"),
        ("", "/%2e"),
        ("", "%2f"),
        ("", "\0"),
        ("", "/~/../"),
        ("/", ""),
        (".", ""),
        ("/.", ""),
        (" ", ""),
    ];
    let roots = spellings.map(|(before, after)| {
        let plain = Tree::new(Vec::new(), "");
        Tree { before: before.into(), after: after.into(), ..plain }
    });
    // By its own path, whatever the prefix is taken for.
    let walks = [vec![Walk::Top], vec![Walk::In(NEST.into()), Walk::Top]].map(|walk| Tree::new(walk, "{store}"));
    let prefixes = ["/Memories", "/MEMORIES", "memories", "%2fmemories", "", " /memories", "/memories/."];
    let prefixed = prefixes.map(|prefix| Tree::new(vec![Walk::Top], "{store}").prefixed(prefix));
    for root in roots.into_iter().chain(walks).chain(prefixed) {
        for (slot, other) in [
            (Slot::Delete, None),
            (Slot::RenameOld, None),
            (Slot::RenameOld, Some("/memories/memconf-taken/root")),
            (Slot::RenameNew, None),
            (Slot::Create, None),
            (Slot::StrReplace, None),
            (Slot::Insert, None),
        ] {
            let other = other.map(str::to_owned);
            found.push(Attempt::new(Class::A10, vec![Shot { other, ..Shot::new(slot, root.clone()) }]));
        }
    }
}
