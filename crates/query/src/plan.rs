//! How is a question put to the index?
//!
//! A page was analysed in its own language, and nobody knows the language of a question, so each word is
//! asked for under every form that the languages of the index give it. Of two forms in one field the
//! better one counts; title and body are added.
//!
//! A word can be a stop word in one language and not in another (*war*, *die*). Pages of the first kind do
//! not have it in their index, so they are not required to; and its weight comes from how many pages really
//! say it, not from how few have it indexed.

use crate::parse::Asked;
use lycosa_knowledge::analysis::Analyser;
use lycosa_knowledge::fold;
use lycosa_model::{Lang, SearchRequest};
use lycosa_segments::{Fields, UNKNOWN_LANGUAGE, site_filter};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, Occur, PhraseQuery,
    Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

/// What a match in the title counts, beside one in the body. Titles are short, so BM25 already gives them
/// more; measured on four collections, 1.0 beats 2.5 on three (mean nDCG@10 0.547 against 0.522).
const TITLE_BOOST: f32 = 1.0;

/// One word or phrase of the question.
pub(crate) struct Clause {
    /// What it is, for a person.
    pub(crate) label: String,
    /// What it asks of each field.
    pub(crate) parts: Vec<Part>,
    /// Pages that need not have it, because their language drops it.
    excused: Vec<Box<dyn Query>>,
    /// Whether a page without it is out, also when not all words are needed.
    required: bool,
}

impl Clause {
    /// Whether some language drops the word.
    fn is_half(&self) -> bool {
        !self.excused.is_empty()
    }
}

/// What a clause asks of one field.
pub(crate) struct Part {
    pub(crate) field: &'static str,
    pub(crate) query: Box<dyn Query>,
}

/// A question, ready for the index.
pub(crate) struct Plan {
    pub(crate) clauses: Vec<Clause>,
    filters: Vec<(Occur, Box<dyn Query>)>,
}

impl Plan {
    /// Makes the plan; `None` when nothing is asked for.
    pub(crate) fn new(
        asked: &Asked,
        request: &SearchRequest,
        analysers: &[Analyser],
        searcher: &Searcher,
        fields: &Fields,
    ) -> tantivy::Result<Option<Plan>> {
        if asked.is_empty() {
            return Ok(None);
        }
        let planner = Planner { analysers, searcher, fields };
        let mut clauses = Vec::new();
        for word in &asked.words {
            clauses.extend(planner.word(&word.text)?);
        }
        for phrase in &asked.phrases {
            clauses.push(planner.phrase(phrase));
        }
        if clauses.is_empty() {
            // Nothing but stop words: the lexicon still knows who says them.
            let words = asked.words.iter();
            clauses.extend(words.map(|word| planner.plain(&word.text)));
        }
        if clauses.iter().all(Clause::is_half) {
            // Excuses without a word that ranks would let every page of a language in. Instead the word
            // as it is written counts too, where pages that drop it still have it.
            for clause in &mut clauses {
                clause.excused.clear();
                clause.parts.extend(planner.plain(&clause.label).parts);
            }
        }
        Ok(Some(Plan { clauses, filters: planner.filters(asked, request) }))
    }

    /// Whether dropping a word could find more pages.
    pub(crate) fn can_relax(&self) -> bool {
        self.clauses.len() > 1 && self.clauses.iter().any(|clause| !clause.required)
    }

    /// The query: every word needed, or (`any`) phrases and else at least one word that no language
    /// drops; the others only add to the score.
    pub(crate) fn query(&self, any: bool) -> Box<dyn Query> {
        let mut all: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for (occur, query) in &self.filters {
            all.push((*occur, query.box_clone()));
        }
        let mut some: Vec<Box<dyn Query>> = Vec::new();
        for clause in &self.clauses {
            let parts = clause.parts.iter().map(|part| part.query.box_clone());
            if !any || clause.required {
                let excused = clause.excused.iter().map(|query| query.box_clone());
                all.push((Occur::Must, union(parts.chain(excused).collect())));
            } else if clause.is_half() {
                all.push((Occur::Should, union(parts.collect())));
            } else {
                some.extend(parts);
            }
        }
        if !some.is_empty() {
            let phrases = self.clauses.iter().any(|clause| clause.required);
            let occur = if phrases { Occur::Should } else { Occur::Must };
            all.push((occur, union(some)));
        }
        if !all.iter().any(|(occur, _)| *occur == Occur::Must) {
            all.push((Occur::Must, free(Box::new(AllQuery))));
        }
        Box::new(BooleanQuery::new(all))
    }
}

struct Planner<'a> {
    analysers: &'a [Analyser],
    searcher: &'a Searcher,
    fields: &'a Fields,
}

