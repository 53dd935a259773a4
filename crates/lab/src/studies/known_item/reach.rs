//! What could any order of results reach? Pages of one title answer the same question, and only so many of them
//! fit into the first results.

use super::sample::Drawn;
use super::{NEAR, Runs, WITHIN, runs, share};
use crate::studies::StudyError;
use lycosa_knowledge::fold;
use lycosa_segments::for_each_document;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

/// Pages of one title that are compared with each other; the share of more is taken to be that of these.
const MAX_SIBLINGS: usize = 200;

/// For each page the share of the pages of its title that the best choice of [`WITHIN`] results covers, by
/// themselves or as near-duplicates: what can be expected of a page that was drawn among them. What the search
/// folds for another reason is not foreseen, so it is an estimate.
pub(super) fn reachable(data: &Path, drawn: &[Drawn]) -> Result<Vec<f64>, StudyError> {
    let key = |title: &str| fold(title.trim());
    let crowded = drawn.iter().filter(|page| page.same_title > WITHIN);
    let mut texts: HashMap<String, Vec<Runs>> =
        crowded.map(|page| (key(&page.title), Vec::new())).collect();
    if !texts.is_empty() {
        for_each_document(data, |document| {
            if let Some(found) = texts.get_mut(&key(&document.title))
                && found.len() < MAX_SIBLINGS
            {
                found.push(runs(&document.text));
            }
            ControlFlow::Continue(())
        })?;
    }
    let shares: HashMap<String, f64> =
        texts.into_iter().map(|(title, texts)| (title, covered(&texts))).collect();
    Ok(drawn.iter().map(|page| shares.get(&key(&page.title)).copied().unwrap_or(1.0)).collect())
}

/// Share of the texts that are, or nearly equal, one of [`WITHIN`] of them; these are chosen one after the
/// other, each for what it adds.
pub(super) fn covered(texts: &[Runs]) -> f64 {
    let is_near = |one: usize, two: usize| one == two || share(&texts[one], &texts[two]) >= NEAR;
    let near: Vec<BTreeSet<usize>> = (0..texts.len())
        .map(|one| (0..texts.len()).filter(|two| is_near(one, *two)).collect())
        .collect();
    let mut left: BTreeSet<usize> = (0..texts.len()).collect();
    for _ in 0..WITHIN {
        let best = near.iter().max_by_key(|near| near.intersection(&left).count());
        left.retain(|text| best.is_none_or(|near| !near.contains(text)));
    }
    1.0 - left.len() as f64 / texts.len().max(1) as f64
}
