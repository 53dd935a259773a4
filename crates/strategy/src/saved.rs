//! How does what a strategy has learned get over a restart? As bytes that say in which form they are and whose.

use lycosa_model::UrlId;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The form of what is written here. Another one is not read.
const VERSION: u8 = 1;

/// Letters of a foreign name that are shown.
const SHOWN: usize = 40;

/// A count beyond this is no count.
const MOST: u64 = 1 << 48;

/// The state of the strategy of this name.
pub(crate) fn write(name: &str, state: &impl Serialize) -> Option<Vec<u8>> {
    // Only what has no length, or no fixed shape, cannot be written; no state is like that.
    postcard::to_allocvec(&(VERSION, name, state)).ok()
}

/// The state that the strategy of this name has written.
pub(crate) fn read<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, String> {
    let wrong = |what: &dyn std::fmt::Display| format!("what {name} has saved is damaged: {what}");
    let (version, rest) = bytes.split_first().ok_or_else(|| wrong(&"there is nothing"))?;
    if *version != VERSION {
        return Err(format!("saved in form {version}, and this program reads form {VERSION}"));
    }
    let (of, rest): (&str, &[u8]) =
        postcard::take_from_bytes(rest).map_err(|error| wrong(&error))?;
    if of != name {
        let of: String = of.chars().take(SHOWN).filter(|c| !c.is_control()).collect();
        return Err(format!("saved by {of}, not by {name}"));
    }
    let (state, rest) = postcard::take_from_bytes(rest).map_err(|error| wrong(&error))?;
    if !rest.is_empty() {
        return Err(wrong(&"there is more than there should be"));
    }
    Ok(state)
}

/// Whether numbers that only grow are small enough to grow on.
pub(crate) fn check_counts(counts: impl IntoIterator<Item = u64>) -> Result<(), String> {
    match counts.into_iter().find(|count| *count > MOST) {
        Some(count) => Err(format!("what was saved is damaged: nothing happened {count} times")),
        None => Ok(()),
    }
}

/// The best links, at most so many, each with what is to be saved of it.
pub(crate) fn best<T>(mut links: Vec<(f32, UrlId, T)>, most: usize) -> Vec<(UrlId, T)> {
    if links.len() > most {
        links.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        links.truncate(most);
    }
    links.into_iter().map(|(_, url, state)| (url, state)).collect()
}

/// Links whose state is saved, of strategies that keep little of each.
pub(crate) const MOST_LINKS: usize = 50_000;
