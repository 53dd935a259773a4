//! Does the order depend on how much of the frontier is in memory? It must not.

use super::yard::{Yard, advance, answer, id, page};
use crate::draft::Draft;
use crate::ledger::Ledger;
use crate::seeds::Sighting;
use crate::sites::Sites;
use lycosa_frontier::normal;
use lycosa_model::message::BrokerMessage;
use lycosa_model::{BotId, FetchKind, Lease, Rank, Site, Spot, Tick, UrlId};
use lycosa_runtime::Clock;
use lycosa_store::records::Bundle;
use lycosa_strategy::{BreadthFirst, Choice, Explanation, LinkEvidence, Strategy, Turn};
use proptest::prelude::{Just, ProptestConfig, any, prop, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;
use proptest::strategy::Strategy as _;
use std::time::Duration;

const SITES: usize = 3;

/// A strategy that is shown only so much of each site.
struct Narrow {
    strategy: BreadthFirst,
    window: Option<usize>,
}

impl Narrow {
    fn new(window: Option<usize>) -> Box<Narrow> {
        Box::new(Narrow { strategy: BreadthFirst::new(false), window })
    }
}

impl Strategy for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }
    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        self.strategy.rank(link)
    }
    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.strategy.offer(site, url, spot);
    }
    fn first(&self, site: &Site) -> Option<(Spot, UrlId)> {
        self.strategy.first(site)
    }
    fn trim(&mut self, site: &Site, keep: usize) -> Option<Spot> {
        self.strategy.trim(site, keep)
    }
    fn next(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.strategy.next(now, k, turn, out);
    }
    fn wake(&mut self, site: &Site) {
        self.strategy.wake(site);
    }
    fn explain(&self, url: UrlId, spot: Spot) -> Explanation {
        self.strategy.explain(url, spot)
    }
    fn loaded(&self) -> usize {
        self.strategy.loaded()
    }
    fn window(&self) -> Option<usize> {
        self.window
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A link to a page of this site with this rank.
    Found(usize, u32, bool),
    Give(usize),
    /// One of the leases is reported.
    Report(Index),
    /// All leases are lost.
    Leave,
    /// The broker's process ends and another one goes on.
    Restart,
}

fn step() -> impl proptest::strategy::Strategy<Value = Step> {
    prop_oneof![
        6 => (0..SITES, 0..4_u32, any::<bool>()).prop_map(|(site, key, wanted)| Step::Found(site, key, wanted)),
        3 => (1..6_usize).prop_map(Step::Give),
        3 => any::<Index>().prop_map(Step::Report),
        1 => Just(Step::Leave),
        1 => Just(Step::Restart),
    ]
}

struct World {
    yard: Yard,
    window: Option<usize>,
    bot: BotId,
    held: Vec<Lease>,
    /// The pages that were leased, in order.
    order: Vec<String>,
    found: u64,
}

impl World {
    async fn new(window: Option<usize>, concurrency: u32) -> World {
        let mut yard = Yard::with(|settings| settings.site_concurrency = concurrency);
        let bot = yard.inside("bot").await;
        let mut world = World { yard, window, bot, held: Vec::new(), order: Vec::new(), found: 0 };
        world.ledger().strategy = Narrow::new(window);
        for site in 0..SITES {
            world.found(site, 0, true).await;
        }
        for robots in world.yard.give(bot, SITES).await {
            assert_eq!(robots.kind, FetchKind::Robots);
            world.yard.accept(bot, answer(&robots, 404)).await;
        }
        world
    }

    fn ledger(&mut self) -> &mut Ledger {
        self.yard.broker.ledger_mut()
    }

    async fn found(&mut self, site: usize, key: u32, wanted: bool) {
        self.found = Bundle::next_free(self.found + 1);
        let place = self.found;
        let address = normal::parse(&format!("http://s{site}.test/{place}")).expect("url");
        let ledger = self.ledger();
        let mut draft = Draft::default();
        let spot = Spot { rank: Rank::new(wanted, key), place };
        let sighting = Sighting { depth: key, wanted_language: wanted, ..Sighting::seed() };
        let trail = sighting.trail(ledger.now());
        ledger.enqueue_new(&mut draft, &address, spot, &trail).expect("store");
        ledger.commit(draft).expect("store");
    }

