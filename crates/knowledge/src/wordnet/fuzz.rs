//! Does any file break the readers of WordNet?

use super::tests::{DATA, EXCEPTIONS, LMF};
use super::*;
use lycosa_fuzz::Fuzz;

#[test]
fn wordnet_files() {
    let words: &[&[u8]] = &[b"n", b" | ", b"@", b"%p", b"#m", b"00000001", b"0000", b"fff", b"\n"];
    let seeds: &[&[u8]] = &[DATA.as_bytes(), EXCEPTIONS.as_bytes()];
    Fuzz { seeds, words }.run(|bytes| {
        if let Ok(wordnet) = WordNet::from_wndb(bytes, b"") {
            wordnet.relation("dogs", "animal");
        }
        drop(WordNet::from_wndb(DATA.as_bytes(), bytes));
    });
}

#[test]
fn wordnet_xml() {
    let words: &[&[u8]] = &[
        b"<",
        b">",
        b"\"",
        b"=",
        b"<Sense synset=\"d\"/>",
        b"<Lemma writtenForm=\"",
        b"<!--",
        b"-->",
        b"</LexicalResource>",
    ];
    Fuzz { seeds: &[LMF.as_bytes()], words }.run(|bytes| {
        if let Ok(wordnet) = WordNet::from_lmf(bytes) {
            wordnet.relation("dogs", "animal");
        }
    });
}
