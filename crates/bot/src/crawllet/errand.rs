//! How does one crawllet go to a site and come back? Two POSTs: HELLO is answered by a grant, UPLOAD by
//! what the crawllet finds, as it finds it.

use super::{Crawllets, Letter, Program, ReplyBody, SpoolError};
use bytes::Bytes;
use futures_util::StreamExt;
use lycosa_crawllet::descriptor::Descriptor;
use lycosa_crawllet::engine::{
    Cargo, End, Event, Granted, Hello, OutputKind, Reason, ResultReader, Seed, Seen, Wanted,
};
use lycosa_crawllet::host::MAX_ETAG_BYTES;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::{Record, is_page_path};
use lycosa_crawllet::subtree::{self, Page};
use lycosa_crawllet::{Fault, guests};
use lycosa_model::{CrawlletLimits, FetchError, Headers, Site, Weight};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Time until an answer begins.
const PATIENCE: Duration = Duration::from_secs(60);

/// Beyond the time that was granted, for the way.
const GRACE: Duration = Duration::from_secs(60);

/// Time for a crawllet at a site that grants it without an end.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Bytes of a grant.
const MAX_GRANT: usize = 16 << 10;

/// Seconds for which a signed request is valid.
const SIGNED_S: u64 = 300;

/// Pages that an estimate is made of.
const MAX_ESTIMATE: u64 = 100_000;

/// Bytes of the lists that it takes along, as they will be about when packed: the protocol leaves 2 MiB for them.
const MAX_LISTS: usize = 1_400_000;

/// What one crawllet takes along.
#[derive(Default)]
pub(crate) struct Load {
    pub(crate) wanted: Limits,
    pub(crate) seeds: Vec<Seed>,
    pub(crate) seen: Vec<Seen>,
    pub(crate) resume: Option<Vec<u8>>,
    pub(crate) job: [u8; 16],
    /// Whether it goes on with an earlier one.
    pub(crate) goes_on: bool,
    /// What lies where, as far as is known: should not all of it fit, some folders are chosen.
    pub(crate) weights: BTreeMap<String, Weight>,
    /// Part of a budget from which on the crawllet is told to end; 0 is the host's own.
    pub(crate) soft_limit: u8,
}

impl Load {
    /// Leaves what no host would take, and the end of lists that are too long. What a crawllet is not told of
    /// comes twice, or is fetched as always.
    fn fit(&mut self) {
        let mut room = MAX_LISTS;
        let mut has_room = |bytes: usize| {
            room = room.saturating_sub(bytes);
            room > 0
        };
        self.seeds.retain(|seed| is_page_path(&seed.path) && has_room(seed.path.len() / 2 + 4));
        self.seen.retain_mut(|page| {
            if page.etag.len() > MAX_ETAG_BYTES || page.etag.contains(char::is_control) {
                page.etag.clear();
            }
            let digest = page.sha256.map_or(0, |digest| digest.len());
            let bytes = page.path.len() / 2 + page.etag.len() + digest + 8;
            is_page_path(&page.path) && has_room(bytes)
        });
    }
}

/// Why it came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The site says how it ended, and everything arrived.
    Ended(Reason),
    /// The site declines.
    Refused(String),
    /// It takes crawllets, but not like this.
    Faulty(Fault),
    /// No answer, or one that ends too early.
    Cut(FetchError),
    /// HTTP says no.
    Status(u16),
    /// More came than may be kept.
    Full,
}

