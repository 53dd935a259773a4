//! What does a page say to a crawler: where it leads, what it is called, what robots shall do?
//!
//! One pass over the tags. There is no tree; what needs one (which part of a page is its content) is
//! left to the engine.

mod collect;
mod references;
mod scan;
mod tokens;

use crate::links::RawLink;
use crate::robots::Robots;

/// What is looked for beside the links that lead readers on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The words on links.
    pub anchors: bool,
    /// The visible text.
    pub text: bool,
    /// What a page embeds: pictures, sound, film, documents.
    pub resources: bool,
}

/// What a page says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The title, white space folded.
    pub title: String,
    /// `meta description`, else `og:description`.
    pub description: String,
    /// The language that the page claims; empty for none.
    pub language: String,
    /// `<base href>`.
    pub base: Option<String>,
    /// What robots are asked.
    pub robots: Robots,
    /// What `meta robots` says, as written.
    pub robots_meta: String,
    /// Links in the order of the page.
    pub links: Vec<RawLink>,
    /// The visible text, a line per block, when wanted.
    pub text: String,
}

/// Reads a page.
pub fn read(html: &str, wants: Wants) -> Page {
    let mut collector = collect::Collector::new(wants);
    tokens::read(html, &mut collector);
    collector.finish()
}

/// White space as HTML means it, and the space that does not break.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}')
}

/// The address in a refresh (`5; url='next.html'`), as the HTML standard reads it.
pub fn refresh_target(value: &str) -> Option<&str> {
    let value = value.trim_start_matches(is_space);
    let rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == value.len() && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c| matches!(c, ';' | ',') || is_space(c)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix(|c| matches!(c, ';' | ',')).unwrap_or(rest);
    let rest = rest.trim_start_matches(is_space);
    let rest = after_url_equals(rest).unwrap_or(rest);
    let target = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next().unwrap_or(""),
        _ => rest,
    };
    Some(target.trim_matches(is_space)).filter(|target| !target.is_empty())
}

fn after_url_equals(text: &str) -> Option<&str> {
    let head = text.get(..3)?;
    if !head.eq_ignore_ascii_case("url") {
        return None;
    }
    let rest = text[3..].trim_start_matches(is_space).strip_prefix('=')?;
    Some(rest.trim_start_matches(is_space))
}

/// How much of a body is looked at to tell what it is.
const SNIFF: usize = 1445;

/// Whether an answer of this media type is a page of HTML; by its first bytes where the type says
/// nothing or is not believed.
pub fn is_html(media_type: &str, body: &[u8]) -> bool {
    match media_type {
        "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => !is_file(body),
        "" | "unknown/unknown" | "application/unknown" | "*/*" | "application/octet-stream" => {
            !is_file(body) && looks_like_html(&body[..body.len().min(SNIFF)])
        }
        other => !other.contains('/') && looks_like_html(&body[..body.len().min(SNIFF)]),
    }
}

fn looks_like_html(head: &[u8]) -> bool {
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
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let has_bom = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if !has_bom && head.iter().any(is_binary) {
        return false;
    }
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let space = start.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = &start[space..];
    let begins = |tag: &&[u8]| {
        start.get(..tag.len()).map_or(false, |head| head.eq_ignore_ascii_case(tag))
            && matches!(
                start.get(tag.len()),
                None | Some(b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'/')
            )
    };
    let contains = |word: &[u8]| head.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    start.starts_with(b"<!--")
        || TAGS.iter().any(begins)
        || contains(b"<html")
        || (contains(b"<body") && !start.starts_with(b"<?xml"))
}

/// Whether the first bytes are those of a file that is no text. Servers that send everything as HTML are
/// not believed for these.
fn is_file(body: &[u8]) -> bool {
    const SIGNS: [&[u8]; 14] = [
        b"%PDF-",
        b"%!PS-Adobe-",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF87a",
        b"GIF89a",
        b"RIFF",
        b"OggS\0",
        b"ID3",
        b"\x7fELF",
        b"\0asm",
    ];
    SIGNS.iter().any(|sign| body.starts_with(sign))
}
