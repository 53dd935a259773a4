//! What can a guest ask of its host?
//!
//! The six functions of the ABI as a trait, so that the same crawl runs in the sandbox and, in tests,
//! on a site in memory.

use crate::cbor::{Malformed, Reader};

/// Headers of one answer that are kept.
const MAX_HEADERS: usize = 64;

/// Why the host did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Outside the granted part of the site.
    OutOfScope,
    /// The site's robots rules forbid it.
    Robots,
    /// No such handle.
    NotFound,
    /// Larger than is handed over.
    TooLarge,
    /// Not now: the site is asked too often.
    Rate,
    /// A budget is nearly used up: time to ship the state and to stop.
    SoftLimit,
    /// The host could not read what was asked.
    BadArgument,
    /// The web server gave no answer.
    Upstream,
    /// The answer is meant for somebody else, and withheld.
    Private,
    /// A number that this SDK does not know.
    Other(i32),
}

impl Refusal {
    /// The refusal behind a negative number.
    pub fn of(code: i32) -> Refusal {
        match code {
            -1 => Refusal::OutOfScope,
            -2 => Refusal::Robots,
            -3 => Refusal::NotFound,
            -4 => Refusal::TooLarge,
            -5 => Refusal::Rate,
            -6 => Refusal::SoftLimit,
            -7 => Refusal::BadArgument,
            -8 => Refusal::Upstream,
            -9 => Refusal::Private,
            other => Refusal::Other(other),
        }
    }

    /// Its number in the ABI.
    pub fn code(self) -> i32 {
        match self {
            Refusal::OutOfScope => -1,
            Refusal::Robots => -2,
            Refusal::NotFound => -3,
            Refusal::TooLarge => -4,
            Refusal::Rate => -5,
            Refusal::SoftLimit => -6,
            Refusal::BadArgument => -7,
            Refusal::Upstream => -8,
            Refusal::Private => -9,
            Refusal::Other(code) => code,
        }
    }
}

/// What is left of the grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Fetches.
    pub pages: u64,
    /// Bytes that may be emitted.
    pub out_bytes: u64,
    /// Steps of the machine.
    pub fuel: u64,
    /// Milliseconds.
    pub ms: u64,
}

/// The host, as a guest sees it.
pub trait Host {
    /// Asks for a path with its query; `path`, a line feed and an entity tag ask for it only if it
    /// has changed. A new fetch closes the handle of the one before.
    fn fetch(&mut self, request: &[u8]) -> Result<i32, Refusal>;
    /// Copies the next bytes of the body; 0 at its end.
    fn read(&mut self, handle: i32, into: &mut [u8]) -> Result<usize, Refusal>;
    /// Status and headers, as CBOR.
    fn meta(&mut self, handle: i32) -> Result<Vec<u8>, Refusal>;
    /// Hands over a record or the state; the first byte says which.
    fn emit(&mut self, payload: &[u8]) -> Result<(), Refusal>;
    /// What is left.
    fn budget(&mut self) -> Result<Budget, Refusal>;
    /// A line for the log, for people.
    fn log(&mut self, line: &str);
    /// The key of the chain of tags; the engine puts it into the module.
    fn mac_key(&self) -> [u8; 32];
}

/// Status and headers of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// HTTP status.
    pub status: u16,
    /// Names in lower case, with values.
    pub headers: Vec<(String, String)>,
    /// 0: asked of the web server; 1: read from its files.
    pub source: u64,
    /// Length of the body.
    pub length: u64,
    /// Its digest, where the host tells it. It is believed: whoever could tell a false one could hand over a false
    /// body as well.
    pub sha256: Option<[u8; 32]>,
}

impl Meta {
    /// Reads what the host tells of an answer.
    pub fn parse(bytes: &[u8]) -> Result<Meta, Malformed> {
        let mut meta = Meta::default();
        let headers = &mut meta.headers;
        let (mut status, mut source, mut length, mut sha256) = (0, 0, 0, None);
        Reader::new(bytes).map(|key, reader| {
            match key {
                1 => status = reader.uint()?,
                2 => reader.array(|reader| {
                    let mut words = Vec::new();
                    reader.array(|reader| {
                        words.push(String::from_utf8_lossy(reader.bytes()?).into_owned());
                        Ok(())
                    })?;
                    if let (Ok([name, value]), true) =
                        (<[String; 2]>::try_from(words), headers.len() < MAX_HEADERS)
                    {
                        headers.push((name.to_ascii_lowercase(), value));
                    }
                    Ok(())
                })?,
                3 => source = reader.uint()?,
                4 => length = reader.uint()?,
                5 => sha256 = <[u8; 32]>::try_from(reader.bytes()?).ok(),
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        meta.status = u16::try_from(status).map_err(|_| Malformed)?;
        (meta.source, meta.length, meta.sha256) = (source.min(1), length, sha256);
        Ok(meta)
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub fn all<'m>(&'m self, name: &'m str) -> impl Iterator<Item = &'m str> {
        let named = self.headers.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The media type in lower case, without parameters; empty when none is told.
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or("");
        let essence = value.split([';', ',']).next().unwrap_or("");
        essence.trim().to_ascii_lowercase()
    }
}
