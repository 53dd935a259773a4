//! How is a site walked from its seeds to the last page, or to the end of a budget?

use crate::cbor::Malformed;
use crate::host::{Host, Meta, Refusal};
use crate::html::{self, Page, Wants};
use crate::job::{Job, Known};
use crate::links::{self, Link, LinkKind};
use crate::record::{marked, Chain, Kind, LinkOut, Record, IS_STATE};
use crate::sha256::sha256;
use crate::state::State;
use crate::table::{hash, Table};
use crate::url::{self, Url};

/// Bytes that are asked of the host at once.
const CHUNK: usize = 64 << 10;
/// How often the host may say "not now" to one path before the crawl stops and ships its state.
const MAX_RATE: u32 = 3;
/// How many paths in a row may get no answer before the crawl stops and ships its state.
const MAX_UPSTREAM: usize = 16;
/// Addresses on other sites that are remembered to have been named.
const MAX_NAMED: usize = 100_000;

/// How a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is left to do.
    Done,
    /// A budget is nearly used up; the state was shipped.
    Suspended,
    /// It could not go on.
    Failed(Refusal),
}

impl Outcome {
    /// What `clp_run` answers.
    pub fn code(self) -> i32 {
        match self {
            Outcome::Done => 0,
            Outcome::Suspended => 1,
            Outcome::Failed(refusal) => refusal.code().min(-1),
        }
    }
}

/// An answer of the site, and what was found in it.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Path with query, as it was asked for.
    pub path: &'a str,
    /// Status and headers.
    pub meta: &'a Meta,
    /// The body as fetched; empty where [`Crawllet::reads`] did not want it.
    pub body: &'a [u8],
    /// Its digest; for `304 Not Modified` the one that the engine knows.
    pub sha256: [u8; 32],
    /// What the page says, if it is HTML.
    pub page: Option<&'a Page>,
    /// Where it leads, each target once, as far as robots may follow.
    pub links: &'a [Link],
    /// What the engine knows of it.
    pub known: Option<&'a Known>,
}

/// What is handed over for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// Nothing.
    Nothing,
    /// The body as fetched. Its record names only links that no earlier record named.
    Whole,
    /// These bytes instead of the body, with all links.
    Instead(Vec<u8>),
    /// All links.
    LinkOnly,
    /// That it is gone.
    Gone,
    /// That it is as the engine knows it, with links that no earlier record named.
    Unchanged,
}

/// What makes one kind of crawllet different from another.
pub trait Crawllet {
    /// Reads the parameters of the job.
    ///
    /// # Errors
    /// If they make no sense; the crawl does not begin then.
    fn start(&mut self, params: &[u8]) -> Result<(), Malformed> {
        let _ = params;
        Ok(())
    }

    /// Whether what the engine knows is visited again, instead of being left alone.
    fn revisits(&self) -> bool {
        false
    }

    /// What is looked for in pages beside the links that lead readers on.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Whether a link is followed and named.
    fn follows(&self, link: &Link) -> bool {
        link.kind != LinkKind::Resource
    }

    /// Whether the body of an answer is wanted. Without it the answer has no links and no record.
    fn reads(&self, path: &str, meta: &Meta) -> bool {
        let _ = (path, meta);
        true
    }

    /// What is handed over for an answer.
    fn take(&mut self, visit: &Visit<'_>) -> Take;
}

/// Crawls until nothing is left or the host says that a budget is nearly used up.
pub fn crawl<H: Host>(host: &mut H, job: &Job, guest: &mut impl Crawllet) -> Outcome {
    match Crawl::new(host, job, guest) {
        Ok(mut crawl) => crawl.run(),
        Err(Malformed) => Outcome::Failed(Refusal::BadArgument),
    }
}

/// What came of one path.
enum Step {
    Next,
    Again(Refusal),
    Failed(Refusal),
}

struct Crawl<'c, H, G> {
    host: &'c mut H,
    job: &'c Job,
    guest: &'c mut G,
    origin: Url,
    state: State,
    /// What the engine knows: the place in the job by the hash of the path.
    known: Table,
    named: Table,
    chain: Chain,
}

