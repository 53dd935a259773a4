//! Does a frontier do what a page of plain code says it should, whatever is asked in whatever order?

use crate::world::*;
use lycosa_ledger::testing::Server;
use lycosa_ledger::{Completion, DomainDone, DomainKey, Grant, Held, Lease, PageDone, Sweep, Task};
use lycosa_model::UrlState;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const DOMAINS: u64 = 4;
const PAGES: u64 = 12;
const BOTS: usize = 3;

/// Moments are whole tens of seconds, and everything that is measured from one ends between two: it does not
/// matter that a database needs a moment for each step.
const STEP: u64 = 10;
const TTL_SECS: u64 = 65;
const REST_SECS: u64 = 25;
const AGAIN_SECS: u64 = 35;
const DELAY_SECS: u64 = 1;

/// One step.
#[derive(Clone, Debug)]
enum Step {
    /// URLs by their numbers.
    Offer(Vec<u64>),
    /// A bot asks for domains, and for pages of each.
    Lease(usize, u32, u32),
    /// A bot tells of one of its leases: how many pages came, how many failed, and whether it gives it back.
    Complete(usize, usize, usize, usize, bool),
    /// A bot renews one of its leases.
    Renew(usize, usize),
    Sweep,
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let url = 0..DOMAINS * PAGES;
    prop_oneof![
        3 => prop::collection::vec(url, 1..6).prop_map(Step::Offer),
        4 => (0..BOTS, 1_u32..4, 1_u32..4).prop_map(|(bot, k, n)| Step::Lease(bot, k, n)),
        4 => (0..BOTS, 0_usize..9, 0_usize..4, 0_usize..3, any::<bool>())
            .prop_map(|(bot, at, good, bad, back)| Step::Complete(bot, at, good, bad, back)),
        1 => (0..BOTS, 0_usize..9).prop_map(|(bot, at)| Step::Renew(bot, at)),
        1 => Just(Step::Sweep),
        3 => (1_u64..10).prop_map(Step::Pass),
    ]
}

fn url_of(number: u64) -> String {
    format!("http://d{}.example/{number}", number % DOMAINS)
}

/// What should be known of a domain.
#[derive(Debug, Default)]
struct Domain {
    next_at: u64,
    epoch: u64,
    /// The bot and the end of its lease.
    lease: Option<(usize, u64)>,
    /// Whether somebody who asked for leases may have found that this one ran out, and that nothing waits.
    unsure: bool,
    waiting: BTreeSet<u64>,
    /// When URLs come again.
    later: BTreeMap<u64, u64>,
}

/// What should be known.
#[derive(Debug, Default)]
struct Model {
    now: u64,
    domains: BTreeMap<u64, Domain>,
    /// URLs, with the times that each was fetched and failed in a row.
    urls: BTreeMap<u64, (u32, u32)>,
    /// What each bot thinks it has.
    leases: Vec<Vec<(u64, Grant)>>,
}

impl Model {
    /// Whether a domain may be leased now.
    fn is_due(&self, domain: &Domain) -> bool {
        // A lease that nobody ended is part of `next_at`.
        !domain.waiting.is_empty() && domain.next_at <= self.now
    }

    fn held(&self, number: u64, held: Held) -> bool {
        let domain = &self.domains[&number];
        domain.epoch == held.epoch && domain.lease.is_some_and(|(_, until)| until > self.now)
    }
}

/// A world and its model, which are told the same.
struct Pair {
    world: World,
    model: Model,
}

