//! Which sites does somebody want more of, less of, or not at all?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What somebody wants of a site and the hosts below it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    /// Its pages count more.
    Raise,
    /// Its pages count less.
    Lower,
    /// Its pages are left out.
    Block,
}

impl Preference {
    /// Every preference there is.
    pub const ALL: [Preference; 3] = [Preference::Raise, Preference::Lower, Preference::Block];

    /// Its name, in addresses and options.
    pub fn name(self) -> &'static str {
        match self {
            Preference::Raise => "raise",
            Preference::Lower => "lower",
            Preference::Block => "block",
        }
    }
}

/// What somebody wants of sites, one preference each. Never more than [`Preferences::MOST`], whoever wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<String, Preference>", into = "BTreeMap<String, Preference>")]
pub struct Preferences(BTreeMap<String, Preference>);

impl Preferences {
    /// Sites at most.
    pub const MOST: usize = 50;
    /// Bytes of a site at most: the longest host name with a port.
    pub const MOST_BYTES: usize = 261;

    /// Wants something else of a site. `false` when it is not kept: it is too long, or there are too many.
    pub fn set(&mut self, site: &str, preference: Preference) -> bool {
        let known = self.0.contains_key(site);
        let fits = !site.is_empty() && site.len() <= Preferences::MOST_BYTES;
        let room = known || self.0.len() < Preferences::MOST;
        if fits && room {
            self.0.insert(site.to_owned(), preference);
        }
        fits && room
    }

    /// Wants nothing of a site any more.
    pub fn forget(&mut self, site: &str) {
        self.0.remove(site);
    }

    /// What is wanted of exactly this site.
    pub fn of(&self, site: &str) -> Option<Preference> {
        self.0.get(site).copied()
    }

    /// What the pages of a site (its host, with its port if that is not the default) are subject to, and by
    /// which site: a block before all else, then what was said of the nearest.
    pub fn on(&self, site: &str) -> Option<(&str, Preference)> {
        let holding = self.iter().filter(|(above, _)| is_within(site, above));
        holding.max_by_key(|(above, preference)| (*preference == Preference::Block, above.len()))
    }

    /// Sites and what is wanted of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Preference)> {
        self.0.iter().map(|(site, preference)| (site.as_str(), *preference))
    }

    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Whether a site is another one, or below it. A site without a port holds all ports of its host.
fn is_within(site: &str, above: &str) -> bool {
    let bracket = site.rfind(']').unwrap_or(0);
    let host = site[bracket..].find(':').map_or(site, |colon| &site[..bracket + colon]);
    let below = host.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'));
    site == above || host == above || below
}

impl From<BTreeMap<String, Preference>> for Preferences {
    fn from(wanted: BTreeMap<String, Preference>) -> Preferences {
        let mut preferences = Preferences::default();
        for (site, preference) in &wanted {
            preferences.set(site, *preference);
        }
        preferences
    }
}

impl From<Preferences> for BTreeMap<String, Preference> {
    fn from(preferences: Preferences) -> BTreeMap<String, Preference> {
        preferences.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_one_preference_and_there_are_not_too_many() {
        let mut preferences = Preferences::default();
        for n in 0..Preferences::MOST {
            assert!(preferences.set(&format!("{n}.test"), Preference::Raise));
        }
        assert!(!preferences.set("one-more.test", Preference::Raise));
        assert!(preferences.set("7.test", Preference::Block), "a change needs no room");
        assert_eq!(preferences.of("7.test"), Some(Preference::Block));
        assert_eq!(preferences.len(), Preferences::MOST);
        preferences.forget("7.test");
        assert!(!preferences.set("", Preference::Raise));
        assert!(!preferences.set(&"x".repeat(Preferences::MOST_BYTES + 1), Preference::Raise));
        assert!(preferences.set(&"x".repeat(Preferences::MOST_BYTES), Preference::Raise));
    }

    #[test]
    fn whoever_writes_them_there_are_not_too_many() {
        let all: BTreeMap<String, Preference> =
            (0..500).map(|n| (format!("{n}.test"), Preference::Lower)).collect();
        let text = serde_json::to_string(&all).unwrap();
        let read: Preferences = serde_json::from_str(&text).unwrap();
        assert_eq!(read.len(), Preferences::MOST);
        let again: Preferences =
            serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
        assert_eq!(again, read);
    }

    #[test]
    fn what_is_said_of_a_site_holds_for_the_hosts_below_it() {
        let mut preferences = Preferences::default();
        preferences.set("example.org", Preference::Raise);
        preferences.set("dull.example.org", Preference::Lower);
        preferences.set("bad.test", Preference::Block);
        preferences.set("good.bad.test", Preference::Raise);
        preferences.set("port.test:81", Preference::Raise);
        preferences.set("[::1]", Preference::Block);
        for (site, by) in [
            ("example.org", Some(("example.org", Preference::Raise))),
            ("www.example.org:8080", Some(("example.org", Preference::Raise))),
            ("very.dull.example.org", Some(("dull.example.org", Preference::Lower))),
            ("good.bad.test", Some(("bad.test", Preference::Block))),
            ("port.test:81", Some(("port.test:81", Preference::Raise))),
            ("port.test", None),
            ("notexample.org", None),
            ("org", None),
            ("[::1]:8420", Some(("[::1]", Preference::Block))),
            ("", None),
        ] {
            assert_eq!(preferences.on(site), by, "{site}");
        }
    }
}
