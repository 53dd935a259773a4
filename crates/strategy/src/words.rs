//! Which words does a link have? Those of its anchor, of what stands around it, and of its address.

use lycosa_knowledge::analysis::{is_stop_word_anywhere, words};
use lycosa_knowledge::{Bag, Word, fold};

/// Letters of the shortest word that counts, and digits of the longest number: longer ones are keys.
const SHORTEST: usize = 2;
const LONGEST_NUMBER: usize = 4;

/// The words of a text in folded form, as numbers, without stop words.
pub(crate) fn of_text(text: &str) -> Vec<Word> {
    let folded = fold(text);
    let counts = |word: &&str| word.len() >= SHORTEST && !is_stop_word_anywhere(word);
    words(&folded).filter(counts).map(Word::of).collect()
}

/// The words in the path and query of an address.
pub(crate) fn of_address(address: &str) -> Vec<Word> {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split_once('/').map_or("", |(_, path)| path);
    let path = fold(&decoded(path));
    path.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= SHORTEST && !is_stop_word_anywhere(word))
        .filter(|word| word.len() <= LONGEST_NUMBER || !word.bytes().all(|b| b.is_ascii_digit()))
        .map(Word::of)
        .collect()
}

/// A bag in which each word weighs the same.
pub(crate) fn bag(words: &[Word]) -> Bag {
    Bag::of(words.iter().map(|word| (*word, 1.0)))
}

/// Undoes percent signs; what is no text afterwards is left as it is.
fn decoded(path: &str) -> String {
    if !path.contains('%') {
        return path.to_owned();
    }
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%'
            && let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2)))
        {
            out.push((high * 16 + low) as u8);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}
