//! How is a question put to the index?
//!
//! A page was analysed in its own language, and nobody knows the language of a question, so each word is
//! asked for under every form that the languages of the index give it; together they are one word.
//!
//! A word can be a stop word in one language and not in another (*war*, *die*). Pages of the first kind do
//! not have it in their index, so they are not required to; and its weight comes from how many pages really
//! say it, not from how few have it indexed.

use crate::bm25f::{Part, coverage, rarity};
use crate::complete::beginnings;
use crate::parse::{self, Asked, Filter, Node};
use crate::preferred::Preferred;
use crate::sight::{Anchored, Known, Sight};
use lycosa_knowledge::analysis::Analyser;
use lycosa_knowledge::fold;
use lycosa_model::{Lang, SearchRequest};
use lycosa_segments::{Fields, UNKNOWN_LANGUAGE, site_filter, title_key};
use std::ops::Range;
use std::sync::Arc;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

/// Words of a question that are scored and looked for, the rarest ones.
const MAX_SCORED: usize = 64;
/// What it counts that the question is the whole title of a page, beside the rarity of its words, which
/// counts as this much at least: titles of nothing but frequent words are looked for, too.
const WHOLE_TITLE: f32 = 0.5;
const MIN_RARITY: f32 = 4.0;
/// How soon repetition in the question stops to count.
const K3: f32 = 8.0;
/// Words that the beginning of a word stands for, the most frequent ones.
const MAX_BEGINNINGS: usize = 32;

/// One word of the question, as it is scored.
pub(crate) struct Word {
    /// What it is, for a person.
    pub(crate) label: String,
    /// The forms it has in the languages of the index.
    pub(crate) forms: Vec<String>,
    /// Where it is looked for.
    pub(crate) parts: &'static [Part],
    /// How rare it is.
    pub(crate) rarity: f32,
    /// What it counts that a page has it at all.
    pub(crate) presence: f32,
    /// Its place in the question, stop words counted.
    pub(crate) at: usize,
    /// How often the question has it.
    pub(crate) times: u32,
    /// The whole question as a title, where that is what is looked for.
    pub(crate) whole_title: Option<Term>,
    /// The pages that each of the forms stands in the anchors of, by segment.
    anchors: Vec<Vec<Arc<[Anchored]>>>,
}

impl Word {
    fn new(label: String, forms: Vec<String>, parts: &'static [Part], rarity: f32) -> Word {
        Word {
            label,
            forms,
            parts,
            rarity,
            presence: 0.0,
            at: 0,
            times: 1,
            whole_title: None,
            anchors: Vec::new(),
        }
    }

    /// The pages of a segment that it stands in the anchors of, a list for each form.
    pub(crate) fn anchors_in(&self, number: u32) -> impl Iterator<Item = &Arc<[Anchored]>> {
        self.anchors.iter().filter_map(move |segments| segments.get(number as usize))
    }

    /// Whether it is a usual word with these forms.
    fn is_usual(&self, forms: &[String]) -> bool {
        self.forms == forms && self.parts.len() == Part::USUAL.len()
    }
}

/// A condition that a page meets or not.
pub(crate) enum Want {
    /// It has a word of the plan.
    Word(usize),
    /// It has one of these sequences in one of these fields.
    Sequence(Vec<Field>, Vec<Vec<(usize, String)>>),
    /// It has one of these terms.
    Terms(Vec<Term>),
    /// Its date is within.
    Dates(Range<u64>),
    /// All of these hold.
    All(Vec<Want>),
    /// One of these holds.
    Any(Vec<Want>),
    /// This does not hold.
    Not(Box<Want>),
}

/// One part of the question that stands beside the others.
pub(crate) struct Clause {
    pub(crate) want: Want,
    /// Codes of the languages whose pages need not have it, because they drop it.
    pub(crate) excused: Vec<Term>,
    /// Whether a page without it is out, also when not all words are needed.
    pub(crate) required: bool,
}

