//! What can be set about walkers?

use serde::{Deserialize, Serialize};

/// Which of Wack's populations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One walker for each seed.
    Single,
    /// Some for each seed, as many all the time.
    Multiple,
    /// The same to begin with; pheromone decides who dies and who is cloned.
    Cloning,
    /// The same, without thresholds: what counts is whether a page was met sooner or later than usual.
    Immune,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Single, Kind::Multiple, Kind::Cloning, Kind::Immune];

    /// What it is called behind `walkers:`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Single => "single",
            Kind::Multiple => "multiple",
            Kind::Cloning => "cloning",
            Kind::Immune => "immune",
        }
    }
}

/// Settings of walkers; unknown ones are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WalkerParameters {
    /// Walkers that begin at each seed, except in `single`. The paper has 5.
    pub walkers: usize,
    /// There are never more of them than this.
    pub cap: usize,
    /// A page whose pheromone is below this makes its visitor clone itself.
    pub min: f64,
    /// A page whose pheromone is above this kills its visitor.
    pub max: f64,
    /// How quickly pheromone fades: exp(-lambda * rounds). Below ln(1 / max) / 2 a walker that goes back to
    /// the page it came from dies of its own mark.
    pub lambda: f64,
    /// How readily the immune rule clones and kills, from 0 to 1.
    pub gain: f64,
    /// What the newest interval counts in the mean of a page, from 0 to 1.
    pub memory: f64,
    /// Pages that a walker can go back to.
    pub back: usize,
    /// After so many hops without a page that nobody had visited, a walker begins anew at a seed; 0 for
    /// never. There are parts of the web that one can enter and not leave.
    pub patience: u64,
}

impl Default for WalkerParameters {
    fn default() -> Self {
        WalkerParameters {
            walkers: 5,
            cap: 200,
            min: 0.5,
            max: 0.9,
            lambda: 0.2,
            gain: 0.5,
            memory: 0.2,
            back: 64,
            patience: 1_000,
        }
    }
}

impl WalkerParameters {
    /// Whether they make sense; says what does not.
    pub fn check(&self) -> Result<(), String> {
        let rules = [
            (self.walkers >= 1, "walkers must be at least 1"),
            (self.cap >= 1, "cap must be at least 1"),
            (self.min > 0.0 && self.min < self.max, "min must lie between 0 and max"),
            (self.max < 1.0, "max must be below 1"),
            (self.lambda > 0.0 && self.lambda < 1.0, "lambda must lie between 0 and 1"),
            ((0.0..=1.0).contains(&self.gain), "gain must lie between 0 and 1"),
            (self.memory > 0.0 && self.memory <= 1.0, "memory must be above 0 and at most 1"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(format!("walkers: {what}")),
            None => Ok(()),
        }
    }

    /// How many walkers pheromone keeps on a web of so many pages: with A of them a page is met every n / A
    /// rounds, and they multiply until that is the time in which pheromone fades to `min`.
    pub fn expected_population(&self, pages: usize) -> f64 {
        pages as f64 * self.lambda / (1.0 / self.min).ln()
    }

    /// How many walkers there are when as many die as are cloned, on a web whose links can be walked both
    /// ways: a page with `d` of `2m` ends of links is met by A walkers as often as `A * d / 2m` times a round,
    /// at moments that know nothing of each other. Pages with many links are met too soon and kill, those
    /// with few are met late and clone. The estimate above leaves out who dies, and takes all pages for
    /// equal.
    pub fn balanced_population(&self, degrees: &[usize]) -> f64 {
        let ends: usize = degrees.iter().sum();
        // Rounds within which a visitor dies, and after which it is cloned. A visit in the same round was
        // before half of the others.
        let dies = ((1.0 / self.max).ln() / self.lambda).ceil() - 1.0 + 0.5;
        let clones = ((1.0 / self.min).ln() / self.lambda).floor() + 1.0 - 0.5;
        let grows = |walkers: f64| {
            let of_page = |degree: &usize| {
                let rate = walkers * *degree as f64 / ends.max(1) as f64;
                *degree as f64 * ((-rate * clones).exp() + (-rate * dies).exp() - 1.0)
            };
            degrees.iter().map(of_page).sum::<f64>() > 0.0
        };
        let (mut low, mut high) = (0.0, 10.0 * self.expected_population(degrees.len()) + 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            *if grows(middle) { &mut low } else { &mut high } = middle;
        }
        high
    }
}
