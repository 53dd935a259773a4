//! What is a guest told to do? What `clp_init` gets.

use crate::cbor::{Malformed, Reader};

/// What a page may have when the host says nothing, in bytes.
const MAX_BODY: u64 = 16 << 20;

/// A page that the engine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Path with query.
    pub path: String,
    /// Digest of the body as it was; `None` when the engine has none.
    pub sha256: Option<[u8; 32]>,
    /// Entity tag; empty for none.
    pub etag: String,
}

/// A crawl of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Scheme and authority, as in `https://example.org`.
    pub origin: String,
    /// Beginnings of paths that are granted; none means all.
    pub scope: Vec<String>,
    /// Beginnings of paths that are not.
    pub deny: Vec<String>,
    /// What the guest alone understands.
    pub params: Vec<u8>,
    /// Where to begin.
    pub seeds: Vec<String>,
    /// What is known already.
    pub seen: Vec<Known>,
    /// The state of the crawl that this one goes on with; empty for none.
    pub resume: Vec<u8>,
    /// Longest body.
    pub max_body: u64,
}

impl Job {
    /// Reads a job.
    pub fn parse(bytes: &[u8]) -> Result<Job, Malformed> {
        let mut job = Job { max_body: MAX_BODY, ..Job::default() };
        Reader::new(bytes).map(|key, reader| {
            match key {
                1 => job.origin = reader.text()?.to_owned(),
                2 => texts(reader, &mut job.scope)?,
                3 => texts(reader, &mut job.deny)?,
                4 => job.params = reader.bytes()?.to_vec(),
                5 => texts(reader, &mut job.seeds)?,
                6 => reader.array(|reader| {
                    job.seen.push(known(reader)?);
                    Ok(())
                })?,
                7 => job.resume = reader.bytes()?.to_vec(),
                8 => job.max_body = reader.uint()?.min(MAX_BODY),
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        if job.origin.is_empty() {
            return Err(Malformed);
        }
        Ok(job)
    }

    /// Whether a path is in the granted part of the site.
    pub fn grants(&self, path: &str) -> bool {
        let begins = |prefix: &String| path.starts_with(prefix.as_str());
        (self.scope.is_empty() || self.scope.iter().any(begins)) && !self.deny.iter().any(begins)
    }
}

fn texts(reader: &mut Reader<'_>, into: &mut Vec<String>) -> Result<(), Malformed> {
    reader.array(|reader| {
        into.push(reader.text()?.to_owned());
        Ok(())
    })
}

fn known(reader: &mut Reader<'_>) -> Result<Known, Malformed> {
    let mut known = Known::default();
    let mut place = 0;
    reader.array(|reader| {
        match place {
            0 => known.path = reader.text()?.to_owned(),
            1 => known.sha256 = <[u8; 32]>::try_from(reader.bytes()?).ok(),
            2 => known.etag = reader.text()?.to_owned(),
            _ => reader.skip()?,
        }
        place += 1;
        Ok(())
    })?;
    Ok(known)
}
