//! Whatever happens in whatever order: is every page fetched once, and by one bot at a time?

use super::yard::{Yard, advance, id, page, robots_txt};
use lycosa_frontier::{ScopeKind, normal};
use lycosa_model::message::{BrokerMessage, Refusal, Report};
use lycosa_model::{BotId, Door, FetchKind, Lease, Outcome, Tick, UrlId};
use lycosa_runtime::Clock;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::{collection, sample::Index};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const ROBOTS: &str = "User-agent: *\nDisallow: /no/\n";

/// A small web: pages on sites, some of them disallowed, and links between them.
#[derive(Clone, Debug)]
struct Graph {
    sites: usize,
    pages: Vec<(Index, bool)>,
    links: Vec<(Index, Index)>,
}

impl Graph {
    fn url(&self, page: usize) -> String {
        let (site, disallowed) = &self.pages[page];
        let folder = if *disallowed { "no" } else { "yes" };
        format!("http://s{}.test/{folder}/{page}", site.index(self.sites))
    }

    fn links_of(&self, page: usize) -> Vec<String> {
        let count = self.pages.len();
        let mine = self.links.iter().filter(|(from, _)| from.index(count) == page);
        mine.map(|(_, to)| self.url(to.index(count))).collect()
    }

    /// What can be reached from page 0 when disallowed pages are not read: allowed and disallowed.
    fn reachable(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let number: HashMap<String, usize> =
            (0..self.pages.len()).map(|page| (self.url(page), page)).collect();
        let (mut allowed, mut disallowed) = (BTreeSet::new(), BTreeSet::new());
        let mut todo = vec![self.url(0)];
        while let Some(url) = todo.pop() {
            let page = number[&url];
            if self.pages[page].1 {
                disallowed.insert(url);
            } else if allowed.insert(url) {
                todo.extend(self.links_of(page));
            }
        }
        (allowed, disallowed)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Give(Index, usize),
    Report(Index),
    /// A report of something that the bot had at some time.
    Stale(Index, Index),
    Wait(u64),
    LeaveAndReturn(Index),
    Restart,
}

fn graph() -> impl Strategy<Value = Graph> {
    let pages =
        collection::vec((any::<Index>(), prop_oneof![4 => Just(false), 1 => Just(true)]), 1..12);
    let links = collection::vec((any::<Index>(), any::<Index>()), 0..40);
    (1..4_usize, pages, links).prop_map(|(sites, pages, links)| Graph { sites, pages, links })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any::<Index>(), 0..5_usize).prop_map(|(bot, n)| Step::Give(bot, n)),
        6 => any::<Index>().prop_map(Step::Report),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(bot, lease)| Step::Stale(bot, lease)),
        2 => (0..6_000_u64).prop_map(Step::Wait),
        1 => any::<Index>().prop_map(Step::LeaveAndReturn),
        1 => Just(Step::Restart),
    ]
}

/// What the world outside knows: who holds what until when, and what was fetched.
struct World {
    yard: Yard,
    graph: Graph,
    bots: Vec<(BotId, Door)>,
    held: BTreeMap<UrlId, (BotId, Tick, Lease)>,
    history: Vec<Lease>,
    fetched: BTreeMap<String, u32>,
    concurrency: u32,
}

impl World {
    async fn new(graph: Graph, bots: usize, concurrency: u32) -> World {
        let mut yard = Yard::with(|settings| {
            settings.lease = LEASE;
            settings.site_concurrency = concurrency;
            settings.scope = ScopeKind::Any;
            settings.lost_leases = u32::MAX;
            // Retirement has tests of its own; here only time takes leases away.
            settings.kiss.silent = Duration::MAX;
            settings.kiss.expired = u32::MAX;
            settings.kiss.min_bots = usize::MAX;
        });
        yard.seed(&[&graph.url(0)]).await;
        let mut world = World {
            yard,
            graph,
            bots: Vec::new(),
            held: BTreeMap::new(),
            history: Vec::new(),
            fetched: BTreeMap::new(),
            concurrency,
        };
        for number in 0..bots {
            let door = if number % 2 == 0 { Door::Http } else { Door::Inside };
            world.bots.push((BotId::of(&number.to_string(), 1), door));
            world.hello(number).await;
        }
        world
    }

    async fn hello(&mut self, number: usize) {
        let (bot, door) = self.bots[number];
        let welcome = self.yard.welcome(&number.to_string(), 1, door).await;
        assert_eq!(welcome.bot_id, bot);
        self.held.retain(|_, (holder, _, _)| *holder != bot);
    }

    fn forget_expired(&mut self) {
        let now = self.yard.now();
        self.held.retain(|_, (_, until, _)| *until > now);
    }

    async fn give(&mut self, number: usize, n: usize) -> (bool, Duration) {
        self.forget_expired();
        let bot = self.bots[number].0;
        let (leases, wait, finished) = self.yard.try_give(bot, n).await.expect("not refused");
        assert!(leases.len() <= n);
        for lease in leases {
            assert!(!lease.url.contains("/no/"), "disallowed: {}", lease.url);
            assert!(!self.fetched.contains_key(&lease.url), "again: {}", lease.url);
            self.history.push(lease.clone());
            let before = self.held.insert(lease.url_id, (bot, lease.until, lease));
            assert!(before.is_none(), "held twice: {before:?}");
        }
        let mut sites: HashMap<_, u32> = HashMap::new();
        for (_, _, lease) in self.held.values() {
            *sites.entry(normal::parse(&lease.url).expect("url").site).or_default() += 1;
        }
        assert!(sites.values().all(|count| *count <= self.concurrency), "{sites:?}");
        (finished, wait)
    }

