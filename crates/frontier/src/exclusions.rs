//! What does a person want left alone? Hosts, beginnings of addresses, and patterns with `*`.
//!
//! | written | leaves alone |
//! |---|---|
//! | `example.org`, `https://example.org` | this host and the hosts below it; with a port, only that port |
//! | `example.org/`, `https://example.org/shop/` | addresses that begin so |
//! | `*/print/*`, `*.pdf`, `example.org/*?page=*` | whole addresses of this form; without a slash, hosts too |
//!
//! The scheme never decides, as in a scope. Whether an address is left alone costs one look-up per label of its
//! host, and one look at each pattern with a `*`.

use crate::normal::{self, Address};
use lycosa_model::Site;
use std::collections::{HashMap, HashSet};

#[cfg(test)]
mod tests;

/// Exclusions of one run at most.
pub const MAX_EXCLUSIONS: usize = 256;

/// The longest one, in bytes.
pub const MAX_EXCLUSION_BYTES: usize = 512;

/// Stars in one pattern at most.
const MAX_STARS: usize = 8;

/// Why a text is no exclusion. [`NoExclusion::hint`] says what would be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoExclusion {
    /// Nothing was written.
    #[error("there is nothing to exclude")]
    Empty,
    /// Longer than [`MAX_EXCLUSION_BYTES`].
    #[error("an exclusion of {0} bytes is too long: at most {MAX_EXCLUSION_BYTES}")]
    TooLong(usize),
    /// There are [`MAX_EXCLUSIONS`] already.
    #[error("there are {MAX_EXCLUSIONS} exclusions already")]
    TooMany,
    /// It is not what was expected.
    #[error("`{0}` is no exclusion: {1}")]
    Malformed(String, String),
    /// It is not on the list.
    #[error("`{0}` is not excluded")]
    Unknown(String),
}

impl NoExclusion {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            NoExclusion::TooMany => "remove some of them, or exclude a whole host",
            NoExclusion::Unknown(_) => "write it as the list of exclusions has it",
            _ => {
                "write a host (example.org), the beginning of addresses (example.org/shop/), or a pattern (*/print/*)"
            }
        }
    }
}

/// What one exclusion is about.
enum Meaning {
    Host,
    Prefix,
    Pattern,
}

/// A pattern, cut at its stars.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    text: String,
    pieces: Vec<String>,
}

impl Pattern {
    fn of(text: &str) -> Pattern {
        Pattern { text: text.to_owned(), pieces: text.split('*').map(str::to_owned).collect() }
    }

    /// Whether the whole of a text has this form.
    fn fits(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &self.pieces[..] else { return false };
        let Some(mut rest) = text.strip_prefix(&**first) else { return false };
        for piece in middle {
            match rest.find(&**piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        rest.ends_with(&**last)
    }

    /// Without a slash it may be meant for hosts as well as for what addresses end with.
    fn leaves_alone(&self, host: &str, place: &str) -> bool {
        self.fits(place) || (!self.text.contains('/') && self.fits(host))
    }
}

/// Everything that a person wants left alone, ready to be asked about many addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// As they are written, in the order in which they came.
    list: Vec<String>,
    hosts: HashSet<String>,
    /// Beginnings of addresses, by host and port.
    prefixes: HashMap<String, Vec<String>>,
    patterns: Vec<Pattern>,
}

impl Exclusions {
    /// These texts, each read as by [`Exclusions::add`].
    ///
    /// # Errors
    /// With the first that is none.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a String>) -> Result<Exclusions, NoExclusion> {
        let mut all = Exclusions::default();
        for text in texts {
            all.add(text)?;
        }
        Ok(all)
    }

    /// As they are written, in the order in which they came.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Leaves something more alone; tells how it is written in the list, and nothing when it was there.
    ///
    /// # Errors
    /// When the text is no exclusion, or there are too many.
    pub fn add(&mut self, text: &str) -> Result<Option<String>, NoExclusion> {
        let (meaning, text) = read(text)?;
        if self.list.contains(&text) {
            return Ok(None);
        }
        if self.list.len() >= MAX_EXCLUSIONS {
            return Err(NoExclusion::TooMany);
        }
        match meaning {
            Meaning::Host => drop(self.hosts.insert(text.clone())),
            Meaning::Prefix => {
                let own = self.prefixes.entry(authority_of(&text).to_owned());
                own.or_default().push(text.clone());
            }
            Meaning::Pattern => self.patterns.push(Pattern::of(&text)),
        }
        self.list.push(text.clone());
        Ok(Some(text))
    }

