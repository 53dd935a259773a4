//! What does a site grant? The payload of GRANT, which both sides keep.

use crate::limits::Limits;
use crate::{Fault, cbor};
use std::time::Duration;

/// Path prefixes of a scope.
pub const MAX_PREFIXES: usize = 32;
/// Longest path prefix.
pub const MAX_PREFIX_BYTES: usize = 256;
/// How long a grant may wait for its upload.
pub const MAX_VALID_MS: u64 = 120_000;
/// Longest pause between two pages that a site may ask for.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Lists of hints.
const MAX_HINTS: usize = 16;
const MAX_HINT_BYTES: usize = 512;
const MAX_TICKET_BYTES: usize = 2048;

/// What a site grants for one job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Names the session; also in the address of UPLOAD.
    pub session_id: [u8; 16],
    /// Until when the upload must begin, by the clock of the site.
    pub valid_until_ms: u64,
    /// What the crawllet may use.
    pub limits: Limits,
    /// Path prefixes that may be visited.
    pub scope: Vec<String>,
    /// Path prefixes that may not.
    pub deny: Vec<String>,
    /// SHA-256 of the robots.txt that the site enforces, if it has one.
    pub robots_sha256: Option<[u8; 32]>,
    /// Pause between two pages.
    pub crawl_delay: Duration,
    /// What the site knows about itself.
    pub hints: Hints,
    /// What runs the crawllet.
    pub runtime: Runtime,
    /// Fresh bytes of the site.
    pub server_nonce: [u8; 16],
    /// For sites that keep no session files; empty otherwise.
    pub ticket: Vec<u8>,
}

/// What a site knows about itself; nothing follows from it but an estimate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hints {
    /// The name of the web server.
    pub server: String,
    /// Paths of sitemaps.
    pub sitemaps: Vec<String>,
    /// About how many pages there are; 0 when unknown.
    pub pages: u64,
    /// Path prefixes that are read from the disk.
    pub fs_roots: Vec<String>,
}

/// What runs the crawllet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Runtime {
    /// Version of the guest interface.
    pub abi: u32,
    /// Name and version of the sandbox.
    pub engine: String,
    /// Further abilities: how modules may travel; see [`crate::host::features`].
    pub features: Vec<String>,
}

/// Whether a text is an absolute path without anything that a request line could not hold.
pub(crate) fn is_path(text: &str) -> bool {
    text.len() <= MAX_PREFIX_BYTES
        && text.starts_with('/')
        && !text.starts_with("//")
        && text.bytes().all(|c| c.is_ascii_graphic() && !matches!(c, b'#' | b'\\'))
}

pub(crate) fn are_prefixes(list: &[String]) -> bool {
    list.len() <= MAX_PREFIXES && list.iter().all(|prefix| is_path(prefix))
}

fn prefixes(item: cbor::Item<'_>) -> Result<Vec<String>, Fault> {
    let list = item.texts(MAX_PREFIXES)?;
    if are_prefixes(&list) { Ok(list) } else { Err(Fault::Malformed("prefix")) }
}

fn hint(item: cbor::Item<'_>) -> Result<String, Fault> {
    let text = item.text()?;
    if text.len() > MAX_HINT_BYTES || text.contains(char::is_control) {
        return Err(Fault::Malformed("hint"));
    }
    Ok(text.to_owned())
}

fn hint_list(item: cbor::Item<'_>) -> Result<Vec<String>, Fault> {
    let items = item.array()?;
    if items.left() > MAX_HINTS as u64 {
        return Err(Fault::TooLarge("hints"));
    }
    items.map(hint).collect()
}

impl Terms {
    pub(crate) fn write(&self, to: &mut cbor::Writer) {
        to.map(9).uint(1).bytes(&self.session_id).uint(2).uint(self.valid_until_ms).uint(3);
        self.limits.write(to);
        to.uint(4).array(2).texts(&self.scope).texts(&self.deny);
        let robots = self.robots_sha256.as_ref().map_or(&[][..], |digest| digest);
        let delay = self.crawl_delay.min(MAX_CRAWL_DELAY).as_millis() as u64;
        to.uint(5).array(2).bytes(robots).uint(delay);
        let hints = &self.hints;
        to.uint(6).map(4).uint(1).text(&hints.server).uint(2).texts(&hints.sitemaps);
        to.uint(3).uint(hints.pages).uint(4).texts(&hints.fs_roots);
        let runtime = &self.runtime;
        to.uint(7).map(3).uint(1).uint(runtime.abi.into()).uint(2).text(&runtime.engine);
        to.uint(3).texts(&runtime.features);
        to.uint(8).bytes(&self.server_nonce).uint(9).bytes(&self.ticket);
    }

    pub(crate) fn read(fields: &cbor::Fields<'_>) -> Result<Terms, Fault> {
        let mut paths = fields.need(4)?.array()?;
        let mut robots = fields.need(5)?.array()?;
        let (Some(scope), Some(deny), Some(digest), Some(delay)) =
            (paths.next(), paths.next(), robots.next(), robots.next())
        else {
            return Err(Fault::Malformed("grant"));
        };
        let robots_sha256 = if digest.bytes()?.is_empty() { None } else { Some(digest.fixed()?) };
        let hints = fields.need(6)?.map()?;
        let runtime = fields.need(7)?.map()?;
        let ticket = fields.get(9).map_or(Ok(&[][..]), |item| item.bytes())?;
        if ticket.len() > MAX_TICKET_BYTES {
            return Err(Fault::TooLarge("ticket"));
        }
        Ok(Terms {
            session_id: fields.need(1)?.fixed()?,
            valid_until_ms: fields.need(2)?.uint()?,
            limits: Limits::read(fields.need(3)?)?,
            scope: prefixes(scope)?,
            deny: prefixes(deny)?,
            robots_sha256,
            crawl_delay: Duration::from_millis(delay.uint()?).min(MAX_CRAWL_DELAY),
            hints: Hints {
                server: hint(hints.need(1)?)?,
                sitemaps: hint_list(hints.need(2)?)?,
                pages: hints.need(3)?.uint()?,
                fs_roots: hint_list(hints.need(4)?)?,
            },
            runtime: Runtime {
                abi: runtime.need(1)?.number()?,
                engine: hint(runtime.need(2)?)?,
                features: hint_list(runtime.need(3)?)?,
            },
            server_nonce: fields.need(8)?.fixed()?,
            ticket: ticket.to_vec(),
        })
    }
}
