//! How are word vectors written? A word and its numbers a line, as GloVe and word2vec do.

use super::EmbeddingError;
use super::pieces::Pieces;
use super::safetensors::{MAX_DIMS, MAX_MODEL, Matrix};
use super::tokenizer::{MAX_PIECES, Tokenizer};
use hashbrown::HashMap;

/// Reads word vectors. A word that stands there again in other letters counts as the first one.
pub(super) fn read(text: &[u8]) -> Result<(Tokenizer, Matrix), EmbeddingError> {
    let large = |what, found: usize, limit: usize| EmbeddingError::TooLarge {
        what,
        found: found as u64,
        limit: limit as u64,
    };
    if text.len() > MAX_MODEL {
        return Err(large("bytes of the word vectors", text.len(), MAX_MODEL));
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let line = text[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        EmbeddingError::Line { line, what: "not UTF-8".into() }
    })?;
    let (mut words, mut numbers) = (HashMap::new(), Vec::new());
    let mut dims = 0;
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: String| EmbeddingError::Line { line: number + 1, what };
        let mut columns = line.split_ascii_whitespace();
        let Some(word) = columns.next() else { continue };
        let before = numbers.len();
        for column in columns {
            match column.parse::<f32>() {
                Ok(value) if value.is_finite() => numbers.push(value),
                _ => return Err(wrong(format!("`{column}` is no finite number"))),
            }
        }
        let found = numbers.len() - before;
        // The first line of word2vec has two counts.
        if number == 0 && found == 1 && word.parse::<u64>().is_ok() {
            numbers.clear();
            continue;
        }
        if dims == 0 {
            dims = found;
            if found == 0 || found > MAX_DIMS {
                return Err(wrong(format!("{found} numbers, from 1 to {MAX_DIMS} are read")));
            }
        }
        if found != dims {
            return Err(wrong(format!("{found} numbers, the lines before have {dims}")));
        }
        let id = u32::try_from(before / dims).unwrap_or(u32::MAX);
        words.entry(word.to_lowercase().into_boxed_str()).or_insert(id);
        if words.len() > MAX_PIECES {
            return Err(large("words", words.len(), MAX_PIECES));
        }
    }
    if words.is_empty() {
        return Err(EmbeddingError::Line { line: 1, what: "there are no words".into() });
    }
    Ok((Tokenizer::of_words(Pieces::of_words(words)), Matrix::Floats(numbers, dims)))
}
