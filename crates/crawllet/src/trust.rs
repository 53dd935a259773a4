//! How much is a site believed, and how is that checked?
//!
//! The host owns the machine that a crawllet runs on; what comes back is believed because some of it is fetched again
//! in the ordinary way, chosen after it came, with chance that the host cannot know.

use crate::noise;

/// Part of the pages that is audited at first.
pub const FIRST_SHARE: f64 = 0.05;
/// Part that is audited of a site with a clean record.
pub const LAST_SHARE: f64 = 0.005;
/// Pages that are audited at least, if there are so many.
pub const MIN_AUDITS: usize = 30;
/// Pages that are audited at most.
pub const MAX_AUDITS: usize = 2000;
/// Bits in which two simhashes of one text may differ. Twice as many as for duplicates: one page is compared with
/// itself here, and dates and counters differ. A change of a few words is not seen.
pub const NEAR_BITS: u32 = 6;
/// Part of the sample that may be too lively to compare before the audit says nothing.
pub const MAX_LIVELY_SHARE: f64 = 0.25;

/// What a site has shown so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Jobs in a row whose audit was clean.
    pub clean_jobs: u32,
    /// Pages in a row that agreed.
    pub clean_pages: u64,
    /// Whether an audit failed; only a person forgives.
    pub distrusted: bool,
}

impl Standing {
    /// Between 0 and 1: 0 for a stranger and for one who was caught, half at 60 pages that agreed.
    pub fn score(&self) -> f64 {
        if self.distrusted {
            return 0.0;
        }
        let pages = self.clean_pages as f64;
        pages / (pages + 60.0)
    }

    /// What follows from an audit.
    pub fn after(self, audit: &Audit) -> Standing {
        match audit.outcome() {
            Outcome::Clean => Standing {
                clean_jobs: self.clean_jobs.saturating_add(1),
                clean_pages: self.clean_pages.saturating_add(audit.agreed as u64),
                distrusted: self.distrusted,
            },
            Outcome::Unsure => self,
            Outcome::Failed => Standing { distrusted: true, ..Standing::default() },
        }
    }
}

/// How many pages of a harvest are audited: 5 % at first, half of that after each clean job, never less than 0.5 %
/// and never fewer than 30.
pub fn audits(pages: usize, standing: &Standing) -> usize {
    let halvings = i32::try_from(standing.clean_jobs.min(64)).unwrap_or_default();
    let share = (FIRST_SHARE * 0.5_f64.powi(halvings)).max(LAST_SHARE);
    let wanted = (pages as f64 * share).ceil() as usize;
    wanted.clamp(MIN_AUDITS, MAX_AUDITS).min(pages)
}

/// How likely `samples` random pages show at least one false one, when a part `falsified` is false.
pub fn detection(falsified: f64, samples: usize) -> f64 {
    1.0 - (1.0 - falsified.clamp(0.0, 1.0)).powf(samples as f64)
}

/// How many samples find a part `falsified` with this probability.
pub fn samples_for(falsified: f64, probability: f64) -> usize {
    let (f, p) = (falsified.clamp(1e-6, 1.0), probability.clamp(0.0, 1.0 - 1e-9));
    if f >= 1.0 {
        return 1;
    }
    ((1.0 - p).ln() / (1.0 - f).ln()).ceil().max(1.0) as usize
}

/// Different numbers below `pages`, in rising order. `fresh` is drawn after the harvest has come.
pub fn draw(pages: usize, count: usize, fresh: [u8; 32]) -> Vec<usize> {
    let mut dice = Dice { fresh, round: 0, left: Vec::new() };
    let mut chosen = std::collections::BTreeSet::new();
    // Floyd's sampling: each set of `count` is equally likely.
    for top in pages.saturating_sub(count)..pages {
        let at = dice.below(top as u64 + 1) as usize;
        chosen.insert(if chosen.contains(&at) { top } else { at });
    }
    chosen.into_iter().collect()
}

/// Numbers that nobody can foresee without `fresh`.
struct Dice {
    fresh: [u8; 32],
    round: u64,
    left: Vec<u64>,
}

