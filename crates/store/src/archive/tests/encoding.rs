use super::*;
use bytes::Bytes;
use proptest::prelude::*;

fn write_and_read(encoded: &Encoded) -> Vec<Record> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &encoded.bytes).unwrap();
    let (records, faults) = records(file.path());
    assert!(faults.is_empty(), "{faults:?}");
    records
}

#[test]
fn a_capture_is_a_response_and_the_request_that_led_to_it() {
    let headers = headers(&[("Content-Type", "text/html"), ("Server", "x")]);
    let encoded = encode_capture(&capture("http://example.org/", &headers, b"hello"), ids(1), 6);
    let records = write_and_read(&encoded);
    assert_eq!(kinds(&records), ["response", "request"]);
    let response = &records[0];
    assert_eq!(response.length, encoded.response_length);
    assert_eq!(response.target_uri.as_deref(), Some("http://example.org/"));
    assert_eq!(response.date, Some(THEN));
    let field = |name| response.headers.get(name).unwrap();
    assert_eq!(field("WARC-Date"), "2026-11-15T08:19:24.363Z");
    assert_eq!(field("WARC-IP-Address"), "192.0.2.7");
    assert_eq!(field("WARC-Record-ID"), "<urn:uuid:01010101-0101-4101-8101-010101010101>");
    // `printf hello | sha1sum`, in base 32.
    assert_eq!(encoded.payload_digest, "VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N");
    assert_eq!(field("WARC-Payload-Digest"), "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N");
    let http = response.http().unwrap();
    assert_eq!((http.status, &http.body[..]), (200, &b"hello"[..]));
    assert_eq!(http.headers, headers);
    assert_eq!(records[1].headers.get("WARC-Concurrent-To"), Some(field("WARC-Record-ID")));
    assert!(records[1].block.starts_with(b"GET / HTTP/1.1\r\n"));
}

#[test]
fn a_transfer_coding_that_is_undone_is_renamed_and_a_content_coding_stays() {
    let headers = headers(&[("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")]);
    // A body that would be read as chunks if the header still said so.
    let body = b"3\r\nabc\r\n0\r\n\r\n";
    let encoded = encode_capture(&capture("http://example.org/", &headers, body), ids(1), 6);
    let http = write_and_read(&encoded)[0].http().unwrap();
    assert_eq!(http.headers.get("Transfer-Encoding"), None);
    assert_eq!(http.headers.get("X-Archive-Orig-Transfer-Encoding"), Some("chunked"));
    assert_eq!(http.headers.get("Content-Encoding"), Some("gzip"));
    assert_eq!(&http.body[..], body);
}

#[test]
fn a_revisit_names_what_it_refers_to_and_has_no_body() {
    let headers = headers(&[("ETag", "\"1\"")]);
    let mut capture = capture("http://example.org/", &headers, b"");
    capture.status = 304;
    let revisit = Revisit {
        profile: Profile::ServerNotModified,
        payload_digest: Some("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"),
        refers_to_date: Some(Tick(THEN.0 - 1000)),
        refers_to_url: None,
    };
    let encoded = encode_revisit(&capture, &revisit, ids(2), 6);
    let records = write_and_read(&encoded);
    assert_eq!(kinds(&records), ["revisit", "request"]);
    let field = |name| records[0].headers.get(name).unwrap();
    assert!(field("WARC-Profile").ends_with("/server-not-modified"));
    assert_eq!(field("WARC-Refers-To-Date"), "2026-11-15T08:19:23.363Z");
    assert_eq!(field("WARC-Refers-To-Target-URI"), "http://example.org/");
    assert_eq!(records[0].payload_digest(), Some("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"));
    assert_eq!(records[0].http().unwrap().status, 304);
    assert_eq!(records[0].http().unwrap().body.len(), 0);
}

#[test]
fn a_line_end_in_a_header_or_address_cannot_forge_a_field() {
    let headers = headers(&[("X", "a\r\nSet-Cookie: b")]);
    let encoded = encode_capture(
        &capture("http://example.org/\r\nWARC-Type: request", &headers, b""),
        ids(1),
        6,
    );
    let records = write_and_read(&encoded);
    assert_eq!(records[0].kind, Kind::Response);
    let http = records[0].http().unwrap();
    assert_eq!(http.headers.0.len(), 1);
    assert_eq!(http.headers.get("Set-Cookie"), None);
}

