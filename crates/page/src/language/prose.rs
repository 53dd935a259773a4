//! Is this a sentence of that language, or names, numbers and labels that look like it?
//!
//! No prose goes far without articles, prepositions and pronouns. A classifier has to name some
//! language for a row of Latin plant names; the small words are not in it.

use super::tables::{KIN, TABLES, further_words, has_kin, small_words};
use lycosa_knowledge::Bits;
use lycosa_model::Lang;
use std::ops::Range;
use std::sync::LazyLock;

/// Words of a sentence.
const MIN_WORDS: usize = 5;
/// Small words of one language that may be prose.
const MIN_SMALL: usize = 2;
/// One word in this many has to be a small one.
const ONE_IN: usize = 5;
/// The same in Turkish, which puts endings where others put small words.
const ONE_IN_TURKISH: usize = 7;
/// No more than one word in this many begins with a capital; others are rows of names.
const CAPITALS: usize = 3;
/// The same in German, whose nouns do.
const CAPITALS_GERMAN: usize = 2;

/// How many words a sentence of the language has, on a page that is mainly in `main`; 0 where it does not read
/// as one: enough words, not too many of them with a capital, as many small words as its prose has, and of
/// those that `main` lacks several, and more than of foreign ones. Addresses and programs are no prose: a word of
/// one letter may be a variable, and names may be joined by `_`.
pub(super) fn words(sentence: &str, lang: Lang, main: Lang) -> usize {
    let table = |lang: Lang| small_words(lang.as_str());
    let ours = table(lang);
    let of = |other: Lang| table(other).filter(|_| other != lang).unwrap_or(&[]);
    let (english, of_main) = (of(Lang::EN), of(main));
    let (mut words, mut capitals, mut small, mut own, mut foreign) = (0, 0, 0, 0, 0);
    let mut first = None;
    let mut has_several = false;
    let mut lower = String::new();
    let is_text = |piece: &&str| !piece.contains(['=', '<', '>', '{', '}', '\\', '/']);
    let pieces = sentence.split_whitespace().filter(is_text);
    let pieces = pieces.flat_map(|piece| piece.split(|c: char| !c.is_alphanumeric() && c != '_'));
    for word in pieces.filter(|word| !word.is_empty()) {
        words += 1;
        capitals += usize::from(word.chars().next().is_some_and(char::is_uppercase));
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        let place = |table: &[&str]| table.iter().position(|small| *small == lower);
        let has = |table: &[&str]| place(table).is_some();
        if let Some(found) = ours.and_then(place) {
            small += 1;
            if word.len() > 1 && !has(of_main) {
                own += 1;
                has_several |= *first.get_or_insert(found) != found;
            }
        } else {
            foreign += usize::from(has(english) || has(of_main));
        }
    }
    let (one_in, capital_in) = match lang.as_str() {
        "tr" => (ONE_IN_TURKISH, CAPITALS),
        "de" => (ONE_IN, CAPITALS_GERMAN),
        _ => (ONE_IN, CAPITALS),
    };
    let has_small = ours.is_none() || (has_several && small * one_in >= words && own > foreign);
    if words >= MIN_WORDS && capitals * capital_in <= words && has_small { words } else { 0 }
}

/// The place of English in [`TABLES`].
const ENGLISH: usize = 0;

/// Small words of other languages that are English words as well, and so no word of one language alone.
const ENGLISH_TOO: [&str; 22] = [
    "a", "all", "am", "com", "come", "die", "do", "door", "her", "i", "me", "men", "no", "os",
    "over", "per", "plus", "so", "son", "under", "us", "war",
];

/// The place of small words that one of [`KIN`] has, and none of [`TABLES`].
const OF_KIN: usize = TABLES.len();

/// Slots of [`SMALL`]; a few times the number of words, so that looking for one is one look.
const SLOTS: usize = 2_048;

/// A small word of eight bytes at most, in its slot or behind it.
#[derive(Clone, Copy)]
struct Small {
    /// The word (see [`number`]); 0 in an empty slot.
    number: u64,
    /// The languages that lack it: a bit for each place in [`TABLES`]. None for a word of one letter, which
    /// is a name, or stands for a word.
    foreign: u16,
    /// The languages that have it: a bit for each place in [`TABLES`], then in [`KIN`].
    languages: u16,
    /// The place of the language that has it alone, [`SHARED`] or [`NOBODY`].
    place: u8,
    /// Whether a word that belongs here stands behind it.
    is_shared: bool,
}

/// Stands for the place of a language where several have a word.
const SHARED: u8 = OF_KIN as u8 + 1;

