//! What does a site say about its crawllets, before anyone asks?

use crate::identity::{self, SiteSecret, site_key_id, unbase64};
use crate::limits::Limits;
use crate::{Fault, terms};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where the descriptor is.
pub const WELL_KNOWN: &str = "/.well-known/crawllet";
/// Where HELLO and UPLOAD go, unless the descriptor says otherwise.
pub const RUN: &str = "/.well-known/crawllet/run";
/// A descriptor is smaller than this.
pub const MAX_DESCRIPTOR_BYTES: usize = 4 * 1024;
/// Keys of a descriptor.
pub const MAX_KEYS: usize = 4;
/// Versions of the guest interface that a descriptor may list.
pub const MAX_ABIS: usize = 8;

/// The version of the protocol.
pub const CLP: u32 = 1;
/// The version of the guest interface.
pub const ABI: u32 = 1;

/// The descriptor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// Version of the protocol.
    pub clp: u32,
    /// Path of HELLO and UPLOAD.
    pub endpoint: String,
    /// Host, perhaps with port, whose pages these are.
    pub authority: String,
    /// Keys of the site.
    pub keys: Vec<SiteKey>,
    /// Who is let in.
    pub admit: Admit,
    /// Versions of the guest interface.
    pub abi: Vec<u32>,
    /// The most that is granted.
    pub limits: Limits,
    /// Path prefixes that may be visited.
    pub scope: Vec<String>,
    /// Path prefixes that may not.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Whether some files are read from the disk instead of over HTTP.
    #[serde(default)]
    pub fs: bool,
    /// Whom to write to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Signature by an earlier key: `KEYID.BASE64URL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sig: Option<String>,
}

/// Who is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Admit {
    /// Engines that the owner listed.
    Allowlist,
    /// Engines whose domain lists their key.
    WebBotAuth,
    /// Every engine.
    Open,
}

/// A key of a site; times in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteKey {
    /// Follows from the two keys.
    pub id: [u8; 8],
    /// For the handshake.
    pub x25519: [u8; 32],
    /// For the signature of the next descriptor.
    pub ed25519: [u8; 32],
    /// Not before.
    pub nbf: u64,
    /// Not from then on.
    pub exp: u64,
}

impl SiteKey {
    /// The public part of a secret.
    pub fn of(secret: &SiteSecret, nbf: u64, exp: u64) -> SiteKey {
        let (id, x25519, ed25519) = (secret.id(), secret.x25519(), secret.ed25519());
        SiteKey { id, x25519, ed25519, nbf, exp }
    }

    /// Whether it is valid now.
    pub fn is_valid_at(&self, now_ms: u64) -> bool {
        (self.nbf..self.exp).contains(&(now_ms / 1000))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyText {
    id: String,
    x25519: String,
    ed25519: String,
    nbf: u64,
    exp: u64,
}

impl Serialize for SiteKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = KeyText {
            id: HEXLOWER.encode(&self.id),
            x25519: BASE64URL_NOPAD.encode(&self.x25519),
            ed25519: BASE64URL_NOPAD.encode(&self.ed25519),
            nbf: self.nbf,
            exp: self.exp,
        };
        text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SiteKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SiteKey, D::Error> {
        let text = KeyText::deserialize(deserializer)?;
        let bytes = |text: &str| unbase64(text).map_err(serde::de::Error::custom);
        let (x25519, ed25519) = (bytes(&text.x25519)?, bytes(&text.ed25519)?);
        let id = site_key_id(&x25519, &ed25519);
        if text.id != HEXLOWER.encode(&id) {
            return Err(serde::de::Error::custom("id of another key"));
        }
        Ok(SiteKey { id, x25519, ed25519, nbf: text.nbf, exp: text.exp })
    }
}

impl Descriptor {
    /// Reads a descriptor; whatever is unknown, missing, doubled or too long is refused.
    pub fn parse(bytes: &[u8]) -> Result<Descriptor, Fault> {
        if bytes.len() >= MAX_DESCRIPTOR_BYTES {
            return Err(Fault::TooLarge("descriptor"));
        }
        let found: Descriptor =
            serde_json::from_slice(bytes).map_err(|_| Fault::Descriptor("not such JSON"))?;
        found.check()?;
        Ok(found)
    }

