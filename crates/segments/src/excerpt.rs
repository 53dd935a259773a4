//! How is a text kept that is part of another one? The main text of a page is nearly always some lines of
//! all its text: their numbers say as much and need no room.

use lycosa_knowledge::lines;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Which lines of `text` make up `part`, counted from 0, in runs; `None` where some line of it is not there, or
/// not in this order.
pub(crate) fn runs(part: &str, text: &str) -> Option<Vec<RangeInclusive<usize>>> {
    let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
    let mut all = lines(text).enumerate();
    for line in lines(part) {
        let (number, _) = all.find(|(_, other)| *other == line)?;
        match runs.last_mut() {
            Some(run) if number == run.end() + 1 => *run = *run.start()..=number,
            _ => runs.push(number..=number),
        }
    }
    Some(runs)
}

/// Runs of lines as they are kept: `from-to` with commas between.
pub(crate) fn written(runs: &[RangeInclusive<usize>]) -> String {
    let mut out = String::new();
    for run in runs {
        let comma = if out.is_empty() { "" } else { "," };
        // Writing into a string does not fail.
        let _ = write!(out, "{comma}{}-{}", run.start(), run.end());
    }
    out
}

/// The lines of a text with these numbers; what cannot be read as one is left out.
pub(crate) fn excerpt(numbers: &str, text: &str) -> String {
    let mut out = String::new();
    let mut all = lines(text).enumerate();
    for run in numbers.split(',') {
        let ends =
            run.split_once('-').map(|(from, to)| (from.parse::<usize>(), to.parse::<usize>()));
        let Some((Ok(from), Ok(to))) = ends else { continue };
        for (number, line) in all.by_ref() {
            if number >= from {
                out.push_str(line);
                out.push('\n');
            }
            if number >= to {
                break;
            }
        }
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(part: &str, text: &str) -> Option<String> {
        runs(part, text).map(|runs| written(&runs))
    }

    #[test]
    fn runs_of_lines_are_told_by_their_ends() {
        let text = "menu\na\nb\n\nad\nc";
        assert_eq!(numbers("a\nb\n\nc", text).as_deref(), Some("1-3,5-5"));
        assert_eq!(excerpt("1-3,5-5", text), "a\nb\n\nc");
        assert_eq!(numbers("b\na", text), None, "in another order");
        assert_eq!(numbers("a b", text), None);
    }

    #[test]
    fn numbers_that_are_none_give_what_can_be_given() {
        assert_eq!(excerpt("", "a\nb"), "");
        assert_eq!(excerpt("x,0-0,7-9,3-1", "a\nb"), "a\nb".split('\n').next().unwrap());
    }

    proptest! {
        #[test]
        fn some_lines_come_back(text in "[abñ\n]{0,30}", keep in proptest::collection::vec(any::<bool>(), 31)) {
            let part: Vec<&str> = text.split('\n').zip(keep).filter(|(_, keep)| *keep).map(|(line, _)| line).collect();
            if !part.is_empty() {
                let part = part.join("\n");
                let numbers = numbers(&part, &text).unwrap();
                prop_assert_eq!(excerpt(&numbers, &text), part);
            }
        }
    }
}
