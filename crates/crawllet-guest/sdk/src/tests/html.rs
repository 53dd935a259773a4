//! What is read from a page?

use crate::charset::decode;
use crate::html::{is_html, read, refresh_target, Page, Wants};

fn hrefs(html: &str) -> Vec<String> {
    read(html, Wants::default()).links.into_iter().map(|link| link.href).collect()
}

fn all(html: &str) -> Page {
    read(html, Wants { anchors: true, text: true, resources: true })
}

#[test]
fn everything_that_leads_readers_on_is_a_link() {
    let html = "<a href=1></a><A HREF = '2' ></A><area href=\"3\"><iframe src=4></iframe><frame src=5>\
        <link rel=next href=6><link rel='alternate' type='application/rss+xml' href=feed>\
        <link rel=stylesheet href=css><link rel='alternate stylesheet' href=css><link rel=icon href=i>\
        <link rel=canonical href=7><meta http-equiv=Refresh content='0; URL=8'><svg><a xlink:href=9></svg>\
        <noscript><a href=10></noscript><iframe srcdoc='<a href=11>'></iframe><img src=pic>\
        <a name=x><link href=no-rel>";
    let wanted: Vec<String> = (1..=11).map(|number| number.to_string()).collect();
    assert_eq!(hrefs(html), wanted);
}

#[test]
fn what_is_no_markup_has_no_links() {
    for html in [
        "<!-- <a href=x> --!><script>'<a href=x>'</script>",
        "<script><!-- <script></script> <a href=x> --></script>",
        "<style><a href=x></style><textarea><a href=x></textarea><title><a href=x></title>",
        "<template><a href=x><template></template><a href=x></template>",
        "<xmp><a href=x></xmp><noembed><a href=x></noembed><!doctype <a href=x>",
        "<plaintext><a href=x>",
        "<a href=x",
        "<a href='x>",
        "</a href=x><?a href=x>",
        "<![CDATA[<a href=x>",
    ] {
        assert_eq!(hrefs(html), Vec::<String>::new(), "{html}");
    }
    assert_eq!(hrefs("<!--><a href=x>"), ["x"]);
    assert_eq!(
        hrefs("<svg><![CDATA[<a href=y>]]><a href=x></svg><svg><title><a href=z></title>"),
        ["x", "z"]
    );
}

#[test]
fn references_in_addresses_are_decoded() {
    let cases = [
        ("?a=1&amp;b=2", "?a=1&b=2"),
        ("?a&copy=1", "?a&copy=1"),
        ("?a&copy;", "?a©"),
        ("?a&region=2&lt", "?a&region=2<"),
        ("&#47;x&#x2F;y&#x2fz", "/x/y/z"),
        ("&#0;&#128;&#xD800;&#99999999999;", "\u{fffd}€\u{fffd}\u{fffd}"),
        ("&period;&sol;&unknown;&", "./&unknown;&"),
    ];
    for (written, meant) in cases {
        assert_eq!(hrefs(&format!("<a href='{written}'>")), [meant]);
    }
}

#[test]
fn the_head_says_what_a_page_is() {
    let page = all("<html lang=de><title>\n A &amp; <b> </title><title>no</title><base href=/x/><base href=/y/>\
        <meta name=Robots content='noindex,NOFOLLOW'><meta property=og:description content=og>\
        <meta name=lycosa content=none><body lang=fr>");
    assert_eq!((page.title.as_str(), page.language.as_str()), ("A & <b>", "de"));
    assert_eq!((page.base.as_deref(), page.description.as_str()), (Some("/x/"), "og"));
    assert!(page.robots.noindex && page.robots.nofollow);
    assert_eq!(page.robots_meta, "noindex,NOFOLLOW, none");
}

#[test]
fn words_stand_on_links_and_in_lines() {
    let page = all("<p>One <b>two</b>three<p>four<br>five <a href=x> six\n<i>seven</i><img alt=no></a>\
        <a href=y><img alt=' a  picture' src=p></a><table><tr><td>8<td>9</table><script>no</script>");
    assert_eq!(page.text, "One twothree\nfour\nfive six seven\n8 9");
    let anchors: Vec<(&str, &str)> =
        page.links.iter().map(|link| (link.href.as_str(), link.anchor.trim())).collect();
    assert_eq!(anchors, [("x", "six seven"), ("y", "a picture"), ("p", "a picture")]);
}

#[test]
fn a_refresh_has_an_address_or_not() {
    let cases = [
        ("5; url='next.html'", Some("next.html")),
        ("0;URL = x y ", Some("x y")),
        ("1.5,http://h/", Some("http://h/")),
        ("5", None),
        ("5;", None),
        ("url=x", None),
        ("5url=x", None),
    ];
    for (value, target) in cases {
        assert_eq!(refresh_target(value), target, "{value}");
    }
}

#[test]
fn bytes_mean_what_header_page_or_looks_say() {
    let text = |body: &[u8], header| decode(body, header).text.into_owned();
    assert_eq!(text("é".as_bytes(), None), "é");
    assert_eq!(text(b"\xe9\x80", None), "é€");
    assert_eq!(text(b"\xe9", Some("text/html; charset=ISO-8859-1")), "é");
    assert_eq!(text(b"<meta charset='latin1'>\xe9", None), "<meta charset='latin1'>é");
    assert_eq!(text(b"\xe9", Some("text/html;charset=utf-8")), "\u{fffd}");
    assert_eq!(text(b"\xff\xfea\0\xe9\0", Some("text/html;charset=latin1")), "aé");
    assert_eq!(text(b"\xef\xbb\xbf\xc3\xa9", Some("text/html;charset=latin1")), "é");
    assert!(decode(b"a", Some("text/html; charset=koi8-r")).query.is_some());
}

#[test]
fn html_is_told_by_type_and_by_looks() {
    assert!(is_html("text/html", b"x") && is_html("", b" <!DOCTYPE HTML>") && is_html("", b"<p>"));
    assert!(!is_html("text/html", b"%PDF-1.4") && !is_html("text/plain", b"<html>"));
    assert!(!is_html("", b"words") && !is_html("application/octet-stream", b"<html>\0"));
}

#[test]
fn any_soup_is_read() {
    let parts = [
        "<",
        ">",
        "a",
        "<a href=",
        "'",
        "\"",
        "=",
        "/",
        "<!--",
        "-->",
        "<script>",
        "</script",
        "&#",
        "é",
        "<title>",
        "]]>",
        "<svg><![CDATA[",
        "<template>",
        "</",
        "<!",
        "<iframe srcdoc=",
        "&am",
        " ",
        "--",
    ];
    let mut dice = 1_u32;
    for _ in 0..20_000 {
        let mut soup = String::new();
        for _ in 0..12 {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            soup.push_str(parts[(dice >> 16) as usize % parts.len()]);
        }
        let page = all(&soup);
        assert!(page.links.len() <= soup.len(), "{soup}");
    }
}
