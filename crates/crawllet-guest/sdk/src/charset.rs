//! Which characters do the bytes of a page mean?
//!
//! UTF-8 and windows-1252 are decoded. Every other encoding that has ASCII in its place (nearly all) is
//! read as windows-1252: its links come out right, since what is not ASCII in a query is written back
//! as it was; its words do not.

use std::borrow::Cow;

/// How far into a page its own declaration is looked for.
const PRESCAN: usize = 1024;

/// An encoding other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// windows-1252, or what is read as if it were.
    Windows1252,
}

/// A text, and how queries of its links are encoded when not as UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'b> {
    /// The text.
    pub text: Cow<'b, str>,
    /// The encoding of queries; `None` for UTF-8.
    pub query: Option<Charset>,
}

/// What 0x80 to 0x9f stand for.
const HIGH: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039,
    0x152, 0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc,
    0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
];

/// The character of a byte in windows-1252.
pub fn character(byte: u8) -> char {
    match byte {
        0x80..=0x9f => {
            let code = u32::from(HIGH[usize::from(byte - 0x80)]);
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from(byte),
    }
}

/// The byte of a character in windows-1252.
pub fn byte(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0..=0x7f | 0xa0..=0xff) => Some(code as u8),
        code => {
            let place = HIGH.iter().position(|high| u32::from(*high) == code)?;
            Some(0x80 + place as u8)
        }
    }
}

/// Decodes a page: by its byte order mark, its header, its own declaration, or its looks.
pub fn decode<'b>(body: &'b [u8], content_type: Option<&str>) -> Text<'b> {
    if let Some(rest) = body.strip_prefix(b"\xef\xbb\xbf") {
        return Text { text: String::from_utf8_lossy(rest), query: None };
    }
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return Text { text: Cow::Owned(utf16(body)), query: None };
    }
    let head = &body[..body.len().min(PRESCAN)];
    let declared = content_type
        .and_then(|value| after_charset(value.as_bytes()))
        .or_else(|| after_charset(head));
    let valid = std::str::from_utf8(body);
    match (declared.map(is_utf8).unwrap_or(valid.is_ok()), valid) {
        (true, Ok(text)) => Text { text: Cow::Borrowed(text), query: None },
        (true, Err(_)) => Text { text: String::from_utf8_lossy(body), query: None },
        (false, _) => {
            let text = body.iter().map(|byte| character(*byte)).collect();
            Text { text: Cow::Owned(text), query: Some(Charset::Windows1252) }
        }
    }
}

/// Whether a label means UTF-8. A page that says UTF-16 in ASCII letters is not in it.
fn is_utf8(label: &[u8]) -> bool {
    ["utf-8", "utf8", "unicode-1-1-utf-8", "utf-16", "utf-16le", "utf-16be", "x-user-defined"]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known.as_bytes()))
}

/// The label after the first `charset=`, with or without quotes, or `encoding=` of an XML declaration.
fn after_charset(bytes: &[u8]) -> Option<&[u8]> {
    let at = find(bytes, b"charset").map(|at| at + 7).or_else(|| {
        let is_xml = bytes.starts_with(b"<?xml");
        find(bytes, b"encoding").filter(|_| is_xml).map(|at| at + 8)
    })?;
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let skip_space = |bytes: &'_ [u8]| bytes.iter().take_while(|byte| is_space(byte)).count();
    let rest = &bytes[at..];
    let rest = rest[skip_space(rest)..].strip_prefix(b"=")?;
    let rest = &rest[skip_space(rest)..];
    let rest = match rest.first() {
        Some(b'"' | b'\'') => &rest[1..],
        _ => rest,
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte);
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    Some(&rest[..length]).filter(|label| !label.is_empty())
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    let is_word = |window: &[u8]| {
        window[0].to_ascii_lowercase() == first && window.eq_ignore_ascii_case(word)
    };
    bytes.windows(word.len()).position(is_word)
}

fn utf16(body: &[u8]) -> String {
    let is_little = body.starts_with(b"\xff\xfe");
    let units = body[2..].chunks_exact(2).map(|pair| match is_little {
        true => u16::from_le_bytes([pair[0], pair[1]]),
        false => u16::from_be_bytes([pair[0], pair[1]]),
    });
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
