//! How does an engine show every server who it is? Web Bot Auth: signed requests (RFC 9421) and a directory of keys.

use super::{EngineKeys, thumbprint, unbase64, verify};
use crate::Fault;
use data_encoding::{BASE64, BASE64URL_NOPAD};
use ed25519_dalek::Signer;
use serde::{Deserialize, Serialize};

/// Where a domain lists its keys.
pub const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// The media type of the list.
pub const DIRECTORY_TYPE: &str = "application/http-message-signatures-directory+json";
/// Largest directory that is read.
pub const MAX_DIRECTORY_BYTES: usize = 64 * 1024;
/// Most keys of a directory.
pub const MAX_DIRECTORY_KEYS: usize = 64;
/// Longest value of a header that is looked at.
pub const MAX_HEADER_BYTES: usize = 2048;
/// Longest time between `created` and `expires`.
pub const MAX_VALIDITY_S: u64 = 24 * 60 * 60;
/// How far the clocks may be apart.
pub const MAX_SKEW_S: u64 = 120;

const TAG: &str = "web-bot-auth";
const LABEL: &str = "sig1";
const COVERED: &str = r#"("@authority" "signature-agent")"#;
const DIRECTORY_TAG: &str = "http-message-signatures-directory";
const DIRECTORY_COVERED: &str = r#"("@authority";req)"#;

/// The three headers of a signed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedHeaders {
    /// `Signature-Agent`: where the keys are.
    pub signature_agent: String,
    /// `Signature-Input`: what is signed, when and by which key.
    pub signature_input: String,
    /// `Signature`.
    pub signature: String,
}

impl SignedHeaders {
    /// Names and values, as they are sent.
    pub fn pairs(&self) -> [(&'static str, &str); 3] {
        [
            ("signature-agent", &self.signature_agent),
            ("signature-input", &self.signature_input),
            ("signature", &self.signature),
        ]
    }
}

#[derive(Serialize, Deserialize)]
struct Directory {
    keys: Vec<Jwk>,
}

#[derive(Serialize, Deserialize)]
struct Jwk {
    kty: String,
    #[serde(default)]
    crv: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(default)]
    x: String,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "use")]
    usage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exp: Option<u64>,
}

/// A key of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryKey {
    /// Ed25519.
    pub ed25519: [u8; 32],
    /// Not before, in seconds.
    pub nbf: Option<u64>,
    /// Not from then on, in seconds.
    pub exp: Option<u64>,
}

/// The Ed25519 keys that a directory lists; keys of other kinds are passed over.
pub fn parse_directory(bytes: &[u8]) -> Result<Vec<DirectoryKey>, Fault> {
    if bytes.len() > MAX_DIRECTORY_BYTES {
        return Err(Fault::TooLarge("key directory"));
    }
    let list: Directory =
        serde_json::from_slice(bytes).map_err(|_| Fault::Malformed("key directory"))?;
    if list.keys.len() > MAX_DIRECTORY_KEYS {
        return Err(Fault::TooLarge("key directory"));
    }
    let ours = list.keys.into_iter().filter(|key| key.kty == "OKP" && key.crv == "Ed25519");
    ours.map(|key| Ok(DirectoryKey { ed25519: unbase64(&key.x)?, nbf: key.nbf, exp: key.exp }))
        .collect()
}

impl DirectoryKey {
    /// Whether the key is valid at this second.
    pub fn is_valid_at(&self, now_s: u64) -> bool {
        self.nbf.is_none_or(|nbf| nbf <= now_s) && self.exp.is_none_or(|exp| now_s < exp)
    }
}

impl EngineKeys {
    /// The directory that the domain serves at [`DIRECTORY_PATH`]; times in seconds.
    pub fn directory_json(&self, nbf_s: u64, exp_s: u64) -> String {
        let key = Jwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            kid: Some(self.thumbprint()),
            x: BASE64URL_NOPAD.encode(&self.ed25519()),
            usage: Some("sig".to_owned()),
            nbf: Some(nbf_s),
            exp: Some(exp_s),
        };
        serde_json::to_string(&Directory { keys: vec![key] }).unwrap_or_default()
    }

    /// Signs the directory, as served by our own domain and no other, valid for `valid_s` from `now_s` on: names and
    /// values of two headers of the answer. Whoever copies the directory to another domain shows by it whose
    /// keys these are.
    pub fn sign_directory(&self, now_s: u64, valid_s: u64) -> [(&'static str, String); 2] {
        let expires = now_s.saturating_add(valid_s.min(MAX_VALIDITY_S));
        let params = format!(
            "{DIRECTORY_COVERED};created={now_s};expires={expires};keyid=\"{}\";alg=\"ed25519\";tag=\"{DIRECTORY_TAG}\"",
            self.thumbprint(),
        );
        let [input, signature] = self.signed(&[("\"@authority\";req", &self.domain)], &params);
        [("signature-input", input), ("signature", signature)]
    }

    /// `Signature-Input` and `Signature` over what is covered.
    fn signed(&self, covered: &[(&str, &str)], params: &str) -> [String; 2] {
        let signature = self.pair.signing.sign(base(covered, params).as_bytes());
        let signature = BASE64.encode(&signature.to_bytes());
        [format!("{LABEL}={params}"), format!("{LABEL}=:{signature}:")]
    }

    /// Signs a request to an authority, valid for `valid_s` from `now_s` on; `nonce` is fresh.
    pub fn sign_request(
        &self,
        authority: &str,
        now_s: u64,
        valid_s: u64,
        nonce: &[u8; 32],
    ) -> SignedHeaders {
        let agent = format!("\"https://{}\"", self.domain);
        let expires = now_s.saturating_add(valid_s.min(MAX_VALIDITY_S));
        let params = format!(
            "{COVERED};created={now_s};expires={expires};keyid=\"{}\";alg=\"ed25519\";nonce=\"{}\";tag=\"{TAG}\"",
            self.thumbprint(),
            BASE64.encode(nonce),
        );
        let covered = [("\"@authority\"", authority), ("\"signature-agent\"", agent.as_str())];
        let [signature_input, signature] = self.signed(&covered, &params);
        SignedHeaders { signature_agent: agent, signature_input, signature }
    }
}

