//! How were the response headers written?
//!
//! The parser folds header names to lower case and brings lines of one name together. An archive
//! wants them as they came. The tape listens on an HTTP/1 connection and keeps the bytes of the
//! last response head; where tape and parser agree on the lines, the tape's order and spelling are
//! taken, and otherwise the parser's.

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use lycosa_model::{Header, Headers};

/// The bytes of one response head.
#[derive(Debug)]
pub(super) struct HeadTape {
    bytes: Vec<u8>,
    running: bool,
    max_bytes: usize,
    interim: usize,
}

/// Most interim responses (1xx) before the real one. Servers send one or two, if any.
pub(super) const MAX_INTERIM: usize = 32;

impl HeadTape {
    /// An empty tape that keeps heads of up to `max_bytes`.
    pub(super) fn new(max_bytes: usize) -> HeadTape {
        HeadTape { bytes: Vec::new(), running: true, max_bytes, interim: 0 }
    }

    /// A request goes out: what comes next is a new head.
    pub(super) fn on_write(&mut self) {
        if !self.running {
            self.bytes.clear();
            self.running = true;
            self.interim = 0;
        }
    }

    /// Whether so many interim responses came that no real one is to be expected.
    pub(super) fn is_flooded(&self) -> bool {
        self.interim > MAX_INTERIM
    }

    /// Bytes came in.
    pub(super) fn on_read(&mut self, mut bytes: &[u8]) {
        while self.running && !bytes.is_empty() {
            // The end of the head may straddle two reads.
            let seen = self.bytes.len().saturating_sub(3);
            let room = self.max_bytes.saturating_sub(self.bytes.len());
            let before = self.bytes.len();
            self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
            match end_of_head(&self.bytes[seen..]) {
                Some(end) => {
                    let end = seen + end;
                    bytes = &bytes[end - before..];
                    self.bytes.truncate(end);
                    self.running = is_interim(&self.bytes);
                    if self.running {
                        self.bytes.clear();
                        self.interim += 1;
                    }
                }
                None if bytes.len() >= room => {
                    self.bytes.clear();
                    self.running = false;
                }
                None => return,
            }
        }
    }

    /// The head, if a whole one was heard.
    pub(super) fn head(&self) -> Option<&[u8]> {
        (!self.running && !self.bytes.is_empty()).then_some(&self.bytes[..])
    }
}

/// Just past the empty line, if it is there.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.iter().enumerate().find_map(|(at, &byte)| match &bytes[at + 1..] {
        [b'\n', ..] if byte == b'\n' => Some(at + 2),
        [b'\r', b'\n', ..] if byte == b'\n' => Some(at + 3),
        _ => None,
    })
}

/// Whether the head is of a 1xx response, after which the real one follows.
fn is_interim(head: &[u8]) -> bool {
    head.starts_with(b"HTTP/1.") && head.get(8..10) == Some(b" 1") && !head[9..].starts_with(b"101")
}

/// The headers of a response, spelt and ordered as on the tape where that is possible.
pub(super) fn headers_as_received(parsed: &HeaderMap, head: Option<&[u8]>) -> Headers {
    head.and_then(|head| from_tape(parsed, head)).unwrap_or_else(|| {
        let line = |(name, value): (&HeaderName, &http::HeaderValue)| Header {
            name: name.as_str().to_owned(),
            value: Bytes::copy_from_slice(value.as_bytes()),
        };
        Headers(parsed.iter().map(line).collect())
    })
}

fn from_tape(parsed: &HeaderMap, head: &[u8]) -> Option<Headers> {
    let mut headers = Vec::with_capacity(parsed.len());
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            continue;
        };
        let name = line[..colon].trim_ascii();
        let value = line[colon + 1..].trim_ascii();
        // A line that the parser dropped as invalid is not a header.
        let known = HeaderName::from_bytes(name)
            .is_ok_and(|name| parsed.get_all(name).iter().any(|known| known.as_bytes() == value));
        if known {
            headers.push(Header {
                name: String::from_utf8(name.to_vec()).ok()?,
                value: Bytes::copy_from_slice(value),
            });
        }
    }
    (headers.len() == parsed.len()).then_some(Headers(headers))
}
