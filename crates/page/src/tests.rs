use crate::{Input, Limits, Reading, read};
use lycosa_model::message::Parts;
use lycosa_model::{Document, Link, LinkKind, UrlId};
use proptest::prelude::*;

const URL: &str = "http://site.test/dir/page.html";

fn input(body: &[u8]) -> Input<'_> {
    Input {
        content_type: Some("text/html; charset=utf-8"),
        ..Input::new(UrlId::of(URL), URL, body)
    }
}

pub(crate) fn document(html: &str) -> Document {
    match read(&input(html.as_bytes()), &Limits::default()) {
        Reading::Document(document) => *document,
        Reading::NotText { media_type, .. } => panic!("not text but {media_type}"),
    }
}

/// The document with all that the page embeds and mentions.
fn with_resources(html: &str) -> Document {
    match read(&input(html.as_bytes()), &Limits::with_resources()) {
        Reading::Document(document) => *document,
        Reading::NotText { media_type, .. } => panic!("not text but {media_type}"),
    }
}

fn urls(html: &str) -> Vec<String> {
    document(html).links.into_iter().map(|link| link.url).collect()
}

fn only_link(html: &str) -> Link {
    let mut links = document(html).links;
    assert_eq!(links.len(), 1, "{links:?}");
    links.remove(0)
}

#[test]
fn links_survive_tag_soup() {
    let soup = r#"<A HREF = "/1">one <a href=/2>two<a href='/3?a=1&amp;b=2&copy=3'>three</a>
        <script>document.write("<a href=/no1>x</a>")</script>
        <script type=ignore><a href=/no7>for those who do not look</a></script>
        <!-- <a href="/no2">x</a> --> <textarea><a href=/no3>x</a></textarea>
        <style>a{} <a href=/no4></style> <template><a href=/no5>x</a></template>
        <svg><title>t</title><a xlink:href="/4"><text>four</text></a></svg>
        <noscript><a href="/5">five</a></noscript> <p title="<a href=/no6>"><a
        class=x href="/6"
        >six</p>"#;
    let found = urls(soup);
    // `&copy=` in an attribute is no entity, as the standard has it.
    let paths = ["/1", "/2", "/3?a=1&b=2&copy=3", "/4", "/5", "/6"];
    let wanted: Vec<String> = paths.iter().map(|path| format!("http://site.test{path}")).collect();
    assert_eq!(found, wanted);
}

#[test]
fn an_unclosed_link_ends_where_the_next_begins() {
    let links = document("<a href=/1>one <a href=/2>two</a> three").links;
    assert_eq!(links[0].anchor, "one");
    assert_eq!(links[1].anchor, "two");
}

#[test]
fn links_resolve_against_the_base_and_lose_the_fragment() {
    let html = "<base href='/other/'><a href='x#part'>x</a><a href='//else.test'>y</a>\
        <a href='mailto:a@b'>m</a><a href='javascript:0'>j</a><a href='http://'>bad</a>";
    assert_eq!(urls(html), ["http://site.test/other/x", "http://else.test/"]);
    assert_eq!(urls("<a href='?q=1'>x</a>"), ["http://site.test/dir/page.html?q=1"]);
    assert!(urls("<a href='#top'>up</a>").is_empty());
}

#[test]
fn every_construct_that_names_a_link_is_read() {
    let html = "<link rel='Canonical' href=/c><meta http-equiv=Refresh content='3; url=/r'>\
        <map><area href=/area alt='the  area'></map><iframe src=/frame></iframe><frame src=/f2>\
        <a href=/a rel='NoFollow  UGC'>a</a>";
    let document = document(html);
    let kinds: Vec<(LinkKind, &str)> = document
        .links
        .iter()
        .map(|link| (link.kind, &link.url["http://site.test".len()..]))
        .collect();
    assert_eq!(
        kinds,
        [
            (LinkKind::Canonical, "/c"),
            (LinkKind::Refresh, "/r"),
            (LinkKind::Area, "/area"),
            (LinkKind::Frame, "/frame"),
            (LinkKind::Frame, "/f2"),
            (LinkKind::Anchor, "/a"),
        ]
    );
    assert_eq!(document.canonical.as_deref(), Some("http://site.test/c"));
    assert_eq!(document.links[2].anchor, "the area");
    assert_eq!(document.links[5].rel, "nofollow ugc");
    assert!(document.links[5].nofollow());
}

