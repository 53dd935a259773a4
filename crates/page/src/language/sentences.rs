//! Where do the sentences of a text end?

use super::MIN_BYTES;
use lycosa_knowledge::{Bits, lines};
use std::ops::Range;

/// What the bytes of a text are to its sentences.
pub(super) struct Marks {
    /// Letters of ASCII, and whatever is beyond it.
    pub(super) letters: Bits,
    /// Whatever is beyond ASCII.
    pub(super) beyond: Bits,
    /// Marks that end a sentence before white space, and tabs, which do so by themselves.
    ends: Bits,
}

impl Marks {
    pub(super) fn of(text: &str) -> Marks {
        let bytes = text.as_bytes();
        Marks {
            letters: Bits::of(bytes, |byte| byte.is_ascii_alphabetic() || !byte.is_ascii()),
            beyond: Bits::of(bytes, |byte| !byte.is_ascii()),
            ends: Bits::of(bytes, |byte| is_mark(byte) || byte == b'\t'),
        }
    }
}

/// The places of the sentences of a text, line by line. `marks` are its own.
pub(super) fn sentences<'t>(
    text: &'t str,
    marks: &'t Marks,
) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let mut next = 0;
    lines(text).flat_map(move |line| {
        let begun = line.trim_start();
        let from = next + line.len() - begun.len();
        next += line.len() + 1;
        let to = from + begun.trim_end().len();
        let is_ascii = !marks.beyond.any(from..to);
        Sentences { text, marks, from, to, is_ascii }
    })
}

/// Cuts a line where a sentence ends: at a full stop, question or exclamation mark before white space,
/// and after the full stops of East Asia. Pieces too short to ask stay with what follows.
pub(super) struct Sentences<'t> {
    pub(super) text: &'t str,
    pub(super) marks: &'t Marks,
    /// What is left of the line.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Nothing beyond ASCII is in the line.
    pub(super) is_ascii: bool,
}

impl Sentences<'_> {
    /// The next sentence, which ends at `end`.
    fn cut(&mut self, end: usize) -> Range<usize> {
        let from = self.from;
        let rest = &self.text[end..self.to];
        self.from = self.to - rest.trim_start().len();
        from..end
    }

    /// Where the first sentence of a line of ASCII ends: from mark to mark, of which there are few.
    fn end_in_ascii(&self) -> usize {
        let bytes = &self.text.as_bytes()[..self.to];
        let mut at = self.from;
        loop {
            at = self.marks.ends.next(at..self.to);
            let Some(mark) = bytes.get(at) else { return at };
            if *mark != b'\t' {
                while bytes.get(at).is_some_and(|byte| is_mark(*byte) || is_quote(*byte)) {
                    at += 1;
                }
            }
            if at - self.from >= MIN_BYTES && bytes.get(at).is_some_and(|byte| is_space(*byte)) {
                return at;
            }
            at += usize::from(*mark == b'\t');
        }
    }

    /// Where the first sentence of any line ends.
    fn end(&self) -> usize {
        let mut ended = false;
        for (at, c) in self.text[self.from..self.to].char_indices() {
            if at >= MIN_BYTES && ((ended && c.is_whitespace()) || c == '\t') {
                return self.from + at;
            }
            if matches!(c, '。' | '！' | '？') && at >= MIN_BYTES {
                return self.from + at + c.len_utf8();
            }
            ended = matches!(c, '.' | '!' | '?' | '…' | ':' | ';' | '।' | '؟')
                || (ended && matches!(c, '"' | '\'' | ')' | '”' | '»' | '’'));
        }
        self.to
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'.' | b'!' | b'?' | b':' | b';')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b')')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.from >= self.to {
            return None;
        }
        let end = if self.is_ascii { self.end_in_ascii() } else { self.end() };
        Some(self.cut(end))
    }
}
