//! In which languages is a question asked? A word has another form in each, and an index may have pages in dozens.

use crate::parse::Asked;
use lycosa_knowledge::analysis::Analyser;
use lycosa_model::{Lang, SearchRequest};
use std::collections::HashSet;

/// Languages whose forms a question is asked in, as far as they differ.
const MAX_LANGUAGES: usize = 8;
/// Languages that are looked at for those, the most frequent ones of the index.
const LOOKED_AT: usize = 24;
/// Words of a question up to which it is looked at whether languages differ.
const MAX_WORDS: usize = 32;

/// The languages of one question.
pub(crate) struct Tongues {
    pub(crate) analysers: Vec<Analyser>,
    /// Those languages, and those that make the same of the question.
    covered: HashSet<Lang>,
}

impl Tongues {
    /// Those to ask in, from the languages of the index, the most frequent first: those that are asked for, then
    /// the most frequent ones that make something else of the question. So few languages stand for a word that most
    /// leave as it is, as one in other letters than theirs.
    pub(crate) fn of(
        languages: &[Option<Lang>],
        request: &SearchRequest,
        asked: &Asked,
    ) -> Tongues {
        let wanted = |lang: &Option<Lang>| {
            lang.is_some_and(|lang| request.lang == Some(lang) || asked.names_language(lang))
        };
        let mut languages: Vec<Option<Lang>> = languages.to_vec();
        languages.sort_by_key(|lang| !wanted(lang));
        let words = asked.words();
        let mut tongues = Tongues { analysers: Vec::new(), covered: HashSet::new() };
        let mut known: HashSet<Vec<String>> = HashSet::new();
        for lang in languages.into_iter().take(LOOKED_AT) {
            let analyser = Analyser::for_language(lang);
            // One that drops a word says so of its own pages, so no other stands for it.
            let forms: Option<Vec<String>> = match words.len() <= MAX_WORDS {
                true => words.iter().map(|word| analyser.form(&word.text)).collect(),
                false => None,
            };
            if !forms.as_ref().is_some_and(|forms| known.contains(forms)) {
                if tongues.analysers.len() == MAX_LANGUAGES {
                    continue;
                }
                tongues.analysers.push(analyser);
                known.extend(forms);
            }
            tongues.covered.extend(lang);
        }
        tongues
    }

    /// Whether the question is asked in the forms of a language.
    pub(crate) fn cover(&self, lang: Lang) -> bool {
        self.covered.contains(&lang)
    }
}
