//! Was it meant otherwise? A word that no page has, and one that many have, one slip of the finger apart.

use crate::parse::Word;

/// Unknown words of one query that are looked at.
const MAX_UNKNOWN: usize = 3;
/// Letters of the shortest and of the longest word that is corrected.
const CORRECTED: std::ops::RangeInclusive<usize> = 4..=24;

/// The query with its unknown words replaced by the best known ones; `None` when there is nothing to
/// replace. `pages` says how many pages have a word in folded form.
pub(crate) fn suggest<E>(
    query: &str,
    words: &[&Word],
    fold: impl Fn(&str) -> String,
    mut pages: impl FnMut(&str) -> Result<u64, E>,
) -> Result<Option<String>, E> {
    let mut out = query.to_owned();
    let mut changed = false;
    let mut unknown = 0;
    // From the end, so that earlier places stay right.
    for word in words.iter().rev().filter(|word| query.get(word.at.clone()).is_some()) {
        let folded = fold(&word.text);
        if pages(&folded)? > 0 {
            continue;
        }
        unknown += 1;
        if unknown > MAX_UNKNOWN {
            return Ok(None);
        }
        let mut best: Option<(u64, String)> = None;
        for candidate in neighbours(&folded) {
            let count = pages(&candidate)?;
            let better = match &best {
                None => count > 0,
                Some((most, chosen)) => {
                    (count, std::cmp::Reverse(&candidate)) > (*most, std::cmp::Reverse(chosen))
                }
            };
            if better {
                best = Some((count, candidate));
            }
        }
        if let Some((_, chosen)) = best {
            out.replace_range(word.at.clone(), &chosen);
            changed = true;
        }
    }
    Ok(changed.then_some(out))
}

/// Every word that differs by one letter added, lost, replaced or swapped with its neighbour.
fn neighbours(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if !CORRECTED.contains(&letters.len()) {
        return Vec::new();
    }
    let alphabet = alphabet(letters[0]);
    let joined = |before: &[char], middle: Option<char>, after: &[char]| -> String {
        before.iter().copied().chain(middle).chain(after.iter().copied()).collect()
    };
    let mut out = Vec::new();
    for i in 0..=letters.len() {
        let (before, after) = letters.split_at(i);
        out.extend(alphabet.clone().map(|c| joined(before, Some(c), after)));
        let Some((letter, rest)) = after.split_first() else {
            continue;
        };
        out.push(joined(before, None, rest));
        let others = alphabet.clone().filter(|c| c != letter);
        out.extend(others.map(|c| joined(before, Some(c), rest)));
        if let Some((next, rest)) = rest.split_first() {
            let mut swapped = joined(before, Some(*next), &[*letter]);
            swapped.extend(rest);
            out.push(swapped);
        }
    }
    out
}

/// The letters of the script that a letter belongs to; none for scripts without an alphabet.
fn alphabet(letter: char) -> std::ops::RangeInclusive<char> {
    match letter {
        'a'..='z' => 'a'..='z',
        'α'..='ω' => 'α'..='ω',
        'а'..='я' => 'а'..='я',
        'א'..='ת' => 'א'..='ת',
        _ => '\u{1}'..='\u{0}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    fn ask(query: &str, known: &[(&str, u64)]) -> Option<String> {
        let known: BTreeMap<&str, u64> = known.iter().copied().collect();
        let asked = crate::parse::parse(query);
        let pages = |word: &str| Ok::<u64, Infallible>(known.get(word).copied().unwrap_or(0));
        suggest(query, &asked.wanted(), lycosa_knowledge::fold, pages).unwrap()
    }

    #[test]
    fn one_slip_of_the_finger_is_corrected() {
        let known = [("football", 9), ("world", 5), ("cancion", 2)];
        for slip in ["fotball", "foootball", "footbal", "foofball", "footabll"] {
            assert_eq!(ask(&format!("world {slip}"), &known).as_deref(), Some("world football"));
        }
        assert_eq!(ask("site:a.test Cancoin!", &known).as_deref(), Some("site:a.test cancion!"));
    }

    #[test]
    fn the_more_frequent_word_is_meant() {
        assert_eq!(ask("hause", &[("house", 9), ("cause", 3)]).as_deref(), Some("house"));
        assert_eq!(ask("hause", &[("house", 3), ("cause", 3)]).as_deref(), Some("cause"));
    }

    #[test]
    fn known_words_short_words_and_strange_words_are_left() {
        assert_eq!(ask("world", &[("world", 1), ("words", 99)]), None);
        assert_eq!(ask("cot", &[("cat", 9)]), None);
        assert_eq!(ask("qqqqqqq 中中中中中", &[("world", 1)]), None);
    }
}
