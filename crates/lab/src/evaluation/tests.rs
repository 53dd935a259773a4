use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn gains(of: &[(&str, f64)]) -> BTreeMap<String, f64> {
    of.iter().map(|(name, gain)| ((*name).to_owned(), *gain)).collect()
}

/// A ranking in this order.
fn ranking(names: &[&str]) -> Ranking {
    names.iter().enumerate().map(|(i, name)| ((*name).to_owned(), 100.0 - i as f32)).collect()
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-12, "{left} is not {right}");
}

#[test]
fn the_measures_are_those_worked_out_by_hand() {
    // Relevant at ranks 1 (gain 1) and 4 (gain 3); a third with gain 2 is not found.
    let judged = gains(&[("a", 1.0), ("d", 3.0), ("z", 2.0), ("b", 0.0)]);
    let scores = score(&ranking(&["a", "b", "c", "d"]), &judged).unwrap();
    let found = 1.0 / 2_f64.log2() + 3.0 / 5_f64.log2();
    let ideal = 3.0 / 2_f64.log2() + 2.0 / 3_f64.log2() + 1.0 / 4_f64.log2();
    let expected = [found / ideal, (1.0 / 1.0 + 2.0 / 4.0) / 3.0, 1.0, 2.0 / 10.0, 2.0 / 3.0];
    for (score, expected) in scores.into_iter().zip(expected) {
        close(score, expected);
    }
    close(scores[0], 0.481_330_805_913_545_8);
}

#[test]
fn what_lies_deep_counts_for_some_measures_only() {
    let names: Vec<String> = (0..1_200).map(|n| format!("d{n:04}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Ranks 11, 101 and 1,001.
    let judged = gains(&[("d0010", 1.0), ("d0100", 1.0), ("d1000", 1.0)]);
    let [ndcg, map, reciprocal, precision, recall] = score(&ranking(&names), &judged).unwrap();
    assert_eq!([ndcg, reciprocal, precision], [0.0; 3]);
    close(map, (1.0 / 11.0 + 2.0 / 101.0) / 3.0);
    close(recall, 1.0 / 3.0);
}

#[test]
fn documents_of_equal_score_stand_by_name() {
    let judged = gains(&[("b", 1.0)]);
    let tied = |names: [&str; 2]| names.map(|name| (name.to_owned(), 1.0)).to_vec();
    let scores = score(&tied(["b", "a"]), &judged).unwrap();
    assert_eq!(scores, score(&tied(["a", "b"]), &judged).unwrap());
    close(scores[2], 0.5);
}

#[test]
fn a_query_without_answers_counts_nothing_and_one_without_relevant_documents_is_left_out() {
    assert_eq!(score(&Vec::new(), &gains(&[("a", 1.0)])), Some([0.0; 5]));
    assert_eq!(score(&ranking(&["a"]), &gains(&[("a", 0.0)])), None);
}

#[test]
fn an_interval_is_the_same_for_the_same_seed_and_holds_the_mean() {
    let values: Vec<f64> = (0..50).map(|n| f64::from(n % 7) / 7.0).collect();
    let columns = [values.clone(), values.iter().map(|v| v / 2.0).collect()];
    let intervals = bootstrap(&columns, 7);
    assert_eq!(intervals, bootstrap(&columns, 7));
    assert_ne!(intervals, bootstrap(&columns, 8));
    let [whole, half] = intervals[..] else { panic!("two columns") };
    close(whole.mean, mean(&values));
    assert!(whole.low < whole.mean && whole.mean < whole.high);
    // The same draws for both.
    close(half.low, whole.low / 2.0);
    // About 1.96 standard errors to each side.
    let variance = mean(&values.iter().map(|v| (v - whole.mean).powi(2)).collect::<Vec<_>>());
    let error = (variance / 50.0).sqrt();
    assert!(((whole.high - whole.low) / (2.0 * 1.96 * error) - 1.0).abs() < 0.1, "{whole:?}");
}

#[test]
fn equal_systems_do_not_differ_and_a_clear_difference_is_seen() {
    let scores: Vec<f64> = (0..40).map(|n| f64::from(n % 5) / 5.0).collect();
    let same = compare(&scores, &scores, 1);
    assert_eq!((same.wins, same.ties, same.losses), (0, 40, 0));
    close(same.p, 1.0);
    let better: Vec<f64> = scores.iter().map(|score| score + 0.1).collect();
    let seen = compare(&better, &scores, 1);
    assert_eq!((seen.wins, seen.ties, seen.losses), (40, 0, 0));
    assert!(seen.p < 0.001 && seen.difference.low > 0.09, "{seen:?}");
}

#[test]
fn a_randomisation_test_counts_the_signs_that_do_as_well() {
    // Of the eight ways to give 3, 2, 1 a sign, two have a sum of at least 6.
    let p = randomisation(&[3.0, 2.0, 1.0], 5);
    assert!((p - 0.25).abs() < 0.02, "{p}");
}

#[test]
fn the_signed_rank_test_is_the_one_in_the_tables() {
    // All five of one sign: one of 32 in each tail. And one with a zero and ties, of which all 512 signs were tried.
    close(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0], 7), 2.0 / 32.0);
    let known = [15.0, -7.0, 5.0, 20.0, 0.0, -9.0, 17.0, -12.0, 5.0, -10.0];
    close(signed_rank(&known, 7), 0.632_812_5);
    close(signed_rank(&[2.0, -2.0], 7), 1.0);
    close(signed_rank(&[0.0; 9], 7), 1.0);
    let (few, many): (Vec<f64>, Vec<f64>) = (
        (0..40).map(|n| f64::from(n) - 12.0).collect(),
        (0..400).map(|n| f64::from(n) - 190.0).collect(),
    );
    assert!(signed_rank(&few, 7) < 0.01 && signed_rank(&many, 7) > 0.1);
}

#[test]
fn nothing_at_all_has_figures_too() {
    assert_eq!((mean(&[]), percentile(&[], 0.5)), (0.0, 0.0));
    assert_eq!(bootstrap(&[Vec::new()], 1), [Interval::default()]);
    close(randomisation(&[], 1), 1.0);
}

#[test]
fn percentiles_are_values_that_were_measured() {
    let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
    let at = |share| percentile(&values, share);
    assert_eq!([at(0.0), at(0.5), at(0.99), at(1.0)], [1.0, 50.0, 99.0, 100.0]);
}

proptest! {
    #[test]
    fn every_measure_lies_between_none_and_all(
        names in proptest::collection::vec("[a-f]{1,2}", 0..30),
        judged in proptest::collection::btree_map("[a-f]{1,2}", 0..4_u8, 0..10)
    ) {
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        let ranking: Ranking =
            unique.iter().enumerate().map(|(i, name)| ((*name).clone(), i as f32)).collect();
        let judged = judged.into_iter().map(|(name, gain)| (name, f64::from(gain))).collect();
        if let Some(scores) = score(&ranking, &judged) {
            prop_assert!(scores.iter().all(|score| (0.0..=1.0 + 1e-9).contains(score)));
        }
    }
}
