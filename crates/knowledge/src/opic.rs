//! Who is linked to, as far as one knows by now? OPIC: each page has some cash and hands it on to the pages that
//! it leads to when it is visited; what went through its hands tells how important it is.
//!
//! One visit costs as much as the page has links, and nothing has to be kept but two numbers for each page. After
//! all pages were visited once it is near to PageRank with the same damping, and nearer with every further visit.

use crate::graph::DAMPING;
use hashbrown::HashMap;

/// Cash that a page has of its own when it is first visited.
const OWN: f32 = 1.0;
/// Pages that are kept; when there are more, the poorer half is forgotten. That many make full use of the
/// memory that a table of so many takes, which is about 36 MB.
const MAX_PAGES: usize = 1_800_000;

/// What is known of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Purse {
    /// What it has been given and has not handed on.
    pub cash: f32,
    /// What it has handed on; nothing for a page that was never visited.
    pub spent: f32,
}

impl Purse {
    /// All that it ever had.
    fn all(self) -> f32 {
        self.cash + self.spent
    }
}

/// The cash of all pages.
#[derive(Clone, Debug)]
pub struct Opic {
    purses: HashMap<u64, Purse>,
    most: usize,
}

impl Default for Opic {
    fn default() -> Opic {
        Opic::bounded(MAX_PAGES)
    }
}

impl Opic {
    /// One that keeps at most so many pages.
    pub fn bounded(most: usize) -> Opic {
        Opic { purses: HashMap::new(), most: most.max(1) }
    }

    /// One that goes on with these.
    pub fn with(purses: impl IntoIterator<Item = (u64, Purse)>) -> Opic {
        Opic { purses: purses.into_iter().collect(), ..Opic::default() }
    }

    /// A visit of a page, which leads to these. A page that comes twice among them counts once, and the page
    /// itself counts for nothing; where nothing is left, the cash stays with the page.
    pub fn visit(&mut self, page: u64, targets: &mut Vec<u64>) {
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|target| *target != page);
        let purse = self.purses.entry(page).or_default();
        if purse.spent == 0.0 {
            // Whether or not it leads anywhere, it has been visited now.
            purse.cash += OWN;
            purse.spent = f32::MIN_POSITIVE;
        }
        if !targets.is_empty() {
            let handed_on = std::mem::take(&mut purse.cash);
            purse.spent += handed_on;
            let share = DAMPING as f32 * handed_on / targets.len() as f32;
            for target in targets.iter() {
                self.purses.entry(*target).or_default().cash += share;
            }
        }
        if self.purses.len() > self.most {
            self.forget();
        }
    }

    /// Forgets the poorer half.
    fn forget(&mut self) {
        let mut all: Vec<f32> = self.purses.values().map(|purse| purse.all()).collect();
        let middle = all.len() / 2;
        let (_, median, _) = all.select_nth_unstable_by(middle, f32::total_cmp);
        let median = *median;
        // Of those at the border some must go as well, or nothing might.
        let mut room = self.most / 2;
        self.purses.retain(|_, purse| {
            let stays = purse.all() > median && room > 0;
            room -= usize::from(stays);
            stays
        });
    }

    /// What is known of each page, in no order.
    pub fn purses(&self) -> impl Iterator<Item = (u64, Purse)> {
        self.purses.iter().map(|(page, purse)| (*page, *purse))
    }

    /// How many pages something is known of.
    pub fn pages(&self) -> usize {
        self.purses.len()
    }
}

/// The shares of the visited ones among pages, as [`crate::graph::scaled`] takes them; those that were never visited
/// have none.
pub fn shares(purses: &[Purse]) -> Vec<f64> {
    let all = |purse: &Purse| if purse.spent > 0.0 { f64::from(purse.all()) } else { 0.0 };
    let total: f64 = purses.iter().map(all).sum();
    let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
    purses.iter().map(|purse| all(purse) * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use proptest::prelude::*;

    fn purse(opic: &Opic, page: u64) -> Purse {
        opic.purses.get(&page).copied().unwrap_or_default()
    }

    #[test]
    fn cash_is_handed_on() {
        let mut opic = Opic::default();
        opic.visit(1, &mut vec![2, 3, 2, 1]);
        assert_eq!((purse(&opic, 2).cash, purse(&opic, 3).cash), (0.425, 0.425));
        opic.visit(2, &mut vec![3]);
        assert!((purse(&opic, 3).cash - (0.425 + 0.85 * 1.425)).abs() < 1e-6);
        // Nobody leads to 4, and it leads nowhere.
        opic.visit(4, &mut vec![4]);
        assert_eq!(purse(&opic, 4).cash, 1.0);
        let known = [purse(&opic, 1), purse(&opic, 2), purse(&opic, 3), purse(&opic, 4)];
        let shares = shares(&known);
        assert_eq!(shares[2], 0.0, "never visited: {shares:?}");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(shares[1] > shares[0] && (shares[0] - shares[3]).abs() < 1e-6);
    }

    #[test]
    fn the_poor_are_forgotten_when_there_are_too_many() {
        let mut opic = Opic::bounded(100);
        for page in 0..1_000 {
            opic.visit(page, &mut vec![7_777, page + 10_000]);
            assert!(opic.pages() <= 102);
        }
        assert!(purse(&opic, 7_777).cash > 300.0);
        for page in 20_000..21_000 {
            opic.visit(page, &mut Vec::new());
            assert!(opic.pages() <= 102, "also of those that lead nowhere");
        }
    }

    proptest! {
        /// Visits to all pages, again and again, lead to PageRank: what differs is what nodes without links keep.
        #[test]
        fn visits_lead_to_page_rank(
            edges in proptest::collection::vec((0..12_u32, 0..12_u32), 0..60),
        ) {
            // Every page leads somewhere.
            let edges: Vec<(u32, u32)> =
                edges.into_iter().chain((0..12).map(|page| (page, (page + 1) % 12))).collect();
            let exact = Graph::new(12, edges.clone()).page_rank();
            let mut opic = Opic::default();
            for _ in 0..200 {
                for page in 0..12_u64 {
                    let leads = edges.iter().filter(|(from, _)| u64::from(*from) == page);
                    opic.visit(page, &mut leads.map(|(_, to)| u64::from(*to)).collect());
                }
            }
            let purses: Vec<Purse> = (0..12).map(|page| purse(&opic, page)).collect();
            for (found, expected) in shares(&purses).iter().zip(&exact) {
                prop_assert!((found - expected).abs() < 1e-3, "{found} {expected}");
            }
        }
    }
}
