//! Do any bytes break what we read of pages, sitemaps and headers?

use super::*;
use crate::links::MAX_FEEDS;
use lycosa_fuzz::Fuzz;

const HTML_WORDS: &[&[u8]] = &[
    b"<a href=\"",
    b"<a href='/x'>",
    b"</a>",
    b"<p>",
    b"</p>",
    b"<div>",
    b"</div>",
    b"<table>",
    b"<tr>",
    b"<td>",
    b"<b>",
    b"<i>",
    b"</b>",
    b"<ul>",
    b"<li>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<script>",
    b"</script>",
    b"<style>",
    b"</style>",
    b"<textarea>",
    b"<title>",
    b"</title>",
    b"<svg>",
    b"<math>",
    b"<template>",
    b"</template>",
    b"<select>",
    b"<option>",
    b"<base href=",
    b"<meta name=robots content=",
    b"<meta http-equiv=refresh content='0;url=",
    b"<meta charset=",
    b"<img srcset=\"a 1x, b 2x\"",
    b"<iframe srcdoc='",
    b"<form action=",
    b"<noscript>",
    b"<plaintext>",
    b"<frameset>",
    b"<pre>",
    b"<code>",
    b"<h1>",
    b"<blockquote>",
    b"&amp;",
    b"&#x10ffff;",
    b"&#",
    b"&",
    b"&notin",
    b">",
    b"<",
    b"=",
    b"\"",
    b"'",
    b"/>",
    b"</",
    b"<a ",
    b"<a a=",
    b"style=\"background:url(",
    b"url(",
    b"@import ",
    b"http://a.test/",
    b" ",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b$B",
    b"\x83\x5c",
    b"\xe3\x81\x82",
    b"<p hidden>",
    b"1.\t",
];

const PAGE: &[u8] = b"<!doctype html><html lang=es><head><meta charset=utf-8><title>A page</title>\
    <base href=/b/><meta name=robots content='noindex, nofollow'><link rel=next href=2></head>\
    <body><nav><a href=x rel=nofollow>x</a></nav><article><h1>Head</h1><p>Some text, and \
    <a href='y?z=1#f'>more</a> of it.<ul><li>one<li>two</ul><table><tr><td>1<td>2</table>\
    <pre>code</pre><img srcset='a.png 1x, b.png 2x'></article></body></html>";

fn take(bytes: &[u8], content_type: Option<&str>, limits: &Limits) {
    let id = UrlId::of("https://a.test/");
    let input = Input { content_type, ..Input::new(id, "https://a.test/d/e?f", bytes) };
    if let Reading::Document(document) = read(&input, limits) {
        assert!(document.text.len() <= limits.max_text_bytes);
        assert!(document.links.len() <= limits.max_links + limits.max_resources + MAX_FEEDS);
        let mut xml = String::new();
        xml::write(&document, &mut xml);
    }
}

#[test]
fn html_of_any_bytes_is_read() {
    let deep = b"<div><span>".repeat(40);
    let seeds: &[&[u8]] = &[PAGE, &deep, b"<p>a<table><b>x</p><td>y</b></table>z"];
    Fuzz { seeds, words: HTML_WORDS }.run(|bytes| {
        take(bytes, Some("text/html"), &Limits::default());
    });
}

#[test]
fn resources_of_any_bytes_are_found() {
    let css: &[u8] = b"@import 'a.css'; .b{background:url( \"c.png\" )} /* url(d) */";
    let script: &[u8] = b"fetch('/api/x'); location = \"https://a.test/y\" // see http://b.test/";
    Fuzz { seeds: &[PAGE, css, script], words: HTML_WORDS }.run(|bytes| {
        for kind in ["text/html", "text/css", "text/javascript", "text/plain"] {
            take(bytes, Some(kind), &Limits::with_resources());
        }
    });
}

