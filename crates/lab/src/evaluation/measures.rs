//! What is a ranking worth to somebody who knows the relevant documents?

use std::collections::BTreeMap;

/// Documents of a ranking that are looked at; what lies deeper counts as not found.
pub const DEPTH: usize = 1_000;
/// Documents that nDCG, precision and the reciprocal rank look at.
const FIRST: usize = 10;
/// Documents that recall looks at.
const MANY: usize = 100;

/// Gains of the judged documents, by query and document. A gain above 0 means relevant.
pub type Judgements = BTreeMap<String, BTreeMap<String, f64>>;

/// What a system answers to one query: documents and their scores, in any order.
pub type Ranking = Vec<(String, f32)>;

/// One figure about one query, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Discounted gain of the first ten, over the best that is possible.
    Ndcg,
    /// Mean precision at the relevant documents.
    AveragePrecision,
    /// One over the rank of the first relevant document among the first ten.
    ReciprocalRank,
    /// Relevant share of the first ten.
    Precision,
    /// Share of the relevant documents among the first hundred.
    Recall,
}

/// All measures, in the order of [`Scores`].
pub const MEASURES: [Measure; 5] = [
    Measure::Ndcg,
    Measure::AveragePrecision,
    Measure::ReciprocalRank,
    Measure::Precision,
    Measure::Recall,
];

impl Measure {
    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Ndcg => "nDCG@10",
            Measure::AveragePrecision => "MAP",
            Measure::ReciprocalRank => "MRR@10",
            Measure::Precision => "P@10",
            Measure::Recall => "R@100",
        }
    }

    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Ndcg => "ndcg_10",
            Measure::AveragePrecision => "map",
            Measure::ReciprocalRank => "mrr_10",
            Measure::Precision => "p_10",
            Measure::Recall => "r_100",
        }
    }
}

/// The measures of one query, in the order of [`MEASURES`].
pub type Scores = [f64; MEASURES.len()];

/// Scores a ranking; `None` when no document is relevant. Documents of equal score stand in the order of
/// their names, so that the figure does not depend on how a file was written.
pub fn score(ranking: &Ranking, gains: &BTreeMap<String, f64>) -> Option<Scores> {
    let mut ideal: Vec<f64> = gains.values().copied().filter(|gain| *gain > 0.0).collect();
    if ideal.is_empty() {
        return None;
    }
    ideal.sort_by(|a, b| b.total_cmp(a));
    let mut ranked: Vec<&(String, f32)> = ranking.iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let found: Vec<f64> = ranked
        .iter()
        .take(DEPTH)
        .map(|(name, _)| gains.get(name).copied().unwrap_or_default())
        .collect();
    let relevant = ideal.len() as f64;
    let (mut hits, mut precisions, mut reciprocal) = (0.0, 0.0, 0.0);
    for (place, _) in found.iter().enumerate().filter(|(_, gain)| **gain > 0.0) {
        let rank = place as f64 + 1.0;
        hits += 1.0;
        precisions += hits / rank;
        if reciprocal == 0.0 && place < FIRST {
            reciprocal = 1.0 / rank;
        }
    }
    let among = |count: usize| found.iter().take(count).filter(|gain| **gain > 0.0).count() as f64;
    Some([
        discounted(&found) / discounted(&ideal),
        precisions / relevant,
        reciprocal,
        among(FIRST) / FIRST as f64,
        among(MANY) / relevant,
    ])
}

/// Gain of the first ten with linear gain, discounted by the logarithm of the rank.
fn discounted(gains: &[f64]) -> f64 {
    let first = gains.iter().take(FIRST).enumerate();
    first.map(|(place, gain)| gain / (place as f64 + 2.0).log2()).sum()
}
