//! Attacks on a secret that the author of a handler has put outside the store, for stores that memconf cannot see. They
//! only look; the secret in an answer is proof.

use super::Class;
use super::enumerate::styles;
use super::script::{Attempt, Shot};
use super::token::{Slot, Tree, Walk};

/// So many steps up are tried, and then all the way.
const STEPS: usize = 6;

pub(super) const ABOUT: (&str, &str) = ("a path to the author's secret outside the store", "outside-canary");

/// A secret, and the path at which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideCanary {
    /// From the top of a file system, or from the level of stores.
    pub path: String,
    /// What nobody sends.
    pub secret: String,
}

impl OutsideCanary {
    /// From `PATH=SECRET`.
    ///
    /// # Errors
    /// Where a secret would not prove anything.
    pub fn parse(text: &str) -> Result<OutsideCanary, String> {
        const SHORTEST: usize = 8;
        let Some((path, secret)) = text.split_once('=').filter(|(path, _)| !path.is_empty()) else {
            return Err("write it as PATH=SECRET, such as /other/secret.md=kf83hd02mc".into());
        };
        if secret.chars().count() < SHORTEST || secret.contains(char::is_control) {
            return Err(format!("the secret must have at least {SHORTEST} characters, all on one line"));
        }
        if path.contains(secret) {
            return Err("the secret must not stand in the path: an answer that repeats the path would hold it".into());
        }
        Ok(OutsideCanary { path: path.to_owned(), secret: secret.to_owned() })
    }

    /// Every way up to it.
    pub(super) fn attempts(&self) -> Vec<Attempt> {
        let below = self.path.trim_start_matches('/');
        let mut found = vec![self.attempt(
            Class::A4,
            [
                Shot::raw(Slot::View, self.path.clone()),
                Shot::raw(Slot::View, format!("/{below}")),
                Shot::raw(Slot::View, format!("/memories//{below}")),
                Shot::raw(Slot::View, format!("/memories/./{below}")),
                Shot::raw(Slot::View, format!("/memories/%2f{below}")),
                Shot::raw(Slot::View, format!("file:///{below}")),
                Shot::raw(Slot::View, format!("/memories/C:/{below}")),
            ],
        )];
        for style in styles() {
            let walks = (1..=STEPS).map(|steps| vec![Walk::Up; steps]).chain([vec![Walk::Top]]);
            let shots = walks.map(|walk| Shot::new(Slot::View, style.apply(Tree::new(walk, below))));
            found.push(self.attempt(style.class, shots));
        }
        found
    }

    fn attempt(&self, class: Class, shots: impl IntoIterator<Item = Shot>) -> Attempt {
        let inside = |shot: &Shot| shot.sent.text().is_some_and(|text| text.contains(&self.secret));
        let shots = shots.into_iter().filter(|shot| !inside(shot)).map(|shot| Shot { refused: true, ..shot });
        Attempt { about: Some(ABOUT), ..Attempt::new(class, shots.collect()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_proves_nothing_is_refused() {
        for wrong in ["", "/x/y.md", "=kf83hd02mc", "/x=short", "/x/kf83hd02mc=kf83hd02mc", "/x=kf83hd\n02mc"] {
            assert!(OutsideCanary::parse(wrong).is_err(), "{wrong:?}");
        }
        let canary = OutsideCanary::parse("/b/secret.md=kf83=hd02mc").unwrap();
        assert_eq!((canary.path.as_str(), canary.secret.as_str()), ("/b/secret.md", "kf83=hd02mc"));
    }

    #[test]
    fn it_is_only_looked_at() {
        let attempts = OutsideCanary::parse("/b/secret.md=kf83hd02mc").unwrap().attempts();
        assert!(attempts.len() > 50);
        for attempt in &attempts {
            assert!(attempt.shots.iter().all(|shot| shot.slot == Slot::View));
            assert!(attempt.strings().all(|(_, text)| !text.contains("kf83hd02mc")));
        }
    }
}
