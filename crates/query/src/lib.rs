//! What does the index know about a question? Parses, ranks, cuts snippets. Stateless over published
//! segments, so several agents share one index.

mod agent;
mod also_at;
mod answers;
mod best;
mod bits;
mod bm25f;
mod complete;
mod date;
mod duplicates;
mod explain;
mod facets;
mod lexicon;
mod matching;
mod meaning;
mod nearness;
mod parse;
mod plan;
mod positions;
mod preferred;
mod rank;
mod said;
mod searcher;
mod sight;
mod sites;
mod snippet;
mod suggest;
mod tongues;

pub use agent::{Open, Query, QueryState};
pub use lycosa_segments::{SegmentsError, StoredDocument};
pub use parse::{MAX_QUERY, MAX_WORDS};
pub use searcher::{MAX_DEPTH, MAX_LIMIT, MAX_OFFSET, Ranked, Searcher};

#[cfg(test)]
mod tests;