/// Kind and path of each link, resources among them.
fn all_kinds(html: &str) -> Vec<(LinkKind, String)> {
    let path = |url: &str| url.trim_start_matches("http://site.test").to_owned();
    with_resources(html).links.iter().map(|link| (link.kind, path(&link.url))).collect()
}

#[test]
fn links_to_related_pages_are_told_from_resources() {
    let html = "<link rel=next href=/2><link rel='Alternate' hreflang=es href=/es>\
        <link rel=alternate type='application/rss+xml' href=/feed><link rel=icon href=/i>\
        <link rel='alternate stylesheet' href=/css type=text/css><link rel=preconnect href=//else.test>\
        <link rel=up type='text/html; charset=utf-8' href=/up><link rel='prev nofollow' href=/0>";
    assert_eq!(
        all_kinds(html),
        [
            (LinkKind::Related, "/2".into()),
            (LinkKind::Related, "/es".into()),
            (LinkKind::Feed, "/feed".into()),
            (LinkKind::Related, "/up".into()),
            (LinkKind::Related, "/0".into()),
            (LinkKind::Resource, "/i".into()),
            (LinkKind::Resource, "/css".into()),
        ]
    );
    let links = document(html).links;
    assert_eq!(links.len(), 5, "without resources only pages, and feeds");
    assert!(links[4].nofollow());
}

#[test]
fn a_page_names_a_few_feeds_at_most() {
    let feed = |n| format!("<link rel=alternate type=application/atom+xml href=/feed/{n}>");
    let html = (0..20).map(feed).collect::<String>() + "<a href=/feed/0>News</a><a href=/on>On</a>";
    let links = document(&html).links;
    let feeds = links.iter().filter(|link| link.kind == LinkKind::Feed).count();
    assert_eq!((links.len(), feeds), (5, 3), "and one that readers are led to is a page");
    assert!(links.iter().all(|link| link.kind != LinkKind::Resource));
}

#[test]
fn what_a_page_embeds_sends_to_and_mentions_is_found_when_wanted() {
    let html = "<p style='background:url(/bg)'>See https://else.test/x.</p><a href=/a><img src=/i \
        srcset='/i1 1x, /i2 2x'></a><form action=/f><button formaction=/g></button></form>\
        <style>@import '/s';</style><script>fetch('/api/v1')</script>\
        <iframe srcdoc='<a rel=nofollow href=/in>in</a><img src=/ini>'></iframe>\
        <!--[if IE]><a href=/ie>x</a><script src=/ies></script><![endif]--><!-- <a href=/no> -->\
        <template><img src=/no2></template><img src='#'><img src=''><video poster=/i>";
    let kinds = all_kinds(html);
    let wanted = [
        (LinkKind::Anchor, "/a"),
        (LinkKind::Frame, "/in"),
        (LinkKind::Resource, "/bg"),
        (LinkKind::Resource, "/i"),
        (LinkKind::Resource, "/i1"),
        (LinkKind::Resource, "/i2"),
        (LinkKind::Form, "/f"),
        (LinkKind::Form, "/g"),
        (LinkKind::Resource, "/s"),
        (LinkKind::Inline, "/api/v1"),
        (LinkKind::Resource, "/ini"),
        (LinkKind::Inline, "/ie"),
        (LinkKind::Resource, "/ies"),
        (LinkKind::Inline, "https://else.test/x"),
    ];
    assert_eq!(kinds, wanted.map(|(kind, path)| (kind, path.to_owned())));
    let links = document(html).links;
    assert_eq!(links.len(), 2);
    assert!(links[1].nofollow(), "what is said in a frame's own page holds");
}

#[test]
fn resources_do_not_crowd_out_links() {
    let images: String = (0..50).map(|n| format!("<img src=/i{n}>")).collect();
    let html = format!("{images}<a href=/i7>seven</a><a href=/a>a</a>");
    let limits = Limits { max_resources: 10, max_links: 2, ..Limits::default() };
    let Reading::Document(found) = read(&input(html.as_bytes()), &limits) else {
        panic!("not read");
    };
    assert_eq!(found.links.len(), 12);
    let seven = found.links.iter().find(|link| link.url.ends_with("/i7")).expect("a link");
    assert_eq!((seven.kind, &*seven.anchor), (LinkKind::Anchor, "seven"));
}

