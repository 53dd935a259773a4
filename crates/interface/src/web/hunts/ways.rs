//! Which page led to which, and how did one come to this one?

use super::{escaped, place};
use crate::events::{Picture, Seen};
use crate::web::api::picture::{Step, choose, step, steps};
use crate::web::clean::{self, Address};
use crate::web::visit::Visit;

/// Pages in the tree.
const SHOWN: usize = 300;
/// How deep ways are shown as such.
const DEEPEST: usize = 24;

/// A page in the tree of ways, or on the way to a page.
#[derive(Clone, Debug)]
pub(super) struct WayRow {
    pub(super) depth: usize,
    pub(super) title: String,
    pub(super) href: Option<String>,
    pub(super) way: String,
    pub(super) agent: String,
    pub(super) agent_href: String,
    pub(super) when: String,
    pub(super) score: String,
    pub(super) relevance: String,
    /// The energy of the spider before and after.
    pub(super) energy: Option<String>,
    pub(super) pheromone: Option<String>,
    /// The contract that brought it to its crawler, where that is told, and the bid.
    pub(super) contract: Option<(String, String)>,
    pub(super) bid: Option<String>,
}

/// The search path tree: the most relevant pages and what led to them; and how many are left out.
pub(super) fn tree(visit: &Visit, id: u64, picture: &Picture) -> (Vec<WayRow>, u64) {
    let pages = picture.pages();
    let shown = choose(pages, SHOWN);
    let mut children: std::collections::HashMap<Option<u32>, Vec<u32>> = Default::default();
    for number in &shown {
        let page = &pages[*number as usize];
        let via = page.via.filter(|via| via < number && shown.binary_search(via).is_ok());
        children.entry(via).or_default().push(*number);
    }
    let take = |children: &mut std::collections::HashMap<_, Vec<u32>>, of, depth| {
        let own = children.remove(&of).unwrap_or_default();
        own.into_iter().rev().map(move |number: u32| (depth, number)).collect::<Vec<_>>()
    };
    let mut next = take(&mut children, None, 0);
    let mut rows = Vec::new();
    while let Some((depth, number)) = next.pop() {
        let page = &pages[number as usize];
        rows.push(row(visit, id, depth, picture, page));
        next.extend(take(&mut children, Some(number), (depth + 1).min(DEEPEST)));
    }
    (rows, (pages.len() - shown.len()) as u64)
}

fn row(visit: &Visit, id: u64, depth: usize, picture: &Picture, page: &Seen) -> WayRow {
    of_step(visit, id, depth, &step(picture, page))
}

fn of_step(visit: &Visit, id: u64, depth: usize, step: &Step) -> WayRow {
    let t = &visit.ui.texts().hunt;
    let address = Address::new(&step.url);
    let title = clean::line(&step.title, clean::MAX_TITLE);
    let energy = step.energy_before.map(|before| match step.energy_after {
        Some(after) => format!("{before:.2} → {after:.2}"),
        None => format!("{before:.2}"),
    });
    let contract = step.contract.as_ref().map(|contract| {
        let href = place(visit, id, &format!("?view=talk&with={}", escaped(contract)));
        (clean::line(contract, 80), href)
    });
    let words = address.as_ref().map_or_else(|| clean::line(&step.url, 100), Address::words);
    WayRow {
        depth,
        title: if title.is_empty() { words } else { title },
        href: address.map(|address| address.href),
        way: place(visit, id, &format!("?view=ways&url={}", escaped(&step.url))),
        agent_href: place(visit, id, &format!("/agents/{}", escaped(&step.agent))),
        agent: clean::line(&step.agent, 60),
        when: (t.seconds)(step.t),
        score: format!("{:.2}", step.score),
        relevance: format!("{:.2}", step.relevance),
        energy,
        pheromone: step.pheromone.map(|pheromone| format!("{pheromone:.2}")),
        contract,
        bid: step.bid.map(|bid| format!("{bid:.2}")),
    }
}

/// The way to one page.
pub(super) fn to(visit: &Visit, id: u64, picture: &Picture, url: &str) -> Vec<WayRow> {
    let steps = steps(picture, url).unwrap_or_default();
    steps
        .iter()
        .enumerate()
        .map(|(depth, step)| of_step(visit, id, depth.min(DEEPEST), step))
        .collect()
}
