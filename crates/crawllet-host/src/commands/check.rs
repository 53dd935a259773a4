//! Does it work, seen from outside?
//!
//! Plays an engine against the public address: reads the descriptor, says hello, uploads a crawllet with tiny
//! limits, looks whether the answer streams, and tries the switch. Each step is a line; a red one has a hint.

use super::{Folder, print};
use crate::budget::Stop;
use crate::client::Client;
use crate::door::{CHECK_DOMAIN, CHECK_FILE, CheckPass};
use crate::fault::{About, Trouble};
use crate::host::{DISABLED, Host, fresh, now_ms};
use clap::Args;
use lycosa_crawllet::Fault;
use lycosa_crawllet::descriptor::{Descriptor, MAX_DESCRIPTOR_BYTES, WELL_KNOWN};
use lycosa_crawllet::engine::{
    Cargo, Event, Granted, Hello, OutputKind, Reason, ResultReader, Seed, Wanted,
};
use lycosa_crawllet::guests;
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::wire::MAX_GRANT_BYTES;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long each answer may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How long the pass of the check is good, in milliseconds.
const PASS_MS: u64 = 120_000;

/// The crawllet that is uploaded.
const GUEST: &str = "pages";

/// Its limits.
const LIMITS: Limits = Limits {
    cpu_ms: 5_000,
    fuel: 0,
    mem_mib: 32,
    out_mib: 4,
    pages: 3,
    wall_s: 15,
    module_kib: 512,
};

/// The first bytes of the answer come this much before the last, or somebody holds them back.
const STREAMS: Duration = Duration::from_millis(700);

/// Keys that end sooner are worth a word, in seconds.
const SOON_S: u64 = 60 * 86_400;

/// What is wanted.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    folder: Folder,
    /// The site as visitors write it: https://HOST or http://HOST:PORT.
    #[arg(long)]
    url: String,
    /// Certificates (PEM) to trust besides the public ones, for a site with one that it signed itself.
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
}

/// A step: what was tried, and what helps if it failed.
type Step<T> = Result<(T, String), (String, String)>;

struct Lines {
    colour: bool,
    red: bool,
}

impl Lines {
    fn step<T>(&mut self, name: &str, step: Step<T>) -> Option<T> {
        let paint = |code: &str, word: &str| {
            if self.colour { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
        };
        match step {
            Ok((value, text)) => {
                print(format_args!("{}  {name}: {text}", paint("32", "ok ")));
                Some(value)
            }
            Err((text, hint)) => {
                print(format_args!("{}  {name}: {text}", paint("31", "BAD")));
                print(format_args!("     hint: {hint}"));
                self.red = true;
                None
            }
        }
    }
}

fn bad<T>(text: impl Into<String>, hint: impl Into<String>) -> Step<T> {
    Err((text.into(), hint.into()))
}

impl Check {
    /// All green: 0. Something red: 1.
    pub(super) fn run(self) -> Result<ExitCode, Trouble> {
        let wrong = |what: String| Trouble::new(what, "");
        let mut client = Client::new(&self.url, TIMEOUT).map_err(wrong)?;
        if let Some(file) = &self.trust {
            let pem = std::fs::read(file).about(format!("reading {}", file.display()))?;
            client = client
                .trusting(&pem)
                .map_err(|what| wrong(format!("{}: {what}", file.display())))?;
        }
        let mut lines = Lines { colour: io::stdout().is_terminal(), red: false };
        let host = Host::open(&self.folder.path, Arc::new(Stop::default()));
        let host = match host {
            Ok(host) => host,
            Err(trouble) => {
                lines.step::<()>("settings and keys", bad(trouble.what, trouble.hint));
                return Ok(ExitCode::from(1));
            }
        };
        lines.step("settings and keys", keys(&host));
        if host.is_off() {
            lines.step::<()>("switch", bad("it is off", "`crawllet-host on` switches it on"));
            return Ok(ExitCode::from(1));
        }
        lines.step("web server", upstream(&host));
        let Some(bytes) = lines.step("descriptor", descriptor(&client, &host)) else {
            return Ok(ExitCode::from(1));
        };
        let pass = Pass::new(&host)?;
        if let Some(granted) = lines.step("hello", hello(&client, &pass.keys, &bytes)) {
            let run = upload(&client, &host, granted);
            if let Some(spread) = lines.step("upload and run", run) {
                lines.step("streaming", streaming(spread));
            }
        }
        drop(pass);
        lines.step("switch", switch(&client, &host));
        Ok(ExitCode::from(u8::from(lines.red)))
    }
}

fn keys(host: &Host) -> Step<()> {
    let now = now_ms();
    let Some(key) = host.descriptor.key_at(now) else {
        return bad("no key is valid now", "`crawllet-host rotate` makes a new one");
    };
    let left = key.exp.saturating_sub(now / 1000);
    if left < SOON_S {
        return bad(
            format!("the key ends in {} days", left / 86_400),
            "`crawllet-host rotate` makes a new one",
        );
    }
    let who = match (host.config.open, host.config.engines.len()) {
        (true, _) => "any engine may come".to_owned(),
        (_, 0) => {
            return bad(
                "nobody is let in",
                "add an [[engine]] to crawllet.toml, or set open = true",
            );
        }
        (_, number) => format!("{number} engines may come"),
    };
    Ok(((), format!("valid for {} days; {who}", left / 86_400)))
}

fn upstream(host: &Host) -> Step<()> {
    match crate::door::probe(host) {
        Ok(text) => Ok(((), text)),
        Err(text) => bad(
            text,
            "`upstream` in crawllet.toml must be the server that has the pages, also for this host name",
        ),
    }
}

fn descriptor(client: &Client, host: &Host) -> Step<Vec<u8>> {
    let paste = "paste the lines that `init` printed into your web server, and reload it";
    let answer = match client.send("GET", WELL_KNOWN, &[]) {
        Ok(answer) => answer,
        Err(error) => {
            return bad(error.to_string(), "is the web server running, and the address right?");
        }
    };
    let status = answer.status;
    let bytes = answer.body(MAX_DESCRIPTOR_BYTES as u64).unwrap_or_default();
    match status {
        200 if bytes == host.descriptor_bytes => {
            Ok((bytes, format!("{} bytes", host.descriptor_bytes.len())))
        }
        200 => bad(
            "something else is served there",
            format!("{paste}; or the service has another --dir"),
        ),
        503 => bad(
            "the program was called but is not set up",
            "the user of the web server must be able to read the folder: init --user, and CRAWLLET_DIR",
        ),
        status => bad(format!("the web server answers {status}"), paste),
    }
}

/// The right to come in, for the time of the check.
struct Pass<'a> {
    keys: EngineKeys,
    folder: &'a Path,
}

