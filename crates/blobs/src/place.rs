//! What must a back end be able to do?

use crate::error::Result;
use crate::key::Key;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

/// What is known of something in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// Its key.
    pub key: Key,
    /// Its size.
    pub bytes: u64,
    /// When it was put there, by the clock of the store.
    pub changed: SystemTime,
}

/// What became of something that was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is there now.
    Stored,
    /// It was there before.
    There,
}

/// What is to be put: bytes, or a file with its size.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    Bytes(&'a Bytes),
    File(&'a Path, u64),
}

impl Content<'_> {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::File(_, bytes) => *bytes,
        }
    }
}

/// What is read, as it comes.
pub(crate) struct Body {
    pub(crate) parts: BoxStream<'static, Result<Bytes>>,
    /// How much should come.
    pub(crate) bytes: u64,
}

/// A part of a list.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) found: Vec<Meta>,
    /// By which the next part is asked for; nothing at the end.
    pub(crate) next: Option<String>,
}

/// A back end. Each call is one try.
pub(crate) trait Place: Send + Sync + 'static {
    /// What is known of a key; nothing when nothing is there.
    fn head<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Meta>>>;

    /// Puts something where nothing is. It is there as a whole or not at all.
    fn put<'a>(&'a self, key: &'a Key, content: Content<'a>) -> BoxFuture<'a, Result<Put>>;

    /// Reads all, or a range that is cut at the end.
    fn read<'a>(&'a self, key: &'a Key, range: Option<Range<u64>>) -> BoxFuture<'a, Result<Body>>;

    /// The keys that begin with a prefix, in order, after those of the pages before.
    fn page<'a>(&'a self, prefix: &'a str, next: Option<String>) -> BoxFuture<'a, Result<Page>>;

    /// Takes it away; no error when it is not there.
    fn delete<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<()>>;

    /// Where it is, for people.
    fn name(&self) -> String;
}
