//! What comes before everything else? Links found on pages of the wanted language (i-Bot), and among
//! equals what was found first.

use crate::site_queues::{Look, SiteQueues, Taken};
use crate::{Explanation, Turn};
use lycosa_model::{Site, Spot, UrlId};

/// The queue that all simple strategies share: they only differ in the rank.
#[derive(Clone, Debug)]
pub(crate) struct LanguageFirst {
    queues: SiteQueues,
    /// Whether links of other pages wait while one of the wanted language waits for its site. Right when
    /// fetches are scarce; when time is, the other sites may as well be asked meanwhile.
    strict: bool,
}

impl LanguageFirst {
    /// `fair` when no site that may be asked shall be passed over for ever, whatever its rank.
    pub(crate) fn new(strict: bool, fair: bool) -> LanguageFirst {
        LanguageFirst { queues: SiteQueues::new(fair), strict }
    }

    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    pub(crate) fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.queues.push(site, url, spot);
    }

    pub(crate) fn first(&self, site: &Site) -> Option<(Spot, UrlId)> {
        self.queues.first_of(site)
    }

    pub(crate) fn remove(&mut self, site: &Site, spot: Spot) {
        self.queues.remove(site, spot);
    }

    pub(crate) fn shift(&mut self, site: &Site, from: Spot, to: Spot) {
        self.queues.shift(site, from, to);
    }

    pub(crate) fn peek(&self) -> Option<UrlId> {
        self.queues.peek()
    }

    pub(crate) fn trim(&mut self, site: &Site, keep: usize) -> Option<Spot> {
        self.queues.trim(site, keep)
    }

    pub(crate) fn wake(&mut self, site: &Site) {
        self.queues.wake(site);
    }

    /// Takes one of the wanted language, if there is one that may be taken.
    pub(crate) fn take_wanted(&mut self, turn: &mut dyn FnMut(&Site) -> Turn) -> Option<Taken> {
        let mut out = Vec::new();
        self.queues.take(1, |spot| spot.rank.is_wanted(), turn, &mut out);
        out.pop()
    }

    /// Whether one of the wanted language waits for a site that rests briefly, in a strict focus.
    pub(crate) fn awaits(&self) -> bool {
        self.strict && self.queues.first_soon().is_some_and(|spot| spot.rank.is_wanted())
    }

    /// Takes up to `k` URLs in order.
    pub(crate) fn take(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn) -> Vec<Taken> {
        let mut out = Vec::new();
        let look = self.queues.take(k, |spot| spot.rank.is_wanted(), turn, &mut out);
        if look == Look::Exhausted && out.len() < k && !self.awaits() {
            self.queues.take(k - out.len(), |_| true, turn, &mut out);
        }
        out
    }
}

/// What is to be said of the spot of a URL, whatever the strategy.
pub(crate) fn explain(spot: Spot) -> Explanation {
    let mut why = vec![format!("place {} in the order of discovery", spot.place)];
    if !spot.rank.is_wanted() {
        why.push("not found on a page of the wanted language, so behind those that were".into());
    }
    why
}