impl<'c, H: Host, G: Crawllet> Crawl<'c, H, G> {
    fn new(host: &'c mut H, job: &'c Job, guest: &'c mut G) -> Result<Self, Malformed> {
        guest.start(&job.params)?;
        let origin = Url::parse(&job.origin).ok_or(Malformed)?;
        let state = match job.resume.is_empty() {
            true => State::default(),
            false => State::parse(&job.resume)?,
        };
        let chain = Chain::new(host.mac_key());
        let (known, named) = (Table::default(), Table::default());
        let mut crawl = Crawl { host, job, guest, origin, state, known, named, chain };
        crawl.fill();
        Ok(crawl)
    }

    /// Puts the seeds into the queue and what is known where it belongs.
    fn fill(&mut self) {
        let job = self.job;
        for seed in &job.seeds {
            self.add_seed(seed);
        }
        for (place, known) in (0..).zip(&job.seen) {
            let hash = hash(&url::normal(&known.path));
            self.known.insert(hash, place);
            match self.guest.revisits() {
                true => self.add_seed(&known.path),
                false => {
                    self.state.meet(hash);
                }
            }
        }
        if job.seeds.is_empty() && job.resume.is_empty() && self.state.waiting() == 0 {
            match job.scope.is_empty() {
                true => self.add_seed("/"),
                false => job.scope.iter().for_each(|prefix| self.add_seed(prefix)),
            }
        }
    }

    fn add_seed(&mut self, seed: &str) {
        let seed = self.origin.join(seed, None).filter(|url| url.same_site(&self.origin));
        if let Some(path) = seed.map(|url| url.path_and_query()) {
            if self.job.grants(&path) {
                self.state.add(&path, hash(&url::normal(&path)));
            }
        }
    }

    fn run(&mut self) -> Outcome {
        let mut unanswered: Vec<String> = Vec::new();
        let mut rate = 0;
        while let Some(path) = self.state.take() {
            match self.step(&path) {
                Step::Next => {
                    rate = 0;
                    unanswered.clear();
                }
                Step::Failed(refusal) => return Outcome::Failed(refusal),
                Step::Again(Refusal::Rate) if rate < MAX_RATE => {
                    rate += 1;
                    self.state.put_back(path);
                }
                Step::Again(Refusal::Upstream) => {
                    unanswered.push(path);
                    if unanswered.len() == MAX_UPSTREAM {
                        unanswered.drain(..).rev().for_each(|path| self.state.put_back(path));
                        return self.suspend();
                    }
                }
                Step::Again(_) => {
                    self.state.put_back(path);
                    return self.suspend();
                }
            }
        }
        Outcome::Done
    }

    /// Ships the state. Records name all links, so without it nothing is lost but time.
    fn suspend(&mut self) -> Outcome {
        let state = self.state.to_bytes(|path| hash(&url::normal(path)));
        if self.host.emit(&marked(IS_STATE, &state)).is_err() {
            self.host.log("the state was not taken");
        }
        Outcome::Suspended
    }

    /// Visits one path.
    fn step(&mut self, path: &str) -> Step {
        let place = self.known.get(hash(&url::normal(path)));
        let known = place.and_then(|place| self.job.seen.get(place as usize));
        let mut request = path.as_bytes().to_vec();
        if let Some(known) = known.filter(|known| self.guest.revisits() && !known.etag.is_empty()) {
            request.push(b'\n');
            request.extend_from_slice(known.etag.as_bytes());
        }
        let handle = match self.host.fetch(&request) {
            Ok(handle) => handle,
            Err(again @ (Refusal::SoftLimit | Refusal::Rate | Refusal::Upstream)) => {
                return Step::Again(again)
            }
            // Not for us; if the engine wants it, it asks itself.
            Err(_) => return Step::Next,
        };
        let meta = match self.host.meta(handle).map(|bytes| Meta::parse(&bytes)) {
            Ok(Ok(meta)) => meta,
            _ => return Step::Next,
        };
        if meta.status != NOT_MODIFIED && !self.guest.reads(path, &meta) {
            return Step::Next;
        }
        let body = match self.body(handle, &meta) {
            Ok(body) => body,
            Err(Refusal::SoftLimit) => return Step::Again(Refusal::SoftLimit),
            Err(_) => return Step::Next,
        };
        self.visit(path, &meta, &body, known)
    }

