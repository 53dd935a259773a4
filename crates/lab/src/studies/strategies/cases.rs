//! What is crawled? Every topic that the web has, from near and from far, with what is known of it.

use super::Field;
use crate::simulator::{ParsedWeb, Topic, ceiling};
use crate::studies::StudyError;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::Site;
use std::collections::{HashSet, VecDeque};

/// A topic as a crawl from one kind of seeds needs it, and as the judge does.
pub(super) struct Case {
    /// Its number.
    pub(super) topic: usize,
    pub(super) far: bool,
    pub(super) model: RelevanceModel,
    /// What the control is given instead.
    pub(super) wrong: RelevanceModel,
    pub(super) seeds: Vec<u32>,
    pub(super) relevant: HashSet<u32>,
    pub(super) ground: Ground,
}

/// How a topic lies in the web.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// Sites with a relevant page.
    pub(super) sites: usize,
    /// Share of the relevant pages that are on sites of the seeds.
    pub(super) at_home: f64,
    /// Share of the relevant pages that links lead to from the seeds.
    pub(super) reachable: f64,
    /// Share of the relevant pages that are relevant for the wrong topic, too.
    pub(super) shared: f64,
    /// The most that the mean recall can be.
    pub(super) ceiling: f64,
}

/// Where a topic is: its pages, and their sites with those of its seeds.
struct Whereabouts {
    relevant: HashSet<u32>,
    sites: HashSet<Site>,
    with_seeds: HashSet<Site>,
}

impl Whereabouts {
    fn of(web: &ParsedWeb, topic: &Topic) -> Whereabouts {
        let relevant = topic.relevant(web);
        let sites = sites_of(web, relevant.iter().copied());
        let seeds = [topic.seeds(web, false), topic.seeds(web, true)].concat();
        let with_seeds = sites.iter().cloned().chain(sites_of(web, seeds.into_iter())).collect();
        Whereabouts { relevant, sites, with_seeds }
    }

    fn shared_pages(&self, other: &Whereabouts) -> usize {
        self.relevant.intersection(&other.relevant).count()
    }

    /// Sites where looking for one topic is looking for the other, or begins there.
    fn shared_sites(&self, other: &Whereabouts) -> usize {
        self.with_seeds.intersection(&other.sites).count()
    }
}

fn sites_of(web: &ParsedWeb, targets: impl Iterator<Item = u32>) -> HashSet<Site> {
    targets.map(|target| web.targets[target as usize].site.clone()).collect()
}

/// The topics that can be crawled and judged.
pub(super) fn cases(field: &Field<'_>) -> Result<Vec<Case>, StudyError> {
    let Field { web, topics, .. } = field;
    let places: Vec<Whereabouts> = topics.iter().map(|topic| Whereabouts::of(web, topic)).collect();
    let mut cases = Vec::new();
    for far in [false, true] {
        for (number, topic) in topics.iter().enumerate() {
            let (seeds, relevant) = (topic.seeds(web, far), places[number].relevant.clone());
            if seeds.is_empty() || relevant.is_empty() {
                continue;
            }
            let wrong = wrong_topic(&places, number);
            let shared = places[number].shared_pages(&places[wrong]);
            let mut ground = ground(web, &relevant, &seeds, field.fetches);
            ground.shared = shared as f64 / relevant.len() as f64;
            let (model, wrong) = (topic.model(web), topics[wrong].model(web));
            cases.push(Case { topic: number, far, model, wrong, seeds, relevant, ground });
        }
    }
    match cases.is_empty() {
        true => Err(StudyError::NotInTheWeb(
            "no topic has both seeds and relevant pages in this web".into(),
        )),
        false => Ok(cases),
    }
}

/// Another topic that has no page with this one in common, and no site, if there is such a one: from half the
/// list on, so that neighbours in the list, which may be kin, come last.
fn wrong_topic(places: &[Whereabouts], number: usize) -> usize {
    let half = number + places.len() / 2;
    let others = (0..places.len()).map(|step| (half + step) % places.len());
    let kin = |other: &usize| {
        let (own, other) = (&places[number], &places[*other]);
        (own.shared_pages(other), own.shared_sites(other))
    };
    // The first of those that have least in common.
    others.filter(|other| *other != number).min_by_key(kin).unwrap_or(number)
}

fn ground(web: &ParsedWeb, relevant: &HashSet<u32>, seeds: &[u32], fetches: usize) -> Ground {
    let home = sites_of(web, seeds.iter().copied());
    let share = |count: usize| count as f64 / relevant.len().max(1) as f64;
    let is_home = |target: &&u32| home.contains(&web.targets[**target as usize].site);
    let reached = reached(web, seeds);
    let most = ceiling(web, relevant, seeds, fetches);
    let sum: f64 = most.iter().map(|found| share(*found)).sum();
    Ground {
        sites: sites_of(web, relevant.iter().copied()).len(),
        at_home: share(relevant.iter().filter(is_home).count()),
        reachable: share(relevant.iter().filter(|target| reached[**target as usize]).count()),
        shared: 0.0,
        ceiling: sum / fetches.max(1) as f64,
    }
}

/// Which targets links lead to.
fn reached(web: &ParsedWeb, seeds: &[u32]) -> Vec<bool> {
    let mut reached = vec![false; web.targets.len()];
    let mut next: VecDeque<u32> = seeds.iter().copied().collect();
    while let Some(target) = next.pop_front() {
        if !std::mem::replace(&mut reached[target as usize], true) {
            let page = web.targets[target as usize].page.map(|page| &web.pages[page as usize]);
            next.extend(
                page.into_iter().flat_map(|page| page.links.iter().map(|link| link.target)),
            );
        }
    }
    reached
}
