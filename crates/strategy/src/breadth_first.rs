//! Breadth-first: the nearest to a seed first, and in the order of discovery among equals.

use crate::language_first::LanguageFirst;
use crate::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy, Turn};
use lycosa_model::{Outcome, Site, UrlId};
use std::time::Duration;

/// See the module. The key is the depth.
#[derive(Clone, Debug)]
pub struct BreadthFirst {
    queue: LanguageFirst<u32>,
}

impl BreadthFirst {
    /// An empty queue; see [`by_name`](crate::by_name) for `strict`.
    pub fn new(strict: bool) -> BreadthFirst {
        BreadthFirst { queue: LanguageFirst::new(strict) }
    }
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
        self.queue.on_link(link, link.depth);
    }

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    fn on_fail(&mut self, _url: UrlId, _why: Outcome, _took: Duration) {}

    fn next(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn, out: &mut Vec<Choice>) {
        self.queue.take(k, turn, |url, depth| out.push(Choice { url, score: score(depth) }));
    }

    fn explain(&self, url: UrlId) -> Explanation {
        let Some((depth, mut why)) = self.queue.explain(url) else {
            return Vec::new();
        };
        why.insert(0, format!("depth {depth}: {depth} links from a seed"));
        why
    }

    fn queued(&self) -> usize {
        self.queue.len()
    }

    fn wants_evidence(&self) -> bool {
        false
    }
}
