//! What is the most that could be done? A strategy that knows the judgements, for comparison only.
//!
//! Relevant pages first, and else what is nearest to one that was not fetched yet, by the links that there
//! really are; of those equally near, what leads to most. It is greedy, so on a single topic another order
//! can be a little better; what no order can exceed says [`ceiling`].

use super::web::ParsedWeb;
use lycosa_model::{Rank, Site, Spot, Tick, UrlId};
use lycosa_strategy::{Choice, Explanation, LinkEvidence, Strategy, Turn};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// What leads to no relevant page is so far from one.
const NOWHERE: u32 = u32::MAX;

/// Links to the nearest relevant page; the links that bring one nearer, most first; the order of discovery.
type Place = (u32, Reverse<u32>, u64);

/// See the module. It does not know resting sites: it is for the simulator.
#[derive(Debug)]
pub struct Oracle<'a> {
    web: &'a ParsedWeb,
    parents: Vec<Vec<u32>>,
    /// Relevant pages that were not fetched yet.
    wanted: HashSet<u32>,
    /// Links from each target to the nearest of them.
    distances: Vec<u32>,
    /// Whether one was fetched since the distances were found out.
    stale: bool,
    waiting: BTreeMap<Place, (UrlId, Site, Spot)>,
}

impl<'a> Oracle<'a> {
    /// Knows all that is relevant.
    pub fn new(web: &'a ParsedWeb, relevant: &HashSet<u32>) -> Oracle<'a> {
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); web.targets.len()];
        for page in &web.pages {
            for link in &page.links {
                parents[link.target as usize].push(page.target);
            }
        }
        let mut oracle = Oracle {
            web,
            parents,
            wanted: relevant.clone(),
            distances: Vec::new(),
            stale: false,
            waiting: BTreeMap::new(),
        };
        oracle.measure();
        oracle
    }

    fn measure(&mut self) {
        self.distances = distances(self.wanted.iter().copied(), self.web.targets.len(), |target| {
            self.parents[target as usize].iter().copied()
        });
        self.stale = false;
    }

    fn place(&self, target: Option<u32>, order: u64) -> Place {
        let distance = |target: u32| self.distances[target as usize];
        let Some(own) = target.filter(|target| distance(*target) != NOWHERE) else {
            return (NOWHERE, Reverse(0), order);
        };
        let nearer = distance(own).saturating_sub(1);
        let leads = links(self.web, own).filter(|target| distance(*target) == nearer).count();
        (distance(own), Reverse(leads as u32), order)
    }

    /// Finds out anew what is near, where that has changed and matters: a relevant page that waits is first
    /// in any case.
    fn look_again(&mut self) {
        let waits =
            self.waiting.first_key_value().is_some_and(|((distance, ..), _)| *distance == 0);
        if !self.stale || waits {
            return;
        }
        self.measure();
        let waiting = std::mem::take(&mut self.waiting);
        for ((.., order), one) in waiting {
            let place = self.place(self.web.of_id(one.0), order);
            self.waiting.insert(place, one);
        }
    }
}

fn links(web: &ParsedWeb, target: u32) -> impl Iterator<Item = u32> {
    let page = web.targets[target as usize].page.map(|page| &web.pages[page as usize]);
    page.into_iter().flat_map(|page| page.links.iter().map(|link| link.target))
}

/// Steps from the nearest of some targets to each.
fn distances<Next: Iterator<Item = u32>>(
    from: impl Iterator<Item = u32>,
    targets: usize,
    next: impl Fn(u32) -> Next,
) -> Vec<u32> {
    let mut distances = vec![NOWHERE; targets];
    let mut waiting: VecDeque<u32> = from.collect();
    for target in &waiting {
        distances[*target as usize] = 0;
    }
    while let Some(target) = waiting.pop_front() {
        for other in next(target) {
            if distances[other as usize] == NOWHERE {
                distances[other as usize] = distances[target as usize] + 1;
                waiting.push_back(other);
            }
        }
    }
    distances
}

/// What a crawl from these seeds can have found at most after each of so many fetches, whoever chooses: a
/// page that is some links away takes as many fetches before its own, and before the first relevant one
/// there are as many that are not.
pub fn ceiling(
    web: &ParsedWeb,
    relevant: &HashSet<u32>,
    seeds: &[u32],
    fetches: usize,
) -> Vec<usize> {
    let away = distances(seeds.iter().copied(), web.targets.len(), |target| links(web, target));
    let mut of_relevant: Vec<u32> = relevant.iter().map(|target| away[*target as usize]).collect();
    of_relevant.retain(|distance| *distance != NOWHERE);
    of_relevant.sort_unstable();
    let first = of_relevant.first().copied().unwrap_or_default() as usize;
    let at = |fetch: usize| {
        let within = of_relevant.partition_point(|distance| (*distance as usize) < fetch);
        within.min(fetch.saturating_sub(first))
    };
    (1..=fetches).map(at).collect()
}

impl Strategy for Oracle<'_> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn rank(&self, _link: &LinkEvidence<'_>) -> Rank {
        Rank::default()
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        let place = self.place(self.web.of_id(url), spot.place);
        self.waiting.insert(place, (url, site.clone(), spot));
    }

    fn next(
        &mut self,
        _now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.look_again();
        let mut passed = Vec::new();
        let mut found = 0;
        while found < k
            && let Some((place, (url, site, spot))) = self.waiting.pop_first()
        {
            match turn(&site) {
                Turn::Now => {
                    let score = 1.0 / (1.0 + place.0 as f32);
                    let fetched = self.web.of_id(url);
                    self.stale |= fetched.is_some_and(|target| self.wanted.remove(&target));
                    out.push(Choice { url, site, spot, score, agent: None });
                    found += 1;
                }
                Turn::Stop => {
                    passed.push((place, (url, site, spot)));
                    break;
                }
                Turn::Soon | Turn::Later => passed.push((place, (url, site, spot))),
            }
        }
        self.waiting.extend(passed);
    }

    fn wake(&mut self, _site: &Site) {}

    fn explain(&self, url: UrlId, _spot: Spot) -> Explanation {
        let distance =
            self.web.of_id(url).map_or(NOWHERE, |target| self.distances[target as usize]);
        vec![match distance {
            NOWHERE => "leads to no relevant page".into(),
            distance => format!("{distance} links from a relevant page"),
        }]
    }

    fn loaded(&self) -> usize {
        self.waiting.len()
    }

    fn window(&self) -> Option<usize> {
        None
    }
}
