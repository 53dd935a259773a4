//! What programs rely on.

use super::*;
use lycosa_model::{Explain, Preferences};
use serde_json::Value;

fn json(got: &Got) -> Value {
    assert_eq!(got.headers[header::CONTENT_TYPE], "application/json");
    serde_json::from_str(&got.body).unwrap()
}

#[tokio::test]
async fn a_search_has_the_agreed_fields() {
    let mut found = hit("https://example.org/", "A title");
    found.explain = Some(Explain { what: "bm25".into(), value: 1.5, parts: Vec::new() });
    let stage = stage(Deed::Find(one(found)));
    let got =
        stage.get("/api/search?q=a+b&limit=3&offset=4&lang=es&site=example.org&explain").await;
    assert_eq!(got.status, StatusCode::OK);
    let body = json(&got);
    for field in ["query", "total", "took_ms", "suggestion", "results"] {
        assert!(body.get(field).is_some(), "{field}");
    }
    let result = &body["results"][0];
    for field in
        ["rank", "url", "title", "snippet", "score", "site", "lang", "agent", "explain", "fetched"]
    {
        assert!(result.get(field).is_some(), "{field}");
    }
    let asked = stage.last_asked();
    let wanted = SearchRequest {
        query: "a b".into(),
        limit: 3,
        offset: 4,
        lang: Some(Lang::ES),
        site: Some("example.org".into()),
        explain: true,
        facets: true,
        preferences: Preferences::default(),
    };
    assert_eq!(asked, wanted);
}

#[tokio::test]
async fn numbers_out_of_range_are_brought_into_it() {
    let stage = stage(Deed::Find(SearchResponse::default()));
    for (asked, limit, offset) in [
        ("limit=1e9&offset=1e99", 100, 10_000),
        ("limit=0&offset=-1", 1, 0),
        ("limit=abc&offset=", 10, 0),
        ("explain=false", 10, 0),
    ] {
        let got = stage.get(&format!("/api/search?q=a&{asked}")).await;
        assert_eq!(got.status, StatusCode::OK, "{asked}");
        let seen = stage.last_asked();
        assert_eq!((seen.limit, seen.offset, seen.explain), (limit, offset, false), "{asked}");
    }
}

#[tokio::test]
async fn errors_are_json_with_a_hint() {
    let stage = stage(Deed::Break);
    for (method, path, status) in [
        ("GET", "/api/search", 400),
        ("GET", "/api/search?q=+", 400),
        ("GET", "/api/search?q=a", 503),
        ("GET", "/api/nothing", 404),
        ("POST", "/api/search?q=a", 405),
    ] {
        let got = stage.ask(method, path, None).await;
        assert_eq!(got.status.as_u16(), status, "{method} {path}");
        let body = json(&got);
        assert!(body["error"].is_string() && body["hint"].is_string(), "{body}");
        assert!(!got.body.contains("secret"));
    }
}

#[tokio::test]
async fn without_a_crawl_the_status_says_so() {
    let stage = stage(Deed::Break);
    let body = json(&stage.get("/api/status").await);
    assert_eq!(body, serde_json::json!({ "running": false, "documents": 12_345 }));
}

#[tokio::test]
async fn agents_show_their_observable_state() {
    let stage = stage(Deed::Find(SearchResponse::default()));
    stage.get("/api/search?q=a").await;
    let body = json(&stage.get("/api/agents").await);
    let agents = body["agents"].as_array().unwrap();
    assert_eq!(agents.len(), stage.registry.agents().len());
    assert_eq!(agents[0]["name"], "query-1");
    assert!(agents[0]["observed"]["asked"].is_u64());
}

#[tokio::test]
async fn metrics_are_prometheus_text() {
    let got = stage(Deed::Break).get("/metrics").await;
    assert_eq!(got.status, StatusCode::OK);
    assert!(got.headers[header::CONTENT_TYPE].to_str().unwrap().starts_with("text/plain"));
    assert!(got.body.contains("lycosa_index_documents 12345\n"));
    assert!(got.body.contains("lycosa_crawl_running 0\n"));
    assert!(got.body.contains("lycosa_mailbox_capacity{agent=\"query-1\""));
}

#[tokio::test]
async fn health_is_plain_text() {
    let got = stage(Deed::Break).get("/healthz").await;
    assert_eq!((got.status, got.body.as_str()), (StatusCode::OK, "ok\n"));
}

#[tokio::test]
async fn a_browser_is_told_how_to_search_and_complete() {
    let stage = stage(Deed::Find(SearchResponse::default()));
    let got = stage.get("/api/complete?q=wolf+spi").await;
    assert_eq!(got.body, r#"["wolf spi",["wolf spi"]]"#);
    assert_eq!(stage.get("/api/complete").await.body, r#"["",[]]"#);
    let got = stage.get("/opensearch.xml").await;
    assert!(got.body.contains("http://search.example/search?q={searchTerms}"), "{}", got.body);
    assert!(got.body.contains("/api/complete?q={searchTerms}"), "{}", got.body);
}
