//! Was this word worked out before? Texts say the same words again and again.

use super::Analyser;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use lycosa_model::Lang;
use std::hash::BuildHasher;
use std::ops::Range;

/// Words and forms that are remembered, at most, before all are forgotten.
const MAX_TEXTS: usize = 200_000;
/// Bytes of them.
const MAX_BYTES: usize = 4 << 20;

/// Stands for the form of a word that has none.
pub(super) const NO_FORM: u32 = u32::MAX;

/// Two forms of a word, by their numbers in the [`Vocabulary`] that they are in.
#[derive(Clone, Copy)]
pub(super) struct Forms {
    /// Its folded form.
    pub(super) folded: u32,
    /// What it is indexed as, or [`NO_FORM`].
    pub(super) form: u32,
}

/// The words of some languages and their forms. Every form has a number of its own, whatever words and
/// languages it stands for.
#[derive(Default)]
pub(super) struct Vocabulary {
    forms: Texts,
    /// Few: a crawl has the languages of its pages.
    languages: Vec<(Option<Lang>, Known)>,
    folded: String,
    form: String,
}

/// The words of one language with their forms.
#[derive(Default)]
struct Known {
    /// Words of up to eight bytes, which are most, by their letters.
    short: HashTable<(u64, Forms)>,
    /// The others, by where they stand.
    long: HashTable<Word>,
    bytes: String,
    /// With a seed of its own: no page can foresee which words fall together.
    hasher: DefaultHashBuilder,
}

impl Known {
    /// The hash of a word of more than eight bytes, and its forms if it is known.
    fn find_long(&self, word: &str) -> (u64, Option<Forms>) {
        let hash = self.hasher.hash_one(word);
        let found = self.long.find(hash, |other| other.text(&self.bytes) == word);
        (hash, found.map(|word| word.forms))
    }
}

/// The letters of a word of up to eight bytes, the first one lowest. Not of one with a zero at its end, which
/// would look like a shorter one.
fn letters(word: &[u8]) -> Option<u64> {
    if word.last() == Some(&0) {
        return None;
    }
    let length = word.len();
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        // They overlap in words of less than eight bytes, and say the same there.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return (length <= 8).then(|| u64::from(first) | u64::from(last) << (8 * (length - 4)));
    }
    Some(word.iter().rev().fold(0, |letters, byte| letters << 8 | u64::from(*byte)))
}

/// The same of the word at these places of a text. Words differ in length from one to the next, so as little
/// as can be depends on it.
#[inline]
fn letters_at(text: &[u8], places: Range<usize>) -> Option<u64> {
    let length = places.len();
    match text[places.start..].first_chunk() {
        Some(eight) if (1..=8).contains(&length) => {
            let letters = u64::from_le_bytes(*eight) & u64::MAX >> (64 - 8 * length);
            (letters >> (8 * (length - 1)) != 0).then_some(letters)
        }
        _ => letters(&text[places]),
    }
}

/// Where a word stands, and its forms.
#[derive(Clone, Copy)]
struct Word {
    from: u32,
    to: u32,
    forms: Forms,
}

impl Word {
    fn text<'t>(&self, bytes: &'t str) -> &'t str {
        &bytes[self.from as usize..self.to as usize]
    }
}

impl Vocabulary {
    /// The place of a language, for [`Vocabulary::look_up`]; true until the next [`Vocabulary::trim`].
    pub(super) fn language(&mut self, lang: Option<Lang>) -> usize {
        let known = self.languages.iter().position(|(other, _)| *other == lang);
        known.unwrap_or_else(|| {
            self.languages.push((lang, Known::default()));
            self.languages.len() - 1
        })
    }

    /// The forms of a word in the language of the analyser, whose place is given.
    pub(super) fn look_up(&mut self, analyser: &Analyser, language: usize, word: &str) -> Forms {
        self.look_up_at(analyser, language, word, 0..word.len())
    }

    /// The same for the word at these places of a text.
    #[inline]
    pub(super) fn look_up_at(
        &mut self,
        analyser: &Analyser,
        language: usize,
        text: &str,
        places: Range<usize>,
    ) -> Forms {
        let known = &self.languages[language].1;
        let letters = letters_at(text.as_bytes(), places.clone());
        let (hash, forms) = match letters {
            Some(letters) => {
                let hash = known.hasher.hash_one(letters);
                let found = known.short.find(hash, |(other, _)| *other == letters);
                (hash, found.map(|(_, forms)| *forms))
            }
            None => known.find_long(&text[places.clone()]),
        };
        forms.unwrap_or_else(|| self.learn(analyser, language, &text[places], letters, hash))
    }

