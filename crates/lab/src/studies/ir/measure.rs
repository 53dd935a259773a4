//! How do both systems do on one collection?

use super::hybrid::Hybrid;
use super::{SYSTEMS, without_accents};
use crate::collection::Collection;
use crate::evaluation::{
    Comparison, DEPTH, Interval, MEASURES, Ranking, Scores, bootstrap, compare, score,
};
use crate::studies::reference::Reference;
use crate::studies::{Progress, StudyError, cpu};
use lycosa_knowledge::embedding::Embedding;
use lycosa_model::{Lang, SearchRequest};
use lycosa_query::Searcher;
use lycosa_segments::{CommitNote, Segments, WriterSettings};
use std::path::Path;

/// What one system answered to one query, and what that is worth.
pub(super) struct Answer {
    pub(super) ranking: Ranking,
    pub(super) scores: Scores,
    /// CPU milliseconds.
    pub(super) cpu: f64,
}

/// What one system did.
pub(super) struct System {
    pub(super) name: &'static str,
    /// In the order of the queries.
    pub(super) answers: Vec<Answer>,
    /// In the order of [`MEASURES`].
    pub(super) means: Vec<Interval>,
    /// CPU seconds to index everything; of the hybrid, to read the meaning of everything.
    pub(super) indexing: f64,
}

impl System {
    /// One measure of every query.
    pub(super) fn column(&self, measure: usize) -> Vec<f64> {
        self.answers.iter().map(|answer| answer.scores[measure]).collect()
    }

    /// What every query cost.
    pub(super) fn costs(&self) -> Vec<f64> {
        self.answers.iter().map(|answer| answer.cpu).collect()
    }
}

/// What happens to queries whose accents are left out.
pub(super) struct Accents {
    /// Queries that have some.
    pub(super) queries: usize,
    /// nDCG@10 of all queries without accents.
    pub(super) ndcg: f64,
    /// Queries whose score, by any measure, is another one.
    pub(super) changed: usize,
}

/// One system against another.
pub(super) struct Contest {
    pub(super) one: &'static str,
    pub(super) other: &'static str,
    /// In the order of [`MEASURES`].
    pub(super) comparisons: Vec<Comparison>,
}

/// One collection.
pub(super) struct Measured {
    pub(super) name: String,
    /// The name of its folder.
    pub(super) base: String,
    pub(super) documents: usize,
    pub(super) lang: Option<Lang>,
    pub(super) queries: Vec<String>,
    /// In the order of [`SYSTEMS`].
    pub(super) systems: Vec<System>,
    pub(super) contests: Vec<Contest>,
    /// Where some query has accents.
    pub(super) accents: Option<Accents>,
    pub(super) warnings: Vec<String>,
}

/// Indexes with our indexer.
fn index(collection: &Collection, data: &Path) -> Result<Searcher, StudyError> {
    let mut writer = Segments::create_or_open(data)?.writer(WriterSettings::default())?;
    for entry in &collection.documents {
        writer.put(entry.clone())?;
    }
    writer.commit(&CommitNote::new(Default::default()))?;
    Ok(Searcher::open(data)?)
}

/// What our search answers with its one setting.
fn ask(searcher: &Searcher, query: &str) -> Result<Ranking, StudyError> {
    let request = SearchRequest { query: query.to_owned(), ..SearchRequest::default() };
    let pages = searcher.rank(&request, DEPTH)?;
    Ok(pages.into_iter().map(|page| (page.id.unwrap_or(page.url), page.score)).collect())
}

/// Asks every judged query.
fn answers(
    collection: &Collection,
    ask: &dyn Fn(&str) -> Result<Ranking, StudyError>,
    seen: &mut dyn FnMut(usize),
) -> Result<Vec<Answer>, StudyError> {
    let mut answers = Vec::new();
    for (number, (_, words, gains)) in collection.judged().enumerate() {
        seen(number);
        // Whether a query is in the file or not, its answer counts.
        let (ranking, cpu) = cpu::timed(|| ask(words));
        let ranking = ranking?;
        if let Some(scores) = score(&ranking, gains) {
            answers.push(Answer { ranking, scores, cpu });
        }
    }
    Ok(answers)
}

