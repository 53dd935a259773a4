//! English and Spanish, both complete.

use super::*;
use crate::web::texts::{EN, ES, Texts};
use crate::web::ui::Ui;

#[test]
fn the_best_accepted_language_wins() {
    for (header, ui) in [
        ("", Ui::En),
        ("es", Ui::Es),
        ("es-MX,es;q=0.9,en;q=0.8", Ui::Es),
        ("en-GB,en;q=0.9,es;q=0.8", Ui::En),
        ("es;q=0.5, en;q=0.8", Ui::En),
        ("en;q=0.5, ES;Q=0.8", Ui::Es),
        ("fr, de;q=0.9, es;q=0.1", Ui::Es),
        ("fr, de", Ui::En),
        ("en;q=0, *", Ui::Es),
        ("*", Ui::En),
        ("es;q=0", Ui::En),
        ("es;q=2, en;q=0.1", Ui::En),
        ("es;q=x", Ui::En),
        (",;;q=,es ; q=0.3", Ui::Es),
        ("est", Ui::En),
    ] {
        assert_eq!(Ui::accepted(header), ui, "{header}");
    }
}

#[tokio::test]
async fn the_chosen_language_comes_before_the_accepted_one() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    for path in ["/", "/search?q=a", "/about", "/nowhere"] {
        let glue = if path.contains('?') { '&' } else { '?' };
        let accepted = stage.ask("GET", path, Some("es-ES,es;q=0.9")).await;
        assert!(accepted.body.contains(r#"<html lang="es">"#), "{path}");
        assert_eq!(accepted.headers[header::CONTENT_LANGUAGE], "es");
        assert_eq!(accepted.headers[header::VARY], "Accept-Language, Cookie");
        let chosen = stage.ask("GET", &format!("{path}{glue}ui=en"), Some("es")).await;
        assert!(chosen.body.contains(r#"<html lang="en">"#), "{path}");
        let unknown = stage.ask("GET", &format!("{path}{glue}ui=fr"), Some("es")).await;
        assert!(unknown.body.contains(r#"<html lang="es">"#), "{path}");
    }
}

#[tokio::test]
async fn every_page_can_be_switched_and_keeps_the_choice() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    let page = stage.get("/search?q=a&lang=en&ui=es").await.body;
    assert!(page.contains(r#"href="/search?q=a&#38;lang=en&#38;ui=en" lang="en" hreflang="en""#));
    assert!(page.contains(r#"<input type="hidden" name="ui" value="es">"#));
    assert!(page.contains(r#"href="/about?ui=es""#));
    assert!(page.contains(r#"href="/?ui=es""#));
    assert!(stage.get("/about").await.body.contains(r#"href="/about?ui=es""#));
}

#[test]
fn counts_are_written_as_each_language_writes_them() {
    let thin = "\u{202f}";
    for (n, en, es) in [
        (0, "0", "0".to_owned()),
        (999, "999", "999".into()),
        (1_000, "1,000", "1000".into()),
        (12_345, "12,345", format!("12{thin}345")),
        (1_234_567, "1,234,567", format!("1{thin}234{thin}567")),
    ] {
        assert_eq!((Ui::En.count(n), Ui::Es.count(n)), (en.to_owned(), es));
    }
    assert_eq!((Ui::En.measure(3.12), Ui::Es.measure(3.12)), ("3.1".into(), "3,1".into()));
    assert_eq!(Ui::Es.measure(1234.5), "1234");
    assert_eq!(Ui::En.measure(f64::NAN), "?");
}

/// Everything a language says. Without `..`, a new text does not compile until it is listed here.
#[rustfmt::skip]
fn all(texts: &Texts) -> Vec<String> {
    let Texts {
        skip, tagline, search, search_label, search_placeholder, page_language, about, home_link, facts_label,
        documents, index_empty, crawling, crawl_rate, crawled, results_title, results_heading, found, on_page,
        filters_label, language_label, site_label, any_language, any_site, found_by, fetched, dated, more_from_site,
        why, year_label, complete, query_note, also_at, and_more, did_you_mean, nothing_title, nothing_help, nothing_crawl, drop_filters, past_end,
        first_page, pages_label, previous, next, ask_something, query_cut, no_such_language, no_such_site,
        unavailable_title, index_broken, query_failed, query_slow, query_gone, try_again, not_found_title,
        not_found, wrong_method_title, wrong_method, broken_page, about_title, about_what, about_index,
        agent_title, agent_intro, agent_manners, block_title, block_intro, block_part, block_page,
        contact_title, contact_intro, contact_none, api_title, api_intro, months, date, guard, hunt, sites, watch, cached, cached_note, cached_none, theme_label, themes, keys_title, keys, close, no_more_mail, no_more_mail_button,
    } = texts;
    let mut all: Vec<String> = [
        skip, tagline, search, search_label, search_placeholder, page_language, about, home_link, facts_label,
        index_empty, results_heading, filters_label, language_label, site_label, any_language, any_site,
        found_by, fetched, dated, why, year_label, did_you_mean, nothing_crawl, drop_filters, past_end, first_page,
        pages_label, previous, next, ask_something, no_such_language, no_such_site, unavailable_title,
        index_broken, query_failed, query_slow, query_gone, try_again, not_found_title, not_found,
        wrong_method_title, wrong_method, broken_page, about_title, about_what, about_index, agent_title,
        agent_intro, agent_manners, block_title, block_intro, block_part, block_page, contact_title,
        contact_intro, contact_none, api_title, api_intro, cached, cached_note, cached_none, theme_label, keys_title,
        close, no_more_mail, no_more_mail_button,
    ].iter().map(|text| (**text).to_owned()).collect();
    all.extend(guard.all().map(str::to_owned));
    all.extend(hunt.all());
    all.extend(sites.all());
    all.extend(watch.all());
    all.extend(themes.iter().map(|text| (*text).to_owned()));
    all.extend(keys.iter().map(|(_, words)| (*words).to_owned()));
    all.extend(nothing_help.iter().map(|text| (*text).to_owned()));
    for n in [1, 2] {
        all.extend([
            more_from_site(n - 1), complete(n - 1), documents(n), crawling(n, 3), crawled(n), found(n, 1.0), also_at(n as usize), and_more(n as usize),
        ]);
    }
    all.extend(QueryNote::ALL.map(|note| query_note(note).to_owned()));
    all.extend([
        crawl_rate(1.5, "x"), results_title("x"), on_page(2), nothing_title("x"), query_cut(9), months.join(" "),
        date(1, months[0], 2025),
    ]);
    all
}

#[test]
fn every_text_is_said_in_its_own_language() {
    let (english, spanish) = (all(&EN), all(&ES));
    assert_eq!(english.len(), spanish.len());
    for (en, es) in english.iter().zip(&spanish) {
        assert!(!en.trim().is_empty() && !es.trim().is_empty(), "{en} / {es}");
        assert_ne!(en, es);
    }
}

/// What is left of a template without its expressions, its code samples and its tags; and the attributes
/// that people get to read.
fn spoken(template: &str) -> String {
    let without = |text: &str, open: &str, close: &str| {
        let mut pieces = text.split(open);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            out.push_str(piece.split_once(close).map_or("", |(_, after)| after));
        }
        out
    };
    // A class, not a word.
    let text = without(template, "{% block kind %}", "{% endblock %}");
    let text = without(&without(&text, "{%", "%}"), "{{", "}}");
    let text = without(&text, "<code>", "</code>");
    let mut read = without(&text, "<", ">");
    for attribute in ["aria-label=\"", "title=\"", "placeholder=\"", "alt=\""] {
        for piece in text.split(attribute).skip(1) {
            read.push_str(piece.split('"').next().unwrap_or_default());
        }
    }
    read
}

#[test]
fn no_template_has_words_of_its_own() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let template = std::fs::read_to_string(&path).unwrap();
        // The description for browsers holds codes and addresses beside its expressions.
        let is_xml = path.extension().is_some_and(|ending| ending == "xml");
        let words = if is_xml { String::new() } else { spoken(&template) };
        assert!(!words.contains(char::is_alphabetic), "{}: {}", path.display(), words.trim());
        assert!(!template.contains("safe"), "{} switches escaping off", path.display());
        seen += 1;
    }
    assert!(seen >= 6);
    assert_eq!(spoken("<p title=\"a\">{{ b }}c<code>d</code></p>"), "ca");
}
