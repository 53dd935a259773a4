//! What is the most that could be done? A strategy that knows the judgements, for comparison only.
//!
//! Relevant pages first, and else what is nearest to one that was not fetched yet, by the links that there
//! really are.

use super::web::ParsedWeb;
use lycosa_model::{Rank, Site, Spot, Tick, UrlId};
use lycosa_strategy::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy, Turn};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// See the module. It does not know resting sites: it is for the simulator.
#[derive(Debug)]
pub struct Oracle {
    /// Links from each target to the nearest relevant page.
    distances: HashMap<UrlId, u32>,
    waiting: BTreeMap<(u32, u64), (UrlId, Site, Spot)>,
}

impl Oracle {
    /// Knows all that is relevant.
    pub fn new(web: &ParsedWeb, relevant: &HashSet<u32>) -> Oracle {
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); web.targets.len()];
        for page in &web.pages {
            for link in &page.links {
                parents[link.target as usize].push(page.target);
            }
        }
        let mut distances: HashMap<UrlId, u32> = HashMap::new();
        let mut next: VecDeque<(u32, u32)> = relevant.iter().map(|target| (*target, 0)).collect();
        while let Some((target, distance)) = next.pop_front() {
            let id = web.targets[target as usize].id;
            if distances.contains_key(&id) {
                continue;
            }
            distances.insert(id, distance);
            next.extend(parents[target as usize].iter().map(|parent| (*parent, distance + 1)));
        }
        Oracle { distances, waiting: BTreeMap::new() }
    }
}

impl Strategy for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn rank(&self, _link: &LinkEvidence<'_>) -> Rank {
        Rank::default()
    }

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        let distance = self.distances.get(&url).copied().unwrap_or(u32::MAX);
        self.waiting.insert((distance, spot.place), (url, site.clone(), spot));
    }

    fn first(&self, site: &Site) -> Option<(Spot, UrlId)> {
        let mut of_site = self.waiting.values().filter(|(_, of, _)| of == site);
        of_site.next().map(|(url, _, spot)| (*spot, *url))
    }

    fn trim(&mut self, _site: &Site, _keep: usize) -> Option<Spot> {
        None
    }

    fn next(
        &mut self,
        _now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        let mut passed = Vec::new();
        let mut found = 0;
        while found < k
            && let Some((key, (url, site, spot))) = self.waiting.pop_first()
        {
            match turn(&site) {
                Turn::Now => {
                    let score = 1.0 / (1.0 + key.0 as f32);
                    out.push(Choice { url, site, spot, score, agent: None });
                    found += 1;
                }
                Turn::Stop => {
                    passed.push((key, (url, site, spot)));
                    break;
                }
                Turn::Soon | Turn::Later => passed.push((key, (url, site, spot))),
            }
        }
        self.waiting.extend(passed);
    }

    fn wake(&mut self, _site: &Site) {}

    fn explain(&self, url: UrlId, _spot: Spot) -> Explanation {
        match self.distances.get(&url) {
            Some(distance) => vec![format!("{distance} links from a relevant page")],
            None => vec!["leads to no relevant page".into()],
        }
    }

    fn loaded(&self) -> usize {
        self.waiting.len()
    }

    fn window(&self) -> Option<usize> {
        None
    }
}
