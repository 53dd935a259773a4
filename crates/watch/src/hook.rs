//! How does a webhook speak, and how does its receiver know that it is ours? By Standard Webhooks.

#[cfg(test)]
mod tests;

use crate::delivery::Delivery;
use crate::diff;
use crate::feed::{rfc3339, tag};
use crate::watch::{Secret, Watch};
use data_encoding::BASE64;
use lycosa_model::Tick;
use lycosa_model::message::WatchEntry;
use ring::hmac;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Random bytes of a secret; the standard has 24 to 64.
pub const SECRET_BYTES: usize = 32;

/// How long an old secret signs beside a new one.
pub const ROTATION: Duration = Duration::from_secs(24 * 3_600);

/// What every secret begins with.
const PREFIX: &str = "whsec_";

/// A secret, and until when it signs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSecret {
    /// `whsec_…`
    pub key: Secret,
    /// The end of an old one.
    #[serde(default)]
    pub until: Option<Tick>,
}

impl Watch {
    /// Gives the webhook a new secret, made of random bytes, and tells it. An old one signs as well for a while.
    pub fn rotate(&mut self, random: &[u8; SECRET_BYTES], now: Tick) -> String {
        let key = format!("{PREFIX}{}", BASE64.encode(random));
        self.secrets.retain(|secret| secret.until.is_none());
        for old in &mut self.secrets {
            old.until = Some(now.after(ROTATION));
        }
        self.secrets.insert(0, HookSecret { key: Secret(key.clone()), until: None });
        key
    }

    /// The value of `webhook-signature`: one signature for each secret that holds.
    pub fn signature(&self, id: &str, timestamp: u64, body: &str, now: Tick) -> String {
        let hold = self.secrets.iter().filter(|secret| secret.until.is_none_or(|end| end > now));
        let signed: Vec<String> =
            hold.map(|secret| sign(&secret.key.0, id, timestamp, body)).collect();
        signed.join(" ")
    }

    /// The body of a webhook: the same for every attempt.
    pub fn hook_body(&self, delivery: &Delivery) -> String {
        let changes: Vec<Value> =
            delivery.entries.iter().map(|entry| change(&self.uid, entry)).collect();
        let body = json!({
            "type": "watch.changes",
            "timestamp": rfc3339(delivery.made),
            "data": {
                "watch": { "id": self.id, "uid": self.uid, "name": self.name() },
                "changes": changes,
            },
        });
        body.to_string()
    }
}

/// The signature of a message: HMAC-SHA256 of id, timestamp and body.
pub fn sign(secret: &str, id: &str, timestamp: u64, body: &str) -> String {
    let encoded = secret.strip_prefix(PREFIX).unwrap_or(secret);
    // A secret that is no base64 is used as it stands.
    let key = BASE64.decode(encoded.as_bytes()).unwrap_or_else(|_| encoded.as_bytes().to_vec());
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let signed = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64.encode(signed.as_ref()))
}

fn change(uid: &str, entry: &WatchEntry) -> Value {
    json!({
        "id": tag(uid, entry.number),
        "number": entry.number,
        "change": entry.change.name(),
        "url": entry.url,
        "title": entry.title,
        "at": rfc3339(entry.at),
        "text": entry.text,
        "diff": diff::plain(&entry.diff),
        "pieces": entry.diff,
        "score": entry.score,
        "agent": entry.agent,
        "why": entry.why,
    })
}
