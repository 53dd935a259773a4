//! What does a guest hand over for each page, and how is it tied to what came before?

use crate::blake2s;
use crate::cbor::Writer;

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A page, whole or as a summary.
    Page = 1,
    /// Only where it leads.
    LinkOnly = 2,
    /// It is not there any more.
    Gone = 3,
    /// It is as the engine knows it.
    Unchanged = 4,
}

/// A link as it is told to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOut {
    /// Path on this site, or address on another.
    pub target: String,
    /// The words on it.
    pub anchor: String,
}

/// What is told about one path.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Path with query, as it was asked for.
    pub path: &'a str,
    /// HTTP status.
    pub status: u16,
    /// What the record is about.
    pub kind: Kind,
    /// Headers of the answer.
    pub headers: &'a [(String, String)],
    /// Body or summary; empty for what is only named.
    pub body: &'a [u8],
    /// Digest of the body as it was fetched.
    pub sha256: [u8; 32],
    /// Whether the body is the page as it was fetched: then its digest is not sent.
    pub whole: bool,
    /// Links to other sites, and out of the granted part of this one.
    pub out_links: &'a [LinkOut],
    /// Links inside the granted part of this site.
    pub in_links: &'a [LinkOut],
    /// See [`Meta::source`](crate::host::Meta::source).
    pub source: u64,
}

/// The chain of tags: each is made with a key that only the engine and the module have, over the one
/// before, so a record that was changed, dropped or moved shows.
#[derive(Clone, Debug)]
pub struct Chain {
    key: [u8; blake2s::KEY],
    tag: [u8; blake2s::TAG],
    seq: u64,
}

impl Chain {
    /// Before the first record.
    pub fn new(key: [u8; blake2s::KEY]) -> Chain {
        Chain { key, tag: [0; blake2s::TAG], seq: 0 }
    }

    /// How many records there were.
    pub fn len(&self) -> u64 {
        self.seq
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.seq == 0
    }

    /// The chain after this record.
    pub fn next(&self, record: &Record<'_>) -> Chain {
        let mut message = Vec::with_capacity(record.path.len() + 64);
        message.extend_from_slice(&self.tag);
        message.extend_from_slice(&self.seq.to_le_bytes());
        message.extend_from_slice(&(record.path.len() as u32).to_le_bytes());
        message.extend_from_slice(record.path.as_bytes());
        message.extend_from_slice(&record.status.to_le_bytes());
        message.extend_from_slice(&record.sha256);
        Chain { key: self.key, tag: blake2s::tag(&self.key, &message), seq: self.seq + 1 }
    }
}

/// First byte of what is emitted: a record.
pub const IS_RECORD: u8 = 1;
/// First byte of what is emitted: the state of the crawl.
pub const IS_STATE: u8 = 2;

impl Record<'_> {
    /// What is emitted for the record; `after` is the chain with it.
    pub fn payload(&self, after: &Chain) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.map(if self.whole { 10 } else { 11 });
        writer.uint(1).text(self.path).uint(2).uint(u64::from(self.status));
        writer.uint(3).uint(self.kind as u64);
        writer.uint(4).array(self.headers.len());
        for (name, value) in self.headers {
            writer.array(2).text(name).text(value);
        }
        writer.uint(5).bytes(self.body);
        if !self.whole {
            writer.uint(6).bytes(&self.sha256);
        }
        for (key, links) in [(7, self.out_links), (8, self.in_links)] {
            writer.uint(key).array(links.len());
            for link in links {
                writer.array(2).text(&link.target).text(&link.anchor);
            }
        }
        writer.uint(9).uint(self.source).uint(10).uint(after.seq - 1).uint(11).bytes(&after.tag);
        marked(IS_RECORD, &writer.finish())
    }
}

/// A payload behind its first byte.
pub fn marked(mark: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1);
    out.push(mark);
    out.extend_from_slice(bytes);
    out
}
