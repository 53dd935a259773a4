//! What of walkers gets over a restart? All of them, as they are sent elsewhere, their freshest marks, and the
//! links around them.

use super::colony::SavedColony;
use super::crawl::Walkers;
use crate::dice::Dice;
use crate::{Strategy, saved};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};

/// Pages whose links are saved, the last ones, and links of each. Who stands elsewhere goes back.
const MOST_PAGES: usize = 2_000;
const MOST_LINKS: usize = 200;

#[derive(Serialize, Deserialize)]
struct Saved {
    colony: SavedColony<UrlId>,
    links: Vec<(UrlId, Vec<UrlId>)>,
    starts: Vec<UrlId>,
    wanted: Option<usize>,
    dice: Dice,
}

impl Walkers {
    pub(super) fn written(&self) -> Option<Vec<u8>> {
        let mut pages = self.links.last(MOST_PAGES);
        pages.extend(self.colony.walkers().iter().map(|walker| walker.at));
        pages.sort_unstable();
        pages.dedup();
        let few = |links: &Vec<UrlId>| links.iter().take(MOST_LINKS).copied().collect();
        let links =
            pages.into_iter().filter_map(|page| Some((page, few(self.links.of.get(&page)?))));
        let state = Saved {
            colony: self.colony.save(),
            links: links.collect(),
            starts: self.starts.clone(),
            wanted: self.wanted,
            dice: self.dice.clone(),
        };
        saved::write(self.name(), &state)
    }

    pub(super) fn take_up(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Saved { colony, links, starts, wanted, dice } = saved::read(self.name(), bytes)?;
        self.colony.load(colony)?;
        for (page, links) in links {
            links.into_iter().for_each(|link| self.links.add(page, link));
        }
        (self.starts, self.wanted, self.dice) = (starts, wanted, dice);
        Ok(())
    }
}