    /// Takes one off the list; tells how it was written there.
    ///
    /// # Errors
    /// When the text is no exclusion, or not one of these.
    pub fn remove(&mut self, text: &str) -> Result<String, NoExclusion> {
        let (_, text) = read(text)?;
        let Some(place) = self.list.iter().position(|one| *one == text) else {
            return Err(NoExclusion::Unknown(text));
        };
        self.list.remove(place);
        self.hosts.remove(&text);
        for own in self.prefixes.values_mut() {
            own.retain(|one| *one != text);
        }
        self.prefixes.retain(|_, own| !own.is_empty());
        self.patterns.retain(|pattern| pattern.text != text);
        Ok(text)
    }

    /// The exclusion by which an address is left alone, if it is.
    pub fn of_address(&self, address: &Address) -> Option<&str> {
        if self.list.is_empty() {
            return None;
        }
        let site = &address.site;
        let normal = address.normal();
        let place = normal.split_once("://").map_or(normal, |(_, rest)| rest);
        let prefixes = self.prefixes.get(site.authority()).into_iter().flatten();
        let mut patterns = self.patterns.iter();
        self.of_host(site)
            .or_else(|| prefixes.map(String::as_str).find(|prefix| place.starts_with(prefix)))
            .or_else(|| {
                let pattern = patterns.find(|pattern| pattern.leaves_alone(site.host(), place));
                pattern.map(|pattern| &*pattern.text)
            })
    }

    /// Whether all of a site is left alone, so that not even its robots.txt is asked for.
    pub fn covers(&self, site: &Site) -> bool {
        if self.list.is_empty() {
            return false;
        }
        let whole = || {
            let prefixes = self.prefixes.get(site.authority())?;
            prefixes.iter().find(|prefix| prefix.len() == site.authority().len() + 1)
        };
        self.of_host(site).is_some() || whole().is_some()
    }

    /// The host or a host above it that is left alone, with this port or any.
    fn of_host(&self, site: &Site) -> Option<&str> {
        if self.hosts.is_empty() {
            return None;
        }
        let (host, authority) = (site.host(), site.authority());
        let below = host.match_indices('.').map(|(dot, _)| dot + 1);
        std::iter::once(0)
            .chain(below)
            .find_map(|from| {
                self.hosts.get(&host[from..]).or_else(|| self.hosts.get(&authority[from..]))
            })
            .map(String::as_str)
    }
}

/// Host and port at the beginning of an address without scheme.
fn authority_of(text: &str) -> &str {
    text.split_once('/').map_or(text, |(authority, _)| authority)
}

/// What a text means, and how it is written in the list.
fn read(text: &str) -> Result<(Meaning, String), NoExclusion> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NoExclusion::Empty);
    }
    if text.len() > MAX_EXCLUSION_BYTES {
        return Err(NoExclusion::TooLong(text.len()));
    }
    let malformed = |why: &str| NoExclusion::Malformed(text.to_owned(), why.to_owned());
    if text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(malformed("it has a space in it"));
    }
    let (scheme, rest) = match text.split_once("://") {
        None => ("http", text),
        Some((scheme, rest)) if ["http", "https"].contains(&&*scheme.to_ascii_lowercase()) => {
            (scheme, rest)
        }
        Some(_) => return Err(malformed("its scheme is not http or https")),
    };
    if rest.contains('*') {
        return pattern(rest).map(|text| (Meaning::Pattern, text)).map_err(malformed);
    }
    let is_host = !rest.contains(['/', '?', '#']);
    if authority_of(rest).contains('@') {
        return Err(malformed("it has a user name in it"));
    }
    let address = normal::parse(&format!("{scheme}://{rest}"));
    let address = address.map_err(|error| malformed(&error.to_string()))?;
    match is_host {
        true => Ok((Meaning::Host, address.site.authority().to_owned())),
        false => {
            let normal = address.normal();
            let place = normal.split_once("://").map_or(normal, |(_, rest)| rest);
            Ok((Meaning::Prefix, place.to_owned()))
        }
    }
}

/// A pattern in the spelling that addresses have in their normal form.
fn pattern(text: &str) -> Result<String, &'static str> {
    if text.matches('*').count() > MAX_STARS {
        return Err("it has too many stars");
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err("it would leave everything alone");
    }
    let (host, path) = text.split_at(authority_of(text).len());
    if !host.is_ascii() {
        return Err("write the host as addresses have it (xn--…)");
    }
    let mut written = host.to_ascii_lowercase();
    // Two stars mean no more than one.
    for letter in path.chars().filter(|letter| !letter.is_control()) {
        let mut bytes = [0; 4];
        match letter.is_ascii() {
            true => written.push(letter),
            false => letter
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| written.push_str(&format!("%{byte:02X}"))),
        }
    }
    while written.contains("**") {
        written = written.replace("**", "*");
    }
    Ok(written)
}