#[test]
fn http_2_is_written_as_text_and_named() {
    let headers = Headers::default();
    let mut capture = capture("https://example.org/", &headers, b"x");
    capture.version = "2";
    let records = write_and_read(&encode_capture(&capture, ids(1), 6));
    assert_eq!(records[0].headers.get("WARC-Protocol"), Some("h2"));
    assert!(records[0].block.starts_with(b"HTTP/1.1 200 OK\r\n"));
}

#[test]
fn dates_are_read_in_every_spelling_that_archives_use() {
    assert_eq!(parse_date("2026-11-15T08:19:24.363Z"), Some(THEN));
    assert_eq!(parse_date("2026-11-15T08:19:24.363529Z"), Some(THEN));
    assert_eq!(parse_date("20261115081924"), Some(Tick(THEN.0 / 1000 * 1000)));
    assert_eq!(timestamp14(THEN), "20261115081924");
    for wrong in ["", "yesterday", "20261315081924", "1969-01-01T00:00:00Z", "20261115"] {
        assert_eq!(parse_date(wrong), None, "{wrong}");
    }
    assert_eq!(warc_date(Tick(u64::MAX)).len(), 24);
}

#[test]
fn a_response_is_read_with_any_line_ends_and_folded_headers() {
    let block = b"HTTP/1.0 404 Not here\nA: 1\n folded\nno colon here\nB:2\n\nbody";
    let http = parse_response(&Bytes::from_static(block)).unwrap();
    assert_eq!((http.status, http.version.as_str()), (404, "1.0"));
    assert_eq!(http.headers.get("a"), Some("1 folded"));
    assert_eq!(http.headers.get("b"), Some("2"));
    assert_eq!(&http.body[..], b"body");
}

#[test]
fn chunks_are_undone_only_where_they_are() {
    let read = |body: &str| {
        let text = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        parse_response(&Bytes::from(text)).unwrap().body
    };
    assert_eq!(&read("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n")[..], b"abcde");
    assert_eq!(&read("<html>not chunked</html>")[..], b"<html>not chunked</html>");
    assert_eq!(&read("a\r\ncut sh")[..], b"cut sh");
    assert_eq!(&read("3\r\nabcXX not a chunk")[..], b"3\r\nabcXX not a chunk");
    assert_eq!(&read("")[..], b"");
}

#[test]
fn a_block_without_status_line_is_told_apart() {
    assert_eq!(parse_response(&Bytes::new()), Err(HttpError::Empty));
    let block = Bytes::from_static(b"<html>");
    assert_eq!(parse_response(&block), Err(HttpError::NoStatusLine));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_exchange_is_read_back_as_it_was_written(
        body in proptest::collection::vec(any::<u8>(), 0..3000),
        value in "[ -~]{0,40}",
        path in "\\PC{0,40}",
        status in 200u16..600,
        level in 0u32..10,
    ) {
        let headers = headers(&[("X-Value", value.trim())]);
        let url = format!("http://example.org/{path}");
        let mut capture = capture(&url, &headers, &body);
        capture.status = status;
        let records = write_and_read(&encode_capture(&capture, ids(3), level));
        let http = records[0].http().unwrap();
        prop_assert_eq!(http.status, status);
        prop_assert_eq!(&http.headers, &headers);
        prop_assert_eq!(&http.body[..], &body[..]);
    }

    #[test]
    fn no_bytes_make_the_http_reader_fail(block in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_response(&Bytes::from(block.clone()));
        let chunked = [&b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"[..], &block].concat();
        let http = parse_response(&Bytes::from(chunked)).unwrap();
        prop_assert!(http.body.len() <= block.len());
    }
}

#[test]
fn what_a_crawllet_brought_says_so_and_has_no_request() {
    let headers = headers(&[("content-type", "text/html")]);
    let mut capture = capture("http://example.org/", &headers, b"hello");
    (capture.version, capture.request, capture.ip) = (CRAWLLET, b"", None);
    capture.truncated = Some("unspecified");
    let records = write_and_read(&encode_capture(&capture, ids(1), 6));
    assert_eq!(kinds(&records), ["response"]);
    assert_eq!(records[0].headers.get("WARC-Protocol"), Some("clp/1"));
    assert_eq!(records[0].headers.get("WARC-Truncated"), Some("unspecified"));
    assert_eq!(&records[0].http().unwrap().body[..], b"hello");
}
