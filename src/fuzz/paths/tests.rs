use super::*;

#[path = "tests/handlers.rs"]
mod handlers;

#[test]
fn the_same_seed_gives_the_same_attempts() {
    let (one, other, third) = (PathAttacks::new(1), PathAttacks::new(1), PathAttacks::new(2));
    let from = one.enumerated();
    let draw = |attacks: &PathAttacks| (from..from + 50).filter_map(|n| attacks.attempt(n)).collect::<Vec<_>>();
    assert_eq!(draw(&one), draw(&other));
    assert_ne!(draw(&one), draw(&third));
}

#[test]
fn every_slot_meets_every_class() {
    use std::collections::BTreeSet;
    let attacks = PathAttacks::new(1);
    let met: BTreeSet<(Class, Slot)> = (0..attacks.enumerated())
        .filter_map(|number| attacks.attempt(number))
        .flat_map(|attempt| attempt.shots.iter().map(|shot| (attempt.class, shot.slot)).collect::<Vec<_>>())
        .collect();
    for class in [
        Class::A1,
        Class::A2,
        Class::A3,
        Class::A4,
        Class::A7,
        Class::A8,
        Class::A11,
        Class::A12,
        Class::A13,
        Class::A14,
        Class::A16,
        Class::A18,
        Class::A19,
        Class::C1,
        Class::C2,
        Class::C3,
        Class::C4,
        Class::C5,
        Class::C7,
    ] {
        for slot in Slot::ALL {
            assert!(met.contains(&(class, slot)), "{class:?} {slot:?}");
        }
    }
}
