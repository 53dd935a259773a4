//! How is the index asked? One handle that follows the commits of whoever writes.

use crate::also_at::{also_at, known_copies};
use crate::answers::{Answers, Commit};
use crate::best::Scored;
use crate::bm25f::Average;
use crate::explain::explain;
use crate::facets::facets;
use crate::meaning::Meaning;
use crate::parse::{Asked, parse, readable};
use crate::plan::Plan;
use crate::rank::{self, Matched, Page, Ranker};
use crate::said::Said;
use crate::sight::{Known, Sight};
use crate::snippet::{beginning, snippet};
use crate::tongues::Tongues;
use crate::{complete, lexicon, suggest};
use lycosa_knowledge::analysis::Analyser;
use lycosa_knowledge::embedding::Embedding;
use lycosa_knowledge::fold;
use lycosa_model::message::LexiconRow;
use lycosa_model::{
    Facets, Hit, Lang, Preference, Preferences, QueryNote, SearchRequest, SearchResponse,
    StoredPage, UrlId,
};
use lycosa_segments::{
    Copies, Fields, Segments, SegmentsError, StoredDocument, site_filter, site_name,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};
use tantivy::{IndexReader, Term};

/// Most results of one answer.
pub const MAX_LIMIT: usize = 100;
/// Most results that can be skipped.
pub const MAX_OFFSET: usize = 1_000;
/// Most pages of a plain ranking ([`Searcher::rank`]).
pub const MAX_DEPTH: usize = 1_000;
/// Words of one look-up in the lexicon.
const MAX_LOOKUPS: usize = 1_000;
/// Queries that one may become.
const MAX_COMPLETIONS: usize = 8;
/// How often new commits are looked for.
const RELOAD: Duration = Duration::from_millis(500);

/// A handle to the index. Clones share it.
#[derive(Clone)]
pub struct Searcher {
    inner: Arc<Inner>,
    embedding: Option<Arc<Embedding>>,
    answers: Arc<Answers>,
}

struct Inner {
    segments: Segments,
    reader: IndexReader,
    view: Mutex<View>,
    /// Held by whoever looks for a new commit.
    looking: Mutex<()>,
}

/// One commit, as it is seen for a while.
#[derive(Clone)]
struct View {
    since: Instant,
    /// The same for as long as nothing has changed.
    commit: Commit,
    searcher: tantivy::Searcher,
    /// Languages of the index, the most frequent first; `None` stands for unknown.
    languages: Arc<[Option<Lang>]>,
    average: Average,
    known: Known,
    copies: Option<Copies>,
}

/// One page of a plain ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address.
    pub url: String,
    /// The name by which its source knows it, where it has one beside the address.
    pub id: Option<String>,
    /// The score.
    pub score: f32,
}

impl Searcher {
    /// Opens the index of a data directory, also while another process writes it.
    pub fn open(data: &Path) -> Result<Searcher, SegmentsError> {
        let segments = Segments::open(data)?;
        let reader = segments.reader()?;
        let view = view(&segments, &reader, None)?;
        let inner =
            Arc::new(Inner { segments, reader, view: Mutex::new(view), looking: Mutex::new(()) });
        Ok(Searcher { inner, embedding: None, answers: Arc::default() })
    }

    /// The same, with a model by whose meaning the best pages are ordered anew: seven tenths of a score are
    /// for words, three tenths for meaning.
    pub fn with_embedding(self, embedding: Option<Arc<Embedding>>) -> Searcher {
        // What was answered without it, or with another, is not said again.
        Searcher { embedding, answers: Arc::default(), ..self }
    }

    /// Documents in the index.
    pub fn documents(&self) -> Result<u64, SegmentsError> {
        Ok(self.view()?.searcher.num_docs())
    }

    /// A page as the index keeps it, to be read.
    pub fn page(&self, id: UrlId) -> Result<Option<StoredPage>, SegmentsError> {
        let view = self.view()?;
        let found = self.inner.segments.document_by_id(&view.searcher, id)?;
        Ok(found.map(|found| StoredPage {
            url_id: found.url_id,
            url: found.url,
            title: found.title,
            description: found.description,
            text: if found.main.is_empty() { found.text } else { found.main },
            lang: found.lang,
            fetched: found.fetched,
            agent: found.agent,
        }))
    }

    /// Searches. Every query has an answer; limit and offset are bounded by [`MAX_LIMIT`] and
    /// [`MAX_OFFSET`].
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, SegmentsError> {
        let start = Instant::now();
        let view = self.view()?;
        let mut response = match self.answers.get(request, &view.commit) {
            Some(known) => known,
            None => {
                let fresh = self.answer(request, &view)?;
                self.answers.keep(request, &view.commit, &fresh);
                fresh
            }
        };
        response.took_ms = start.elapsed().as_secs_f64() * 1_000.0;
        Ok(response)
    }

