//! How does a message lie on the wire? Heads, and frames that are sealed one after the other.
//!
//! A frame is `length u32 LE || ChaCha20-Poly1305(key, nonce = 0000 || counter u64 LE)`, byte for byte a Noise
//! transport message. Its plaintext is `type u8 || body`.

use crate::Fault;
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};

/// How every message begins.
pub const MAGIC: &[u8; 4] = b"CLP1";
/// The media type of every message.
pub const CONTENT_TYPE: &str = "application/clp";

/// Message types.
pub const HELLO: u8 = 1;
/// See [`HELLO`].
pub const GRANT: u8 = 2;
/// See [`HELLO`].
pub const UPLOAD: u8 = 3;
/// See [`HELLO`].
pub const RESULT: u8 = 4;

/// Flag of RESULT: records are one zstd stream.
pub const FLAG_PACKED: u8 = 1;

/// Largest HELLO; anything larger is refused before any cryptography.
pub const MAX_HELLO_BYTES: usize = 2 * 1024;
/// Largest GRANT.
pub const MAX_GRANT_BYTES: usize = 16 * 1024;
/// Magic, type and flags.
pub const HEAD_BYTES: usize = 6;
/// Head and session id, before the frames of UPLOAD and RESULT.
pub const STREAM_HEAD_BYTES: usize = HEAD_BYTES + 16;
/// Largest ciphertext of a frame.
pub const MAX_FRAME_BYTES: usize = 65_535;
/// What sealing adds.
pub const TAG_BYTES: usize = 16;
/// Largest body of a frame: without its type and tag.
pub const MAX_BODY_BYTES: usize = MAX_FRAME_BYTES - TAG_BYTES - 1;

/// Frame types of UPLOAD and RESULT.
pub mod frame {
    #![expect(missing_docs, reason = "the names are those of the protocol's table")]
    pub const MANIFEST: u8 = 0x01;
    pub const MODULE: u8 = 0x02;
    pub const SEEDS: u8 = 0x03;
    pub const SEEN: u8 = 0x04;
    pub const RESUME: u8 = 0x05;
    pub const FIN: u8 = 0x0f;
    pub const STARTED: u8 = 0x10;
    pub const DATA: u8 = 0x11;
    pub const PROGRESS: u8 = 0x12;
    pub const LOG: u8 = 0x13;
    pub const STATE: u8 = 0x14;
    pub const END: u8 = 0x15;
    pub const ERROR: u8 = 0x16;
}

pub(crate) fn head(kind: u8, flags: u8) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend([kind, flags]);
    head
}

/// The flags and the rest of a message of this type.
pub(crate) fn read_head(bytes: &[u8], kind: u8) -> Result<(u8, &[u8]), Fault> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Fault::NotClp)?;
    match rest {
        [found, flags, rest @ ..] if *found == kind => Ok((*flags, rest)),
        _ => Err(Fault::NotClp),
    }
}

pub(crate) fn stream_head(kind: u8, flags: u8, session: &[u8; 16]) -> Vec<u8> {
    let mut bytes = head(kind, flags);
    bytes.extend(session);
    bytes
}

fn nonce(counter: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&counter.to_le_bytes());
    Nonce::from(nonce)
}

/// Seals frames in one direction of one session.
pub struct Sealer {
    cipher: ChaCha20Poly1305,
    next: u64,
}

impl Sealer {
    /// With one of the two keys of a session; a key must never have two sealers.
    pub fn new(key: &[u8; 32]) -> Sealer {
        Sealer { cipher: ChaCha20Poly1305::new(Key::from_slice(key)), next: 0 }
    }

    /// Appends a frame.
    pub fn seal(&mut self, to: &mut Vec<u8>, kind: u8, body: &[u8]) -> Result<(), Fault> {
        if body.len() > MAX_BODY_BYTES {
            return Err(Fault::TooLarge("frame"));
        }
        let mut plain = Vec::with_capacity(1 + body.len());
        plain.push(kind);
        plain.extend_from_slice(body);
        let sealed =
            self.cipher.encrypt(&nonce(self.next), plain.as_slice()).map_err(|_| Fault::Crypto)?;
        self.next = self.next.checked_add(1).ok_or(Fault::Crypto)?;
        to.extend((sealed.len() as u32).to_le_bytes());
        to.extend(sealed);
        Ok(())
    }

    /// How many frames were sealed.
    pub fn count(&self) -> u64 {
        self.next
    }
}

/// Opens frames in one direction of one session, in any slices.
pub struct Opener {
    cipher: ChaCha20Poly1305,
    next: u64,
    /// Bytes that do not make a frame yet, and where the next frame begins in them.
    waiting: Vec<u8>,
    at: usize,
}

impl Opener {
    /// With one of the two keys of a session.
    pub fn new(key: &[u8; 32]) -> Opener {
        let cipher = ChaCha20Poly1305::new(Key::from_slice(key));
        Opener { cipher, next: 0, waiting: Vec::new(), at: 0 }
    }

    /// Takes in bytes; [`Opener::open`] gives the frames.
    pub fn push(&mut self, bytes: &[u8]) {
        self.waiting.drain(..self.at);
        self.at = 0;
        self.waiting.extend_from_slice(bytes);
    }

    /// The next whole frame: its type and body.
    pub fn open(&mut self) -> Result<Option<(u8, Vec<u8>)>, Fault> {
        let rest = &self.waiting[self.at..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(Fault::TooLarge("frame"));
        }
        if length <= TAG_BYTES {
            return Err(Fault::Malformed("frame"));
        }
        let Some(sealed) = rest.get(..length) else { return Ok(None) };
        let fault = Fault::Frame(self.next);
        let mut plain = self.cipher.decrypt(&nonce(self.next), sealed).map_err(|_| fault)?;
        self.next = self.next.checked_add(1).ok_or(Fault::Crypto)?;
        self.at += 4 + length;
        let kind = plain.remove(0);
        Ok(Some((kind, plain)))
    }

    /// How many frames were opened.
    pub fn count(&self) -> u64 {
        self.next
    }

    /// Whether bytes are left that make no frame.
    pub fn is_torn(&self) -> bool {
        self.at < self.waiting.len()
    }
}
