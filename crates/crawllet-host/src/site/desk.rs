//! What is a crawllet given when it asks for a page?
//!
//! The order of the questions matters: what it may not know of is refused before anything is asked of the web
//! server, so that the server's log shows no trace of it.

use super::files::Folder;
use super::target::{Bounds, Refused, Target};
use super::web::{Answer, MAX_ETAG, Missed, Web};
use crate::budget::{Budget, Short, Stop, Tally};
use crate::host::sha256;
use lycosa_crawllet::cbor;
use lycosa_frontier::robots::Robots;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Headers that a crawllet sees.
const HEADERS: &[&str] = &[
    "content-type",
    "last-modified",
    "etag",
    "location",
    "link",
    "x-robots-tag",
    "content-language",
    "content-usage",
    "date",
    "expires",
];

/// Header lines, and bytes of one, that are handed over.
const MAX_HEADERS: usize = 24;
const MAX_HEADER: usize = 4 << 10;

/// One file in so many is held against the web server's answer.
pub const SPOT_CHECK: u64 = 100;

/// After so many refused requests of one kind the crawllet is not lost but hostile, and is ended.
pub const MAX_REFUSED: u64 = 20_000;

/// Answers to the module; the numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// Not of this site, or outside of what the owner allows.
    OutOfScope = -1,
    /// Robots rules forbid it.
    Robots = -2,
    /// The page is too large.
    TooLarge = -4,
    /// The budget comes to its end.
    SoftLimit = -6,
    /// No path.
    BadArgument = -7,
    /// The web server does not answer.
    Upstream = -8,
    /// The answer is not for everybody.
    Private = -9,
}

/// A page for the module: its description and body.
pub type Page = (Vec<u8>, Vec<u8>);

/// Why the crawllet is ended on the spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps asking for what it may not have.
    Scope,
    /// It does not stop when it is told to.
    Exhausted(Short),
    /// The host stops.
    Stopped,
}

/// The desk of one job.
pub struct Desk {
    /// Scope and deny-list.
    pub bounds: Bounds,
    /// The site's robots rules, and the names under which they are read.
    pub robots: Robots,
    /// Product token of the engine.
    pub token: String,
    /// The web server.
    pub web: Web,
    /// The short-cut.
    pub folder: Option<Folder>,
    /// Pause before each page but the first.
    pub pause: Duration,
    /// Pause before the first.
    pub first_pause: Duration,
    /// The grant.
    pub budget: Budget,
    /// What is used.
    pub tally: Arc<Tally>,
    /// Whether the host stops.
    pub stop: Arc<Stop>,
    /// Dice for spot checks, from 0 to [`SPOT_CHECK`] - 1.
    pub dice: Box<dyn FnMut() -> u64 + Send>,
    /// What the owner should know.
    pub notes: Vec<String>,
    /// When the last page was asked for.
    pub last: Option<Instant>,
    /// Requests refused by scope or robots, and after the soft limit.
    pub refusals: (u64, u64),
}

impl Desk {
    /// Answers a `fetch`.
    ///
    /// # Errors
    /// If the crawllet is to be ended.
    pub fn fetch(&mut self, argument: &[u8]) -> Result<Result<Page, Code>, Verdict> {
        let mut parts = argument.splitn(2, |byte| *byte == b'\n');
        let path = parts.next().unwrap_or_default();
        let etag = match parts.next() {
            None => None,
            Some(bytes) => match etag(bytes) {
                None => return Ok(Err(Code::BadArgument)),
                etag => etag,
            },
        };
        let target = match Target::parse(path) {
            Ok(target) if self.bounds.admit(&target) => target,
            Ok(_) | Err(Refused::OutOfScope) => return self.refuse(Code::OutOfScope),
            Err(Refused::Nonsense) => return self.refuse(Code::BadArgument),
        };
        let wire = target.wire();
        if !self.robots.permits(&self.token, &wire) {
            return self.refuse(Code::Robots);
        }
        if let Some(short) = self.budget.short(&self.tally, Instant::now()) {
            self.refusals.1 += 1;
            // A crawllet that was told so often does not listen.
            if self.refusals.1 > MAX_REFUSED {
                return Err(Verdict::Exhausted(short));
            }
            return Ok(Err(Code::SoftLimit));
        }
        Tally::add(&self.tally.pages, 1);
        if let Some(page) = self.file(&target, etag.is_some()) {
            return Ok(Ok(page));
        }
        self.wait()?;
        match self.web.get(&wire, etag) {
            Ok(answer) if answer.is_private() => Ok(Err(Code::Private)),
            Ok(answer) => {
                Tally::add(&self.tally.bytes, answer.body.len() as u64);
                let meta = describe(answer.status, &answer.headers, 0, &answer.body);
                Ok(Ok((meta, answer.body)))
            }
            Err(Missed::TooLarge) => Ok(Err(Code::TooLarge)),
            Err(Missed::NoAnswer(_)) => Ok(Err(Code::Upstream)),
        }
    }