    /// Answers a search from one view of the index.
    fn answer(
        &self,
        request: &SearchRequest,
        view: &View,
    ) -> Result<SearchResponse, SegmentsError> {
        let asked = parse(&request.query);
        let tongues = Tongues::of(&view.languages, request, &asked);
        let mut response =
            SearchResponse { query: request.query.clone(), ..SearchResponse::default() };
        let limit = request.limit.min(MAX_LIMIT);
        let offset = request.offset.min(MAX_OFFSET);
        if let Some(plan) = self.plan(&asked, request, &tongues, view)? {
            let matched = self.matched(&plan, view)?;
            response.total = matched.total;
            response.complete = matched.complete;
            response.blocked = matched.blocked;
            let per_site = request.site.is_none() && !asked.names_sites();
            let groups =
                self.ranker(&plan, &asked, view).groups(&matched, offset + limit, per_site);
            let groups = groups.map_err(|error| self.broken(error))?;
            for (place, group) in groups.iter().enumerate().skip(offset).take(limit) {
                let Some(mut hit) = self.hit(place + 1, &group.page, &asked, view)? else {
                    continue;
                };
                let (segments, copies) = (&self.inner.segments, view.copies.as_ref());
                hit.also_at = also_at(hit.url_id, &group.others, segments, &view.searcher, copies)?;
                hit.also_at.retain(|url| !is_blocked(&request.preferences, url));
                hit.more_from_site = group.more;
                if request.explain {
                    let why = explain(&plan, self.sight(view), &group.page);
                    hit.explain = Some(why.map_err(|error| self.broken(error))?);
                }
                response.results.push(hit);
            }
            if request.facets {
                response.facets = Some(self.facets(&asked, request, &matched, view)?);
            }
        }
        response.notes = asked.notes.clone();
        if request.preferences.iter().any(|(site, _)| site_filter(site).is_none()) {
            response.notes.push(QueryNote::SitesLeftOut);
        }
        response.suggestion = self.suggestion(&request.query, &asked, view)?;
        Ok(response)
    }

    /// The first `depth` pages (at most [`MAX_DEPTH`]) without snippets and without folding of
    /// near-duplicates, for evaluation runs. Limit and offset of the request are not read.
    pub fn rank(
        &self,
        request: &SearchRequest,
        depth: usize,
    ) -> Result<Vec<Ranked>, SegmentsError> {
        let depth = depth.min(MAX_DEPTH);
        self.ranked(request, depth, |ranker, matched| {
            let pages = ranker.pages(matched, depth)?.into_iter();
            Ok(pages.map(|page| page.scored).collect())
        })
    }

    /// The same of the pages that have every word alone, however few they are.
    pub fn rank_complete(
        &self,
        request: &SearchRequest,
        depth: usize,
    ) -> Result<Vec<Ranked>, SegmentsError> {
        let depth = depth.min(MAX_DEPTH);
        self.ranked(request, depth, |ranker, _| {
            let matched = rank::complete(ranker.plan, ranker.sight)?;
            let pages = ranker.pages(&matched, depth)?.into_iter();
            Ok(pages.map(|page| page.scored).collect())
        })
    }