/// A question, ready for the index.
pub(crate) struct Plan {
    /// What is scored, in the order of the question.
    pub(crate) words: Vec<Word>,
    /// What a page should have.
    pub(crate) clauses: Vec<Clause>,
    /// What a page must meet, whatever it says.
    pub(crate) filters: Vec<Want>,
    pub(crate) preferred: Preferred,
}

impl Plan {
    /// Makes the plan; `None` when nothing is asked for.
    pub(crate) fn new(
        asked: &Asked,
        request: &SearchRequest,
        analysers: &[Analyser],
        sight: Sight<'_>,
    ) -> tantivy::Result<Option<Plan>> {
        if asked.is_empty() {
            return Ok(None);
        }
        let Sight { searcher, fields, known, .. } = sight;
        let pages = searcher.segment_readers().iter();
        let pages = pages.map(|reader| u64::from(reader.max_doc())).sum();
        let mut planner =
            Planner { analysers, searcher, fields, known, pages, words: Vec::new(), at: 0 };
        let mut clauses = Vec::new();
        let mut filters = planner.filters(&asked.nodes, request);
        for node in &asked.nodes {
            match node {
                Node::Filter(Filter::Title(_)) => {
                    clauses.extend(planner.clause(node, true)?);
                }
                Node::Filter(_) => {}
                Node::Not(node) => {
                    let want = planner.excluded(node)?;
                    filters.push(Want::Not(Box::new(want)));
                }
                Node::Word(_) | Node::Prefix(_) => clauses.extend(planner.clause(node, false)?),
                node => clauses.extend(planner.clause(node, true)?),
            }
        }
        if clauses.is_empty() {
            // Nothing but stop words: the lexicon still knows who says them.
            for word in asked.wanted() {
                clauses.push(planner.plain(&word.text)?);
            }
        } else if clauses.iter().all(|clause| !clause.excused.is_empty()) {
            // Excuses without a word that ranks would let every page of a language in. Instead the word
            // as it is written counts too, where pages that drop it still have it.
            for clause in &mut clauses {
                clause.excused.clear();
                let Want::Word(word) = &clause.want else { continue };
                let label = planner.words[*word].label.clone();
                let plain = planner.plain(&label)?.want;
                clause.want = Want::Any(vec![Want::Word(*word), plain]);
            }
        }
        let coverage = coverage(planner.words.len());
        for word in &mut planner.words {
            word.presence = word.rarity * coverage;
            word.rarity *= emphasis(word.times);
        }
        let dropped = drop_common(&mut planner.words);
        clauses
            .retain(|clause| !matches!(&clause.want, Want::Word(word) if dropped.contains(word)));
        for word in &mut planner.words {
            if word.parts.contains(&Part::Anchors) {
                word.anchors = word.forms.iter().map(|form| known.anchors(form)).collect();
            }
        }
        planner.words.extend(whole_title(asked, &planner.words, fields));
        let preferred = Preferred::of(&request.preferences, sight)?;
        Ok(Some(Plan { words: planner.words, clauses, filters, preferred }))
    }

    /// Whether dropping a word could find more pages.
    pub(crate) fn can_relax(&self) -> bool {
        self.clauses.len() > 1 && self.clauses.iter().any(|clause| !clause.required)
    }
}

struct Planner<'a> {
    analysers: &'a [Analyser],
    searcher: &'a Searcher,
    fields: &'a Fields,
    known: &'a Known,
    pages: u64,
    words: Vec<Word>,
    /// Words of the question so far.
    at: usize,
}

