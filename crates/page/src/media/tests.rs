use super::{Media, decide};

#[test]
fn the_header_decides_and_silence_is_sniffed() {
    assert_eq!(decide(Some("text/HTML; charset=x"), b"anything"), Ok(Media::Html));
    assert_eq!(decide(Some("application/xhtml+xml"), b""), Ok(Media::Html));
    assert_eq!(decide(Some("text/plain"), b"<html>"), Ok(Media::Plain));
    assert_eq!(decide(None, b"  <!DOCTYPE html><p>x"), Ok(Media::Html));
    assert_eq!(decide(None, b"just words"), Ok(Media::Plain));
    assert_eq!(decide(None, b"<?xml version='1.0'?><html>"), Ok(Media::Html));
    assert_eq!(decide(None, b"<?xml version='1.0'?><rss>"), Err("text/xml".into()));
}

#[test]
fn a_pdf_shows_itself_whatever_the_header_says() {
    for claimed in [Some("text/html"), Some("text/plain"), Some("application/octet-stream"), None] {
        assert_eq!(decide(claimed, b"%PDF-1.7"), Ok(Media::Pdf), "{claimed:?}");
    }
    assert_eq!(decide(Some("application/pdf"), b"\n\n%PDF-1.7"), Ok(Media::Pdf));
    assert_eq!(decide(Some("image/png"), b"%PDF-1.7"), Err("image/png".into()));
}

#[test]
fn what_is_not_text_is_named() {
    assert_eq!(decide(Some("image/png"), b"x"), Err("image/png".into()));
    assert_eq!(
        decide(Some("application/rss+xml; charset=utf-8"), b"<rss>"),
        Err("application/rss+xml".into())
    );
    assert_eq!(decide(Some("application/pdf"), b"<html>"), Err("application/pdf".into()));
    assert_eq!(decide(Some("text/plain"), b"\x00\x01\x02"), Err("application/octet-stream".into()));
    assert_eq!(decide(None, b"\x89PNG\r\n\x1a\n"), Err("image/png".into()));
}
