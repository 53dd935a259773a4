use super::{Filter, LanguageCount};
use lycosa_model::message::{FilterMessage, FilterReply, Parts};
use lycosa_model::{Document, Headers, Lang, LinkKind, Page, Tick, UrlId};
use lycosa_page::Limits;
use lycosa_runtime::{Exit, Registry, mailbox, spawn_pool};
use std::sync::Arc;
use std::time::Duration;

fn page(headers: &[(&str, &str)], body: &str) -> Arc<Page> {
    let mut list = Headers::default();
    for (name, value) in headers {
        list.push(*name, value.as_bytes().to_vec());
    }
    Arc::new(Page {
        url_id: UrlId::of("http://site.test/"),
        url: "http://site.test/".to_owned(),
        status: 200,
        headers: list,
        body: bytes::Bytes::copy_from_slice(body.as_bytes()),
        fetched: Tick(0),
        took: Duration::ZERO,
    })
}

fn document(reply: FilterReply) -> Box<Document> {
    match reply {
        FilterReply::Document(document) => document,
        FilterReply::NotText { media_type, .. } => panic!("not text but {media_type}"),
    }
}

#[test]
fn headers_are_read_whatever_their_case() {
    let mut filter = Filter::new(Limits::default());
    let headers = [
        ("CONTENT-TYPE", "text/html; charset=utf-8"),
        ("X-Robots-Tag", "otherbot: noindex"),
        ("x-robots-tag", "noarchive"),
        ("Refresh", "0; url=/next"),
    ];
    let found =
        document(filter.read(&page(&headers, "<title>T</title><a href=/a>a</a>"), Parts::ALL));
    assert_eq!(found.title, "T");
    assert_eq!(found.url_id, UrlId::of("http://site.test/"));
    assert!(found.robots.noarchive && !found.robots.noindex);
    assert_eq!(found.links.len(), 2);
    assert_eq!(found.links[0].kind, LinkKind::Refresh);
}

#[tokio::test]
async fn a_pool_of_filters_answers_and_shows_what_it_did() {
    let registry = Registry::default();
    let (filters, inbox) = mailbox(4);
    let handles =
        spawn_pool(&registry, "filter", 2, (&filters, inbox), |_| Filter::new(Limits::default()));
    let spanish =
        "<p>Los pescadores salen al mar antes del amanecer y vuelven cuando el sol está alto.";
    let html = [("Content-Type", "text/html; charset=utf-8")];
    for _ in 0..3 {
        let reply =
            filters.ask(FilterMessage::Read(page(&html, spanish), Parts::ALL)).await.unwrap();
        assert!(document(reply).has_some(Lang::ES));
    }
    let reply = filters
        .ask(FilterMessage::Read(page(&[("Content-Type", "image/png")], "x"), Parts::ALL))
        .await
        .unwrap();
    assert!(matches!(reply, FilterReply::NotText { media_type, .. } if media_type == "image/png"));
    drop(filters);
    for handle in handles {
        assert_eq!(handle.join().await, Exit::Finished);
    }
    let sum = |name: &str| -> u64 {
        registry.agents().iter().filter_map(|agent| agent.observed[name].as_u64()).sum()
    };
    assert_eq!((sum("pages"), sum("not_text"), sum("links")), (3, 1, 0));
    assert_eq!(sum("bytes"), 3 * spanish.len() as u64 + 1);
}

#[test]
fn languages_are_counted_by_page() {
    let mut filter = Filter::default();
    let html = [("Content-Type", "text/html; charset=utf-8")];
    let english = "<p>The river rises in the northern hills and runs for many miles to the sea.";
    for _ in 0..2 {
        filter.read(&page(&html, english), Parts::ALL);
    }
    let counts = &filter.state.languages;
    assert_eq!(*counts, [LanguageCount { lang: Lang::EN, pages: 2 }]);
}