    fn answer(&self, lease: &Lease) -> Report {
        if lease.kind == FetchKind::Robots {
            return robots_txt(lease, ROBOTS);
        }
        let number = lease.url.rsplit('/').next().and_then(|text| text.parse().ok());
        let links = self.graph.links_of(number.expect("a page of the graph"));
        page(lease, &links.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The bot reports this lease, which is accepted if and only if it holds it.
    async fn report(&mut self, bot: BotId, lease: &Lease) {
        self.forget_expired();
        let held = self.held.get(&lease.url_id).is_some_and(|(holder, _, _)| *holder == bot);
        let expected = if held { Ok(()) } else { Err(Refusal::NotYours) };
        let report = self.answer(lease);
        assert_eq!(self.yard.report(bot, vec![report]).await, [expected]);
        if held {
            self.held.remove(&lease.url_id);
            if lease.kind == FetchKind::Page {
                *self.fetched.entry(lease.url.clone()).or_default() += 1;
            }
        }
    }

    async fn take(&mut self, step: Step) {
        let count = self.bots.len();
        match step {
            Step::Give(bot, n) => {
                self.give(bot.index(count), n).await;
            }
            Step::Report(which) if !self.held.is_empty() => {
                let (bot, _, lease) =
                    self.held.values().nth(which.index(self.held.len())).cloned().expect("held");
                self.report(bot, &lease).await;
            }
            Step::Stale(bot, which) if !self.history.is_empty() => {
                let lease = self.history[which.index(self.history.len())].clone();
                self.report(self.bots[bot.index(count)].0, &lease).await;
            }
            Step::Report(_) | Step::Stale(..) => {}
            Step::Wait(millis) => advance(Duration::from_millis(millis)).await,
            Step::LeaveAndReturn(bot) => {
                let number = bot.index(count);
                self.yard.ask(BrokerMessage::Leave { bot: self.bots[number].0 }).await;
                self.hello(number).await;
            }
            Step::Restart => self.restart().await,
        }
    }

    async fn restart(&mut self) {
        self.yard.restart(true);
        // What the processes of others hold stays theirs, robots.txt apart, which is asked anew.
        self.held.retain(|_, (_, _, lease)| lease.kind == FetchKind::Page);
        for number in 0..self.bots.len() {
            if self.bots[number].1 == Door::Inside {
                self.hello(number).await;
            }
        }
    }

    /// Everybody works until nothing is left.
    async fn finish(&mut self) {
        for _ in 0..10_000 {
            let mut finished = false;
            let mut wait = Duration::MAX;
            for number in 0..self.bots.len() {
                let (end, again) = self.give(number, 4).await;
                finished |= end;
                wait = wait.min(again);
            }
            if finished {
                return;
            }
            let held: Vec<_> = self.held.values().cloned().collect();
            if held.is_empty() {
                advance(wait).await;
            }
            for (bot, _, lease) in held {
                self.report(bot, &lease).await;
            }
        }
        panic!("the crawl does not end");
    }

    async fn check(mut self) {
        let (allowed, disallowed) = self.graph.reachable();
        let fetched: BTreeSet<String> = self.fetched.keys().cloned().collect();
        assert_eq!(fetched, allowed);
        assert!(self.fetched.values().all(|count| *count == 1), "{:?}", self.fetched);
        for url in &disallowed {
            assert_eq!(self.yard.record(url).outcome, Some(Outcome::RobotsDisallowed));
        }
        for page in 0..self.graph.pages.len() {
            let url = self.graph.url(page);
            let reached = allowed.contains(&url) || disallowed.contains(&url);
            assert_eq!(self.yard.knows(&url), reached, "{url}");
        }
        // Every page that links to a URL counts there once.
        for to in allowed.iter().chain(&disallowed) {
            let from = (0..self.graph.pages.len())
                .filter(|page| allowed.contains(&self.graph.url(*page)))
                .filter(|page| self.graph.url(*page) != *to)
                .filter(|page| self.graph.links_of(*page).contains(to))
                .count();
            assert_eq!(self.yard.inlinks(to), from as u32, "{to}");
        }
        let status = self.yard.status().await;
        assert_eq!((status.pages, status.overlap), (allowed.len() as u64, 0));
        assert_eq!(status.known, (allowed.len() + disallowed.len()) as u64);
        assert_eq!((status.leased, status.queued, status.finished), (0, 0, true));
        assert_eq!(self.yard.plan.records.leases().count(), 0);
        assert_eq!(self.yard.plan.records.frontier(1).count(), 0);
        assert!(self.yard.record(&self.graph.url(0)).queued.is_none());
        assert_eq!(id(&self.graph.url(0)), UrlId::of(&self.graph.url(0)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_page_is_fetched_once_and_held_by_one_bot_whatever_happens(
        graph in graph(),
        bots in 1..4_usize,
        concurrency in 1..3_u32,
        steps in collection::vec(step(), 0..80),
    ) {
        let runtime = Clock::replay_runtime().expect("runtime");
        runtime.block_on(async {
            let mut world = World::new(graph, bots, concurrency).await;
            for step in steps {
                world.take(step).await;
            }
            world.finish().await;
            world.check().await;
        });
    }
}
