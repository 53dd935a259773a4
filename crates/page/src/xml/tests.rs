use super::{is_allowed, write};
use lycosa_model::{Document, Lang, LangShare, Link, LinkKind, RobotsMeta, Tick, UrlId};
use proptest::prelude::*;

fn document(text: &str, url: &str) -> Document {
    Document {
        url_id: UrlId::of(url),
        url: url.to_owned(),
        media_type: String::new(),
        charset: "UTF-8".to_owned(),
        title: text.to_owned(),
        keywords: text.to_owned(),
        description: text.to_owned(),
        headings: String::new(),
        byline: String::new(),
        published: None,
        modified: None,
        text: text.to_owned(),
        main: String::new(),
        markdown: String::new(),
        links: vec![Link {
            url: url.to_owned(),
            anchor: text.to_owned(),
            context: text.to_owned(),
            tag_path: String::new(),
            rel: text.to_owned(),
            kind: LinkKind::Anchor,
        }],
        languages: vec![LangShare { lang: Lang::ES, share: 0.5 }],
        digest: String::new(),
        simhash: 0,
        shape: 0,
        main_words: 0,
        robots: RobotsMeta::default(),
        canonical: None,
        facts: None,
    }
}

fn written(document: &Document) -> String {
    let mut out = String::new();
    write(document, &mut out);
    out
}

#[test]
fn the_four_fields_stand_in_both_forms() {
    let xml = written(&document("Ñandú & <tú>", "http://x.test/?a=1&b=\"2\""));
    for name in ["title", "keywords", "description", "text"] {
        assert!(xml.contains(&format!("<{name} form=\"display\">Ñandú &amp; &lt;tú&gt;</{name}>")));
        assert!(xml.contains(&format!("<{name} form=\"folded\">nandu &amp; &lt;tu&gt;</{name}>")));
    }
    assert!(xml.contains("<url>http://x.test/?a=1&amp;b=&quot;2&quot;</url>"));
    assert!(xml.contains("<language code=\"es\" share=\"0.500\"/>"));
}

#[test]
fn headings_byline_and_dates_stand_there_where_a_page_has_them() {
    let bare = written(&document("x", "http://x.test/"));
    let full = written(&Document {
        headings: "Ñandú\nGulls".to_owned(),
        byline: "Ana".to_owned(),
        published: Some(Tick(1_714_521_600_000)),
        modified: Some(Tick(u64::MAX)),
        ..document("x", "http://x.test/")
    });
    for part in [
        "<headings form=\"display\">Ñandú\nGulls</headings>",
        "<headings form=\"folded\">nandu\ngulls</headings>",
        "<byline form=\"folded\">ana</byline>",
        "<published>2024-05-01T00:00:00Z</published>",
    ] {
        assert!(full.contains(part) && !bare.contains(part), "{part}: {full}");
    }
    assert!(!full.contains("<modified>"), "no such year");
    assert_well_formed(&full);
}

/// Checks that tags balance, attributes are quoted, and every reference is one that we write.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut rest = xml;
    assert!(xml.chars().all(is_allowed));
    while let Some(at) = rest.find('<') {
        assert_text(&rest[..at]);
        let end = rest.find('>').unwrap();
        let tag = &rest[at + 1..end];
        assert!(!tag.contains('<'), "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap().to_owned());
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert_text(tag);
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    assert_text(rest);
}

fn assert_text(text: &str) {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#13;"];
        assert!(known.iter().any(|entity| text[at..].starts_with(entity)), "{text}");
    }
}

proptest! {
    #[test]
    fn any_document_is_well_formed(text in any::<String>(), url in "[\\PC\\x00-\\x1f]{0,40}") {
        assert_well_formed(&written(&document(&text, &url)));
    }
}

#[test]
fn forbidden_characters_are_left_out() {
    let xml = written(&document("a\0b\u{1}c\u{fffe}d\u{ffff}e\u{7}f\rg", "http://x.test/"));
    assert!(xml.contains(">abcdef&#13;g<"), "{xml}");
    assert_well_formed(&xml);
}
