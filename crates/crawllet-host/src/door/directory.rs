//! Does an engine's domain list its key?
//!
//! Web Bot Auth: the domain that an engine names serves its keys at a well-known path, over HTTPS. Whoever says hello
//! chooses the domain, so looking is bounded: to public addresses, one at a time, some in a minute, with a deadline and
//! a size; and what was found is kept for a while, also that nothing was.

use crate::client::Client;
use crate::host::Host;
use data_encoding::HEXLOWER;
use lycosa_crawllet::identity::unbase64;
use lycosa_crawllet::identity::web_bot_auth::{
    DIRECTORY_PATH, DirectoryKey, MAX_DIRECTORY_BYTES, parse_directory,
};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

/// Time for one look, all in all but for the name server.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long a directory is believed, in milliseconds: so long an engine that was removed from it still comes.
const LIFE_MS: u64 = 60 * 60 * 1000;

/// How long it is believed that there is none, or that a key is not in it.
const EMPTY_LIFE_MS: u64 = 5 * 60 * 1000;

/// What is known of an engine that the owner did not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Its domain lists the key that it has.
    Listed,
    /// It does not.
    NotListed,
    /// Others are being looked up, or were just now.
    Later,
}

/// What was found at a domain.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    domain: String,
    at_ms: u64,
    keys: Vec<KeptKey>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptKey {
    ed25519: String,
    nbf: Option<u64>,
    exp: Option<u64>,
}

impl Kept {
    fn has(&self, key: &[u8; 32], now_ms: u64) -> bool {
        self.keys.iter().any(|kept| {
            let ed25519 = unbase64(&kept.ed25519);
            ed25519.is_ok_and(|ed25519: [u8; 32]| {
                let listed = DirectoryKey { ed25519, nbf: kept.nbf, exp: kept.exp };
                listed.ed25519 == *key && listed.is_valid_at(now_ms / 1000)
            })
        })
    }

    /// Whether it still says something about this key.
    fn holds(&self, key: &[u8; 32], now_ms: u64) -> bool {
        let life = if self.has(key, now_ms) { LIFE_MS } else { EMPTY_LIFE_MS };
        (self.at_ms..self.at_ms.saturating_add(life)).contains(&now_ms)
    }
}

/// Whether `domain` lists `key`, by what was found before or by looking now.
///
/// # Errors
/// If our own folder cannot be used.
pub(super) fn look(host: &Host, domain: &str, key: &[u8; 32], now_ms: u64) -> io::Result<Found> {
    // A name as long as it may be would be too long for a file.
    let name = HEXLOWER.encode(&crate::host::sha256(domain.as_bytes())[..16]);
    let answer = |kept: &Kept| if kept.has(key, now_ms) { Found::Listed } else { Found::NotListed };
    let read = || {
        let bytes = host.state.directory(&name)?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.domain == domain && kept.holds(key, now_ms)).then_some(kept)
    };
    if let Some(kept) = read() {
        return Ok(answer(&kept));
    }
    let Some(_turn) = host.state.turn_to_look(now_ms)? else { return Ok(Found::Later) };
    let keys = fetch(host, domain).unwrap_or_default();
    let text = |key: &DirectoryKey| KeptKey {
        ed25519: data_encoding::BASE64URL_NOPAD.encode(&key.ed25519),
        nbf: key.nbf,
        exp: key.exp,
    };
    let kept =
        Kept { domain: domain.to_owned(), at_ms: now_ms, keys: keys.iter().map(text).collect() };
    host.state.keep_directory(&name, &serde_json::to_vec(&kept)?)?;
    Ok(answer(&kept))
}

/// The keys of a directory; none if it cannot be had.
fn fetch(host: &Host, domain: &str) -> Option<Vec<DirectoryKey>> {
    let settings = &host.config.directory;
    let (name, port) = match domain.rsplit_once(':') {
        Some((name, port)) => (name, port.parse().ok()?),
        None => (domain, 443),
    };
    let mut addresses = resolve(name.to_owned(), port)?.into_iter();
    let fits = |address: &SocketAddr| settings.private || is_public(address.ip());
    // This address and no other is connected to: asking for the name twice could give two answers.
    let address = addresses.find(fits)?;
    let mut client = Client::new(&format!("https://{domain}"), DEADLINE).ok()?;
    if let Some(file) = &settings.trust {
        client = client.trusting(&std::fs::read(file).ok()?).ok()?;
    }
    let answer = client.at(address).within(DEADLINE).send("GET", DIRECTORY_PATH, b"").ok()?;
    if answer.status != 200 {
        return None;
    }
    let body = answer.body(MAX_DIRECTORY_BYTES as u64 + 1).ok()?;
    parse_directory(&body).ok()
}

/// The addresses of a name, if they come in time: the system's resolver has no deadline.
fn resolve(name: String, port: u16) -> Option<Vec<SocketAddr>> {
    let (tell, told) = std::sync::mpsc::sync_channel(1);
    let ask = move || {
        let addresses = (name.as_str(), port).to_socket_addrs().map(Iterator::collect);
        // Nobody waits any more when it took too long.
        let _ = tell.send(addresses);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(ask).ok()?;
    told.recv_timeout(DEADLINE).ok()?.ok()
}

/// Whether an address is one of the public internet, and not of this machine or its neighbours.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_documentation()
                || matches!(
                    (a, b, c),
                    (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18..=19, _)
                )
                || a >= 224)
        }
        IpAddr::V6(v6) => {
            let [a, b, ..] = v6.segments();
            // Global unicast, without examples and without ways to reach IPv4 by another name.
            (0x2000..0x4000).contains(&a) && !matches!((a, b), (0x2001, 0 | 0xdb8) | (0x2002, _))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_and_its_neighbours_are_not_public() {
        for address in ["8.8.8.8", "203.1.0.1", "2606:4700::1", "100.63.0.1", "192.0.1.1"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_directory_is_believed_for_an_hour_and_its_silence_for_minutes() {
        let key = |byte: u8, exp| KeptKey {
            ed25519: data_encoding::BASE64URL_NOPAD.encode(&[byte; 32]),
            nbf: None,
            exp,
        };
        let now = 1_790_000_000_000;
        let keys = vec![key(1, None), key(2, Some(now / 1000))];
        let kept = Kept { domain: "a.example".to_owned(), at_ms: now, keys };
        assert!(kept.has(&[1; 32], now) && !kept.has(&[2; 32], now), "the second has ended");
        assert!(kept.holds(&[1; 32], now + LIFE_MS - 1) && !kept.holds(&[1; 32], now + LIFE_MS));
        assert!(kept.holds(&[3; 32], now) && !kept.holds(&[3; 32], now + EMPTY_LIFE_MS));
        assert!(!kept.holds(&[1; 32], now - 1), "the clock was turned back");
    }
}
