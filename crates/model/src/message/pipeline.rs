//! Along the way of a page: to bots, filters and the indexer.

use super::{CopyOf, Message};
use crate::{ArchiveMark, Document, Link, Page, Tick, UrlId};
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

/// Which parts of a document somebody will look at. Links, what the page asks of robots and its
/// charset are always made; the rest is left empty where nobody wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Title, keywords, description, visible text and its digest.
    pub text: bool,
    /// Languages; the text is made for them.
    pub languages: bool,
    /// Anchor and context of each link; the text is made for them.
    pub words_of_links: bool,
    /// Anchor of each link.
    pub anchors: bool,
    /// Main text and simhash.
    pub main: bool,
    /// Main text as Markdown.
    pub markdown: bool,
    /// Headings, byline and dates.
    pub about: bool,
    /// What the page tells programs about itself, and the language of each paragraph.
    pub facts: bool,
}

impl Parts {
    /// Everything.
    pub const ALL: Parts = Parts {
        text: true,
        languages: true,
        words_of_links: true,
        anchors: true,
        main: true,
        markdown: true,
        about: true,
        facts: true,
    };
    /// What an index wants.
    pub const INDEX: Parts = Parts {
        text: true,
        languages: true,
        words_of_links: false,
        anchors: true,
        main: true,
        markdown: false,
        about: true,
        facts: false,
    };
    /// Nothing but links and what the page asks of robots.
    pub const LINKS: Parts = Parts {
        text: false,
        languages: false,
        words_of_links: false,
        anchors: false,
        main: false,
        markdown: false,
        about: false,
        facts: false,
    };

    /// Whether anything is made from the text of the page.
    pub fn any_text(self) -> bool {
        self != Parts::LINKS
    }
}

/// To a filter.
#[derive(Clone, Debug)]
pub enum FilterMessage {
    /// Read this page, as far as these parts need.
    Read(Arc<Page>, Parts),
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
    /// Take these out, if they are in.
    Remove {
        /// The URLs.
        urls: Vec<UrlId>,
        /// Those of them that others stand for, to be named with these.
        copies: Vec<CopyOf>,
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
