//! How does a text become terms of the index?
//!
//! One field holds the forms of many languages, each page analysed by its own. tantivy chooses a
//! tokenizer per field, not per document, so the text brings its language along as a short mark in front
//! (see [`marked`]). The analysis then runs on tantivy's threads without an allocation per token.

use crate::schema::UNKNOWN_LANGUAGE;
use lycosa_knowledge::analysis::{Analyser, Words, word_indices};
use lycosa_model::Lang;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

/// Name of the tokenizer that yields forms: folded, without stop words, stemmed.
pub(crate) const FORMS: &str = "lycosa_forms";
/// Name of the tokenizer that yields folded words.
pub(crate) const WORDS: &str = "lycosa_words";

/// Length of the mark: the language and a line feed.
const MARK: usize = 3;

/// A text with its language in front, as the [`FORMS`] tokenizer reads it.
pub(crate) fn marked(lang: Option<Lang>, parts: &[&str]) -> String {
    let length = parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let mut out = String::with_capacity(MARK + length);
    out.push_str(lang.as_ref().map_or(UNKNOWN_LANGUAGE, Lang::as_str));
    for part in parts {
        out.push('\n');
        out.push_str(part);
    }
    out
}

pub(crate) fn register(tokenizers: &TokenizerManager) {
    tokenizers.register(FORMS, TextAnalyzer::builder(FormTokenizer).build());
    tokenizers.register(WORDS, TextAnalyzer::builder(WordTokenizer).build());
}

#[derive(Clone)]
struct FormTokenizer;

#[derive(Clone)]
struct WordTokenizer;

impl Tokenizer for FormTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let (lang, text) = text.split_at_checked(MARK).unwrap_or(("", text));
        Stream::new(Analyser::for_language(Lang::parse(lang.trim_end())), text)
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream::new(Analyser::for_language(None), text)
    }
}

struct Stream<'a> {
    analyser: Analyser,
    words: Words<'a>,
    position: usize,
    token: Token,
}

impl<'a> Stream<'a> {
    fn new(analyser: Analyser, text: &'a str) -> Stream<'a> {
        Stream { analyser, words: word_indices(text), position: 0, token: Token::default() }
    }
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        for (offset, word) in self.words.by_ref() {
            let position = self.position;
            self.position += 1;
            if self.analyser.form_into(word, &mut self.token.text) {
                self.token.position = position;
                self.token.offset_from = offset;
                self.token.offset_to = offset + word.len();
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
