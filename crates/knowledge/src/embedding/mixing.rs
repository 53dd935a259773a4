//! How much does meaning count beside words?

/// Share of a score that meaning has; words have the rest.
pub const MEANING: f32 = 0.3;

/// Mixes the scores of some candidates (BM25F, not negative) with how near each is in meaning (cosines;
/// `None` where a page has no vector). Both are brought to the same range first: words by the best
/// score, meaning by the nearest and the farthest candidate. Answers what each candidate keeps for its words
/// and what it gets for its meaning, in the scale of the words; the sum is its score. A candidate
/// without a vector gets nothing for it, and where no two differ in meaning nobody does.
pub fn mixed(words: &[f32], meaning: &[Option<f32>]) -> Vec<(f32, f32)> {
    let best = words.iter().copied().fold(0.0, f32::max);
    let near = || meaning.iter().flatten().copied().filter(|cosine| cosine.is_finite());
    let (low, high) =
        (near().fold(f32::INFINITY, f32::min), near().fold(f32::NEG_INFINITY, f32::max));
    let range = high - low;
    let share = |cosine: f32| match range > 0.0 && cosine.is_finite() {
        true => (cosine - low) / range,
        false => 0.0,
    };
    let meanings = meaning.iter().map(|cosine| cosine.map_or(0.0, share));
    let parts = words.iter().zip(meanings.chain(std::iter::repeat(0.0)));
    parts.map(|(words, meaning)| ((1.0 - MEANING) * words, MEANING * best * meaning)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_meaning_are_mixed_in_one_scale() {
        let parts = mixed(&[10.0, 5.0, 4.0], &[Some(0.2), Some(0.6), None]);
        let near =
            |(a, b): (f32, f32), c: f32, d: f32| (a - c).abs() < 1e-5 && (b - d).abs() < 1e-5;
        assert!(near(parts[0], 7.0, 0.0) && near(parts[1], 3.5, 3.0) && near(parts[2], 2.8, 0.0));
    }

    #[test]
    fn where_meaning_says_nothing_the_order_of_words_stays() {
        for meaning in [vec![None; 3], vec![Some(0.5); 3], vec![Some(f32::NAN); 3], Vec::new()] {
            let scores: Vec<f32> =
                mixed(&[3.0, 2.0, 0.0], &meaning).iter().map(|(a, b)| a + b).collect();
            assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        }
        assert_eq!(mixed(&[], &[]), []);
    }
}
