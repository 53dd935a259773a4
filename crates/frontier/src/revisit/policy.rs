//! How is a budget of visits shared between pages?
//!
//! LambdaCrawl (Kolobov et al., 2019): of all ways to spend the budget, the one after which the weighted
//! sum of harmonic staleness is least. With the rate of changes D, the weight w and a price λ that all
//! pages have in common, a page whose changes are only seen by visiting it gets
//!
//! ```text
//! ρ = (-D + sqrt(D² + 4·w·D/λ)) / 2   visits per day,
//! ```
//!
//! and a page whose changes are announced (by sitemaps or feeds) is visited after a share
//! `p = min(1, w/(λ·D))` of the announcements. Both say that the last visit bought costs the same
//! everywhere. The visits of all pages fall as the price rises, so it is found by bisection.

use super::{rate, share};
use lycosa_model::{Tick, UrlId};
use std::collections::BTreeMap;

/// Steps of the bisection on the logarithm of the price.
const STEPS: usize = 80;

/// Prices between which the right one is sought.
const PRICES: (f64, f64) = (1e-12, 1e12);

/// Classes per factor of two, of rates and of weights.
const CLASSES_PER_DOUBLING: f64 = 4.0;

/// A page, as the policy sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Changes per day.
    pub rate: f64,
    /// What it is worth.
    pub weight: f64,
    /// Whether its changes are announced.
    pub announced: bool,
}

impl Standing {
    /// Within what the formulas take: no zero, nothing infinite, nothing that is no number.
    fn tamed(self) -> Standing {
        let tame = |x: f64, low: f64, high: f64| if x.is_nan() { low } else { x.clamp(low, high) };
        Standing {
            rate: tame(self.rate, rate::MIN_RATE, rate::MAX_RATE),
            weight: tame(self.weight, 1e-3, 1e3),
            announced: self.announced,
        }
    }
}

/// Bounds on the visits per day of one page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At least, as far as the budget allows.
    pub least: f64,
    /// At most.
    pub most: f64,
}

/// All pages, counted by class. Pages that change about as often and are worth about the same are one
/// class, so that millions of pages are a few hundred numbers.
#[derive(Clone, Debug, Default)]
pub struct Census {
    classes: BTreeMap<(i32, i32, bool), Class>,
    pages: u64,
}

/// Sums over the pages of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    pages: f64,
    rates: f64,
    weights: f64,
}

impl Census {
    /// Counts a page.
    pub fn add(&mut self, standing: &Standing) {
        let page = standing.tamed();
        let step = |x: f64| (x.log2() * CLASSES_PER_DOUBLING).floor() as i32;
        let key = (step(page.rate), step(page.weight), page.announced);
        let class = self.classes.entry(key).or_default();
        class.pages += 1.0;
        class.rates += page.rate;
        class.weights += page.weight;
        self.pages += 1;
    }

    /// Pages counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    fn classes(&self) -> impl Iterator<Item = (Standing, f64)> {
        self.classes.iter().map(|((_, _, announced), class)| {
            let standing = Standing {
                rate: class.rates / class.pages,
                weight: class.weights / class.pages,
                announced: *announced,
            };
            (standing, class.pages)
        })
    }

    /// The policy that spends this many visits per day, or all that the bounds allow when that is less.
    pub fn policy(&self, visits_per_day: f64, bounds: Bounds) -> Policy {
        let budget = if visits_per_day.is_finite() { visits_per_day.max(0.0) } else { f64::MAX };
        let most = if bounds.most.is_finite() { bounds.most.max(f64::MIN_POSITIVE) } else { 1e6 };
        // Nobody's least may eat what all have.
        let mean = budget / self.pages.max(1) as f64;
        let least = if bounds.least.is_finite() { bounds.least.max(0.0) } else { 0.0 };
        let least = least.min(mean).min(most);
        let spent = |price: f64| -> f64 {
            let policy = Policy { price, least, most };
            self.classes().map(|(page, count)| policy.cost(&page) * count).sum()
        };
        let (mut low, mut high) = (PRICES.0.ln(), PRICES.1.ln());
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if spent(middle.exp()) > budget {
                low = middle;
            } else {
                high = middle;
            }
        }
        // The higher end never spends more than there is.
        Policy { price: high.exp(), least, most }
    }

    /// Expected share of time in which our copies are right, weighted, under a policy.
    pub fn freshness(&self, policy: &Policy) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (page, count) in self.classes() {
            let fresh = rate::freshness(page.rate, policy.visits(&page));
            let fresh = if page.announced { fresh.max(policy.chance(&page)) } else { fresh };
            sum += fresh * page.weight * count;
            weights += page.weight * count;
        }
        if weights > 0.0 { sum / weights } else { 1.0 }
    }
}

/// What a visit may cost, and the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    price: f64,
    least: f64,
    most: f64,
}

impl Policy {
    /// Visits per day of a page without any announcement.
    pub fn visits(&self, page: &Standing) -> f64 {
        let page = page.tamed();
        if page.announced {
            // What its site announces is not looked for; that the site is right is.
            return self.least.max(f64::MIN_POSITIVE).min(self.most);
        }
        let discriminant = page.rate.mul_add(page.rate, 4.0 * page.weight * page.rate / self.price);
        // The same as (-D + sqrt(...))/2, without the difference of two near numbers.
        let visits = 2.0 * page.weight * page.rate / self.price / (page.rate + discriminant.sqrt());
        visits.clamp(self.least, self.most)
    }

    /// The share of announced changes after which the page is visited.
    pub fn chance(&self, page: &Standing) -> f64 {
        let page = page.tamed();
        (page.weight / (self.price * page.rate)).min(1.0)
    }

    /// Whether this announcement is one after which the page is visited. The same page and moment get
    /// the same answer.
    pub fn takes(&self, page: &Standing, id: UrlId, announced: Tick) -> bool {
        share(id, announced.0) < self.chance(page)
    }

    /// Visits per day that a page costs in all.
    fn cost(&self, page: &Standing) -> f64 {
        let visits = self.visits(page);
        if page.announced { visits + self.chance(page) * page.tamed().rate } else { visits }
    }
}
