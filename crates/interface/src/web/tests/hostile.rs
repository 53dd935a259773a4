//! Nothing that a crawled page says may become anything but text.

use super::*;
use crate::web::clean::{Address, MAX_SNIPPET, Snippet, line};

use proptest::prelude::*;

/// Every tag of a page as `(name, attributes)`. On a page whose text is escaped, each `<` begins a tag.
fn tags(html: &str) -> Vec<(String, String)> {
    let pieces = html.split('<').skip(1);
    pieces
        .map(|piece| {
            let tag = piece.split('>').next().unwrap_or_default();
            let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
            (name.to_ascii_lowercase(), attributes.to_owned())
        })
        .collect()
}

/// Fails when a page holds a tag, an attribute or a link that our templates do not write.
pub(super) fn assert_harmless(html: &str) {
    const TAGS: &str = "!doctype html head meta title link body a svg g path circle span header form label \
         input button main h1 h2 nav div ul ol li p article bdi abbr time details summary section mark code \
         pre footer script noscript table thead tbody tr th td meter br dl dt dd polygon text figure canvas \
         figcaption select option output textarea dialog kbd rect fieldset legend datalist ins del";
    // A script is a file of ours, and there is nothing in its tag.
    assert_eq!(
        html.matches("<script").count(),
        html.matches("<script type=\"module\" src=\"/assets/").count(),
        "{html}"
    );
    assert_eq!(html.matches("<script").count(), html.matches("\"></script>").count(), "{html}");
    for (name, attributes) in tags(html) {
        let bare = name.trim_start_matches('/');
        assert!(
            TAGS.split_whitespace().any(|known| known == bare),
            "<{name} {attributes}> in {html}"
        );
        for (attribute, value) in pairs(&attributes) {
            assert!(!attribute.starts_with("on") && attribute != "style", "{attribute} in {html}");
            if matches!(attribute, "href" | "src" | "action") {
                let safe = ["/", "#", "http://", "https://", "mailto:"];
                assert!(safe.iter().any(|start| value.starts_with(start)), "{value} in {html}");
                assert!(!value.starts_with("//"), "{value} leaves the server");
            }
        }
    }
}

/// Names and values of a tag's attributes. Our templates write `name="value"`, or a name alone.
fn pairs(mut attributes: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    loop {
        attributes = attributes.trim_start_matches([' ', '\n', '/']);
        let end = attributes.find([' ', '\n', '=']).unwrap_or(attributes.len());
        let (name, rest) = attributes.split_at(end);
        if name.is_empty() {
            assert_eq!(rest, "", "an attribute without a name");
            return out;
        }
        match rest.strip_prefix("=\"") {
            Some(rest) => {
                let (value, rest) = rest.split_once('"').expect("a value that ends");
                out.push((name, value));
                attributes = rest;
            }
            None => {
                assert!(!rest.starts_with('='), "{name} has a value without quotes");
                out.push((name, ""));
                attributes = rest;
            }
        }
    }
}

pub(super) const ATTACKS: [&str; 17] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title><script>alert(1)</script>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "javascript://evil.example/%0aalert(1)",
    "vbscript:msgbox(1)",
    "//evil.example/",
    "https://good.example@evil.example/\"onclick=\"x",
    "\u{202e}gnp.exe\u{2066}\u{0}\u{7}",
    "<mark onclick=alert(1)>x</mark><mark><mark></mark>",
    "&lt;script&gt;&#60;script&#62;&#x202e;&ampamp",
    "{{ 7 * 7 }}{% include \"/etc/passwd\" %}",
];

