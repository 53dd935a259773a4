//! What was found, as the page shows it?

use super::{escaped, place};
use crate::web::clean::{self, Address};
use crate::web::visit::Visit;
use lycosa_model::Prey;

/// Results on the page.
pub(super) const SHOWN: usize = 100;

pub(super) struct ResultRow {
    pub(super) rank: usize,
    pub(super) url: String,
    pub(super) href: Option<String>,
    pub(super) title: String,
    pub(super) words: String,
    pub(super) relevance: String,
    pub(super) finder: String,
    /// The page of the finder, when it is an agent.
    pub(super) finder_href: Option<String>,
    pub(super) when: String,
    pub(super) way: String,
    pub(super) verdict: Option<bool>,
}

impl ResultRow {
    pub(super) fn of(visit: &Visit, id: u64, prey: &Prey) -> ResultRow {
        let t = &visit.ui.texts().hunt;
        let address = Address::new(&prey.url);
        let title = clean::line(&prey.title, clean::MAX_TITLE);
        let words = address.as_ref().map_or_else(|| clean::line(&prey.url, 100), Address::words);
        let agent = format!("/agents/{}", escaped(&prey.finder));
        ResultRow {
            rank: prey.rank,
            href: address.map(|address| address.href),
            title: if title.is_empty() { words.clone() } else { title },
            words,
            relevance: format!("{:.2}", prey.relevance),
            finder: clean::line(&prey.finder, 60),
            finder_href: (prey.finder == prey.agent).then(|| place(visit, id, &agent)),
            when: (t.seconds)(prey.seconds),
            way: place(visit, id, &format!("?view=ways&url={}", escaped(&prey.url))),
            verdict: prey.verdict,
            url: prey.url.clone(),
        }
    }
}
