//! How is a WordNet put together? Words and links between sets of synonyms are collected in the order of
//! the file, then sorted once.

use super::{WordNet, WordNetError};
use crate::fold;
use hashbrown::HashMap;

/// Bytes of a file that is read; the XML of Open English WordNet has about 100 MB.
pub const MAX_WORDNET: usize = 256 << 20;
/// Sets of synonyms that are read.
pub const MAX_SYNSETS: usize = 1_000_000;
/// Words of sets, and links between sets, that are read.
pub const MAX_SENSES: usize = 8_000_000;

/// Base forms by irregular plural.
pub(super) type Irregular = HashMap<Box<str>, Box<[Box<str>]>>;

/// Links of one kind that we keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The other is more general.
    Kind,
    /// One is a part of the other.
    Part,
}

/// What was read so far. Sets of synonyms are named by the file.
#[derive(Debug, Default)]
pub(super) struct Builder {
    names: HashMap<Box<str>, u32>,
    /// Which of the named sets are there and not only pointed to.
    there: Vec<bool>,
    senses: Vec<(Box<str>, u32)>,
    kinds: Vec<(u32, u32)>,
    parts: Vec<(u32, u32)>,
}

impl Builder {
    fn number(&mut self, name: &str) -> Result<u32, WordNetError> {
        if let Some(&number) = self.names.get(name) {
            return Ok(number);
        }
        let number = self.there.len();
        within("sets of synonyms", number + 1, MAX_SYNSETS)?;
        let number = number as u32;
        self.names.insert(name.into(), number);
        self.there.push(false);
        Ok(number)
    }

    /// A set of synonyms is there.
    pub(super) fn synset(&mut self, name: &str) -> Result<u32, WordNetError> {
        let number = self.number(name)?;
        self.there[number as usize] = true;
        Ok(number)
    }

    /// A set that is pointed to.
    pub(super) fn pointed(&mut self, name: &str) -> Result<u32, WordNetError> {
        self.number(name)
    }

    /// A word of a set, as it is written there.
    pub(super) fn word(&mut self, written: &str, synset: u32) -> Result<(), WordNetError> {
        within("words", self.senses.len() + 1, MAX_SENSES)?;
        let word = fold(&written.replace('_', " "));
        if !word.is_empty() {
            self.senses.push((word.into(), synset));
        }
        Ok(())
    }

    /// A link between sets.
    pub(super) fn link(&mut self, from: u32, link: Link, to: &str) -> Result<(), WordNetError> {
        within("links", self.kinds.len() + self.parts.len() + 1, MAX_SENSES)?;
        let to = self.pointed(to)?;
        match link {
            Link::Kind => self.kinds.push((from, to)),
            Link::Part => self.parts.extend([(from, to), (to, from)]),
        }
        Ok(())
    }

    /// Sorts everything.
    pub(super) fn finish(mut self, irregular: Irregular) -> Result<WordNet, WordNetError> {
        if self.senses.is_empty() {
            return Err(WordNetError::Empty);
        }
        let missing = self.names.iter().filter(|(_, number)| !self.there[**number as usize]);
        if let Some((name, _)) = missing.min() {
            return Err(WordNetError::Missing(name.to_string()));
        }
        self.senses.sort_unstable();
        self.senses.dedup();
        let (mut text, mut ends, mut pairs) = (String::new(), Vec::new(), Vec::new());
        let mut last: Option<&str> = None;
        for (word, synset) in &self.senses {
            if last != Some(word) {
                text.push_str(word);
                ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
                last = Some(word);
            }
            pairs.push((ends.len() as u32 - 1, *synset));
        }
        let synsets = self.there.len();
        text.shrink_to_fit();
        ends.shrink_to_fit();
        Ok(WordNet {
            senses: Lists::new(ends.len(), pairs),
            kinds: Lists::new(synsets, self.kinds),
            parts: Lists::new(synsets, self.parts),
            text,
            ends,
            irregular,
        })
    }
}

/// An error when there is too much of something.
pub(super) fn within(what: &'static str, found: usize, limit: usize) -> Result<(), WordNetError> {
    match found > limit {
        true => Err(WordNetError::TooLarge { what, found: found as u64, limit: limit as u64 }),
        false => Ok(()),
    }
}

/// A list of numbers for each of many things, all in one.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// Where the list of each thing begins, and where the last ends.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    fn new(things: usize, mut pairs: Vec<(u32, u32)>) -> Lists {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = Vec::with_capacity(things + 1);
        let mut numbers = Vec::with_capacity(pairs.len());
        let mut rest = pairs.into_iter().peekable();
        for thing in 0..things as u32 {
            starts.push(numbers.len() as u32);
            while let Some((_, number)) = rest.next_if(|(of, _)| *of == thing) {
                numbers.push(number);
            }
        }
        starts.push(numbers.len() as u32);
        Lists { starts, numbers }
    }

    /// The list of a thing, sorted.
    pub(super) fn of(&self, thing: u32) -> &[u32] {
        let at = thing as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.numbers[start as usize..end as usize],
            _ => &[],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.numbers.capacity())
    }
}
