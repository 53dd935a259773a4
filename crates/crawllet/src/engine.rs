//! What does the engine say, and what does it believe of the answers?
//!
//! [`Hello::new`] makes HELLO; [`HelloSent::read_grant`] reads the answer; [`Granted::upload`] makes UPLOAD and the
//! [`ResultReader`] that checks what comes back.

use crate::descriptor::{ABI, Descriptor};
use crate::identity::{Bound, EngineKeys, thumbprint_bytes};
use crate::limits::Limits;
use crate::noise::{self, Shake};
use crate::terms::Terms;
use crate::{Fault, Refusal, cbor, wire};
use data_encoding::HEXLOWER;

mod event;
mod result;
mod upload;

pub use event::{End, Event, Reason};
pub use result::{
    MAX_ERROR_BYTES, MAX_LOG_BYTES, MAX_OUT_MIB, MAX_PUSH_UNPACKED_BYTES, MAX_SIGNS,
    MAX_STATE_BYTES, MAX_UNPACKED_RATIO, ResultReader,
};
pub use upload::{Cargo, OutputKind, Seed, Seen};

/// What the engine wishes for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Zero: no wish.
    pub limits: Limits,
    /// What the pages are for, as `search`.
    pub purpose: Vec<String>,
    /// The engine's name for the job.
    pub job: [u8; 16],
    /// Whether it goes on with an earlier one.
    pub resume: bool,
}

/// Purposes of one HELLO.
pub const MAX_PURPOSES: usize = 8;
/// Longest purpose.
pub const MAX_PURPOSE_BYTES: usize = 64;

/// The first message.
#[derive(Debug)]
pub struct Hello;

/// The engine, waiting for GRANT.
pub struct HelloSent {
    shake: Shake,
    wanted: Limits,
}

impl std::fmt::Debug for HelloSent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HelloSent").finish_non_exhaustive()
    }
}

impl Hello {
    /// HELLO for the site of this descriptor. `descriptor_bytes` are those that were fetched: they are part of the
    /// handshake. `fresh` is fresh randomness, and used for nothing else.
    #[expect(clippy::new_ret_no_self, reason = "a message is bytes and what waits for the answer")]
    pub fn new(
        keys: &EngineKeys,
        descriptor: &Descriptor,
        descriptor_bytes: &[u8],
        authority: &str,
        wanted: Wanted,
        now_ms: u64,
        fresh: [u8; 32],
    ) -> Result<(Vec<u8>, HelloSent), Fault> {
        let site = descriptor.key_at(now_ms).ok_or(Fault::KeyExpired)?;
        if descriptor.authority != authority {
            return Err(Fault::Descriptor("another authority"));
        }
        let mut nonce = [0; 16];
        nonce.copy_from_slice(&noise::derive(&fresh, "hello nonce")[..16]);
        let engine = keys.x25519();
        let bound = Bound {
            engine: &engine,
            site: &site.x25519,
            authority,
            time_ms: now_ms,
            nonce: &nonce,
        };
        let signature = keys.bind(&bound);
        let mut to = cbor::Writer::new();
        to.map(11).uint(1).text(keys.domain()).uint(2).bytes(&thumbprint_bytes(&keys.ed25519()));
        to.uint(3).bytes(&signature).uint(4).uint(now_ms).uint(5).bytes(&nonce).uint(6);
        wanted.limits.write(&mut to);
        to.uint(7).texts(&wanted.purpose).uint(8).uint(ABI.into());
        to.uint(9).bytes(&wanted.job).uint(10).bool(wanted.resume).uint(11).bytes(&keys.ed25519());
        let prologue = noise::prologue(authority, descriptor_bytes);
        let mut shake = noise::shake(keys.x25519_private(), Some(&site.x25519), &prologue)?;
        let message = shake.write(&to.finish(), noise::derive(&fresh, "hello ephemeral"))?;
        let mut hello = wire::head(wire::HELLO, 0);
        hello.extend(site.id);
        hello.extend(message);
        if hello.len() > wire::MAX_HELLO_BYTES {
            return Err(Fault::TooLarge("HELLO"));
        }
        Ok((hello, HelloSent { shake, wanted: wanted.limits }))
    }
}

impl HelloSent {
    /// Reads GRANT; a refusal is [`Fault::Refused`].
    pub fn read_grant(mut self, bytes: &[u8]) -> Result<Granted, Fault> {
        if bytes.len() > wire::MAX_GRANT_BYTES {
            return Err(Fault::TooLarge("GRANT"));
        }
        let (flags, message) = wire::read_head(bytes, wire::GRANT)?;
        if flags != 0 {
            return Err(Fault::NotClp);
        }
        let payload = self.shake.read(message)?;
        let terms = read_terms(&payload)?;
        let (k_i2r, k_r2i) = self.shake.keys()?;
        // A site that grants more than was asked for does not widen what the engine takes.
        let limits = terms.limits.min(self.wanted);
        Ok(Granted { terms: Terms { limits, ..terms }, k_i2r, k_r2i })
    }
}

/// The payload of GRANT: terms or a refusal.
pub(crate) fn read_terms(payload: &[u8]) -> Result<Terms, Fault> {
    let fields = cbor::map(payload)?;
    if let Some(code) = fields.get(90) {
        let retry_after_s = fields.get(91).map_or(Ok(0), |item| item.number())?;
        return Err(Fault::Refused { code: Refusal::from_code(code.number()?), retry_after_s });
    }
    let terms = Terms::read(&fields)?;
    if terms.runtime.abi != ABI {
        return Err(Fault::Malformed("version of the interface"));
    }
    Ok(terms)
}

/// What the site granted, and the keys of the session. It is used up by its upload: no key seals twice.
#[cfg_attr(test, derive(Clone))]
pub struct Granted {
    /// What was granted; its limits are the smaller of those and what was wanted.
    pub terms: Terms,
    k_i2r: [u8; 32],
    k_r2i: [u8; 32],
}

impl std::ops::Deref for Granted {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Granted {
    /// The session id as it stands in the address of UPLOAD (`?s=`).
    pub fn session_hex(&self) -> String {
        HEXLOWER.encode(&self.session_id)
    }
}

impl std::fmt::Debug for Granted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Granted")
            .field("session_id", &self.session_hex())
            .field("limits", &self.limits)
            .field("scope", &self.scope)
            .field("deny", &self.deny)
            .finish_non_exhaustive()
    }
}
