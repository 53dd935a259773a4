//! Contrast, structure and size of what is sent.

use super::*;
use crate::web::asset::{FAVICON, STYLE};
use std::collections::HashMap;

/// The named colours of the light and of the dark theme.
fn themes() -> [HashMap<String, [f64; 3]>; 2] {
    [0, 1].map(|theme| {
        let rows = STYLE.lines().filter_map(|row| {
            let (name, values) = row.trim().strip_prefix("--")?.split_once(": light-dark(")?;
            let value = values.strip_suffix(");")?.split(", ").nth(theme)?;
            let number = u32::from_str_radix(value.strip_prefix('#')?, 16).ok()?;
            let part = |shift: u32| f64::from(number >> shift & 0xff) / 255.0;
            Some((name.to_owned(), [part(16), part(8), part(0)]))
        });
        rows.collect()
    })
}

/// WCAG 2.2, relative luminance and contrast ratio.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let linear = |c: f64| {
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let light = |c: [f64; 3]| 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    let (a, b) = (light(a) + 0.05, light(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn text_can_be_read_in_both_themes() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 0.01);
    for theme in themes() {
        for (ink, paper) in [
            ("ink", "paper"),
            ("ink", "raised"),
            ("ink", "sunk"),
            ("soft", "paper"),
            ("soft", "raised"),
            ("accent", "paper"),
            ("accent", "sunk"),
            ("accent-deep", "paper"),
            ("visited", "paper"),
            ("mark-ink", "mark"),
            ("on-accent", "accent"),
            ("on-accent", "accent-deep"),
        ] {
            let ratio = contrast(theme[ink], theme[paper]);
            assert!(ratio >= 4.5, "{ink} on {paper}: {ratio:.2}");
        }
        // A focus ring and a dot are no text: 3 to 1.
        for sign in ["focus", "alive"] {
            assert!(contrast(theme[sign], theme["paper"]) >= 3.0, "{sign}");
        }
    }
}

#[tokio::test]
async fn every_page_has_landmarks_and_labels() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    for path in ["/", "/search?q=a", "/search", "/about", "/nowhere"] {
        let page = stage.get(path).await.body;
        for part in ["<main id=\"main\"", "href=\"#main\"", "<footer", "<nav ", "</html>"] {
            assert!(page.contains(part), "{part} on {path}");
        }
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        assert_eq!(page.matches("<main").count(), 1, "{path}");
        assert_eq!(page.contains("id=\"q\""), page.contains("for=\"q\""), "{path}");
    }
}

#[tokio::test]
async fn every_answer_forbids_scripts_but_our_own_files() {
    let stage = stage(Deed::Break);
    for path in [
        "/",
        "/search?q=a",
        "/about",
        "/api/search?q=a",
        "/api/x",
        "/style.css",
        "/favicon.svg",
        "/x",
    ] {
        let headers = stage.get(path).await.headers;
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert_eq!(
            policy,
            "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{path}");
        assert_eq!(headers[header::REFERRER_POLICY], "same-origin", "{path}");
        assert!(headers.contains_key(header::CACHE_CONTROL), "{path}");
    }
}

#[tokio::test]
async fn the_stylesheet_is_where_the_pages_say() {
    let stage = stage(Deed::Break);
    let home = stage.get("/").await.body;
    let href = home.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let style = stage.get(href).await;
    assert_eq!((style.status, style.body.as_str()), (StatusCode::OK, STYLE));
    assert_eq!(style.headers[header::CONTENT_TYPE], "text/css; charset=utf-8");
    let icon = stage.get("/favicon.svg").await;
    assert_eq!(icon.headers[header::CONTENT_TYPE], "image/svg+xml");
    assert_eq!(icon.body, FAVICON);
}

#[tokio::test]
async fn pages_are_small() {
    let ten =
        (0..10).map(|_| hit("https://example.org/a/b/c", "A title of the usual length")).collect();
    let stage = stage(Deed::Find(SearchResponse { total: 500, results: ten, ..one(hit("", "")) }));
    let page = stage.get("/search?q=a").await.body.len();
    assert!(page + STYLE.len() < 45_000, "{page} and {}", STYLE.len());
}

#[tokio::test]
async fn a_theme_is_chosen_and_kept_and_leads_nowhere_else() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    let chosen = stage.get("/theme?to=dark&back=%2Fsearch%3Fq%3Da").await;
    assert_eq!(chosen.headers[header::LOCATION], "/search?q=a");
    let cookie = chosen.headers[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("theme=dark;"), "{cookie}");
    for back in
        ["https://evil.example/", "//evil.example", "/%5Cevil.example", "javascript:alert(1)"]
    {
        let got = stage.get(&format!("/theme?to=pink&back={back}")).await;
        assert_eq!(got.headers[header::LOCATION], "/", "{back}");
        assert!(got.headers[header::SET_COOKIE].to_str().unwrap().starts_with("theme=;"));
    }
    let request = Request::builder()
        .uri("/")
        .header(header::HOST, "search.example")
        .header(header::COOKIE, "a=b; theme=dark")
        .body(Body::empty());
    let response = stage.router.clone().call(request.unwrap()).await.unwrap();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    assert!(std::str::from_utf8(&body).unwrap().contains("<html lang=\"en\" data-theme=\"dark\">"));
}
