//! Does a URL belong to this crawl?
//!
//! The scheme never decides: a site that moved from http to https is the same place. The port does,
//! unless it is the default of its scheme, because another port is another server.

use crate::domain::registrable_domain;
use crate::normal::Address;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// How far a crawl may go from its seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The host and port of a seed.
    #[default]
    Site,
    /// The registrable domain of a seed, with every host below it.
    Domain,
    /// Everywhere.
    Any,
    /// Addresses that begin with the folder of a seed.
    Prefix,
}

impl ScopeKind {
    /// The name on the command line and in the config.
    pub fn name(self) -> &'static str {
        match self {
            ScopeKind::Site => "site",
            ScopeKind::Domain => "domain",
            ScopeKind::Any => "any",
            ScopeKind::Prefix => "prefix",
        }
    }
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`: expected site, domain, any or prefix")]
pub struct UnknownScope(pub String);

impl FromStr for ScopeKind {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<ScopeKind, UnknownScope> {
        [ScopeKind::Site, ScopeKind::Domain, ScopeKind::Any, ScopeKind::Prefix]
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// The set of URLs that a crawl may visit. Membership costs one look-up, for [`ScopeKind::Prefix`] one
/// per folder of the address, however many seeds there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    kind: ScopeKind,
    keys: BTreeSet<String>,
}

impl Scope {
    /// The scope of these seeds.
    pub fn new<'a>(kind: ScopeKind, seeds: impl IntoIterator<Item = &'a Address>) -> Scope {
        let mut scope = Scope { kind, keys: BTreeSet::new() };
        for seed in seeds {
            scope.extend(seed);
        }
        scope
    }

    /// The kind it was made with.
    pub fn kind(&self) -> ScopeKind {
        self.kind
    }

    /// Admits what a further seed would admit. Meant for the target of a seed's redirect, as from
    /// `example.org` to `www.example.org`: who asked for the one meant the other.
    pub fn extend(&mut self, seed: &Address) {
        let key = match self.kind {
            ScopeKind::Any => return,
            ScopeKind::Site => authority(seed),
            ScopeKind::Domain => registrable_domain(seed.site.host()),
            ScopeKind::Prefix => folder(place(seed)),
        };
        if !self.keys.contains(key) {
            self.keys.insert(key.to_owned());
        }
    }

    /// Whether the crawl may visit this address.
    pub fn admits(&self, address: &Address) -> bool {
        match self.kind {
            ScopeKind::Any => true,
            ScopeKind::Site => self.keys.contains(authority(address)),
            ScopeKind::Domain => self.keys.contains(registrable_domain(address.site.host())),
            ScopeKind::Prefix => {
                let place = place(address);
                place.match_indices('/').any(|(at, _)| self.keys.contains(&place[..=at]))
            }
        }
    }
}

/// Host, and port unless it is the default.
fn authority(address: &Address) -> &str {
    let site = address.site.as_str();
    site.split_once("://").map_or(site, |(_, rest)| rest)
}

/// Authority and path, without scheme and query.
fn place(address: &Address) -> &str {
    let normal = address.normal();
    let rest = normal.split_once("://").map_or(normal, |(_, rest)| rest);
    rest.split_once('?').map_or(rest, |(place, _)| place)
}

/// Up to and with the last slash. A place has one: the path is never empty.
fn folder(place: &str) -> &str {
    place.rfind('/').map_or(place, |at| &place[..=at])
}