impl Stop {
    /// One word for the record.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Stop::Ended(reason) => reason.name(),
            Stop::Refused(_) => "refused",
            Stop::Faulty(Fault::Truncated(_)) => "truncated",
            Stop::Faulty(Fault::Failed(_)) => "host_error",
            Stop::Faulty(Fault::KeyExpired) => "key_expired",
            Stop::Faulty(_) => "fault",
            Stop::Cut(FetchError::Timeout | FetchError::TooSlow) => "timeout",
            Stop::Cut(_) => "connection",
            Stop::Status(_) => "http_status",
            Stop::Full => "full",
        }
    }

    /// One phrase for a person.
    pub(crate) fn explain(&self) -> String {
        match self {
            Stop::Ended(_) => format!("it ended: {}", self.name()),
            Stop::Refused(why) => format!("the site declines: {why}"),
            Stop::Faulty(fault) => fault.to_string(),
            Stop::Cut(why) => lycosa_model::Outcome::Failed(*why).explain().to_owned(),
            Stop::Status(status) => format!("the site answers with status {status}"),
            Stop::Full => "it brings more than may be kept".into(),
        }
    }

    /// Whether the site may have another key than the one that we know.
    pub(crate) fn may_be_key(&self) -> bool {
        matches!(self, Stop::Status(403) | Stop::Faulty(Fault::KeyExpired))
    }

    /// Whether another one may get further.
    pub(crate) fn may_go_on(&self) -> bool {
        match self {
            Stop::Ended(reason) => !matches!(reason, Reason::Done | Reason::HostShutdown),
            Stop::Faulty(Fault::Truncated(_) | Fault::Failed(_)) | Stop::Cut(_) => true,
            // Whoever breaks the protocol is not asked again.
            Stop::Faulty(_) | Stop::Refused(_) | Stop::Status(_) | Stop::Full => false,
        }
    }
}

/// What became of one.
pub(crate) struct Came {
    pub(crate) stop: Stop,
    pub(crate) granted: Option<Limits>,
    /// Bytes over the network, both ways.
    pub(crate) bytes: u64,
    pub(crate) state: Option<Vec<u8>>,
    pub(crate) end: Option<End>,
    /// Whether it was sent into some folders only.
    pub(crate) in_folders: bool,
}

impl Came {
    fn home(stop: Stop) -> Came {
        Came { stop, granted: None, bytes: 0, state: None, end: None, in_folders: false }
    }
}

/// A site that takes crawllets, as it describes itself.
pub(crate) struct Errand<'a> {
    pub(crate) crawllets: &'a Crawllets,
    pub(crate) site: &'a Site,
    pub(crate) descriptor: &'a Descriptor,
    /// As it was read: its digest is part of the handshake.
    pub(crate) described: &'a [u8],
    pub(crate) user_agent: &'a str,
    pub(crate) program: &'a Program,
}

/// Takes in what is sound.
pub(crate) type Take<'t> = dyn FnMut(Record) -> Result<(), SpoolError> + Send + 't;

