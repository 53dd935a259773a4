//! What came back from the web?

use crate::{Tick, UrlId};
use bytes::Bytes;
use std::time::Duration;

/// One header line; the value is kept as bytes because the web does not keep to ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name as received.
    pub name: String,
    /// Value as received, without surrounding white space.
    pub value: Bytes,
}

/// Header lines in the order received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<Header>);

impl Headers {
    /// The first value under this name that is text; names compare without case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Every value under this name that is text.
    pub fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(name))
            .filter_map(|header| std::str::from_utf8(&header.value).ok())
    }

    /// Appends one line.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Bytes>) {
        self.0.push(Header { name: name.into(), value: value.into() });
    }
}

/// A response with a body, ready to be read by a filter.
#[derive(Clone, Debug)]
pub struct Page {
    /// Id of the URL that was leased.
    pub url_id: UrlId,
    /// The address that was requested.
    pub url: String,
    /// HTTP status.
    pub status: u16,
    /// Response headers.
    pub headers: Headers,
    /// The body after content decoding.
    pub body: Bytes,
    /// When the response was complete.
    pub fetched: Tick,
    /// How long it took.
    pub took: Duration,
}