#[test]
fn headers_name_links_too() {
    let mut input = input(b"<p>x<a href='/style'>style</a>");
    input.link = vec!["</2>; rel=next, </style>; rel=preload", "</c>; rel=canonical"];
    input.content_location = Some("page.en.html");
    let Reading::Document(found) = read(&input, &Limits::with_resources()) else {
        panic!("not read");
    };
    let kinds: Vec<_> = found.links.iter().map(|link| (link.kind, &*link.url)).collect();
    let wanted = [
        (LinkKind::Related, "http://site.test/2"),
        // Named as a resource first, but readers are led there as well.
        (LinkKind::Anchor, "http://site.test/style"),
        (LinkKind::Canonical, "http://site.test/c"),
        (LinkKind::Resource, "http://site.test/dir/page.en.html"),
    ];
    assert_eq!(kinds, wanted);
    assert_eq!(found.canonical.as_deref(), Some("http://site.test/c"));
    input.content_type = Some("application/pdf");
    let Reading::NotText { links, .. } = read(&input, &Limits::default()) else {
        panic!("read");
    };
    assert_eq!(links.len(), 2, "the headers of what is not read: {links:?}");
}

#[test]
fn stylesheets_and_scripts_are_no_text_but_name_addresses() {
    for (content_type, body, wanted) in [
        ("text/css", "@import 'a.css'; b { c: url(/d) }", ["/dir/a.css", "/d"]),
        ("text/javascript; charset=utf-8", "load('/e'); load(\"/f\")", ["/e", "/f"]),
    ] {
        let mut input = input(body.as_bytes());
        input.content_type = Some(content_type);
        let Reading::NotText { links, .. } = read(&input, &Limits::with_resources()) else {
            panic!("{content_type} is read");
        };
        let urls: Vec<&str> =
            links.iter().map(|link| &link.url["http://site.test".len()..]).collect();
        assert_eq!(urls, wanted);
        let unwanted = read(&input, &Limits::default());
        assert!(matches!(unwanted, Reading::NotText { links, .. } if links.is_empty()));
        input.x_robots_tag = vec!["nofollow"];
        let closed = read(&input, &Limits::with_resources());
        assert!(matches!(closed, Reading::NotText { links, .. } if links.is_empty()));
    }
}

#[test]
fn a_refresh_header_is_a_link() {
    let mut input = input(b"<p>x");
    input.refresh = Some("0; url=next");
    let Reading::Document(document) = read(&input, &Limits::default()) else {
        panic!("not read");
    };
    assert_eq!(document.links[0].url, "http://site.test/dir/next");
    assert_eq!(document.links[0].kind, LinkKind::Refresh);
}

#[test]
fn a_link_has_ten_words_of_context_on_either_side() {
    let before: Vec<String> = (1..=14).map(|n| format!("b{n}")).collect();
    let after: Vec<String> = (1..=14).map(|n| format!("a{n}")).collect();
    let html = format!(
        "<p>{}</p><script>no words</script><p>x <a href=/t>the <b>anchor</b></a>, {}</p>",
        before.join(" "),
        after.join(" ")
    );
    let link = only_link(&html);
    assert_eq!(link.anchor, "the anchor");
    assert_eq!(link.context, "b6 b7 b8 b9 b10 b11 b12 b13 b14 x , a1 a2 a3 a4 a5 a6 a7 a8 a9");
}

#[test]
fn a_link_has_the_path_of_elements_that_it_stands_in() {
    let link = only_link("<body><ul class='nav wide'><li><a href=/t>x</a></ul>");
    assert_eq!(link.tag_path, "ul.nav/li/a");
    let deep = format!("{}<a class='a/b' href=/t>x</a>", "<div>".repeat(40));
    let link = only_link(&deep);
    assert_eq!(link.tag_path.split('/').count(), 16, "{}", link.tag_path);
    assert!(link.tag_path.ends_with("div/a.ab"), "{}", link.tag_path);
}

#[test]
fn a_target_is_listed_once_and_takes_the_first_words_it_gets() {
    let link = only_link(
        "<a href=/t><img src=i></a> words <a href='/t#x'>named</a> more <a href=/t>later</a>",
    );
    assert_eq!(link.anchor, "named");
    assert_eq!(link.context, "words more later");
    assert_eq!(only_link("<a href=/t><img alt=' a  picture '></a>").anchor, "a picture");
}

