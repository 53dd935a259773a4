//! How near is a page to the question in meaning? For the best pages by their words only, and only where a
//! model of embeddings was given: what they say is read and turned into a vector.

use lycosa_knowledge::embedding::{Embedding, Vector};
use lycosa_segments::Segments;
use tantivy::{DocAddress, Searcher};

/// Bytes of a page, from its title on, whose meaning is looked at.
const READ: usize = 1_024;

/// What was asked, as a model understands it.
pub(crate) struct Meaning<'a> {
    embedding: &'a Embedding,
    question: Vector,
    segments: &'a Segments,
}

impl<'a> Meaning<'a> {
    /// `None` when the model knows no word of the question.
    pub(crate) fn of(
        embedding: &'a Embedding,
        segments: &'a Segments,
        question: &str,
    ) -> Option<Meaning<'a>> {
        let question = embedding.vector(question, READ)?;
        Some(Meaning { embedding, question, segments })
    }

    /// The cosine between the question and each page; `None` where the model knows no word of it, or where
    /// it cannot be read.
    pub(crate) fn cosines(&self, searcher: &Searcher, pages: &[DocAddress]) -> Vec<Option<f32>> {
        let cosine = |page: &DocAddress| {
            let document = self.segments.document(searcher, *page).ok()??;
            let said = if document.main.is_empty() { &document.text } else { &document.main };
            let said = &said[..said.floor_char_boundary(READ)];
            let vector = self.embedding.vector(&format!("{}\n{said}", document.title), READ)?;
            Some(vector.cosine(&self.question))
        };
        pages.iter().map(cosine).collect()
    }
}
