//! Are these two the same page? What a page says in a few bytes.

use crate::digest::{folded_words, simhash_of_lines};
use lycosa_knowledge::fold;
use lycosa_model::{Document, Fingerprint, TextDigest};

#[cfg(test)]
mod tests;

/// Words of the main text that are read.
const MAX_WORDS: usize = 20_000;

/// How titles say that there is no such page, folded.
const MISSING: [&str; 16] = [
    "404",
    "not found",
    "page missing",
    "does not exist",
    "doesn't exist",
    "no such page",
    "no encontrad",
    "no existe",
    "nao encontrad",
    "non trouve",
    "introuvable",
    "nicht gefunden",
    "non trovat",
    "niet gevonden",
    "nie znaleziono",
    "ikke fundet",
];

/// What a document says.
pub fn fingerprint(document: &Document) -> Fingerprint {
    let address = fold(&document.url);
    let mut own: Vec<&str> = folded_words(&address).collect();
    own.sort_unstable();
    let title = fold(&document.title);
    let main = if document.main.is_empty() { &document.text } else { &document.main };
    let main = fold(main);
    // Most words are as long as none of the address.
    let lengths = own.iter().fold(0_u64, |lengths, word| lengths | 1 << (word.len() % 64));
    // What the address says, and any number, may differ.
    let telling = |word: &str| {
        let in_address = lengths >> (word.len() % 64) & 1 == 1 && own.binary_search(&word).is_ok();
        !in_address && !word.bytes().any(|byte| byte.is_ascii_digit())
    };
    // In one piece: many small ones cost the hash more than the bytes do.
    let mut told = Vec::with_capacity(title.len() + main.len() + 2);
    for word in folded_words(&title).filter(|word| telling(word)) {
        told.extend_from_slice(word.as_bytes());
        told.push(b' ');
    }
    told.push(b'\n');
    let mut count: u32 = 0;
    for word in folded_words(&main).take(MAX_WORDS) {
        count += 1;
        if telling(word) {
            told.extend_from_slice(word.as_bytes());
            told.push(b' ');
        }
    }
    Fingerprint {
        // The digest of a document is always 32 digits.
        text: TextDigest::parse(&document.digest).unwrap_or(TextDigest([0; 16])),
        simhash: document.simhash,
        shape: hash(&told),
        title: hash(title.as_bytes()),
        lines: simhash_of_lines(&document.text),
        words: count,
        says_missing: MISSING.iter().any(|phrase| title.contains(phrase)),
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
