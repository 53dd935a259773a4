//! How fast may one address ask, and how often may it be wrong?

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Addresses that are remembered; of more, the one that was silent for longest is forgotten.
const MAX_ADDRESSES: usize = 10_000;
/// Wrong tokens that cost no time.
const FREE_TRIES: u32 = 5;
/// The longest wait after a wrong token.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How fast one address may ask.
#[derive(Clone, Copy)]
struct Pace {
    /// Requests per second over time.
    per_second: f64,
    /// Requests at once, after a pause.
    burst: f64,
}

/// What programs of this machine may do, if nothing else is said.
const THIS_MACHINE: Pace = Pace { per_second: 5_000.0, burst: 10_000.0 };
/// What other machines may do, if nothing else is said.
const STRANGERS: Pace = Pace { per_second: 50.0, burst: 200.0 };

/// Remembers addresses.
pub(super) struct Limiter {
    per_second: Option<u32>,
    burst: Option<u32>,
    addresses: Mutex<HashMap<IpAddr, Address>>,
}

/// What is remembered of one.
struct Address {
    /// Requests that it may send at once.
    left: f64,
    at: Instant,
    /// Wrong tokens in a row.
    wrong: u32,
    /// No token is looked at before this moment.
    again: Instant,
}

impl Limiter {
    /// One that keeps to this pace; where nothing is said, to the usual one.
    pub(super) fn new(per_second: Option<u32>, burst: Option<u32>) -> Limiter {
        Limiter { per_second, burst, addresses: Mutex::default() }
    }

    fn pace(&self, from: IpAddr) -> Pace {
        let usual = if from.is_loopback() { THIS_MACHINE } else { STRANGERS };
        let chosen = |number: Option<u32>, usual| number.map_or(usual, |n| f64::from(n.max(1)));
        Pace {
            per_second: chosen(self.per_second, usual.per_second),
            burst: chosen(self.burst, usual.burst),
        }
    }

    /// Takes one request off what the address may send, or tells how long it has to wait.
    pub(super) fn take(&self, from: IpAddr) -> Result<(), Duration> {
        let pace = self.pace(from);
        self.with(from, |address, now| {
            let passed = now.duration_since(address.at).as_secs_f64();
            address.left = (address.left + passed * pace.per_second).min(pace.burst);
            address.at = now;
            if address.left >= 1.0 {
                address.left -= 1.0;
                return Ok(());
            }
            Err(Duration::from_secs_f64(((1.0 - address.left) / pace.per_second).min(3_600.0)))
        })
    }

    /// Whether the address may try a token, or how long it has to wait.
    pub(super) fn may_try(&self, from: IpAddr) -> Result<(), Duration> {
        self.with(from, |address, now| match address.again.checked_duration_since(now) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => Ok(()),
        })
    }

    /// Remembers how a token was.
    pub(super) fn tried(&self, from: IpAddr, right: bool) {
        self.with(from, |address, now| {
            address.wrong = if right { 0 } else { address.wrong.saturating_add(1) };
            if let Some(beyond) = address.wrong.checked_sub(FREE_TRIES) {
                let wait = Duration::from_secs(1 << beyond.min(10)).min(LONGEST_WAIT);
                address.again = now + wait;
            }
        });
    }

    fn with<T>(&self, from: IpAddr, work: impl FnOnce(&mut Address, Instant) -> T) -> T {
        let now = Instant::now();
        let burst = self.pace(from).burst;
        let from = network(from);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if addresses.len() >= MAX_ADDRESSES && !addresses.contains_key(&from) {
            let oldest = addresses.iter().min_by_key(|(_, address)| address.at);
            if let Some(oldest) = oldest.map(|(from, _)| *from) {
                addresses.remove(&oldest);
            }
        }
        let fresh = || Address { left: burst, at: now, wrong: 0, again: now };
        work(addresses.entry(from).or_insert_with(fresh), now)
    }
}

/// Whoever has one IPv6 address has 2^64 of them.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let bits = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(bits))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn there(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_its_burst_and_then_its_pace() {
        let limiter = Limiter::new(Some(2), Some(3));
        let granted = (0..5).filter(|_| limiter.take(there(1)).is_ok()).count();
        assert_eq!(granted, 3);
        assert_eq!(limiter.take(there(1)), Err(Duration::from_millis(500)));
        assert!(limiter.take(there(2)).is_ok(), "another one has its own");
        tokio::time::advance(Duration::from_millis(500)).await;
        assert!(limiter.take(there(1)).is_ok());
        assert!(limiter.take(there(1)).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn five_hundred_searches_a_second_from_this_machine_are_no_burst() {
        let limiter = Limiter::new(None, None);
        for _ in 0..60 {
            assert!((0..500).all(|_| limiter.take(HERE).is_ok()));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert!(!(0..500).all(|_| limiter.take(there(1)).is_ok()), "strangers are slower");
    }

    #[tokio::test(start_paused = true)]
    async fn who_guesses_waits_longer_and_longer() {
        let limiter = Limiter::new(None, None);
        let mut waits = Vec::new();
        for _ in 0..14 {
            if let Err(wait) = limiter.may_try(there(1)) {
                waits.push(wait.as_secs());
                tokio::time::advance(wait).await;
            }
            limiter.tried(there(1), false);
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        tokio::time::advance(LONGEST_WAIT).await;
        limiter.tried(there(1), true);
        limiter.tried(there(1), false);
        assert!(limiter.may_try(there(1)).is_ok(), "one that was right begins anew");
    }

    #[tokio::test(start_paused = true)]
    async fn memory_for_addresses_has_an_end_and_a_network_is_one() {
        let limiter = Limiter::new(Some(1), Some(1));
        let of = |net: u32, host: u16| {
            IpAddr::V6(Ipv6Addr::new(0x2001, (net >> 16) as u16, net as u16, 0, 0, 0, 0, host))
        };
        assert!(limiter.take(of(1, 1)).is_ok());
        assert!(limiter.take(of(1, 2)).is_err());
        for net in 0..20_000 {
            let _ = limiter.take(of(net, 1));
        }
        assert_eq!(limiter.addresses.lock().unwrap().len(), MAX_ADDRESSES);
    }
}
