//! Which URL of which site is first? A queue per site, and the sites in the order of their first URL.

use lycosa_model::{Site, UrlId};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Queues by site under one order: the smallest key is first, and the URL breaks ties, so the order
/// depends on nothing but what was put in.
#[derive(Clone, Debug)]
pub(crate) struct SiteQueues<K> {
    queues: HashMap<Site, BinaryHeap<Reverse<(K, UrlId)>>>,
    /// The first entry of every queue that has one.
    heads: BTreeSet<(K, UrlId, Site)>,
    keys: HashMap<UrlId, K>,
}

impl<K> Default for SiteQueues<K> {
    fn default() -> Self {
        SiteQueues { queues: HashMap::new(), heads: BTreeSet::new(), keys: HashMap::new() }
    }
}

impl<K: Ord + Clone> SiteQueues<K> {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key under which a URL waits.
    pub(crate) fn key(&self, url: UrlId) -> Option<&K> {
        self.keys.get(&url)
    }

    /// The last key among those that are first of their site.
    pub(crate) fn last_head(&self) -> Option<&K> {
        self.heads.last().map(|(key, _, _)| key)
    }

    /// Queues a URL; one that waits already keeps its place.
    pub(crate) fn push(&mut self, site: &Site, url: UrlId, key: K) {
        if self.keys.contains_key(&url) {
            return;
        }
        self.keys.insert(url, key.clone());
        let queue = self.queues.entry(site.clone()).or_default();
        let before = queue.peek().map(|Reverse(head)| head.clone());
        queue.push(Reverse((key.clone(), url)));
        if before.as_ref().is_none_or(|head| (&key, &url) < (&head.0, &head.1)) {
            if let Some((key, url)) = before {
                self.heads.remove(&(key, url, site.clone()));
            }
            self.heads.insert((key, url, site.clone()));
        }
    }

    /// Takes up to `k` URLs in order, as long as `may` holds for their keys, skipping sites that
    /// `site_ok` refuses. A site may give several when `site_ok` allows it again.
    pub(crate) fn take(
        &mut self,
        k: usize,
        may: impl Fn(&K) -> bool,
        site_ok: &mut dyn FnMut(&Site) -> bool,
        mut taken: impl FnMut(UrlId, K),
    ) {
        let mut left = k;
        while left > 0 {
            let heads = self.heads.iter().take_while(|(key, _, _)| may(key));
            let round: Vec<_> =
                heads.filter(|(_, _, site)| site_ok(site)).take(left).cloned().collect();
            if round.is_empty() {
                return;
            }
            left -= round.len();
            for head in round {
                self.heads.remove(&head);
                let (key, url, site) = head;
                self.keys.remove(&url);
                if let Some(queue) = self.queues.get_mut(&site) {
                    queue.pop();
                    match queue.peek() {
                        Some(Reverse((key, url))) => {
                            self.heads.insert((key.clone(), *url, site));
                        }
                        None => {
                            self.queues.remove(&site);
                        }
                    }
                }
                taken(url, key);
            }
        }
    }
}
