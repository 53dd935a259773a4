//! What does the site's machine read, grant and send?
//!
//! [`read_hello`] reads HELLO; [`HelloRead::grant`] or [`HelloRead::refuse`] answers it. The [`SessionFile`] is all that
//! has to be kept until the upload comes; [`UploadReader`] reads that, and [`ResultWriter`] writes the answer.

use crate::descriptor::Descriptor;
use crate::engine::{MAX_PURPOSE_BYTES, MAX_PURPOSES};
use crate::identity::{Bound, is_domain, thumbprint_bytes};
use crate::limits::Limits;
use crate::noise::{self, Shake};
use crate::terms::{MAX_VALID_MS, Terms};
use crate::{Fault, Refusal, cbor, wire};

mod form;
mod result;
mod session;
mod upload;

pub use crate::identity::SiteSecret;
pub(crate) use form::{MODULE_NAMED, MODULE_PACKED, MODULE_PLAIN, module_feature};
pub use form::{PACKED_MODULE, features};
pub use result::{FLUSH_BYTES, FLUSH_UNPACKED_BYTES, ResultWriter};
pub use session::{MAX_SESSION_BYTES, SessionFile};
pub use upload::{
    ENTRY, MAX_ETAG_BYTES, MAX_LIST_BYTES, MAX_PARAMS_BYTES, MAX_RESUME_BYTES, Manifest, Piece,
    UPLOAD_SLACK_BYTES, Upload, UploadReader, max_upload_bytes,
};

/// How far the clocks of engine and site may be apart.
pub const MAX_SKEW_MS: u64 = 120_000;

/// A HELLO that could be read, and whose engine is who it says.
///
/// Whether that engine is admitted, its clock right and its nonce new is for the caller to decide.
pub struct HelloRead {
    /// The engine's domain, as it says; its key directory has to confirm it, or the owner's list.
    pub engine: String,
    /// Thumbprint of the Ed25519 key.
    pub thumbprint: [u8; 32],
    /// The key that signed.
    pub ed25519: [u8; 32],
    /// The key that shook hands.
    pub x25519: [u8; 32],
    /// When the engine says it is.
    pub time_ms: u64,
    /// Fresh bytes of the engine; they must not have been here before.
    pub nonce: [u8; 16],
    /// Zero: no wish.
    pub wanted: Limits,
    /// What the pages are for.
    pub purpose: Vec<String>,
    /// Version of the guest interface.
    pub abi: u32,
    /// The engine's name for the job.
    pub job: [u8; 16],
    /// Whether it goes on with an earlier one.
    pub resume: bool,
    /// The key of the site that was used.
    pub site_key: [u8; 8],
    now_ms: u64,
    shake: Shake,
}

impl std::fmt::Debug for HelloRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HelloRead")
            .field("engine", &self.engine)
            .field("time_ms", &self.time_ms)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

/// Reads HELLO with the secret that it names, and verifies who sent it.
///
/// `descriptor_bytes` are those that the site serves. After a rotation an engine may still have the earlier ones:
/// then this fails with [`Fault::Handshake`], and the engine fetches the descriptor anew.
pub fn read_hello(
    bytes: &[u8],
    secrets: &[SiteSecret],
    authority: &str,
    descriptor_bytes: &[u8],
    now_ms: u64,
) -> Result<HelloRead, Fault> {
    if bytes.len() > wire::MAX_HELLO_BYTES {
        return Err(Fault::TooLarge("HELLO"));
    }
    let (flags, rest) = wire::read_head(bytes, wire::HELLO)?;
    // Bit 0 would be a pre-shared key; that is not built.
    if flags != 0 {
        return Err(Fault::NotClp);
    }
    let (id, message) = rest.split_first_chunk::<8>().ok_or(Fault::Malformed("HELLO"))?;
    let secret = secrets.iter().find(|secret| secret.id() == *id).ok_or(Fault::UnknownKey)?;
    let descriptor = Descriptor::parse(descriptor_bytes)?;
    let listed = descriptor.key(id).ok_or(Fault::UnknownKey)?;
    if !listed.is_valid_at(now_ms) {
        return Err(Fault::KeyExpired);
    }
    let prologue = noise::prologue(authority, descriptor_bytes);
    let mut shake = noise::shake(secret.x25519_private(), None, &prologue)?;
    let payload = shake.read(message)?;
    let x25519: [u8; 32] = shake
        .state
        .get_remote_static()
        .and_then(|key| key.try_into().ok())
        .ok_or(Fault::Handshake)?;
    let payload = Payload::read(&payload)?;
    let (site, time_ms) = (secret.x25519(), payload.time_ms);
    let bound = Bound { engine: &x25519, site: &site, authority, time_ms, nonce: &payload.nonce };
    bound.verify(&payload.ed25519, &payload.signature)?;
    Ok(HelloRead {
        engine: payload.engine,
        thumbprint: payload.thumbprint,
        ed25519: payload.ed25519,
        x25519,
        time_ms,
        nonce: payload.nonce,
        wanted: payload.wanted,
        purpose: payload.purpose,
        abi: payload.abi,
        job: payload.job,
        resume: payload.resume,
        site_key: *id,
        now_ms,
        shake,
    })
}

