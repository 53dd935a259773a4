//! Which words does a text have most, and which texts are nearly the same?

use crawllet_sdk::table::{hash, Table};

/// Words of a text that are looked at.
const MAX_WORDS: usize = 50_000;
/// Different words that are counted.
const MAX_DIFFERENT: usize = 20_000;
/// Shorter words say nothing alone; ideographs do.
const MIN_LETTERS: usize = 3;

/// What the words of a page tell.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The most frequent words in lower case, most frequent first.
    pub(crate) terms: Vec<(String, u32)>,
    /// Charikar's simhash over words and three words in a row; 0 for no words. Only to be compared with
    /// others from here: the engine's own is made of other features.
    pub(crate) simhash: u64,
}

/// What title and text tell.
pub(crate) fn of(title: &str, text: &str, most: usize) -> Told {
    let mut places = Table::default();
    let mut terms: Vec<(String, u32)> = Vec::new();
    let mut votes = [0_i32; 64];
    let mut last = [0_u64; 2];
    let is_between = |c: char| !is_letter(c);
    let words = title.split(is_between).chain(text.split(is_between));
    let mut count = 0;
    for word in words.filter(|word| !word.is_empty()).take(MAX_WORDS) {
        let word: String = word.chars().map(lower).collect();
        let own = hash(&word);
        vote(&mut votes, own);
        if count >= 2 {
            vote(&mut votes, mix(mix(last[0]) ^ last[1]) ^ own.rotate_left(17));
        }
        last = [last[1], own];
        count += 1;
        if !says_something(&word) {
            continue;
        }
        if let Some(place) = places.get(own) {
            terms[place as usize].1 += 1;
        } else if terms.len() < MAX_DIFFERENT {
            places.insert(own, terms.len() as u32);
            terms.push((word, 1));
        }
    }
    terms.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    terms.truncate(most);
    let majority = |sum: u64, (bit, vote): (usize, &i32)| sum | u64::from(*vote > 0) << bit;
    Told { terms, simhash: votes.iter().enumerate().fold(0, majority) }
}

fn says_something(word: &str) -> bool {
    let letters = word.chars().count();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && (letters >= MIN_LETTERS || word.chars().any(|c| c >= '\u{2e80}'))
}

fn vote(votes: &mut [i32; 64], hash: u64) {
    let hash = mix(hash);
    for (bit, vote) in votes.iter_mut().enumerate() {
        *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
    }
}

fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 32
}

/// Letters and digits. By the blocks of Unicode: its tables would be larger than the guest.
fn is_letter(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        'ª' | 'µ' | 'º' => true,
        '\u{80}'..='\u{bf}' | '×' | '÷' => false,
        '\u{2000}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' => false,
        '\u{fe10}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{ffff}' | '\u{1f000}'..='\u{1faff}' => false,
        _ => true,
    }
}

/// Lower case of Latin, Greek and Cyrillic.
fn lower(c: char) -> char {
    let code = u32::from(c);
    let lower = match code {
        0x41..=0x5a | 0xc0..=0xd6 | 0xd8..=0xde | 0x391..=0x3a9 | 0x410..=0x42f => code + 32,
        0x400..=0x40f => code + 80,
        0x100..=0x137 | 0x14a..=0x177 | 0x460..=0x4bf | 0x1e00..=0x1eff => code | 1,
        0x139..=0x148 | 0x179..=0x17e => code + (code & 1),
        0x178 => 0xff,
        _ => code,
    };
    char::from_u32(lower).unwrap_or(c)
}
