//! Are these two the same page? What a page says in a few bytes.

use crate::digest::{short_hash, simhash_of_lines};
use lycosa_knowledge::fold;
use lycosa_model::{Document, Fingerprint, TextDigest};

#[cfg(test)]
mod tests;

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
    let title = fold(&document.title);
    Fingerprint {
        // The digest of a document is always 32 digits.
        text: TextDigest::parse(&document.digest).unwrap_or(TextDigest([0; 16])),
        simhash: document.simhash,
        shape: document.shape,
        title: short_hash(title.as_bytes()),
        lines: simhash_of_lines(&document.text),
        words: document.main_words,
        says_missing: MISSING.iter().any(|phrase| title.contains(phrase)),
    }
}
