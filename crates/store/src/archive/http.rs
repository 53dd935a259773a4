//! What did the site answer? Reads the HTTP response that stands in a record.

use super::head;
use bytes::Bytes;
use lycosa_model::Headers;

/// A response as it stands in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// `1.0`, `1.1`, `2`, or whatever the record says.
    pub version: String,
    /// Headers as stored.
    pub headers: Headers,
    /// Body with the transfer coding undone and the content coding still on.
    pub body: Bytes,
}

/// Why a block is no HTTP response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// Nothing is there.
    #[error("the record is empty")]
    Empty,
    /// The first line is no status line.
    #[error("the record does not begin with an HTTP status line")]
    NoStatusLine,
}

/// Reads the block of a response record. Line ends may be CRLF or LF, headers may be folded. A chunked
/// body is decoded when the header says chunked and the body really is; many archives keep the header of
/// a body whose chunks are gone.
pub fn parse_response(block: &Bytes) -> Result<Response, HttpError> {
    if block.is_empty() {
        return Err(HttpError::Empty);
    }
    let end = head::head_end(block).unwrap_or(block.len());
    let mut lines = head::lines(&block[..end]);
    let (version, status) = lines.next().and_then(status_line).ok_or(HttpError::NoStatusLine)?;
    let headers = head::headers(lines);
    let body = block.slice(end..);
    let chunked = headers
        .all("transfer-encoding")
        .any(|value| value.to_ascii_lowercase().contains("chunked"));
    let body = match chunked.then(|| dechunk(&body)).flatten() {
        Some(whole) => whole,
        None => body,
    };
    Ok(Response { status, version, headers, body })
}

/// The status of a response, from the beginning of its record.
pub(super) fn status_of(block: &[u8]) -> Option<u16> {
    head::lines(block).next().and_then(status_line).map(|(_, status)| status)
}

fn status_line(line: &[u8]) -> Option<(String, u16)> {
    let line = std::str::from_utf8(line.get(..line.len().min(16))?).ok()?;
    let mut words = line.split_ascii_whitespace();
    let version = words.next()?.strip_prefix("HTTP/")?;
    let status: u16 = words.next()?.parse().ok()?;
    (100..=999).contains(&status).then(|| (version.to_owned(), status))
}

/// Undoes chunked coding. `None` when the bytes are not chunked. A body that ends early keeps what it
/// has.
pub(super) fn dechunk(body: &[u8]) -> Option<Bytes> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let line_end = match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => at,
            // Cut between two chunks; but the first line must be there.
            None if rest.len() < 20 && !out.is_empty() => return Some(out.into()),
            None => return None,
        };
        let line = rest[..line_end].trim_ascii();
        let size = line.split(|byte| *byte == b';').next()?.trim_ascii();
        if size.is_empty() || size.len() > 15 {
            return None;
        }
        let size = usize::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()?;
        rest = &rest[line_end + 1..];
        if size == 0 {
            return Some(out.into());
        }
        if rest.len() < size {
            out.extend_from_slice(rest);
            return Some(out.into());
        }
        out.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        rest = match rest {
            [b'\r', b'\n', tail @ ..] | [b'\n', tail @ ..] => tail,
            [] | [b'\r'] => return Some(out.into()),
            _ => return None,
        };
    }
}
