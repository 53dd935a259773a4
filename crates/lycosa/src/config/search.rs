//! What is searched, and by what?

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The search index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Index {
    pub(crate) write: bool,
}

impl Default for Index {
    fn default() -> Index {
        Index { write: true }
    }
}

/// How results are ranked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Search {
    /// Folder of a model of static embeddings; none is needed.
    pub(crate) embeddings: Option<PathBuf>,
}
