//! Who is the engine, and who is the site?
//!
//! Each side has one secret of 32 bytes; its Ed25519 and X25519 keys are derived from it. Ed25519 says who it is
//! (Web Bot Auth, signature in HELLO, rotation of site keys), X25519 shakes hands.

use crate::{Fault, noise};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};

pub mod web_bot_auth;

/// Longest name of an engine's domain.
pub const MAX_DOMAIN_BYTES: usize = 253;
/// Longest text of a key file.
pub const MAX_KEY_TEXT_BYTES: usize = 1024;

const ENGINE_TITLE: &str = "crawllet engine key 1";
const SITE_TITLE: &str = "crawllet site key 1";
const BIND: &[u8] = b"CLP1 bind";

/// The two private keys that one secret gives.
#[derive(Clone)]
struct Pair {
    secret: [u8; 32],
    /// Ed25519.
    signing: SigningKey,
    /// X25519.
    private: [u8; 32],
    public: [u8; 32],
}

impl Pair {
    fn new(secret: [u8; 32]) -> Result<Pair, Fault> {
        let signing = SigningKey::from_bytes(&noise::derive(&secret, "CLP1 ed25519"));
        let private = noise::derive(&secret, "CLP1 x25519");
        let public = noise::public(&private)?;
        Ok(Pair { secret, signing, private, public })
    }
}

/// The keys of an engine, and the domain that answers for them.
#[derive(Clone)]
pub struct EngineKeys {
    domain: String,
    pair: Pair,
}

impl std::fmt::Debug for EngineKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineKeys").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl EngineKeys {
    /// New keys from fresh randomness.
    pub fn generate(domain: &str, fresh: [u8; 32]) -> Result<EngineKeys, Fault> {
        if !is_domain(domain) {
            return Err(Fault::Malformed("domain"));
        }
        Ok(EngineKeys { domain: domain.to_owned(), pair: Pair::new(fresh)? })
    }

    /// Reads what [`EngineKeys::to_text`] wrote.
    pub fn parse(text: &str) -> Result<EngineKeys, Fault> {
        let [domain, secret] = lines(text, ENGINE_TITLE, ["domain", "secret"])?;
        EngineKeys::generate(domain, unbase64(secret)?)
    }

    /// The keys as a text file; whoever reads it is this engine.
    pub fn to_text(&self) -> String {
        let secret = BASE64URL_NOPAD.encode(&self.pair.secret);
        format!("{ENGINE_TITLE}\ndomain {}\nsecret {secret}\n", self.domain)
    }

    /// The domain whose key directory lists the public key.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// The Ed25519 public key.
    pub fn ed25519(&self) -> [u8; 32] {
        self.pair.signing.verifying_key().to_bytes()
    }

    /// The X25519 public key.
    pub fn x25519(&self) -> [u8; 32] {
        self.pair.public
    }

    /// The Ed25519 public key as it stands in an allow-list: base64url without padding.
    pub fn ed25519_text(&self) -> String {
        BASE64URL_NOPAD.encode(&self.ed25519())
    }

    /// The name of the Ed25519 key (RFC 7638, base64url of SHA-256).
    pub fn thumbprint(&self) -> String {
        thumbprint(&self.ed25519())
    }

    pub(crate) fn x25519_private(&self) -> &[u8; 32] {
        &self.pair.private
    }

    /// Signs that this handshake key belongs to this engine, here and now.
    pub(crate) fn bind(&self, bound: &Bound<'_>) -> [u8; 64] {
        self.pair.signing.sign(&bound.message()).to_bytes()
    }
}

/// A secret of a site.
#[derive(Clone)]
pub struct SiteSecret {
    pair: Pair,
}

impl std::fmt::Debug for SiteSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SiteSecret")
            .field("id", &HEXLOWER.encode(&self.id()))
            .finish_non_exhaustive()
    }
}

impl SiteSecret {
    /// New keys from fresh randomness.
    pub fn generate(fresh: [u8; 32]) -> Result<SiteSecret, Fault> {
        Ok(SiteSecret { pair: Pair::new(fresh)? })
    }

    /// Reads what [`SiteSecret::to_text`] wrote.
    pub fn parse(text: &str) -> Result<SiteSecret, Fault> {
        let [secret] = lines(text, SITE_TITLE, ["secret"])?;
        SiteSecret::generate(unbase64(secret)?)
    }

