//! Where does a word begin and end?

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
    /// The next run between word boundaries that has a letter or digit in it, and whether it is nothing
    /// but letters and digits of ASCII.
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
        let letters = bytes[from..].iter().take_while(|byte| kind(**byte) == Kind::Letter);
        let to = from + letters.count();
        if to > from && ends_here(&bytes[to..]) {
            self.at = to;
            return Some((from, &self.text[from..to], true));
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
            b'_' => Kind::Other,
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
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether a run of ASCII letters and digits is over before this. A mark that can join two halves joins
/// none when no half follows.
fn ends_here(rest: &[u8]) -> bool {
    match rest.first().map(|byte| kind(*byte)) {
        None | Some(Kind::Apart) => true,
        Some(Kind::Joint) => rest.len() == 1 || apart(&rest[1..]) > 0,
        _ => apart(rest) > 0,
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
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn runs_are_cut_where_unicode_says(text in "([a-b0-1 .:',;_\"\n()-]|é|\u{301}|\u{200d}|ﬁ|א|中|カ|·|’|\u{a0}|«|»|—|“|”|…|†|․|\u{2027}){0,24}") {
            let mut words = word_indices(&text);
            let runs = std::iter::from_fn(|| words.run());
            let ours: Vec<_> = runs.map(|(at, run, _)| (at, run)).collect();
            prop_assert_eq!(ours, text.unicode_word_indices().collect::<Vec<_>>());
        }
    }
}
