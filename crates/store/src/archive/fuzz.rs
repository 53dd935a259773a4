//! Do any bytes break what we read of archives?

use super::*;
use bytes::Bytes;
use lycosa_fuzz::Fuzz;
use std::io::{Cursor, Write};
use std::path::Path;

const WORDS: &[&[u8]] = &[
    b"WARC/1.1\r\n",
    b"WARC/1.0\r\n",
    b"WARC-Type: response\r\n",
    b"WARC-Type: revisit\r\n",
    b"Content-Length: ",
    b"Content-Length: 10\r\n",
    b"\r\n\r\n",
    b"\r\n",
    b"\n",
    b":",
    b" ",
    b"WARC-Target-URI: http://a.test/\r\n",
    b"WARC-Date: 2024-02-30T00:00:00Z\r\n",
    b"WARC-Record-ID: <urn:uuid:0>\r\n",
    b"WARC-Payload-Digest: sha1:AAAA\r\n",
    b"\x1f\x8b\x08\0",
    b"HTTP/1.1 200 OK\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"filedesc://x 0.0.0.0 20240101000000 text/plain 1\n",
    b"http://a.test/ 1.2.3.4 20240101000000 text/html 5\n",
    b"1\r\na\r\n",
    b"WARC-Type: \r\n",
];

const RECORD: &[u8] = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n\
    WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 45\r\n\r\n\
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello--\r\n\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn walk(bytes: &[u8]) {
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let Ok(reader) = Reader::over(input, Path::new("any.warc"), 0, 0, Limits::default()) else {
        return;
    };
    for entry in reader {
        let Ok(Entry::Record(record)) = entry else { continue };
        let _ = (record.http(), record.http_status(), record.payload_digest(), record.is_whole());
    }
}

#[test]
fn archives_of_any_bytes_are_walked() {
    let twice = RECORD.repeat(2);
    let packed = [gzip(RECORD), gzip(RECORD)].concat();
    let arc = b"filedesc://x 0.0.0.0 20240101000000 text/plain 14\n1 0 x\nURL IP\n\n\
        http://a.test/ 1.2.3.4 20240101000000 text/html 5\nhello\n";
    Fuzz { seeds: &[RECORD, &twice, &packed, arc], words: WORDS }.run(|bytes| {
        walk(bytes);
        walk(&gzip(bytes));
    });
}

#[test]
fn responses_and_index_lines_of_any_bytes_are_read() {
    let seeds: &[&[u8]] = &[
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"org,example)/ 20240101000000 {\"url\": \"http://example.org/\", \"offset\": \"1\", \"length\": \"2\"}",
        b"2024-01-01T00:00:00.123456789Z",
    ];
    Fuzz { seeds, words: WORDS }.run(|bytes| {
        let _ = parse_response(&Bytes::copy_from_slice(bytes));
        let text = String::from_utf8_lossy(bytes);
        let _ = (IndexEntry::parse(&text), parse_date(&text), surt(&text));
    });
}