#[test]
fn a_query_is_written_in_the_encoding_of_the_page() {
    let mut input = input(b"<a href='/s?q=ni\xf1o'>x</a>");
    input.content_type = Some("text/html; charset=iso-8859-1");
    let Reading::Document(document) = read(&input, &Limits::default()) else {
        panic!("not read");
    };
    assert_eq!(document.links[0].url, "http://site.test/s?q=ni%F1o");
}

#[test]
fn visible_text_has_a_line_per_block() {
    let found = document(
        "<title> The \n title </title><h1>Head</h1><p>One<b>two</b> three<p>four<br>five\
         <ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><td><table><tr><td>e</table></table>\
         <p hidden>no</p><div style='color:red; DISPLAY : none'>no</div><noscript>no</noscript>\
         <svg><text>no</text></svg>&lt;end&gt;&nbsp;.",
    );
    assert_eq!(found.title, "The title");
    assert_eq!(found.text, "Head\nOnetwo three\nfour\nfive\na\nb\nc\td\ne\n<end> .");
}

#[test]
fn the_first_heading_stands_in_for_a_title() {
    assert_eq!(document("<title> </title><h2>A <i>heading</i></h2><h1>B</h1>").title, "A heading");
    assert_eq!(document("<svg><title>no</title></svg><title>yes</title>").title, "yes");
    assert_eq!(document("<p>x").title, "");
}

#[test]
fn the_head_tells_keywords_description_and_robots() {
    let found = document(
        "<meta name=Keywords content='a,  b'><meta property='og:description' content=og>\
         <meta name=robots content='NOARCHIVE, follow'><meta name=lycosa content=nofollow>\
         <meta name=otherbot content=noindex>",
    );
    assert_eq!((found.keywords.as_str(), found.description.as_str()), ("a, b", "og"));
    assert!(found.robots.noarchive && found.robots.nofollow && !found.robots.noindex);
    let both =
        document("<meta property=og:description content=og><meta name=description content=own>");
    assert_eq!(both.description, "own");
}

#[test]
fn navigation_is_not_main_text() {
    let found = document(
        "<nav><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></nav><div class=sidebar>\
         <p>Sign up to our weekly letter and never miss any of the things that we write about.</p></div>\
         <article><h1>River</h1><p>The river rises in the northern hills and runs for two hundred miles \
         before it meets the sea, and its valley was settled early.</p><h2>Mills</h2><p>The first mills \
         were built where the water falls over the rocks, and some of them are still at work today.</p>\
         <ul><li>a wooden mill<li>a stone mill</ul></article><footer>All rights reserved.</footer>",
    );
    let lines: Vec<&str> = found.main.lines().collect();
    assert_eq!(lines.len(), 6, "{lines:#?}");
    assert_eq!((lines[0], lines[2], lines[5]), ("River", "Mills", "a stone mill"));
    assert!(found.text.contains("Home") && found.text.contains("All rights"));
}

#[test]
fn plain_text_has_paragraphs_and_no_links() {
    let mut input = input(b"One.  \r\n\r\n\r\nTwo <a href=/x>x</a>\n");
    input.content_type = Some("text/plain");
    let Reading::Document(document) = read(&input, &Limits::default()) else {
        panic!("not read");
    };
    assert_eq!(document.text, "One.\n\nTwo <a href=/x>x</a>");
    assert_eq!(document.media_type, "text/plain");
    assert!(document.links.is_empty());
}

#[test]
fn broken_bytes_are_replaced_and_the_rest_is_read() {
    let found = match read(&input(b"<p>a\xff\xfeb</p><a href=/x>\xc3</a>"), &Limits::default()) {
        Reading::Document(document) => *document,
        Reading::NotText { .. } => panic!("not read"),
    };
    assert_eq!(found.text, "a\u{fffd}\u{fffd}b\n\u{fffd}");
    assert_eq!(found.media_type, "text/html");
    assert_eq!(found.links.len(), 1);
}

#[test]
fn a_megabyte_of_open_elements_is_read() {
    let html = format!("{}<a href=/deep>deep</a> text", "<div>".repeat(200_000));
    let found = document(&html);
    assert_eq!(found.links.len(), 1);
    assert!(found.text.contains("text"));
    for piece in ["<b><p>", "<table><tr><td>", "<a href=x>", "</div>", "<ul><li>", "<svg><math>"] {
        let _ = document(&piece.repeat(100_000));
    }
    let _ = document(&format!("<p {}>", "a=b c ".repeat(200_000)));
    let _ = document(&format!("<a href='{}'>", "x".repeat(2_000_000)));
}

