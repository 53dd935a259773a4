//! Would other queries have told the same? Bootstrap intervals, a paired randomisation test and Wilcoxon's.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws of a bootstrap and of a randomisation test.
pub const DRAWS: usize = 10_000;
/// Share of the draws on each side of a 95 % interval.
const TAIL: f64 = 0.025;
/// Sums that differ by less than this are the same, whatever the order of their addends.
const ROUNDING: f64 = 1e-12;
/// Scores that differ by less than this are a tie.
const TIE: f64 = 1e-9;

/// A mean and where it lies in 95 % of the draws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The mean of what was measured.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The value below which this share of the values lies (nearest rank); 0 of nothing.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let rank = (share.clamp(0.0, 1.0) * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1).min(last)).copied().unwrap_or_default()
}

/// The 95 % percentile interval of the mean of each column, over queries drawn with replacement. All
/// columns see the same draws; equal seeds give equal intervals.
pub fn bootstrap(columns: &[Vec<f64>], seed: u64) -> Vec<Interval> {
    let queries = columns.iter().map(Vec::len).min().unwrap_or_default();
    if queries == 0 {
        return vec![Interval::default(); columns.len()];
    }
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut means = vec![Vec::with_capacity(DRAWS); columns.len()];
    let mut sums = vec![0.0; columns.len()];
    for _ in 0..DRAWS {
        sums.fill(0.0);
        for _ in 0..queries {
            let query = dice.random_range(0..queries);
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum += column[query];
            }
        }
        for (means, sum) in means.iter_mut().zip(&sums) {
            means.push(sum / queries as f64);
        }
    }
    let interval = |(column, means): (&Vec<f64>, &Vec<f64>)| Interval {
        mean: mean(column),
        low: percentile(means, TAIL),
        high: percentile(means, 1.0 - TAIL),
    };
    columns.iter().zip(&means).map(interval).collect()
}

/// How often a difference as large as the sum of these would come about if each had its sign by chance:
/// the p-value of a paired randomisation test, two-sided. 1 of nothing.
pub fn randomisation(differences: &[f64], seed: u64) -> f64 {
    let observed = differences.iter().sum::<f64>().abs() - ROUNDING;
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let flipped = |dice: &mut ChaCha8Rng| {
        let mut signs = 0_u64;
        let mut sum = 0.0;
        for (place, difference) in differences.iter().enumerate() {
            if place % 64 == 0 {
                signs = dice.next_u64();
            }
            sum += if signs & 1 == 0 { *difference } else { -difference };
            signs >>= 1;
        }
        sum
    };
    let as_large = (0..DRAWS).filter(|_| flipped(&mut dice).abs() >= observed).count();
    (as_large + 1) as f64 / (DRAWS + 1) as f64
}

/// Differences up to which the distribution of Wilcoxon's test is worked out; of more, it is drawn.
const WORKED_OUT: usize = 200;

/// How often ranks as uneven as these would come about if each difference had its sign by chance: the p-value
/// of Wilcoxon's signed-rank test, two-sided, exact also with ties. What does not differ is left out; 1 of
/// nothing.
pub fn signed_rank(differences: &[f64], seed: u64) -> f64 {
    let mut differing: Vec<f64> =
        differences.iter().copied().filter(|difference| difference.abs() > TIE).collect();
    differing.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Twice the rank, which is whole also where equal ones share theirs.
    let mut ranks: Vec<usize> = Vec::with_capacity(differing.len());
    while ranks.len() < differing.len() {
        let from = ranks.len();
        let equal = |other: &&f64| (other.abs() - differing[from].abs()).abs() <= TIE;
        let many = differing[from..].iter().take_while(equal).count();
        ranks.extend(std::iter::repeat_n(2 * from + many + 1, many));
    }
    if differing.len() > WORKED_OUT {
        let signed = ranks.iter().zip(&differing).map(|(rank, of)| *rank as f64 * of.signum());
        return randomisation(&signed.collect::<Vec<f64>>(), seed);
    }
    let all: usize = ranks.iter().sum();
    let above: usize =
        ranks.iter().zip(&differing).filter(|(_, of)| **of > 0.0).map(|(r, _)| r).sum();
    // How likely each sum of the ranks above is.
    let mut likely = vec![0.0_f64; all + 1];
    likely[0] = 1.0;
    for rank in ranks {
        for sum in (0..=all).rev() {
            let with = sum.checked_sub(rank).map_or(0.0, |before| likely[before]);
            likely[sum] = (likely[sum] + with) / 2.0;
        }
    }
    let less = above.min(all - above);
    (2.0 * likely[..=less].iter().sum::<f64>()).min(1.0)
}

/// p-values corrected for being many (Holm): the probability that any of them is as small by chance.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut corrected = vec![1.0; values.len()];
    let mut largest = 0.0_f64;
    for (rank, number) in order.into_iter().enumerate() {
        largest = largest.max(values[number] * (values.len() - rank) as f64).min(1.0);
        corrected[number] = largest;
    }
    corrected
}

/// How one system does against another on the same queries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Mean difference and its interval.
    pub difference: Interval,
    /// Queries on which the first is better.
    pub wins: usize,
    /// Queries on which both are the same.
    pub ties: usize,
    /// Queries on which the second is better.
    pub losses: usize,
    /// Of the paired randomisation test.
    pub p: f64,
    /// Of Wilcoxon's signed-rank test.
    pub signed_rank: f64,
}

/// Compares the scores of two systems, query by query.
pub fn compare(first: &[f64], second: &[f64], seed: u64) -> Comparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let count = |rule: fn(f64) -> bool| differences.iter().filter(|d| rule(**d)).count();
    let wins = count(|difference| difference > TIE);
    let losses = count(|difference| difference < -TIE);
    Comparison {
        wins,
        losses,
        ties: differences.len() - wins - losses,
        p: randomisation(&differences, seed),
        signed_rank: signed_rank(&differences, seed),
        difference: bootstrap(&[differences], seed).first().copied().unwrap_or_default(),
    }
}
