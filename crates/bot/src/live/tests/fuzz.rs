//! Do any bytes break what we read of response heads?

use super::*;
use crate::decode::{DecodeLimit, decode};
use crate::live::head::{HeadTape, headers_as_received};
use lycosa_fuzz::Fuzz;

#[test]
fn heads_of_any_bytes_are_heard() {
    let seeds: &[&[u8]] = &[
        b"HTTP/1.1 200 OK\r\nServer: x\r\nSet-Cookie: a\r\nRetry-After: 120\r\n\r\nbody",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\nA: b\n\n",
        b"Sun, 06 Nov 1994 08:49:37 GMT",
    ];
    let words: &[&[u8]] = &[
        b"HTTP/1.1 ",
        b"100 Continue",
        b"200 OK",
        b"\r\n",
        b"\n",
        b"\r\n\r\n",
        b"\n\n",
        b":",
        b" ",
        b"Retry-After: ",
        b"Content-Encoding: ",
        b"a: b\r\n",
        b"\t",
        b"Content-Length: ",
    ];
    Fuzz { seeds, words }.run(|bytes| {
        let mut tape = HeadTape::new(4 * 1024);
        for part in bytes.chunks(1 + bytes.len() / 3) {
            tape.on_read(part);
        }
        let mut parsed = HeaderMap::new();
        for line in tape.head().unwrap_or_default().split(|byte| *byte == b'\n') {
            let (name, value) = line.split_at(line.iter().position(|b| *b == b':').unwrap_or(0));
            let name = HeaderName::from_bytes(name.trim_ascii());
            let value = HeaderValue::from_bytes(value.get(1..).unwrap_or_default().trim_ascii());
            if let (Ok(name), Ok(value), true) = (name, value, parsed.len() < 256) {
                parsed.append(name, value);
            }
        }
        assert_eq!(headers_as_received(&parsed, tape.head()).0.len(), parsed.len());
        let mut headers = Headers::default();
        headers.push("Retry-After", Bytes::copy_from_slice(bytes));
        headers.push("Content-Encoding", Bytes::copy_from_slice(bytes));
        let _ = crate::request::retry_after(&headers, Duration::from_secs(1_700_000_000));
        let _ = decode(&headers, &Bytes::from_static(b"body"), &DecodeLimit::default());
        let url = format!("https://a.test/{}", String::from_utf8_lossy(bytes));
        let _ = crate::request::head(&url, &headers);
    });
}
