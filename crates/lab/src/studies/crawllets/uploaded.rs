//! How does an engine get the pages by a crawllet? It asks for robots.txt and the descriptor, shakes hands, and
//! uploads; then records come until the end.

use super::conventional::AGENT;
use super::harvest::{Harvest, sha256_text};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use lycosa_crawllet::descriptor::{Descriptor, WELL_KNOWN};
use lycosa_crawllet::engine::{
    Cargo, Event, Hello, OutputKind, Reason, ResultReader, Seed, Wanted,
};
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::record::{Kind, Record, Source};
use lycosa_crawllet::{guests, limits, wire};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;

/// The engine's name.
pub(super) const DOMAIN: &str = "engine.test";
/// The crawllet that brings whole pages.
const GUEST: &str = "pages";
/// The largest answer but for the result: a grant, a descriptor, robots.txt.
const MAX_SMALL: usize = 512 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The engine's keys in this study.
pub(super) fn keys(seed: u64) -> Result<EngineKeys, lycosa_crawllet::Fault> {
    EngineKeys::generate(DOMAIN, digest(&[b"engine key", &seed.to_le_bytes()]))
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut sum = Sha256::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.finalize().into()
}

fn now() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Never twice the same. Not for secrets that matter: here both ends are ours.
fn fresh(what: &str) -> [u8; 32] {
    let (time, process) = (now().as_nanos().to_le_bytes(), std::process::id().to_le_bytes());
    digest(&[what.as_bytes(), &time, &process])
}

/// A connection that stays open.
struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    authority: String,
}

impl Connection {
    async fn open(address: SocketAddr, authority: &str) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, authority: authority.to_owned() })
    }

    async fn send(
        &mut self,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Response<Incoming>, Failure> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let request = Request::builder().method(method).uri(path).header(HOST, &self.authority);
        let mut request = request.header(USER_AGENT, AGENT);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, wire::CONTENT_TYPE);
            request = request.header(ACCEPT, wire::CONTENT_TYPE);
        }
        let request = request.body(Full::new(Bytes::from(body.unwrap_or_default())))?;
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        if response.status() != 200 {
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_SMALL).collect().await?.to_bytes();
            let text = String::from_utf8_lossy(&body);
            return Err(format!("{path} is answered with {status}: {}", text.trim()).into());
        }
        Ok(response)
    }

    async fn small(&mut self, path: &str, body: Option<Vec<u8>>) -> Result<Bytes, Failure> {
        let response = self.send(path, body).await?;
        Ok(Limited::new(response.into_body(), MAX_SMALL).collect().await?.to_bytes())
    }
}

/// Sends the crawllet that brings pages to the host that answers at `host`; the site itself answers at `site`.
pub(super) async fn crawl(
    site: SocketAddr,
    host: SocketAddr,
    authority: &str,
    compressed: bool,
    keys: &EngineKeys,
) -> Result<Harvest, Failure> {
    // On the web one server stands before both, and one connection would do.
    Connection::open(site, authority).await?.small("/robots.txt", None).await?;
    let mut connection = Connection::open(host, authority).await?;
    let described = connection.small(WELL_KNOWN, None).await?;
    let descriptor = Descriptor::parse(&described)?;
    let wanted = Wanted {
        limits: limits::Limits::default(),
        purpose: vec!["search".to_owned()],
        job: [7; 16],
        resume: false,
    };
    let now_ms = u64::try_from(now().as_millis())?;
    let (hello, sent) =
        Hello::new(keys, &descriptor, &described, authority, wanted, now_ms, fresh("hello"))?;
    let grant = connection.small(&descriptor.endpoint, Some(hello)).await?;
    let granted = sent.read_grant(&grant)?;
    let mac_key = fresh("chain");
    let guest = guests::by_name(GUEST).ok_or("no such guest")?;
    let module = guests::key_patched(guest, &mac_key)?;
    let path = format!("{}?s={}", descriptor.endpoint, granted.session_hex());
    let cargo = Cargo {
        module: &module,
        mac_key,
        output: OutputKind { compressed },
        params: &[],
        scope: &[],
        seeds: &[Seed { path: "/".to_owned() }],
        seen: &[],
        resume: None,
        soft_limit_percent: 0,
    };
    let (letter, reader) = granted.upload(cargo)?;
    let response = connection.send(&path, Some(letter)).await?;
    let mut harvest = read(response.into_body(), reader).await?;
    // robots.txt, descriptor, HELLO and UPLOAD.
    harvest.requests = 4;
    Ok(harvest)
}

async fn read(mut body: Incoming, mut reader: ResultReader) -> Result<Harvest, Failure> {
    let mut harvest = Harvest::default();
    let mut outgoing: HashSet<String> = HashSet::new();
    let mut said = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame?.into_data() else { continue };
        reader.feed(&bytes)?;
        while let Some(event) = reader.next_event()? {
            match event {
                Event::Record(record) => take(record, &mut harvest, &mut outgoing)?,
                Event::Log(text) => said.push(text),
                Event::Error { text, .. } => return Err(text.into()),
                _ => {}
            }
        }
    }
    let end = reader.finish()?;
    if end.reason != Reason::Done {
        return Err(
            format!("the crawllet ended early: {:?} {}", end.reason, said.join("; ")).into()
        );
    }
    harvest.out_links = outgoing.len();
    Ok(harvest)
}

fn take(
    record: Record,
    harvest: &mut Harvest,
    outgoing: &mut HashSet<String>,
) -> Result<(), Failure> {
    harvest.files += u64::from(record.source == Source::File);
    outgoing.extend(record.out_links.into_iter().map(|link| link.url));
    let kind = record.headers.iter().find(|(name, _)| name == "content-type");
    let kind = kind.map_or("", |(_, value)| value);
    let digest = sha256_text(&record.body);
    if record.kind == Kind::Page && digest != super::harvest::hex(&record.sha256) {
        return Err(format!("{} is not what its digest says", record.path).into());
    }
    harvest.take(&record.path, record.status, kind, &digest, record.body.len());
    Ok(())
}