    /// Works out the forms of a word that is new.
    #[cold]
    fn learn(
        &mut self,
        analyser: &Analyser,
        language: usize,
        word: &str,
        letters: Option<u64>,
        hash: u64,
    ) -> Forms {
        analyser.work_out(word, &mut self.folded, &mut self.form);
        let forms =
            Forms { folded: self.forms.number(&self.folded), form: self.forms.number(&self.form) };
        let Known { short, long, bytes, hasher } = &mut self.languages[language].1;
        if let Some(letters) = letters {
            short.insert_unique(hash, (letters, forms), |(letters, _)| hasher.hash_one(letters));
            return forms;
        }
        let from = bytes.len() as u32;
        bytes.push_str(word);
        let new = Word { from, to: bytes.len() as u32, forms };
        long.insert_unique(hash, new, |known| hasher.hash_one(known.text(bytes)));
        forms
    }

    /// The form of a number; empty for [`NO_FORM`].
    pub(super) fn form(&self, number: u32) -> &str {
        self.forms.text(number)
    }

    /// How many forms there are: their numbers lie below.
    pub(super) fn len(&self) -> usize {
        self.forms.ends.len()
    }

    /// Forgets everything when it has become too much. All numbers are void then.
    pub(super) fn trim(&mut self) {
        let known = || self.languages.iter().map(|(_, known)| known);
        let words: usize = known().map(|known| known.short.len() + known.long.len()).sum();
        let bytes: usize = known().map(|known| known.bytes.len()).sum();
        if words + self.len() > MAX_TEXTS || bytes + self.forms.bytes.len() > MAX_BYTES {
            *self = Vocabulary::default();
        }
    }
}

/// Texts, each with a number: the order in which they came.
#[derive(Default)]
struct Texts {
    bytes: String,
    /// Where each text ends and the next one begins.
    ends: Vec<u32>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Texts {
    fn text(&self, number: u32) -> &str {
        text(&self.bytes, &self.ends, number)
    }

    /// The number of a text, which is kept if it is new; [`NO_FORM`] for none.
    fn number(&mut self, new: &str) -> u32 {
        if new.is_empty() {
            return NO_FORM;
        }
        let Texts { bytes, ends, numbers, hasher } = self;
        let is_it = |number: &u32| text(bytes, ends, *number) == new;
        let again = |number: &u32| hasher.hash_one(text(bytes, ends, *number));
        match numbers.entry(hasher.hash_one(new), is_it, again) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = ends.len() as u32;
                entry.insert(number);
                bytes.push_str(new);
                ends.push(bytes.len() as u32);
                number
            }
        }
    }
}

/// The text of a number; empty for one that nothing has.
fn text<'t>(bytes: &'t str, ends: &[u32], number: u32) -> &'t str {
    let number = number as usize;
    let Some(end) = ends.get(number) else { return "" };
    let from = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[from as usize..*end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_word_keeps_its_own_forms_when_there_are_many() {
        let mut vocabulary = Vocabulary::default();
        let languages = [None, Some(Lang::EN), Some(Lang::ES)].map(Analyser::for_language);
        for round in 0..2 {
            for number in 0..5_000 {
                let word = format!("Wörds{number}");
                for analyser in &languages {
                    let language = vocabulary.language(analyser.lang());
                    let forms = vocabulary.look_up(analyser, language, &word);
                    assert_eq!(vocabulary.form(forms.folded), format!("words{number}"), "{round}");
                }
            }
        }
        vocabulary.trim();
        assert!(vocabulary.len() >= 5_000, "not too much yet");
    }

    #[test]
    fn short_words_differ_by_their_letters() {
        let number = |word: &str| letters(word.as_bytes());
        assert_eq!(number("a"), Some(0x61));
        assert_eq!(number("abc"), Some(0x0063_6261));
        assert_eq!(number("abcde"), Some(0x65_6463_6261));
        assert_eq!(number("abcdefgh"), Some(0x6867_6665_6463_6261));
        assert_eq!(number("abcdefghi"), None);
        assert_eq!(number("a\0"), None);
        let text = "abcdefghi\0klmnopqrst";
        for from in 0..text.len() {
            for to in from..text.len() {
                let word = &text.as_bytes()[from..to];
                assert_eq!(letters_at(text.as_bytes(), from..to), letters(word), "{from}..{to}");
            }
        }
    }

    #[test]
    fn what_is_too_much_is_forgotten() {
        let mut vocabulary = Vocabulary::default();
        let analyser = Analyser::for_language(None);
        let language = vocabulary.language(None);
        for number in 0..MAX_TEXTS {
            vocabulary.look_up(&analyser, language, &format!("word{number}"));
        }
        vocabulary.trim();
        assert_eq!(vocabulary.len(), 0);
    }

    proptest! {
        #[test]
        fn a_text_has_one_number(words in proptest::collection::vec("[ab]{0,10}|é{0,5}", 0..60)) {
            let mut texts = Texts::default();
            let numbers: Vec<u32> = words.iter().map(|word| texts.number(word)).collect();
            for (word, number) in words.iter().zip(&numbers) {
                prop_assert_eq!(*number == NO_FORM, word.is_empty());
                prop_assert_eq!(texts.text(*number), word);
                prop_assert_eq!(texts.number(word), *number);
            }
        }
    }
}