    fn check(&self) -> Result<(), Fault> {
        let must = |holds: bool, what: &'static str| {
            if holds { Ok(()) } else { Err(Fault::Descriptor(what)) }
        };
        must(self.clp == CLP, "another version")?;
        must(terms::is_path(&self.endpoint) && !self.endpoint.contains('?'), "endpoint")?;
        must(identity::is_domain(&self.authority), "authority")?;
        must((1..=MAX_KEYS).contains(&self.keys.len()), "number of keys")?;
        must(self.keys.iter().all(|key| key.nbf < key.exp), "validity of a key")?;
        let twice = |at: usize| self.keys[..at].iter().any(|key| key.id == self.keys[at].id);
        must(!(0..self.keys.len()).any(twice), "the same key twice")?;
        must((1..=MAX_ABIS).contains(&self.abi.len()), "versions of the interface")?;
        must(terms::are_prefixes(&self.scope) && !self.scope.is_empty(), "scope")?;
        must(terms::are_prefixes(&self.deny), "deny")?;
        let contact = self.contact.as_deref().unwrap_or_default();
        must(contact.len() <= 256 && !contact.contains(char::is_control), "contact")?;
        must(self.sig.as_ref().is_none_or(|sig| sig.len() <= 128), "sig")
    }

    /// The descriptor as it is served.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The newest key that is valid now.
    pub fn key_at(&self, now_ms: u64) -> Option<&SiteKey> {
        self.keys.iter().filter(|key| key.is_valid_at(now_ms)).max_by_key(|key| key.nbf)
    }

    /// The key of this id.
    pub fn key(&self, id: &[u8; 8]) -> Option<&SiteKey> {
        self.keys.iter().find(|key| key.id == *id)
    }

    /// What a rotation signs: everything but the signature itself.
    fn message(&self) -> Vec<u8> {
        let bare = Descriptor { sig: None, ..self.clone() };
        [b"CLP1 descriptor\0", bare.to_json().as_bytes()].concat()
    }

    /// Signs the descriptor with the key that it had before.
    pub fn sign(&mut self, earlier: &SiteSecret) {
        let signature = BASE64URL_NOPAD.encode(&earlier.sign(&self.message()));
        self.sig = Some(format!("{}.{signature}", HEXLOWER.encode(&earlier.id())));
    }

    /// Whether this descriptor may take the place of one that was trusted before: it has no new key, or is signed
    /// by a key of that one which is still valid. The authority must be the same.
    pub fn verify_rotation(&self, previous: &Descriptor, now_ms: u64) -> Result<(), Fault> {
        if self.authority != previous.authority {
            return Err(Fault::Descriptor("another authority"));
        }
        // A key that is known may end sooner without a signature, never later.
        let known = |key: &SiteKey| {
            previous.key(&key.id).is_some_and(|old| key.nbf >= old.nbf && key.exp <= old.exp)
        };
        if self.keys.iter().all(known) {
            return Ok(());
        }
        let (id, signature) =
            self.sig.as_deref().and_then(|sig| sig.split_once('.')).ok_or(Fault::Signature)?;
        let by = previous.keys.iter().find(|key| HEXLOWER.encode(&key.id) == id);
        let by = by.ok_or(Fault::UnknownKey)?;
        if !by.is_valid_at(now_ms) {
            return Err(Fault::KeyExpired);
        }
        let bytes = BASE64URL_NOPAD.decode(signature.as_bytes()).map_err(|_| Fault::Signature)?;
        let bytes = bytes.try_into().map_err(|_| Fault::Signature)?;
        identity::verify(&by.ed25519, &self.message(), &bytes)
    }
}