/// The same where none has it.
const NOBODY: u8 = SHARED + 1;

/// What is found for a word that is not small.
const NOT_SMALL: Small =
    Small { number: 0, foreign: 0, languages: 0, place: NOBODY, is_shared: false };

/// The small words; open addressing.
static SMALL: LazyLock<Vec<Small>> = LazyLock::new(|| {
    let mut slots = vec![NOT_SMALL; SLOTS];
    let languages = || TABLES.iter().chain(&KIN).enumerate();
    let small = languages().map(|(place, code)| (place, small_words(code).unwrap_or(&[]), true));
    let further = languages().map(|(place, code)| (place, further_words(code), false));
    for (place, words, is_small) in small.chain(further) {
        for word in words {
            let Some(number) = number(word.as_bytes()) else { continue };
            let mut slot = slot(number);
            while ![0, number].contains(&slots[slot].number) {
                slots[slot].is_shared = true;
                slot = (slot + 1) % SLOTS;
            }
            slots[slot].number = number;
            slots[slot].languages |= 1 << place;
            if is_small && place < OF_KIN {
                // For now the languages that have it.
                slots[slot].foreign |= 1 << place;
                let is_english = ENGLISH_TOO.contains(word);
                slots[slot].foreign |= u16::from(is_english) << ENGLISH;
            }
        }
    }
    slots.iter_mut().filter(|small| small.number != 0).for_each(Small::settle);
    slots
});

impl Small {
    /// Works out whose word it is, when all languages that have it are known; those whose table has it are in
    /// `foreign`.
    fn settle(&mut self) {
        let tables = std::mem::take(&mut self.foreign);
        let has_one_letter = self.number <= 0xff;
        let larger = (0..OF_KIN).filter(|place| has_kin(TABLES[*place]));
        let larger = larger.fold(0, |larger, place| larger | 1 << place);
        let is_of_kin = self.languages & ((1 << OF_KIN) - 1) == 0 && !has_one_letter;
        (self.place, self.foreign) = match tables {
            0 if is_of_kin => (OF_KIN as u8, larger),
            0 => (NOBODY, 0),
            one if one.is_power_of_two() => (one.trailing_zeros() as u8, !one),
            several => (SHARED, !several),
        };
        if has_one_letter {
            self.foreign = 0;
        }
    }
}

/// The languages that have a word among their small ones: a bit for each place in [`TABLES`], then in [`KIN`].
pub(super) fn languages_of(word: &str) -> u16 {
    number(word.as_bytes()).map_or(0, |number| look_up(&SMALL, number).languages)
}

/// What is known of a word.
fn look_up(slots: &[Small], number: u64) -> Small {
    let mut at = slot(number);
    loop {
        let small = slots[at];
        if small.number == number {
            return small;
        }
        if !small.is_shared {
            return NOT_SMALL;
        }
        at = (at + 1) % SLOTS;
    }
}

/// Bytes of the longest small word.
const LONGEST: usize = 8;

/// A word as a number, letters of ASCII and Latin-1 in lower case, whose bytes differ from those of capitals
/// in the same bit; longer ones are not small.
fn number(word: &[u8]) -> Option<u64> {
    (word.len() <= LONGEST)
        .then(|| word.iter().fold(0, |number, byte| number << 8 | u64::from(byte | 0x20)))
}

/// The number of the word at these places, of which there are 1 to 8.
fn number_at(bytes: &[u8], places: Range<usize>) -> u64 {
    match bytes[places.start..].first_chunk() {
        Some(eight) => {
            (u64::from_be_bytes(*eight) | 0x2020_2020_2020_2020) >> (8 * (LONGEST - places.len()))
        }
        None => number(&bytes[places]).unwrap_or_default(),
    }
}

fn slot(number: u64) -> usize {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize % SLOTS
}

/// Small words that no other language has, in a text that is plain.
const PLAIN_SMALL: u32 = 3;
/// One word in this many is a small one of its own, in a text that is plain.
const PLAIN_ONE_IN: u32 = 8;
/// The same for a whole page.
const PAGE_SMALL: u32 = 12;
const PAGE_ONE_IN: u32 = 16;
/// The same for a language that is more than a guess.
const GUESS_ONE_IN: u32 = 25;
/// For one small word of another language there are this many of its own.
const PLAIN_AGAINST: u32 = 20;
/// Words in a row of which none need be a small one.
const WITHOUT_SMALL: u32 = 8;