    /// The whole body, unless it is too large or breaks off.
    fn body(&mut self, handle: i32, meta: &Meta) -> Result<Vec<u8>, Refusal> {
        let most = self.job.max_body as usize;
        if meta.length > self.job.max_body {
            return Err(Refusal::TooLarge);
        }
        let mut body = Vec::with_capacity(meta.length as usize + 1);
        loop {
            let length = body.len();
            let room = (meta.length as usize).saturating_sub(length).clamp(1, CHUNK);
            body.resize(length + room, 0);
            let read = self.host.read(handle, &mut body[length..])?;
            body.truncate(length + read);
            if read == 0 {
                return Ok(body);
            }
            if body.len() > most {
                return Err(Refusal::TooLarge);
            }
        }
    }

    /// Reads an answer, hands over what the guest takes of it, and notes where it leads.
    fn visit(&mut self, path: &str, meta: &Meta, body: &[u8], known: Option<&Known>) -> Step {
        let sha256 = match (meta.status, known) {
            (NOT_MODIFIED, Some(known)) => known.sha256.unwrap_or([0; 32]),
            _ => meta.sha256.unwrap_or_else(|| sha256(body)),
        };
        let text = html::is_html(&meta.media_type(), body)
            .then(|| crate::charset::decode(body, meta.header("content-type")));
        let page = text.as_ref().map(|text| html::read(&text.text, self.guest.wants()));
        let mut links = match self.origin.join(path, None) {
            Some(url) => {
                let query_charset = text.as_ref().and_then(|text| text.query);
                links::of(&url, meta, page.as_ref(), query_charset, self.job)
            }
            None => Vec::new(),
        };
        links.retain(|link| self.guest.follows(link));
        let visit = Visit { path, meta, body, sha256, page: page.as_ref(), links: &links, known };
        let take = self.guest.take(&visit);
        let step = self.hand_over(&visit, take);
        if let Step::Next = step {
            for link in links.iter().filter(|link| link.is_inside) {
                self.state.add(&link.target, link.hash);
            }
        }
        step
    }

    fn hand_over(&mut self, visit: &Visit<'_>, take: Take) -> Step {
        let (kind, body, all): (Kind, &[u8], bool) = match &take {
            Take::Nothing => return Step::Next,
            Take::Whole => (Kind::Page, visit.body, false),
            Take::Instead(bytes) => (Kind::Page, bytes, true),
            Take::LinkOnly => (Kind::LinkOnly, &[], true),
            Take::Gone => (Kind::Gone, &[], false),
            Take::Unchanged => (Kind::Unchanged, &[], false),
        };
        let out_links = self.told(visit.links, false, all);
        let in_links = self.told(visit.links, true, all);
        let record = Record {
            path: visit.path,
            status: visit.meta.status,
            kind,
            headers: &visit.meta.headers,
            body,
            sha256: visit.sha256,
            whole: take == Take::Whole,
            out_links: &out_links,
            in_links: &in_links,
            source: visit.meta.source,
        };
        let chain = self.chain.next(&record);
        let payload = record.payload(&chain);
        // The state must find room behind the record. A record that finds none even on an empty slate
        // never will.
        let needed = payload.len() + self.state.size();
        let fits = self.host.budget().map_or(true, |left| left.out_bytes >= needed as u64);
        if !fits && !self.chain.is_empty() {
            return Step::Again(Refusal::SoftLimit);
        }
        if !fits {
            return Step::Next;
        }
        match self.host.emit(&payload) {
            Ok(()) => self.chain = chain,
            Err(Refusal::TooLarge) => return Step::Next,
            Err(Refusal::SoftLimit) => return Step::Again(Refusal::SoftLimit),
            Err(refusal) => return Step::Failed(refusal),
        }
        for link in visit.links.iter().filter(|link| !link.is_inside) {
            if self.named.len() < MAX_NAMED {
                self.named.insert(link.hash, 0);
            }
        }
        Step::Next
    }

    /// The links of a record. A page that is handed over whole has all of them in it, with their words.
    fn told(&self, links: &[Link], inside: bool, all: bool) -> Vec<LinkOut> {
        let is_told = |hash: u64| match inside {
            true => self.state.has_met(hash),
            false => self.named.get(hash).is_some(),
        };
        let wanted = links.iter().filter(|link| link.is_inside == inside);
        let fresh = wanted.filter(|link| all || !is_told(link.hash));
        let out = |link: &Link| LinkOut {
            target: link.target.clone(),
            anchor: if all { link.anchor.clone() } else { String::new() },
        };
        fresh.map(out).collect()
    }
}

/// "As you know it."
pub const NOT_MODIFIED: u16 = 304;
