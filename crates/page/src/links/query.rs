//! How is the query of a link written in the encoding of its page? As forms are sent: a character that
//! the encoding lacks becomes its number, `&#8224;`, with all that a query could misread
//! percent-encoded.

use encoding_rs::{EncoderResult, Encoding};
use std::borrow::Cow;

/// The query in the encoding; what is left to percent-encode is for the URL parser.
pub(super) fn encode<'t>(encoding: &'static Encoding, text: &'t str) -> Cow<'t, [u8]> {
    let (bytes, _, lacking) = encoding.encode(text);
    if !lacking {
        return bytes;
    }
    let mut encoder = encoding.new_encoder();
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        out.reserve(room.unwrap_or(rest.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(out),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(c) => {
                out.extend_from_slice(format!("%26%23{}%3B", u32::from(c)).as_bytes());
            }
        }
    }
}
