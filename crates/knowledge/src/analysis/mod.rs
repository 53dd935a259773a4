//! Which words does a text consist of, and under which form are they found?
//!
//! The order is fixed: words are cut, folded, checked against the stop words of the language and only
//! then stemmed. Folding first means that a query without accents loses nothing.

mod stop;
mod tally;
mod terms;
mod vocabulary;
mod words;

pub use stop::{StopWords, is_stop_word, is_stop_word_anywhere, stop_words};
pub use tally::{Counts, Tally};
pub use terms::{terms, terms_of_page};
pub use words::{MAX_WORD, Words, word_indices, words};

use crate::fold::fold_into;
use frostem::{Algorithm, Stemmer};
use lycosa_model::Lang;
use std::cell::RefCell;
use vocabulary::Vocabulary;

thread_local! {
    /// What this thread has worked out.
    static VOCABULARY: RefCell<Vocabulary> = RefCell::default();
}

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
        out.clear();
        VOCABULARY.with_borrow_mut(|vocabulary| {
            vocabulary.trim();
            let language = vocabulary.language(self.lang);
            let forms = vocabulary.look_up(self, language, word);
            out.push_str(vocabulary.form(forms.form));
        });
        !out.is_empty()
    }

    /// Writes the folded form of a word and the one that is indexed, which may be none at all.
    fn work_out(&self, word: &str, folded: &mut String, form: &mut String) {
        folded.clear();
        form.clear();
        fold_into(word, folded);
        if is_stop_word(self.stop, folded) {
            return;
        }
        let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(folded));
        form.push_str(stem.as_deref().filter(|stem| !stem.is_empty()).unwrap_or(folded));
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
