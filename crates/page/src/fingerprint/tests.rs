use super::*;
use crate::{Input, Limits, Reading, read};
use lycosa_model::UrlId;

fn of(url: &str, html: &str) -> Fingerprint {
    match read(&Input::new(UrlId::of(url), url, html.as_bytes()), &Limits::default()) {
        Reading::Document(document) => fingerprint(&document),
        Reading::NotText { .. } => panic!("no text"),
    }
}

#[test]
fn a_page_that_only_repeats_what_was_asked_for_has_one_shape() {
    let missing = |name: &str| {
        let html = format!(
            "<title>{name}: not found</title><p>Sorry, we found nothing at /news/{name} \
             (request 8{}).</p>",
            name.len()
        );
        of(&format!("http://a.test/news/{name}"), &html)
    };
    let (one, two) = (missing("herons"), missing("wolf-spiders"));
    assert_eq!(one.shape, two.shape);
    assert_ne!(one.text, two.text);
    assert!(one.says_missing);
}

#[test]
fn pages_with_something_to_say_have_shapes_of_their_own() {
    let page = |name: &str, text: &str| {
        of(
            &format!("http://a.test/{name}"),
            &format!("<title>{name}</title><p>{text}</p><p>Read more about it in the archive.</p>"),
        )
    };
    let (one, two) = (page("a", "Herons stand in water."), page("b", "Spiders hunt at night."));
    assert_ne!(one.shape, two.shape);
    assert!(!one.says_missing);
    assert!(one.words > 4);
}

#[test]
fn titles_that_say_missing_are_known_in_several_languages() {
    for title in ["Error 404", "Página no encontrada", "Seite nicht gefunden", "Page introuvable"]
    {
        assert!(of("http://a.test/x", &format!("<title>{title}</title><p>text")).says_missing);
    }
    assert!(!of("http://a.test/x", "<title>Lost and found</title><p>text").says_missing);
}
