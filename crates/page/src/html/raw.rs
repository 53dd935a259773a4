//! Where does raw text end? At the end tag of the element that began it; in scripts, unless a comment
//! hides it.

use memchr::{memchr, memchr3};

/// Where `</name` stands, with something behind it that ends a name.
pub(super) fn end(bytes: &[u8], name: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', &bytes[at..])?;
        if is_end_tag(&bytes[at..], name) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether an end tag of this name begins here.
fn is_end_tag(bytes: &[u8], name: &[u8]) -> bool {
    bytes.get(1) == Some(&b'/') && has_word(&bytes[2..], name)
}

/// Whether this word stands here, in any case, and is over: with a space, `/` or `>`.
fn has_word(bytes: &[u8], word: &[u8]) -> bool {
    let ends = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | 0x0c | b'/' | b'>');
    bytes.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        && bytes.get(word.len()).is_some_and(ends)
}

/// How deep in a comment a script is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    No,
    /// After `<!--`.
    Once,
    /// After another `<script` in it: the next end tag only ends that.
    Twice,
}

/// Where the end tag of a script stands, by the standard's script data states.
pub(super) fn script_end(bytes: &[u8], name: &[u8]) -> Option<usize> {
    let mut escape = Escape::No;
    let mut dashes = 0;
    let mut at = 0;
    loop {
        let found = match escape {
            Escape::No => at + memchr(b'<', &bytes[at..])?,
            _ => at + memchr3(b'<', b'-', b'>', &bytes[at..])?,
        };
        if found > at {
            dashes = 0;
        }
        at = found;
        let rest = &bytes[at..];
        match (rest[0], escape) {
            (b'<', Escape::No | Escape::Once) if is_end_tag(rest, name) => return Some(at),
            (b'<', Escape::No) => {
                if rest.starts_with(b"<!--") {
                    escape = Escape::Once;
                    dashes = 2;
                    at += 3;
                }
            }
            (b'<', Escape::Once) => {
                dashes = 0;
                if has_word(&rest[1..], b"script") {
                    escape = Escape::Twice;
                    at += b"script".len() + 1;
                }
            }
            (b'<', Escape::Twice) => {
                dashes = 0;
                if rest.get(1) == Some(&b'/') && has_word(&rest[2..], b"script") {
                    escape = Escape::Once;
                    at += b"/script".len() + 1;
                }
            }
            (b'-', _) => dashes += 1,
            // `>`: after two dashes it ends the comment.
            _ => {
                if dashes >= 2 {
                    escape = Escape::No;
                }
                dashes = 0;
            }
        }
        at += 1;
    }
}
