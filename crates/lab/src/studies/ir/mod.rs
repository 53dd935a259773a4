//! Does the search find what people judged relevant? Judged collections through our index and our one
//! setting, beside tantivy alone, on the same documents and the same queries.

mod accents;
mod hybrid;
mod measure;
mod report;

pub use accents::without_accents;

use super::{Outcome, Progress, StudyError};
use crate::collection::Collection;
use lycosa_knowledge::embedding::Embedding;
use measure::Measured;
use std::path::PathBuf;

/// The systems: ours, the reference, and ours with a model of embeddings where there is one.
const SYSTEMS: [&str; 3] = ["lycosa", "tantivy", "hybrid"];

/// Measures each collection and tells how the systems did.
pub fn run(
    folders: &[PathBuf],
    embedding: Option<&Embedding>,
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let mut measured: Vec<Measured> = Vec::new();
    for folder in folders {
        let mut collection = Collection::read(folder)?;
        // Two folders may have one name; their files must not.
        let base = collection.name.clone();
        let alike = measured.iter().filter(|other| other.base == base).count();
        if alike > 0 {
            collection.name = format!("{base}-{}", alike + 1);
        }
        measured.push(measure::measure(&collection, embedding, base, seed, progress)?);
    }
    Ok(report::outcome(&measured))
}

#[cfg(test)]
mod tests;
