//! What does a query agent answer?

use crate::lexicon;
use crate::searcher::Searcher;
use lycosa_knowledge::embedding::Embedding;
use lycosa_model::SearchResponse;
use lycosa_model::message::{QueryMessage, QueryReply};
use lycosa_runtime::Agent;
use lycosa_segments::SegmentsError;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A query agent. It opens the index when it is first asked, so that it may live before the first crawl,
/// and opens it again when reading fails, so that an index which was rebuilt is found.
pub struct Query {
    data: PathBuf,
    embedding: Option<Arc<Embedding>>,
    open: Open,
    state: QueryState,
}

/// The index as several agents see it: opened once for all of them.
#[derive(Clone, Default)]
pub struct Open(Arc<Mutex<Option<Searcher>>>);

impl Open {
    fn lock(&self) -> MutexGuard<'_, Option<Searcher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a query agent shows of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueryState {
    /// Searches answered.
    pub searches: u64,
    /// Look-ups in the lexicon answered.
    pub lookups: u64,
    /// Questions that the index could not be read for.
    pub broken: u64,
    /// How long the last search took.
    pub last_ms: f64,
}

impl Query {
    /// An agent over the index of a data directory.
    pub fn new(data: impl Into<PathBuf>) -> Query {
        let (data, state) = (data.into(), QueryState::default());
        Query { data, embedding: None, open: Open::default(), state }
    }

    /// The same, with a model by whose meaning results are ranked as well.
    pub fn with_embedding(self, embedding: Option<Arc<Embedding>>) -> Query {
        Query { embedding, ..self }
    }

    /// The same, sharing the index with other agents.
    pub fn sharing(self, open: Open) -> Query {
        Query { open, ..self }
    }

    fn searcher(&mut self) -> Result<Searcher, SegmentsError> {
        let mut open = self.open.lock();
        if let Some(searcher) = &*open {
            return Ok(searcher.clone());
        }
        let searcher = Searcher::open(&self.data)?.with_embedding(self.embedding.clone());
        *open = Some(searcher.clone());
        Ok(searcher)
    }

    /// Asks; after a failure once more with the index opened anew.
    fn ask<T>(
        &mut self,
        question: impl Fn(&Searcher) -> Result<T, SegmentsError>,
    ) -> Result<T, SegmentsError> {
        let was_open = self.open.lock().is_some();
        let answer = self.searcher().and_then(|searcher| question(&searcher));
        if answer.is_ok() {
            return answer;
        }
        *self.open.lock() = None;
        if !was_open {
            return answer;
        }
        self.searcher().and_then(|searcher| question(&searcher))
    }
}

impl Agent for Query {
    type Message = QueryMessage;
    type State = QueryState;

    fn observe(&self) -> QueryState {
        self.state.clone()
    }

    async fn handle(&mut self, message: QueryMessage) -> QueryReply {
        let answer = match &message {
            QueryMessage::Search(request) => {
                self.ask(|searcher| searcher.search(request)).map(QueryReply::Found)
            }
            QueryMessage::Lexicon(words) => {
                self.ask(|searcher| searcher.lexicon(words)).map(QueryReply::Lexicon)
            }
            QueryMessage::Complete(query) => {
                self.ask(|searcher| searcher.complete(query)).map(QueryReply::Completions)
            }
            QueryMessage::Page(id) => self
                .ask(|searcher| searcher.page(*id))
                .map(|page| QueryReply::Page(page.map(Box::new))),
            QueryMessage::Size => self.ask(Searcher::documents).map(QueryReply::Size),
        };
        let reply = match answer {
            Ok(reply) => reply,
            // Before the first crawl there is nothing to find; that is nobody's fault.
            Err(SegmentsError::Missing(_)) => nothing(message),
            Err(error) => QueryReply::Broken(format!("{error}; {}", error.hint())),
        };
        self.state.count(&reply);
        reply
    }
}

impl QueryState {
    fn count(&mut self, reply: &QueryReply) {
        match reply {
            QueryReply::Found(found) => {
                self.searches += 1;
                self.last_ms = found.took_ms;
            }
            QueryReply::Lexicon(_) => self.lookups += 1,
            QueryReply::Completions(_) | QueryReply::Page(_) | QueryReply::Size(_) => {}
            QueryReply::Broken(_) => self.broken += 1,
        }
    }
}

/// The answer of an index that does not exist yet.
fn nothing(message: QueryMessage) -> QueryReply {
    match message {
        QueryMessage::Search(request) => {
            QueryReply::Found(SearchResponse { query: request.query, ..SearchResponse::default() })
        }
        QueryMessage::Lexicon(words) => {
            QueryReply::Lexicon(words.iter().map(|word| lexicon::blank(word)).collect())
        }
        QueryMessage::Complete(_) => QueryReply::Completions(Vec::new()),
        QueryMessage::Page(_) => QueryReply::Page(None),
        QueryMessage::Size => QueryReply::Size(0),
    }
}
