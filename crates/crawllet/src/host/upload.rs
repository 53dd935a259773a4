//! What did the engine send along?

use super::SessionFile;
use super::form::Form;
use crate::engine::Seen;
use crate::limits::Limits;
use crate::record::is_page_path;
use crate::terms::are_prefixes;
use crate::wire::{self, Opener, frame};
use crate::{Fault, cbor, guests, zip};
use sha2::{Digest, Sha256};
use std::borrow::Borrow;

/// The one entry of a module.
pub const ENTRY: &str = "clp_run";
/// What an upload may be larger than its module: the largest state to go on with, and packed lists.
pub const UPLOAD_SLACK_BYTES: usize = 8 * 1024 * 1024;
/// Largest parameters of a crawllet.
pub const MAX_PARAMS_BYTES: usize = 32 * 1024;
/// Largest list of seeds or of seen pages, unpacked.
pub const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;
/// Largest state to go on with.
pub const MAX_RESUME_BYTES: usize = 4 * 1024 * 1024;
/// What a packed module may be longer than the module.
const MODULE_GROWTH_BYTES: usize = 1024;
/// Longest entity tag.
pub const MAX_ETAG_BYTES: usize = 1024;

/// Largest UPLOAD under these limits, head and frames included.
pub fn max_upload_bytes(limits: &Limits) -> usize {
    (limits.module_kib as usize).saturating_mul(1024).saturating_add(UPLOAD_SLACK_BYTES)
}

/// What the engine says about its upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// SHA-256 of the module.
    pub module_sha256: [u8; 32],
    /// Its length.
    pub module_len: u64,
    /// What is called; always [`ENTRY`].
    pub entry: String,
    /// Names the key in the module.
    pub mac_key_id: [u8; 8],
    /// Whether records come back as one zstd stream.
    pub compressed: bool,
    /// From which part of any budget on the crawllet is told to end; 0: the host's own.
    pub soft_limit_percent: u8,
    /// For the crawllet.
    pub params: Vec<u8>,
    /// Narrower than the granted scope; empty: all of it.
    pub scope: Vec<String>,
    module: Form,
}

impl Manifest {
    fn read(body: &[u8], terms: &crate::terms::Terms) -> Result<Manifest, Fault> {
        let fields = cbor::map(body)?;
        let module_len = fields.need(2)?.uint()?;
        if module_len > u64::from(terms.limits.module_kib) * 1024 {
            return Err(Fault::TooLarge("module"));
        }
        let entry = fields.need(3)?.text()?;
        if entry != ENTRY {
            return Err(Fault::Malformed("entry"));
        }
        let compressed = match fields.need(5)?.uint()? {
            0 => false,
            1 => true,
            _ => return Err(Fault::Malformed("output kind")),
        };
        let soft_limit_percent = fields.need(6)?.number()?;
        if soft_limit_percent > 100 {
            return Err(Fault::Malformed("soft limit"));
        }
        let params = fields.need(7)?.bytes()?;
        if params.len() > MAX_PARAMS_BYTES {
            return Err(Fault::TooLarge("parameters"));
        }
        let scope = fields.need(8)?.texts(crate::terms::MAX_PREFIXES)?;
        if !are_prefixes(&scope) {
            return Err(Fault::Malformed("prefix"));
        }
        Ok(Manifest {
            module_sha256: fields.need(1)?.fixed()?,
            module_len,
            entry: entry.to_owned(),
            mac_key_id: fields.need(4)?.fixed()?,
            compressed,
            soft_limit_percent,
            params: params.to_vec(),
            scope,
            module: Form::read(&fields, &terms.runtime.features)?,
        })
    }
}

/// A section of the upload that has arrived whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// What the engine says about it.
    Manifest(Manifest),
    /// The module; its digest is as the manifest says.
    Module,
    /// Pages to begin with.
    Seeds,
    /// Pages that the engine has.
    Seen,
    /// State to go on with.
    Resume,
}

