//! Where does a word begin and end?

use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};

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
    Words { runs: text.unicode_word_indices(), offset: 0, rest: "" }
}

/// Iterator of [`word_indices`].
pub struct Words<'a> {
    runs: UnicodeWordIndices<'a>,
    offset: usize,
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        loop {
            if self.rest.is_empty() {
                (self.offset, self.rest) = self.runs.next()?;
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
    if bytes.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
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
