//! What is one record of an archive?

use super::date::parse_date;
use super::head;
use super::http::{HttpError, Response, parse_response, status_of};
use bytes::Bytes;
use lycosa_model::{Headers, Tick};
use std::fmt;

/// The type of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// About the file.
    Warcinfo,
    /// What a site answered.
    Response,
    /// What it was asked.
    Request,
    /// An answer whose body stands elsewhere.
    Revisit,
    /// A file without protocol.
    Resource,
    /// Notes on another record.
    Metadata,
    /// Another form of another record.
    Conversion,
    /// The next part of a record that was split.
    Continuation,
    /// A type that the standard does not know.
    Other(String),
}

impl Kind {
    fn of(name: &str) -> Kind {
        match name.to_ascii_lowercase().as_str() {
            "warcinfo" => Kind::Warcinfo,
            "response" => Kind::Response,
            "request" => Kind::Request,
            "revisit" => Kind::Revisit,
            "resource" => Kind::Resource,
            "metadata" => Kind::Metadata,
            "conversion" => Kind::Conversion,
            "continuation" => Kind::Continuation,
            other => Kind::Other(other.to_owned()),
        }
    }

    /// The name in the `WARC-Type` field.
    pub fn as_str(&self) -> &str {
        match self {
            Kind::Warcinfo => "warcinfo",
            Kind::Response => "response",
            Kind::Request => "request",
            Kind::Revisit => "revisit",
            Kind::Resource => "resource",
            Kind::Metadata => "metadata",
            Kind::Conversion => "conversion",
            Kind::Continuation => "continuation",
            Kind::Other(name) => name,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its type.
    pub kind: Kind,
    /// The address it is about, with the known spelling mistakes of other writers mended.
    pub target_uri: Option<String>,
    /// When it was made.
    pub date: Option<Tick>,
    /// Its header fields; for an ARC record those that say the same in a WARC.
    pub headers: Headers,
    /// Its block, or the beginning of it (see [`Limits`](super::Limits)).
    pub block: Bytes,
    /// Length of the whole block.
    pub block_length: u64,
    /// Where it begins: its own offset, or that of the gzip member it stands in.
    pub offset: u64,
    /// Decompressed bytes before it in that gzip member; 0 for every record of a well-made file.
    pub inner: u64,
    /// Bytes it takes in the file, or 0 when it shares its gzip member with others.
    pub length: u64,
    /// Whether the file ends before the block does.
    pub cut: bool,
}

impl Record {
    /// Reads the header fields of a record.
    pub(super) fn of_fields(headers: Headers) -> Record {
        let target_uri = headers.get("WARC-Target-URI").map(mend_uri);
        Record {
            kind: Kind::of(headers.get("WARC-Type").unwrap_or_default()),
            target_uri,
            date: headers.get("WARC-Date").and_then(parse_date),
            block: Bytes::new(),
            block_length: 0,
            offset: 0,
            inner: 0,
            length: 0,
            cut: false,
            headers,
        }
    }

    /// Whether the whole block is at hand.
    pub fn is_whole(&self) -> bool {
        self.block.len() as u64 == self.block_length
    }

    /// The HTTP response in the block.
    pub fn http(&self) -> Result<Response, HttpError> {
        parse_response(&self.block)
    }

    /// The HTTP status, as far as the beginning of the block tells it.
    pub fn http_status(&self) -> Option<u16> {
        status_of(&self.block)
    }

    /// The payload digest as written, without `sha1:`.
    pub fn payload_digest(&self) -> Option<&str> {
        let value = self.headers.get("WARC-Payload-Digest")?;
        Some(value.strip_prefix("sha1:").unwrap_or(value))
    }

    /// Its own name.
    pub fn id(&self) -> Option<&str> {
        self.headers.get("WARC-Record-ID")
    }

    /// The name of the record that it is another form of.
    pub fn refers_to(&self) -> Option<&str> {
        self.headers.get("WARC-Refers-To")
    }

    /// The address whose record has the body that this one leaves out.
    pub fn refers_to_uri(&self) -> Option<String> {
        self.headers.get("WARC-Refers-To-Target-URI").map(mend_uri)
    }

    /// What the payload digest is made over: the HTTP body as stored, or the whole block when the
    /// record holds no HTTP message.
    pub(super) fn payload(&self) -> &[u8] {
        let http = self
            .headers
            .get("Content-Type")
            .is_some_and(|value| value.trim_start().starts_with("application/http"));
        if http || matches!(self.kind, Kind::Response | Kind::Request) {
            let end = head::head_end(&self.block).unwrap_or(self.block.len());
            &self.block[end..]
        } else {
            &self.block
        }
    }
}

/// Some writers put the address in angle brackets or leave spaces in it.
fn mend_uri(text: &str) -> String {
    let text = text.trim();
    let inside = text.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
    inside.unwrap_or(text).replace(' ', "%20")
}
