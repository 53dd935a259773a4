//! Which pages have which keywords in common? Formal concept analysis: a table of pages and keywords, all
//! its concepts, the lattice they form, and how alike two lattices are.
//!
//! A concept is a set of pages with all keywords that they share, such that no other page has them all.
//! There may be exponentially many, so tables are small, and a lattice that is not whole says so.

mod context;
mod covers;
mod export;
mod matching;
mod similarity;

pub use context::{Context, MAX_KEYWORDS, MAX_PAGES};
pub use similarity::similarity;

use std::collections::VecDeque;

/// Concepts of a lattice, unless another limit is given.
pub const MAX_CONCEPTS: usize = 1_000;

/// Pages and the keywords that all of them have, each a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concept {
    /// Pages, by their place in the context.
    pub extent: u64,
    /// Keywords, by their place in the context.
    pub intent: u32,
}

/// All concepts of a context, the general ones first.
#[derive(Clone, Debug)]
pub struct Lattice {
    context: Context,
    concepts: Vec<Concept>,
    truncated: bool,
}

impl Lattice {
    /// The concepts of a context, at most `limit`.
    ///
    /// Close by one (Kuznetsov): a concept is made from another one by one more keyword, and only where
    /// that adds no keyword before it, so each comes once. What is more general comes first, so of a
    /// lattice that is cut the special concepts are missing.
    pub fn new(context: Context, limit: usize) -> Lattice {
        let keywords = context.keywords().len();
        let columns: Vec<u64> = (0..keywords).map(|keyword| context.with(1 << keyword)).collect();
        let all = context.with(0);
        let mut lattice = Lattice { concepts: Vec::new(), truncated: false, context };
        let top = Concept { extent: all, intent: lattice.context.shared_by(all) };
        let mut waiting = VecDeque::from([(top, 0)]);
        while let Some((concept, from)) = waiting.pop_front() {
            if lattice.concepts.len() >= limit {
                lattice.truncated = true;
                break;
            }
            lattice.concepts.push(concept);
            // What waits is in the lattice sooner or later; more than its limit need not wait.
            for (keyword, column) in columns.iter().enumerate().skip(from) {
                let bit = 1_u32 << keyword;
                if concept.intent & bit != 0 {
                    continue;
                }
                let extent = concept.extent & column;
                let intent = lattice.context.shared_by(extent);
                let before = bit - 1;
                if intent & before != concept.intent & before {
                    continue;
                }
                if lattice.concepts.len() + waiting.len() >= limit {
                    lattice.truncated = true;
                } else {
                    waiting.push_back((Concept { extent, intent }, keyword + 1));
                }
            }
        }
        lattice.concepts.sort_unstable_by(|a, b| {
            b.extent.count_ones().cmp(&a.extent.count_ones()).then_with(|| a.cmp(b))
        });
        lattice
    }

    /// The table it was made of.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The concepts, those with the most pages first.
    pub fn concepts(&self) -> &[Concept] {
        &self.concepts
    }

    /// Whether there are more concepts than the limit allowed.
    pub fn truncated(&self) -> bool {
        self.truncated
    }
}

/// The places of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (place < u64::BITS).then_some(place as usize)
    })
}

#[cfg(test)]
mod tests;
