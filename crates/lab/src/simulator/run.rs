//! In which order does a strategy fetch a web? One run on a virtual clock.

use super::web::ParsedWeb;
use crate::replay::Latency;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::{Lang, Outcome, Site, Spot, Tick};
use lycosa_strategy::{Choice, LinkEvidence, PageView, Relevance, Strategy, Turn};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// How a run is made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Fetches, failures included.
    pub fetches: usize,
    /// Fetches at the same time.
    pub fetchers: usize,
    /// How long an answer takes.
    pub latency: Latency,
    /// The run ends at this virtual time.
    pub until: Option<Duration>,
    /// Requests at the same time to one site; nothing for no limit.
    pub site_concurrency: Option<usize>,
    /// The language that is wanted.
    pub language: Option<Lang>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fetches: 1_000,
            fetchers: 1,
            latency: Latency::default(),
            until: None,
            site_concurrency: None,
            language: None,
        }
    }
}

/// One fetch, in the order in which they ended.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Which target.
    pub target: u32,
    /// When it ended.
    pub at: Tick,
    /// How it ended.
    pub outcome: Outcome,
    /// What the shared model thinks of it.
    pub relevance: f32,
    /// The score it was chosen with.
    pub score: f32,
    /// The agent of the strategy that went there.
    pub agent: Option<Arc<str>>,
}

/// What a run left behind.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// The fetches.
    pub fetches: Vec<Fetch>,
    /// Bytes received.
    pub bytes: u64,
    /// Most URLs that waited in memory.
    pub most_waiting: usize,
}

/// What is on its way.
#[derive(Clone, Debug)]
struct Flight {
    choice: Choice,
    target: u32,
    began: Tick,
}

/// What is known of a target that was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Sight {
    depth: u32,
    seed: bool,
    redirects: u8,
    parent_relevance: f32,
    wanted: bool,
}

/// Seconds without a request after which a run ends.
const PATIENCE: u32 = 60;
const MAX_REDIRECTS: u8 = 10;

struct Run<'a> {
    web: &'a ParsedWeb,
    settings: &'a Settings,
    topic: RelevanceModel,
    strategy: &'a mut dyn Strategy,
    sights: Vec<Option<Sight>>,
    seen: u64,
    now: Tick,
    under_way: HashMap<Site, usize>,
    trail: Trail,
}

/// Lets a strategy fetch a web from these seeds on.
pub fn simulate(
    web: &ParsedWeb,
    topic: RelevanceModel,
    strategy: &mut dyn Strategy,
    seeds: &[u32],
    settings: &Settings,
) -> Trail {
    let mut run = Run {
        web,
        settings,
        topic,
        strategy,
        sights: vec![None; web.targets.len()],
        seen: 0,
        now: Tick(0),
        under_way: HashMap::new(),
        trail: Trail::default(),
    };
    for seed in seeds {
        let sight = Sight { seed: true, wanted: true, ..Sight::default() };
        run.see(*seed, sight, (None, "", "", ""));
    }
    run.go();
    run.trail
}

