//! Fish-Search: a school of fish swims on where there is food, and dies out after some hops without any
//! (De Bra and Post).
//!
//! One list. Links of a relevant page go to its beginning, those of another page behind them, and what is
//! too many or too far from food to its end.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::saved::{self, MOST_LINKS};
use crate::score::SEED;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Part {
    End,
    Middle,
    Beginning,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Fished {
    part: Part,
    /// Hops that are left without food.
    depth: u32,
    /// How many came to this part of the list before. Those at the beginning stand before earlier ones.
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
    redirected: Redirected<Fished>,
    /// How many came to each part of the list.
    arrivals: [u32; 3],
}

impl Fish {
    pub(crate) fn new(strict: bool, parameters: FishParameters) -> Pooled<Fish> {
        let fish = Fish {
            parameters,
            links: HashMap::new(),
            school: School::default(),
            redirected: Redirected::default(),
            arrivals: [0; 3],
        };
        Pooled::new(strict, fish)
    }
}

/// Scores of the beginning of the list go up from here, to those of seeds: 29 million different ones.
const BEGINNING: f32 = 0.25;
/// Those of its middle go down from there to here: 67 million. Those of its end are below.
const MIDDLE: f32 = 1.0 / 1_024.0;

/// A score for each place: neighbours are as close as two numbers of 32 bits can be.
fn worth(link: &Fished) -> f32 {
    let bits = match link.part {
        Part::Beginning => BEGINNING.to_bits().saturating_add(link.arrival).min(SEED.to_bits() - 1),
        Part::Middle => {
            (BEGINNING.to_bits() - 1).saturating_sub(link.arrival).max(MIDDLE.to_bits())
        }
        Part::End => (MIDDLE.to_bits() - 1).saturating_sub(link.arrival),
    };
    f32::from_bits(bits)
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
        let inherited = self.redirected.take(link.via);
        let school = &mut self.school;
        let of_school = school.page.is_some() && school.page == link.via;
        let part = match of_school && school.room > 0 && school.depth > 0 {
            false => Part::End,
            true if school.relevant => Part::Beginning,
            true => Part::Middle,
        };
        school.room = school.room.saturating_sub(u32::from(part != Part::End));
        let depth = if of_school { school.depth } else { 0 };
        // The target of a redirect stands where that stood.
        let found = inherited.unwrap_or_else(|| {
            let arrival = &mut self.arrivals[part as usize];
            *arrival = arrival.saturating_add(1);
            Fished { part, depth, arrival: *arrival }
        });
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
        let known = self.links.remove(&url);
        if why == Outcome::Redirect {
            self.redirected.keep(url, known);
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let links = self.links.iter().map(|(url, link)| (worth(link), *url, *link)).collect();
        saved::write(self.name(), &(self.arrivals, saved::best(links, MOST_LINKS)))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (arrivals, links): (_, Vec<_>) = saved::read(self.name(), bytes)?;
        (self.arrivals, self.links) = (arrivals, links.into_iter().collect());
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_places_of_the_list_are_the_same() {
        let at = |part, arrival| worth(&Fished { part, depth: 0, arrival });
        for arrival in [1, 2, 1_000, 10_000_000, 25_000_000] {
            assert!(at(Part::Beginning, arrival + 1) > at(Part::Beginning, arrival));
            assert!(at(Part::Middle, arrival + 1) < at(Part::Middle, arrival));
            assert!(at(Part::End, arrival + 1) < at(Part::End, arrival));
        }
        let last = u32::MAX;
        assert!(SEED > at(Part::Beginning, last) && at(Part::Beginning, 0) > at(Part::Middle, 0));
        assert!(at(Part::Middle, last) > at(Part::End, 0) && at(Part::End, last) >= 0.0);
    }
}