impl Errand<'_> {
    /// Sends one, and takes in what it finds until it ends in one way or another. What was taken in by then
    /// is good.
    pub(crate) async fn run(&self, now_ms: u64, mut load: Load, take: &mut Take<'_>) -> Came {
        load.fit();
        let granted = match self.ask(now_ms, &load).await {
            Ok(granted) => granted,
            Err(stop) => return Came::home(stop),
        };
        let limits = granted.limits;
        let mut came = Came { granted: Some(limits), ..Came::home(Stop::Full) };
        let wall = match limits.wall_s {
            0 => LONGEST,
            seconds => Duration::from_secs(seconds.into()).min(LONGEST),
        };
        let deadline = Instant::now() + wall + GRACE;
        let scope = folders_that_fit(&load.weights, &limits);
        came.in_folders = !scope.is_empty();
        let (url, letter, reader) = match self.pack(granted, &load, &scope) {
            Ok(packed) => packed,
            Err(fault) => return Came { stop: Stop::Faulty(fault), ..came },
        };
        came.bytes = letter.len() as u64;
        came.stop = match timeout_at(deadline, self.post(url, letter, now_ms)).await {
            Err(_) => Stop::Cut(FetchError::Timeout),
            Ok(Err(stop)) => stop,
            Ok(Ok(body)) => {
                let reading = self.read(body, reader, take, &mut came);
                match timeout_at(deadline, reading).await {
                    Ok(stop) => stop,
                    Err(_) => Stop::Cut(FetchError::Timeout),
                }
            }
        };
        came
    }

    async fn ask(&self, now_ms: u64, load: &Load) -> Result<Granted, Stop> {
        let fresh = self.fresh()?;
        let wanted = Wanted {
            limits: load.wanted,
            purpose: vec!["search".into()],
            job: load.job,
            resume: load.goes_on,
        };
        let (keys, authority) = (&self.crawllets.settings.keys, self.site.authority());
        let hello =
            Hello::new(keys, self.descriptor, self.described, authority, wanted, now_ms, fresh);
        let (hello, sent) = hello.map_err(Stop::Faulty)?;
        let url = format!("{}{}", self.site, self.descriptor.endpoint);
        let mut body = self.post(url, hello, now_ms).await?;
        let mut grant = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        while let Some(piece) =
            timeout_at(deadline, body.next()).await.map_err(|_| Stop::Cut(FetchError::Timeout))?
        {
            grant.extend_from_slice(&piece.map_err(Stop::Cut)?);
            if grant.len() > MAX_GRANT {
                return Err(Stop::Faulty(Fault::TooLarge("GRANT")));
            }
        }
        sent.read_grant(&grant).map_err(|fault| match fault {
            Fault::Refused { .. } => Stop::Refused(fault.to_string()),
            fault => Stop::Faulty(fault),
        })
    }

    fn fresh(&self) -> Result<[u8; 32], Stop> {
        self.crawllets.fresh().ok_or(Stop::Faulty(Fault::Crypto))
    }

    fn pack(
        &self,
        granted: Granted,
        load: &Load,
        scope: &[String],
    ) -> Result<(String, Vec<u8>, ResultReader), Fault> {
        let mac_key = self.crawllets.fresh().ok_or(Fault::Crypto)?;
        let module = guests::patched(&self.program.wasm, &mac_key)?;
        let url = format!("{}{}?s={}", self.site, self.descriptor.endpoint, granted.session_hex());
        let cargo = Cargo {
            module: &module,
            mac_key,
            output: OutputKind { compressed: self.crawllets.settings.compress },
            params: &self.program.params,
            scope,
            seeds: &load.seeds,
            seen: &load.seen,
            resume: load.resume.as_deref(),
            soft_limit_percent: load.soft_limit,
        };
        let (letter, reader) = granted.upload(cargo)?;
        Ok((url, letter, reader))
    }

    async fn post(&self, url: String, body: Vec<u8>, now_ms: u64) -> Result<ReplyBody, Stop> {
        let mut headers = Headers::default();
        headers.push("User-Agent", self.user_agent.to_owned());
        headers.push("Content-Type", "application/clp");
        headers.push("Accept", "application/clp");
        if self.crawllets.settings.sign {
            let keys = &self.crawllets.settings.keys;
            let fresh = self.fresh()?;
            let signed = keys.sign_request(self.site.authority(), now_ms / 1000, SIGNED_S, &fresh);
            for (name, value) in signed.pairs() {
                headers.push(name, value.to_owned());
            }
        }
        let silence = self.crawllets.settings.silence;
        let body = Bytes::from(body);
        let letter = Letter { url, headers, body, patience: PATIENCE, silence };
        let reply = self.crawllets.courier.post(letter).await.map_err(Stop::Cut)?;
        if reply.status == 200 { Ok(reply.body) } else { Err(Stop::Status(reply.status)) }
    }

    /// Reads what the site sends until the end, in good order or not.
    async fn read(
        &self,
        mut body: ReplyBody,
        mut reader: ResultReader,
        take: &mut Take<'_>,
        came: &mut Came,
    ) -> Stop {
        loop {
            let piece = match body.next().await {
                None => break,
                Some(Ok(piece)) => piece,
                Some(Err(why)) => return Stop::Cut(why),
            };
            came.bytes += piece.len() as u64;
            if let Err(fault) = reader.feed(&piece) {
                return Stop::Faulty(fault);
            }
            loop {
                match reader.next_event() {
                    Ok(None) => break,
                    Ok(Some(event)) => {
                        if let Some(stop) = self.take_in(event, take, came) {
                            return stop;
                        }
                    }
                    Err(fault) => return Stop::Faulty(fault),
                }
            }
        }
        match reader.finish() {
            Ok(end) => Stop::Ended(end.reason),
            Err(fault) => Stop::Faulty(fault),
        }
    }

    /// Takes in one thing that the site tells; a reason to stop where there is one.
    fn take_in(&self, event: Event, take: &mut Take<'_>, came: &mut Came) -> Option<Stop> {
        match event {
            Event::Record(record) => match take(record) {
                Ok(()) => {}
                Err(SpoolError::Full) => return Some(Stop::Full),
                Err(error) => {
                    tracing::warn!(site = %self.site, "crawllet: {error}");
                    return Some(Stop::Full);
                }
            },
            Event::State(state) => came.state = Some(state),
            Event::End(end) => came.end = Some(end),
            Event::Log(line) => tracing::debug!(site = %self.site, "crawllet: {line}"),
            Event::Error { code, text } => {
                tracing::debug!(site = %self.site, code, "crawllet: {text}");
            }
            Event::Started { .. } | Event::Progress { .. } => {}
        }
        None
    }
}

