//! How does a guest do on a site in memory? A host for tests.

use crate::cbor::{Reader, Writer};
use crate::crawl::{crawl, Crawllet, Outcome};
use crate::host::{Budget, Host, Refusal};
use crate::job::{Job, Known};
use crate::record::{IS_RECORD, IS_STATE};
use crate::sha256::sha256;
use std::collections::BTreeMap;

/// Runs that one crawl may need before it counts as endless.
const MAX_RUNS: usize = 10_000;

/// An answer of the site.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// A page.
    pub fn html(body: impl AsRef<[u8]>) -> Answer {
        let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        Answer { status: 200, headers, body: body.as_ref().to_vec() }
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Answer {
        Answer { status: 301, ..Answer::html("") }.with_header("location", to)
    }

    /// With another status.
    pub fn with_status(self, status: u16) -> Answer {
        Answer { status, ..self }
    }

    /// With another media type.
    pub fn of_type(mut self, media_type: &str) -> Answer {
        self.headers[0].1 = media_type.to_owned();
        self
    }

    /// With one more header.
    pub fn with_header(mut self, name: &str, value: &str) -> Answer {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With an entity tag.
    pub fn with_etag(self, etag: &str) -> Answer {
        self.with_header("etag", etag)
    }
}

/// A site, and a job to do there.
#[derive(Clone, Debug)]
pub struct Site {
    answers: BTreeMap<String, Answer>,
    refusals: BTreeMap<String, Refusal>,
    /// The job; tests may change it.
    pub job: Job,
    /// Fetches that are granted.
    pub pages: u64,
    /// Bytes that may be emitted.
    pub out_bytes: u64,
}

impl Default for Site {
    fn default() -> Site {
        let origin = "https://example.org".to_owned();
        let job = Job { origin, max_body: 1 << 20, ..Job::default() };
        let (answers, refusals) = (BTreeMap::new(), BTreeMap::new());
        Site { answers, refusals, job, pages: u64::MAX, out_bytes: u64::MAX }
    }
}

impl Site {
    /// A site that has nothing.
    pub fn new() -> Site {
        Site::default()
    }

    /// With an answer at a path.
    pub fn with(mut self, path: &str, answer: Answer) -> Site {
        self.answers.insert(path.to_owned(), answer);
        self
    }

    /// With a path that the host refuses.
    pub fn refusing(mut self, path: &str, refusal: Refusal) -> Site {
        self.refusals.insert(path.to_owned(), refusal);
        self
    }

    /// With a page that the engine knows; without a digest when `body` is empty.
    pub fn knows(mut self, path: &str, body: &str, etag: &str) -> Site {
        let digest = Some(sha256(body.as_bytes())).filter(|_| !body.is_empty());
        let (path, etag) = (path.to_owned(), etag.to_owned());
        self.job.seen.retain(|known| known.path != path);
        self.job.seen.push(Known { path, sha256: digest, etag });
        self
    }

    /// With seeds.
    pub fn with_seeds(mut self, seeds: &[&str]) -> Site {
        self.job.seeds = seeds.iter().map(|seed| (*seed).to_owned()).collect();
        self
    }

    /// With parameters of the guest.
    pub fn with_params(mut self, params: &[u8]) -> Site {
        self.job.params = params.to_vec();
        self
    }

    /// Crawls once.
    pub fn crawl(&self, guest: &mut impl Crawllet) -> Run {
        let mut host = Mock { site: self, open: None, read: 0, emitted: 0, run: Run::default() };
        let outcome = crawl(&mut host, &self.job, guest);
        Run { outcome, ..host.run }
    }

    /// Crawls in runs of at most `pages` fetches each, going on with the state until nothing is left.
    pub fn crawl_in_parts(&self, guest: &mut impl Crawllet, pages: usize) -> Run {
        let mut site = Site { pages: pages as u64, ..self.clone() };
        let mut all = Run::default();
        for _ in 0..MAX_RUNS {
            let run = site.crawl(guest);
            all.records.extend(run.records);
            all.fetched.extend(run.fetched);
            all.outcome = run.outcome;
            match (run.outcome, run.state) {
                (Outcome::Suspended, Some(state)) => {
                    site.job.resume = state;
                    site.job.seeds.clear();
                }
                _ => return all,
            }
        }
        Run { outcome: Outcome::Failed(Refusal::SoftLimit), ..all }
    }
}

/// A record, read back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Path with query.
    pub path: String,
    /// HTTP status.
    pub status: u64,
    /// See [`Kind`](crate::record::Kind).
    pub kind: u64,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body or summary.
    pub body: Vec<u8>,
    /// Digest of the body as fetched.
    pub sha256: [u8; 32],
    /// Links to elsewhere.
    pub out_links: Vec<(String, String)>,
    /// Links on the site.
    pub in_links: Vec<(String, String)>,
    /// Place in the chain.
    pub seq: u64,
    /// Tag in the chain.
    pub tag: Vec<u8>,
}