impl Pass<'_> {
    fn new(host: &Host) -> Result<Pass<'_>, Trouble> {
        let folder = host.state.folder();
        let keys = EngineKeys::generate(CHECK_DOMAIN, fresh()?)
            .map_err(|fault| Trouble::new(fault.to_string(), "try again"))?;
        let pass = CheckPass { key: keys.ed25519_text(), until_ms: now_ms() + PASS_MS };
        let text = serde_json::to_string(&pass).map_err(io::Error::from)?;
        // Nothing in it is secret: it names a public key.
        std::fs::write(folder.join(CHECK_FILE), text)?;
        Ok(Pass { keys, folder })
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(CHECK_FILE));
    }
}

fn hello(client: &Client, keys: &EngineKeys, bytes: &[u8]) -> Step<Granted> {
    let failed = |error: String| (error, "see the log in the state folder".to_owned());
    let descriptor = Descriptor::parse(bytes).map_err(|fault| failed(fault.to_string()))?;
    let wanted =
        Wanted { limits: LIMITS, purpose: vec!["check".to_owned()], job: [0; 16], resume: false };
    let random = fresh().map_err(|error| failed(error.to_string()))?;
    let (hello, sent) =
        Hello::new(keys, &descriptor, bytes, &descriptor.authority, wanted, now_ms(), random)
            .map_err(|fault| failed(fault.to_string()))?;
    let answer = client.send("POST", &descriptor.endpoint, &hello);
    let answer = answer.map_err(|error| failed(error.to_string()))?;
    let status = answer.status;
    let body = answer.body(MAX_GRANT_BYTES as u64).map_err(|error| failed(error.to_string()))?;
    if status != 200 {
        let text = format!("{status}: {}", String::from_utf8_lossy(&body).trim());
        let hint = match status {
            404 | 405 => "the web server passes on GET but not POST, or not the path below",
            413 => "the web server limits bodies: client_max_body_size, LimitRequestBody",
            429 => "wait a minute",
            500 | 502 | 503 => {
                "see the web server's error log; can its user write the state folder?"
            }
            _ => "see the log in the state folder",
        };
        return bad(text, hint);
    }
    match sent.read_grant(&body) {
        Ok(granted) => Ok((granted, "granted".to_owned())),
        Err(Fault::Refused { code, .. }) => bad(
            format!("refused: {code}"),
            "busy: a job runs or the day is used up, see `report`; or robots.txt cannot be read",
        ),
        Err(fault) => bad(fault.to_string(), "something between you and the host changes bodies"),
    }
}

