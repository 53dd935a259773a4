//! Why can a model not be used?

/// Why a model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
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
    /// The file ends before its data.
    #[error("the model is cut off: {0}")]
    Truncated(String),
    /// It is no safetensors file.
    #[error("the model is no safetensors file: {0}")]
    Header(String),
    /// The matrix is not there.
    #[error("the model has no tensor `embeddings`; it has {0}")]
    NoMatrix(String),
    /// Numbers of a type that is not read.
    #[error("the tensor `{tensor}` is of type {found}, which is not read")]
    WrongType {
        /// Which.
        tensor: String,
        /// Its type.
        found: String,
    },
    /// Parts that do not fit together.
    #[error("the parts of the model do not fit together: {0}")]
    Shape(String),
    /// A value that is no number.
    #[error("the tensor `{tensor}` has a value that is no finite number at place {place}")]
    NotFinite {
        /// Which.
        tensor: String,
        /// Counts from 0.
        place: usize,
    },
    /// The tokenizer cannot be read.
    #[error("the tokenizer cannot be read: {0}")]
    Tokenizer(String),
    /// The tokenizer does something that we do not.
    #[error("the tokenizer uses {0}, which is not supported")]
    Unsupported(String),
    /// A line of word vectors.
    #[error("line {line} of the word vectors: {what}")]
    Line {
        /// Counts from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl EmbeddingError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            EmbeddingError::Unsupported(_) | EmbeddingError::WrongType { .. } => {
                "models as Model2Vec writes them are read: int8, f16, f32; WordPiece, Unigram or WordLevel"
            }
            EmbeddingError::Shape(_) => "take model.safetensors and tokenizer.json from one model",
            EmbeddingError::TooLarge { .. } => "take a smaller model, or one of int8",
            EmbeddingError::Line { .. } => {
                "each line is: a word, then its numbers, with spaces between"
            }
            _ => "fetch the files of the model again",
        }
    }
}