    fn refuse(&mut self, code: Code) -> Result<Result<Page, Code>, Verdict> {
        Tally::add(&self.tally.refused, 1);
        self.refusals.0 += 1;
        if self.refusals.0 > MAX_REFUSED { Err(Verdict::Scope) } else { Ok(Err(code)) }
    }

    /// The owner's pace.
    fn wait(&mut self) -> Result<(), Verdict> {
        let now = Instant::now();
        let due = self.last.map_or(now + self.first_pause, |last| last + self.pause);
        let pause = due.saturating_duration_since(now);
        if !pause.is_zero() && self.stop.wait(pause) || self.stop.is_said() {
            return Err(Verdict::Stopped);
        }
        self.last = Some(Instant::now());
        Ok(())
    }

    /// The page as a file, if it is one. Now and then the web server is asked too, and believed.
    fn file(&mut self, target: &Target, conditional: bool) -> Option<Page> {
        // Only the web server knows the marks of its versions.
        if target.has_query() || conditional {
            return None;
        }
        let found = self.folder.as_mut()?.look(target.path())?;
        if (found.first || (self.dice)() == 0) && self.wait().is_ok() {
            let answer = self.web.get(&target.wire(), None);
            let same =
                answer.as_ref().is_ok_and(|answer| is_same(answer, &found.body, found.media_type));
            if !same {
                let prefix = self.folder.as_mut()?.distrust(found.prefix)?;
                self.notes.push(format!(
                    "{} is not the file of that name: no files under {prefix} in this job",
                    target.path()
                ));
                return None;
            }
        }
        Tally::add(&self.tally.bytes, found.body.len() as u64);
        Tally::add(&self.tally.files, 1);
        let mut headers = vec![("content-type".to_owned(), found.media_type.to_owned())];
        headers.extend(http_date(found.modified).map(|date| ("last-modified".to_owned(), date)));
        Some((describe(200, &headers, 1, &found.body), found.body))
    }
}

/// A mark of a version, if it may stand in a head.
fn etag(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let inner = text.strip_prefix("W/").unwrap_or(text);
    let inner = inner.strip_prefix('"')?.strip_suffix('"')?;
    let fine = |c: char| c.is_ascii_graphic() && c != '"';
    (text.len() <= MAX_ETAG && inner.chars().all(fine)).then_some(text)
}

fn is_same(answer: &Answer, body: &[u8], media_type: &str) -> bool {
    let kind = answer.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    // Servers do not agree on the name of XML.
    let same_kind = kind.eq_ignore_ascii_case(media_type)
        || kind.ends_with("/xml") && media_type.ends_with("/xml");
    answer.status == 200 && !answer.is_private() && same_kind && answer.body == body
}

/// The CBOR that `meta` gives. The digest is told because a crawllet would take a hundred times as long for it.
fn describe(status: u16, headers: &[(String, String)], source: u64, body: &[u8]) -> Vec<u8> {
    let shown = |(name, value): &&(String, String)| {
        HEADERS.contains(&name.as_str()) && value.len() <= MAX_HEADER
    };
    let shown: Vec<_> = headers.iter().filter(shown).take(MAX_HEADERS).collect();
    let mut cbor = cbor::Writer::new();
    cbor.map(5).uint(1).uint(status.into()).uint(2).array(shown.len());
    for (name, value) in shown {
        cbor.array(2).text(name).text(value);
    }
    cbor.uint(3).uint(source).uint(4).uint(body.len() as u64).uint(5).bytes(&sha256(body));
    cbor.finish()
}

fn http_date(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&time).ok()
}

#[cfg(test)]
mod tests;
