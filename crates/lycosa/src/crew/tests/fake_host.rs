//! A site that takes crawllets, without a sandbox: it walks its pages itself, and speaks the protocol as a host does.

use bytes::Bytes;
use futures_util::stream;
use lycosa_bot::crawllet::{Courier, Letter, Reply};
use lycosa_crawllet::Refusal;
use lycosa_crawllet::descriptor::{Admit, Descriptor, RUN, SiteKey, WELL_KNOWN};
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::guests::KEY_MARKER;
use lycosa_crawllet::host::{ResultWriter, SessionFile, Upload, UploadReader, read_hello};
use lycosa_crawllet::identity::SiteSecret;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::{Chain, Kind, LinkOut, Record, Source};
use lycosa_crawllet::terms::{Runtime, Terms};
use lycosa_model::{FetchError, Headers};
use lycosa_runtime::{Answer, Ask, Web};
use ring::digest::{SHA256, digest};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) const AUTHORITY: &str = "site.test";

/// The end of a program that visits known pages again, and tells which have changed.
pub(super) const REVISITS: &[u8] = b"changed";

/// How the host behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// As it should.
    Honest,
    /// Crawllets are shown other pages, one in ten; of which ten depends on the number.
    Lying(u64),
    /// Every page says something else each time.
    Lively,
    /// The connection breaks after so many records.
    Breaking(usize),
    /// So many pages are granted; the state is shipped home.
    Small(u32),
    /// Fuel runs out after so many records, without a word.
    Starving(usize),
    /// One record unpacks to far too much.
    Bombing,
    /// Signs of life, for ever, and nothing else.
    Talking,
    /// It answers and then never says anything again.
    Silent,
    /// It is gone after the grant.
    Gone,
    /// It declines.
    Busy,
    /// Its key is over.
    Expired,
    /// So many pages are granted, and its key is over before the next crawllet comes.
    Expiring(u32),
    /// The same, but it has another key by then, signed by the one before or not.
    Rotating(u32, bool),
    /// Whoever has a grant comes too late with it.
    Late,
}

/// A site of some pages. Page n leads to 2n+1 and 2n+2, so that it is deep.
pub(super) struct FakeSite {
    pages: AtomicUsize,
    /// Pages that say something else since, and such as are gone.
    edited: Mutex<HashSet<usize>>,
    removed: Mutex<HashSet<usize>>,
    manner: Manner,
    /// Its key, and what it says of it.
    office: Mutex<(SiteSecret, Descriptor)>,
    sessions: Mutex<HashMap<String, SessionFile>>,
    /// What was asked for in the ordinary way, and how often.
    pub(super) asked: Mutex<BTreeMap<String, u32>>,
    /// Crawllets that ran.
    pub(super) jobs: AtomicU64,
    /// What they sent, by kind of record.
    pub(super) sent: Mutex<BTreeMap<&'static str, u64>>,
    drawn: AtomicU64,
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, bytes).as_ref());
    out
}