impl Told {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn parse(bytes: &[u8]) -> Told {
        let mut told = Told::default();
        let read = Reader::new(bytes).map(|key, reader| {
            match key {
                1 => told.path = reader.text()?.to_owned(),
                2 => told.status = reader.uint()?,
                3 => told.kind = reader.uint()?,
                4 => told.headers = pairs(reader),
                5 => told.body = reader.bytes()?.to_vec(),
                6 => told.sha256.copy_from_slice(reader.bytes()?),
                7 => told.out_links = pairs(reader),
                8 => told.in_links = pairs(reader),
                10 => told.seq = reader.uint()?,
                11 => told.tag = reader.bytes()?.to_vec(),
                _ => reader.skip()?,
            }
            Ok(())
        });
        assert_eq!(read, Ok(()), "a record that cannot be read");
        // As the engine does: a whole page tells its digest by itself.
        if told.kind == 1 && told.sha256 == [0; 32] {
            told.sha256 = sha256(&told.body);
        }
        told
    }
}

fn pairs(reader: &mut Reader<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let read = reader.array(|reader| {
        let mut words = Vec::new();
        reader.array(|reader| {
            words.push(reader.text()?.to_owned());
            Ok(())
        })?;
        out.push((words[0].clone(), words[1].clone()));
        Ok(())
    });
    assert_eq!(read, Ok(()), "pairs that cannot be read");
    out
}

/// What came of a crawl.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What was emitted.
    pub records: Vec<Told>,
    /// The state that was shipped.
    pub state: Option<Vec<u8>>,
    /// What was asked for, and not refused with a soft limit.
    pub fetched: Vec<String>,
}

impl Default for Run {
    fn default() -> Run {
        Run { outcome: Outcome::Done, records: Vec::new(), state: None, fetched: Vec::new() }
    }
}

impl Run {
    /// The paths of all records, sorted.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.records.iter().map(|record| record.path.as_str()).collect();
        paths.sort_unstable();
        paths
    }

    /// What was told of each path, sorted.
    pub fn told(&self) -> Vec<(&str, u64, &[u8])> {
        let mut told: Vec<(&str, u64, &[u8])> =
            self.records.iter().map(|r| (r.path.as_str(), r.kind, r.body.as_slice())).collect();
        told.sort_unstable();
        told
    }
}

struct Mock<'s> {
    site: &'s Site,
    open: Option<Answer>,
    read: usize,
    emitted: u64,
    run: Run,
}

impl Host for Mock<'_> {
    fn fetch(&mut self, request: &[u8]) -> Result<i32, Refusal> {
        let request = String::from_utf8_lossy(request).into_owned();
        let (path, etag) = request.split_once('\n').unwrap_or((&request, ""));
        if self.run.fetched.len() as u64 >= self.site.pages {
            return Err(Refusal::SoftLimit);
        }
        self.run.fetched.push(path.to_owned());
        if let Some(refusal) = self.site.refusals.get(path) {
            return Err(*refusal);
        }
        let known = self.site.answers.get(path).cloned();
        let mut answer = known.unwrap_or_else(|| Answer::html("no").with_status(404));
        let is_same = answer.headers.iter().any(|(name, value)| name == "etag" && value == etag);
        if is_same {
            (answer.status, answer.body) = (304, Vec::new());
        }
        (self.open, self.read) = (Some(answer), 0);
        Ok(self.run.fetched.len() as i32)
    }

    fn read(&mut self, handle: i32, into: &mut [u8]) -> Result<usize, Refusal> {
        assert_eq!(handle as usize, self.run.fetched.len(), "a handle of an earlier fetch");
        let rest = &self.open.as_ref().ok_or(Refusal::NotFound)?.body[self.read..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }

    fn meta(&mut self, _handle: i32) -> Result<Vec<u8>, Refusal> {
        let answer = self.open.as_ref().ok_or(Refusal::NotFound)?;
        let mut writer = Writer::new();
        writer.map(4).uint(1).uint(u64::from(answer.status)).uint(2).array(answer.headers.len());
        for (name, value) in &answer.headers {
            writer.array(2).text(name).text(value);
        }
        writer.uint(3).uint(0).uint(4).uint(answer.body.len() as u64);
        Ok(writer.finish())
    }

    fn emit(&mut self, payload: &[u8]) -> Result<(), Refusal> {
        self.emitted += payload.len() as u64;
        assert!(self.emitted <= self.site.out_bytes, "more was emitted than was granted");
        match payload.split_first() {
            Some((&IS_RECORD, record)) => self.run.records.push(Told::parse(record)),
            Some((&IS_STATE, state)) => self.run.state = Some(state.to_vec()),
            _ => return Err(Refusal::BadArgument),
        }
        Ok(())
    }

    fn budget(&mut self) -> Result<Budget, Refusal> {
        let pages = self.site.pages - self.run.fetched.len() as u64;
        let out_bytes = self.site.out_bytes - self.emitted;
        Ok(Budget { pages, out_bytes, fuel: u64::MAX, ms: u64::MAX })
    }

    fn log(&mut self, _line: &str) {}

    fn mac_key(&self) -> [u8; 32] {
        [7; 32]
    }
}
