//! Which results are the same page at another address?

/// Bits in which the simhashes of two near-duplicates may differ.
const NEAR: u32 = 3;

/// Folds a ranked list: each result joins the first better one that it nearly equals. Returns the results
/// that stay, each with those folded into it, by their places in the list. A page without text (`None`)
/// equals no other.
pub(crate) fn fold_duplicates(simhashes: &[Option<u64>]) -> Vec<(usize, Vec<usize>)> {
    let mut kept: Vec<(usize, Vec<usize>)> = Vec::new();
    for (place, hash) in simhashes.iter().enumerate() {
        let twin = hash.and_then(|hash| {
            kept.iter_mut().find(|(better, _)| {
                simhashes[*better].is_some_and(|other| (other ^ hash).count_ones() <= NEAR)
            })
        });
        match twin {
            Some((_, folded)) => folded.push(place),
            None => kept.push((place, Vec::new())),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::fold_duplicates;

    #[test]
    fn a_near_duplicate_joins_the_better_result() {
        let folded = fold_duplicates(&[Some(0), Some(0xff), Some(0b111), Some(0b1111)]);
        assert_eq!(folded, [(0, vec![2]), (1, vec![]), (3, vec![])]);
    }

    #[test]
    fn pages_without_text_equal_nothing() {
        assert_eq!(fold_duplicates(&[None, None, Some(0)]).len(), 3);
    }

    #[test]
    fn a_longer_list_does_not_change_the_results_before_it() {
        let hashes: Vec<Option<u64>> = (0..200_u64).map(|n| Some(n.wrapping_mul(n) % 61)).collect();
        let leaders = |list: &[Option<u64>]| -> Vec<usize> {
            fold_duplicates(list).iter().map(|(place, _)| *place).collect()
        };
        let all = leaders(&hashes);
        for end in 0..hashes.len() {
            assert!(all.starts_with(&leaders(&hashes[..end])));
        }
    }
}