/// The folders to ask for when not all that is known fits into the grant; none is everything.
fn folders_that_fit(weights: &BTreeMap<String, Weight>, limits: &Limits) -> Vec<String> {
    let mut pages = Vec::new();
    for (prefix, weight) in weights {
        let bytes = weight.bytes / weight.pages.max(1);
        let room = MAX_ESTIMATE.saturating_sub(pages.len() as u64);
        pages.extend((0..weight.pages.min(room)).map(|_| Page { path: prefix, bytes }));
    }
    let chosen = subtree::choose(pages, limits);
    if chosen == ["/"] { Vec::new() } else { chosen }
}

/// The same in the words of the model.
pub(crate) fn told(limits: &Limits) -> CrawlletLimits {
    CrawlletLimits {
        cpu_ms: limits.cpu_ms,
        mem_mib: limits.mem_mib,
        out_mib: limits.out_mib,
        pages: limits.pages,
        wall_s: limits.wall_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_fits_and_holds_nothing_that_a_host_refuses() {
        let seen =
            |path: String, etag: &str| Seen { path, sha256: Some([7; 32]), etag: etag.into() };
        let mut load = Load {
            seeds: ["/a", "no path", "/b c", "/d"].map(|path| Seed { path: path.into() }).to_vec(),
            seen: vec![seen("/x".into(), "\"e\""), seen("/y".into(), &"e".repeat(10_000))],
            ..Load::default()
        };
        load.seen.extend((0..100_000).map(|n| seen(format!("/{n}"), "")));
        load.fit();
        let paths: Vec<_> = load.seeds.iter().map(|seed| seed.path.as_str()).collect();
        assert_eq!(paths, ["/a", "/d"]);
        assert_eq!((load.seen[0].etag.as_str(), load.seen[1].etag.as_str()), ("\"e\"", ""));
        assert!((10_000..60_000).contains(&load.seen.len()), "{}", load.seen.len());
    }

    #[test]
    fn a_grant_that_is_too_small_is_used_for_some_folders() {
        let weight = |pages| Weight { pages, bytes: pages * 100 };
        let weights: BTreeMap<String, Weight> =
            [("/".into(), weight(5)), ("/a/".into(), weight(50)), ("/b/".into(), weight(500))]
                .into();
        let choose = |pages| folders_that_fit(&weights, &Limits { pages, ..Limits::default() });
        assert_eq!(choose(1_000), [] as [&str; 0], "all of it");
        assert_eq!(choose(100), ["/a/"]);
        assert_eq!(choose(10), [] as [&str; 0], "as far as it goes");
        assert_eq!(folders_that_fit(&BTreeMap::new(), &Limits::default()), [] as [&str; 0]);
    }
}
