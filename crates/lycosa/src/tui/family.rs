//! Who belongs to whom? The agents as a tree: spiders and walkers by birth, a team by who works for whom.

use lycosa_interface::events::{Life, Picture};
use std::collections::{HashMap, HashSet};

/// How deep families are drawn as such.
const DEEPEST: usize = 24;

/// A line of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// The number of the agent.
    pub(super) agent: u32,
    pub(super) depth: usize,
    /// Whether there are others below it.
    pub(super) has_more: bool,
    /// Whether those are shown.
    pub(super) is_open: bool,
}

/// The tree without what is below the folded ones; with `living` also without the dead that have no living
/// descendant.
pub(super) fn branches(picture: &Picture, folded: &HashSet<u32>, living: bool) -> Vec<Branch> {
    let agents = picture.agents();
    let children = children(agents);
    let shown =
        if living { with_living(agents, &children.below) } else { vec![true; agents.len()] };
    let mut next: Vec<(usize, usize)> = children.tops.iter().rev().map(|top| (0, *top)).collect();
    let mut branches = Vec::new();
    while let Some((depth, number)) = next.pop() {
        if !shown[number] {
            continue;
        }
        let agent = number as u32;
        let below = &children.below[number];
        let has_more = below.iter().any(|child| shown[*child]);
        let is_open = !folded.contains(&agent);
        branches.push(Branch { agent, depth: depth.min(DEEPEST), has_more, is_open });
        if is_open {
            next.extend(below.iter().rev().map(|child| (depth + 1, *child)));
        }
    }
    branches
}

/// The agents directly below one.
pub(super) fn children_of(picture: &Picture, agent: u32) -> Vec<u32> {
    let below = children(picture.agents()).below;
    below.get(agent as usize).into_iter().flatten().map(|child| *child as u32).collect()
}

struct Children {
    tops: Vec<usize>,
    below: Vec<Vec<usize>>,
}

fn children(agents: &[Life]) -> Children {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); agents.len()];
    let mut tops = Vec::new();
    // Members of a team are heard of in any order.
    let all: HashMap<&str, usize> =
        agents.iter().enumerate().map(|(number, life)| (life.name.as_str(), number)).collect();
    for (number, life) in agents.iter().enumerate() {
        // Names come again when a run is gone on with; a parent was there before its child.
        let parent = life.parent.as_deref();
        let parent = parent.and_then(|name| numbers.get(name).or_else(|| all.get(name)).copied());
        match parent.filter(|parent| *parent != number) {
            Some(parent) => below[parent].push(number),
            None => tops.push(number),
        }
        numbers.insert(&life.name, number);
    }
    Children { tops, below }
}

/// Who lives, or has somebody below who does.
fn with_living(agents: &[Life], below: &[Vec<usize>]) -> Vec<bool> {
    let mut above: Vec<Option<usize>> = vec![None; agents.len()];
    for (number, own) in below.iter().enumerate() {
        own.iter().for_each(|child| above[*child] = Some(number));
    }
    let mut shown = vec![false; agents.len()];
    for number in (0..agents.len()).filter(|number| agents[*number].died.is_none()) {
        let mut next = Some(number);
        while let Some(here) = next.filter(|here| !shown[*here]) {
            shown[here] = true;
            next = above[here];
        }
    }
    shown
}