impl FakeSite {
    pub(super) fn new(pages: usize, manner: Manner) -> FakeSite {
        let secret = SiteSecret::generate([2; 32]).expect("a secret");
        let pages_limit = match manner {
            Manner::Small(pages) | Manner::Expiring(pages) | Manner::Rotating(pages, _) => pages,
            _ => 5_000,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
        let until = match manner {
            Manner::Expired => now,
            Manner::Expiring(_) => now + 200,
            _ => 1 << 40,
        };
        let limits = Limits {
            cpu_ms: 5_000,
            fuel: 0,
            mem_mib: 64,
            out_mib: 1,
            pages: pages_limit,
            wall_s: 300,
            module_kib: 64,
        };
        let descriptor = Descriptor {
            clp: 1,
            endpoint: RUN.into(),
            authority: AUTHORITY.into(),
            keys: vec![SiteKey::of(&secret, 0, until)],
            admit: Admit::Open,
            abi: vec![1],
            limits,
            scope: vec!["/".into()],
            deny: Vec::new(),
            fs: false,
            contact: None,
            sig: None,
        };
        FakeSite {
            pages: AtomicUsize::new(pages),
            edited: Mutex::default(),
            removed: Mutex::default(),
            manner,
            office: Mutex::new((secret, descriptor)),
            sessions: Mutex::default(),
            asked: Mutex::default(),
            jobs: AtomicU64::new(0),
            sent: Mutex::default(),
            drawn: AtomicU64::new(0),
        }
    }

    /// Some time later: some pages say something else, some are gone, and there are more.
    pub(super) fn change(&self, edited: &[usize], removed: &[usize], pages: usize) {
        self.edited.lock().expect("whole").extend(edited);
        self.removed.lock().expect("whole").extend(removed);
        self.pages.store(pages, Ordering::SeqCst);
    }

    fn has(&self, number: usize) -> bool {
        let removed = self.removed.lock().expect("whole").contains(&number);
        number < self.pages.load(Ordering::SeqCst) && !removed
    }

    /// Bytes that are never the same.
    fn fresh(&self) -> [u8; 32] {
        sha256(&self.drawn.fetch_add(1, Ordering::SeqCst).to_le_bytes())
    }

    fn number(&self, path: &str) -> Option<usize> {
        if path == "/" {
            return Some(0);
        }
        let number = path.strip_prefix("/page/")?.parse().ok()?;
        self.has(number).then_some(number)
    }

    fn links(&self, number: usize) -> Vec<String> {
        let next = [2 * number + 1, 2 * number + 2];
        next.iter().filter(|n| self.has(**n)).map(|n| format!("/page/{n}")).collect()
    }

    /// A page as everybody sees it.
    fn page(&self, number: usize) -> String {
        let word = |seed: usize| {
            let digest = sha256(&(number * 1_000 + seed).to_le_bytes());
            let letters: String =
                digest[..6].iter().map(|byte| (b'a' + byte % 26) as char).collect();
            letters
        };
        let words: Vec<String> = (0..120).map(word).collect();
        let links: String =
            self.links(number).iter().map(|to| format!("<a href=\"{to}\">{to}</a> ")).collect();
        let edited = self.edited.lock().expect("whole").contains(&number);
        let visit = match self.manner {
            _ if edited => "<p>This was put in later.".to_owned(),
            Manner::Lively => {
                let visit = self.drawn.fetch_add(1, Ordering::SeqCst);
                format!("<p>You are visitor number {visit} of this page, welcome.")
            }
            _ => String::new(),
        };
        format!(
            "<html><head><title>Page {number} of many</title></head><body><main><p>{}{visit}</main>{links}</body></html>",
            words.join(" ")
        )
    }

    /// The same as a crawllet sees it.
    fn shown(&self, number: usize) -> String {
        let page = self.page(number);
        match self.manner {
            Manner::Lying(seed)
                if sha256(&[seed, number as u64].map(u64::to_le_bytes).concat())[0] < 26 =>
            {
                page.replace("</main>", " <a href=\"http://pills.test/\">cheap pills</a></main>")
            }
            _ => page,
        }
    }

    fn hello(&self, body: &[u8]) -> Option<Vec<u8>> {
        let office = self.office.lock().expect("whole");
        let (secret, descriptor) = &*office;
        let described = descriptor.to_json().into_bytes();
        let secrets = std::slice::from_ref(secret);
        let read = read_hello(body, secrets, AUTHORITY, &described, 1_790_000_000_000).ok()?;
        if self.manner == Manner::Busy {
            return read.refuse(Refusal::Busy, 60, self.fresh()).ok();
        }
        let limits = descriptor.limits.min(read.wanted);
        let terms = Terms {
            limits,
            scope: vec!["/".into()],
            runtime: Runtime { abi: 1, engine: "fake".into(), features: Vec::new() },
            ..Terms::default()
        };
        let (grant, session) = read.grant(terms, self.fresh()).ok()?;
        let id: String =
            session.terms.session_id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.sessions.lock().expect("whole").insert(id, session);
        Some(grant)
    }

    /// Gets itself another key.
    pub(super) fn rotate(&self, signed: bool) {
        let mut office = self.office.lock().expect("whole");
        let secret = SiteSecret::generate([3; 32]).expect("a secret");
        let mut descriptor = office.1.clone();
        descriptor.keys = vec![SiteKey::of(&secret, 0, 1 << 40)];
        if signed {
            descriptor.sign(&office.0);
        }
        *office = (secret, descriptor);
    }

    /// The pieces of the answer to an upload.
    fn run(&self, session: &SessionFile, body: &[u8]) -> Option<Vec<Bytes>> {
        self.jobs.fetch_add(1, Ordering::SeqCst);
        let mut reader = UploadReader::new(session);
        reader.push(body).ok()?;
        let upload = reader.finish().ok()?;
        let (mut writer, head) = ResultWriter::new(session, upload.manifest.compressed).ok()?;
        let mut out = vec![Bytes::from(head)];
        out.push(writer.started(&session.terms.limits, None).ok()?.into());
        if self.manner == Manner::Talking {
            for _ in 0..100 {
                out.push(writer.progress(0, 0, 0).ok()?.into());
            }
            return Some(out);
        }
        let reason = self.walk(&upload, session, &mut writer, &mut out)?;
        if let (Manner::Rotating(_, signed), 1) = (self.manner, self.jobs.load(Ordering::SeqCst)) {
            self.rotate(signed);
        }
        match reason {
            // Torn in the middle of a frame.
            None => {
                let mut last = writer.flush().ok()?;
                last.truncate(last.len().saturating_sub(7));
                out.push(last.into());
            }
            Some(reason) => out.push(writer.end(reason, 1, 2).ok()?.into()),
        }
        Some(out)
    }

    /// Nothing for a stream that breaks off.
    fn walk(
        &self,
        upload: &Upload,
        session: &SessionFile,
        writer: &mut ResultWriter,
        out: &mut Vec<Bytes>,
    ) -> Option<Option<Reason>> {
        let at = upload.module.windows(KEY_MARKER.len()).position(|it| it == KEY_MARKER)?;
        let key = upload.module[at + KEY_MARKER.len()..][..32].try_into().ok()?;
        let mut chain = Chain::new(key);
        // As the program of that name does.
        let revisits = upload.module.ends_with(REVISITS);
        let seen = upload.seen_pages().ok()?;
        let known: HashMap<String, Option<[u8; 32]>> = match revisits {
            true => seen.iter().map(|page| (page.path.clone(), page.sha256)).collect(),
            false => HashMap::new(),
        };
        let (mut queue, mut met): (VecDeque<String>, HashSet<String>) = match &upload.resume {
            Some(state) => serde_json::from_slice(state).ok()?,
            None => Default::default(),
        };
        let mut begin = upload.seed_paths().ok()?;
        let seen = seen.into_iter().map(|page| page.path);
        if revisits {
            begin.extend(seen)
        } else {
            met.extend(seen)
        }
        for seed in begin {
            if met.insert(seed.clone()) {
                queue.push_back(seed);
            }
        }
        let most = session.terms.limits.pages as usize;
        let (mut fetched, mut seq) = (0, 0);
        while let Some(path) = queue.pop_front() {
            if fetched
                >= most * usize::from(upload.manifest.soft_limit_percent.clamp(90, 100)) / 100
            {
                queue.push_front(path);
                out.push(writer.flush().ok()?.into());
                let state = serde_json::to_vec(&(queue, met)).ok()?;
                out.push(writer.state(&state).ok()?.into());
                return Some(Some(Reason::Suspended));
            }
            fetched += 1;
            let mut record = self.record(&path);
            if self.manner == Manner::Bombing {
                record.body = vec![0; 20 << 20];
                record.sha256 = sha256(&record.body);
            }
            if known.get(&path) == Some(&Some(record.sha256)) && record.kind == Kind::Page {
                record.kind = Kind::Unchanged;
                record.body.clear();
            }
            self.count(record.kind);
            record.seq = seq;
            record.tag = chain.next(&record);
            out.push(writer.record(&record.encode()).ok()?.into());
            seq += 1;
            if seq % 10 == 0 {
                out.push(writer.flush().ok()?.into());
            }
            for link in &record.in_links {
                if met.insert(link.url.clone()) {
                    queue.push_back(link.url.clone());
                }
            }
            match self.manner {
                Manner::Breaking(after) if seq as usize >= after => return Some(None),
                Manner::Starving(after) if seq as usize >= after => {
                    return Some(Some(Reason::Fuel));
                }
                _ => {}
            }
        }
        Some(Some(Reason::Done))
    }

    fn count(&self, kind: Kind) {
        let name = match kind {
            Kind::Page => "page",
            Kind::LinkOnly => "links",
            Kind::Gone => "gone",
            Kind::Unchanged => "unchanged",
        };
        *self.sent.lock().expect("whole").entry(name).or_default() += 1;
    }

    fn record(&self, path: &str) -> Record {
        let number = self.number(path);
        let body = number.map_or_else(String::new, |number| self.shown(number)).into_bytes();
        let link = |url: String| LinkOut { url, anchor: String::new() };
        Record {
            path: path.into(),
            status: if number.is_some() { 200 } else { 404 },
            kind: if number.is_some() { Kind::Page } else { Kind::Gone },
            headers: vec![("content-type".into(), "text/html".into())],
            sha256: sha256(&body),
            body,
            out_links: Vec::new(),
            in_links: number
                .map_or_else(Vec::new, |it| self.links(it))
                .into_iter()
                .map(link)
                .collect(),
            source: Source::Http,
            seq: 0,
            tag: [0; 8],
        }
    }
}

impl Web for FakeSite {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let path = ["http://site.test", "https://site.test"];
            let path = path.iter().find_map(|site| ask.url.strip_prefix(site));
            let path = path.ok_or(FetchError::Dns)?;
            *self.asked.lock().expect("whole").entry(path.to_owned()).or_default() += 1;
            let body = match path {
                "/robots.txt" => Some(format!("Crawllet: {WELL_KNOWN}\n")),
                WELL_KNOWN => Some(self.office.lock().expect("whole").1.to_json()),
                path => self.number(path).map(|number| self.page(number)),
            };
            let mut headers = Headers::default();
            headers.push("Content-Type", "text/html");
            tokio::time::sleep(Duration::from_millis(5)).await;
            let answer = Answer {
                status: if body.is_some() { 200 } else { 404 },
                version: "1.1",
                headers,
                body: Bytes::from(body.unwrap_or_default()),
                ip: None,
                cut: false,
                took: Duration::from_millis(5),
                captured: true,
            };
            answer.within(&ask)
        })
    }
}

