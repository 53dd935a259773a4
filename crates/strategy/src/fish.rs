//! Fish-Search: a school of fish swims on where there is food, and dies out after some hops without any
//! (De Bra and Post).
//!
//! One list. Links of a relevant page go to its beginning, those of another page behind them, and what is
//! too many or too far from food to its end.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::{Explanation, LinkEvidence, PageView, Relevance, why};
use lycosa_model::{Outcome, UrlId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Settings of Fish-Search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FishParameters {
    /// Hops without a relevant page until a school dies out.
    pub depth: u32,
    /// Links of a page that are followed; half as many again of a relevant one.
    pub width: u32,
    /// A page of this relevance is food.
    pub food: f32,
    /// A page that took this long, in seconds, comes from a slow server: its links are not followed on.
    pub slow: f32,
}

impl Default for FishParameters {
    fn default() -> Self {
        FishParameters { depth: 3, width: 10, food: 0.25, slow: 30.0 }
    }
}

/// Where in the list a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    End,
    Middle,
    Beginning,
}

#[derive(Clone, Copy, Debug)]
struct Fished {
    part: Part,
    /// Hops that are left without food.
    depth: u32,
    /// Later arrivals at the beginning of the list stand before earlier ones.
    arrival: u32,
}

/// The page whose links are being read.
#[derive(Clone, Copy, Debug, Default)]
struct School {
    page: Option<UrlId>,
    relevant: bool,
    /// What its links get.
    depth: u32,
    /// Links that may still be followed.
    room: u32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Fish {
    parameters: FishParameters,
    links: HashMap<UrlId, Fished>,
    school: School,
    arrivals: u32,
}

impl Fish {
    pub(crate) fn new(strict: bool, parameters: FishParameters) -> Pooled<Fish> {
        let school = School::default();
        Pooled::new(strict, Fish { parameters, links: HashMap::new(), school, arrivals: 0 })
    }
}

fn worth(link: &Fished) -> f32 {
    // A part each takes a third of the scores from 0 to 1, and 2^24 places are told apart within it.
    let recent = link.arrival as f32 / (1_u32 << 24) as f32;
    match link.part {
        Part::Beginning => (2.0 + recent.min(0.999)) / 3.0,
        Part::Middle => (1.0 + 1.0 - recent.min(0.999)) / 3.0,
        Part::End => (1.0 - recent.min(0.999)) / 3.0,
    }
}

impl Scorer for Fish {
    fn name(&self) -> &'static str {
        "fish"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let before = self.links.get(&link.url).copied();
        if before.is_none() && link.known {
            return None;
        }
        let school = &mut self.school;
        let of_school = school.page.is_some() && school.page == link.via;
        let part = match of_school && school.room > 0 && school.depth > 0 {
            false => Part::End,
            true if school.relevant => Part::Beginning,
            true => Part::Middle,
        };
        school.room = school.room.saturating_sub(u32::from(part != Part::End));
        self.arrivals += 1;
        let depth = if of_school { school.depth } else { 0 };
        let found = Fished { part, depth, arrival: self.arrivals };
        let best = match before {
            Some(before) if before.part >= found.part => {
                Fished { depth: before.depth.max(found.depth), ..before }
            }
            _ => found,
        };
        self.links.insert(link.url, best);
        Some(worth(&best))
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.links.get(&url).map(worth)
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, _pool: &mut Pool) {
        let parameters = &self.parameters;
        let left = self.links.remove(&page.url).map_or(parameters.depth, |link| link.depth);
        let relevant = relevance.0 >= parameters.food;
        let slow = page.took.as_secs_f32() > parameters.slow;
        let depth = match relevant {
            _ if slow => 0,
            true => parameters.depth,
            false => left.saturating_sub(1),
        };
        let room = if relevant { parameters.width * 3 / 2 } else { parameters.width };
        self.school = School { page: Some(page.url), relevant, depth, room };
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        // It is tried again.
        if why.is_transient() {
            return;
        }
        self.links.remove(&url);
    }

    fn parts(&self, url: UrlId) -> Vec<lycosa_model::Part> {
        let Some(link) = self.links.get(&url) else { return Vec::new() };
        let name = match link.part {
            Part::Beginning => "beginning of the list",
            Part::Middle => "middle of the list",
            Part::End => "end of the list",
        };
        vec![why::part(name, worth(link))]
    }

    fn notes(&self, url: UrlId) -> Explanation {
        let Some(link) = self.links.get(&url) else { return Vec::new() };
        let part = match link.part {
            Part::Beginning => "found on a relevant page",
            Part::Middle => "found on a page that is not relevant",
            Part::End => "one of too many links, or too far from a relevant page",
        };
        vec![part.into(), format!("{} hops are left without a relevant page", link.depth)]
    }
}
