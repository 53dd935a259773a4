//! What happens to a request?
//!
//! A descriptor, a first message, an upload: nothing else is served here. The order of the questions is the
//! defence: what costs little is asked before what costs more, and nothing is written for strangers.

mod admission;
mod directory;
mod upload;

use crate::front::{Head, Reply};
use crate::host::{Host, fresh, now_ms};
use crate::site::web::{Missed, Web};
use crate::state::{Entry, Pace};
use admission::{Admitted, Decision};
use directory::Found;
use lycosa_crawllet::descriptor::{ABI, WELL_KNOWN};
use lycosa_crawllet::host::{HelloRead, features, read_hello};
use lycosa_crawllet::terms::{Hints, Runtime, Terms};
use lycosa_crawllet::wire::{CONTENT_TYPE, MAX_HELLO_BYTES};
use lycosa_crawllet::{Fault, Refusal};
use lycosa_frontier::robots::{MAX_ROBOTS_BYTES, Robots};
use std::io::{self, Read};
use std::time::Duration;

pub use admission::{CHECK_DOMAIN, CHECK_FILE, CheckPass};

/// How long an engine should wait when all slots are taken.
const BUSY_S: u32 = 20;

/// And when other engines are being looked up.
const LOOKED_UP_S: u32 = 60;

/// Hints about sitemaps: their number and length.
const MAX_SITEMAPS: usize = 16;
const MAX_SITEMAP: usize = 512;

/// Answers one request.
///
/// # Errors
/// If the client is gone, or our own folder cannot be used.
pub fn handle(
    host: &Host,
    head: &Head,
    body: &mut dyn Read,
    reply: &mut dyn Reply,
) -> io::Result<()> {
    if host.is_off() {
        return plain(reply, 404, "switched off by the owner");
    }
    let method = head.method.as_str();
    if head.path == WELL_KNOWN && ["GET", "HEAD"].contains(&method) {
        let bytes = if method == "HEAD" { &[][..] } else { &host.descriptor_bytes };
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "max-age=300")];
        reply.begin(200, &headers, Some(host.descriptor_bytes.len() as u64))?;
        return reply.send(bytes);
    }
    if head.path != WELL_KNOWN && head.path != host.endpoint() {
        return plain(reply, 404, "nothing here");
    }
    if head.path != host.endpoint() || method != "POST" {
        return plain(reply, 405, "POST to the endpoint of the descriptor");
    }
    match session_of(&head.query) {
        None if head.query.is_empty() => hello(host, head, body, reply),
        None => plain(reply, 400, "s is a session in hexadecimal"),
        Some(session) => upload::upload(host, head, &session, body, reply),
    }
}

/// A line of text as the whole answer.
///
/// # Errors
/// If the client is gone.
pub fn plain(reply: &mut dyn Reply, status: u16, line: &str) -> io::Result<()> {
    let headers = [("Content-Type", "text/plain"), ("Cache-Control", "no-store")];
    let line = format!("{line}\n");
    reply.begin(status, &headers, Some(line.len() as u64))?;
    reply.send(line.as_bytes())
}

/// `s=` and 16 bytes in lower-case hexadecimal; also the name of a file, so nothing else.
fn session_of(query: &str) -> Option<String> {
    let id = query.strip_prefix("s=")?;
    let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    (id.len() == 32 && id.bytes().all(hex)).then(|| id.to_owned())
}

