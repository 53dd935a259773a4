//! How is a text cut into pieces? As `tokenizer.json` says: steps that make it plain, a rule that cuts words,
//! and pieces of words.
//!
//! Our own, because the models that we read need a small part of what tokenizers can do: see the decision
//! on hybrid ranking.

use super::EmbeddingError;
use super::normal::Normal;
use super::pieces::Pieces;
use serde_json::Value;

/// Largest `tokenizer.json` in bytes.
pub const MAX_TOKENIZER: usize = 64 << 20;
/// Most pieces of a tokenizer.
pub const MAX_PIECES: usize = 4_000_000;
/// What a word begins with in models that mark spaces.
const MARK: &str = "\u{2581}";

/// Where punctuation ends a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Punctuation {
    /// Nowhere.
    Inside,
    /// Each sign is a word of its own.
    Alone,
    /// Signs in a row are a word.
    Runs,
}

/// Cuts texts.
pub(super) struct Tokenizer {
    normal: Normal,
    punctuation: Punctuation,
    /// Whether every word begins with [`MARK`].
    is_marked: bool,
    pieces: Pieces,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    pub(super) fn read(bytes: &[u8]) -> Result<Tokenizer, EmbeddingError> {
        if bytes.len() > MAX_TOKENIZER {
            return Err(EmbeddingError::TooLarge {
                what: "bytes of the tokenizer",
                found: bytes.len() as u64,
                limit: MAX_TOKENIZER as u64,
            });
        }
        let json: Value = serde_json::from_slice(bytes)
            .map_err(|error| EmbeddingError::Tokenizer(error.to_string()))?;
        let mut tokenizer = Tokenizer {
            normal: Normal::read(&json["normalizer"])?,
            punctuation: Punctuation::Inside,
            is_marked: false,
            pieces: Pieces::read(&json["model"])?,
        };
        tokenizer.rule(&json["pre_tokenizer"])?;
        Ok(tokenizer)
    }

    /// Cuts words in lower case that are known whole.
    pub(super) fn of_words(pieces: Pieces) -> Tokenizer {
        let (normal, punctuation) = (Normal::lowercase(), Punctuation::Alone);
        Tokenizer { normal, punctuation, is_marked: false, pieces }
    }

    /// Takes over one rule for cutting words, or several.
    fn rule(&mut self, rule: &Value) -> Result<(), EmbeddingError> {
        if rule.is_null() {
            return Ok(());
        }
        match rule["type"].as_str().unwrap_or_default() {
            "Sequence" => {
                for rule in rule["pretokenizers"].as_array().into_iter().flatten() {
                    if rule["type"] == "Sequence" {
                        let nested = "a rule for words in a rule for words".to_owned();
                        return Err(EmbeddingError::Unsupported(nested));
                    }
                    self.rule(rule)?;
                }
            }
            "BertPreTokenizer" | "Punctuation" => self.punctuation = Punctuation::Alone,
            "Whitespace" => self.punctuation = Punctuation::Runs,
            "WhitespaceSplit" => {}
            "Metaspace" => match rule["replacement"].as_str() {
                None | Some(MARK) => self.is_marked = true,
                Some(other) => {
                    return Err(EmbeddingError::Unsupported(format!(
                        "the mark `{other}` for spaces"
                    )));
                }
            },
            other => {
                return Err(EmbeddingError::Unsupported(format!("the rule `{other}` for words")));
            }
        }
        Ok(())
    }

    /// One more than the largest id of a piece.
    pub(super) fn ids(&self) -> usize {
        self.pieces.ids()
    }

    /// Hands on the ids of the known pieces of a text, in their order.
    pub(super) fn cut(&self, text: &str, piece: &mut impl FnMut(u32)) {
        let text = self.normal.apply(text);
        let mut marked = String::new();
        let mut part = |word: &str| match self.is_marked {
            true => {
                marked.clear();
                marked.push_str(MARK);
                marked.push_str(word);
                self.pieces.cut(&marked, piece);
            }
            false => self.pieces.cut(word, piece),
        };
        for word in text.split_whitespace() {
            match self.punctuation {
                Punctuation::Inside => part(word),
                Punctuation::Alone => cut_at(word, &mut part, false),
                Punctuation::Runs => cut_at(word, &mut part, true),
            }
        }
    }
}

/// Cuts a word at punctuation; signs in a row stay together or not.
fn cut_at(word: &str, part: &mut impl FnMut(&str), has_runs: bool) {
    let mut begin = 0;
    let mut was_sign = None;
    for (place, letter) in word.char_indices() {
        let is_sign = is_punctuation(letter);
        let goes_on = was_sign == Some(is_sign) && (!is_sign || has_runs);
        if was_sign.is_some() && !goes_on {
            part(&word[begin..place]);
            begin = place;
        }
        was_sign = Some(is_sign);
    }
    if begin < word.len() {
        part(&word[begin..]);
    }
}

/// Signs of ASCII, and of the blocks of Unicode that hold punctuation of many scripts.
fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || matches!(letter,
            '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{37e}' | '\u{387}' | '،' | '؛' | '؟' | '।' | '॥'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '・' | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff3d}'
            | '\u{ff5b}'..='\u{ff65}')
}