fn poisoned(text: &str) -> SearchResponse {
    SearchResponse {
        query: text.into(),
        total: 50,
        took_ms: f64::NAN,
        suggestion: Some(text.into()),
        complete: 3,
        blocked: usize::MAX,
        notes: QueryNote::ALL.to_vec(),
        facets: Some(Facets {
            counted: 1,
            sites: vec![FacetRow { value: text.into(), pages: 1 }],
            languages: vec![FacetRow { value: text.into(), pages: 1 }],
            years: vec![FacetRow { value: text.into(), pages: 1 }; 2],
        }),
        results: vec![Hit {
            url: text.into(),
            title: text.into(),
            snippet: text.into(),
            site: text.into(),
            agent: text.into(),
            positions: vec![255; 99],
            fetched: Tick(u64::MAX),
            also_at: vec![text.into(), "https://fine.example/".into()],
            explain: Some(Explain { what: text.into(), value: f32::NAN, parts: Vec::new() }),
            ..hit("https://example.org/", "x")
        }],
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn no_attack_gets_through_in_any_field() {
    for attack in ATTACKS {
        let stage = stage(Deed::Find(poisoned(attack)));
        let text = encoded(attack);
        for path in [
            format!("/search?q={text}"),
            format!("/search?q={text}&site={text}&lang={text}&ui={text}&page={text}"),
            format!("/?q={text}&ui={text}"),
            format!("/{text}"),
        ] {
            assert_harmless(&stage.get(&path).await.body);
        }
    }
}

#[tokio::test]
async fn an_address_that_is_no_web_address_is_not_linked() {
    for attack in ATTACKS {
        let stage = stage(Deed::Find(one(Hit { url: attack.into(), ..hit("", "The title") })));
        let page = stage.get("/search?q=a").await.body;
        assert!(page.contains(r#"<h2><span dir="auto">The title</span></h2>"#), "{attack}");
    }
}

#[tokio::test]
async fn marks_that_reorder_text_are_taken_out_of_it() {
    let stage = stage(Deed::Find(poisoned("abc\u{202e}fed\u{2067}ghi\u{feff}")));
    let page = stage.get("/search?q=a").await.body;
    assert!(page.contains("abcfedghi"));
    let body = page.split("<ol").nth(1).unwrap().split("</ol>").next().unwrap();
    assert!(!body.contains(['\u{202e}', '\u{2067}', '\u{feff}']), "{body}");
}

#[test]
fn a_clean_snippet_stays_as_it_is() {
    let clean = "Tom &amp; <mark>Jerry</mark> &lt;3 &#39;cheese&#39; &quot;<mark>x</mark>&quot;";
    assert_eq!(Snippet::new(clean).to_string(), clean);
}

#[test]
fn a_snippet_keeps_marks_balanced_and_nothing_else() {
    let cases = [
        ("<mark>a", "<mark>a</mark>"),
        ("a</mark>b", "ab"),
        ("<mark>a<mark>b</mark>c</mark>", "<mark>ab</mark>c"),
        ("<MARK>a", "&lt;MARK&gt;a"),
        ("<mark class=x>a", "&lt;mark class=x&gt;a"),
        ("a & b &copy; &#8238;", "a &amp; b &amp;copy; &amp;#8238;"),
        ("<b>\"'", "&lt;b&gt;&quot;&#39;"),
    ];
    for (dirty, clean) in cases {
        assert_eq!(Snippet::new(dirty).to_string(), clean);
    }
    let long = Snippet::new(&"é".repeat(MAX_SNIPPET + 5)).to_string();
    assert_eq!(long.chars().count(), MAX_SNIPPET + 1);
}

#[test]
fn addresses_read_as_people_write_them() {
    let address = Address::new("https://example.org:8443/a%20b/Espa%C3%B1a/%FF/x/y?q=1#f").unwrap();
    assert_eq!(address.words(), "example.org:8443 › a b › España › %FF › x › …");
    assert_eq!(Address::new("http://example.org").unwrap().words(), "example.org");
    let odd = Address::new("http://xn--a.example/b").unwrap();
    assert_eq!((odd.href.as_str(), odd.host.as_str()), ("http://xn--a.example/b", "xn--a.example"));
    assert_eq!(Address::new("https://bücher.example/").unwrap().host, "xn--bcher-kva.example");
    for bad in ["ftp://a.example/", "https://", "https://u:p@a.example/", "/local", "", "%"] {
        assert_eq!(Address::new(bad), None, "{bad}");
    }
}

#[test]
fn a_title_is_one_line_of_bounded_length() {
    assert_eq!(line("  a \n\t b\u{0}c  ", 10), "a bc");
    assert_eq!(line("abcdef", 3), "abc…");
    assert_eq!(line("abc", 3), "abc");
    assert_eq!(line(" \u{202e} ", 3), "");
}

proptest! {
    #[test]
    fn any_snippet_is_text_and_balanced_marks(text in "(<mark>|</mark>|<|>|&|amp;|\"|'|[a-z]|\\PC){0,60}") {
        let html = Snippet::new(&text).to_string();
        let mut open = false;
        for (name, attributes) in tags(&html) {
            prop_assert_eq!(&*attributes, "");
            prop_assert_eq!(&*name, if open { "/mark" } else { "mark" });
            open = !open;
        }
        prop_assert!(!open);
        prop_assert_eq!(Snippet::new(&html).to_string(), html, "cleaning twice changes nothing");
    }

    #[test]
    fn any_text_is_harmless_on_the_page(text in "(<[a-z]+ ?|[\"'>&=/]|on|[a-z]+:|\\PC){0,40}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let stage = stage(Deed::Find(poisoned(&text)));
            let page = stage.get(&format!("/search?q={}", encoded(&text))).await;
            assert_eq!(page.status, StatusCode::OK);
            assert_harmless(&page.body);
        });
    }
}
