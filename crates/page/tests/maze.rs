//! Is every address of the crawl maze found that needs no JavaScript? Each case is read at its address,
//! and what is expected must be among its links.

use lycosa_model::{Headers, Link, LinkKind, UrlId};
use lycosa_page::{Input, Limits, Reading, read};
use std::path::{Path, PathBuf};

const MAZE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/crawl-maze");
const SITE: &str = "http://maze.test";
/// Expected addresses outside JavaScript, less the exceptions.
const CASES: usize = 61;

/// Cases that are no matter of reading a page, and whose they are.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("/test/headers/location.found", "a redirect is followed by the bot"),
    ("/test/misc/known-files/robots.txt.found", "robots.txt is read by the broker"),
    ("/test/misc/known-files/sitemap.xml.found", "sitemaps are read by themselves"),
];

/// A page as the maze's server would send it.
struct Sent {
    url: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

fn html(url: &str, body: String) -> Sent {
    Sent { url: format!("{SITE}{url}"), headers: vec![("Content-Type", "text/html".into())], body }
}

/// The file of a case, on the way from a target up.
fn file_of(stem: &str) -> PathBuf {
    let cases = Path::new(MAZE).join("test-cases");
    // Two targets share a page, and one page has a folder more than its target.
    let stem = match stem {
        "html/head/comment-conditional" => "html/head/comment/comment-conditional",
        stem => stem.strip_suffix("1x").or_else(|| stem.strip_suffix("2x")).unwrap_or(stem),
    };
    cases.join(format!("{stem}.html"))
}

/// The page that names a target. What the maze's server writes itself is written here.
fn page_with(target: &str) -> Sent {
    let (stem, _) = target.trim_start_matches("/test/").rsplit_once('.').expect("an ending");
    let header = |name, value: String| {
        let mut sent = html(&format!("/test/{stem}"), "<p>Look at the headers.</p>".into());
        sent.headers.push((name, value));
        sent
    };
    let anchor = |href: String| html(&format!("/test/{stem}"), format!("<a href='{href}'></a>"));
    match stem {
        "headers/link" => header("Link", format!("<{target}>; rel=\"prefetch\"")),
        "headers/refresh" => header("Refresh", format!("10; url={target}")),
        "headers/content-location" => header("Content-Location", target.to_owned()),
        "html/misc/string/url-string" => {
            html(&format!("/test/{stem}"), format!("<p>Somewhere at {SITE}{target}</p>"))
        }
        "html/misc/url/full-url" => anchor(format!("{SITE}{target}")),
        "html/misc/url/protocol-relative-url" => {
            anchor(format!("{}{target}", SITE.trim_start_matches("http:")))
        }
        "html/misc/url/path-relative-url" => anchor("path-relative-url.found".into()),
        // The page names this stylesheet, which the test below checks.
        "css/font-face" => Sent {
            url: format!("{SITE}/css/font-face.css"),
            headers: vec![("Content-Type", "text/css".into())],
            body: format!("@font-face {{ font-family: f; src: url('{target}'); }}"),
        },
        stem => {
            let file = file_of(stem);
            let body = std::fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let path = file.strip_prefix(Path::new(MAZE).join("test-cases")).expect("below");
            html(&format!("/test/{}", path.display()), body)
        }
    }
}

fn links_of(sent: &Sent, limits: &Limits) -> Vec<Link> {
    let mut headers = Headers::default();
    for (name, value) in &sent.headers {
        headers.push(*name, value.as_bytes().to_vec());
    }
    let input = Input::new(UrlId::of(&sent.url), &sent.url, sent.body.as_bytes());
    match read(&input.with_headers(&headers), limits) {
        Reading::Document(document) => document.links,
        Reading::NotText { links, .. } => links,
    }
}

/// What is to be found outside JavaScript; `None` when the maze is not here.
#[allow(clippy::print_stderr, reason = "says why nothing was tested")]
fn targets() -> Option<Vec<String>> {
    let Ok(text) = std::fs::read(Path::new(MAZE).join("expected-results.json")) else {
        eprintln!("skipped: ../shared/conformance/crawl-maze is not here");
        return None;
    };
    let all: Vec<String> = serde_json::from_slice(&text).expect("a list");
    let scripted = |target: &String| {
        target.starts_with("/test/javascript/") || target.starts_with("/javascript/")
    };
    let left_out = |target: &String| EXCEPTIONS.iter().any(|(except, _)| except == target);
    Some(all.into_iter().filter(|target| !scripted(target) && !left_out(target)).collect())
}

#[test]
fn every_address_that_needs_no_javascript_is_found() {
    let Some(targets) = targets() else { return };
    let missing: Vec<String> = targets
        .iter()
        .filter(|target| {
            let wanted = format!("{SITE}{target}");
            let links = links_of(&page_with(target), &Limits::with_resources());
            !links.iter().any(|link| link.url == wanted)
        })
        .cloned()
        .collect();
    assert_eq!(missing, [""; 0]);
    assert_eq!(targets.len(), CASES);
}

#[test]
fn only_those_that_lead_readers_on_are_found_by_default() {
    let Some(targets) = targets() else { return };
    let mut found: Vec<(&str, LinkKind)> = Vec::new();
    for target in &targets {
        let wanted = format!("{SITE}{target}");
        let links = links_of(&page_with(target), &Limits::default());
        found.extend(links.iter().filter(|link| link.url == wanted).map(|l| (&**target, l.kind)));
    }
    let wanted = [
        ("/test/headers/refresh.found", LinkKind::Refresh),
        ("/test/html/body/a/href.found", LinkKind::Anchor),
        ("/test/html/body/frameset/frame/src.found", LinkKind::Frame),
        ("/test/html/body/iframe/src.found", LinkKind::Frame),
        ("/test/html/head/meta/content-redirect.found", LinkKind::Refresh),
        ("/test/html/misc/url/full-url.found", LinkKind::Anchor),
        ("/test/html/misc/url/path-relative-url.found", LinkKind::Anchor),
        ("/test/html/misc/url/protocol-relative-url.found", LinkKind::Anchor),
        ("/test/html/misc/url/root-relative-url.found", LinkKind::Anchor),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn the_page_of_the_font_names_its_stylesheet() {
    if targets().is_none() {
        return;
    }
    let body = std::fs::read_to_string(file_of("css/font-face")).expect("a page");
    let links = links_of(&html("/test/css/font-face.html", body), &Limits::with_resources());
    let style = links.iter().find(|link| link.url == format!("{SITE}/css/font-face.css"));
    assert_eq!(style.map(|link| (link.kind, &*link.rel)), Some((LinkKind::Resource, "stylesheet")));
}
