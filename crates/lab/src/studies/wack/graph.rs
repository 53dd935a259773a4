//! Which pages, and which ways between them? The link graph of an archived web, and balls cut out of it.

use crate::simulator::{ParsedLink, ParsedWeb};
use lycosa_model::Outcome;
use lycosa_strategy::walkers::Graph;
use std::collections::{HashMap, VecDeque};

/// Redirects that are followed from a link to a page.
const MOST_REDIRECTS: usize = 5;

/// Pages by number, and where each leads; every target once, no page to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkGraph {
    pub(super) links: Vec<Vec<u32>>,
}

impl Graph<u32> for LinkGraph {
    fn links(&self, page: u32) -> &[u32] {
        self.links.get(page as usize).map_or(&[], Vec::as_slice)
    }
}

impl LinkGraph {
    /// The pages of a web that can be read, and the links among them. Who follows a link to a redirect
    /// stands on the page that it leads to.
    pub(super) fn of(web: &ParsedWeb) -> LinkGraph {
        let is_page = |page: u32| web.pages[page as usize].outcome == Outcome::Fetched;
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for page in (0..web.pages.len() as u32).filter(|page| is_page(*page)) {
            numbers.insert(page, numbers.len() as u32);
        }
        let arrives = |target: u32| {
            let mut page = web.targets[target as usize].page?;
            for _ in 0..MOST_REDIRECTS {
                if is_page(page) {
                    break;
                }
                let onward = web.pages[page as usize].links.first()?;
                page = web.targets[onward.target as usize].page?;
            }
            numbers.get(&page).copied()
        };
        let pages = web.pages.iter().filter(|page| page.outcome == Outcome::Fetched);
        let links =
            |links: &[ParsedLink]| links.iter().filter_map(|link| arrives(link.target)).collect();
        LinkGraph::new(pages.map(|page| links(&page.links)).collect())
    }

    pub(super) fn new(mut links: Vec<Vec<u32>>) -> LinkGraph {
        for (page, links) in links.iter_mut().enumerate() {
            links.sort_unstable();
            links.dedup();
            links.retain(|target| *target as usize != page);
        }
        LinkGraph { links }
    }

    /// The same ways, to be walked in both directions.
    pub(super) fn both_ways(&self) -> LinkGraph {
        let mut links = self.links.clone();
        for (page, targets) in self.links.iter().enumerate() {
            for target in targets {
                links[*target as usize].push(page as u32);
            }
        }
        LinkGraph::new(links)
    }

    /// The first `pages` that are reached from a page, nearest first, with the links among them. The page
    /// itself has the number 0. Nothing when there are not so many.
    pub(super) fn ball(&self, centre: u32, pages: usize) -> Option<LinkGraph> {
        let mut numbers: HashMap<u32, u32> = HashMap::from([(centre, 0)]);
        let mut order = vec![centre];
        let mut next = VecDeque::from([centre]);
        while let Some(page) = next.pop_front()
            && order.len() < pages
        {
            for target in self.links(page) {
                if order.len() < pages && !numbers.contains_key(target) {
                    numbers.insert(*target, order.len() as u32);
                    order.push(*target);
                    next.push_back(*target);
                }
            }
        }
        let inside = |page: &u32| {
            self.links(*page).iter().filter_map(|target| numbers.get(target)).copied().collect()
        };
        (order.len() == pages).then(|| LinkGraph::new(order.iter().map(inside).collect()))
    }

    pub(super) fn ways(&self) -> usize {
        self.links.iter().map(Vec::len).sum()
    }

    pub(super) fn dead_ends(&self) -> usize {
        self.links.iter().filter(|links| links.is_empty()).count()
    }

    pub(super) fn degrees(&self) -> Vec<usize> {
        self.links.iter().map(Vec::len).collect()
    }
}
