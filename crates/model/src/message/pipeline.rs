//! Along the way of a page: to bots, filters and the indexer.

use super::Message;
use crate::{ArchiveMark, Document, Link, Page, Tick};
use std::sync::Arc;

/// To a bot.
#[derive(Clone, Debug)]
pub enum BotMessage {
    /// Finish what is under way and leave.
    Stop,
}

impl Message for BotMessage {
    type Reply = ();
}

/// To a filter.
#[derive(Clone, Debug)]
pub enum FilterMessage {
    /// Read this page.
    Read(Arc<Page>),
}

/// From a filter.
#[derive(Clone, Debug)]
pub enum FilterReply {
    /// The page as a document.
    Document(Box<Document>),
    /// The body is not text that we can read.
    NotText {
        /// The media type it claims or shows.
        media_type: String,
        /// What its headers name, and its body when that is a stylesheet or a script.
        links: Vec<Link>,
    },
}

impl Message for FilterMessage {
    type Reply = FilterReply;
}

/// A document on its way into the index.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The document.
    pub document: Document,
    /// Name of the agent that fetched it.
    pub agent: String,
    /// When it was fetched.
    pub fetched: Tick,
    /// The name by which the source knows the document, where it has one beside the address.
    pub id: Option<String>,
}

/// To the indexer.
#[derive(Clone, Debug)]
pub enum IndexerMessage {
    /// Put these in, replacing older ones of the same url_id; the marks say how far each archive file
    /// is indexed once they are committed.
    Add {
        /// Documents.
        entries: Vec<Entry>,
        /// Progress in the archive.
        marks: Vec<ArchiveMark>,
    },
    /// Make everything durable and visible.
    Commit,
}

/// From the indexer.
#[derive(Clone, Debug)]
pub enum IndexerReply {
    /// Taken; durable after the next commit.
    Taken,
    /// Durable and visible.
    Committed {
        /// Documents in the index.
        documents: u64,
    },
    /// The index cannot be written.
    Broken(String),
}

impl Message for IndexerMessage {
    type Reply = IndexerReply;
}
