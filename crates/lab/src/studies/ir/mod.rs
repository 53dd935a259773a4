//! Does the search find what people judged relevant? Judged collections through our index and our one
//! setting, beside tantivy alone, on the same documents and the same queries.

mod accents;
mod measure;
mod report;

pub use accents::without_accents;

use super::{Outcome, Progress, StudyError};
use crate::collection::Collection;
use measure::Measured;
use std::path::PathBuf;

/// The systems, ours first.
const SYSTEMS: [&str; 2] = ["lycosa", "tantivy"];

/// Measures each collection and tells how both systems did.
pub fn run(
    folders: &[PathBuf],
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
        measured.push(measure::measure(&collection, base, seed, progress)?);
    }
    Ok(report::outcome(&measured))
}

#[cfg(test)]
mod tests;
