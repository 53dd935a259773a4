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

#[test]
fn the_pages_of_an_index_have_lines_of_their_own_and_a_page_with_a_counter_has_not() {
    let page = |list: &str, visitor: usize| {
        let items = (0..40).map(|item| format!("<li>{list} number {item}</li>"));
        let html = format!(
            "<title>Index</title><p>All that we have, by its first letter.</p><ul>{}</ul>\
             <p>You are visitor {visitor}.</p>",
            items.collect::<String>()
        );
        of("http://a.test/index", &html)
    };
    let bits = |one: &Fingerprint, other: &Fingerprint| (one.lines ^ other.lines).count_ones();
    let first = page("Herons", 1);
    assert_eq!(first.title, page("Spiders", 1).title);
    assert!(bits(&first, &page("Herons", 2)) <= 8, "{}", bits(&first, &page("Herons", 2)));
    assert!(bits(&first, &page("Spiders", 1)) > 16, "{}", bits(&first, &page("Spiders", 1)));
}
