//! OPIC: the page that holds most cash first (Abiteboul, Preda and Cobena).
//!
//! Every page passes what it holds on to the pages it links to, in equal parts. What has gathered much is
//! important, whatever it is about.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::saved::{self, MOST_LINKS};
use crate::{LinkEvidence, PageView, Relevance, why};
use lycosa_model::{Outcome, Part, UrlId};
use std::collections::HashMap;

/// What a page holds that nobody gave anything: a seed, or one that was restored.
const STAKE: f32 = 1.0;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Opic {
    cash: HashMap<UrlId, f32>,
    /// What each link of the page that was read last gets.
    part: (Option<UrlId>, f32),
    redirected: Redirected<f32>,
}

impl Opic {
    pub(crate) fn new(strict: bool) -> Pooled<Opic> {
        Pooled::new(strict, Opic::default())
    }
}

impl Scorer for Opic {
    fn name(&self) -> &'static str {
        "opic"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        // A redirect passes on all that it holds.
        let part = self.redirected.take(link.via);
        let part = part.unwrap_or(if self.part.0 == link.via { self.part.1 } else { 0.0 });
        match self.cash.get_mut(&link.url) {
            Some(cash) => *cash += part,
            // A page that was read already keeps what it gets, and nobody asks for it.
            None if link.known => return None,
            None => drop(self.cash.insert(link.url, part)),
        }
        self.score(link.url)
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.cash.get(&url).copied()
    }

    fn on_page(&mut self, page: &PageView<'_>, _relevance: Relevance, _pool: &mut Pool) {
        let cash = self.cash.remove(&page.url).unwrap_or(STAKE);
        self.part = (Some(page.url), cash / page.links.max(1) as f32);
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        // It is tried again.
        if why.is_transient() {
            return;
        }
        let cash = self.cash.remove(&url);
        if why == Outcome::Redirect {
            self.redirected.keep(url, cash);
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let links = self.cash.iter().map(|(url, cash)| (*cash, *url, *cash)).collect();
        saved::write(self.name(), &saved::best(links, MOST_LINKS))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.cash = saved::read::<Vec<_>>(self.name(), bytes)?.into_iter().collect();
        Ok(())
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        self.cash.get(&url).map(|cash| why::part("cash", *cash)).into_iter().collect()
    }
}