/// Runs a crawllet; gives the time between the first bytes and the last.
fn upload(client: &Client, host: &Host, granted: Granted) -> Step<Duration> {
    let failed = |error: String| (error, "see `crawllet-host report`".to_owned());
    let Some(guest) = guests::by_name(GUEST) else {
        return bad("this program has no crawllet in it", "use a complete build");
    };
    let (pages, session) = (Seed { path: "/".to_owned() }, granted.session_hex());
    let mac_key = fresh().map_err(|error| failed(error.to_string()))?;
    let module = guests::key_patched(guest, &mac_key).map_err(|fault| failed(fault.to_string()))?;
    let cargo = Cargo {
        module: &module,
        mac_key,
        output: OutputKind { compressed: true },
        params: &[],
        scope: &[],
        seeds: &[pages],
        seen: &[],
        resume: None,
        soft_limit_percent: 0,
    };
    let (bytes, mut reader) = granted.upload(cargo).map_err(|fault| failed(fault.to_string()))?;
    let path = format!("{}?s={session}", host.endpoint());
    let answer = client.send("POST", &path, &bytes).map_err(|error| failed(error.to_string()))?;
    if answer.status != 200 {
        let status = answer.status;
        let body = answer.body(MAX_GRANT_BYTES as u64).unwrap_or_default();
        let text = format!("{status}: {}", String::from_utf8_lossy(&body).trim());
        return bad(text, "413: raise client_max_body_size or LimitRequestBody; else see the log");
    }
    let (mut first, mut last) = (None, Instant::now());
    let mut events = Vec::new();
    let read = answer.each(u64::from(LIMITS.out_mib) << 20, &mut |bytes| {
        last = Instant::now();
        first.get_or_insert(last);
        take(&mut reader, bytes, &mut events).map_err(io::Error::other)
    });
    read.map_err(|error| failed(error.to_string()))?;
    judge(reader, &events)?;
    let spread = first.map_or(Duration::ZERO, |first| last.duration_since(first));
    let records = events.iter().filter(|event| matches!(event, Event::Record(_))).count();
    Ok((spread, format!("{records} records")))
}

fn take(reader: &mut ResultReader, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
    reader.feed(bytes)?;
    while let Some(event) = reader.next_event()? {
        events.push(event);
    }
    Ok(())
}

fn judge(reader: ResultReader, events: &[Event]) -> Result<(), (String, String)> {
    let said = events.iter().rev().find_map(|event| match event {
        Event::Log(text) => Some(text.as_str()),
        _ => None,
    });
    match reader.finish() {
        Ok(end) if matches!(end.reason, Reason::Done | Reason::Suspended) => Ok(()),
        Ok(end) => Err((
            format!("it ended with {:?}: {}", end.reason, said.unwrap_or("no word")),
            "raise [limits] in crawllet.toml; shared hosts may forbid executable memory".to_owned(),
        )),
        Err(fault) => Err((
            fault.to_string(),
            "something ends the answer early: look for timeouts and limits of the web server"
                .to_owned(),
        )),
    }
}

fn streaming(spread: Duration) -> Step<()> {
    let ms = spread.as_millis();
    if spread >= STREAMS {
        return Ok(((), format!("first bytes {ms} ms before the last")));
    }
    bad(
        format!("the answer came in one piece (within {ms} ms)"),
        "nginx + fcgiwrap: fastcgi_buffering off and fastcgi_param NO_BUFFERING 1; proxies: proxy_buffering off, gzip off",
    )
}

/// Off, is it gone; on, is it back? Not while somebody's job runs, which this would end.
fn switch(client: &Client, host: &Host) -> Step<()> {
    let path = host.folder.join(DISABLED);
    match host.state.slot(1) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(((), "not tried, since a crawllet runs".to_owned())),
        Err(error) => return bad(error.to_string(), "the state folder cannot be written"),
    }
    let status = || client.send("GET", WELL_KNOWN, &[]).map(|answer| answer.status);
    if let Err(error) = std::fs::write(&path, "") {
        return bad(error.to_string(), "run it as the user who owns the folder");
    }
    let off = status();
    let removed = std::fs::remove_file(&path);
    if let Err(error) = removed {
        return bad(format!("{} stays: {error}", path.display()), "remove it");
    }
    match (off, status()) {
        (Ok(404), Ok(200)) => Ok(((), "off and on again".to_owned())),
        (off, on) => bad(
            format!("off: {off:?}, on: {on:?}"),
            "is there a cache in front? it must not keep the descriptor for long",
        ),
    }
}
