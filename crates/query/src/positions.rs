//! Where in a text do the words of a question stand? A count for each of a few equal parts of it.

use lycosa_model::Hit;
use std::ops::Range;

/// Bytes of one part that are looked at where a text is so long that not all of it is.
const WINDOW: usize = 2 << 10;

/// Counts of words by where in a text they stand.
pub(crate) struct Positions {
    cells: [u8; Hit::CELLS],
    length: usize,
}

impl Positions {
    /// Nothing counted yet of a text of so many bytes.
    pub(crate) fn new(length: usize) -> Positions {
        Positions { cells: [0; Hit::CELLS], length: length.max(1) }
    }

    /// Counts a word that begins at this byte.
    pub(crate) fn add(&mut self, at: usize) {
        if let Some(cell) = self.cells.get_mut(at * Hit::CELLS / self.length) {
            *cell = cell.saturating_add(1);
        }
    }

    /// The beginnings of those parts of a text that do not end within its first `known` bytes, without words that
    /// are cut. Together they are shorter than `CELLS` windows, however long the text is.
    pub(crate) fn windows(text: &str, known: usize) -> impl Iterator<Item = Range<usize>> {
        let part = |number: usize| number * text.len() / Hit::CELLS;
        (0..Hit::CELLS).filter_map(move |number| {
            let (start, end) = (part(number).max(known), part(number + 1));
            if end <= known {
                return None;
            }
            let start = text.ceil_char_boundary(start);
            let end = text.floor_char_boundary(end.min(start + WINDOW)).max(start);
            let window = &text[start..end];
            let first = window.find(char::is_whitespace).unwrap_or(0);
            let last = window.rfind(char::is_whitespace).unwrap_or(window.len());
            (first < last).then(|| start + first..start + last)
        })
    }

    /// The counts; nothing when nothing was counted.
    pub(crate) fn counts(&self) -> Vec<u8> {
        match self.cells.iter().any(|count| *count > 0) {
            true => self.cells.to_vec(),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_word_counts_where_it_begins() {
        let mut positions = Positions::new(64);
        assert!(positions.counts().is_empty());
        [0, 1, 2, 63].into_iter().for_each(|at| positions.add(at));
        (0..300).for_each(|_| positions.add(32));
        let counts = positions.counts();
        assert_eq!((counts[0], counts[1], counts[16], counts[31]), (2, 1, 255, 1));
        assert_eq!(counts.len(), Hit::CELLS);
        positions.add(64);
        positions.add(usize::MAX / Hit::CELLS);
        assert_eq!(positions.counts(), counts, "what stands behind the end is not counted");
    }

    proptest! {
        #[test]
        fn windows_are_short_and_whole_words(
            text in "([a-zñ中🕷]{1,12} ?){0,200}", times in 1..60_usize, known in 0..5_000_usize,
        ) {
            let text = text.repeat(times);
            let known = text.floor_char_boundary(known);
            let mut sum = 0;
            for window in Positions::windows(&text, known) {
                prop_assert!(window.start >= known && window.end <= text.len());
                let read = &text[window.clone()];
                prop_assert!(!read.is_empty());
                sum += read.len();
            }
            prop_assert!(sum <= Hit::CELLS * WINDOW);
        }
    }
}