impl Pair {
    fn new(world: World) -> Pair {
        let leases = vec![Vec::new(); BOTS];
        Pair { world, model: Model { leases, ..Model::default() } }
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Offer(numbers) => self.offer(numbers).await,
            Step::Lease(bot, domains, pages) => self.lease(*bot, *domains, *pages).await,
            Step::Complete(bot, at, good, bad, back) => {
                self.complete(*bot, *at, *good, *bad, *back).await;
            }
            Step::Renew(bot, at) => self.renew(*bot, *at).await,
            Step::Sweep => self.sweep().await,
            Step::Pass(steps) => {
                self.world.pass_secs(steps * STEP).await;
                self.model.now += steps * STEP;
            }
        }
    }

    async fn offer(&mut self, numbers: &[u64]) {
        let found: Vec<_> =
            numbers.iter().map(|number| ranked(&url_of(*number), *number)).collect();
        let told = self.world.frontier.offer(&found).await.expect("offer");
        let model = &mut self.model;
        for (number, told) in numbers.iter().zip(told) {
            let new = !model.urls.contains_key(number);
            assert_eq!(told, new, "URL {number}");
            if new {
                model.urls.insert(*number, (0, 0));
                let now = model.now;
                let fresh = || Domain { next_at: now, ..Domain::default() };
                let domain = model.domains.entry(number % DOMAINS).or_insert_with(fresh);
                domain.waiting.insert(*number);
            }
        }
    }

    async fn lease(&mut self, asking: usize, domains: u32, pages: u32) {
        let ttl = Duration::from_secs(TTL_SECS);
        let lease = Lease { bot: bot(&asking.to_string()), domains, pages, ttl };
        let grants = self.world.frontier.lease(&lease).await.expect("lease");
        let model = &mut self.model;
        let due: BTreeSet<u64> = model
            .domains
            .iter()
            .filter(|(_, domain)| model.is_due(domain))
            .map(|(number, _)| *number)
            .collect();
        assert_eq!(grants.len(), due.len().min(domains as usize), "of {due:?}");
        let now = model.now;
        for domain in model.domains.values_mut() {
            let over = domain.lease.is_some() && domain.next_at <= now;
            domain.unsure |= over && domain.waiting.is_empty();
        }
        for grant in grants {
            let number = *due
                .iter()
                .find(|number| DomainKey::of(&format!("d{number}.example")) == grant.domain)
                .unwrap_or_else(|| panic!("{} is not due", grant.name));
            let domain = model.domains.get_mut(&number).expect("known");
            assert!(domain.lease.is_none_or(|(_, until)| until <= model.now), "two have it");
            assert!(grant.epoch > domain.epoch);
            domain.epoch = grant.epoch;
            domain.unsure = false;
            domain.lease = Some((asking, model.now + TTL_SECS));
            domain.next_at = model.now + TTL_SECS + DELAY_SECS;
            let told: Vec<u64> = grant.pages.iter().map(|task| task.rank.0).collect();
            let first: Vec<u64> = domain.waiting.iter().take(pages as usize).copied().collect();
            assert_eq!(told, first, "the first ones of domain {number}");
            model.leases[asking].push((number, grant));
        }
    }

    async fn complete(&mut self, teller: usize, at: usize, good: usize, bad: usize, back: bool) {
        let count = self.model.leases[teller].len();
        if count == 0 {
            return;
        }
        let (number, grant) = self.model.leases[teller][at % count].clone();
        let tried: Vec<Task> = grant.pages.iter().take(good + bad).cloned().collect();
        let again = Some(Duration::from_secs(AGAIN_SECS));
        let mut done: Vec<PageDone> = tried.iter().take(good).map(page).collect();
        done.extend(tried.iter().skip(good).map(|task| failed(task, again)));
        let rest = Duration::from_secs(REST_SECS);
        let told = DomainDone {
            release: back,
            pages: done,
            ..DomainDone::giving_back(grant.held(), rest)
        };
        let completion = Completion { domains: vec![told], blobs: Vec::new() };
        let completed = self.world.frontier.complete(&completion).await.expect("complete");
        if !self.model.held(number, grant.held()) {
            assert_eq!((completed.pages, completed.lost), (0, vec![grant.domain]), "a zombie");
            return;
        }
        assert_eq!((completed.pages as usize, completed.lost.len()), (tried.len(), 0));
        let now = self.model.now;
        for (place, task) in tried.iter().enumerate() {
            let domain = self.model.domains.get_mut(&number).expect("known");
            domain.waiting.remove(&task.rank.0);
            domain.later.remove(&task.rank.0);
            let counts = self.model.urls.get_mut(&task.rank.0).expect("known");
            if place < good {
                *counts = (counts.0 + 1, 0);
            } else {
                counts.1 += 1;
                domain.later.insert(task.rank.0, now + AGAIN_SECS);
            }
        }
        if back {
            let domain = self.model.domains.get_mut(&number).expect("known");
            domain.lease = None;
            domain.next_at = now + REST_SECS;
        }
    }

    async fn renew(&mut self, asking: usize, at: usize) {
        let count = self.model.leases[asking].len();
        if count == 0 {
            return;
        }
        let (number, grant) = &self.model.leases[asking][at % count];
        let ttl = Duration::from_secs(TTL_SECS);
        let lost = self.world.frontier.renew(&[grant.held()], ttl).await.expect("renew");
        let domain = self.model.domains.get_mut(number).expect("known");
        let may_hold = domain.epoch == grant.epoch && domain.lease.is_some();
        if may_hold && (lost.is_empty() || !domain.unsure) {
            domain.unsure = false;
            assert!(lost.is_empty(), "nobody had domain {number} in between");
            domain.lease = Some((asking, self.model.now + TTL_SECS));
            domain.next_at = self.model.now + TTL_SECS + DELAY_SECS;
        } else {
            assert_eq!(lost, [grant.domain]);
        }
    }

    async fn sweep(&mut self) {
        let sweep = Sweep { grace: Duration::ZERO, ..Sweep::default() };
        let swept = self.world.frontier.sweep(&sweep).await.expect("sweep");
        let now = self.model.now;
        let (mut run_out, mut unsure, mut again) = (BTreeSet::new(), BTreeSet::new(), 0);
        for (number, domain) in &mut self.model.domains {
            if let Some((holder, until)) = domain.lease
                && until <= now
            {
                domain.lease = None;
                let key = DomainKey::of(&format!("d{number}.example"));
                let told = if domain.unsure { &mut unsure } else { &mut run_out };
                told.insert((key, bot(&holder.to_string())));
            }
            let due: Vec<u64> =
                domain.later.iter().filter(|(_, at)| **at <= now).map(|(url, _)| *url).collect();
            for url in due {
                domain.later.remove(&url);
                domain.waiting.insert(url);
                again += 1;
            }
        }
        let told: BTreeSet<_> =
            swept.run_out.into_iter().filter(|one| !unsure.contains(one)).collect();
        assert_eq!(told, run_out);
        assert_eq!(swept.again, again);
    }

    /// Whether everything is as it should be in the end.
    async fn check(&self) {
        for (number, (fetched, failures)) in &self.model.urls {
            let entry = self.world.frontier.url(key(&url_of(*number))).await.expect("url");
            let entry = entry.expect("known");
            let domain = &self.model.domains[&(number % DOMAINS)];
            assert_eq!(entry.waits, domain.waiting.contains(number), "URL {number}");
            assert_eq!(entry.again.is_some(), domain.later.contains_key(number), "URL {number}");
            assert_eq!(entry.tries, *failures, "URL {number}");
            assert_eq!(entry.dlast.is_some(), *fetched > 0, "URL {number}");
            if *failures > 0 {
                assert_eq!(entry.state, UrlState::Answered(503));
            }
        }
        let stats = self.world.frontier.stats().await.expect("stats");
        assert_eq!(stats.urls as usize, self.model.urls.len());
        let held = |domain: &&Domain| domain.lease.is_some_and(|(_, end)| end > self.model.now);
        assert_eq!(stats.held as usize, self.model.domains.values().filter(held).count());
        let due = |domain: &&Domain| self.model.is_due(domain);
        assert!(stats.due as usize >= self.model.domains.values().filter(due).count());
    }
}

async fn play(world: World, steps: &[Step]) {
    let mut pair = Pair::new(world);
    for step in steps {
        pair.step(step).await;
    }
    pair.check().await;
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_folder_does_what_the_model_says() {
    let steps = prop::collection::vec(step(), 1..60);
    let runtime = runtime();
    let result = runner(32).run(&steps, |steps| {
        runtime.block_on(play(World::in_folder(), &steps));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_database_does_what_the_model_says() {
    let runtime = runtime();
    let Some(server) = runtime.block_on(server()) else { return };
    let steps = prop::collection::vec(step(), 1..60);
    let number = std::cell::Cell::new(0);
    let world = |server: &Server| {
        number.set(number.get() + 1);
        runtime.block_on(World::in_database(server, &format!("model{}", number.get())))
    };
    let result = runner(24).run(&steps, |steps| {
        let world = world(&server);
        runtime.block_on(play(world, &steps));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
