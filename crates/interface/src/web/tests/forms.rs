//! Parameters that make no sense are repaired, never an error.

use super::*;
use crate::web::form::{Form, MAX_PAGE, MAX_QUERY, Note, Params, host};
use crate::web::ui::Ui;
use lycosa_model::{Preference, Preferences};
use proptest::prelude::*;

fn params(query: &str) -> Params {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    Params(pairs.map(|(key, value)| (key.into(), value.into())).collect())
}

fn form(query: &str) -> Form {
    Form::new(&params(query))
}

#[test]
fn a_page_that_is_no_number_is_the_first() {
    for (text, page) in [
        ("abc", 1),
        ("", 1),
        ("0", 1),
        ("-7", 1),
        ("NaN", 1),
        ("7", 7),
        ("2.9", 2),
        ("1e9", MAX_PAGE),
        ("inf", MAX_PAGE),
        ("99999999999999999999999", MAX_PAGE),
    ] {
        assert_eq!(form(&format!("q=a&page={text}")).page, page, "{text}");
    }
}

#[test]
fn a_long_query_is_cut_at_a_character_with_a_note() {
    let cut = form(&format!("q={}", "ñ".repeat(MAX_QUERY + 1)));
    assert_eq!(cut.query.chars().count(), MAX_QUERY);
    assert_eq!(cut.notes, [Note::QueryCut]);
    assert_eq!(form(&format!("q={}", "ñ".repeat(MAX_QUERY))).notes, []);
}

#[test]
fn a_language_or_site_that_cannot_be_is_left_out_with_a_note() {
    for bad in ["xx-broken", "xx", "e", "english", "%00", "日本"] {
        let form = form(&format!("q=a&lang={bad}"));
        assert_eq!((form.lang, form.notes), (None, vec![Note::NoSuchLanguage]), "{bad}");
    }
    assert_eq!(form("q=a&lang=ES-mx").lang, Some(Lang::ES));
    for bad in ["a b", "javascript:alert(1)", "ftp://x.example", "http://", "<x>"] {
        let form = form(&format!("q=a&site={}", bad.replace(' ', "+")));
        assert_eq!((form.site, form.notes), (None, vec![Note::NoSuchSite]), "{bad}");
    }
}

#[test]
fn a_site_is_read_from_what_people_paste() {
    for (text, site) in [
        ("Example.ORG", "example.org"),
        ("https://example.org/a/b?c", "example.org"),
        ("example.org:8080/x", "example.org:8080"),
        ("127.0.0.1:4001", "127.0.0.1:4001"),
        ("[::1]:80", "[::1]"),
    ] {
        assert_eq!(host(text).as_deref(), Some(site), "{text}");
    }
}

#[tokio::test]
async fn the_page_says_what_it_repaired() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    let long = "a".repeat(MAX_QUERY + 1);
    let page = stage.get(&format!("/search?q={long}&lang=xx-broken&site=a+b&page=abc")).await;
    assert_eq!(page.status, StatusCode::OK);
    for note in
        ["first 400 characters", "so all languages were searched", "so all sites were searched"]
    {
        assert!(page.body.contains(note), "{note}");
    }
    let asked = stage.last_asked();
    assert_eq!((asked.offset, asked.lang, asked.site), (0, None, None));
}

#[tokio::test]
async fn without_words_nobody_is_asked() {
    let stage = stage(Deed::Break);
    for path in ["/search", "/search?q=", "/search?q=%20%09"] {
        let page = stage.get(path).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains("Type a few words to begin."));
    }
    assert!(stage.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn broken_percent_signs_are_no_error() {
    let stage = stage(Deed::Find(SearchResponse::default()));
    for path in ["/search?q=%", "/search?q=%zz%ff&lang=%", "/search?&&==&q=a&q=b", "/search?q=%00a"]
    {
        assert_eq!(stage.get(path).await.status, StatusCode::OK, "{path}");
    }
}

proptest! {
    #[test]
    fn an_address_of_a_search_reads_as_that_search(
        query in "\\PC{0,30}", site in proptest::option::of("[a-z]{1,8}\\.example"), page in 1usize..=MAX_PAGE,
        lang in proptest::option::of(prop_oneof![Just(Lang::EN), Just(Lang::ES)]),
        ui in proptest::option::of(prop_oneof![Just(Ui::En), Just(Ui::Es)]),
        sites in proptest::collection::vec(("[a-z]{1,8}\\.example(:8080)?", 0..3_usize), 0..60),
    ) {
        let mut preferences = Preferences::default();
        for (site, number) in sites {
            preferences.set(&site, Preference::ALL[number]);
        }
        let asked = Form {
            query: query.trim().into(), lang, site, page, ui, preferences, notes: Vec::new(),
        };
        let href = asked.href();
        prop_assert_eq!(form(href.strip_prefix("/search?").unwrap()), asked);
    }

    #[test]
    fn any_parameters_give_a_search_within_the_limits(query in "\\PC{0,80}") {
        let form = form(&query);
        prop_assert!((1..=MAX_PAGE).contains(&form.page));
        prop_assert!(form.query.chars().count() <= MAX_QUERY);
    }
}