impl Planner<'_> {
    /// The clause of a node; `None` when every language drops all of it.
    fn clause(&mut self, node: &Node, required: bool) -> tantivy::Result<Option<Clause>> {
        let mut excused = Vec::new();
        let want = self.want(node, &mut excused)?;
        Ok(want.map(|want| Clause { want, excused, required }))
    }

    /// What a node asks of a page, its words added to those that are scored; `None` when every language
    /// drops all of it. Languages that drop a word on its own are `excused`.
    fn want(&mut self, node: &Node, excused: &mut Vec<Term>) -> tantivy::Result<Option<Want>> {
        Ok(match node {
            Node::Word(word) => self.word(&word.text, excused)?.map(Want::Word),
            Node::Prefix(word) => Some(Want::Word(self.prefix(&word.text)?)),
            Node::Phrase(words) => {
                for word in words {
                    self.word(&word.text, &mut Vec::new())?;
                }
                Some(self.sequence(&[self.fields.title, self.fields.body], words))
            }
            Node::Filter(Filter::Title(words)) => {
                for word in words {
                    self.word(&word.text, &mut Vec::new())?;
                }
                Some(self.sequence(&[self.fields.title], words))
            }
            Node::Filter(filter) => Some(self.filter(filter)),
            Node::All(nodes) => self.several(nodes)?.map(Want::All),
            Node::Any(nodes) => self.several(nodes)?.map(Want::Any),
            Node::Not(node) => Some(Want::Not(Box::new(self.excluded(node)?))),
        })
    }

    fn several(&mut self, nodes: &[Node]) -> tantivy::Result<Option<Vec<Want>>> {
        let mut wants = Vec::new();
        for node in nodes {
            // Inside a group a word that a language drops is asked for as it is written.
            let mut excused = Vec::new();
            let want = self.want(node, &mut excused)?;
            let plain = match node {
                Node::Word(word) if want.is_none() || !excused.is_empty() => {
                    Some(self.said(&word.text))
                }
                _ => None,
            };
            wants.extend(match (want, plain) {
                (Some(want), Some(plain)) => Some(Want::Any(vec![want, plain])),
                (want, plain) => want.or(plain),
            });
        }
        Ok((!wants.is_empty()).then_some(wants))
    }

    /// What a page must not have. Its words are not scored.
    fn excluded(&mut self, node: &Node) -> tantivy::Result<Want> {
        let (scored, at) = (self.words.len(), self.at);
        let times: Vec<u32> = self.words.iter().map(|word| word.times).collect();
        let want = match node {
            Node::Word(word) => {
                let forms = self.analysers.iter().filter_map(|a| a.form(&word.text));
                let mut terms = vec![self.term_said(&word.text)];
                for form in forms {
                    let fields = Part::USUAL.iter().filter_map(|part| part.field(self.fields));
                    terms.extend(fields.map(|field| Term::from_field_text(field, &form)));
                }
                Want::Terms(terms)
            }
            node => self.want(node, &mut Vec::new())?.unwrap_or(Want::Any(Vec::new())),
        };
        // What is not wanted is no part of the question.
        self.at = at;
        self.words.iter_mut().zip(times).for_each(|(word, times)| word.times = times);
        if scored < self.words.len() {
            let parts = self.words.drain(scored..).map(|word| self_terms(&word, self.fields));
            return Ok(unscored(want, scored, &parts.collect::<Vec<_>>()));
        }
        Ok(want)
    }

    /// Adds a word to those that are scored and says its place; `None` when every language drops it.
    fn word(&mut self, word: &str, excused: &mut Vec<Term>) -> tantivy::Result<Option<usize>> {
        self.at += 1;
        let mut forms: Vec<String> = Vec::new();
        let mut half = false;
        for analyser in self.analysers {
            match analyser.form(word) {
                Some(form) if forms.contains(&form) => {}
                Some(form) => forms.push(form),
                None => {
                    half = true;
                    excused.push(self.language(analyser));
                }
            }
        }
        if forms.is_empty() {
            return Ok(None);
        }
        if let Some(place) = self.words.iter().position(|known| known.is_usual(&forms)) {
            self.words[place].times += 1;
            return Ok(Some(place));
        }
        let mut with = 0;
        for form in &forms {
            let mut most = self.known.anchored(form);
            for field in Part::USUAL.iter().filter_map(|part| part.field(self.fields)) {
                let term = Term::from_field_text(field, form);
                most = most.max(self.searcher.doc_freq(&term)?);
            }
            with += most;
        }
        if half {
            with = with.max(self.searcher.doc_freq(&self.term_said(word))?);
        }
        let word = Word::new(word.to_owned(), forms, &Part::USUAL, rarity(self.pages, with));
        self.words.push(Word { at: self.at, ..word });
        Ok(Some(self.words.len() - 1))
    }

    /// Adds the most frequent words that begin so, as one.
    fn prefix(&mut self, beginning: &str) -> tantivy::Result<usize> {
        let label = format!("{beginning}*");
        if let Some(place) = self.words.iter().position(|known| known.label == label) {
            return Ok(place);
        }
        let found = beginnings(self.searcher, self.fields.words, &fold(beginning), MAX_BEGINNINGS)?;
        let with = found.iter().map(|(_, pages)| pages).max().copied().unwrap_or_default();
        let forms = found.into_iter().map(|(word, _)| word).collect();
        let word = Word::new(label, forms, &[Part::Words], rarity(self.pages, with));
        self.words.push(Word { at: self.at, ..word });
        Ok(self.words.len() - 1)
    }

    /// A word of the lexicon, as it is written.
    fn plain(&mut self, word: &str) -> tantivy::Result<Clause> {
        let folded = fold(word);
        let with = self.searcher.doc_freq(&self.term_said(word))?;
        let rarity = rarity(self.pages, with);
        let word = Word::new(word.to_owned(), vec![folded], &[Part::Words], rarity);
        self.words.push(Word { at: self.at, ..word });
        let want = Want::Word(self.words.len() - 1);
        Ok(Clause { want, excused: Vec::new(), required: false })
    }

    fn term_said(&self, word: &str) -> Term {
        Term::from_field_text(self.fields.words, &fold(word))
    }

    /// That the page says a word as it is written.
    fn said(&self, word: &str) -> Want {
        Want::Terms(vec![self.term_said(word)])
    }

    /// Words in this order, with the gaps that stop words leave. Where a language drops some of them, only
    /// its own pages are asked for the rest; where it drops all, its pages must say each of them.
    fn sequence(&self, fields: &[Field], words: &[parse::Word]) -> Want {
        let mut whole: Vec<Vec<(usize, String)>> = Vec::new();
        let mut wants = Vec::new();
        for analyser in self.analysers {
            let forms: Vec<(usize, String)> = words
                .iter()
                .enumerate()
                .filter_map(|(at, word)| analyser.form(&word.text).map(|form| (at, form)))
                .collect();
            if forms.len() == words.len() {
                if !whole.contains(&forms) {
                    whole.push(forms);
                }
                continue;
            }
            let mut both = vec![Want::Terms(vec![self.language(analyser)])];
            if forms.is_empty() {
                both.extend(words.iter().map(|word| self.said(&word.text)));
            } else {
                both.push(Want::Sequence(fields.to_vec(), vec![forms]));
            }
            wants.push(Want::All(both));
        }
        wants.push(Want::Sequence(fields.to_vec(), whole));
        Want::Any(wants)
    }

    /// The pages that were analysed so.
    fn language(&self, analyser: &Analyser) -> Term {
        let lang = analyser.lang();
        let code = lang.as_ref().map_or(UNKNOWN_LANGUAGE, Lang::as_str);
        Term::from_field_text(self.fields.main_lang, code)
    }

    fn filter(&self, filter: &Filter) -> Want {
        let raw = |field: Field, text: &str| Want::Terms(vec![Term::from_field_text(field, text)]);
        match filter {
            Filter::Site(site) => raw(self.fields.site, site),
            Filter::Lang(lang) => raw(self.fields.lang, lang.as_str()),
            Filter::FileType(kind) => raw(self.fields.kind, kind),
            Filter::Agent(agent) => raw(self.fields.agent, agent),
            Filter::After(from) => Want::Dates(from.0..u64::MAX),
            Filter::Before(until) => Want::Dates(0..until.0),
            Filter::Title(words) => self.sequence(&[self.fields.title], words),
            Filter::Address(words) => Want::All(
                words
                    .iter()
                    .map(|word| {
                        let forms = self.analysers.iter().filter_map(|a| a.form(&word.text));
                        let forms = forms.chain([fold(&word.text)]);
                        let field = self.fields.address;
                        Want::Terms(forms.map(|form| Term::from_field_text(field, &form)).collect())
                    })
                    .collect(),
            ),
        }
    }

    /// The filters that stand beside the words. Of several sites, languages, kinds or agents one must match;
    /// other conditions all.
    fn filters(&self, nodes: &[Node], request: &SearchRequest) -> Vec<Want> {
        let mut alternatives: [Vec<Want>; 4] = Default::default();
        let mut wants = Vec::new();
        for node in nodes {
            let Node::Filter(filter) = node else { continue };
            let group = match filter {
                Filter::Site(_) => &mut alternatives[0],
                Filter::Lang(_) => &mut alternatives[1],
                Filter::FileType(_) => &mut alternatives[2],
                Filter::Agent(_) => &mut alternatives[3],
                // Words of the title are scored, so they are clauses.
                Filter::Title(_) => continue,
                Filter::Address(_) | Filter::After(_) | Filter::Before(_) => &mut wants,
            };
            group.push(self.filter(filter));
        }
        wants.extend(alternatives.into_iter().filter(|group| !group.is_empty()).map(Want::Any));
        wants.extend(request.lang.map(|lang| self.filter(&Filter::Lang(lang))));
        if let Some(written) = request.site.as_deref().filter(|site| !site.is_empty()) {
            // What cannot be a site matches no page, and says so by an empty answer.
            wants.push(self.filter(&Filter::Site(site_filter(written).unwrap_or_default())));
        }
        wants
    }
}

