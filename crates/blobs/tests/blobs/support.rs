//! Where do tests put things?

use bytes::Bytes;
use lycosa_blobs::{Blobs, Digest, Key, Settings, Ulid};
use lycosa_servers::s3::{ACCESS, S3};
use std::time::Duration;

/// Settings for tests: small parts, and patience that ends within a test.
pub(crate) fn settings() -> Settings {
    let patience = Duration::from_secs(30);
    Settings { patience, stall: Duration::from_secs(20), part: 5 << 20, ..Settings::default() }
}

/// A store at a server.
pub(crate) fn at(server: &S3) -> Blobs {
    at_endpoint(&server.endpoint(), settings())
}

pub(crate) fn at_endpoint(endpoint: &str, settings: Settings) -> Blobs {
    at_endpoint_with(endpoint, settings, &[])
}

/// A store at an address, with more variables than the credentials.
pub(crate) fn at_endpoint_with(endpoint: &str, settings: Settings, more: &[(&str, &str)]) -> Blobs {
    let address = format!("s3://test/some/prefix?endpoint={endpoint}&region=us-east-1");
    let access = [("AWS_ACCESS_KEY_ID", ACCESS.0), ("AWS_SECRET_ACCESS_KEY", ACCESS.1)];
    let variables = access.iter().chain(more).map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
    Blobs::open_with(&address, variables, settings).unwrap()
}

/// Says that there is no server on this machine.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn skipped(what: &str) {
    eprintln!("skipped: no {what} on this machine");
}

/// A key for some content.
pub(crate) fn key_of(content: &[u8]) -> Key {
    Key::split(Ulid::now(), &Digest::of(content)).unwrap()
}

/// Content that is not the same anywhere.
pub(crate) fn content(length: usize, seed: u64) -> Bytes {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(length);
    bytes.into()
}