impl Planner<'_> {
    /// The clause of a word; `None` when every language drops it.
    fn word(&self, word: &str) -> tantivy::Result<Option<Clause>> {
        let mut forms: Vec<String> = Vec::new();
        let mut excused: Vec<Box<dyn Query>> = Vec::new();
        for analyser in self.analysers {
            match analyser.form(word) {
                Some(form) if forms.contains(&form) => {}
                Some(form) => forms.push(form),
                None => {
                    let lang = analyser.lang();
                    let code = lang.as_ref().map_or(UNKNOWN_LANGUAGE, Lang::as_str);
                    excused.push(free(term(self.fields.main_lang, code)));
                }
            }
        }
        if forms.is_empty() {
            return Ok(None);
        }
        let half = !excused.is_empty();
        let parts = self.parts(|field| {
            let mut queries = Vec::new();
            for form in &forms {
                let query = term(field, form);
                queries.push(if half {
                    let share = self.true_share(word, field, form)?;
                    Box::new(BoostQuery::new(query, share)) as Box<dyn Query>
                } else {
                    query
                });
            }
            Ok(best(queries))
        })?;
        Ok(Some(Clause { label: word.to_owned(), parts, excused, required: false }))
    }

    /// How much of its BM25 weight a word keeps when the number of pages that say it is counted in the
    /// lexicon, where stop words are counted too.
    fn true_share(&self, word: &str, field: Field, form: &str) -> tantivy::Result<f32> {
        let pages = self.searcher.segment_readers();
        let pages: u64 = pages.iter().map(|reader| u64::from(reader.max_doc())).sum();
        let idf = |count: u64| {
            let count = count.min(pages) as f32;
            (1.0 + (pages as f32 - count + 0.5) / (count + 0.5)).ln()
        };
        let said = Term::from_field_text(self.fields.words, &fold(word));
        let indexed = Term::from_field_text(field, form);
        let said = idf(self.searcher.doc_freq(&said)?);
        let indexed = idf(self.searcher.doc_freq(&indexed)?);
        Ok((said / indexed).min(1.0))
    }

    /// A word of the lexicon, as it is written.
    fn plain(&self, word: &str) -> Clause {
        Clause {
            label: word.to_owned(),
            parts: vec![Part { field: "words", query: term(self.fields.words, &fold(word)) }],
            excused: Vec::new(),
            required: false,
        }
    }

    /// Words in this order, with the gaps that stop words leave. When no language has a form for any of
    /// them, the page must say them all.
    fn phrase(&self, words: &[String]) -> Clause {
        let mut variants: Vec<Vec<(usize, String)>> = Vec::new();
        for analyser in self.analysers {
            let forms: Vec<(usize, String)> = words
                .iter()
                .enumerate()
                .filter_map(|(at, word)| analyser.form(word).map(|form| (at, form)))
                .collect();
            if !forms.is_empty() && !variants.contains(&forms) {
                variants.push(forms);
            }
        }
        let label = format!("\"{}\"", words.join(" "));
        let parts = if variants.is_empty() {
            let plain = words.iter().map(|word| {
                let query = term(self.fields.words, &fold(word));
                (Occur::Must, query)
            });
            vec![Part { field: "words", query: Box::new(BooleanQuery::new(plain.collect())) }]
        } else {
            self.title_and_body(|field| {
                best(variants.iter().map(|forms| sequence(field, forms)).collect())
            })
        };
        Clause { label, parts, excused: Vec::new(), required: true }
    }

    fn title_and_body(&self, query: impl Fn(Field) -> Box<dyn Query>) -> Vec<Part> {
        let title = BoostQuery::new(query(self.fields.title), TITLE_BOOST);
        vec![
            Part { field: "title", query: Box::new(title) },
            Part { field: "body", query: query(self.fields.body) },
        ]
    }

    fn parts(
        &self,
        query: impl Fn(Field) -> tantivy::Result<Box<dyn Query>>,
    ) -> tantivy::Result<Vec<Part>> {
        let title = query(self.fields.title)?;
        let body = query(self.fields.body)?;
        Ok(self.title_and_body(|field| {
            let chosen = if field == self.fields.title { &title } else { &body };
            chosen.box_clone()
        }))
    }

    fn filters(&self, asked: &Asked, request: &SearchRequest) -> Vec<(Occur, Box<dyn Query>)> {
        let site = |site: &String| term(self.fields.site, site);
        let lang = |lang: &Lang| term(self.fields.lang, lang.as_str());
        let mut filters = Vec::new();
        let mut must = |queries: Vec<Box<dyn Query>>| {
            if !queries.is_empty() {
                filters.push((Occur::Must, free(union(queries))));
            }
        };
        must(asked.sites.iter().map(site).collect());
        must(asked.langs.iter().map(lang).collect());
        must(request.lang.iter().map(lang).collect());
        if let Some(written) = request.site.as_deref().filter(|site| !site.is_empty()) {
            // What cannot be a site matches no page, and says so by an empty answer.
            must(vec![site(&site_filter(written).unwrap_or_default())]);
        }
        let not_words = asked.not.iter().map(|words| self.excluded(words));
        let not_sites = asked.not_sites.iter().map(site);
        let not = not_words.chain(not_sites).chain(asked.not_langs.iter().map(lang));
        filters.extend(not.map(|query| (Occur::MustNot, query)));
        filters
    }

    fn excluded(&self, words: &[String]) -> Box<dyn Query> {
        let parts = match words {
            [word] => {
                let forms = self.analysers.iter().filter_map(|a| a.form(word));
                let mut queries: Vec<Box<dyn Query>> = vec![term(self.fields.words, &fold(word))];
                for form in forms {
                    queries.push(term(self.fields.title, &form));
                    queries.push(term(self.fields.body, &form));
                }
                queries
            }
            words => {
                let parts = self.phrase(words).parts.into_iter();
                parts.map(|part| part.query).collect()
            }
        };
        union(parts)
    }
}

fn term(field: Field, text: &str) -> Box<dyn Query> {
    let term = Term::from_field_text(field, text);
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

fn sequence(field: Field, forms: &[(usize, String)]) -> Box<dyn Query> {
    if let [(_, form)] = forms {
        return term(field, form);
    }
    let terms = forms.iter().map(|(at, form)| (*at, Term::from_field_text(field, form)));
    Box::new(PhraseQuery::new_with_offset(terms.collect()))
}

/// The better one of several counts.
fn best(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(DisjunctionMaxQuery::new(queries)),
    }
}

/// All of several are added.
fn union(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

/// A condition that adds nothing to the score.
fn free(query: Box<dyn Query>) -> Box<dyn Query> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}