/// Takes the forms from the words beyond the most that are scored, the commonest ones, and says which they
/// are. They stay in their places, because conditions name words by them.
fn drop_common(words: &mut [Word]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|a, b| words[*b].rarity.total_cmp(&words[*a].rarity));
    let dropped = order.split_off(order.len().min(MAX_SCORED));
    for place in &dropped {
        words[*place].forms.clear();
    }
    dropped
}

/// The question as the title of a page, which counts as much as a part of its words. Nothing of it is
/// required: what the words find is only ordered by it.
fn whole_title(asked: &Asked, words: &[Word], fields: &Fields) -> Option<Word> {
    let title: Vec<&str> = asked.wanted().iter().map(|word| word.text.as_str()).collect();
    let key = title_key(&title.join(" ")).filter(|_| asked.is_plain())?;
    let rarity: f32 = words.iter().map(|word| word.rarity).sum();
    Some(Word {
        presence: WHOLE_TITLE * rarity.max(MIN_RARITY),
        whole_title: Some(Term::from_field_bytes(fields.whole_title, &key)),
        ..Word::new(title.join(" "), Vec::new(), &[], 0.0)
    })
}

/// What a word counts that the question has so often, beside one that it has once.
fn emphasis(times: u32) -> f32 {
    let times = times as f32;
    (K3 + 1.0) * times / (K3 + times)
}

/// The terms that a word is found by.
fn self_terms(word: &Word, fields: &Fields) -> Vec<Term> {
    let parts = word.parts.iter().filter_map(|part| part.field(fields));
    parts
        .flat_map(|field| word.forms.iter().map(move |form| Term::from_field_text(field, form)))
        .collect()
}

/// A condition whose words from `from` on are replaced by the terms they are found by.
fn unscored(want: Want, from: usize, terms: &[Vec<Term>]) -> Want {
    let several =
        |wants: Vec<Want>| wants.into_iter().map(|want| unscored(want, from, terms)).collect();
    match want {
        Want::Word(word) => match word.checked_sub(from).and_then(|word| terms.get(word)) {
            Some(terms) => Want::Terms(terms.clone()),
            None => Want::Word(word),
        },
        Want::All(wants) => Want::All(several(wants)),
        Want::Any(wants) => Want::Any(several(wants)),
        Want::Not(want) => Want::Not(Box::new(unscored(*want, from, terms))),
        want => want,
    }
}