    /// The first `depth` pages of those that `rank` gives.
    pub(crate) fn ranked(
        &self,
        request: &SearchRequest,
        depth: usize,
        rank: impl FnOnce(&Ranker<'_>, &Matched) -> tantivy::Result<Vec<Scored>>,
    ) -> Result<Vec<Ranked>, SegmentsError> {
        let asked = parse(&request.query);
        let view = self.view()?;
        let tongues = Tongues::of(&view.languages, request, &asked);
        let Some(plan) = self.plan(&asked, request, &tongues, &view)? else {
            return Ok(Vec::new());
        };
        let matched = self.matched(&plan, &view)?;
        let pages = rank(&self.ranker(&plan, &asked, &view), &matched);
        let mut ranked = Vec::new();
        for Scored { page, score, .. } in
            pages.map_err(|error| self.broken(error))?.into_iter().take(depth)
        {
            if let Some(document) = self.inner.segments.document(&view.searcher, page)? {
                let StoredDocument { url_id, url, id, .. } = document;
                ranked.push(Ranked { url_id, url, id, score });
            }
        }
        Ok(ranked)
    }

    /// Counts the pages that match. A language that is chosen beside the query is put in the place of another,
    /// so languages are counted as if none was.
    fn facets(
        &self,
        asked: &Asked,
        request: &SearchRequest,
        matched: &Matched,
        view: &View,
    ) -> Result<Facets, SegmentsError> {
        let open = SearchRequest { lang: None, ..request.clone() };
        let tongues = Tongues::of(&view.languages, &open, asked);
        let in_any_language = match request.lang {
            Some(_) => match self.plan(asked, &open, &tongues, view)? {
                Some(plan) => Some(self.matched(&plan, view)?),
                None => None,
            },
            None => None,
        };
        // In a language that is not among those asked for now, a filter would ask for other forms.
        let is_asked = |lang: Lang| tongues.cover(lang) || !view.languages.contains(&Some(lang));
        let in_any_language = in_any_language.as_ref().unwrap_or(matched);
        facets(self.sight(view), &matched.bits, &in_any_language.bits, is_asked)
            .map_err(|error| self.broken(error))
    }

    /// Documents and occurrences of each word, in the order asked; at most 1,000 words.
    pub fn lexicon(&self, words: &[String]) -> Result<Vec<LexiconRow>, SegmentsError> {
        let view = self.view()?;
        words
            .iter()
            .take(MAX_LOOKUPS)
            .map(|word| lexicon::row(&view.searcher, self.fields().words, word))
            .collect::<tantivy::Result<_>>()
            .map_err(|error| self.broken(error))
    }

    /// The most frequent words of the index, each with the pages that have it and its occurrences; at most
    /// 1,000.
    pub fn lexicon_top(&self, count: usize) -> Result<Vec<LexiconRow>, SegmentsError> {
        let view = self.view()?;
        let words =
            complete::most_frequent(&view.searcher, self.fields().words, count.min(MAX_LOOKUPS));
        let words = words.map_err(|error| self.broken(error))?;
        self.lexicon(&words.into_iter().map(|(word, _)| word).collect::<Vec<_>>())
    }

    /// What a query may become: its last word, unless a space follows it, as the beginning of the most
    /// frequent words that begin so.
    pub fn complete(&self, query: &str) -> Result<Vec<String>, SegmentsError> {
        let query = readable(query);
        let Some((at, begun)) = complete::begun(query) else {
            return Ok(Vec::new());
        };
        let view = self.view()?;
        let words = self.fields().words;
        let found = complete::beginnings(&view.searcher, words, &fold(begun), MAX_COMPLETIONS);
        let found = found.map_err(|error| self.broken(error))?;
        Ok(found.into_iter().map(|(word, _)| format!("{}{word}", &query[..at])).collect())
    }

    /// The document of a URL.
    pub fn document_by_id(&self, id: UrlId) -> Result<Option<StoredDocument>, SegmentsError> {
        let view = self.view()?;
        self.inner.segments.document_by_id(&view.searcher, id)
    }

    /// Looks for a new commit now, not only when the last look is a while ago.
    pub fn reload(&self) -> Result<(), SegmentsError> {
        let inner = &self.inner;
        inner.reader.reload().map_err(|error| self.broken(error))?;
        let before = inner.view.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let fresh = view(&inner.segments, &inner.reader, Some(before))?;
        *inner.view.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// The present view; a newer one when the last look is a while ago.
    fn view(&self) -> Result<View, SegmentsError> {
        let seen = || {
            let view = self.inner.view.lock();
            view.unwrap_or_else(PoisonError::into_inner).clone()
        };
        let view = seen();
        if view.since.elapsed() < RELOAD {
            return Ok(view);
        }
        // One looks, the others go on with what they have.
        match self.inner.looking.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(view),
            _looking => self.reload()?,
        }
        Ok(seen())
    }

    fn plan(
        &self,
        asked: &Asked,
        request: &SearchRequest,
        tongues: &Tongues,
        view: &View,
    ) -> Result<Option<Plan>, SegmentsError> {
        Plan::new(asked, request, &tongues.analysers, self.sight(view))
            .map_err(|error| self.broken(error))
    }

    fn matched(&self, plan: &Plan, view: &View) -> Result<Matched, SegmentsError> {
        rank::matched(plan, self.sight(view)).map_err(|error| self.broken(error))
    }

    fn ranker<'a>(&'a self, plan: &'a Plan, asked: &Asked, view: &'a View) -> Ranker<'a> {
        let meaning = self.embedding.as_deref().and_then(|embedding| {
            let words: Vec<&str> = asked.wanted().iter().map(|word| word.text.as_str()).collect();
            Meaning::of(embedding, &self.inner.segments, &words.join(" "))
        });
        Ranker { plan, sight: self.sight(view), meaning }
    }

    fn sight<'a>(&'a self, view: &'a View) -> Sight<'a> {
        let View { searcher, average, known, .. } = view;
        Sight { searcher, fields: self.fields(), average: *average, known }
    }

    fn hit(
        &self,
        rank: usize,
        page: &Page,
        asked: &Asked,
        view: &View,
    ) -> Result<Option<Hit>, SegmentsError> {
        let Some(document) = self.inner.segments.document(&view.searcher, page.address())? else {
            return Ok(None);
        };
        let analyser = Analyser::for_language(document.lang);
        let mut forms: Vec<String> = Vec::new();
        for form in asked.wanted().into_iter().filter_map(|word| analyser.form(&word.text)) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let (main, text, description) = (&*document.main, &*document.text, &*document.description);
        let passage = snippet(&[main, text, description], &analyser, &forms);
        // A description says nothing of where in the page its words stand.
        let in_text = passage.as_ref().filter(|passage| passage.number < 2);
        let positions = in_text.map_or_else(Vec::new, |passage| passage.positions.counts());
        let snippet =
            passage.map_or_else(|| beginning(&[description, main, text]), |passage| passage.html);
        let date = document.date();
        let untitled = document.title.trim().is_empty();
        Ok(Some(Hit {
            rank,
            url_id: document.url_id,
            title: if untitled { document.url.clone() } else { document.title },
            snippet,
            score: page.scored.score,
            site: site_name(&document.url),
            url: document.url,
            lang: document.lang,
            agent: document.agent,
            fetched: document.fetched,
            date,
            also_at: Vec::new(),
            more_from_site: 0,
            positions,
            explain: None,
        }))
    }

    fn suggestion(
        &self,
        query: &str,
        asked: &Asked,
        view: &View,
    ) -> Result<Option<String>, SegmentsError> {
        let words = self.fields().words;
        let pages = |word: &str| view.searcher.doc_freq(&Term::from_field_text(words, word));
        suggest::suggest(readable(query), &asked.wanted(), fold, pages)
            .map_err(|error| self.broken(error))
    }

    fn fields(&self) -> &Fields {
        self.inner.segments.fields()
    }

    fn broken(&self, error: tantivy::TantivyError) -> SegmentsError {
        self.inner.segments.broken(error)
    }
}

