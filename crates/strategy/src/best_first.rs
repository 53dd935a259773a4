//! Best-first: the links of the most relevant page first (MySpiders' second crawler).
//!
//! The priority of a link is the relevance of the page on which it was first found; later discoveries
//! do not move it.

use crate::site_queues::SiteQueues;
use crate::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy};
use lycosa_model::{Outcome, Site, UrlId};
use std::cmp::Ordering;
use std::time::Duration;

/// A score that sorts with the largest first.
#[derive(Clone, Copy, Debug)]
struct Descending(f32);

impl PartialEq for Descending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

/// Other language after wanted language, then relevance of the parent, then order of discovery.
type Key = (bool, Descending, u64);

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct BestFirst {
    queues: SiteQueues<Key>,
}

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        if !link.known {
            // A person's seed is as good as the best page.
            let score = if link.seed { 1.0 } else { link.parent_relevance };
            let key = (!(link.wanted_language || link.seed), Descending(score), link.order);
            self.queues.push(link.site, link.url, key);
        }
    }

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    fn on_fail(&mut self, _url: UrlId, _why: Outcome, _took: Duration) {}

    fn next(&mut self, k: usize, site_ok: &mut dyn FnMut(&Site) -> bool, out: &mut Vec<Choice>) {
        self.queues.take(k, site_ok, |url, (_, Descending(score), _)| {
            out.push(Choice { url, score });
        });
    }

    fn explain(&self, url: UrlId) -> Explanation {
        let Some((other_language, Descending(score), order)) = self.queues.key(url) else {
            return Vec::new();
        };
        let mut why = vec![
            format!("relevance {score:.3} of the page it was first found on"),
            format!("place {order} in the order of discovery"),
        ];
        if *other_language {
            why.push(
                "not found on a page of the wanted language, so behind those that were".into(),
            );
        }
        why
    }

    fn queued(&self) -> usize {
        self.queues.len()
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
