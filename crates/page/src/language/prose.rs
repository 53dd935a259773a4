//! Is this a sentence of that language, or names, numbers and labels that look like it?
//!
//! No prose goes far without articles, prepositions and pronouns. A classifier has to name some
//! language for a row of Latin plant names; the small words are not in it.

use lycosa_knowledge::Bits;
use lycosa_model::Lang;
use std::ops::Range;
use std::sync::LazyLock;

/// Words of a sentence.
const MIN_WORDS: usize = 5;
/// Small words of the language that have to be in it.
const MIN_SMALL: usize = 2;
/// One word in this many has to be a small one.
const ONE_IN: usize = 7;

/// The commonest small words, without those that are common in another language of the table in the
/// same spelling where that can be helped. `None` when we have no table.
fn small_words(lang: Lang) -> Option<&'static [&'static str]> {
    Some(match lang.as_str() {
        "en" => &[
            "the", "of", "and", "to", "in", "is", "that", "it", "was", "for", "on", "are", "with",
            "as", "his", "they", "be", "at", "this", "have", "from", "or", "had", "by", "but",
            "not", "what", "were", "we", "when", "your", "can", "there", "an", "which", "their",
            "has", "you", "our", "will", "who", "its", "been",
        ],
        "es" => &[
            "de", "la", "que", "el", "en", "y", "los", "se", "del", "las", "un", "por", "con",
            "una", "su", "para", "es", "al", "lo", "como", "más", "pero", "sus", "le", "ya", "o",
            "este", "sí", "porque", "esta", "entre", "cuando", "muy", "sin", "sobre", "también",
            "hasta", "hay", "donde", "quien", "desde", "todo", "nos", "todos", "ha", "son", "fue",
            "está",
        ],
        "pt" => &[
            "de", "a", "o", "que", "e", "do", "da", "em", "um", "para", "com", "não", "uma", "os",
            "no", "se", "na", "por", "mais", "as", "dos", "como", "mas", "ao", "das", "à", "seu",
            "sua", "ou", "quando", "muito", "nos", "já", "eu", "também", "só", "pelo", "pela",
            "até", "isso", "ela", "entre", "depois", "sem", "foi", "são", "está",
        ],
        "fr" => &[
            "de", "la", "le", "et", "les", "des", "en", "un", "du", "une", "que", "est", "pour",
            "qui", "dans", "a", "par", "plus", "pas", "au", "sur", "ne", "se", "ce", "il", "sont",
            "avec", "son", "aux", "d", "l", "cette", "ses", "ou", "mais", "comme", "elle", "nous",
            "vous", "été", "leur", "ont", "fait",
        ],
        "it" => &[
            "di", "e", "il", "la", "che", "in", "a", "per", "un", "del", "è", "una", "i", "con",
            "non", "della", "da", "le", "si", "al", "nel", "dei", "alla", "come", "più", "gli",
            "delle", "sono", "ma", "lo", "ha", "dal", "anche", "nella", "o", "su", "questo",
            "degli", "l", "dell", "all", "loro",
        ],
        "de" => &[
            "der", "die", "und", "in", "den", "von", "zu", "das", "mit", "sich", "des", "auf",
            "für", "ist", "im", "dem", "nicht", "ein", "eine", "als", "auch", "es", "an", "werden",
            "aus", "er", "hat", "dass", "sie", "nach", "wird", "bei", "einer", "um", "am", "sind",
            "noch", "wie", "einem", "über", "einen", "so", "zum", "war", "haben", "nur", "oder",
            "wir",
        ],
        "nl" => &[
            "de", "van", "het", "een", "en", "in", "is", "dat", "op", "te", "zijn", "met", "voor",
            "niet", "aan", "er", "om", "ook", "als", "dan", "maar", "bij", "of", "uit", "nog",
            "naar", "door", "over", "ze", "worden", "wordt", "deze", "hij", "heeft", "die", "je",
            "werd",
        ],
        "sv" => &[
            "och", "i", "att", "det", "som", "en", "på", "är", "av", "för", "med", "till", "den",
            "har", "de", "inte", "om", "ett", "han", "men", "var", "jag", "sig", "från", "vi",
            "så", "kan", "när", "eller", "ut", "under", "också", "efter", "vid",
        ],
        "tr" => &[
            "ve", "bir", "bu", "da", "de", "için", "ile", "çok", "olarak", "daha", "olan", "gibi",
            "en", "ne", "her", "ama", "kadar", "sonra", "o", "ki", "var", "ya", "değil", "onun",
        ],
        "vi" => &[
            "và", "của", "là", "có", "được", "trong", "cho", "các", "một", "với", "không", "những",
            "đã", "này", "người", "để", "từ", "về", "khi", "đến", "ra", "như", "tại", "vào",
        ],
        _ => return None,
    })
}

