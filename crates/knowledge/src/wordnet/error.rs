//! Why can a WordNet not be read?

/// Why a WordNet cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordNetError {
    /// It is larger than anything we want to hold in memory.
    #[error("{what}: {found}, at most {limit} are read")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// How large it may be.
        limit: u64,
    },
    /// A line that is not as it should be.
    #[error("line {line} of {file}: {what}")]
    Line {
        /// Which file.
        file: &'static str,
        /// Counts from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// XML that ends or goes wrong somewhere.
    #[error("byte {at} of the XML: {what}")]
    Xml {
        /// Counts from 0.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// Something is named that is not there: most of all in a file that is cut off.
    #[error("a noun points to `{0}`, which is not in the file: it is cut off, or not whole")]
    Missing(String),
    /// There are no nouns in it.
    #[error("there are no nouns in it")]
    Empty,
}

impl WordNetError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            WordNetError::TooLarge { .. } => "is this a WordNet?",
            _ => {
                "data.noun and noun.exc of Debian's wordnet-base are read, and the files (WNDB) or the XML \
                 (LMF) of Open English WordNet"
            }
        }
    }
}