/// What is in a HELLO, before anyone has verified it.
pub(crate) struct Payload {
    engine: String,
    thumbprint: [u8; 32],
    signature: [u8; 64],
    time_ms: u64,
    nonce: [u8; 16],
    wanted: Limits,
    purpose: Vec<String>,
    abi: u32,
    job: [u8; 16],
    resume: bool,
    ed25519: [u8; 32],
}

impl Payload {
    pub(crate) fn read(bytes: &[u8]) -> Result<Payload, Fault> {
        let fields = cbor::map(bytes)?;
        let engine = fields.need(1)?.text()?;
        if !is_domain(engine) {
            return Err(Fault::Malformed("domain"));
        }
        let (thumbprint, ed25519) = (fields.need(2)?.fixed()?, fields.need(11)?.fixed()?);
        if thumbprint != thumbprint_bytes(&ed25519) {
            return Err(Fault::UnknownKey);
        }
        let purpose = fields.need(7)?.texts(MAX_PURPOSES)?;
        let plain =
            |text: &String| text.len() <= MAX_PURPOSE_BYTES && !text.contains(char::is_control);
        if !purpose.iter().all(plain) {
            return Err(Fault::Malformed("purpose"));
        }
        Ok(Payload {
            engine: engine.to_owned(),
            thumbprint,
            signature: fields.need(3)?.fixed()?,
            time_ms: fields.need(4)?.uint()?,
            nonce: fields.need(5)?.fixed()?,
            wanted: Limits::read(fields.need(6)?)?,
            purpose,
            abi: fields.need(8)?.number()?,
            job: fields.need(9)?.fixed()?,
            resume: fields.need(10)?.bool()?,
            ed25519,
        })
    }
}

impl HelloRead {
    /// Whether the engine's clock is near enough; refuse with [`Refusal::Clock`] otherwise.
    pub fn is_timely(&self) -> bool {
        self.time_ms.abs_diff(self.now_ms) <= MAX_SKEW_MS
    }

    /// GRANT, and what has to be kept until the upload. `fresh` is fresh randomness, and used for nothing else.
    ///
    /// Of `terms`, the session and the site's nonce are made here, and the grant waits no longer for its upload than
    /// [`MAX_VALID_MS`]; so long when `valid_until_ms` is 0.
    pub fn grant(
        mut self,
        mut terms: Terms,
        fresh: [u8; 32],
    ) -> Result<(Vec<u8>, SessionFile), Fault> {
        let latest = self.now_ms.saturating_add(MAX_VALID_MS);
        terms.valid_until_ms = match terms.valid_until_ms {
            0 => latest,
            until => until.min(latest),
        };
        terms.session_id.copy_from_slice(&noise::derive(&fresh, "session id")[..16]);
        terms.server_nonce.copy_from_slice(&noise::derive(&fresh, "server nonce")[..16]);
        let mut payload = cbor::Writer::new();
        terms.write(&mut payload);
        let payload = payload.finish();
        // What the engine would not read is not sent.
        let terms = Terms::read(&cbor::map(&payload)?)?;
        let grant = self.answer(&payload, fresh)?;
        let (k_i2r, k_r2i) = self.shake.keys()?;
        let session = SessionFile {
            engine: self.engine,
            thumbprint: self.thumbprint,
            job: self.job,
            resume: self.resume,
            purpose: self.purpose,
            terms,
            k_i2r,
            k_r2i,
        };
        Ok((grant, session))
    }

    /// GRANT that says no. `fresh` as in [`HelloRead::grant`].
    pub fn refuse(
        mut self,
        code: Refusal,
        retry_after_s: u32,
        fresh: [u8; 32],
    ) -> Result<Vec<u8>, Fault> {
        let mut payload = cbor::Writer::new();
        payload.map(2).uint(90).uint(code.code().into()).uint(91).uint(retry_after_s.into());
        self.answer(&payload.finish(), fresh)
    }

    fn answer(&mut self, payload: &[u8], fresh: [u8; 32]) -> Result<Vec<u8>, Fault> {
        let mut grant = wire::head(wire::GRANT, 0);
        grant.extend(self.shake.write(payload, noise::derive(&fresh, "grant ephemeral"))?);
        if grant.len() > wire::MAX_GRANT_BYTES {
            return Err(Fault::TooLarge("GRANT"));
        }
        Ok(grant)
    }
}
