//! Where is WordNet?

use crate::failure::Failure;
use crate::output;
use lycosa_knowledge::wordnet::WordNet;
use std::path::Path;
use std::sync::Arc;

/// WordNet at a path, or the system's. Without either, words are related only when they are equal, and a
/// note says so.
pub(crate) fn wordnet(path: Option<&Path>) -> Result<Option<Arc<WordNet>>, Failure> {
    let loaded = lycosa_lab::wordnet::load(path)
        .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
    if loaded.is_none() {
        output::note(
            "warning: there is no WordNet, so only equal words are related; Debian has it as \
             wordnet-base",
        );
    }
    Ok(loaded.map(Arc::new))
}
