use super::words::Folded;
use super::{Shingles, Votes, hash_at, hash_of, of_text, quick_hash};
use lycosa_knowledge::fold;
use proptest::prelude::*;
use std::collections::HashSet;

/// A text of some hundred words that are not all alike, from a seed.
fn prose(seed: u64, words: usize) -> Vec<String> {
    let mut state = seed;
    (0..words)
        .map(|_| {
            state = super::mix(state.wrapping_add(super::SHINGLE_SEED));
            // Common words are common, as in any language.
            let rank = (state % 1000).min(state / 1000 % 1000).min(state / 1_000_000 % 1000);
            format!("w{rank}x")
        })
        .collect()
}

fn simhash(text: &str) -> u64 {
    let mut shingles = Shingles::default();
    let text = fold(text);
    Folded::of(&text).each(|places| {
        shingles.add(hash_of(&text[places]));
        true
    });
    shingles.votes.majority()
}

fn distance(a: &str, b: &str) -> u32 {
    (simhash(a) ^ simhash(b)).count_ones()
}

#[test]
fn the_digest_sees_words_and_not_white_space() {
    assert_eq!(of_text("a b\n\tc"), of_text(" a  b c "));
    assert_ne!(of_text("a b c"), of_text("ab c"));
    assert_eq!(of_text("").len(), 32);
}

#[test]
fn one_changed_word_in_a_few_hundred_stays_within_three_bits() {
    let mut near = 0;
    for seed in 0..500 {
        let mut words = prose(seed, 400);
        let before = words.join(" ");
        words[(seed as usize * 37) % 400] = "something-else".to_owned();
        near += u32::from(distance(&before, &words.join(" ")) <= 3);
    }
    assert!(near >= 400, "only {near} of 500 near-duplicates are near");
}

#[test]
fn other_texts_are_far() {
    for seed in 0..100 {
        let (a, b) = (prose(seed, 400).join(" "), prose(seed + 1000, 400).join(" "));
        assert!(distance(&a, &b) > 6, "{seed}: {}", distance(&a, &b));
    }
}

#[test]
fn case_and_accents_do_not_count() {
    assert_eq!(simhash("El NIÑO comió"), simhash("el nino comio"));
    assert_eq!(simhash(""), 0);
    assert_ne!(simhash("one"), 0);
}

#[test]
fn short_texts_have_hashes_of_their_own() {
    let letters = ["", "a", "b", "é", "ab", "ba"];
    let mut texts = HashSet::new();
    for length in 0..4_u32 {
        for number in 0..6_usize.pow(length) {
            let at = |place| letters[number / 6_usize.pow(place) % 6];
            texts.insert((0..length).map(at).collect::<String>());
        }
    }
    let long = (1..40).map(|length| "x".repeat(length));
    texts.extend(long);
    let hashes: HashSet<u64> = texts.iter().map(|text| quick_hash(text.as_bytes())).collect();
    assert_eq!(hashes.len(), texts.len());
}

proptest! {
    #[test]
    fn words_are_runs_of_letters_and_digits(text in "([ab01 .\n-]|é|中|\u{301}|½|[a-d]{5,12}){0,40}") {
        let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
        let folded = Folded::of(&text);
        let mut words: Vec<std::ops::Range<usize>> = Vec::new();
        folded.each(|places| {
            words.push(places);
            true
        });
        let texts: Vec<&str> = words.iter().map(|places| &text[places.clone()]).collect();
        prop_assert_eq!(&texts, &runs.collect::<Vec<_>>());
        for (word, places) in texts.iter().zip(words) {
            let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
            prop_assert_eq!(folded.has_digit(places.clone()), has_digit);
            prop_assert_eq!(hash_at(&text, places), hash_of(word));
        }
    }
}

proptest! {
    #[test]
    fn votes_are_counted_one_by_one(hashes in proptest::collection::vec(any::<u64>(), 0..70), same in 0..40_usize) {
        let mut votes = Votes::default();
        let hashes: Vec<u64> = hashes.iter().copied().chain(vec![7; same]).collect();
        hashes.iter().for_each(|hash| votes.add(*hash));
        let majority = votes.majority();
        for bit in 0..64 {
            let ones = hashes.iter().filter(|hash| *hash >> bit & 1 == 1).count();
            prop_assert_eq!(majority >> bit & 1 == 1, ones * 2 > hashes.len(), "bit {}", bit);
        }
    }
}