/// An upload that has arrived whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// What the engine says about it.
    pub manifest: Manifest,
    /// The module.
    pub module: Vec<u8>,
    /// Paths to begin with: a plain CBOR array of texts, checked.
    pub seeds: Vec<u8>,
    /// Pages that the engine has: a plain CBOR array of `[path, sha256 or nothing, etag]`, checked.
    pub seen: Vec<u8>,
    /// State to go on with.
    pub resume: Option<Vec<u8>>,
    scope: Vec<String>,
    deny: Vec<String>,
}

impl Upload {
    /// The crawllet that was only named, since it is built in, and the key in its slot.
    pub fn named(&self) -> Option<(&'static guests::Guest, &[u8; 32])> {
        match &self.manifest.module {
            Form::Named(guest, key) => Some((guest, key)),
            Form::Plain | Form::Packed => None,
        }
    }

    /// The paths to begin with.
    pub fn seed_paths(&self) -> Result<Vec<String>, Fault> {
        let items = cbor::item(&self.seeds)?.array()?;
        items.map(|item| item.text().map(str::to_owned)).collect()
    }

    /// The pages that the engine has.
    pub fn seen_pages(&self) -> Result<Vec<Seen>, Fault> {
        cbor::item(&self.seen)?.array()?.map(seen_page).collect()
    }

    /// The path prefixes of this job: the engine's, as far as they are inside the granted ones; if it has none, the
    /// granted ones.
    pub fn scope(&self) -> &[String] {
        &self.scope
    }

    /// What `clp_init` is called with. `origin` as in `https://example.org`.
    pub fn init(&self, origin: &str, max_body_bytes: u64) -> Vec<u8> {
        let mut to = cbor::Writer::new();
        to.map(8).uint(1).text(origin).uint(2).texts(&self.scope).uint(3).texts(&self.deny);
        to.uint(4).bytes(&self.manifest.params).uint(5).raw(&self.seeds).uint(6).raw(&self.seen);
        to.uint(7).bytes(self.resume.as_deref().unwrap_or_default());
        to.uint(8).uint(max_body_bytes);
        to.finish()
    }
}

/// Reads UPLOAD, in any slices.
pub struct UploadReader {
    terms: crate::terms::Terms,
    head: Vec<u8>,
    opener: Opener,
    left: usize,
    sum: Sha256,
    manifest: Option<Manifest>,
    /// The type of the section that is being read.
    section: u8,
    /// Bodies of MODULE, SEEDS, SEEN and RESUME.
    bodies: [Vec<u8>; 4],
    /// Whether the module does not come, since it is here.
    named: bool,
    finished: bool,
    broken: bool,
}

impl std::fmt::Debug for UploadReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UploadReader").field("section", &self.section).finish_non_exhaustive()
    }
}

impl UploadReader {
    /// For a session that was claimed: no second reader may ever be made for it.
    pub fn new(session: impl Borrow<SessionFile>) -> UploadReader {
        let session = session.borrow();
        UploadReader {
            terms: session.terms.clone(),
            head: Vec::new(),
            opener: Opener::new(&session.k_i2r),
            left: max_upload_bytes(&session.terms.limits),
            sum: Sha256::new(),
            manifest: None,
            section: 0,
            bodies: Default::default(),
            named: false,
            finished: false,
            broken: false,
        }
    }

