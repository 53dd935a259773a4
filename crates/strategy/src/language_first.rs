//! What comes before everything else? Links found on pages of the wanted language (i-Bot), and among
//! equals what was found first.

use crate::site_queues::SiteQueues;
use crate::{Explanation, LinkEvidence, Turn};
use lycosa_model::{Site, UrlId};

/// Other language after wanted language, then the strategy's own key, then the order of discovery.
type Key<K> = (bool, K, u64);

/// The queue that all simple strategies share: they only differ in the key.
#[derive(Clone, Debug)]
pub(crate) struct LanguageFirst<K> {
    queues: SiteQueues<Key<K>>,
    /// Whether links of other pages wait while one of the wanted language waits for its site. Right when
    /// fetches are scarce; when time is, the other sites may as well be asked meanwhile.
    strict: bool,
}

impl<K: Ord + Clone> LanguageFirst<K> {
    pub(crate) fn new(strict: bool) -> LanguageFirst<K> {
        LanguageFirst { queues: SiteQueues::default(), strict }
    }

    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    /// Queues a link that is not known under this key.
    pub(crate) fn on_link(&mut self, link: &LinkEvidence<'_>, key: K) {
        if !link.known {
            // Without a focus every page counts as one of the wanted language.
            let other_language = !(link.wanted_language || link.seed);
            self.queues.push(link.site, link.url, (other_language, key, link.order));
        }
    }

    /// Takes up to `k` URLs in order.
    pub(crate) fn take(
        &mut self,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        mut taken: impl FnMut(UrlId, K),
    ) {
        let mut left = k;
        let mut soon = false;
        let mut ask = |site: &Site| {
            let turn = turn(site);
            soon |= turn == Turn::Soon;
            turn == Turn::Now
        };
        self.queues.take(
            left,
            |(other, _, _)| !other,
            &mut ask,
            |url, (_, key, _)| {
                left -= 1;
                taken(url, key);
            },
        );
        let others = self.queues.last_head().is_some_and(|(other, _, _)| *other);
        if left > 0 && others && !(self.strict && soon) {
            let mut ask = |site: &Site| turn(site) == Turn::Now;
            self.queues.take(left, |_| true, &mut ask, |url, (_, key, _)| taken(url, key));
        }
    }

    /// The strategy's key of a URL that waits, and what is to be said of every strategy's place.
    pub(crate) fn explain(&self, url: UrlId) -> Option<(&K, Explanation)> {
        let (other_language, key, order) = self.queues.key(url)?;
        let mut why = vec![format!("place {order} in the order of discovery")];
        if *other_language {
            why.push(
                "not found on a page of the wanted language, so behind those that were".into(),
            );
        }
        Some((key, why))
    }
}
