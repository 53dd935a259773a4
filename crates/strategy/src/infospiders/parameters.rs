//! What can be set about spiders?

use serde::{Deserialize, Serialize};

/// Settings of InfoSpiders; unknown ones are refused. Where a number is not the paper's, SPEC 1.4 says whose
/// it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpiderParameters {
    /// THETA: a spider with more energy has an offspring; it begins with half of this.
    pub theta: f64,
    /// MAX_PAGES: the energy of the beginning is meant to last for so many pages.
    pub max_pages: u64,
    /// The time-out of a connection in seconds: a page that takes as long costs the most.
    pub timeout: f64,
    /// What latency costs, against #INIT * THETA / MAX_PAGES; 0 for nothing.
    pub latency_cost: f64,
    /// Share of that cost for a page that was read before.
    pub revisit_cost: f64,
    /// There are never more spiders than this.
    pub cap: usize,
    /// Keywords of a spider.
    pub keywords: usize,
    /// Words of the birth page that an offspring adds; 0 for none.
    pub expansion: usize,
    /// Words on either side of a link that count.
    pub window: usize,
    /// How decided a choice is: exp(beta * estimate).
    pub beta: f64,
    /// How much is learned from a page; 0 for nothing.
    pub learning: f64,
    /// What the best link of a page counts for its worth.
    pub foresight: f64,
    /// Deviation of the noise on the weights of an offspring, relative to them.
    pub mutation: f64,
    /// Whether a spider keeps links of earlier pages (Menczer, Pant and Srinivasan) and does not only choose
    /// among those of the page where it is (MySpiders, Figure 1).
    pub frontier: bool,
    /// Links that all spiders keep together.
    pub buffer: usize,
    /// What the estimate of the net counts for a kept link; the rest is the relevance of its page.
    pub mix: f64,
    /// How willingly a spider goes on from a page worse than the one before.
    pub temperature: f64,
    /// Whether the crawl ends with the last spider, as in the paper. Else another one is born at a page that
    /// waits.
    pub extinction: bool,
}

impl Default for SpiderParameters {
    fn default() -> Self {
        SpiderParameters {
            theta: 2.0,
            max_pages: 1_000,
            timeout: 30.0,
            latency_cost: 1.0,
            revisit_cost: 0.1,
            cap: 200,
            keywords: 10,
            expansion: 1,
            window: 10,
            beta: 5.0,
            learning: 0.05,
            foresight: 0.5,
            mutation: 0.1,
            frontier: true,
            buffer: 256,
            mix: 0.5,
            temperature: 0.1,
            extinction: false,
        }
    }
}

impl SpiderParameters {
    /// Whether they make sense; says what does not.
    pub fn check(&self) -> Result<(), String> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let rules = [
            (self.theta > 0.0, "theta must be above 0"),
            (self.max_pages >= 1, "max_pages must be at least 1"),
            (self.timeout > 0.0, "timeout must be above 0"),
            (self.latency_cost >= 0.0, "latency_cost must not be negative"),
            (share(self.revisit_cost), "revisit_cost must lie between 0 and 1"),
            (self.cap >= 1, "cap must be at least 1"),
            (self.keywords >= 1, "keywords must be at least 1"),
            (self.beta >= 0.0, "beta must not be negative"),
            (share(self.learning), "learning must lie between 0 and 1"),
            (share(self.foresight), "foresight must lie between 0 and 1"),
            (self.mutation >= 0.0, "mutation must not be negative"),
            (self.buffer >= 1, "buffer must be at least 1"),
            (share(self.mix), "mix must lie between 0 and 1"),
            (self.temperature > 0.0, "temperature must be above 0"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(format!("infospiders: {what}")),
            None => Ok(()),
        }
    }
}
