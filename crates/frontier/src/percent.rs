//! When do two percent-encodings say the same? When they differ in the case of the digits or encode
//! octets that need no encoding.

/// RFC 3986, section 2.3: characters that mean the same with and without percent-encoding.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

/// The octet that a percent-encoded triplet at the start of `text` stands for.
pub(crate) fn triplet(text: &[u8]) -> Option<u8> {
    match text {
        [b'%', high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

/// Appends `%XX` with upper-case digits.
pub(crate) fn push_triplet(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// Upper-case digits, unreserved octets decoded, everything else as it was (RFC 3986, 6.2.2).
///
/// A `%` that begins no triplet is left alone, and an octet is left encoded where decoding it would
/// complete such a `%` to a triplet (`%%34%31` must not become `%41`): so the function is idempotent
/// and never changes what an address means.
pub(crate) fn normalise(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    // Octets of output since a `%` that begins no triplet, counting from 1 for the `%` itself.
    let mut since_stray = usize::MAX;
    let mut at = 0;
    while at < bytes.len() {
        match triplet(&bytes[at..]) {
            Some(octet) => {
                let completes = since_stray <= 2 && octet.is_ascii_hexdigit();
                if is_unreserved(octet) && !completes {
                    out.push(octet);
                    since_stray = since_stray.saturating_add(1);
                } else {
                    push_triplet(&mut out, octet);
                    since_stray = usize::MAX;
                }
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                since_stray = match bytes[at] {
                    b'%' => 1,
                    _ => since_stray.saturating_add(1),
                };
                at += 1;
            }
        }
    }
    // Only ASCII was replaced, and by ASCII, so this cannot fail.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
