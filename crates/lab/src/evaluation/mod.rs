//! How good is a ranking? Measures as trec_eval defines them, and how sure we are of them. Pure: rankings,
//! judgements and a seed in, numbers out.

mod measures;
mod statistics;

pub use measures::{DEPTH, Judgements, MEASURES, Measure, Ranking, Scores, score};
pub use statistics::{
    Comparison, DRAWS, Interval, bootstrap, compare, holm, mean, percentile, randomisation,
    signed_rank,
};

#[cfg(test)]
mod tests;
