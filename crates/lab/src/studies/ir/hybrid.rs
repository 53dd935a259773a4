//! What does meaning add to words? The first candidates of our search, mixed with how near they are to the
//! query by a model of embeddings.

use crate::collection::Collection;
use crate::evaluation::Ranking;
use lycosa_knowledge::embedding::{Embedding, MEANING, Vector, mixed};
use std::collections::HashMap;

/// Candidates that are looked at; those behind them keep their order.
const CANDIDATES: usize = 100;
/// Bytes of a document that its meaning is read from: its title and the beginning of its text.
const MAX_TEXT: usize = 4 << 10;
/// Bytes of a query.
const MAX_QUERY: usize = 4 << 10;

/// The meaning of every document of a collection.
pub(super) struct Hybrid<'a> {
    embedding: &'a Embedding,
    vectors: HashMap<&'a str, Vector>,
}

impl<'a> Hybrid<'a> {
    pub(super) fn of(collection: &'a Collection, embedding: &'a Embedding) -> Hybrid<'a> {
        let vector = |entry: &'a lycosa_model::message::Entry| {
            let document = &entry.document;
            let text = format!("{}\n{}", document.title, document.text);
            Some((entry.id.as_deref()?, embedding.vector(&text, MAX_TEXT)?))
        };
        Hybrid { embedding, vectors: collection.documents.iter().filter_map(vector).collect() }
    }

    /// The ranking with the meaning of its first candidates mixed in.
    pub(super) fn rank(&self, query: &str, mut ranking: Ranking) -> Ranking {
        ranking.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let asked = self.embedding.vector(query, MAX_QUERY);
        let near = |name: &str| Some(asked.as_ref()?.cosine(self.vectors.get(name)?));
        let candidates = ranking.len().min(CANDIDATES);
        let (first, rest) = ranking.split_at_mut(candidates);
        let words: Vec<f32> = first.iter().map(|(_, score)| *score).collect();
        let meaning: Vec<Option<f32>> = first.iter().map(|(name, _)| near(name)).collect();
        for ((_, score), (words, meaning)) in first.iter_mut().zip(mixed(&words, &meaning)) {
            *score = words + meaning;
        }
        for (_, score) in rest {
            *score *= 1.0 - MEANING;
        }
        ranking
    }
}