impl Dice {
    fn next(&mut self) -> u64 {
        if self.left.is_empty() {
            let block = noise::derive(&self.fresh, &format!("audit {}", self.round));
            self.round += 1;
            let (words, _) = block.as_chunks::<8>();
            self.left.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        self.left.pop().unwrap_or_default()
    }

    /// Below `end`, without favour.
    fn below(&mut self, end: u64) -> u64 {
        loop {
            let wide = u128::from(self.next()) * u128::from(end);
            // Lemire: the low half tells whether the draw was in the part that is not even.
            if wide as u64 >= end.wrapping_neg() % end {
                return (wide >> 64) as u64;
            }
        }
    }
}

/// What a page looks like by one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// HTTP status.
    pub status: u16,
    /// SHA-256 of the body, or of the target of a redirect; equal means the same page.
    pub sha256: [u8; 32],
    /// Simhash of what it says; 0 for one without text, which is compared by its bytes alone.
    pub simhash: u64,
}

impl Look {
    /// In how many bits two looks differ; none when the bodies are equal or both are gone, 64 when nothing can be
    /// said to be equal.
    pub fn distance(&self, other: &Look) -> u32 {
        let redirects = |status: u16| (300..400).contains(&status);
        let gone = |look: &Look| matches!(look.status, 404 | 410);
        let same_status =
            self.status == other.status || redirects(self.status) && redirects(other.status);
        if gone(self) && gone(other) || same_status && self.sha256 == other.sha256 {
            0
        } else if !same_status || self.simhash == 0 || other.simhash == 0 {
            64
        } else {
            (self.simhash ^ other.simhash).count_ones()
        }
    }

    /// Whether two looks say the same.
    pub fn agrees(&self, other: &Look) -> bool {
        self.distance(other) <= NEAR_BITS
    }
}

/// What is known of an audited page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Both paths say the same, at first or when asked again.
    Agrees,
    /// The page is another each time it is looked at; nothing follows.
    Lively,
    /// The site shows the crawllet another page than the crawler.
    False,
}

/// The verdict after one look by each path; `None`: look once more by both, and ask [`verdict_again`].
pub fn verdict(crawllet: &Look, direct: &Look) -> Option<Verdict> {
    crawllet.agrees(direct).then_some(Verdict::Agrees)
}

/// The verdict after two looks by each path, when the first two differed.
///
/// A page that changed in between agrees the second time. One that differs from itself by as much as it differs
/// from the other path is lively. One that stands still on both paths, and differs, is false.
pub fn verdict_again(crawllet: [&Look; 2], direct: [&Look; 2]) -> Verdict {
    if crawllet[1].agrees(direct[1]) {
        return Verdict::Agrees;
    }
    let across = crawllet[1].distance(direct[1]);
    let within = direct[0].distance(direct[1]);
    if within > NEAR_BITS && across <= within + NEAR_BITS {
        Verdict::Lively
    } else {
        Verdict::False
    }
}

/// The verdicts of one harvest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Audit {
    /// Pages that agreed.
    pub agreed: usize,
    /// Pages too lively to compare.
    pub lively: usize,
    /// Pages that were false.
    pub falsified: usize,
    /// Pages that could not be fetched in the ordinary way.
    pub unreachable: usize,
}

/// What an audit says about the harvest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is used, and the site is believed a little more.
    Clean,
    /// Too little could be compared: the pages that were looked at say nothing of the others.
    Unsure,
    /// It is thrown away, and the site is crawled in the ordinary way.
    Failed,
}

impl Audit {
    /// Counts one page.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Agrees => self.agreed += 1,
            Verdict::Lively => self.lively += 1,
            Verdict::False => self.falsified += 1,
        }
    }

    /// What follows. One false page is enough.
    pub fn outcome(&self) -> Outcome {
        let silent = self.lively + self.unreachable;
        let all = (self.agreed + silent) as f64;
        if self.falsified > 0 {
            Outcome::Failed
        } else if self.agreed == 0 || silent as f64 > all * MAX_LIVELY_SHARE {
            Outcome::Unsure
        } else {
            Outcome::Clean
        }
    }
}
