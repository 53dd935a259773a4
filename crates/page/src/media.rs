//! Is it HTML, plain text, PDF, or nothing that we read?

use crate::pdf;

/// What we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// HTML or XHTML.
    Html,
    /// Plain text.
    Plain,
    /// PDF.
    Pdf,
}

impl Media {
    /// Its media type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Media::Html => "text/html",
            Media::Plain => "text/plain",
            Media::Pdf => PDF,
        }
    }
}

/// How much of a body is looked at.
const SNIFF_BYTES: usize = 1445;

/// Decides by the header, and by the first bytes when there is none or it says nothing. The error is
/// the media type of what we do not read.
pub(crate) fn decide(content_type: Option<&str>, body: &[u8]) -> Result<Media, String> {
    let claimed = content_type
        .and_then(|value| value.split([';', ',']).next())
        .map(|value| value.trim().to_ascii_lowercase())
        .filter(|value| value.contains('/'));
    match claimed.as_deref() {
        Some("text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml") => {
            match magic(body) {
                // Servers that send everything as HTML are not believed for these.
                Some(shown) => shown_media(shown),
                None => Ok(Media::Html),
            }
        }
        // Servers send this for whatever they do not know, so it is not believed either.
        Some("text/plain") => match sniff(body) {
            Ok(Media::Pdf) => Ok(Media::Pdf),
            Ok(_) => Ok(Media::Plain),
            Err(shown) => Err(shown),
        },
        // Some programs write something before the mark of a PDF.
        Some("application/pdf" | "application/x-pdf") if pdf::is_pdf(body) => Ok(Media::Pdf),
        None
        | Some("unknown/unknown" | "application/unknown" | "*/*" | "application/octet-stream") => {
            sniff(body)
        }
        Some(other) => Err(other.to_owned()),
    }
}

fn sniff(body: &[u8]) -> Result<Media, String> {
    if let Some(shown) = magic(body) {
        return shown_media(shown);
    }
    let head = &body[..body.len().min(SNIFF_BYTES)];
    let has_bom = encoding_rs::Encoding::for_bom(head).is_some();
    if !has_bom && head.iter().any(|byte| is_binary(*byte)) {
        return Err("application/octet-stream".to_owned());
    }
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if starts_like_html(start) {
        return Ok(Media::Html);
    }
    if start.starts_with(b"<?xml") {
        // XHTML announces itself inside; other XML is not read yet.
        return match contains_ignore_case(head, b"<html") {
            true => Ok(Media::Html),
            false => Err("text/xml".to_owned()),
        };
    }
    match contains_ignore_case(head, b"<html") || contains_ignore_case(head, b"<body") {
        true => Ok(Media::Html),
        false => Ok(Media::Plain),
    }
}

/// What a body that shows this media type is to us.
fn shown_media(shown: &str) -> Result<Media, String> {
    if shown == PDF { Ok(Media::Pdf) } else { Err(shown.to_owned()) }
}

/// The media type of PDF.
pub(crate) const PDF: &str = "application/pdf";

/// Bytes that the MIME Sniffing Standard takes as a sign of binary data.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

fn contains_ignore_case(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}

/// The tags by which the MIME Sniffing Standard knows HTML.
fn starts_like_html(start: &[u8]) -> bool {
    const TAGS: [&[u8]; 17] = [
        b"<!doctype html",
        b"<html",
        b"<head",
        b"<script",
        b"<iframe",
        b"<h1",
        b"<div",
        b"<font",
        b"<table",
        b"<a",
        b"<style",
        b"<title",
        b"<b",
        b"<body",
        b"<br",
        b"<p",
        b"<meta",
    ];
    start.starts_with(b"<!--")
        || TAGS.iter().any(|tag| {
            start.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag))
                && matches!(
                    start.get(tag.len()),
                    None | Some(b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'/')
                )
        })
}

/// Formats that show themselves by their first bytes.
fn magic(body: &[u8]) -> Option<&'static str> {
    const SIGNS: [(&[u8], &str); 14] = [
        (b"%PDF-", PDF),
        (b"%!PS-Adobe-", "application/postscript"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"\x28\xb5\x2f\xfd", "application/zstd"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF", "application/x-riff"),
        (b"OggS\0", "application/ogg"),
        (b"ID3", "audio/mpeg"),
        (b"\x7fELF", "application/x-executable"),
        (b"\0asm", "application/wasm"),
    ];
    SIGNS.iter().find(|(sign, _)| body.starts_with(sign)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests;
