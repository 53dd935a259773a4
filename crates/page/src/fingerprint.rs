//! Are these two the same page? What a page says in a few bytes.

use crate::digest::simhash_of_lines;
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
    let mut own: Vec<&str> = words(&address).collect();
    own.sort_unstable();
    let title = fold(&document.title);
    let main = if document.main.is_empty() { &document.text } else { &document.main };
    let main = fold(main);
    let mut hasher = blake3::Hasher::new();
    // What the address says, and any number, may differ.
    let telling = |word: &&str| {
        own.binary_search(word).is_err() && !word.bytes().any(|byte| byte.is_ascii_digit())
    };
    for word in words(&title).filter(telling) {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    hasher.update(b"\n");
    let mut count: u32 = 0;
    for word in words(&main).take(MAX_WORDS) {
        count += 1;
        if telling(&word) {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
    }
    let shape = first_bytes(&hasher.finalize());
    Fingerprint {
        // The digest of a document is always 32 digits.
        text: TextDigest::parse(&document.digest).unwrap_or(TextDigest([0; 16])),
        simhash: document.simhash,
        shape,
        title: first_bytes(&blake3::hash(title.as_bytes())),
        lines: simhash_of_lines(&document.text),
        words: count,
        says_missing: MISSING.iter().any(|phrase| title.contains(phrase)),
    }
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
