//! How does a text become terms of the index?
//!
//! tantivy cuts the text of each field by a tokenizer of that field. Ours has been cut before that, once
//! for all fields and by the language of its page (see [`lycosa_knowledge::analysis::Tally`]): the text
//! that tantivy gets is a list of terms, each with its positions or its count, and the tokenizers only
//! read the list. Equal terms follow each other, so that all but the first find tantivy's tables warm.
//!
//! The list is text because tantivy takes nothing else without an allocation per token. A term is
//! written as its length in bytes, its letters, how often it comes and, where places matter, how far
//! each place lies behind the one before; a number is a character (see [`push_number`]).

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

/// Name of the tokenizer that reads forms with their positions.
pub(crate) const FORMS: &str = "lycosa_forms";
/// Name of the tokenizer that reads words with their counts.
pub(crate) const WORDS: &str = "lycosa_words";

/// The last character below those that are none: stands for itself and asks for another one to be added.
const MORE: u32 = 0xd7ff;

/// Writes a number as characters.
fn push_number(out: &mut String, mut number: u32) {
    // Every number up to there is a character.
    let character = |number| char::from_u32(number).unwrap_or_default();
    while number >= MORE {
        out.push(character(MORE));
        number -= MORE;
    }
    out.push(character(number));
}

/// Adds a form and its positions, which rise, to a list for [`FORMS`].
pub(crate) fn push_form(out: &mut String, form: &str, positions: &[u32]) {
    push_term(out, form, "", positions.len() as u32);
    let mut before = 0;
    for position in positions {
        push_number(out, position - before);
        before = *position;
    }
}

/// A word that a page has more often than this is not counted one by one.
const EACH: u32 = 8;

/// Adds a word and its count to a list for [`WORDS`]. tantivy counts by adding a term again and again; for
/// a word of hundreds it is cheaper to write down the digits of what is beyond [`EACH`], each as the count
/// of a term of its own (see [`counters`]).
pub(crate) fn push_word(out: &mut String, word: &str, count: u32) {
    push_term(out, word, "", count.min(EACH));
    let mut rest = count.saturating_sub(EACH);
    for place in PLACES {
        let digit = rest % EACH;
        if digit > 0 {
            push_term(out, word, place, digit);
        }
        rest /= EACH;
    }
}

/// What stands behind a word in the term that counts a digit, lowest first. No word has such characters.
const PLACES: [&str; 10] =
    ["\u{1}", "\u{2}", "\u{3}", "\u{4}", "\u{5}", "\u{6}", "\u{7}", "\u{8}", "\u{e}", "\u{f}"];

/// The terms of the field `words` by which a folded word is counted, and how much each of their
/// occurrences counts. The first is the word itself, which every page has that says it.
pub fn counters(word: &str) -> impl Iterator<Item = (String, u64)> {
    let digits = PLACES
        .iter()
        .zip(0..)
        .map(move |(place, power)| (format!("{word}{place}"), u64::from(EACH).pow(power)));
    std::iter::once((word.to_owned(), 1)).chain(digits)
}

fn push_term(out: &mut String, word: &str, place: &str, count: u32) {
    push_number(out, (word.len() + place.len()) as u32);
    out.push_str(word);
    out.push_str(place);
    push_number(out, count);
}

pub(crate) fn register(tokenizers: &TokenizerManager) {
    let reads = |has_positions| TextAnalyzer::builder(ListReader { has_positions }).build();
    tokenizers.register(FORMS, reads(true));
    tokenizers.register(WORDS, reads(false));
}

#[derive(Clone)]
struct ListReader {
    has_positions: bool,
}

impl Tokenizer for ListReader {
    type TokenStream<'a> = List<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> List<'a> {
        let has_positions = self.has_positions;
        List { rest: text, has_positions, left: 0, token: Token::default() }
    }
}

struct List<'a> {
    rest: &'a str,
    has_positions: bool,
    /// How often the present term comes yet.
    left: u32,
    token: Token,
}

impl List<'_> {
    #[inline]
    fn number(&mut self) -> Option<u32> {
        let mut sum = 0_u32;
        loop {
            let mut characters = self.rest.chars();
            let c = characters.next()?;
            self.rest = characters.as_str();
            sum = sum.saturating_add(u32::from(c));
            if u32::from(c) != MORE {
                return Some(sum);
            }
        }
    }

    /// Goes to the next term; `None` at the end, and where something stands that is no list.
    fn next_term(&mut self) -> Option<()> {
        let length = self.number()? as usize;
        let (term, rest) = self.rest.split_at_checked(length)?;
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = 0;
        self.rest = rest;
        self.left = self.number()?;
        Some(())
    }

    /// Goes to the next place of the present term, of which there is one more.
    #[inline]
    fn next_place(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if self.has_positions {
            self.token.position += self.number()? as usize;
        }
        Some(())
    }

    fn step(&mut self) -> Option<()> {
        if self.left == 0 {
            self.next_term()?;
        }
        self.next_place()
    }
}

impl TokenStream for List<'_> {
    fn advance(&mut self) -> bool {
        self.step().is_some()
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }

    /// What tantivy calls; in one loop, because most tokens are a term once more.
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        while self.step().is_some() {
            sink(&self.token);
            while self.left > 0 && self.next_place().is_some() {
                sink(&self.token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(list: &str, has_positions: bool) -> Vec<(String, usize)> {
        let mut reader = ListReader { has_positions };
        let mut stream = reader.token_stream(list);
        let mut tokens = Vec::new();
        while stream.advance() {
            tokens.push((stream.token().text.clone(), stream.token().position));
        }
        let mut again = Vec::new();
        let mut take = |token: &Token| again.push((token.text.clone(), token.position));
        reader.token_stream(list).process(&mut take);
        assert_eq!(again, tokens, "as tantivy reads it");
        tokens
    }

    #[test]
    fn a_count_is_read_as_so_many_tokens() {
        let mut list = String::new();
        push_word(&mut list, "niño", 2);
        push_word(&mut list, "a", 1);
        let tokens = [("niño", 0), ("niño", 0), ("a", 0)];
        assert_eq!(read(&list, false), tokens.map(|(word, at)| (word.to_owned(), at)));
    }

    proptest! {
        #[test]
        fn counters_give_the_count(count in prop_oneof![1..100_u32, 1..100_000_u32]) {
            let mut list = String::new();
            push_word(&mut list, "el", count);
            let tokens = read(&list, false);
            let of = |term: &str| tokens.iter().filter(|(token, _)| token == term).count() as u64;
            let sum: u64 = counters("el").map(|(term, each)| of(&term) * each).sum();
            prop_assert_eq!(sum, u64::from(count));
            prop_assert!(tokens.len() <= 8 + 7 * 6, "{} tokens", tokens.len());
        }

        #[test]
        fn positions_come_back(
            terms in proptest::collection::vec(
                ("[a-z]{1,4}|ñ", proptest::collection::btree_set(0..4_000_000_u32, 1..4)),
                0..4,
            )
        ) {
            let (mut list, mut expected) = (String::new(), Vec::new());
            for (form, positions) in &terms {
                let positions: Vec<u32> = positions.iter().copied().collect();
                push_form(&mut list, form, &positions);
                expected.extend(positions.iter().map(|at| (form.clone(), *at as usize)));
            }
            prop_assert_eq!(read(&list, true), expected);
        }

        #[test]
        fn no_text_breaks_the_reader(text in "\\PC{0,40}") {
            read(&text, true);
            read(&text, false);
        }
    }
}
