//! Which words has a folded text? Runs of letters and digits.

use lycosa_knowledge::Bits;
use std::ops::Range;

/// A folded text and what its bytes are.
pub(super) struct Folded<'t> {
    pub(super) text: &'t str,
    /// Letters and digits of ASCII, and whatever is beyond it.
    runs: Bits,
    digits: Bits,
    is_ascii: bool,
}

impl<'t> Folded<'t> {
    pub(super) fn of(text: &'t str) -> Folded<'t> {
        let bytes = text.as_bytes();
        Folded {
            text,
            runs: Bits::of(bytes, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()),
            digits: Bits::of(bytes, |byte| byte.is_ascii_digit()),
            is_ascii: text.is_ascii(),
        }
    }

    /// Hands out the places of its words, as long as the answer is yes.
    #[inline]
    pub(super) fn each(&self, mut take: impl FnMut(Range<usize>) -> bool) {
        for run in self.runs.runs(0..self.text.len()) {
            let is_word = self.is_ascii || self.text.as_bytes()[run.clone()].is_ascii();
            let goes_on = if is_word { take(run) } else { self.each_piece(run, &mut take) };
            if !goes_on {
                return;
            }
        }
    }

    /// The same of a run with something beyond ASCII, which may part words. The last answer.
    fn each_piece(&self, run: Range<usize>, take: &mut impl FnMut(Range<usize>) -> bool) -> bool {
        let Range { start: mut at, end } = run;
        loop {
            let rest = &self.text[at..end];
            let Some(from) = rest.find(char::is_alphanumeric) else { return true };
            let word = &rest[from..];
            let length = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
            at += from + length;
            if !take(at - length..at) {
                return false;
            }
        }
    }

    /// Whether a digit of ASCII is at one of these places.
    #[inline]
    pub(super) fn has_digit(&self, places: Range<usize>) -> bool {
        self.digits.any(places)
    }
}
