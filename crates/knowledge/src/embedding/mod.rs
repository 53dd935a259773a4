//! How near are two texts in meaning? Static embeddings: every piece of a word has a vector, a text has the
//! mean of them. No network is run, so a page costs microseconds and not milliseconds.
//!
//! Two formats are read: Model2Vec's (`model.safetensors` and `tokenizer.json`), and plain word vectors as
//! GloVe and word2vec write them (a word and its numbers a line). The bytes come in; files are the
//! caller's.

mod error;
mod mixing;
mod normal;
mod pieces;
mod safetensors;
mod tokenizer;
mod vector;
mod words;

pub use error::EmbeddingError;
pub use mixing::{MEANING, mixed};
pub use safetensors::{MAX_DIMS, MAX_MODEL};
pub use tokenizer::{MAX_PIECES, MAX_TOKENIZER};
pub use vector::{Vector, cosine};

use safetensors::{Matrix, Model};
use tokenizer::Tokenizer;

/// Vectors of the pieces of words, and how a text is cut into them.
pub struct Embedding {
    tokenizer: Tokenizer,
    matrix: Matrix,
    /// Row of each piece, where pieces share rows.
    rows: Option<Vec<u32>>,
    /// What each piece counts, where they count differently.
    weights: Option<Vec<f32>>,
}

impl Embedding {
    /// Reads a model of the kind that Model2Vec writes: the matrix `embeddings` (pieces by dimensions; 8 bit
    /// integers, or floats of 16, 32 or 64 bit), `weights` and `mapping` where there are some, and a tokenizer
    /// of type WordPiece, Unigram or WordLevel.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Embedding, EmbeddingError> {
        let Model { matrix, rows, weights } = safetensors::read(model)?;
        let tokenizer = Tokenizer::read(tokenizer)?;
        let embedding = Embedding { tokenizer, matrix, rows, weights };
        embedding.check()?;
        Ok(embedding)
    }

    /// Reads word vectors: a word and its numbers a line, after a line with two counts or without one.
    pub fn from_words(text: &[u8]) -> Result<Embedding, EmbeddingError> {
        let (tokenizer, matrix) = words::read(text)?;
        Ok(Embedding { tokenizer, matrix, rows: None, weights: None })
    }

    /// Every piece has a row and a weight.
    fn check(&self) -> Result<(), EmbeddingError> {
        let pieces = self.tokenizer.ids();
        let enough = |what: &'static str, count: usize| match count < pieces {
            true => Err(EmbeddingError::Shape(format!(
                "{what} {count}, the tokenizer has {pieces} pieces"
            ))),
            false => Ok(()),
        };
        if let Some(weights) = &self.weights {
            enough("the number of weights is", weights.len())?;
        }
        let Some(rows) = &self.rows else {
            return enough("the number of embeddings is", self.matrix.rows());
        };
        enough("the length of the mapping is", rows.len())?;
        match rows.iter().find(|row| **row as usize >= self.matrix.rows()) {
            Some(row) => Err(EmbeddingError::Shape(format!(
                "the mapping names row {row} of {}",
                self.matrix.rows()
            ))),
            None => Ok(()),
        }
    }

    /// Numbers of a vector.
    pub fn dims(&self) -> usize {
        self.matrix.dims()
    }

    /// What the first `max_bytes` bytes of a text mean: the mean of the vectors of its pieces, of length 1.
    /// Unknown pieces do not count; `None` when none is left.
    pub fn vector(&self, text: &str, max_bytes: usize) -> Option<Vector> {
        let text = &text[..text.floor_char_boundary(max_bytes)];
        let mut sum = vec![0.0; self.dims()];
        self.tokenizer.cut(text, &mut |piece| {
            let place = piece as usize;
            let row = self.rows.as_ref().map_or(Some(piece), |rows| rows.get(place).copied());
            let weight = self.weights.as_ref().map_or(Some(1.0), |all| all.get(place).copied());
            if let (Some(row), Some(weight)) = (row, weight) {
                self.matrix.add(row as usize, weight, &mut sum);
            }
        });
        Vector::new(sum)
    }
}

#[cfg(test)]
mod tests;
