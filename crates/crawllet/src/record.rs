//! What does a crawllet say about one page, and is it what the crawllet said?

use crate::{Fault, cbor};
use blake2::Blake2sMac;
use blake2::digest::consts::U8;
use blake2::digest::{FixedOutput, KeyInit, Update};
use sha2::{Digest, Sha256};

/// Largest record, with everything that is in it.
pub const MAX_RECORD_BYTES: usize = 24 * 1024 * 1024;
/// Longest path with its query.
pub const MAX_PATH_BYTES: usize = 8 * 1024;
/// Headers of a record.
pub const MAX_HEADERS: usize = 64;
/// Longest value of a header.
pub const MAX_HEADER_BYTES: usize = 8 * 1024;
/// Links of a record, of each kind.
pub const MAX_LINKS: usize = 50_000;
/// Longest address of a link.
pub const MAX_LINK_BYTES: usize = 8 * 1024;
/// Longest text of a link; more is cut off, since it is only words.
pub const MAX_ANCHOR_BYTES: usize = 1024;

/// Bytes of a tag. Whoever would forge one has one try in each job, and tags do not pack.
pub const TAG_BYTES: usize = 8;
/// A tag of the chain.
pub type Tag = [u8; TAG_BYTES];

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A page or a summary of it.
    Page,
    /// Only its links.
    LinkOnly,
    /// There is nothing any more.
    Gone,
    /// It is as it was.
    Unchanged,
}

/// How the host got the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// From the web server.
    Http,
    /// From the disk.
    File,
}

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkOut {
    /// An address, or a path for links inside the site.
    pub url: String,
    /// The text of the link.
    pub anchor: String,
}

/// What a crawllet says about one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Path with query.
    pub path: String,
    /// HTTP status.
    pub status: u16,
    /// What it is.
    pub kind: Kind,
    /// Some headers of the answer; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The page, or a summary of it.
    pub body: Vec<u8>,
    /// SHA-256 of the page as it was fetched.
    pub sha256: [u8; 32],
    /// Links that lead out of the site.
    pub out_links: Vec<LinkOut>,
    /// Links inside the site.
    pub in_links: Vec<LinkOut>,
    /// How the host got it.
    pub source: Source,
    /// Its number in the job, from 0.
    pub seq: u64,
    /// The tag of the chain.
    pub tag: Tag,
}

fn links(item: Option<cbor::Item<'_>>) -> Result<Vec<LinkOut>, Fault> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let items = item.array()?;
    if items.left() > MAX_LINKS as u64 {
        return Err(Fault::TooLarge("links"));
    }
    let mut found = Vec::new();
    for link in items {
        let (url, anchor) = pair(link)?;
        if url.len() > MAX_LINK_BYTES {
            return Err(Fault::TooLarge("link"));
        }
        let end = anchor.floor_char_boundary(MAX_ANCHOR_BYTES);
        found.push(LinkOut { url: url.to_owned(), anchor: anchor[..end].to_owned() });
    }
    Ok(found)
}

fn pair<'a>(item: cbor::Item<'a>) -> Result<(&'a str, &'a str), Fault> {
    let mut items = item.array()?;
    match (items.next(), items.next(), items.next()) {
        (Some(one), Some(two), None) => Ok((one.text()?, two.text()?)),
        _ => Err(Fault::Malformed("pair")),
    }
}

fn write_pairs<'a>(
    to: &mut cbor::Writer,
    count: usize,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) {
    to.array(count);
    for (one, two) in pairs {
        to.array(2).text(one).text(two);
    }
}

/// Whether a text can stand in a request line as path and query.
pub fn is_page_path(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES
        && path.starts_with('/')
        && !path.bytes().any(|c| c <= b' ' || c == 0x7f || c == b'#')
}

impl Record {
    /// The record as a crawllet emits it.
    pub fn encode(&self) -> Vec<u8> {
        let mut to = cbor::Writer::new();
        let kind = match self.kind {
            Kind::Page => 1,
            Kind::LinkOnly => 2,
            Kind::Gone => 3,
            Kind::Unchanged => 4,
        };
        // The digest of a whole page is not sent: whoever has the page has it, and it does not pack.
        let whole = self.is_whole();
        to.map(if whole { 10 } else { 11 })
            .uint(1)
            .text(&self.path)
            .uint(2)
            .uint(self.status.into())
            .uint(3)
            .uint(kind);
        to.uint(4);
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        write_pairs(&mut to, self.headers.len(), headers);
        to.uint(5).bytes(&self.body);
        if !whole {
            to.uint(6).bytes(&self.sha256);
        }
        for (key, list) in [(7, &self.out_links), (8, &self.in_links)] {
            to.uint(key);
            let pairs = list.iter().map(|link| (link.url.as_str(), link.anchor.as_str()));
            write_pairs(&mut to, list.len(), pairs);
        }
        to.uint(9).uint(if self.source == Source::File { 1 } else { 0 });
        to.uint(10).uint(self.seq).uint(11).bytes(&self.tag);
        to.finish()
    }

