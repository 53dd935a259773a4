//! May this network address be asked now? Sites that live at one address share its limits: many small
//! sites on one machine must not be asked as if each had a machine of its own. Those that have to wait
//! for their address stand in line, so none of them is forgotten.
//!
//! Which address a site lives at is known from its last answer, so the first request to a site is bound
//! by the limits of the site alone.

use lycosa_model::{Site, Tick};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

/// How an address is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRule {
    /// Leases of all sites of one address at the same time; 0 is no limit.
    pub concurrency: u32,
    /// Least time between the begin of two requests to one address.
    pub delay: Duration,
}

impl AddressRule {
    /// No limit: in a replay, behind a proxy, and for a web of one's own.
    pub const OFF: AddressRule = AddressRule { concurrency: 0, delay: Duration::ZERO };

    /// Whether there is nothing to keep.
    pub fn is_off(&self) -> bool {
        self.concurrency == 0 && self.delay.is_zero()
    }
}

impl Default for AddressRule {
    fn default() -> AddressRule {
        AddressRule { concurrency: 4, delay: Duration::from_millis(100) }
    }
}

/// An address with requests under way, one that was asked a moment ago, or one that is waited for.
#[derive(Debug, Default)]
struct Held {
    in_flight: u32,
    next_ok: Tick,
    /// When the line is looked at again.
    alarm: Option<Tick>,
    line: VecDeque<Site>,
    /// Who stands in the line.
    standing: HashSet<Site>,
    /// Who was called out of it last; the others must wait for their turn, whatever their rank.
    called: HashSet<Site>,
}

impl Held {
    /// Requests that may begin now, of at most `most` that are wanted.
    fn room(&self, rule: &AddressRule, now: Tick) -> u32 {
        let free = match rule.concurrency {
            0 => u32::MAX,
            most => most.saturating_sub(self.in_flight),
        };
        match rule.delay.is_zero() {
            true => free,
            false if now < self.next_ok => 0,
            false => free.min(1),
        }
    }

    fn is_idle(&self, now: Tick) -> bool {
        self.in_flight == 0 && self.next_ok <= now && self.line.is_empty()
    }
}

/// The addresses in use. One that rests no longer, has nothing under way and is not waited for is
/// forgotten, so there are never many more than there are leases and sites in line.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    held: HashMap<IpAddr, Held>,
    /// The moments at which lines are looked at again; one per address.
    alarms: BTreeSet<(Tick, IpAddr)>,
    /// Entries after the last sweep; the next one comes when there are twice as many.
    swept: usize,
}

impl Addresses {
    /// Addresses in use.
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    /// How many requests to this address may begin now.
    pub(crate) fn room(&self, rule: &AddressRule, address: IpAddr, now: Tick) -> u32 {
        match self.held.get(&address) {
            None if rule.is_off() => u32::MAX,
            None => Held::default().room(rule, now),
            Some(held) => held.room(rule, now),
        }
    }

    /// Whether this site may begin a request to its address beside `more` others that begin now. If
    /// not, it stands in line.
    pub(crate) fn admit(
        &mut self,
        rule: &AddressRule,
        address: IpAddr,
        site: &Site,
        more: u32,
        now: Tick,
    ) -> bool {
        let room = self.room(rule, address, now);
        let may = match self.held.get_mut(&address) {
            Some(held) => {
                let was_called = held.called.remove(site);
                // The places of those who were called are theirs until the next call.
                let kept = u32::try_from(held.called.len()).unwrap_or(u32::MAX);
                let free = held.line.is_empty() && room > more.saturating_add(kept);
                free || was_called && room > more
            }
            None => room > more,
        };
        if may {
            return true;
        }
        self.wait(rule, address, site, now);
        false
    }

    /// A request to this address begins.
    pub(crate) fn hold(&mut self, rule: &AddressRule, address: IpAddr, now: Tick) {
        if rule.is_off() {
            return;
        }
        if self.held.len() > 2 * self.swept + SPARE {
            self.held.retain(|_, held| !held.is_idle(now));
            self.swept = self.held.len();
        }
        let held = self.held.entry(address).or_default();
        held.in_flight += 1;
        held.next_ok = held.next_ok.max(now.after(rule.delay));
    }

    /// A request to this address has ended.
    pub(crate) fn unhold(&mut self, address: IpAddr, now: Tick) {
        let Some(held) = self.held.get_mut(&address) else { return };
        held.in_flight = held.in_flight.saturating_sub(1);
        if held.is_idle(now) {
            self.held.remove(&address);
        } else if !held.line.is_empty() {
            let at = now.max(held.next_ok);
            self.arm(address, at);
        }
    }

    /// Sees to it that the line of an address is looked at by this moment.
    fn arm(&mut self, address: IpAddr, at: Tick) {
        let Some(held) = self.held.get_mut(&address) else { return };
        if held.alarm.is_some_and(|before| before <= at) {
            return;
        }
        if let Some(before) = held.alarm.replace(at) {
            self.alarms.remove(&(before, address));
        }
        self.alarms.insert((at, address));
    }

    /// A site stands in line for its address, which has no room for it now.
    fn wait(&mut self, rule: &AddressRule, address: IpAddr, site: &Site, now: Tick) {
        let held = self.held.entry(address).or_default();
        if held.standing.insert(site.clone()) {
            held.line.push_back(site.clone());
        }
        // When a request is back it is called sooner.
        let at = held.next_ok.max(now.after(rule.delay.max(CALL_AGAIN)));
        self.arm(address, at);
    }

