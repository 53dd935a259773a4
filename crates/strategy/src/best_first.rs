//! Best-first: the links of the most relevant page first (MySpiders' second crawler).
//!
//! The priority of a link is the relevance of the page on which it was first found; later discoveries
//! do not move it.

use crate::language_first::LanguageFirst;
use crate::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy, Turn};
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

/// See the module. The key is the relevance of the parent.
#[derive(Clone, Debug)]
pub struct BestFirst {
    queue: LanguageFirst<Descending>,
}

impl BestFirst {
    /// An empty queue; see [`by_name`](crate::by_name) for `strict`.
    pub fn new(strict: bool) -> BestFirst {
        BestFirst { queue: LanguageFirst::new(strict) }
    }
}

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        // A person's seed is as good as the best page.
        let score = if link.seed { 1.0 } else { link.parent_relevance };
        self.queue.on_link(link, Descending(score));
    }

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    fn on_fail(&mut self, _url: UrlId, _why: Outcome, _took: Duration) {}

    fn next(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn, out: &mut Vec<Choice>) {
        self.queue.take(k, turn, |url, Descending(score)| out.push(Choice { url, score }));
    }

    fn explain(&self, url: UrlId) -> Explanation {
        let Some((Descending(score), mut why)) = self.queue.explain(url) else {
            return Vec::new();
        };
        why.insert(0, format!("relevance {score:.3} of the page it was first found on"));
        why
    }

    fn queued(&self) -> usize {
        self.queue.len()
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
