//! Shark-Search: a link inherits from the page that it is on, and has words of its own (Hersovici et al.).
//!
//! `score = gamma * inherited + (1 - gamma) * neighbourhood`. What a page that says nothing of the topic
//! passes on is what it inherited itself, a little less. The gaps of the paper are filled as in SPEC 1.4:
//! a seed inherits nothing, any similarity above zero counts, of several parents the best one does.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::saved::{self, MOST_LINKS};
use crate::{LinkEvidence, PageView, Relevance, why, words};
use lycosa_model::{Outcome, Part, UrlId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Settings of Shark-Search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SharkParameters {
    /// How much is passed on from page to page.
    pub delta: f32,
    /// How much the anchor counts against the words around it.
    pub beta: f32,
    /// How much inheritance counts against the words of the link.
    pub gamma: f32,
}

impl Default for SharkParameters {
    fn default() -> Self {
        SharkParameters { delta: 0.5, beta: 0.8, gamma: 0.5 }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Link {
    inherited: f32,
    neighbourhood: f32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Shark {
    parameters: SharkParameters,
    /// What is known of the links that wait, the best of each.
    links: HashMap<UrlId, Link>,
    /// What the links of the page that was read last inherit.
    passed_on: (Option<UrlId>, f32),
    redirected: Redirected<Link>,
}

impl Shark {
    pub(crate) fn new(strict: bool, parameters: SharkParameters) -> Pooled<Shark> {
        let scorer = Shark {
            parameters,
            links: HashMap::new(),
            passed_on: (None, 0.0),
            redirected: Redirected::default(),
        };
        Pooled::new(strict, scorer)
    }

    /// What one page says of a link.
    fn found(&self, link: &LinkEvidence<'_>) -> Link {
        let of_page = self.passed_on.0 == link.via && link.via.is_some();
        let own = self.parameters.delta * link.parent_relevance;
        let inherited = if of_page { self.passed_on.1 } else { own };
        let anchor = link.topic.similarity(&words::bag(&words::of_text(link.anchor)));
        let context = match anchor > 0.0 {
            true => 1.0,
            false => link.topic.similarity(&words::bag(&words::of_text(link.context))),
        };
        let beta = self.parameters.beta;
        Link { inherited, neighbourhood: beta * anchor + (1.0 - beta) * context }
    }

    fn worth(&self, link: &Link) -> f32 {
        let gamma = self.parameters.gamma;
        gamma * link.inherited + (1.0 - gamma) * link.neighbourhood
    }
}

impl Scorer for Shark {
    fn name(&self) -> &'static str {
        "shark"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let before = match self.links.get(&link.url) {
            None if link.known => return None,
            before => before.copied().unwrap_or_default(),
        };
        let found = self.redirected.take(link.via).unwrap_or_else(|| self.found(link));
        let best = if self.worth(&found) > self.worth(&before) { found } else { before };
        self.links.insert(link.url, best);
        Some(self.worth(&best))
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.links.get(&url).map(|link| self.worth(link))
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, _pool: &mut Pool) {
        let before = self.links.remove(&page.url).unwrap_or_default();
        let passes = if relevance.0 > 0.0 { relevance.0 } else { before.inherited };
        self.passed_on = (Some(page.url), self.parameters.delta * passes);
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
        let links = self.links.iter().map(|(url, link)| (self.worth(link), *url, *link)).collect();
        saved::write(self.name(), &saved::best(links, MOST_LINKS))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.links = saved::read::<Vec<_>>(self.name(), bytes)?.into_iter().collect();
        Ok(())
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let Some(link) = self.links.get(&url) else { return Vec::new() };
        let gamma = self.parameters.gamma;
        vec![
            why::part("inherited", gamma * link.inherited),
            why::part("words of the link", (1.0 - gamma) * link.neighbourhood),
        ]
    }
}
