//! How are header lines read? Those of WARC records and of HTTP messages alike: line ends CRLF or LF,
//! folded lines joined, lines without a colon left out.

use bytes::Bytes;
use lycosa_model::{Header, Headers};

/// The position behind the first empty line, where the body begins; `None` when there is none.
pub(super) fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut line_start = 0;
    for (i, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' {
            if matches!(&bytes[line_start..i], b"" | b"\r") {
                return Some(i + 1);
            }
            line_start = i + 1;
        }
    }
    None
}

/// The lines, without their ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Reads header lines up to the first empty one.
pub(super) fn headers<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Headers {
    let mut out: Vec<(String, Vec<u8>)> = Vec::new();
    for line in lines {
        if line.is_empty() {
            break;
        }
        if matches!(line[0], b' ' | b'\t') {
            if let Some((_, value)) = out.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let name = String::from_utf8_lossy(line[..colon].trim_ascii()).into_owned();
        if !name.is_empty() {
            out.push((name, line[colon + 1..].trim_ascii().to_vec()));
        }
    }
    let header = |(name, value)| Header { name, value: Bytes::from(value) };
    Headers(out.into_iter().map(header).collect())
}
