//! How do the two sides shake hands? Noise IK, with randomness that comes from the caller.

use crate::Fault;
use blake2::digest::{KeyInit, Mac};
use sha2::{Digest, Sha256};
use snow::params::{CipherChoice, DHChoice, HashChoice, NoiseParams};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, HandshakeState};
use std::sync::{Arc, Mutex};

pub(crate) const PATTERN: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";

/// What goes into the handshake hash: a swapped descriptor or authority breaks the handshake.
pub(crate) fn prologue(authority: &str, descriptor: &[u8]) -> Vec<u8> {
    let mut bytes = b"CLP/1\0".to_vec();
    bytes.extend(authority.as_bytes());
    bytes.push(0);
    bytes.extend(Sha256::digest(descriptor));
    bytes
}

/// 32 bytes for one purpose, from a secret or from fresh randomness.
pub(crate) fn derive(secret: &[u8; 32], purpose: &str) -> [u8; 32] {
    type Keyed = blake2::Blake2sMac256;
    let mut mac = <Keyed as KeyInit>::new(secret.into());
    mac.update(purpose.as_bytes());
    mac.finalize().into_bytes().into()
}

/// The X25519 public key of a private one.
pub(crate) fn public(private: &[u8; 32]) -> Result<[u8; 32], Fault> {
    let mut dh = DefaultResolver.resolve_dh(&DHChoice::Curve25519).ok_or(Fault::Crypto)?;
    dh.set(private);
    dh.pubkey().try_into().map_err(|_| Fault::Crypto)
}

/// Randomness that is put in before it is drawn, and drawn once.
#[derive(Clone, Default)]
pub(crate) struct Fresh(Arc<Mutex<Option<[u8; 32]>>>);

impl Fresh {
    pub(crate) fn put(&self, bytes: [u8; 32]) {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(bytes);
    }
}

impl Random for Fresh {
    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), snow::Error> {
        let mut cell = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let bytes = cell.take().ok_or(snow::Error::Rng)?;
        if to.len() != bytes.len() {
            return Err(snow::Error::Rng);
        }
        to.copy_from_slice(&bytes);
        Ok(())
    }
}

struct Resolver(Fresh);

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(self.0.clone()))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

/// One side of a handshake, and where its randomness is put.
pub(crate) struct Shake {
    pub(crate) state: HandshakeState,
    pub(crate) fresh: Fresh,
}

/// A handshake with this static key; the initiator knows the other's.
pub(crate) fn shake(
    private: &[u8; 32],
    remote: Option<&[u8; 32]>,
    prologue: &[u8],
) -> Result<Shake, Fault> {
    let params: NoiseParams = PATTERN.parse().map_err(|_| Fault::Crypto)?;
    let fresh = Fresh::default();
    let build = || {
        let builder = Builder::with_resolver(params, Box::new(Resolver(fresh.clone())))
            .local_private_key(private)?
            .prologue(prologue)?;
        match remote {
            Some(key) => builder.remote_public_key(key)?.build_initiator(),
            None => builder.build_responder(),
        }
    };
    let state = build().map_err(|_| Fault::Crypto)?;
    Ok(Shake { state, fresh })
}

impl Shake {
    /// The next handshake message.
    pub(crate) fn write(&mut self, payload: &[u8], fresh: [u8; 32]) -> Result<Vec<u8>, Fault> {
        self.fresh.put(fresh);
        // e, an encrypted s and two tags are all that a message of IK adds.
        let mut message = vec![0; payload.len() + 32 + 48 + 16];
        let length = self.state.write_message(payload, &mut message).map_err(|_| Fault::Crypto)?;
        message.truncate(length);
        Ok(message)
    }

    /// The payload of the other's handshake message.
    pub(crate) fn read(&mut self, message: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut payload = vec![0; message.len()];
        let length =
            self.state.read_message(message, &mut payload).map_err(|_| Fault::Handshake)?;
        payload.truncate(length);
        Ok(payload)
    }

    /// The two transport keys: initiator to responder, and back.
    pub(crate) fn keys(&mut self) -> Result<([u8; 32], [u8; 32]), Fault> {
        if !self.state.is_handshake_finished() {
            return Err(Fault::Crypto);
        }
        Ok(self.state.dangerously_get_raw_split())
    }
}
