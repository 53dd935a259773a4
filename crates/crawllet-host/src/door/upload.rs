//! What happens to an upload?
//!
//! A slot first, then the session, then the bytes: whoever comes when all slots are taken keeps its session and
//! comes again; of many with one session exactly one gets it.

use super::{admission, clp_headers, entry, note, pause, plain, site_robots, web};
use crate::budget::Tally;
use crate::front::{Head, Reply};
use crate::host::{Host, fresh, now_ms};
use crate::job::{self, Job, Outcome};
use crate::sandbox::compiled::Shelf;
use crate::site::desk::{Desk, SPOT_CHECK};
use crate::site::files::Folder;
use crate::site::target::Bounds;
use crate::state::{Claim, Entry};
use data_encoding::HEXLOWER;
use lycosa_crawllet::Fault;
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::host::{SessionFile, Upload, UploadReader, max_upload_bytes};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Bytes that are read at a time.
const SLICE: usize = 32 << 10;

/// After a job that took so long, in milliseconds, it pays to compile its crawllet once for all.
const LONG_MS: u64 = 200;

pub(super) fn upload(
    host: &Host,
    head: &Head,
    session: &str,
    body: &mut dyn Read,
    reply: &mut dyn Reply,
) -> io::Result<()> {
    let most = max_upload_bytes(&host.config.limits.limits()) as u64;
    if head.length.is_some_and(|length| length > most) {
        return plain(reply, 413, "the upload is larger than the grant allows");
    }
    // Only who knows a session gets as far as a slot.
    let slot =
        if host.state.waits(session) { host.state.slot(host.config.quota.jobs)? } else { None };
    if host.state.waits(session) && slot.is_none() {
        return plain(reply, 503, "all slots are taken; come again with the same session");
    }
    let bytes = match host.state.claim(session)? {
        Claim::Ours(bytes) => bytes,
        Claim::Used => return plain(reply, 409, "this session was used"),
        Claim::Unknown => return plain(reply, 404, "no such session"),
    };
    let _slot = slot;
    let session = SessionFile::from_bytes(&bytes).map_err(io::Error::other)?;
    let hex = session.session_hex();
    if session.is_expired(now_ms()) {
        return plain(reply, 404, "this session waited too long");
    }
    let upload = match read(&session, body)? {
        Ok(upload) => upload,
        Err(fault) => {
            note(host, head, &session.engine, &hex, &format!("upload: {fault}"));
            let status = if matches!(fault, Fault::TooLarge(_)) { 413 } else { 403 };
            return plain(reply, status, &format!("the upload cannot be read: {fault}"));
        }
    };
    let admitted = admission::by_name(host, &session.engine);
    let robots = match site_robots(host, &admitted) {
        Ok(robots) => robots,
        Err(text) => {
            note(host, head, &session.engine, &hex, &text);
            return plain(reply, 503, "the site's robots.txt cannot be read");
        }
    };
    let limits = session.terms.limits;
    let soft = upload.manifest.soft_limit_percent;
    let compressed = upload.manifest.compressed;
    let budget = job::budget(&limits, soft, compressed);
    let mut notes = Vec::new();
    let folder = host.config.files.as_ref().and_then(|files| {
        let folder = Folder::open(files, host.config.max_body.0);
        folder.map_err(|error| notes.push(format!("files: {error}"))).ok()
    });
    let desk = Desk {
        bounds: Bounds::new(upload.scope(), &host.config.deny),
        pause: pause(host, &robots, &admitted),
        robots: robots.rules,
        token: admitted.token.clone(),
        web: web(host, &admitted).map_err(io::Error::other)?.until(budget.until()),
        folder,
        first_pause: admitted.first_pause,
        budget,
        tally: Arc::default(),
        stop: job::stop(),
        dice: dice()?,
        notes,
        last: None,
        refusals: (0, 0),
    };
    let tally = desk.tally.clone();
    let named = upload.named().map(|(guest, key)| (guest, *key));
    let shelf = Shelf::of(host);
    let run = Job {
        compiled: named.and_then(|(guest, key)| shelf.take(guest, &key)),
        init: upload.init(&host.config.origin(), host.config.max_body.0),
        module: upload.module,
        limits,
        compressed,
        robots: robots.digest,
    };
    let module = HEXLOWER.encode(&upload.manifest.module_sha256);
    reply.begin(200, &clp_headers(), None)?;
    host.state.spend(&session.engine, 1, 0, now_ms())?;
    let started = Instant::now();
    let outcome = job::run(host, &session, run, desk, reply);
    let outcome = outcome.unwrap_or_else(|error| Outcome {
        reason: None,
        tally,
        cpu_ms: 0,
        notes: vec![error.to_string()],
    });
    let was_long = outcome.cpu_ms >= LONG_MS && !outcome.tally.kept.load(Ordering::Relaxed);
    if let Some((guest, _)) = named.filter(|_| was_long) {
        // For the next time; that it does not work costs nothing but time.
        let _ = shelf.put(guest);
    }
    host.state.spend(&session.engine, 0, outcome.cpu_ms, now_ms())?;
    let number = Tally::get;
    host.state.journal().write(&Entry {
        what: "job".to_owned(),
        purpose: session.purpose.join(", "),
        session: hex,
        module,
        compiled: outcome.tally.kept.load(Ordering::Relaxed),
        reason: outcome.reason.map_or("engine_gone", Reason::name).to_owned(),
        pages: number(&outcome.tally.pages),
        files: number(&outcome.tally.files),
        refused: number(&outcome.tally.refused),
        bytes: number(&outcome.tally.bytes),
        sent: number(&outcome.tally.out),
        cpu_ms: outcome.cpu_ms,
        wall_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        notes: outcome.notes,
        ..entry(head, &session.engine)
    })
}

/// Reads the upload; the inner error is the engine's, the outer one that of the line.
fn read(session: &SessionFile, body: &mut dyn Read) -> io::Result<Result<Upload, Fault>> {
    let mut reader = UploadReader::new(session);
    let mut slice = vec![0; SLICE];
    loop {
        let length = body.read(&mut slice)?;
        if length == 0 {
            return Ok(reader.finish());
        }
        if let Err(fault) = reader.push(slice.get(..length).unwrap_or_default()) {
            return Ok(Err(fault));
        }
    }
}

/// Dice that the engine cannot foresee. Small steps of one number, which is enough for spot checks.
fn dice() -> io::Result<Box<dyn FnMut() -> u64 + Send>> {
    let mut state = u64::from_le_bytes(fresh()?) | 1;
    Ok(Box::new(move || {
        // Marsaglia's xorshift64.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % SPOT_CHECK
    }))
}