    /// Takes in bytes, and tells which sections are whole now. After a fault it takes nothing more.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, Fault> {
        if self.broken {
            return Err(Fault::Order("after a fault"));
        }
        let result = self.take_in(bytes);
        self.broken = result.is_err();
        result
    }

    fn take_in(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, Fault> {
        if self.finished && !bytes.is_empty() {
            return Err(Fault::Order("after the end"));
        }
        self.left = self.left.checked_sub(bytes.len()).ok_or(Fault::TooLarge("UPLOAD"))?;
        let mut bytes = bytes;
        if self.head.len() < wire::STREAM_HEAD_BYTES {
            let missing = wire::STREAM_HEAD_BYTES - self.head.len();
            let (head, rest) = bytes.split_at(missing.min(bytes.len()));
            self.head.extend_from_slice(head);
            bytes = rest;
            if self.head.len() < wire::STREAM_HEAD_BYTES {
                return Ok(Vec::new());
            }
            let (flags, session) = wire::read_head(&self.head, wire::UPLOAD)?;
            if flags != 0 {
                return Err(Fault::Malformed("flags"));
            }
            if session != self.terms.session_id {
                return Err(Fault::Session);
            }
        }
        self.opener.push(bytes);
        let mut pieces = Vec::new();
        while let Some((kind, body)) = self.opener.open()? {
            self.frame(kind, &body, &mut pieces)?;
        }
        if self.finished && self.opener.is_torn() {
            return Err(Fault::Order("after the end"));
        }
        Ok(pieces)
    }

    fn frame(&mut self, kind: u8, body: &[u8], pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        if self.finished || kind < self.section {
            return Err(Fault::Order("frame"));
        }
        // The last section is whole when another begins.
        if kind != self.section {
            pieces.extend(self.close()?);
        }
        if kind == frame::FIN {
            return self.fin(body);
        }
        self.sum.update([kind]);
        self.sum.update(body);
        match (kind, self.section) {
            (frame::MANIFEST, 0) => {
                let manifest = Manifest::read(body, &self.terms)?;
                self.named = matches!(manifest.module, Form::Named(..));
                self.manifest = Some(manifest.clone());
                pieces.push(Piece::Manifest(manifest.clone()));
                if let Form::Named(guest, key) = &manifest.module {
                    self.bodies[0] = guests::key_patched(guest, key)?;
                    check_module(&self.bodies[0], &manifest)?;
                    pieces.push(Piece::Module);
                }
            }
            (frame::MODULE, frame::MANIFEST | frame::MODULE) if !self.named => {
                self.add(kind, body)?
            }
            (frame::SEEDS..=frame::RESUME, frame::MODULE..=frame::RESUME) => {
                self.add(kind, body)?
            }
            (frame::SEEDS..=frame::RESUME, frame::MANIFEST) if self.named => {
                self.add(kind, body)?
            }
            _ => return Err(Fault::Order("frame")),
        }
        self.section = kind;
        Ok(())
    }

    fn add(&mut self, kind: u8, body: &[u8]) -> Result<(), Fault> {
        let most = self.most(kind);
        let whole = &mut self.bodies[usize::from(kind - frame::MODULE)];
        if whole.len() + body.len() > most {
            return Err(Fault::TooLarge("section"));
        }
        whole.extend_from_slice(body);
        Ok(())
    }

    fn most(&self, kind: u8) -> usize {
        match kind {
            frame::MODULE => {
                let manifest = self.manifest.as_ref();
                // What does not pack grows a little.
                manifest.map_or(0, |manifest| match manifest.module {
                    Form::Packed => manifest.module_len as usize + MODULE_GROWTH_BYTES,
                    _ => manifest.module_len as usize,
                })
            }
            frame::RESUME => MAX_RESUME_BYTES,
            _ => MAX_LIST_BYTES,
        }
    }

    /// Checks the section that has ended.
    fn close(&mut self) -> Result<Option<Piece>, Fault> {
        let at = match self.section {
            0 | frame::MANIFEST => return Ok(None),
            section => usize::from(section - frame::MODULE),
        };
        let body = &mut self.bodies[at];
        Ok(Some(match self.section {
            frame::MODULE => {
                let manifest = self.manifest.as_ref().ok_or(Fault::Order("no manifest"))?;
                if manifest.module == Form::Packed {
                    *body = zip::unpack(body, manifest.module_len as usize)?;
                }
                check_module(body, manifest)?;
                Piece::Module
            }
            frame::SEEDS => {
                *body = zip::unpack(body, MAX_LIST_BYTES)?;
                check_seeds(body)?;
                Piece::Seeds
            }
            frame::SEEN => {
                *body = zip::unpack(body, MAX_LIST_BYTES)?;
                check_seen(body)?;
                Piece::Seen
            }
            _ => Piece::Resume,
        }))
    }

    fn fin(&mut self, body: &[u8]) -> Result<(), Fault> {
        let fields = cbor::map(body)?;
        let sum: [u8; 32] = self.sum.clone().finalize().into();
        if fields.need(1)?.fixed()? != sum {
            return Err(Fault::Checksum("sum of the upload"));
        }
        // FIN itself is not counted.
        if fields.need(2)?.uint()? != self.opener.count() - 1 {
            return Err(Fault::Checksum("number of frames"));
        }
        if self.bodies[0].is_empty() {
            return Err(Fault::Order("no module"));
        }
        self.finished = true;
        Ok(())
    }

    /// Whether FIN has come.
    pub fn is_finished(&self) -> bool {
        self.finished && !self.broken
    }

    /// The whole upload; [`Fault::Truncated`] before FIN.
    pub fn finish(self) -> Result<Upload, Fault> {
        let manifest = match self.manifest {
            Some(manifest) if self.finished && !self.broken => manifest,
            _ => return Err(Fault::Truncated(0)),
        };
        let scope = narrowed(&self.terms.scope, &manifest.scope);
        if scope.is_empty() {
            return Err(Fault::Malformed("scope outside of the grant"));
        }
        let [module, seeds, seen, resume] = self.bodies;
        let list = |bytes: Vec<u8>| {
            if bytes.is_empty() {
                let mut empty = cbor::Writer::new();
                empty.array(0);
                empty.finish()
            } else {
                bytes
            }
        };
        Ok(Upload {
            manifest,
            module,
            seeds: list(seeds),
            seen: list(seen),
            resume: (!resume.is_empty()).then_some(resume),
            scope,
            deny: self.terms.deny,
        })
    }
}

