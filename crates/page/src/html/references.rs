//! What does `&…;` stand for?

use html5gum::{Token, Tokenizer};
use memchr::memchr;

/// The longest name of a character reference has 32 bytes with its semicolon; what stands further away
/// does not matter.
const MAX_REFERENCE: usize = 64;

/// Appends a text with its character references decoded, by the rules of attributes or of text.
pub(super) fn decode(text: &str, in_attribute: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = one(rest, in_attribute, out);
        rest = &rest[taken..];
    }
    out.push_str(rest);
}

/// Appends what the reference at the beginning of a text stands for and tells how much of the text it
/// takes. What is no reference stands for itself.
fn one(text: &str, in_attribute: bool, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    for (reference, meaning) in USUAL {
        if text.starts_with(reference) {
            out.push(meaning);
            return reference.len();
        }
    }
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric();
    let skip = 1 + usize::from(bytes.get(1) == Some(&b'#'));
    let run = bytes[skip..].iter().take(MAX_REFERENCE).take_while(is_part).count();
    if run == 0 {
        out.push_str(&text[..skip]);
        return skip;
    }
    let mut length = skip + run;
    if bytes.get(length) == Some(&b';') {
        length += 1;
    }
    match in_attribute {
        false => in_text(&text[..length], out),
        true => in_value(text, length, out),
    }
    length
}

/// Those that nearly all references are, without a second spelling that could be meant.
const USUAL: [(&str, char); 6] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&nbsp;", '\u{a0}'),
    ("&#39;", '\''),
];

/// The full table is html5gum's.
fn in_text(reference: &str, out: &mut String) {
    for Ok(token) in Tokenizer::new(reference) {
        if let Token::String(text) = token {
            out.push_str(&String::from_utf8_lossy(&text));
        }
    }
}

/// In attributes `&copy=1` is no reference, so what follows is shown as well.
fn in_value(text: &str, length: usize, out: &mut String) {
    let next = if text.as_bytes().get(length) == Some(&b'=') { "=" } else { "" };
    let tag = format!("<a b=\"{}{next}\">", &text[..length]);
    for Ok(token) in Tokenizer::new(tag.as_str()) {
        if let Token::StartTag(tag) = token
            && let Some(value) = tag.attributes.get(b"b".as_slice())
        {
            let value = String::from_utf8_lossy(value);
            out.push_str(value.strip_suffix(next).unwrap_or(&value));
        }
    }
}