#[test]
fn charsets_of_any_bytes_are_chosen() {
    let seeds: &[&[u8]] = &[
        b"<?xml version='1.0' encoding='iso-8859-2'?><p>\xb1",
        b"<meta http-equiv=content-type content='text/html; charset=shift_jis'>\x83\x5c",
        b"\xff\xfea\0b\0",
        b"<!-- --><meta charset=\"gbk\">\xc4\xe3\xba\xc3",
    ];
    let words: &[&[u8]] = &[
        b"<meta ",
        b"charset=",
        b"http-equiv=",
        b"content=",
        b"content-type",
        b"text/html;",
        b"<!--",
        b"-->",
        b"'",
        b"\"",
        b"=",
        b">",
        b"<",
        b"</",
        b"utf-16",
        b"x-user-defined",
        b"iso-2022-jp",
        b"<?xml encoding=",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\x1b$B",
        b";",
        b" ",
        b"/",
    ];
    Fuzz { seeds, words }.run(|bytes| {
        let header = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
        for (content_type, is_html, tld) in
            [(None, true, Some("jp")), (Some(&*header), true, None), (Some(&*header), false, None)]
        {
            let encoding = charset::choose(bytes, content_type, is_html, tld);
            let _ = charset::decode(bytes, encoding);
        }
        take(bytes, None, &Limits::default());
    });
}

#[test]
fn headers_of_any_text_are_read() {
    let seeds: &[&[u8]] = &[
        b"<https://a.test/2>; rel=\"next\"; title=\"a, b\", </3>; rel=prev",
        b"lycosa: noindex, nofollow, unavailable_after: 25 Jun 2030 15:00:00 PST",
        b"text/html; charset=\"utf-8\"; boundary=x",
        b"0; url='/there'",
    ];
    let words: &[&[u8]] = &[
        b"<",
        b">",
        b";",
        b",",
        b"rel=",
        b"\"",
        b"\\\"",
        b"=",
        b"nofollow",
        b"noindex",
        b"none",
        b"lycosa:",
        b"url=",
        b"0;",
        b"charset=",
        b" ",
        b"'",
        b"title*=UTF-8''",
        b"<a>;rel=next,",
    ];
    Fuzz { seeds, words }.run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let id = UrlId::of("https://a.test/");
        let input = Input {
            content_type: Some(&text),
            x_robots_tag: vec![&text, &text],
            refresh: Some(&text),
            link: vec![&text],
            content_location: Some(&text),
            ..Input::new(id, "https://a.test/d/e?f", b"<p>text")
        };
        let _ = read(&input, &Limits::with_resources());
        srcset::addresses(&text).for_each(drop);
    });
}

#[test]
fn sitemaps_of_any_bytes_are_read() {
    let seeds: &[&[u8]] = &[
        b"<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url>\
          <loc>https://a.test/&amp;b</loc><lastmod>2024-02-30T25:00Z</lastmod><priority>0.7</priority>\
          </url></urlset>",
        b"<sitemapindex><sitemap><loc><![CDATA[ /s.xml ]]></loc></sitemap></sitemapindex>",
        b"<rss><channel><item><link>https://a.test/1</link><pubDate>Sun, 06 Nov 1994 08:49:37 GMT\
          </pubDate></item></channel></rss>",
        b"<feed><entry><link href='/1' rel=alternate /><updated>2024-01-01</updated></entry></feed>",
        b"https://a.test/1\nhttps://a.test/2\r\n# no\n",
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01\0\0\0",
    ];
    let words: &[&[u8]] = &[
        b"<urlset>",
        b"<url>",
        b"</url>",
        b"<loc>",
        b"</loc>",
        b"<lastmod>",
        b"</lastmod>",
        b"<priority>",
        b"<sitemap>",
        b"<sitemapindex>",
        b"<item>",
        b"<entry>",
        b"<link ",
        b"href='",
        b"<![CDATA[",
        b"]]>",
        b"<!DOCTYPE x [",
        b"<!ENTITY a \"b\">",
        b"&a;",
        b"&#x0;",
        b"&lt;",
        b"<!--",
        b"-->",
        b"<?xml",
        b"?>",
        b"https://a.test/",
        b"\n",
        b"2024-11-30T12:00:00+99:99",
        b"\x1f\x8b\x08",
        b"<x:loc>",
        b"/>",
        b"<",
        b">",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
    ];
    let limits = sitemap::Limits { max_bytes: 1 << 20, ..sitemap::Limits::default() };
    Fuzz { seeds, words }.run(|bytes| {
        let mut read = sitemap::read(bytes, None, "https://a.test/sitemap.xml", &limits);
        read.sort_by_worth();
        assert!(read.entries.len() <= limits.max_entries);
        assert!(read.faults.len() <= limits.max_faults + 1);
    });
}
