//! Where does a model of embeddings lie? In a folder: `model.safetensors` and `tokenizer.json`, as Model2Vec
//! writes them, or word vectors in `vectors.txt`.

use crate::failure::Failure;
use lycosa_knowledge::embedding::{Embedding, EmbeddingError, MAX_MODEL};
use std::fs::File;
use std::io::Read;
use std::path::Path;

const MODEL: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
const VECTORS: &str = "vectors.txt";

/// Reads the model in a folder.
pub(crate) fn load(folder: &Path) -> Result<Embedding, Failure> {
    let said = |error: EmbeddingError| {
        let hint = error.hint();
        Failure::new(format!("{}: {error}", folder.display())).hint(hint)
    };
    let (model, vectors) = (folder.join(MODEL), folder.join(VECTORS));
    if vectors.exists() && !model.exists() {
        return Embedding::from_words(&read(&vectors)?).map_err(said);
    }
    Embedding::load(&read(&model)?, &read(&folder.join(TOKENIZER))?).map_err(said)
}

/// The bytes of a file; one byte more than are allowed are read at most, so that the model says so.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_MODEL as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", path.display()))
            .hint(format!("a model is a folder with {MODEL} and {TOKENIZER}, or with {VECTORS}"))
    })?;
    Ok(bytes)
}