/// The wished prefixes as far as they are inside the granted ones; the granted ones if there is no wish.
fn narrowed(granted: &[String], wished: &[String]) -> Vec<String> {
    if wished.is_empty() {
        return granted.to_vec();
    }
    let inside = |wish: &&String| granted.iter().any(|prefix| wish.starts_with(prefix.as_str()));
    let mut scope: Vec<String> = wished.iter().filter(inside).cloned().collect();
    for prefix in granted {
        if wished.iter().any(|wish| prefix.starts_with(wish.as_str())) && !scope.contains(prefix) {
            scope.push(prefix.clone());
        }
    }
    scope
}

fn check_module(module: &[u8], manifest: &Manifest) -> Result<(), Fault> {
    let digest: [u8; 32] = Sha256::digest(module).into();
    let same = module.len() as u64 == manifest.module_len && digest == manifest.module_sha256;
    if same { Ok(()) } else { Err(Fault::Checksum("module")) }
}

fn check_seeds(list: &[u8]) -> Result<(), Fault> {
    for seed in cbor::item(list)?.array()? {
        if !is_page_path(seed.text()?) {
            return Err(Fault::Malformed("seed"));
        }
    }
    Ok(())
}

fn check_seen(list: &[u8]) -> Result<(), Fault> {
    for page in cbor::item(list)?.array()? {
        seen_page(page)?;
    }
    Ok(())
}

fn seen_page(item: cbor::Item<'_>) -> Result<Seen, Fault> {
    let bad = Fault::Malformed("seen");
    let mut items = item.array()?;
    let (Some(path), Some(digest), Some(etag), None) =
        (items.next(), items.next(), items.next(), items.next())
    else {
        return Err(bad);
    };
    let (path, etag) = (path.text()?, etag.text()?);
    let sha256 = if digest.bytes()?.is_empty() { None } else { Some(digest.fixed()?) };
    let plain = etag.len() <= MAX_ETAG_BYTES && !etag.contains(char::is_control);
    if !is_page_path(path) || !plain {
        return Err(bad);
    }
    Ok(Seen { path: path.to_owned(), sha256, etag: etag.to_owned() })
}
