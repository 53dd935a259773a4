use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;
use std::path::PathBuf;

const HOME: &str = "http://www.example.com/sitemap.xml";

fn read_text(text: &str) -> Sitemap {
    read(text.as_bytes(), None, HOME, &Limits::default())
}

fn urls(sitemap: &Sitemap) -> Vec<&str> {
    sitemap.entries.iter().map(|entry| entry.url.as_str()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

/// A shared test file, read under an address of its own name.
fn shared(name: &str) -> Option<Sitemap> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance"));
    let Ok(bytes) = std::fs::read(root.join(name)) else {
        #[allow(clippy::print_stderr, reason = "says that the test was not run")]
        {
            eprintln!("skipped: ../shared/conformance/{name} is not here");
        }
        return None;
    };
    Some(read(&bytes, None, HOME, &Limits::default()))
}

#[test]
fn shared_sitemaps_and_feeds_read_as_their_names_say() {
    let cases = [
        ("sitemaps/atom.xml", Kind::Atom, 1),
        ("sitemaps/do-not-visit.txt", Kind::Text, 1),
        ("sitemaps/sitemap-with-bom.txt", Kind::Text, 2),
        ("sitemaps/sitemap.badns.xml", Kind::UrlSet, 2),
        ("sitemaps/sitemap.index.xml", Kind::Index, 15),
        ("sitemaps/sitemap.ns.xml", Kind::UrlSet, 2),
        ("sitemaps/sitemap.txt", Kind::Text, 2),
        ("sitemaps/sitemap.txt.gz", Kind::Text, 5),
        ("sitemaps/xmlSitemap.gz", Kind::UrlSet, 5),
        ("sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml", Kind::UrlSet, 74),
        ("sitemaps/extension/pagemaps-sitemap.xml", Kind::UrlSet, 2),
        ("sitemaps/extension/shinpaideshou-news-sitemap.xml", Kind::UrlSet, 3),
        ("sitemaps/extension/sitemap-images.xml", Kind::UrlSet, 1),
        ("sitemaps/extension/sitemap-links.xml", Kind::UrlSet, 3),
        ("sitemaps/extension/sitemap-mobile.xml", Kind::UrlSet, 3),
        ("sitemaps/extension/sitemap-news.xml", Kind::UrlSet, 2),
        ("sitemaps/extension/sitemap-videos-tvshow.xml", Kind::UrlSet, 1),
        ("sitemaps/extension/sitemap-videos.xml", Kind::UrlSet, 3),
        ("feeds/feed.rss", Kind::Rss, 4),
        ("feeds/xmlRss_pubDate.xml", Kind::Rss, 7),
    ];
    for (name, kind, count) in cases {
        let Some(sitemap) = shared(name) else { return };
        assert_eq!((sitemap.kind, sitemap.entries.len()), (kind, count), "{name}");
        assert_eq!(sitemap.faults, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_shared_files_give_the_addresses_and_dates_in_them() {
    let Some(packed) = shared("sitemaps/xmlSitemap.gz") else { return };
    assert_eq!(packed.entries[0].lastmod, Some(Tick(1_104_537_600_000)));
    assert_eq!(packed.entries[0].priority, Some(0.8));
    assert_eq!(packed.entries[0].changefreq, Some(ChangeFreq::Monthly));
    assert_eq!(
        packed.entries[1].url,
        "http://www.example.com/catalog?item=12&desc=vacation_hawaii"
    );
    let Some(atom) = shared("sitemaps/atom.xml") else { return };
    assert_eq!(urls(&atom), ["http://example.org/2003/12/13/atom03"]);
    assert_eq!(atom.entries[0].lastmod, Some(Tick(1_071_340_202_000)));
    let Some(rss) = shared("feeds/feed.rss") else { return };
    assert_eq!(
        urls(&rss),
        [
            "https://www.example.com/blog/post/1",
            "https://www.example.com/guid.html",
            "https://www.example.com/foo?q=a&l=en",
            "https://www.example.com/foo?q=a&l=fr",
        ]
    );
    let Some(dates) = shared("feeds/xmlRss_pubDate.xml") else { return };
    let seconds: Vec<Option<u64>> = dates
        .entries
        .iter()
        .map(|entry| entry.lastmod.map(|at| at.0 / 1000 - 1_483_619_690))
        .collect();
    // Two-digit years and missing days of the week are read; without a zone it is no moment.
    assert_eq!(seconds, [Some(1), Some(2), Some(3), Some(4), None, None, None]);
    let Some(index) = shared("sitemaps/sitemap.index.xml") else { return };
    assert!(index.is_index());
    assert_eq!(index.entries[0].url, "https://example.com/sitemap.jss?portalCode=10260&lang=en");
}

#[test]
fn what_stands_in_an_extension_is_no_page() {
    let sitemap = read_text(
        "<urlset><url><image:image><image:loc>/a.jpg</image:loc></image:image>\
         <loc>/a</loc><extra><loc>/b</loc></extra></url></urlset>",
    );
    assert_eq!(urls(&sitemap), ["http://www.example.com/a"]);
    assert_eq!(sitemap.faults, Vec::<String>::new());
}

#[test]
fn other_languages_of_a_page_are_pages() {
    let sitemap = read_text(
        "<urlset><url><loc>/en</loc><xhtml:link rel='alternate' hreflang='es' href='/es'/>\
         <xhtml:link rel=\"stylesheet\" href=\"/style.css\"/></url>\
         <url><loc>/es</loc><priority>0.9</priority></url></urlset>",
    );
    assert_eq!(urls(&sitemap), ["http://www.example.com/en", "http://www.example.com/es"]);
    assert_eq!(sitemap.entries[1].priority, Some(0.9), "the page itself says more");
}

#[test]
fn malformed_xml_is_read_as_far_as_it_goes() {
    let cases = [
        // Tags left open, bare ampersands, comments and rubbish.
        (
            "<urlset><url><loc>/a?x=1&y=2<url><loc>/b</loc><!-- <url> --></urlset>",
            vec!["/a?x=1&y=2", "/b"],
        ),
        ("<urlset><url><loc>/a</loc></url><url><loc>/b</loc>", vec!["/a", "/b"]),
        // An address that is cut off is none.
        ("<urlset><url><loc>/a</loc></url><url><loc>/bcd", vec!["/a"]),
        ("<url><loc>/a</loc></url>", vec!["/a"]),
        ("<urlset><url><loc> <![CDATA[/a]]> </loc></url></urlset>", vec!["/a"]),
        ("<URLSET><URL><LOC>/a</LOC></URL></URLSET>", vec!["/a"]),
        ("<urlset a=\"x><url><loc>/a</loc></url></urlset>", vec!["/a"]),
        ("<urlset><url 1 < 2><loc>/a</loc></url></urlset>", vec!["/a"]),
    ];
    for (text, expected) in cases {
        let sitemap = read_text(text);
        assert_eq!(sitemap.kind, Kind::UrlSet, "{text}");
        let expected: Vec<String> =
            expected.iter().map(|path| format!("http://www.example.com{path}")).collect();
        assert_eq!(urls(&sitemap), expected, "{text}");
    }
    assert_eq!(
        read_text("<urlset><url><loc>/a</loc></url>").faults,
        ["it breaks off before its end"]
    );
}

#[test]
fn entities_of_a_document_type_are_not_expanded() {
    let sitemap = read_text(
        "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY a \"aaaaaaaaaa\">\
         <!ENTITY b \"&a;&a;&a;&a;\">]><urlset><url><loc>http://h.test/&b;&#x2f;&#47;</loc></url></urlset>",
    );
    assert_eq!(urls(&sitemap), ["http://h.test/&b;//"]);
}

#[test]
fn what_is_no_sitemap_says_so() {
    for text in [
        "",
        "<!DOCTYPE html><html><body><a href='/a'>a</a></body></html>",
        "<config><a>1</a></config>",
        "Not found\n",
        "\u{0}\u{1}binary",
    ] {
        let sitemap = read_text(text);
        assert_eq!((sitemap.kind, sitemap.entries.len()), (Kind::Unknown, 0), "{text:?}");
        assert!(!sitemap.faults.is_empty(), "{text:?}");
    }
}

#[test]
fn packed_twice_or_torn_it_is_still_read() {
    let text = "http://h.test/1\nhttp://h.test/2\n".repeat(200);
    let packed = gzip(text.as_bytes());
    let limits = Limits::default();
    let twice = read(&gzip(&packed), None, HOME, &limits);
    assert_eq!((twice.kind, twice.entries.len()), (Kind::Text, 2));
    assert_eq!(twice.faults, Vec::<String>::new());
    let torn = read(&packed[..packed.len() - 9], None, HOME, &limits);
    assert_eq!(torn.faults.first().map(String::as_str), Some("its gzip data are broken"));
}

#[test]
fn the_limits_hold_and_are_told() {
    let text: String = (0..30).map(|n| format!("http://h.test/{n}\n")).collect();
    let limits = Limits { max_entries: 10, ..Limits::default() };
    let sitemap = read(text.as_bytes(), None, HOME, &limits);
    assert_eq!(sitemap.entries.len(), 10);
    assert_eq!(sitemap.faults, ["20 entries beyond the first 10 are left out"]);
    let limits = Limits { max_bytes: 100, ..Limits::default() };
    let bomb = read(&gzip(&vec![b'a'; 1 << 20]), None, HOME, &limits);
    assert_eq!(bomb.faults.first().map(String::as_str), Some("only the first 100 bytes are read"));
    let long = format!("http://h.test/{}\nhttp://h.test/short\n", "x".repeat(3000));
    let sitemap = read_text(&long);
    assert_eq!(urls(&sitemap), ["http://h.test/short"]);
    assert_eq!(sitemap.faults, ["1 addresses are longer than 2048 bytes"]);
}

#[test]
fn other_encodings_and_other_schemes() {
    let latin =
        b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/caf\xe9</loc></url>\
        <url><loc>javascript:alert(1)</loc></url></urlset>";
    let sitemap = read(latin, None, HOME, &Limits::default());
    assert_eq!(urls(&sitemap), ["http://www.example.com/caf%C3%A9"]);
    assert_eq!(sitemap.faults, ["1 entries are no http(s) address"]);
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(
        "<urlset><url><loc>/a</loc></url></urlset>".encode_utf16().flat_map(u16::to_le_bytes),
    );
    assert_eq!(urls(&read(&utf16, None, HOME, &Limits::default())), ["http://www.example.com/a"]);
}

#[test]
fn the_dearest_come_first_and_equals_keep_their_order() {
    let mut sitemap = read_text(
        "<urlset><url><loc>/low</loc><priority>0.1</priority></url><url><loc>/a</loc></url>\
         <url><loc>/b</loc><lastmod>2020-01-01</lastmod></url><url><loc>/c</loc></url>\
         <url><loc>/top</loc><priority>1.0</priority></url></urlset>",
    );
    sitemap.sort_by_worth();
    let paths: Vec<&str> =
        sitemap.entries.iter().filter_map(|entry| entry.url.rsplit('/').next()).collect();
    assert_eq!(paths, ["top", "b", "a", "c", "low"]);
}

/// Pieces of sitemaps in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<urlset>",
            "</urlset>",
            "<url>",
            "</url>",
            "<loc>",
            "</loc>",
            "<sitemap>",
            "<item>",
            "<rss>",
            "<feed>",
            "<entry>",
            "<link href='/x'/>",
            "<link>",
            "<a:b>",
            "</a:b>",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<!DOCTYPE a [",
            "]>",
            "<?",
            "?>",
            "&amp;",
            "&#x110000;",
            "&",
            "<",
            ">",
            "\"",
            "'",
            "=",
            "é",
            "http://h.test/",
            "<guid>",
            "<lastmod>2004",
            "<priority>NaN",
            "xml:base='//'",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic_and_entries_are_absolute_and_distinct(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        soup in soup(),
        pack in any::<bool>(),
        url in "(http://h\\.test/[a-z]{0,3}|.{0,8})",
    ) {
        for body in [bytes.clone(), soup.as_bytes().to_vec(), [soup.as_bytes(), &bytes].concat()] {
            let body = if pack { gzip(&body) } else { body };
            let limits = Limits { max_entries: 5, max_url_bytes: 64, max_faults: 3, max_bytes: 2_000 };
            let sitemap = read(&body, Some("text/xml; charset=utf-8"), &url, &limits);
            prop_assert!(sitemap.entries.len() <= 5);
            prop_assert!(sitemap.faults.len() <= 3);
            let mut seen = std::collections::HashSet::new();
            for entry in &sitemap.entries {
                prop_assert!(lycosa_frontier::normal::parse(&entry.url).is_ok());
                prop_assert!(seen.insert(&entry.url));
            }
        }
    }
}

#[test]
fn a_json_feed_names_pages_and_dates_them() {
    let feed = read_text(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [
            {"id": "1", "url": "/a", "content_html": "<p>x", "date_published": "2026-11-01T10:00:00Z",
             "date_modified": "2026-11-02T10:00:00+01:00"},
            {"id": "http://www.example.com/b", "date_published": "2026-11-03"},
            {"id": 3, "url": "https://other.example/c", "authors": [{"name": "x", "url": "/no"}]},
            {"id": "4", "external_url": "https://far.example/"}, {"url": ["no"]}, {}],
            "next_url": "/feed?page=2"}"#,
    );
    assert_eq!((feed.kind, feed.kind.name()), (Kind::Json, "json_feed"));
    let all = ["http://www.example.com/a", "http://www.example.com/b", "https://other.example/c"];
    assert_eq!(urls(&feed), all);
    let dates: Vec<_> = feed.entries.iter().map(|entry| entry.lastmod.map(|at| at.0)).collect();
    assert_eq!(dates, [Some(1_793_610_000_000), Some(1_793_664_000_000), None]);
    assert_eq!(feed.faults, Vec::<String>::new());
}

#[test]
fn what_is_no_item_of_a_json_feed_does_not_end_it() {
    let feed = read_text(
        r#"{"items": [7, {"url": "/a"}, null, "x", [{"url": "/no"}], {"url": {"url": "/b"}}, true,
            {"url": "/d"}], "version": "https:\/\/jsonfeed.org\/version\/1"}"#,
    );
    let all = ["http://www.example.com/a", "http://www.example.com/d"];
    assert_eq!((feed.kind, urls(&feed)), (Kind::Json, all.to_vec()));
    assert_eq!(feed.faults, ["5 entries are no http(s) address"]);
    assert_eq!(read_text(r#"{"version": "https:\/\/jsonfeed.org\/version\/1"}"#).kind, Kind::Json);
}

#[test]
fn a_json_feed_that_breaks_off_is_read_as_far_as_it_goes_and_other_json_is_none() {
    let torn = read_text(
        r#"{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a"}, {"url": "/b"#,
    );
    assert_eq!((torn.kind, urls(&torn)), (Kind::Json, vec!["http://www.example.com/a"]));
    assert!(torn.faults[0].contains("broken JSON"), "{:?}", torn.faults);
    let nameless = read_text(r#"{"items": [{"url": "/a"}]}"#);
    assert_eq!((nameless.kind, nameless.entries.len()), (Kind::Json, 1));
    for other in [r#"{"a": 1}"#, r#"{"items": 7}"#, "{", r#"{"items": [[]]}"#] {
        let read = read_text(other);
        assert_eq!((read.kind, read.entries.len()), (Kind::Unknown, 0), "{other}");
        assert!(!read.faults.is_empty());
    }
    let deep = format!("{{\"items\": [{}", "{\"x\": [".repeat(100_000));
    assert_eq!(read_text(&deep).kind, Kind::Unknown);
}