/// Whether an address is of a site that is blocked.
fn is_blocked(preferences: &Preferences, url: &str) -> bool {
    let by = if preferences.is_empty() { None } else { preferences.on(&site_name(url)) };
    by.is_some_and(|(_, preference)| preference == Preference::Block)
}

/// The first moment of this day, in milliseconds: so that scores do not change from minute to minute.
fn today() -> u64 {
    const DAY: u64 = 86_400_000;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as u64 / DAY * DAY
}

/// The last commit that the reader has, with its languages.
fn view(
    segments: &Segments,
    reader: &IndexReader,
    mut before: Option<View>,
) -> Result<View, SegmentsError> {
    let searcher = reader.searcher();
    let copies = before.as_mut().and_then(|view| view.copies.take());
    let known = copies.as_ref().map(Copies::parts);
    let copies = known_copies(segments, copies);
    let same_copies = known == copies.as_ref().map(Copies::parts);
    let same = |view: &View| {
        // A generation has a new number each time; its segments say whether it is another one.
        view.searcher.generation().segments() == searcher.generation().segments()
            && view.known.said().is_newest(segments)
            && view.known.day() == today()
    };
    let before = match before {
        Some(view) if same(&view) => {
            let commit = if same_copies { view.commit } else { Commit::default() };
            return Ok(View { since: Instant::now(), commit, copies, ..view });
        }
        before => before,
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment
            .inverted_index(segments.fields().main_lang)
            .map_err(|error| segments.broken(error))?;
        let stream = inverted.terms().stream();
        let mut stream = stream.map_err(|error| segments.broken(error))?;
        while stream.advance() {
            let code = String::from_utf8_lossy(stream.key()).into_owned();
            *counts.entry(code).or_default() += u64::from(stream.value().doc_freq);
        }
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    // The code for an unknown language is no language, so it becomes `None`.
    let languages = counts.iter().map(|(code, _)| Lang::parse(code)).collect();
    let average = Average::of(&searcher, segments.fields());
    let average = average.map_err(|error| segments.broken(error))?;
    let before = before.map_or_else(Known::default, |view| view.known);
    let said = Said::read(segments, searcher.num_docs(), before.said());
    let known = Known::join(&searcher, segments.fields(), said, &before, today());
    let known = known.map_err(|error| segments.broken(error))?;
    let (since, commit) = (Instant::now(), Commit::default());
    Ok(View { since, commit, searcher, languages, average, known, copies })
}
