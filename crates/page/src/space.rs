//! How is white space folded? Every run of it becomes one space.
//!
//! Most text has single spaces already, so it is copied in pieces as long as there is nothing to fold.

use crate::facts::is_html_space;

/// What a byte is to a kind of white space.
type Kinds = [u8; 256];

const TEXT: u8 = 0;
/// A space. Behind text, it and text together are no more than this.
const SPACE: u8 = 1;
/// Other white space of one byte.
const OTHER: u8 = 2;
/// White space may begin here that has more bytes.
const WIDE: u8 = 3;

/// What HTML says, and the space that does not break.
const HTML: Kinds = kinds(b"\t\n\x0c\r", &[0xc2]);
/// What Unicode says.
const UNICODE: Kinds = kinds(b"\t\n\x0b\x0c\r", &[0xc2, 0xe1, 0xe2, 0xe3]);

const fn kinds(others: &[u8], wide: &[u8]) -> Kinds {
    let mut kinds = [TEXT; 256];
    kinds[b' ' as usize] = SPACE;
    let mut at = 0;
    while at < others.len() {
        kinds[others[at] as usize] = OTHER;
        at += 1;
    }
    at = 0;
    while at < wide.len() {
        kinds[wide[at] as usize] = WIDE;
        at += 1;
    }
    kinds
}

/// Appends a text with every run of white space, as HTML has it, as one space; leaves off what would make
/// `out` longer than `limit`. A space at the beginning or end stays one, because it parts words across
/// elements.
pub(crate) fn fold_space(text: &str, out: &mut String, limit: usize) {
    let room = limit.saturating_sub(out.len());
    if room == 0 {
        return;
    }
    if text.len() <= room {
        return fold(text, out, false, &HTML, is_html_space);
    }
    let mut folded = String::new();
    fold(text, &mut folded, false, &HTML, is_html_space);
    out.push_str(&folded[..folded.floor_char_boundary(room)]);
}

/// The words of a text, as Unicode parts them, with one space between each two.
pub(crate) fn one_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold(text, &mut out, true, &UNICODE, char::is_whitespace);
    if out.ends_with(' ') {
        out.pop();
    }
    out
}

/// Appends a text with folded white space. None is written at the beginning when it stands behind a space.
fn fold(
    text: &str,
    out: &mut String,
    behind_space: bool,
    kinds: &Kinds,
    is_space: impl Fn(char) -> bool,
) {
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    let mut before = if behind_space { SPACE } else { TEXT };
    loop {
        // Words with one space between them stay as they are; nothing here depends on where they end.
        while let Some(kind) = bytes.get(at).map(|byte| kinds[usize::from(*byte)])
            && before + kind <= SPACE
        {
            before = kind;
            at += 1;
        }
        let Some(byte) = bytes.get(at) else { break };
        let length = if kinds[usize::from(*byte)] == WIDE {
            let Some(c) = text[at..].chars().next() else { break };
            if !is_space(c) {
                before = TEXT;
                at += c.len_utf8();
                continue;
            }
            c.len_utf8()
        } else {
            1
        };
        out.push_str(&text[copied..at]);
        if before != SPACE {
            out.push(' ');
            before = SPACE;
        }
        at += length;
        copied = at;
    }
    out.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folded(text: &str, limit: usize) -> String {
        let mut out = "a".to_owned();
        fold_space(text, &mut out, limit);
        out
    }

    #[test]
    fn a_run_is_one_space_and_the_ends_keep_theirs() {
        assert_eq!(folded(" b \n\u{a0}\tc  ", 99), "a b c ");
        assert_eq!(folded("b\u{2003} c", 99), "ab\u{2003} c", "other spaces are meant");
        assert_eq!(folded("", 99), "a");
    }

    #[test]
    fn what_is_too_long_is_cut_between_letters() {
        assert_eq!(folded("b  ñu", 4), "ab ");
        assert_eq!(folded("b  ñu", 5), "ab ñ");
        assert_eq!(folded("bc", 1), "a");
        assert_eq!(folded("bc", 0), "a");
    }

    proptest! {
        #[test]
        fn white_space_is_folded_as_unicode_has_it(text in "([ab \t\n\u{b}\u{1c}]|é|\u{a0}|\u{2003}|\u{3000}|\u{85}|—){0,24}") {
            let words: Vec<&str> = text.split_whitespace().collect();
            prop_assert_eq!(one_space(&text), words.join(" "));
        }

        #[test]
        fn white_space_is_folded_as_html_has_it(text in "([ab \t\n\u{c}]|é|\u{a0}|Â|\u{2003}){0,24}") {
            let words: Vec<&str> = text.split(is_html_space).filter(|word| !word.is_empty()).collect();
            let out = folded(&text, usize::MAX);
            prop_assert_eq!(out[1..].trim_matches(' '), words.join(" "));
            let starts = text.starts_with(is_html_space);
            prop_assert_eq!(out[1..].starts_with(' '), starts);
            prop_assert_eq!(out[1..].ends_with(' '), text.ends_with(is_html_space));
        }
    }
}
