//! What outlives the process that shook hands?

use crate::engine::{MAX_PURPOSE_BYTES, MAX_PURPOSES};
use crate::terms::Terms;
use crate::{Fault, cbor};
use data_encoding::HEXLOWER;

/// Largest session file.
pub const MAX_SESSION_BYTES: usize = 32 * 1024;

/// A session that was granted: keep it secret, and use it once.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The engine's domain.
    pub engine: String,
    /// Thumbprint of the engine's key.
    pub thumbprint: [u8; 32],
    /// The engine's name for the job.
    pub job: [u8; 16],
    /// Whether it goes on with an earlier one.
    pub resume: bool,
    /// What the pages are for.
    pub purpose: Vec<String>,
    /// What was granted.
    pub terms: Terms,
    pub(super) k_i2r: [u8; 32],
    pub(super) k_r2i: [u8; 32],
}

impl std::fmt::Debug for SessionFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionFile")
            .field("engine", &self.engine)
            .field("session", &self.session_hex())
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}

impl SessionFile {
    /// The name of the session in the address of UPLOAD.
    pub fn session_hex(&self) -> String {
        HEXLOWER.encode(&self.terms.session_id)
    }

    /// Whether the upload comes too late.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        now_ms > self.terms.valid_until_ms
    }

    /// For a file that nobody else can read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = cbor::Writer::new();
        to.map(8).uint(1).text(&self.engine).uint(2).bytes(&self.thumbprint);
        to.uint(3).bytes(&self.job).uint(4).bool(self.resume).uint(5).texts(&self.purpose).uint(6);
        self.terms.write(&mut to);
        to.uint(7).bytes(&self.k_i2r).uint(8).bytes(&self.k_r2i);
        to.finish()
    }

    /// Reads what [`SessionFile::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<SessionFile, Fault> {
        if bytes.len() > MAX_SESSION_BYTES {
            return Err(Fault::TooLarge("session file"));
        }
        let fields = cbor::map(bytes)?;
        let purpose = fields.need(5)?.texts(MAX_PURPOSES)?;
        if purpose.iter().any(|text| text.len() > MAX_PURPOSE_BYTES) {
            return Err(Fault::Malformed("purpose"));
        }
        Ok(SessionFile {
            engine: fields.need(1)?.text()?.to_owned(),
            thumbprint: fields.need(2)?.fixed()?,
            job: fields.need(3)?.fixed()?,
            resume: fields.need(4)?.bool()?,
            purpose,
            terms: Terms::read(&fields.need(6)?.map()?)?,
            k_i2r: fields.need(7)?.fixed()?,
            k_r2i: fields.need(8)?.fixed()?,
        })
    }
}
