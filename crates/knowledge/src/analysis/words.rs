//! Where does a word begin and end?

use crate::Bits;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of the longest word. Longer runs of letters are not words that anybody searches for.
pub const MAX_WORD: usize = 64;

/// The words of a text, by Unicode's word boundaries. A word is also cut at apostrophes, colons,
/// underscores and full stops between letters, so that `l'homme`, `snake_case` and `example.com` are
/// found by their parts; a decimal number stays whole. Words without a letter or digit and words longer
/// than [`MAX_WORD`] are left out.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    word_indices(text).map(|(_, word)| word)
}

/// The words of a text (see [`words`]), each with the byte offset where it begins.
pub fn word_indices(text: &str) -> Words<'_> {
    Words { text, at: 0, offset: 0, rest: "" }
}

/// A text of which the words of many parts are wanted: what its bytes are is found out once, for many at
/// a time.
pub(super) struct Cut<'t> {
    pub(super) text: &'t str,
    letters: Bits,
    /// Whatever is beyond ASCII: where words cannot be told by letters alone.
    odd: Bits,
}

impl<'t> Cut<'t> {
    pub(super) fn of(text: &'t str) -> Cut<'t> {
        let bytes = text.as_bytes();
        Cut {
            text,
            letters: Bits::of(bytes, |byte| byte.is_ascii_alphanumeric()),
            odd: Bits::of(bytes, |byte| !byte.is_ascii()),
        }
    }

    /// Hands out the places of the words of a part, which are those that [`word_indices`] has of the part
    /// alone.
    #[inline]
    pub(super) fn each(&self, part: Range<usize>, mut take: impl FnMut(Range<usize>)) {
        let text = &self.text[..part.end];
        let bytes = text.as_bytes();
        let mut at = part.start;
        while at < part.end {
            let odd = self.odd.next(at..part.end);
            let mut is_plain = odd == part.end;
            for run in self.letters.runs(at..odd) {
                // Only a joint may keep it from ending here; what is odd may stand behind that, too. Words
                // that a low line joins are parted there again.
                let next = bytes.get(run.end).map(|byte| kind(*byte));
                let is_over = match next {
                    None | Some(Kind::Apart | Kind::Low) => true,
                    Some(Kind::Joint) => ends_here(bytes[run.end - 1], &bytes[run.end..]),
                    Some(_) => false,
                };
                if !is_over {
                    is_plain = false;
                    break;
                }
                at = run.end;
                if run.len() <= MAX_WORD {
                    take(run);
                }
            }
            if is_plain {
                return;
            }
            // Whatever stands there now.
            let mut slow = Words { text, at, offset: 0, rest: "" };
            loop {
                let Some((offset, word)) = slow.next() else { return };
                take(offset..offset + word.len());
                if slow.rest.is_empty() {
                    break;
                }
            }
            at = slow.at;
        }
    }
}

/// Iterator of [`word_indices`].
pub struct Words<'a> {
    text: &'a str,
    /// How far the text has been cut; always a word boundary.
    at: usize,
    offset: usize,
    /// What is left of the present run.
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The next run of which words are cut, and whether it is a word itself: nothing but letters and digits
    /// of ASCII. Runs end at Unicode's word boundaries, and at joints that part words anyway.
    fn run(&mut self) -> Option<(usize, &'a str, bool)> {
        let bytes = self.text.as_bytes();
        // What Unicode's rules say of ASCII is plain to see, and nearly all there is.
        loop {
            match apart(&bytes[self.at..]) {
                0 => break,
                length => self.at += length,
            }
        }
        let from = self.at;
        let mut to = from;
        let mut is_word = true;
        while let Some(kind) = bytes.get(to).map(|byte| kind(*byte)) {
            match kind {
                Kind::Letter => {}
                Kind::Low => is_word = false,
                _ => break,
            }
            to += 1;
        }
        if to > from && ends_here(bytes[to - 1], &bytes[to..]) {
            self.at = to;
            return Some((from, &self.text[from..to], is_word));
        }
        let mut runs = self.text[from..].split_word_bound_indices();
        let (skipped, run) = runs.find(|(_, run)| run.chars().any(char::is_alphanumeric))?;
        self.at = from + skipped + run.len();
        Some((from + skipped, run, false))
    }
}

