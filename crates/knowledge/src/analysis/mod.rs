//! Which words does a text consist of, and under which form are they found?
//!
//! The order is fixed: words are cut, folded, checked against the stop words of the language and only
//! then stemmed. Folding first means that a query without accents loses nothing.

mod memo;
mod stop;
mod terms;
mod words;

pub use stop::{StopWords, is_stop_word, is_stop_word_anywhere, stop_words};
pub use terms::terms;
pub use words::{MAX_WORD, Words, word_indices, words};

use crate::fold::fold_into;
use frostem::{Algorithm, Stemmer};
use lycosa_model::Lang;

/// Turns the words of one language into the forms that are indexed and searched.
#[derive(Clone, Copy)]
pub struct Analyser {
    lang: Option<Lang>,
    stop: StopWords,
    stemmer: Option<Stemmer>,
}

impl Analyser {
    /// The analyser of a language. Words of an unknown language, or of one without a stemmer, are only
    /// folded.
    pub fn for_language(lang: Option<Lang>) -> Analyser {
        Analyser {
            lang,
            stop: lang.map_or(&[], stop_words),
            stemmer: lang.and_then(algorithm).map(Stemmer::new),
        }
    }

    /// The language it was made for.
    pub fn lang(&self) -> Option<Lang> {
        self.lang
    }

    /// Writes the form of one word (as [`words`] cuts it) into `out`, replacing what is there. False when
    /// the word has no form, because it is a stop word or nothing is left of it; `out` is then empty.
    pub fn form_into(&self, word: &str, out: &mut String) -> bool {
        memo::remember(self.lang, word, out, |out| self.work_out(word, out));
        !out.is_empty()
    }

    fn work_out(&self, word: &str, out: &mut String) {
        out.clear();
        fold_into(word, out);
        if is_stop_word(self.stop, out) {
            out.clear();
            return;
        }
        if let Some(stemmer) = &self.stemmer
            && let std::borrow::Cow::Owned(stem) = stemmer.stem(out)
            && !stem.is_empty()
        {
            out.clear();
            out.push_str(&stem);
        }
    }

    /// The form of one word; `None` for a stop word.
    pub fn form(&self, word: &str) -> Option<String> {
        let mut out = String::new();
        self.form_into(word, &mut out).then_some(out)
    }

    /// Hands every form to `token` with its position. Stop words have none, but their positions count,
    /// so that phrases keep their gaps.
    pub fn analyse(&self, text: &str, token: &mut impl FnMut(&str, usize)) {
        let mut form = String::new();
        for (position, word) in words(text).enumerate() {
            if self.form_into(word, &mut form) {
                token(&form, position);
            }
        }
    }
}

/// The stemmer of a language; its ISO code is one of the names that the Snowball project gives.
fn algorithm(lang: Lang) -> Option<Algorithm> {
    let name = match lang.as_str() {
        // Both written forms of Norwegian.
        "nb" | "nn" => "no",
        code => code,
    };
    Algorithm::from_name(name).ok()
}

#[cfg(test)]
mod tests;
