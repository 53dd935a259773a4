use super::*;
use crate::diff::diff;
use lycosa_model::message::WatchOrder;
use proptest::prelude::*;

const ATOM: &str = "http://www.w3.org/2005/Atom";

fn watch(title: &str, text: &str, url: &str) -> Watch {
    let entry = |number, change, diff| WatchEntry {
        number,
        change,
        url: url.into(),
        title: title.into(),
        at: Tick(1_700_000_000_000 + number),
        text: text.into(),
        diff,
        score: None,
        agent: String::new(),
        why: String::new(),
    };
    Watch {
        id: 3,
        uid: "abc".into(),
        order: WatchOrder { query: Some(title.into()), ..WatchOrder::default() },
        entries: vec![
            entry(7, ChangeKind::New, Vec::new()),
            entry(8, ChangeKind::Changed, diff("old words", text)),
        ],
        ..Watch::default()
    }
}

/// Asserts that it is a feed and tells the HTML of its entries.
fn read(feed: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(feed).expect("XML");
    let root = document.root_element();
    assert_eq!(root.tag_name(), (ATOM, "feed").into());
    let child = |node: roxmltree::Node<'_, '_>, name: &str| {
        let found = node.children().find(|child| child.has_tag_name((ATOM, name)));
        found.unwrap_or_else(|| panic!("{name} is missing: {feed}")).text().unwrap_or("").to_owned()
    };
    for name in ["id", "title", "updated"] {
        assert!(!child(root, name).is_empty(), "{name}");
    }
    let entries = root.children().filter(|node| node.has_tag_name((ATOM, "entry")));
    let mut ids = std::collections::BTreeSet::new();
    let html = entries.map(|entry| {
        assert!(ids.insert(child(entry, "id")), "an id of its own");
        let updated: Result<jiff::Timestamp, _> = child(entry, "updated").parse();
        assert!(updated.is_ok());
        child(entry, "content")
    });
    html.collect()
}

#[test]
fn a_feed_has_what_readers_need_and_names_that_stay() {
    let watch = watch("Herons & storks", "new words", "https://x.test/?a=1&b=2");
    let feed = atom(&watch, "http://127.0.0.1:8080");
    let html = read(&feed);
    assert_eq!(html.len(), 2);
    assert_eq!(html[0], "<p><del>old</del> <ins>new</ins> words</p>");
    for part in [
        "<id>tag:lycosa.invalid,2026:watch/abc/7</id>",
        "<link rel=\"self\" type=\"application/atom+xml\" href=\"http://127.0.0.1:8080/watches/3/feed.atom\"/>",
        "<link rel=\"alternate\" href=\"https://x.test/?a=1&amp;b=2\"/>",
        "<title>Changed: Herons &amp; storks</title>",
        "<category term=\"new\"/>",
        "<updated>2023-11-14T22:13:20.008Z</updated>",
    ] {
        assert!(feed.contains(part), "{part} is missing in {feed}");
    }
    assert_eq!(feed, atom(&watch, "http://127.0.0.1:8080"));
}

#[test]
fn text_of_pages_stays_text() {
    for hostile in [
        "<script>alert(1)</script>",
        "]]><script>alert(1)</script><![CDATA[",
        "\"><img src=x onerror=alert(1)>",
        "</content></entry><entry><id>x</id></entry>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "\u{0}\u{8}\u{b}\u{1b}\u{fffe}\u{ffff}\u{202e}nothing",
        "<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/passwd\">]>&y;",
    ] {
        let feed = atom(&watch(hostile, hostile, hostile), "http://h.test");
        for html in read(&feed) {
            let rest = ["<p>", "</p>", "<del>", "</del>", "<ins>", "</ins>", "<em>", "</em>"]
                .iter()
                .fold(html.clone(), |html, tag| html.replace(tag, ""));
            assert!(!rest.contains('<'), "{html}");
        }
        assert!(!feed.contains("rel=\"alternate\""), "only addresses of the web are linked to");
        assert!(!feed.contains('\u{202e}'));
    }
    let script = atom(&watch("t", "x", "javascript:alert(1)"), "http://h.test");
    assert!(!script.contains("javascript"), "{script}");
}

proptest! {
    #[test]
    fn any_text_makes_a_feed(title in any::<String>(), text in any::<String>(), url in any::<String>()) {
        prop_assert_eq!(read(&atom(&watch(&title, &text, &url), "http://h.test")).len(), 2);
    }
}
