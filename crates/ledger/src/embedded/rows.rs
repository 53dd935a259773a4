//! What is written of a domain, a URL and an address, and under which keys?

use crate::words::Work;
use crate::{DomainKey, LedgerError, PageKey};
use lycosa_model::{BotId, Lang, UrlId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DomainRow {
    pub(super) name: String,
    /// Nobody may ask it before this moment.
    pub(super) next_at: u64,
    /// When it may be leased; none when nothing waits, or when it stands in line for its address.
    pub(super) ready_at: Option<u64>,
    pub(super) lease: Option<LeaseRow>,
    /// The number of the last lease.
    pub(super) epoch: u64,
    pub(super) urls: u64,
    pub(super) delay_ms: u64,
    /// Whether it stands in line for its address.
    pub(super) gated: bool,
    pub(super) address: Option<IpAddr>,
}

/// Who has a domain, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LeaseRow {
    pub(super) bot: BotId,
    pub(super) until: u64,
}

/// A URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct UrlRow {
    /// The whole id; the key has its first half.
    pub(super) id: UrlId,
    pub(super) url: String,
    pub(super) rank: u64,
    /// Its place among those of the same rank.
    pub(super) arrival: u64,
    pub(super) state: i32,
    pub(super) depth: u32,
    pub(super) inlinks: u64,
    pub(super) outlinks: u32,
    pub(super) tries: u32,
    pub(super) waits: bool,
    pub(super) dinit: u64,
    pub(super) dlast: Option<u64>,
    pub(super) again_at: Option<u64>,
    pub(super) via: Option<UrlId>,
    pub(super) bot1: Option<BotId>,
    pub(super) bot2: Option<BotId>,
    pub(super) language: Option<Lang>,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) digest: Option<String>,
}

/// Work on a page, and when it was last heard of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkRow {
    pub(super) work: Work,
    pub(super) since: u64,
}

/// A network address, and until when a domain uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GateRow {
    pub(super) domains: u32,
    pub(super) holder: Option<DomainKey>,
    pub(super) next_at: u64,
}

/// The first 64 bits of an id, and its domain: what tells pages apart.
pub(super) type Name = (u64, u64);

pub(super) fn name_of(key: PageKey) -> Name {
    (key.domain.0, key.id.fingerprint())
}

/// Numbers in a row, such that the order of keys is that of the numbers.
pub(super) fn key<const N: usize>(numbers: [u64; N]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// The numbers of a key.
pub(super) fn numbers<const N: usize>(
    bytes: &[u8],
    what: &'static str,
) -> Result<[u64; N], LedgerError> {
    let (parts, rest) = bytes.as_chunks::<8>();
    let parts: Result<[[u8; 8]; N], _> = parts.try_into();
    match parts {
        Ok(parts) if rest.is_empty() => Ok(parts.map(u64::from_be_bytes)),
        _ => Err(LedgerError::corrupt(what, "its key has another length")),
    }
}

/// The bytes of an address, of one length for all.
pub(super) fn address_key(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

/// Where a domain stands in line for its address.
pub(super) fn line_key(address: IpAddr, next_at: u64, domain: u64) -> Vec<u8> {
    [&address_key(address)[..], &key([next_at, domain])].concat()
}

pub(super) fn encode<T: Serialize>(row: &T) -> Result<Vec<u8>, LedgerError> {
    postcard::to_stdvec(row).map_err(|error| LedgerError::corrupt("row", error))
}

pub(super) fn decode<T: DeserializeOwned>(
    bytes: &[u8],
    what: &'static str,
) -> Result<T, LedgerError> {
    postcard::from_bytes(bytes).map_err(|error| LedgerError::corrupt(what, error))
}
