//! Which of the pages that match have the highest scores?
//!
//! Document by document, through the lists of the rarer words only, once so many pages are known that the
//! common words alone cannot make one of the best ("MaxScore").

use crate::bits::Bits;
use crate::bm25f::{Lengths, Lists, bound};
use crate::plan::Plan;
use crate::preferred::Preferred;
use crate::sight::{Joined, Sight};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, TERMINATED};

/// When fewer pages match than a so-manieth of what the lists hold, they are gone through one by one.
const FEW: u64 = 4;
/// What is needed is taken for a little less, because sums of rounded numbers depend on their order.
const SLACK: f32 = 0.9999;

/// A page and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f32,
    /// Orders pages of equal score.
    tie: u64,
    pub(crate) page: DocAddress,
}

impl Eq for Scored {}

impl Ord for Scored {
    /// The better one is greater: by score, then by the smaller tie.
    fn cmp(&self, other: &Scored) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(other.tie.cmp(&self.tie)).then(other.page.cmp(&self.page))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Scored) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `count` best pages among those that match, `matching` by segment, the best first. Equal scores are
/// ordered by URL id, so that the order does not depend on how the index was built.
pub(crate) fn best(
    plan: &Plan,
    sight: Sight<'_>,
    matching: &[Bits],
    count: usize,
) -> tantivy::Result<Vec<Scored>> {
    let mut top = Top { heap: BinaryHeap::with_capacity(count + 1), count };
    let tie = sight.searcher.schema().get_field_name(sight.fields.tie);
    for ((number, segment), bits) in sight.segments().zip(matching) {
        let lengths = Lengths::of(segment, sight.fields, sight.average)?;
        let ties = segment.fast_fields().u64(tie)?;
        let mut steps = Vec::new();
        for (place, word) in plan.words.iter().enumerate() {
            let lists = Lists::of(word, sight, number, segment)?;
            steps.push(Step { lists, bound: bound(word), place });
        }
        let held: u64 = steps.iter().map(|step| step.lists.size).sum();
        let counts = vec![0.0; plan.words.len()];
        let joined = sight.known.of(segment).map(AsRef::as_ref);
        let (preferred, top) = (&plan.preferred, &mut top);
        let mut walk = Walk { steps, counts, lengths, bits, ties, joined, preferred, number, top };
        if (bits.count() as u64) * FEW < held || plan.words.is_empty() {
            walk.one_by_one();
        } else {
            walk.by_words();
        }
    }
    Ok(top.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect())
}

/// The best so far.
struct Top {
    heap: BinaryHeap<Reverse<Scored>>,
    count: usize,
}

impl Top {
    fn offer(&mut self, scored: Scored) {
        if self.heap.len() < self.count {
            self.heap.push(Reverse(scored));
        } else if self.heap.peek().is_some_and(|Reverse(worst)| scored > *worst) {
            self.heap.pop();
            self.heap.push(Reverse(scored));
        }
    }

    /// What a page must reach to be among the best.
    fn needed(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() >= self.count => worst.score,
            _ => f32::NEG_INFINITY,
        }
    }
}

/// One word on the way through a segment.
struct Step {
    lists: Lists,
    /// The most that it can count.
    bound: f32,
    /// Its place in the question.
    place: usize,
}

struct Walk<'a> {
    steps: Vec<Step>,
    /// What each word counts in the present page, in the order of the question: added in this order,
    /// a score does not depend on the way it was found.
    counts: Vec<f32>,
    lengths: Lengths,
    bits: &'a Bits,
    ties: Column<u64>,
    joined: Option<&'a Joined>,
    preferred: &'a Preferred,
    number: u32,
    top: &'a mut Top,
}

impl Walk<'_> {
    /// Scores every page that matches.
    fn one_by_one(&mut self) {
        for doc in self.bits.iter() {
            let page = self.lengths.page(doc);
            self.counts.fill(0.0);
            for step in &mut self.steps {
                step.lists.seek(doc);
                if step.lists.doc() == doc {
                    self.counts[step.place] = step.lists.score(&self.lengths, page);
                }
            }
            self.offer(doc);
        }
    }

    /// Scores the pages that have a word which can make the difference.
    fn by_words(&mut self) {
        // The common words first: the sum of their bounds is what a page can have without the others.
        self.steps.sort_by(|a, b| a.bound.total_cmp(&b.bound));
        let mut below: Vec<f32> = vec![self.joined.map_or(0.0, Joined::most)];
        for step in &self.steps {
            below.push(below.last().copied().unwrap_or_default() + step.bound);
        }
        let most = self.preferred.most();
        // Words before this one cannot bring a page among the best by themselves.
        let mut first = 0;
        let mut left = self.bits.clone();
        loop {
            let needed = self.top.needed() * SLACK;
            while first < self.steps.len() && below[first + 1] * most < needed {
                first += 1;
            }
            let (common, rare) = self.steps.split_at_mut(first);
            let doc = rare.iter().map(|step| step.lists.doc()).min().unwrap_or(TERMINATED);
            if doc == TERMINATED {
                break;
            }
            left.remove(doc);
            if !self.bits.has(doc) {
                advance(rare, doc);
                continue;
            }
            let page = self.lengths.page(doc);
            self.counts.fill(0.0);
            let mut sum = 0.0;
            for step in rare.iter().filter(|step| step.lists.doc() == doc) {
                let count = step.lists.score(&self.lengths, page);
                self.counts[step.place] = count;
                sum += count;
            }
            let factor = self.preferred.factor(DocAddress::new(self.number, doc));
            let mut possible = true;
            for (step, below) in common.iter_mut().zip(&below[1..]).rev() {
                if (sum + below) * factor < needed {
                    possible = false;
                    break;
                }
                step.lists.seek(doc);
                if step.lists.doc() == doc {
                    let count = step.lists.score(&self.lengths, page);
                    self.counts[step.place] = count;
                    sum += count;
                }
            }
            advance(rare, doc);
            if possible {
                self.offer(doc);
            }
        }
        // Pages that match by something that does not count come last, where there is room.
        self.counts.fill(0.0);
        for doc in left.iter() {
            if self.top.needed() > below[0] * most {
                return;
            }
            self.offer(doc);
        }
    }

    fn offer(&mut self, doc: DocId) {
        let prior = self.joined.map_or(0.0, |joined| joined.prior(doc).sum());
        let page = DocAddress::new(self.number, doc);
        let score = (self.counts.iter().sum::<f32>() + prior) * self.preferred.factor(page);
        if score < self.top.needed() {
            return;
        }
        let tie = self.ties.first(doc).unwrap_or_default();
        self.top.offer(Scored { score, tie, page });
    }
}

fn advance(steps: &mut [Step], doc: DocId) {
    for step in steps {
        if step.lists.doc() == doc {
            step.lists.advance();
        }
    }
}
