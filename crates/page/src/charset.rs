//! In which encoding are these bytes written? Byte order mark, header, declaration in the page, and
//! only then a guess.

mod prescan;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// ISO-2022-JP switches with this byte and is ASCII otherwise.
const ESCAPE: u8 = 0x1b;
/// How much ASCII before the first other byte the detector reads.
const DETECT_BEFORE: usize = 256;
/// How much of a page the detector reads.
const DETECT_BYTES: usize = 256 * 1024;

/// Chooses the encoding. `html` says whether a declaration inside the page counts; `tld` is the last
/// label of the host, which helps with short texts.
pub(crate) fn choose(
    body: &[u8],
    header: Option<&str>,
    html: bool,
    tld: Option<&str>,
) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    if let Some(encoding) = header.and_then(parameter).and_then(Encoding::for_label) {
        return encoding;
    }
    if html && let Some(encoding) = prescan::prescan(body) {
        return encoding;
    }
    detect(body, tld)
}

/// The text, with malformed sequences replaced; never fails.
pub(crate) fn decode<'b>(body: &'b [u8], encoding: &'static Encoding) -> std::borrow::Cow<'b, str> {
    encoding.decode_with_bom_removal(body).0
}

/// The value of `charset=` in a Content-Type header.
pub(crate) fn parameter(content_type: &str) -> Option<&[u8]> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']).as_bytes())
    })
}

fn detect(body: &[u8], tld: Option<&str>) -> &'static Encoding {
    let ascii = Encoding::ascii_valid_up_to(body);
    let all_ascii = ascii == body.len();
    if all_ascii && !body.contains(&ESCAPE) {
        // Nothing to go by: the answer that browsers give in most places.
        return encoding_rs::WINDOWS_1252;
    }
    // Plain ASCII tells nothing, except where ISO-2022-JP hides in it.
    let start = if all_ascii { 0 } else { ascii.saturating_sub(DETECT_BEFORE) };
    let body = &body[start..body.len().min(start.saturating_add(DETECT_BYTES))];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // A cut inside a character must not speak against UTF-8, so a long text is never "last".
    detector.feed(body, body.len() < DETECT_BYTES);
    // The detector wants the label as DNS writes it: lower-case ASCII without a dot.
    let tld = tld
        .filter(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase()))
        .map(str::as_bytes);
    let guess = detector.guess(tld, Utf8Detection::Allow);
    if all_ascii && guess == UTF_8 { encoding_rs::WINDOWS_1252 } else { guess }
}

#[cfg(test)]
mod tests;