/// The small words of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SmallWords {
    /// All words.
    words: u32,
    /// The small words.
    small: u32,
    /// By language: the small words that it has alone; then those of [`KIN`].
    own: [u32; OF_KIN + 1],
    /// The languages that lack one of the small words.
    foreign: u16,
    /// Whether anything stands there beyond ASCII.
    is_beyond: bool,
}

impl SmallWords {
    /// Those of a part of a text. `letters` are where letters of ASCII are, and whatever is beyond it: a letter
    /// beyond ASCII would part a word in two, so its bytes count. `is_beyond` says whether there are any.
    pub(super) fn of(
        text: &str,
        part: Range<usize>,
        letters: &Bits,
        is_beyond: bool,
    ) -> SmallWords {
        let slots: &[Small] = &SMALL;
        let bytes = text.as_bytes();
        // The last two are for words that no language has alone.
        let mut own = [0; NOBODY as usize + 1];
        let (mut words, mut small, mut foreign) = (0, 0, 0);
        for word in letters.runs(part) {
            words += 1;
            if word.len() > LONGEST {
                continue;
            }
            let found = look_up(slots, number_at(bytes, word));
            small += u32::from(found.place != NOBODY);
            foreign |= found.foreign;
            own[usize::from(found.place)] += 1;
        }
        let own = std::array::from_fn(|place| own[place]);
        SmallWords { words, small, own, foreign, is_beyond }
    }

    /// With those of another text.
    pub(super) fn join(&mut self, other: &SmallWords) {
        self.words += other.words;
        self.small += other.small;
        self.foreign |= other.foreign;
        self.is_beyond |= other.is_beyond;
        for (own, other) in self.own.iter_mut().zip(other.own) {
            *own += other;
        }
    }

    /// The language of a sentence in which so many small words are of one language alone, and hardly any
    /// of another, that nobody needs to be asked.
    pub(super) fn plain(&self) -> Option<Lang> {
        self.most(PLAIN_SMALL, PLAIN_ONE_IN)
    }

    /// The same for a whole page, which has lists and tables.
    pub(super) fn plain_page(&self) -> Option<Lang> {
        self.most(PAGE_SMALL, PAGE_ONE_IN)
    }

    /// The language with at least so many small words of its own, one word in so many, and hardly any of
    /// another language.
    fn most(&self, least: u32, one_in: u32) -> Option<Lang> {
        let (kin, others) = self.own.split_last()?;
        let (place, own) = others.iter().copied().enumerate().max_by_key(|(_, own)| *own)?;
        let kin = if has_kin(TABLES[place]) { *kin } else { 0 };
        let other: u32 = others.iter().sum::<u32>() - own + kin;
        let is_plain = own >= least && own * one_in >= self.words && other * PLAIN_AGAINST <= own;
        is_plain.then(|| Lang::parse(TABLES[place])).flatten()
    }

    /// Whether enough words are small ones that the language has alone, and more than any other has, for it to be
    /// more than a guess. True of languages that are not in [`TABLES`].
    pub(super) fn speak_for(&self, lang: Lang) -> bool {
        let place = TABLES.iter().position(|code| *code == lang.as_str());
        place.is_none_or(|place| {
            let own = self.own[place];
            let mut others = self.own[..OF_KIN].iter().enumerate().filter(|(at, _)| *at != place);
            own * GUESS_ONE_IN >= self.words && others.all(|(_, other)| *other < own)
        })
    }

    /// How many small words only a language of [`KIN`] has.
    pub(super) fn of_kin(&self) -> u32 {
        self.own[OF_KIN]
    }

    /// Whether there are as many small words as [`words`] asks for, or a letter beyond ASCII may
    /// hide one.
    pub(super) fn may_be_prose(&self) -> bool {
        self.small as usize >= MIN_SMALL || self.is_beyond
    }

    /// Whether nothing speaks against this language, which is that of the page: no small word that it
    /// lacks and, in a sentence of some length, one that it has.
    pub(super) fn may_be(&self, lang: Lang) -> bool {
        let place = TABLES.iter().position(|code| *code == lang.as_str());
        place.is_some_and(|place| {
            self.foreign >> place & 1 == 0 && (self.small > 0 || self.words < WITHOUT_SMALL)
        })
    }
}

/// How many words of a text are small words of this language; `None` when we have no table.
pub(super) fn count_small(text: &str, lang: Lang) -> Option<usize> {
    let table = small_words(lang.as_str())?;
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    Some(words.filter(|word| table.contains(&word.as_str())).count())
}

/// Whether [`words`] can tell this language from others.
pub(super) fn has_table(lang: Lang) -> bool {
    small_words(lang.as_str()).is_some()
}