fn system(name: &'static str, answers: Vec<Answer>, indexing: f64, seed: u64) -> System {
    let mut system = System { name, answers, means: Vec::new(), indexing };
    let columns: Vec<Vec<f64>> = (0..MEASURES.len()).map(|m| system.column(m)).collect();
    system.means = bootstrap(&columns, seed);
    system
}

/// Measures the systems. `base` is the name of the folder.
pub(super) fn measure(
    collection: &Collection,
    embedding: Option<&Embedding>,
    base: String,
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Measured, StudyError> {
    let queries: Vec<String> = collection.judged().map(|(id, ..)| id.to_owned()).collect();
    let mut tell = |what: &str, done: usize| {
        let what = format!("{}: {what}", collection.name);
        progress(Progress { what: &what, done, of: queries.len() });
    };
    tell("indexing", 0);
    let data = tempfile::tempdir().map_err(StudyError::Temporary)?;
    let began = cpu::of_process();
    let searcher = index(collection, data.path())?;
    let indexing = (cpu::of_process() - began).as_secs_f64();
    let ours = |query: &str| ask(&searcher, query);
    let answered = answers(collection, &ours, &mut |done| tell("asking lycosa", done))?;
    let accents = accents(collection, &answered, &ours)?;
    let mut systems = vec![system(SYSTEMS[0], answered, indexing, seed)];

    tell("indexing with tantivy", 0);
    let began = cpu::of_process();
    let names = collection.documents.iter().map(|entry| entry.id.as_deref().unwrap_or_default());
    let texts = names.zip(collection.flat.iter().cloned());
    let reference = Reference::build(collection.lang, texts)?;
    let indexing = (cpu::of_process() - began).as_secs_f64();
    let theirs = |query: &str| Ok(reference.rank(query, DEPTH)?);
    let answered = answers(collection, &theirs, &mut |done| tell("asking tantivy", done))?;
    systems.push(system(SYSTEMS[1], answered, indexing, seed));

    if let Some(embedding) = embedding {
        tell("reading meanings", 0);
        let began = cpu::of_process();
        let hybrid = Hybrid::of(collection, embedding);
        let indexing = (cpu::of_process() - began).as_secs_f64();
        let mixed = |query: &str| Ok(hybrid.rank(query, ours(query)?));
        let answered = answers(collection, &mixed, &mut |done| tell("mixing", done))?;
        systems.push(system(SYSTEMS[2], answered, indexing, seed));
    }
    let contest = |one: &System, other: &System| Contest {
        one: one.name,
        other: other.name,
        comparisons: (0..MEASURES.len())
            .map(|measure| compare(&one.column(measure), &other.column(measure), seed))
            .collect(),
    };
    let mut contests = vec![contest(&systems[0], &systems[1])];
    contests.extend(systems.get(2).map(|hybrid| contest(hybrid, &systems[0])));
    Ok(Measured {
        name: collection.name.clone(),
        base,
        documents: collection.documents.len(),
        lang: collection.lang,
        systems,
        contests,
        queries,
        accents,
        warnings: collection.warnings.clone(),
    })
}

/// Asks the queries that have accents once more without them; `None` when no query has any.
fn accents(
    collection: &Collection,
    with: &[Answer],
    ask: &dyn Fn(&str) -> Result<Ranking, StudyError>,
) -> Result<Option<Accents>, StudyError> {
    let mut found = Accents { queries: 0, ndcg: 0.0, changed: 0 };
    for ((_, words, gains), answer) in collection.judged().zip(with) {
        let plain = without_accents(words);
        if plain == words {
            found.ndcg += answer.scores[0];
            continue;
        }
        let scores = score(&ask(&plain)?, gains).unwrap_or_default();
        found.queries += 1;
        found.changed += usize::from(scores != answer.scores);
        found.ndcg += scores[0];
    }
    found.ndcg /= with.len().max(1) as f64;
    Ok((found.queries > 0).then_some(found))
}