    async fn give(&mut self, n: usize) -> bool {
        let (leases, wait, finished) = self.yard.try_give(self.bot, n).await.expect("not refused");
        self.order.extend(leases.iter().map(|lease| lease.url.clone()));
        if leases.is_empty() {
            advance(wait).await;
        }
        self.held.extend(leases);
        finished
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Found(site, key, wanted) => self.found(site, key, wanted).await,
            Step::Give(n) => {
                self.give(n).await;
            }
            Step::Report(which) if !self.held.is_empty() => {
                let lease = self.held.swap_remove(which.index(self.held.len()));
                self.yard.accept(self.bot, page(&lease, &[])).await;
            }
            Step::Report(_) => {}
            Step::Leave => {
                self.held.clear();
                self.yard.ask(BrokerMessage::Leave { bot: self.bot }).await;
                self.bot = self.yard.inside("bot").await;
            }
            Step::Restart => self.restart().await,
        }
    }

    async fn restart(&mut self) {
        self.held.clear();
        self.yard.restart(true);
        let window = self.window;
        let ledger = self.ledger();
        let rule = ledger.plan.settings.traps.clone();
        ledger.strategy = Narrow::new(window);
        ledger.sites = Sites::new(rule, 1);
        ledger.restore_lines().expect("store");
        self.bot = self.yard.inside("bot").await;
    }

    /// How much the strategy is shown of each site, and how much waits.
    fn shown(&mut self) -> (usize, u64) {
        let ledger = self.ledger();
        (ledger.strategy.loaded(), ledger.run.waiting)
    }

    async fn finish(&mut self) {
        while !self.give(8).await {
            for lease in std::mem::take(&mut self.held) {
                self.yard.accept(self.bot, page(&lease, &[])).await;
            }
        }
    }
}

async fn order(window: Option<usize>, concurrency: u32, steps: &[Step]) -> Vec<String> {
    let mut world = World::new(window, concurrency).await;
    for step in steps {
        world.take(step.clone()).await;
        let (shown, waiting) = world.shown();
        match window {
            None => assert_eq!(shown as u64, waiting),
            // Lost leases come back before the edge; a window is cut when it has twice its size.
            Some(most) => assert!(shown <= SITES * 2 * most.max(2), "{shown} of {most}"),
        }
    }
    world.finish().await;
    assert_eq!(world.shown(), (0, 0));
    assert_eq!(world.yard.plan.records.frontier(1).count(), 0);
    world.order
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_does_not_depend_on_how_much_of_the_frontier_is_in_memory(
        steps in prop::collection::vec(step(), 20..90),
        concurrency in 1..3_u32,
    ) {
        let runtime = Clock::replay_runtime().expect("runtime");
        let all = runtime.block_on(order(None, concurrency, &steps));
        for window in [1, 2, 5] {
            let found = runtime.block_on(order(Some(window), concurrency, &steps));
            prop_assert_eq!(&found, &all);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_site_of_any_size_has_a_window_in_memory_and_the_rest_on_disk() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    let seed = "http://a.test/";
    yard.seed(&[seed]).await;
    let links: Vec<String> = (0..1_000).map(|n| format!("http://a.test/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    yard.fetch(bot, seed, &links).await;
    let ledger = yard.broker.ledger_mut();
    assert_eq!((ledger.strategy.loaded(), ledger.run.waiting), (lycosa_strategy::WINDOW, 1_000));
    assert!(ledger.strategy.explain(id(links[999]), Spot::default())[0].contains("depth 0"));
    assert_eq!(yard.status().await.queued, 1_000);
    let view = yard.view(links[999]).await;
    assert!(view.explain.iter().any(|why| why.contains("depth 1")), "{:?}", view.explain);
    yard.restart(true);
    assert_eq!(yard.broker.ledger_mut().strategy.loaded(), 1, "the rest is read when it is needed");
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, links);
    advance(Duration::from_secs(1)).await;
    assert_eq!(yard.status().await.queued, 0);
}