    /// The secret as a text file.
    pub fn to_text(&self) -> String {
        format!("{SITE_TITLE}\nsecret {}\n", BASE64URL_NOPAD.encode(&self.pair.secret))
    }

    /// The X25519 public key.
    pub fn x25519(&self) -> [u8; 32] {
        self.pair.public
    }

    /// The Ed25519 public key, which signs the descriptor at the next rotation.
    pub fn ed25519(&self) -> [u8; 32] {
        self.pair.signing.verifying_key().to_bytes()
    }

    /// The id by which HELLO names the key.
    pub fn id(&self) -> [u8; 8] {
        site_key_id(&self.x25519(), &self.ed25519())
    }

    pub(crate) fn x25519_private(&self) -> &[u8; 32] {
        &self.pair.private
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.pair.signing.sign(message).to_bytes()
    }
}

/// The id of a site's key: it follows from the key, so no id has two keys.
pub(crate) fn site_key_id(x25519: &[u8; 32], ed25519: &[u8; 32]) -> [u8; 8] {
    let digest = Sha256::new().chain_update(x25519).chain_update(ed25519).finalize();
    let mut id = [0; 8];
    id.copy_from_slice(&digest[..8]);
    id
}

/// What the signature in HELLO covers.
pub(crate) struct Bound<'a> {
    pub(crate) engine: &'a [u8; 32],
    pub(crate) site: &'a [u8; 32],
    pub(crate) authority: &'a str,
    pub(crate) time_ms: u64,
    pub(crate) nonce: &'a [u8; 16],
}

impl Bound<'_> {
    fn message(&self) -> Vec<u8> {
        let time = self.time_ms.to_le_bytes();
        [BIND, self.engine, self.site, self.authority.as_bytes(), &time, self.nonce].concat()
    }

    pub(crate) fn verify(&self, key: &[u8; 32], signature: &[u8; 64]) -> Result<(), Fault> {
        verify(key, &self.message(), signature)
    }
}

/// Whether an Ed25519 signature holds; keys of small order and malleable signatures do not.
pub(crate) fn verify(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> Result<(), Fault> {
    let key = VerifyingKey::from_bytes(key).map_err(|_| Fault::Signature)?;
    key.verify_strict(message, &Signature::from_bytes(signature)).map_err(|_| Fault::Signature)
}

/// The SHA-256 JWK thumbprint (RFC 7638) of an Ed25519 public key.
pub fn thumbprint_bytes(ed25519: &[u8; 32]) -> [u8; 32] {
    let x = BASE64URL_NOPAD.encode(ed25519);
    Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#)).into()
}

/// The thumbprint as text, as `keyid` and `kid` have it.
pub fn thumbprint(ed25519: &[u8; 32]) -> String {
    BASE64URL_NOPAD.encode(&thumbprint_bytes(ed25519))
}

/// 32 bytes in base64url without padding.
pub fn unbase64(text: &str) -> Result<[u8; 32], Fault> {
    let bytes =
        BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| Fault::Malformed("base64url"))?;
    bytes.try_into().map_err(|_| Fault::Malformed("key length"))
}

/// Whether a text is a host name, perhaps with a port, in lower case.
pub(crate) fn is_domain(text: &str) -> bool {
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= MAX_DOMAIN_BYTES
        && host.split('.').all(label)
        && port.is_none_or(|port| {
            !port.starts_with(['0', '+']) && port.parse::<u16>().is_ok_and(|port| port > 0)
        })
}

/// The values of `name value` lines after a title, each exactly once and in this order.
fn lines<'a, const N: usize>(
    text: &'a str,
    title: &str,
    names: [&str; N],
) -> Result<[&'a str; N], Fault> {
    let bad = Fault::Malformed("key file");
    if text.len() > MAX_KEY_TEXT_BYTES {
        return Err(Fault::TooLarge("key file"));
    }
    let mut rest = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if rest.next() != Some(title) {
        return Err(bad);
    }
    let mut values = [""; N];
    for (value, name) in values.iter_mut().zip(names) {
        let line = rest.next().and_then(|line| line.strip_prefix(name)).ok_or(bad.clone())?;
        *value = line.strip_prefix(' ').ok_or(bad.clone())?.trim();
    }
    if rest.next().is_some() { Err(bad) } else { Ok(values) }
}