impl Run<'_> {
    fn go(&mut self) {
        let mut flights: BinaryHeap<Reverse<(Tick, u64)>> = BinaryHeap::new();
        let mut cargo: HashMap<u64, Flight> = HashMap::new();
        let mut begun = 0_u64;
        let (mut waited, mut last) = (0_u32, 0);
        let until = self.settings.until.map(|until| Tick(0).after(until));
        loop {
            while cargo.len() < self.settings.fetchers
                && (begun as usize) < self.settings.fetches
                && let Some(flight) = self.begin()
            {
                let took = self.takes(flight.target);
                flights.push(Reverse((self.now.after(took), begun)));
                cargo.insert(begun, flight);
                begun += 1;
            }
            self.trail.most_waiting = self.trail.most_waiting.max(self.strategy.loaded());
            let Some(Reverse((at, number))) = flights.pop() else {
                // One that has URLs and names none may do so in a moment, as a team that negotiates.
                waited = if begun == last { waited + 1 } else { 1 };
                last = begun;
                if self.strategy.loaded() == 0
                    || waited > PATIENCE
                    || begun as usize >= self.settings.fetches
                {
                    return;
                }
                self.now = self.now.after(Duration::from_secs(1));
                continue;
            };
            if until.is_some_and(|until| at > until) {
                return;
            }
            self.now = at;
            if let Some(flight) = cargo.remove(&number) {
                self.end(&flight);
            }
        }
    }

    fn takes(&self, target: u32) -> Duration {
        let page = self.web.targets[target as usize].page;
        self.settings.latency.of(page.map_or(0, |page| self.web.pages[page as usize].bytes))
    }

    /// Lets the strategy choose.
    fn begin(&mut self) -> Option<Flight> {
        let mut out = Vec::new();
        let (most, under_way) = (self.settings.site_concurrency, &self.under_way);
        let mut given = false;
        let mut turn = |site: &Site| match most {
            _ if given => Turn::Stop,
            Some(most) if under_way.get(site).copied().unwrap_or(0) >= most => Turn::Soon,
            _ => {
                given = true;
                Turn::Now
            }
        };
        self.strategy.next(self.now, 1, &mut turn, &mut out);
        let choice = out.pop()?;
        let target = self.web.of_id(choice.url)?;
        *self.under_way.entry(choice.site.clone()).or_default() += 1;
        Some(Flight { choice, target, began: self.now })
    }

    fn end(&mut self, flight: &Flight) {
        let target = &self.web.targets[flight.target as usize];
        if let Some(count) = self.under_way.get_mut(&target.site) {
            *count -= 1;
        }
        self.strategy.wake(&target.site);
        let sight = self.sights[flight.target as usize].unwrap_or_default();
        let took = self.now.since(flight.began);
        let page = target.page.map(|page| &self.web.pages[page as usize]);
        let outcome = page.map_or(Outcome::ClientError, |page| page.outcome);
        let mut relevance = 0.0;
        match page.filter(|_| outcome == Outcome::Fetched) {
            None => self.strategy.on_fail(target.id, outcome, took),
            Some(page) => {
                relevance = self.topic.read(&page.bag);
                let view = PageView {
                    url: target.id,
                    site: &target.site,
                    depth: sight.depth,
                    terms: &page.terms,
                    bag: &page.bag,
                    wanted_language: self.is_wanted(&page.languages),
                    links: page.links.len(),
                    at: self.now,
                    took,
                    topic: &self.topic,
                };
                self.strategy.on_page(&view, Relevance(relevance));
            }
        }
        self.trail.bytes += page.map_or(0, |page| page.bytes);
        self.trail.fetches.push(Fetch {
            target: flight.target,
            at: self.now,
            outcome,
            relevance,
            score: flight.choice.score,
            agent: flight.choice.agent.clone(),
        });
        let Some(page) = page else { return };
        let onward = match outcome {
            Outcome::Redirect if sight.redirects >= MAX_REDIRECTS => return,
            // A redirect is no page: its target stands where the redirect stood.
            Outcome::Redirect => Sight { redirects: sight.redirects + 1, ..sight },
            _ => Sight {
                depth: sight.depth + 1,
                seed: false,
                redirects: 0,
                parent_relevance: relevance,
                wanted: self.is_wanted(&page.languages),
            },
        };
        for link in &page.links {
            let words = (Some(flight.target), &*link.anchor, &*link.context, &*link.tag_path);
            self.see(link.target, onward, words);
        }
    }

    fn is_wanted(&self, languages: &[Lang]) -> bool {
        self.settings.language.is_none_or(|wanted| languages.contains(&wanted))
    }

    fn see(
        &mut self,
        number: u32,
        sight: Sight,
        (via, anchor, context, tag_path): (Option<u32>, &str, &str, &str),
    ) {
        let target = &self.web.targets[number as usize];
        let known = self.sights[number as usize].is_some();
        let evidence = LinkEvidence {
            url: target.id,
            address: &target.address,
            site: &target.site,
            known,
            seed: sight.seed,
            via: via.map(|via| self.web.targets[via as usize].id),
            parent_relevance: sight.parent_relevance,
            wanted_language: sight.wanted,
            depth: sight.depth,
            anchor,
            context,
            tag_path,
            topic: &self.topic,
        };
        self.strategy.on_link(&evidence);
        if known {
            return;
        }
        self.sights[number as usize] = Some(sight);
        let spot = Spot { rank: self.strategy.rank(&evidence), place: self.seen };
        self.seen += 1;
        self.strategy.offer(&target.site, target.id, spot);
    }
}
