//! How are a URL and a bot named? By 128-bit digests, as in i-Bot.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// Writes 16 bytes as 32 lower-case hexadecimal digits.
pub fn hex16(bytes: &[u8; 16]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Reads 32 hexadecimal digits, in either case.
pub fn parse_hex16(text: &str) -> Option<[u8; 16]> {
    let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
    bytes.try_into().ok()
}

macro_rules! digest_id {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex16(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$", "description": $doc })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                if d.is_human_readable() {
                    let text = String::deserialize(d)?;
                    parse_hex16(&text)
                        .map($name)
                        .ok_or_else(|| D::Error::custom("expected 32 hexadecimal digits"))
                } else {
                    <[u8; 16]>::deserialize(d).map($name)
                }
            }
        }
    };
}

digest_id!(UrlId, "The digest of a URL's normal form: the first 128 bits of its BLAKE3 hash.");
digest_id!(TextDigest, "The digest of a text: the first 128 bits of its BLAKE3 hash.");
digest_id!(BotId, "The digest of a bot's name and process id, as in i-Bot.");

impl UrlId {
    /// The id of a URL that is already in normal form.
    pub fn of(normal: &str) -> UrlId {
        UrlId(digest(&[normal.as_bytes()]))
    }

    /// The first 64 bits: enough to tell whether a URL was met.
    pub fn fingerprint(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl TextDigest {
    /// Reads 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<TextDigest> {
        parse_hex16(text).map(TextDigest)
    }
}

impl BotId {
    /// i-Bot: `bot_ID = MessageDigest(name + PID)`.
    pub fn of(name: &str, pid: u32) -> BotId {
        BotId(digest(&[name.as_bytes(), b"\n", pid.to_string().as_bytes()]))
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    out
}
