//! Do feed readers, spreadsheets and drawing programs get what they can read?

use super::hunts::with_hunts;
use super::*;

async fn ask(router: &Router, path: &str, headers: &[(&str, &str)]) -> Got {
    let mut request = Request::builder().uri(path).header(header::HOST, "127.0.0.1:8080");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = router.clone().call(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 22).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Got { status: parts.status, headers: parts.headers, body }
}

fn hostile() -> SearchResponse {
    let mut found = hit("https://example.org/?a=1&b=2", "=cmd|'/c calc'!A1, \"x\"");
    found.snippet = "a <mark>wolf</mark> &lt;script&gt;alert(1)&lt;/script&gt;".into();
    one(found)
}

#[tokio::test]
async fn any_search_is_a_feed_with_names_that_stay() {
    let stage = stage(Deed::Find(hostile()));
    let feed = ask(&stage.router, "/search?q=passage&format=atom&limit=3", &[]).await;
    assert_eq!(feed.headers[header::CONTENT_TYPE], "application/atom+xml; charset=utf-8");
    let id = lycosa_model::UrlId::of("https://example.org/?a=1&b=2");
    for part in [
        "<feed xmlns=\"http://www.w3.org/2005/Atom\">",
        "<id>tag:lycosa,2026:search/",
        &format!("<id>tag:lycosa,2026:page/{id}</id>"),
        "<link href=\"https://example.org/?a=1&amp;b=2\"/>",
        "<updated>2025-03-10T09:46:40Z</updated>",
        "rel=\"self\" type=\"application/atom+xml\" href=\"http://127.0.0.1:8080/search?q=passage&amp;format=atom\"",
        "a wolf &lt;script&gt;",
    ] {
        assert!(feed.body.contains(part), "{part} is missing in {}", feed.body);
    }
    assert_eq!(stage.last_asked().limit, 3);
    let mark = feed.headers[header::ETAG].to_str().unwrap();
    let again = [("if-none-match", mark)];
    let known = ask(&stage.router, "/search?q=passage&format=atom&limit=3", &again).await;
    assert_eq!((known.status, known.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    let rss = ask(&stage.router, "/search?q=passage&format=rss", &[]).await.body;
    assert!(rss.contains("<pubDate>Mon, 10 Mar 2025 09:46:40 GMT</pubDate>"), "{rss}");
    assert!(rss.contains("&amp;lt;script&amp;gt;"), "a reader takes it for HTML: {rss}");
    let nothing = ask(&stage.router, "/search?format=atom", &[]).await;
    assert_eq!(nothing.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_table_holds_no_formula() {
    let stage = stage(Deed::Find(hostile()));
    let table = ask(&stage.router, "/search?q=passage&format=csv", &[]).await.body;
    let rows: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(rows[0], "rank,url,title,snippet,score,site,lang,date,agent");
    let cell = "\"'=cmd|'/c calc'!A1, \"\"x\"\"\"";
    assert!(rows[1].contains(cell), "{}", rows[1]);
}

#[tokio::test]
async fn a_hunt_is_given_out_in_every_form() {
    let router = with_hunts(Reach::ThisMachine);
    for (form, media, start) in [
        ("csv", "text/csv", "rank,url"),
        ("jsonl", "application/jsonl", "{\"rank\""),
        ("graphml", "application/graphml+xml", "<?xml"),
        ("gexf", "application/gexf+xml", "<?xml"),
    ] {
        let got = ask(&router, &format!("/api/v1/hunts/7/export?format={form}"), &[]).await;
        assert_eq!(got.headers[header::CONTENT_TYPE], media);
        assert!(got.body.starts_with(start), "{form}: {}", got.body);
        let name = got.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
        assert!(name.contains(&format!("hunt-7.{form}")), "{name}");
        if start == "<?xml" {
            assert!(got.body.contains("source=\"http://a.test/\" target=\"http://b.test/\""));
            assert_eq!(got.body.matches("<node ").count(), 2, "{}", got.body);
        }
    }
    assert_eq!(ask(&router, "/api/v1/hunts/7/export?format=pdf", &[]).await.status, 400);
    assert_eq!(ask(&router, "/api/v1/hunts/8/export", &[]).await.status, 404);
}

#[tokio::test]
async fn readiness_is_more_than_life() {
    let ready = stage(Deed::Break).get("/readyz").await;
    assert_eq!((ready.status, ready.body.as_str()), (StatusCode::OK, "ready\n"));
    let (query, inbox) = mailbox(1);
    drop(inbox);
    let router = router(doors(query, Registry::default(), Crawl::None));
    assert_eq!(ask(&router, "/readyz", &[]).await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ask(&router, "/healthz", &[]).await.status, StatusCode::OK);
}
