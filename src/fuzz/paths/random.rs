//! Attacks at random: proptest strategies over the tree, fed by the seed and the number of the attempt alone.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::enumerate::styles;
use super::script::{Attempt, FRESH, NEST, Shot};
use super::token::{Slot, Tree, Walk};
use super::{Class, Encoding, Host, SIBLINGS};
use crate::fuzz::mix;

/// The attempt of this number.
pub(super) fn attempt(seed: u64, number: u64, host: Host) -> Attempt {
    let mut bytes = [0; 16];
    for (at, chunk) in bytes.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&mix(seed, number.wrapping_mul(2).wrapping_add(at as u64)).to_le_bytes());
    }
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    static ATTEMPTS: LazyLock<SBoxedStrategy<(Slot, Vec<Tree>)>> = LazyLock::new(|| attempts().sboxed());
    let drawn = ATTEMPTS.new_tree(&mut runner).map(|tree| tree.current());
    let (slot, trees) = drawn.unwrap_or_else(|_| (Slot::View, vec![Tree::up(1, "canary.txt")]));
    let class = class_of(&trees);
    if slot.is_destructive() {
        for tree in &trees {
            let tree = if tree.walk.contains(&Walk::Up) { aimed(tree) } else { tree.clone() };
            let attempt = Attempt::new(class, vec![Shot::new(slot, tree)]);
            if host.is_harmless(&attempt) {
                return attempt;
            }
        }
    }
    Attempt::new(class, trees.into_iter().map(|tree| Shot::new(Slot::View, tree)).collect())
}

/// The same way up, with a place of memconf's own at its end from wherever it begins.
fn aimed(tree: &Tree) -> Tree {
    let ups = tree.walk.iter().position(|walk| *walk == Walk::Up).unwrap_or(tree.walk.len());
    let mut walk = tree.walk[..ups].to_vec();
    walk.push(Walk::Top);
    let target = match tree.target.as_str() {
        "" => "{store}".to_owned(),
        hole if hole.starts_with('{') => hole.to_owned(),
        beside if beside.starts_with("memories") => beside.replacen("memories", "{store}", 1),
        name => format!("{{outside}}/{}", name.rsplit('/').next().unwrap_or(name)),
    };
    Tree { walk, target, ..tree.clone() }
}

/// What is declared: only told where no interpretation explains a result.
fn class_of(trees: &[Tree]) -> Class {
    let tree = trees.first();
    let code = tree.and_then(|tree| tree.encodings.first());
    if let Some(code) = code {
        return styles().iter().find(|style| style.encodings.first() == Some(code)).map_or(Class::A11, |one| one.class);
    }
    match tree {
        Some(tree) if SIBLINGS.iter().any(|suffix| tree.target.contains(&format!("memories{suffix}"))) => Class::A7,
        Some(tree) if tree.target.starts_with("{outside}") => Class::A4,
        _ => Class::A1,
    }
}

/// A slot, and paths for it: several for a view, one of several for what can destroy.
fn attempts() -> impl Strategy<Value = (Slot, Vec<Tree>)> {
    (select(Slot::ALL.as_slice()), vec(tree(), 4))
}

fn tree() -> impl Strategy<Value = Tree> {
    let prefix = prop_oneof![
        12 => Just("/memories"),
        1 => select(vec!["", "/memories/", "//memories", "/Memories", "memories", "/memories/.", "/memories\\"]),
    ];
    let before = prop_oneof![20 => Just(""), 1 => select(vec![" ", "\t", "\0", ".", "/"])];
    let after = prop_oneof![
        8 => Just(""),
        1 => select(vec!["/", "/.", "//", " ", ".", "\0", "\0.md", "%00", "%00.md", "?", "#a", ";a", "%20", "\u{a0}"]),
    ];
    (prefix, vec(walk(), 0..6), target(), encodings(), before, after).prop_map(
        |(prefix, walk, target, encodings, before, after)| Tree {
            prefix: prefix.into(),
            walk,
            target,
            encodings,
            before: before.into(),
            after: after.into(),
        },
    )
}

fn walk() -> impl Strategy<Value = Walk> {
    prop_oneof![
        6 => Just(Walk::Up),
        1 => Just(Walk::Own),
        1 => Just(Walk::Empty),
        1 => Just(Walk::In(NEST.into())),
        1 => Just(Walk::In("memconf-nowhere".into())),
        1 => select(vec!["~", "...", "....", "%", "a b", "..%00", ".. ", "$HOME", "%2e%2e", "..;", "-"])
            .prop_map(|name| Walk::In(name.into())),
    ]
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("canary.txt".to_owned()),
        2 => Just(String::new()),
        3 => Just(FRESH.to_owned()),
        2 => select(SIBLINGS.as_slice()).prop_map(|suffix| format!("memories{suffix}/canary.txt")),
        1 => select(SIBLINGS.as_slice()).prop_map(|suffix| format!("memories{suffix}/{FRESH}")),
        1 => Just("home/canary.txt".to_owned()),
        1 => Just("abs/canary.txt".to_owned()),
        1 => Just("{outside}/canary.txt".to_owned()),
    ]
}

/// None, one, or several that are applied one after the other.
fn encodings() -> impl Strategy<Value = Vec<Encoding>> {
    let mut codes: Vec<Encoding> = styles().iter().flat_map(|style| style.encodings.iter().copied()).collect();
    codes.dedup();
    prop_oneof![1 => Just(Vec::new()), 4 => vec(select(codes), 1..4)]
}