/// What a byte is to the words around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A letter or digit of ASCII.
    Letter,
    /// ASCII that is part of no word, whatever stands beside it.
    Apart,
    /// The same, but it joins two halves of a word between them.
    Joint,
    /// The low line, which joins whatever it touches.
    Low,
    /// The first byte of quotes and dashes of books, and of much else.
    Book,
    /// Anything else.
    Other,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'_' => Kind::Low,
            b'.' | b':' | b'\'' | b',' | b';' => Kind::Joint,
            _ if byte.is_ascii_alphanumeric() => Kind::Letter,
            _ => Kind::Apart,
        };
        byte += 1;
    }
    kinds[0xc2] = Kind::Book;
    kinds[0xe2] = Kind::Book;
    kinds
};

fn kind(byte: u8) -> Kind {
    KINDS[usize::from(byte)]
}

/// Length of what stands here if it is part of no word, whatever stands beside it, else 0: the quotes and
/// dashes of books beside ASCII, and the space that keeps words together.
fn apart(rest: &[u8]) -> usize {
    match rest.first().map(|byte| kind(*byte)) {
        Some(Kind::Apart | Kind::Joint) => 1,
        Some(Kind::Book) => match rest {
            [0xc2, 0xa0 | 0xab | 0xbb, ..] => 2,
            [0xe2, 0x80, 0x90..=0x97 | 0x9a..=0xa3 | 0xa5..=0xa6, ..] => 3,
            // An apostrophe, behind which nothing of ASCII belongs to it.
            [0xe2, 0x80, 0x99] => 3,
            [0xe2, 0x80, 0x99, next, ..] if next.is_ascii() => 3,
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether a run of ASCII is over behind its last byte. A mark that can join two halves joins none when no
/// half follows; two halves that it does join are parted there again (see [`cut`]), but for numbers.
fn ends_here(last: u8, rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [mark, rest @ ..] if kind(*mark) == Kind::Joint => match rest {
            [] => true,
            [next, ..] if next.is_ascii_digit() => {
                !(last.is_ascii_digit() && matches!(mark, b'.' | b',' | b';'))
            }
            [next, ..] => next.is_ascii() || apart(rest) > 0,
        },
        rest => apart(rest) > 0,
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        loop {
            if self.rest.is_empty() {
                let (offset, run, is_plain) = self.run()?;
                if is_plain && run.len() <= MAX_WORD {
                    return Some((offset, run));
                }
                (self.offset, self.rest) = (offset, run);
            }
            let (offset, word) = (self.offset, self.rest);
            let cut = cut(word).unwrap_or((word.len(), word.len()));
            self.offset += cut.1;
            self.rest = &word[cut.1..];
            let word = &word[..cut.0];
            if word.len() <= MAX_WORD && word.chars().any(char::is_alphanumeric) {
                return Some((offset, word));
            }
        }
    }
}

/// The first joint inside a run: where it begins and where it ends.
fn cut(run: &str) -> Option<(usize, usize)> {
    let bytes = run.as_bytes();
    let joint = |c: char| matches!(c, '\'' | '’' | '＇' | '.' | ':' | '_' | '·');
    for (at, c) in run.char_indices().filter(|(_, c)| joint(*c)) {
        let end = at + c.len_utf8();
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let digits = before.is_some_and(|b| b.is_ascii_digit())
            && bytes.get(end).is_some_and(u8::is_ascii_digit);
        if !(digits && c == '.') {
            return Some((at, end));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn words_are_those_of_unicode_cut_at_joints(text in "([a-b0-1 .:',;_\"\n()-]|é|\u{301}|\u{200d}|ﬁ|א|中|カ|·|’|‘|\u{a0}|«|»|—|“|”|…|†|․|\u{2027}){0,24}") {
            let mut expected = Vec::new();
            for (mut offset, mut run) in text.unicode_word_indices() {
                while !run.is_empty() {
                    let (end, next) = cut(run).unwrap_or((run.len(), run.len()));
                    if run[..end].chars().any(char::is_alphanumeric) {
                        expected.push((offset, &run[..end]));
                    }
                    (offset, run) = (offset + next, &run[next..]);
                }
            }
            prop_assert_eq!(word_indices(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn words_of_a_part_are_those_of_the_part_alone(
            before in "[ab .]{0,70}",
            text in "([a-b0-1 .:',;_\"\n()-]|[a-c]{30,70}|é|\u{301}|\u{200d}|ﬁ|א|中|カ|·|’|\u{a0}|—){0,24}",
            after in "[ab .é_]{0,3}",
        ) {
            let all = format!("{before}{text}{after}");
            let cut = Cut::of(&all);
            let part = before.len()..before.len() + text.len();
            let mut words: Vec<&str> = Vec::new();
            cut.each(part, |places| words.push(&all[places]));
            let expected: Vec<&str> = super::words(&text).collect();
            prop_assert_eq!(words, expected);
        }
    }
}