/// Carries letters to a site in the same process.
pub(super) struct Hand(pub(super) std::sync::Arc<FakeSite>);

impl Courier for Hand {
    fn post<'a>(
        &'a self,
        letter: Letter,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let site = &self.0;
            assert!(letter.headers.get("signature-input").is_some(), "signed");
            let no = |status| Ok(Reply { status, body: Box::pin(stream::empty()) });
            let pieces = match letter.url.split_once("?s=") {
                None => match site.hello(&letter.body) {
                    Some(grant) => vec![Bytes::from(grant)],
                    None => return no(403),
                },
                Some(_) if site.manner == Manner::Late => return no(404),
                Some(_) if site.manner == Manner::Gone => return Err(FetchError::Connect),
                Some((_, id)) => {
                    let session = site.sessions.lock().expect("whole").remove(id);
                    let session = session.ok_or(FetchError::Protocol)?;
                    site.run(&session, &letter.body).ok_or(FetchError::Protocol)?
                }
            };
            let all = stream::iter(pieces.into_iter().map(Ok));
            let talks = site.manner == Manner::Talking && letter.url.contains("?s=");
            if matches!(site.manner, Manner::Expiring(_)) && letter.url.contains("?s=") {
                tokio::time::sleep(Duration::from_secs(250)).await;
            }
            let silent = site.manner == Manner::Silent && letter.url.contains("?s=");
            let body: lycosa_bot::crawllet::ReplyBody = if talks {
                use futures_util::StreamExt;
                let pause = |piece| async move {
                    tokio::time::sleep(Duration::from_secs(5)).await;
                    piece
                };
                Box::pin(all.then(pause))
            } else if silent {
                use futures_util::StreamExt;
                let silence = letter.silence;
                let end = stream::once(async move {
                    tokio::time::sleep(silence).await;
                    Err(FetchError::Timeout)
                });
                Box::pin(all.take(2).chain(end))
            } else {
                Box::pin(all)
            };
            Ok(Reply { status: 200, body })
        })
    }
}