#[test]
fn limits_hold() {
    let limits = Limits { max_links: 3, max_text_bytes: 100, ..Limits::default() };
    let html: String = (0..50).map(|n| format!("<a href=/{n}>link number {n}</a> ")).collect();
    let Reading::Document(found) = read(&input(html.as_bytes()), &limits) else {
        panic!("not read");
    };
    assert_eq!(found.links.len(), 3);
    assert!(found.text.len() <= 100);
}

/// Pieces that make trouble when they meet.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<p>"),
        Just("</p>"),
        Just("<table>"),
        Just("<tr>"),
        Just("<td>"),
        Just("</table>"),
        Just("<a href=x>"),
        Just("</a>"),
        Just("<b>"),
        Just("</b>"),
        Just("<ul><li>"),
        Just("</li>"),
        Just("<pre>\n x"),
        Just("</pre>"),
        Just("<svg/>"),
        Just("<title>"),
        Just("<script>"),
        Just("</script>"),
        Just("<template>"),
        Just("<h1>"),
        Just("</h2>"),
        Just("<blockquote>"),
        Just("<![CDATA["),
        Just("<!--"),
        Just("-->"),
        Just("&amp"),
        Just("&#x0;"),
        Just(" words and more. "),
        Just("ñandú "),
        Just("日本語"),
        Just("<base href=//>"),
        Just("<meta http-equiv=refresh content='0;url='>"),
        Just("<br>"),
        Just("</br>"),
        Just("<option>"),
        Just("<code>`"),
        Just("</code>"),
        Just("|"),
        Just("<style>@import 'a';b{c:url("),
        Just("</style>"),
        Just("<!--[if IE]><img src=a>"),
        Just("<iframe srcdoc='<a href=x><p srcset=\"a 1x,"),
        Just("<img src='data:image/svg+xml,%3Csvg%3E%ff"),
        Just("' style='a:url(b)' action=c>"),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read(body in proptest::collection::vec(any::<u8>(), 0..600), header in any::<bool>()) {
        let mut input = input(&body);
        if !header {
            input.content_type = None;
        }
        let _ = read(&input, &Limits::default());
    }

    #[test]
    fn any_soup_is_read_alike_twice(html in soup()) {
        prop_assert_eq!(document(&html), document(&html));
    }

    #[test]
    fn a_page_read_for_its_links_has_the_links_that_it_has(html in soup(), resources in any::<bool>()) {
        let limits = if resources { Limits::with_resources() } else { Limits::default() };
        let part = |parts| match read(&input(html.as_bytes()).for_parts(parts), &limits) {
            Reading::Document(document) => *document,
            Reading::NotText { .. } => unreachable!("it is HTML"),
        };
        let (all, links) = (part(Parts::ALL), part(Parts::LINKS));
        let bare = |link: &lycosa_model::Link| (link.url.clone(), link.rel.clone(), link.kind);
        prop_assert_eq!(
            all.links.iter().map(bare).collect::<Vec<_>>(),
            links.links.iter().map(bare).collect::<Vec<_>>()
        );
        prop_assert_eq!((all.robots, all.canonical), (links.robots, links.canonical));
        let index = Document { links: Vec::new(), ..part(Parts::INDEX) };
        let all = Document { links: Vec::new(), markdown: String::new(), facts: None, ..part(Parts::ALL) };
        prop_assert_eq!(all, index);
    }

    #[test]
    fn resources_leave_everything_else_as_it_is(html in soup()) {
        let plain = document(&html);
        let rich = with_resources(&html);
        let pages: Vec<_> = rich.links.iter().filter(|link| link.kind.leads_to_page()).collect();
        prop_assert_eq!(pages, plain.links.iter().collect::<Vec<_>>());
        prop_assert_eq!(Document { links: Vec::new(), ..rich }, Document { links: Vec::new(), ..plain });
    }

    #[test]
    fn any_url_and_limits_are_taken(url in any::<String>(), html in soup(), small in 0_usize..40) {
        let limits = Limits {
            max_body_bytes: 1000, max_text_bytes: small, max_nodes: small, max_depth: small,
            max_links: small, max_resources: small, max_url_bytes: small, max_field_bytes: small,
        };
        let mut input = input(html.as_bytes());
        input.url = &url;
        input.refresh = Some(&url);
        input.x_robots_tag = vec![&url];
        input.link = vec![&url];
        input.content_location = Some(&url);
        let _ = read(&input, &limits);
    }
}