    /// Reads a record.
    pub fn decode(bytes: &[u8]) -> Result<Record, Fault> {
        if bytes.len() > MAX_RECORD_BYTES {
            return Err(Fault::TooLarge("record"));
        }
        let fields = cbor::map(bytes)?;
        let path = fields.need(1)?.text()?;
        if !is_page_path(path) {
            return Err(Fault::Malformed("path"));
        }
        let status: u16 = fields.need(2)?.number()?;
        if !(100..=599).contains(&status) {
            return Err(Fault::Malformed("status"));
        }
        let kind = match fields.need(3)?.uint()? {
            1 => Kind::Page,
            2 => Kind::LinkOnly,
            3 => Kind::Gone,
            4 => Kind::Unchanged,
            _ => return Err(Fault::Malformed("kind of record")),
        };
        let source = match fields.get(9).map_or(Ok(0), |item| item.uint())? {
            0 => Source::Http,
            1 => Source::File,
            _ => return Err(Fault::Malformed("source")),
        };
        let body = fields.get(5).map_or(Ok(&[][..]), |item| item.bytes())?;
        let sha256 = match fields.get(6) {
            Some(digest) => digest.fixed()?,
            None if kind == Kind::Page => Sha256::digest(body).into(),
            None => return Err(Fault::Malformed("digest")),
        };
        Ok(Record {
            path: path.to_owned(),
            status,
            kind,
            headers: headers(fields.get(4))?,
            body: body.to_vec(),
            sha256,
            out_links: links(fields.get(7))?,
            in_links: links(fields.get(8))?,
            source,
            seq: fields.need(10)?.uint()?,
            tag: fields.need(11)?.fixed()?,
        })
    }

    /// Whether the body is the page as it was fetched; a summary is not.
    pub fn is_whole(&self) -> bool {
        self.kind == Kind::Page && <[u8; 32]>::from(Sha256::digest(&self.body)) == self.sha256
    }
}

fn headers(item: Option<cbor::Item<'_>>) -> Result<Vec<(String, String)>, Fault> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let items = item.array()?;
    if items.left() > MAX_HEADERS as u64 {
        return Err(Fault::TooLarge("headers"));
    }
    let mut found = Vec::new();
    for header in items {
        let (name, value) = pair(header)?;
        let is_name = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(is_name) {
            return Err(Fault::Malformed("header"));
        }
        // A line end would let a page write headers of its own into the archive.
        if value.len() > MAX_HEADER_BYTES || value.contains(['\r', '\n', '\0']) {
            return Err(Fault::Malformed("header"));
        }
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok(found)
}

/// The chain of tags: `tag = BLAKE2s-64(key, last tag || seq || length of path || path || status || sha256)`.
///
/// It shows that nothing between crawllet and engine was changed, dropped or reordered by someone who does not have
/// the key. The host can read the key out of the crawllet's memory; audits are for that.
#[derive(Clone)]
pub struct Chain {
    key: [u8; 32],
    tag: Tag,
    seq: u64,
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chain").field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl Chain {
    /// The beginning of a job.
    pub fn new(key: [u8; 32]) -> Chain {
        Chain { key, tag: [0; TAG_BYTES], seq: 0 }
    }

    fn tag_of(&self, record: &Record) -> Tag {
        let mut mac = <Blake2sMac<U8> as KeyInit>::new((&self.key).into());
        mac.update(&self.tag);
        mac.update(&self.seq.to_le_bytes());
        mac.update(&(record.path.len() as u32).to_le_bytes());
        mac.update(record.path.as_bytes());
        mac.update(&record.status.to_le_bytes());
        mac.update(&record.sha256);
        mac.finalize_fixed().into()
    }

    /// The tag of the next record; its own `seq` and `tag` are not looked at.
    pub fn next(&mut self, record: &Record) -> Tag {
        self.tag = self.tag_of(record);
        self.seq += 1;
        self.tag
    }

    /// Whether a record is the next one; if it is not, the chain stays where it was.
    pub fn check(&mut self, record: &Record) -> Result<(), Fault> {
        let tag = self.tag_of(record);
        if record.seq != self.seq || tag != record.tag {
            return Err(Fault::Chain(self.seq));
        }
        (self.tag, self.seq) = (tag, self.seq + 1);
        Ok(())
    }

    /// The last tag; zeros before the first.
    pub fn head(&self) -> Tag {
        self.tag
    }

    /// How many records there were.
    pub fn count(&self) -> u64 {
        self.seq
    }
}