/// Whether this reads as a sentence of the language: enough words, not most of them with a capital,
/// and as many small words as its prose has, more than it has of English ones.
pub(super) fn is_prose(sentence: &str, lang: Lang) -> bool {
    let table = small_words(lang);
    let english = small_words(Lang::EN).filter(|_| lang != Lang::EN).unwrap_or(&[]);
    let (mut words, mut capitals, mut small, mut foreign) = (0, 0, 0, 0);
    let mut lower = String::new();
    let pieces = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in pieces {
        words += 1;
        capitals += usize::from(word.chars().next().is_some_and(char::is_uppercase));
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        let ours = table.is_some_and(|table| table.contains(&lower.as_str()));
        let theirs = english.contains(&lower.as_str());
        small += usize::from(ours);
        foreign += usize::from(theirs && !ours);
    }
    let has_small =
        table.is_none() || (small >= MIN_SMALL && small * ONE_IN >= words && small > foreign);
    words >= MIN_WORDS && capitals * 2 <= words && has_small
}

/// The languages with a table.
const TABLES: [&str; 10] = ["en", "es", "pt", "fr", "it", "de", "nl", "sv", "tr", "vi"];

/// The place of English in [`TABLES`].
const ENGLISH: usize = 0;

/// Small words of other languages that are English words as well, and so no word of one language alone.
const ENGLISH_TOO: [&str; 22] = [
    "a", "all", "am", "com", "come", "die", "do", "door", "her", "i", "me", "men", "no", "os",
    "over", "per", "plus", "so", "son", "under", "us", "war",
];

/// Slots of [`SMALL`]; a few times the number of words, so that looking for one is one look.
const SLOTS: usize = 2_048;

/// A small word of ASCII, in its slot or behind it.
#[derive(Clone, Copy)]
struct Small {
    /// The word (see [`number`]); 0 in an empty slot.
    number: u64,
    /// The languages that lack it: a bit for each place in [`TABLES`]. None for a word of one letter, which
    /// is a name, or stands for a word.
    foreign: u16,
    /// The place of the language that has it alone, or [`SHARED`].
    place: u8,
    /// Whether a word that belongs here stands behind it.
    is_shared: bool,
}

/// Stands for the place of a language where several have a word, or none.
const SHARED: u8 = TABLES.len() as u8;

/// What is found for a word that is not small.
const NOT_SMALL: Small = Small { number: 0, foreign: 0, place: SHARED, is_shared: false };

/// The small words; open addressing.
static SMALL: LazyLock<Vec<Small>> = LazyLock::new(|| {
    let tables = TABLES.map(|code| Lang::parse(code).and_then(small_words).unwrap_or(&[]));
    let mut slots = vec![NOT_SMALL; SLOTS];
    let mut languages = vec![0_u16; SLOTS];
    for (place, table) in tables.iter().enumerate() {
        for word in table.iter().filter(|word| word.is_ascii()) {
            let Some(number) = number(word.as_bytes()) else { continue };
            let mut slot = slot(number);
            while ![0, number].contains(&slots[slot].number) {
                slots[slot].is_shared = true;
                slot = (slot + 1) % SLOTS;
            }
            slots[slot].number = number;
            languages[slot] |= 1 << place;
            if ENGLISH_TOO.contains(word) {
                languages[slot] |= 1 << ENGLISH;
            }
        }
    }
    for (small, languages) in slots.iter_mut().zip(languages).filter(|(_, has)| *has != 0) {
        small.foreign = if small.number > 0xff { !languages } else { 0 };
        if languages.is_power_of_two() {
            small.place = languages.trailing_zeros() as u8;
        }
    }
    slots
});

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

/// A word as a number, letters of ASCII in lower case; longer ones are not small.
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
    /// By language: the small words that it has alone.
    own: [u32; TABLES.len()],
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
        // The last one is for words that no language has alone.
        let mut own = [0; TABLES.len() + 1];
        let (mut words, mut small, mut foreign) = (0, 0, 0);
        for word in letters.runs(part) {
            words += 1;
            if word.len() > LONGEST {
                continue;
            }
            let found = look_up(slots, number_at(bytes, word));
            small += u32::from(found.number != 0);
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
        let (place, own) = self.own.iter().copied().enumerate().max_by_key(|(_, own)| *own)?;
        let other: u32 = self.own.iter().sum::<u32>() - own;
        let is_plain = own >= least && own * one_in >= self.words && other * PLAIN_AGAINST <= own;
        is_plain.then(|| Lang::parse(TABLES[place])).flatten()
    }

    /// Whether there are as many small words of ASCII as [`is_prose`] asks for, or a letter beyond it may
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
    let table = small_words(lang)?;
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    Some(words.filter(|word| table.contains(&word.as_str())).count())
}

/// Whether [`is_prose`] can tell this language from others.
pub(super) fn has_table(lang: Lang) -> bool {
    small_words(lang).is_some()
}
