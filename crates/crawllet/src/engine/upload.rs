//! What does the engine send along?

use super::{Granted, ResultReader};
use crate::wire::{self, Sealer, frame};
use crate::{Fault, cbor, guests, host, noise, zip};
use sha2::{Digest, Sha256};

/// A page to begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Path with query.
    pub path: String,
}

/// A page that the engine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Path with query.
    pub path: String,
    /// SHA-256 of the page, if it is known.
    pub sha256: Option<[u8; 32]>,
    /// Its `ETag`, or nothing.
    pub etag: String,
}

/// How records come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputKind {
    /// As one zstd stream.
    pub compressed: bool,
}

/// Everything that goes to the site.
#[derive(Clone)]
pub struct Cargo<'a> {
    /// The module, with the key in its slot: see [`crate::guests::key_patched`].
    pub module: &'a [u8],
    /// The key that is in the module, fresh for each upload.
    pub mac_key: [u8; 32],
    /// How records come back.
    pub output: OutputKind,
    /// For the crawllet; what they mean is its own.
    pub params: &'a [u8],
    /// Narrower than the granted scope; empty: all of it.
    pub scope: &'a [String],
    /// Pages to begin with.
    pub seeds: &'a [Seed],
    /// Pages that the engine has.
    pub seen: &'a [Seen],
    /// State of a job that was suspended.
    pub resume: Option<&'a [u8]>,
    /// From which part of any budget on the crawllet is told to end; 0: the host's own.
    pub soft_limit_percent: u8,
}

impl std::fmt::Debug for Cargo<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cargo")
            .field("module_bytes", &self.module.len())
            .field("output", &self.output)
            .field("scope", &self.scope)
            .field("seeds", &self.seeds.len())
            .field("seen", &self.seen.len())
            .finish_non_exhaustive()
    }
}

/// How the module travels.
enum Form {
    Plain,
    Packed(Vec<u8>),
    /// Not at all: the site has it, by this digest, and puts the key in.
    Named([u8; 32]),
}

/// Names a key without telling it.
fn key_id(key: &[u8; 32]) -> [u8; 8] {
    let mut id = [0; 8];
    id.copy_from_slice(&noise::derive(key, "CLP1 mac key id")[..8]);
    id
}

/// Seals the sections of an upload, and sums them up for FIN.
struct Sender {
    sealer: Sealer,
    sum: Sha256,
    bytes: Vec<u8>,
}

impl Sender {
    fn section(&mut self, kind: u8, body: &[u8]) -> Result<(), Fault> {
        for slice in body.chunks(wire::MAX_BODY_BYTES) {
            self.sum.update([kind]);
            self.sum.update(slice);
            self.sealer.seal(&mut self.bytes, kind, slice)?;
        }
        Ok(())
    }
}

impl Granted {
    /// UPLOAD, and who reads the answer to it.
    pub fn upload(self, cargo: Cargo<'_>) -> Result<(Vec<u8>, ResultReader), Fault> {
        let module_kib = self.limits.module_kib as usize;
        if cargo.module.is_empty() || cargo.module.len() > module_kib.saturating_mul(1024) {
            return Err(Fault::TooLarge("module"));
        }
        if cargo.params.len() > host::MAX_PARAMS_BYTES {
            return Err(Fault::TooLarge("parameters"));
        }
        if cargo.soft_limit_percent > 100 {
            return Err(Fault::Malformed("soft limit"));
        }
        if !crate::terms::are_prefixes(cargo.scope) {
            return Err(Fault::Malformed("prefix"));
        }
        let form = self.form(&cargo)?;
        let mut manifest = cbor::Writer::new();
        let fields = if matches!(form, Form::Named(_)) { 10 } else { 9 };
        manifest.map(fields).uint(1).bytes(&Sha256::digest(cargo.module));
        manifest.uint(2).uint(cargo.module.len() as u64).uint(3).text(host::ENTRY);
        manifest.uint(4).bytes(&key_id(&cargo.mac_key));
        manifest.uint(5).uint(cargo.output.compressed.into());
        manifest.uint(6).uint(cargo.soft_limit_percent.into());
        manifest.uint(7).bytes(cargo.params).uint(8).texts(cargo.scope);
        manifest.uint(9).uint(match form {
            Form::Plain => host::MODULE_PLAIN,
            Form::Packed(_) => host::MODULE_PACKED,
            Form::Named(_) => host::MODULE_NAMED,
        });
        if let Form::Named(digest) = &form {
            manifest.uint(10).array(2).bytes(digest).bytes(&cargo.mac_key);
        }
        let mut sender = Sender {
            sealer: Sealer::new(&self.k_i2r),
            sum: Sha256::new(),
            bytes: wire::stream_head(wire::UPLOAD, 0, &self.session_id),
        };
        sender.section(frame::MANIFEST, &manifest.finish())?;
        match &form {
            Form::Plain => sender.section(frame::MODULE, cargo.module)?,
            Form::Packed(bytes) => sender.section(frame::MODULE, bytes)?,
            Form::Named(_) => {}
        }
        if !cargo.seeds.is_empty() {
            let mut list = cbor::Writer::new();
            list.array(cargo.seeds.len());
            for seed in cargo.seeds {
                list.text(&seed.path);
            }
            sender.section(frame::SEEDS, &packed(list)?)?;
        }
        if !cargo.seen.is_empty() {
            let mut list = cbor::Writer::new();
            list.array(cargo.seen.len());
            for seen in cargo.seen {
                let digest = seen.sha256.as_ref().map_or(&[][..], |digest| digest);
                list.array(3).text(&seen.path).bytes(digest).text(&seen.etag);
            }
            sender.section(frame::SEEN, &packed(list)?)?;
        }
        sender.section(frame::RESUME, cargo.resume.unwrap_or_default())?;
        let mut fin = cbor::Writer::new();
        fin.map(2).uint(1).bytes(&sender.sum.finalize()).uint(2).uint(sender.sealer.count());
        sender.sealer.seal(&mut sender.bytes, frame::FIN, &fin.finish())?;
        if sender.bytes.len() > host::max_upload_bytes(&self.limits) {
            return Err(Fault::TooLarge("UPLOAD"));
        }
        let reader = ResultReader::new(&self, cargo.mac_key, cargo.output)?;
        Ok((sender.bytes, reader))
    }

    /// The shortest form of the module that the site takes.
    fn form(&self, cargo: &Cargo<'_>) -> Result<Form, Fault> {
        let takes = |feature: &str| self.runtime.features.iter().any(|known| known == feature);
        // A module without a slot for the key is the engine's business.
        if let Ok(bare) = guests::unpatched(cargo.module, &cargo.mac_key) {
            let digest = Sha256::digest(&bare).into();
            if takes(&host::module_feature(&digest)) {
                return Ok(Form::Named(digest));
            }
        }
        if takes(host::PACKED_MODULE) {
            return Ok(Form::Packed(zip::pack(cargo.module)?));
        }
        Ok(Form::Plain)
    }

    pub(super) fn result_key(&self) -> &[u8; 32] {
        &self.k_r2i
    }
}

fn packed(list: cbor::Writer) -> Result<Vec<u8>, Fault> {
    let list = list.finish();
    if list.len() > host::MAX_LIST_BYTES {
        return Err(Fault::TooLarge("list"));
    }
    zip::pack(&list)
}
