//! What did the web look like when it was archived? Serves every request from archives, with no network.
//!
//! [`Replay`] is the web that a crawl with `--replay` sees: the same archives give the same answers, and
//! time passes on tokio's clock only. [`proxy`] offers the same web to other programs.

mod conditional;
mod error;
mod files;
mod index;
pub mod proxy;

pub use error::ReplayError;
pub use index::{Progress, Summary};

use bytes::Bytes;
use index::{Index, Place};
use lycosa_frontier::normal;
use lycosa_model::{FetchError, Headers, UrlId};
use lycosa_runtime::{Answer, Ask, Web};
use lycosa_store::archive::{Entry, Kind, Limits, Reader, Record};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

/// How long an answer takes on the crawl's clock: a function of nothing but its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// For every answer.
    pub base: Duration,
    /// How quickly a body comes; must not be zero.
    pub bytes_per_second: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Latency { base: Duration::from_millis(50), bytes_per_second: 1_000_000 }
    }
}

impl Latency {
    /// How long an answer with a body of so many bytes takes.
    pub fn of(self, bytes: u64) -> Duration {
        let micros = bytes.saturating_mul(1_000_000) / self.bytes_per_second.max(1);
        self.base + Duration::from_micros(micros)
    }
}

/// A web made of archives. What it has not captured it answers with a 404 of its own.
#[derive(Debug)]
pub struct Replay {
    files: Vec<PathBuf>,
    index: Index,
    latency: Option<Latency>,
}

impl Replay {
    /// Reads archives (files, or folders of `*.warc`, `*.warc.gz`, `*.arc`, `*.arc.gz`) and remembers
    /// where each capture stands; `progress` is told after each file, from any thread. Bodies stay on
    /// the disk. An archive that cannot be read is an error; damage inside one is counted in the
    /// [`Summary`].
    pub fn open(
        paths: &[PathBuf],
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Replay, ReplayError> {
        let files = files::find(paths)?;
        let index = Index::build(&files, progress)?;
        Ok(Replay { files, index, latency: Some(Latency::default()) })
    }

    /// Sets how long answers take; with `None` they come at once, as a proxy wants it.
    #[must_use]
    pub fn with_latency(mut self, latency: Option<Latency>) -> Replay {
        self.latency = latency;
        self
    }

    /// What was found in the archives.
    pub fn summary(&self) -> &Summary {
        &self.index.summary
    }

    /// The archived answer, at once. The address is looked up in its normal form, first with its own
    /// scheme, then with the other one: links say http and https alike, and an archive has one of them.
    /// Conditional requests are honoured. The error is [`FetchError::Protocol`] when a capture that was
    /// there at the start cannot be read any more.
    pub fn answer(&self, url: &str, headers: &Headers) -> Result<Answer, FetchError> {
        let Some(place) = self.find(url) else {
            return Ok(self.not_captured(url));
        };
        let Some(mut answer) = self.read(place).and_then(answer_of) else {
            tracing::warn!(url, ?place, "a capture cannot be read any more");
            return Err(FetchError::Protocol);
        };
        if answer.status == 200 && conditional::not_modified(headers, &answer.headers) {
            answer.status = 304;
            answer.body = Bytes::new();
            answer.headers = conditional::headers_of_304(&answer.headers);
        }
        answer.took = self.takes(answer.body.len() as u64);
        Ok(answer)
    }

    /// Whether an address was captured.
    pub fn has(&self, url: &str) -> bool {
        self.find(url).is_some()
    }

    fn find(&self, url: &str) -> Option<Place> {
        let address = normal::parse(url).ok()?;
        let other = match address.normal().strip_prefix("https:") {
            Some(rest) => format!("http:{rest}"),
            None => format!("https:{}", address.normal().strip_prefix("http:")?),
        };
        let index = &self.index;
        index.get(&address.id).or_else(|| index.get(&UrlId::of(&other)))
    }

    fn read(&self, place: Place) -> Option<Record> {
        let path = self.files.get(place.file as usize)?;
        let limits = Limits::default();
        let mut reader = Reader::open_at(path, place.offset, place.inner, limits).ok()?;
        match reader.next()?.ok()? {
            Entry::Record(record) => Some(record),
            Entry::Fault(_) => None,
        }
    }

    fn takes(&self, bytes: u64) -> Duration {
        self.latency.map_or(Duration::ZERO, |latency| latency.of(bytes))
    }

    fn not_captured(&self, url: &str) -> Answer {
        let mut headers = Headers::default();
        headers.push("Content-Type", "text/plain; charset=utf-8");
        Answer {
            status: 404,
            version: "1.1",
            headers,
            body: Bytes::from(format!("not in the archive: {url}\n")),
            ip: None,
            cut: false,
            took: self.takes(0),
            captured: false,
        }
    }
}

/// The answer that stands in a record.
fn answer_of(record: Record) -> Option<Answer> {
    let ip = record.headers.get("WARC-IP-Address");
    let ip = ip.and_then(|text| text.trim().parse().ok());
    let (status, version, headers, body) = if record.kind == Kind::Resource {
        // A file without protocol is served as what it says it is.
        let mut headers = Headers::default();
        if let Some(mime) = record.headers.get("Content-Type") {
            headers.push("Content-Type", mime.to_owned());
        }
        (200, "1.1", headers, record.block)
    } else {
        let http = record.http().ok()?;
        let version = match http.version.as_str() {
            "1.0" | "0.9" => "1.0",
            "2" | "2.0" => "2",
            _ => "1.1",
        };
        (http.status, version, http.headers, http.body)
    };
    Some(Answer {
        status,
        version,
        headers,
        body,
        ip,
        cut: false,
        took: Duration::ZERO,
        captured: true,
    })
}

impl Web for Replay {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            // Read here and now, not on another thread: the order of events must not depend on how
            // quick a disk is.
            let answer = self.answer(&ask.url, &ask.headers)?;
            let size = answer.body.len() as u64;
            let took = self.takes(size.min(ask.max_body));
            if took > ask.timeout {
                tokio::time::sleep(ask.timeout).await;
                return Err(FetchError::Timeout);
            }
            if !took.is_zero() {
                tokio::time::sleep(took).await;
            }
            answer.within(&ask)
        })
    }
}

#[cfg(test)]
mod tests;
