//! What was fetched, byte for byte? A standard web archive: WARC/1.1, one gzip member per record, and a
//! CDXJ index beside each file.
//!
//! The pure part makes bytes of an exchange ([`encode_capture`], [`encode_revisit`]) and reads them
//! ([`parse_response`]); the shell appends them to files ([`Writer`]), cuts what was never acknowledged
//! after a crash ([`recover`]), walks files of any origin ([`Reader`]) and verifies them ([`check`]).

mod arc;
mod cdx;
mod check;
mod date;
mod encode;
mod error;
#[cfg(test)]
mod fuzz;
mod head;
mod http;
mod member;
mod pack;
mod reader;
mod record;
mod recover;
mod source;
mod writer;

pub use cdx::{IndexEntry, surt};
pub use check::{MAX_FAULTS, Summary, check};
pub use date::{parse_date, timestamp14, warc_date};
pub use encode::{
    CRAWLLET, Capture, DEFAULT_LEVEL, Encoded, Profile, RecordIds, Revisit, encode_capture,
    encode_digested, encode_revisit, payload_digest,
};
pub use error::ArchiveError;
pub use http::{HttpError, Response, parse_response};
pub use reader::{Entry, Fault, Limits, Reader, read_at};
pub use record::{Kind, Record};
pub use recover::{Action, Recovered, recover};
pub use writer::{Writer, WriterSettings};

#[cfg(test)]
mod tests;