fn clp_headers() -> [(&'static str, &'static str); 3] {
    [("Content-Type", CONTENT_TYPE), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")]
}

fn hello(host: &Host, head: &Head, body: &mut dyn Read, reply: &mut dyn Reply) -> io::Result<()> {
    if head.length.is_some_and(|length| length > MAX_HELLO_BYTES as u64) {
        return plain(reply, 413, "a first message has at most 2 KiB");
    }
    let now = now_ms();
    if host.state.pace(head.address, host.config.quota.hellos_per_minute, now)? == Pace::TooMany {
        return plain(reply, 429, "too many first messages; wait a minute");
    }
    let mut bytes = Vec::new();
    body.take(MAX_HELLO_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_HELLO_BYTES {
        return plain(reply, 413, "a first message has at most 2 KiB");
    }
    let authority = &host.config.authority;
    let hello = match read_hello(&bytes, &host.secrets, authority, &host.descriptor_bytes, now) {
        Ok(hello) => hello,
        Err(Fault::NotClp) => return plain(reply, 400, "no CLP/1 message"),
        Err(fault) => {
            note(host, head, "", "", &format!("unreadable: {fault}"));
            return plain(reply, 403, "cannot be read with the keys of the descriptor");
        }
    };
    let engine = hello.engine.clone();
    let answer = match consider(host, &hello, now)? {
        Verdict::Admit(admitted, robots) => grant(host, head, hello, &admitted, &robots, now)?,
        Verdict::Refuse(code, retry_after_s) => {
            note(host, head, &engine, "", &code.to_string());
            Some(hello.refuse(code, retry_after_s, fresh()?).map_err(io::Error::other)?)
        }
    };
    let Some(answer) = answer else {
        note(host, head, &engine, "", "too many sessions wait");
        return plain(reply, 503, "too many sessions wait; come again in two minutes");
    };
    reply.begin(200, &clp_headers(), Some(answer.len() as u64))?;
    reply.send(&answer)
}

enum Verdict {
    Admit(Admitted, SiteRobots),
    Refuse(Refusal, u32),
}

/// Whether the engine is let in, and if not, why.
fn consider(host: &Host, hello: &HelloRead, now: u64) -> io::Result<Verdict> {
    let decision = admission::admit(host, hello, now);
    if decision == Decision::Refuse {
        return Ok(Verdict::Refuse(Refusal::NotAdmitted, 86_400));
    }
    if !hello.is_timely() {
        return Ok(Verdict::Refuse(Refusal::Clock, 0));
    }
    let admitted = match decision {
        Decision::Admit(admitted) => admitted,
        _ => match directory::look(host, &hello.engine, &hello.ed25519, now)? {
            Found::Listed => admission::by_name(host, &hello.engine),
            Found::NotListed => return Ok(Verdict::Refuse(Refusal::NotAdmitted, 3_600)),
            Found::Later => return Ok(Verdict::Refuse(Refusal::Busy, LOOKED_UP_S)),
        },
    };
    if hello.abi != ABI {
        return Ok(Verdict::Refuse(Refusal::Version, 86_400));
    }
    if !host.state.is_new(&hello.nonce, hello.time_ms, now)? {
        return Ok(Verdict::Refuse(Refusal::Replay, 0));
    }
    let (quota, today) = (&host.config.quota, host.state.today(now)?);
    let own = today.engines.get(&hello.engine).copied().unwrap_or(0);
    let spent = u128::from(today.cpu_ms) >= quota.cpu_per_day.0.as_millis();
    if today.jobs >= quota.jobs_per_day || own >= quota.jobs_per_engine_and_day || spent {
        let until_tomorrow = 86_400 - now / 1000 % 86_400;
        return Ok(Verdict::Refuse(Refusal::Busy, u32::try_from(until_tomorrow).unwrap_or(86_400)));
    }
    if host.state.slot(quota.jobs)?.is_none() {
        return Ok(Verdict::Refuse(Refusal::Busy, BUSY_S));
    }
    match site_robots(host, &admitted) {
        Ok(robots) => Ok(Verdict::Admit(admitted, robots)),
        // Rules that cannot be read may forbid everything.
        Err(_) => Ok(Verdict::Refuse(Refusal::Busy, 300)),
    }
}

/// The answer; none if too many sessions wait, which shows only when it is made.
fn grant(
    host: &Host,
    head: &Head,
    hello: HelloRead,
    admitted: &Admitted,
    robots: &SiteRobots,
    now: u64,
) -> io::Result<Option<Vec<u8>>> {
    let mut limits = host.config.limits.limits().min(hello.wanted);
    limits.fuel = crate::job::fuel(&limits);
    let origin = host.config.origin();
    let sitemaps = robots.rules.sitemaps().iter();
    // Those of this site, as paths.
    let sitemaps =
        sitemaps.filter_map(|url| url.strip_prefix(&origin).filter(|p| p.starts_with('/')));
    let files = host.config.files.as_ref();
    let life = u64::try_from(crate::state::SESSION_LIFE.as_millis()).unwrap_or(0);
    let terms = Terms {
        valid_until_ms: now.saturating_add(life),
        limits,
        scope: host.config.scope.clone(),
        deny: host.config.deny.clone(),
        robots_sha256: robots.digest,
        crawl_delay: pause(host, robots, admitted),
        hints: Hints {
            server: String::new(),
            sitemaps: sitemaps
                .filter(|path| path.len() <= MAX_SITEMAP && !path.contains(char::is_control))
                .take(MAX_SITEMAPS)
                .map(str::to_owned)
                .collect(),
            pages: 0,
            fs_roots: files.map(|files| files.prefixes.clone()).unwrap_or_default(),
        },
        runtime: Runtime { abi: ABI, engine: "wasmtime 48".to_owned(), features: features() },
        ..Terms::default()
    };
    let (engine, purpose) = (hello.engine.clone(), hello.purpose.join(", "));
    let (grant, session) = hello.grant(terms, fresh()?).map_err(io::Error::other)?;
    if !host.state.keep_session(&session.session_hex(), &session.to_bytes())? {
        return Ok(None);
    }
    host.state.journal().write(&Entry {
        what: "grant".to_owned(),
        purpose,
        session: session.session_hex(),
        ..entry(head, &engine)
    })?;
    Ok(Some(grant))
}

/// The site's rules, as they are now.
pub(crate) struct SiteRobots {
    pub(crate) rules: Robots,
    pub(crate) digest: Option<[u8; 32]>,
}

/// Asks the web server for robots.txt. None there means that all is allowed (RFC 9309, 2.3.1.3).
///
/// # Errors
/// If it cannot be known.
pub(crate) fn site_robots(host: &Host, admitted: &Admitted) -> Result<SiteRobots, String> {
    let mut web = web(host, admitted)?;
    match web.get("/robots.txt", None) {
        Ok(answer) if (200..300).contains(&answer.status) => {
            let digest = Some(crate::host::sha256(&answer.body));
            let most = answer.body.len().min(MAX_ROBOTS_BYTES);
            let rules = Robots::parse(answer.body.get(..most).unwrap_or_default());
            Ok(SiteRobots { rules, digest })
        }
        Ok(answer) if (400..500).contains(&answer.status) => {
            Ok(SiteRobots { rules: Robots::default(), digest: None })
        }
        Ok(answer) => Err(format!("robots.txt: the web server answers {}", answer.status)),
        Err(Missed::TooLarge) => Err("robots.txt is too large".to_owned()),
        Err(Missed::NoAnswer(text)) => Err(format!("robots.txt: {text}")),
    }
}

/// Whether the web server answers with pages, for `check`.
///
/// # Errors
/// With what it does instead.
pub(crate) fn probe(host: &Host) -> Result<String, String> {
    let admitted = admission::by_name(host, CHECK_DOMAIN);
    let robots = site_robots(host, &admitted)?;
    let answer = web(host, &admitted)?.get("/", None);
    let answer = answer.map_err(|missed| format!("/: {missed:?}"))?;
    if !(200..300).contains(&answer.status) {
        return Err(format!("/ is answered with {}", answer.status));
    }
    if answer.is_private() {
        return Err(
            "/ is marked private: Set-Cookie, or Cache-Control private or no-store".to_owned()
        );
    }
    let robots = if robots.digest.is_some() { "a robots.txt" } else { "no robots.txt" };
    Ok(format!("{} bytes of /, {robots}", answer.body.len()))
}

pub(crate) fn web(host: &Host, admitted: &Admitted) -> Result<Web, String> {
    let config = &host.config;
    let agent = format!("{} (crawllet of {})", admitted.token, admitted.engine);
    let timeout = config.page_timeout.0;
    Ok(Web::new(config.upstream()?, &config.authority, &agent, config.max_body.0, timeout))
}

/// Pause between two pages: the owner's, else that of robots.txt.
pub(crate) fn pause(host: &Host, robots: &SiteRobots, admitted: &Admitted) -> Duration {
    let named = || robots.rules.crawl_delay(&admitted.token).unwrap_or_default();
    host.config.delay.map_or_else(named, |delay| delay.0)
}

fn entry(head: &Head, engine: &str) -> Entry {
    Entry {
        time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        engine: engine.to_owned(),
        address: head.address.map(|address| address.to_string()).unwrap_or_default(),
        ..Entry::default()
    }
}

/// A refusal for the log. If it cannot be written the refusal stands.
fn note(host: &Host, head: &Head, engine: &str, session: &str, reason: &str) {
    let _ = host.state.journal().write(&Entry {
        what: "refusal".to_owned(),
        session: session.to_owned(),
        reason: reason.to_owned(),
        ..entry(head, engine)
    });
}