    /// The sites whose turn it is at addresses with room for them, in the order in which they came.
    pub(crate) fn next_in_line(&mut self, rule: &AddressRule, now: Tick) -> Vec<Site> {
        let mut sites = Vec::new();
        while let Some(&(at, address)) = self.alarms.first().filter(|(at, _)| *at <= now) {
            self.alarms.remove(&(at, address));
            let Some(held) = self.held.get_mut(&address) else { continue };
            held.alarm = None;
            held.called.clear();
            for _ in 0..held.room(rule, now).min(held.line.len() as u32) {
                let Some(site) = held.line.pop_front() else { break };
                held.standing.remove(&site);
                held.called.insert(site.clone());
                sites.push(site);
            }
            if !held.line.is_empty() {
                // Who is called may have found something else to do; then it is the next one's turn.
                let again = held.next_ok.max(now.after(rule.delay.max(CALL_AGAIN)));
                self.arm(address, again);
            }
        }
        sites
    }

    /// The first moment at which there may be room for a site in line.
    pub(crate) fn first_alarm(&self) -> Option<Tick> {
        self.alarms.first().map(|(at, _)| *at)
    }
}

/// The line of an address is looked at again after this long.
const CALL_AGAIN: Duration = Duration::from_millis(100);

/// Addresses in memory beyond those in use, before they are swept.
const SPARE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const TWO: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn site(number: u32) -> Site {
        let url = format!("http://site-{number}.test/").parse().expect("a URL");
        Site::of(&url).expect("a site")
    }

    #[test]
    fn an_address_has_so_many_requests_at_a_time_and_a_pause_between_their_begins() {
        let rule = AddressRule { concurrency: 2, delay: Duration::from_millis(100) };
        let mut addresses = Addresses::default();
        assert_eq!(addresses.room(&rule, ONE, Tick(0)), 1, "one at a time, because of the pause");
        addresses.hold(&rule, ONE, Tick(0));
        assert_eq!(addresses.room(&rule, ONE, Tick(50)), 0);
        assert_eq!(addresses.room(&rule, TWO, Tick(50)), 1, "another one is free");
        addresses.hold(&rule, ONE, Tick(100));
        assert_eq!(addresses.room(&rule, ONE, Tick(500)), 0, "two are under way");
        addresses.unhold(ONE, Tick(500));
        assert_eq!(addresses.room(&rule, ONE, Tick(500)), 1);
        addresses.unhold(ONE, Tick(500));
        assert_eq!(addresses.len(), 0, "nothing is kept of it");
    }

    #[test]
    fn each_limit_can_be_off() {
        let spaced = AddressRule { concurrency: 0, delay: Duration::from_millis(100) };
        let mut addresses = Addresses::default();
        for moment in 0..10 {
            assert_eq!(addresses.room(&spaced, ONE, Tick(moment * 100)), 1);
            addresses.hold(&spaced, ONE, Tick(moment * 100));
            assert_eq!(addresses.room(&spaced, ONE, Tick(moment * 100)), 0);
        }
        let many = AddressRule { concurrency: 3, delay: Duration::ZERO };
        let addresses = Addresses::default();
        assert_eq!(addresses.room(&many, ONE, Tick(0)), 3);
        let mut addresses = Addresses::default();
        for _ in 0..10 {
            addresses.hold(&AddressRule::OFF, ONE, Tick(0));
        }
        assert_eq!(addresses.room(&AddressRule::OFF, ONE, Tick(0)), u32::MAX);
        assert_eq!(addresses.len(), 0);
    }

    #[test]
    fn who_waits_for_an_address_is_called_in_order_when_there_is_room() {
        let rule = AddressRule { concurrency: 1, delay: Duration::from_millis(100) };
        let mut addresses = Addresses::default();
        addresses.hold(&rule, ONE, Tick(0));
        for number in [3, 1, 2, 1] {
            addresses.wait(&rule, ONE, &site(number), Tick(10));
        }
        assert_eq!(addresses.next_in_line(&rule, Tick(99)), []);
        assert_eq!(addresses.first_alarm(), Some(Tick(110)));
        // The pause is over, but the request is not back.
        assert_eq!(addresses.next_in_line(&rule, Tick(150)), []);
        addresses.unhold(ONE, Tick(200));
        assert_eq!(addresses.next_in_line(&rule, Tick(200)), [site(3)]);
        addresses.hold(&rule, ONE, Tick(200));
        addresses.unhold(ONE, Tick(210));
        assert_eq!(addresses.next_in_line(&rule, Tick(210)), [], "it rests");
        assert_eq!(addresses.next_in_line(&rule, Tick(300)), [site(1)]);
        // Who is not called does not jump the queue, and whoever is called and does not come leaves the
        // place to the next.
        assert!(!addresses.admit(&rule, ONE, &site(9), 0, Tick(310)));
        assert_eq!(addresses.next_in_line(&rule, Tick(400)), [site(2)]);
        assert!(!addresses.admit(&rule, ONE, &site(1), 0, Tick(400)), "its call is over");
        assert!(addresses.admit(&rule, ONE, &site(2), 0, Tick(400)));
        assert!(!addresses.admit(&rule, ONE, &site(2), 0, Tick(400)), "a call is good for once");
    }

    #[test]
    fn addresses_that_were_asked_long_ago_are_forgotten() {
        let rule = AddressRule::default();
        let mut addresses = Addresses::default();
        for number in 0..10_000_u32 {
            let address = IpAddr::V4(Ipv4Addr::from(number));
            let now = Tick(u64::from(number) * 1_000);
            addresses.hold(&rule, address, now);
            // Asked and answered at once: it still rests.
            addresses.unhold(address, now);
        }
        assert!(addresses.len() < 200, "{}", addresses.len());
    }
}
