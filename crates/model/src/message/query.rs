//! To query agents and back.

use super::Message;
use crate::{SearchRequest, SearchResponse, StoredPage, UrlId};
use serde::{Deserialize, Serialize};

/// To a query agent.
#[derive(Clone, Debug)]
pub enum QueryMessage {
    /// Search.
    Search(SearchRequest),
    /// Documents and occurrences of these words.
    Lexicon(Vec<String>),
    /// Words that the last one of these may become.
    Complete(String),
    /// What does the index keep of this page?
    Page(UrlId),
    /// How many documents are in the index?
    Size,
}

/// One row of the lexicon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LexiconRow {
    /// The word as asked.
    pub word: String,
    /// The word as the lexicon has it.
    pub folded: String,
    /// Documents with it.
    pub documents: u64,
    /// Occurrences in all documents.
    pub occurrences: u64,
}

/// From a query agent.
#[derive(Clone, Debug)]
pub enum QueryReply {
    /// To `Search`.
    Found(SearchResponse),
    /// To `Lexicon`.
    Lexicon(Vec<LexiconRow>),
    /// To `Complete`: whole queries, the likeliest first.
    Completions(Vec<String>),
    /// To `Page`; nothing when it is not in the index.
    Page(Option<Box<StoredPage>>),
    /// To `Size`: documents in the index; 0 as long as there is none.
    Size(u64),
    /// The index cannot be read.
    Broken(String),
}

impl Message for QueryMessage {
    type Reply = QueryReply;
}