/// The signature base of RFC 9421, section 2.5, from components as they are named there, quotes and all.
pub(crate) fn base(covered: &[(&str, &str)], params: &str) -> String {
    let mut text = String::new();
    for (name, value) in covered {
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push_str(&format!("\"@signature-params\": {params}"));
    text
}

/// Which domain says it signed the request, to fetch its directory.
pub fn agent_domain(headers: &SignedHeaders) -> Result<String, Fault> {
    let agent = headers.signature_agent.trim();
    let agent = agent.strip_prefix("\"https://").and_then(|rest| rest.strip_suffix('"'));
    let domain = agent.map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    let domain = domain.filter(|domain| super::is_domain(domain));
    domain.map(str::to_owned).ok_or(Fault::Malformed("Signature-Agent"))
}

/// Verifies a request to this authority with the key that it should be signed by.
///
/// The authority and `Signature-Agent` must be covered, nothing else may be; the tag must be that of Web Bot Auth,
/// and the key the one named.
pub fn verify_request(
    headers: &SignedHeaders,
    authority: &str,
    ed25519: &[u8; 32],
    now_s: u64,
) -> Result<(), Fault> {
    let input = Input::parse(&headers.signature_input)?;
    let agent = headers.signature_agent.trim();
    if agent.len() > MAX_HEADER_BYTES || agent.contains(['\n', '\r']) {
        return Err(Fault::Malformed("Signature-Agent"));
    }
    if input.tag != TAG || input.keyid != thumbprint(ed25519) {
        return Err(Fault::UnknownKey);
    }
    let late = input.expires.saturating_add(MAX_SKEW_S) < now_s;
    let early = input.created > now_s.saturating_add(MAX_SKEW_S);
    let long = input.expires.saturating_sub(input.created) > MAX_VALIDITY_S;
    if late || early || long || input.expires < input.created {
        return Err(Fault::Expired);
    }
    let mut covered = Vec::new();
    for name in &input.covered {
        covered.push(match *name {
            "@authority" => ("\"@authority\"", authority),
            "signature-agent" => ("\"signature-agent\"", agent),
            _ => return Err(Fault::Malformed("Signature-Input")),
        });
    }
    let twice = covered.len() == 2 && covered[0].0 == covered[1].0;
    if covered.len() != 2 || twice {
        return Err(Fault::Malformed("Signature-Input"));
    }
    let bad = Fault::Malformed("Signature");
    let text = headers.signature.trim();
    let text = text.strip_prefix(input.label).and_then(|rest| rest.strip_prefix("=:"));
    let text = text.and_then(|rest| rest.strip_suffix(':')).ok_or(bad.clone())?;
    if text.len() > 128 {
        return Err(bad);
    }
    let signature = BASE64.decode(text.as_bytes()).map_err(|_| bad.clone())?;
    let signature = signature.try_into().map_err(|_| bad)?;
    verify(ed25519, base(&covered, input.params).as_bytes(), &signature)
}

/// The one signature that a `Signature-Input` describes.
struct Input<'a> {
    label: &'a str,
    /// Inner list and parameters, as received.
    params: &'a str,
    covered: Vec<&'a str>,
    created: u64,
    expires: u64,
    keyid: &'a str,
    tag: &'a str,
}

impl<'a> Input<'a> {
    fn parse(text: &'a str) -> Result<Input<'a>, Fault> {
        let bad = Fault::Malformed("Signature-Input");
        if text.len() > MAX_HEADER_BYTES {
            return Err(Fault::TooLarge("Signature-Input"));
        }
        let (label, params) = text.trim().split_once('=').ok_or(bad.clone())?;
        let is_label = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*');
        if label.is_empty() || !label.bytes().all(is_label) {
            return Err(bad);
        }
        let list = params.strip_prefix('(').ok_or(bad.clone())?;
        let (list, rest) = list.split_once(')').ok_or(bad.clone())?;
        let mut covered = Vec::new();
        for name in list.split(' ').filter(|name| !name.is_empty()) {
            covered.push(unquoted(name).ok_or(bad.clone())?);
        }
        let (mut created, mut expires, mut keyid, mut tag) = (None, None, None, None);
        let mut parameters = rest.split(';');
        if parameters.next() != Some("") {
            return Err(bad);
        }
        for parameter in parameters {
            let (name, value) =
                parameter.trim_start_matches(' ').split_once('=').ok_or(bad.clone())?;
            let slot = match name {
                "created" => &mut created,
                "expires" => &mut expires,
                "keyid" => &mut keyid,
                "tag" => &mut tag,
                "alg" if value != "\"ed25519\"" => return Err(bad),
                _ => continue,
            };
            if slot.replace(value).is_some() {
                return Err(bad);
            }
        }
        let number = |value: Option<&str>| value.and_then(|value| value.parse().ok());
        let text = |value: Option<&'a str>| value.and_then(unquoted);
        Ok(Input {
            label,
            params,
            covered,
            created: number(created).ok_or(bad.clone())?,
            expires: number(expires).ok_or(bad.clone())?,
            keyid: text(keyid).ok_or(bad.clone())?,
            tag: text(tag).ok_or(bad)?,
        })
    }
}

/// What is between quotes, when nothing in it is escaped.
fn unquoted(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains(['"', '\\'])).then_some(inner)
}
