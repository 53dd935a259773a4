//! Breadth-first: the nearest to a seed first, and in the order of discovery among equals.
//!
//! With a wanted language, links found on pages that have some of it come before all others (i-Bot).

use crate::site_queues::SiteQueues;
use crate::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy};
use lycosa_model::{Outcome, Site, UrlId};
use std::time::Duration;

/// Other language after wanted language, then depth, then order of discovery.
type Key = (bool, u32, u64);

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct BreadthFirst {
    queues: SiteQueues<Key>,
}

/// One link deeper scores lower; nothing else counts.
fn score(depth: u32) -> f32 {
    1.0 / (1.0 + depth as f32)
}

impl Strategy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        if !link.known {
            let key = (!(link.wanted_language || link.seed), link.depth, link.order);
            self.queues.push(link.site, link.url, key);
        }
    }

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    fn on_fail(&mut self, _url: UrlId, _why: Outcome, _took: Duration) {}

    fn next(&mut self, k: usize, site_ok: &mut dyn FnMut(&Site) -> bool, out: &mut Vec<Choice>) {
        self.queues.take(k, site_ok, |url, (_, depth, _)| {
            out.push(Choice { url, score: score(depth) });
        });
    }

    fn explain(&self, url: UrlId) -> Explanation {
        let Some((other_language, depth, order)) = self.queues.key(url) else {
            return Vec::new();
        };
        let mut why = vec![
            format!("depth {depth}: {depth} links from a seed"),
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
        false
    }
}
