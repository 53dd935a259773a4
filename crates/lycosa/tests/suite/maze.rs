//! Which links does a crawl follow? The crawl maze with all of them, and a small site with some.

use crate::support::site::{Answer, Site};
use crate::support::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Expected addresses outside JavaScript, less the exceptions.
const CASES: usize = 62;

/// Expected addresses that scripts lead to.
const SCRIPTED: usize = 20;

/// Cases that no link leads to, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("/test/misc/known-files/robots.txt.found", "robots.txt forbids it, so it is not asked for"),
    ("/test/misc/known-files/sitemap.xml.found", "only a sitemap names it"),
];

/// The cases, as paths below the folder.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut todo = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder").flatten();
            todo.extend(entries.map(|entry| entry.path()));
        } else {
            files.push(path.strip_prefix(folder).expect("below").to_path_buf());
        }
    }
    files.sort();
    files
}

/// What the maze's own server answers.
fn maze(folder: &Path, host: &str, path: &str) -> Answer {
    let anchor = |href: &str| Answer::html(format!("<a href='{href}'></a>"));
    let script = |text: &dyn ToString| Answer::html(text.to_string()).typed("text/javascript");
    match path {
        "/" => {
            let links = cases(folder);
            let links =
                links.iter().map(|case| format!("<a href='/test/{0}'>{0}</a>\n", case.display()));
            Answer::html(links.collect::<String>())
        }
        "/robots.txt" => Answer {
            status: 200,
            headers: Vec::new(),
            body: "User-agent: *\nDisallow: /test/misc/known-files/robots.txt.found\n".into(),
        }
        .typed("text/plain"),
        // The files that the cases load are not kept with them; these say what the cases say of them.
        "/javascript/misc/comment.js" => {
            script(&format!("// http://{host}/test/javascript/misc/comment.found"))
        }
        "/javascript/misc/string-variable.js" => {
            script(&"var address = '/test/javascript/misc/string-variable.found';")
        }
        "/javascript/misc/string-concat-variable.js" => script(
            &"var folder = '/test/javascript/misc/';\n\
             var address = folder + 'string-' + 'concat-variable.found';",
        ),
        "/css/font-face.css" => {
            Answer::html("@font-face { font-family: f; src: url('/test/css/font-face.found'); }")
                .typed("text/css")
        }
        "/test/headers/link" => {
            Answer::html("").with("Link", "</test/headers/link.found>; rel=\"prefetch\"")
        }
        "/test/headers/refresh" => {
            Answer::html("").with("Refresh", "10; url=/test/headers/refresh.found")
        }
        "/test/headers/content-location" => {
            Answer::html("").with("Content-Location", "/test/headers/content-location.found")
        }
        "/test/headers/location" => Answer { status: 302, ..Answer::html("") }
            .with("Location", "/test/headers/location.found"),
        "/test/html/misc/string/url-string" => {
            Answer::html(format!("<p>Somewhere at http://{host}{path}.found</p>"))
        }
        "/test/html/misc/url/full-url" => anchor(&format!("http://{host}{path}.found")),
        "/test/html/misc/url/protocol-relative-url" => anchor(&format!("//{host}{path}.found")),
        "/test/html/misc/url/path-relative-url" => anchor("path-relative-url.found"),
        // Plain text: there is nothing to render in it.
        path if path.ends_with(".found") || path.ends_with(".pdf") => {
            Answer::html("Found.").typed("text/plain")
        }
        path => {
            let case = path.strip_prefix("/test/").map(|rest| folder.join(rest));
            match case.and_then(|file| std::fs::read_to_string(file).ok()) {
                Some(body) => Answer::html(body),
                None => Answer::missing(),
            }
        }
    }
}

#[test]
fn the_crawl_maze_is_crawled_as_far_as_no_javascript_is_needed() {
    let Some(root) = shared("conformance/crawl-maze") else { return };
    let all = std::fs::read(root.join("expected-results.json")).expect("a file");
    let all: Vec<String> = serde_json::from_slice(&all).expect("a list");
    let is_case = |target: &&String| {
        !target.contains("/javascript/") && !EXCEPTIONS.iter().any(|(except, _)| except == target)
    };
    let expected: BTreeSet<String> = all.iter().filter(is_case).cloned().collect();
    assert_eq!(expected.len(), CASES);
    let folder = root.join("test-cases");
    let site = Site::serve(move |host, path| maze(&folder, host, path));
    let asked = site.crawled(&["--follow", "all"], "");
    let missing: Vec<&String> = expected.difference(&asked).collect();
    assert!(missing.is_empty(), "never asked for: {missing:#?}");
    assert!(!asked.contains(EXCEPTIONS[0].0), "robots.txt is kept even so");
    let asked = site.crawled(&[], "");
    let found: Vec<&String> = expected.intersection(&asked).collect();
    assert_eq!(found.len(), 10, "by default only what leads readers on: {found:#?}");
}

#[test]
fn the_crawl_maze_is_crawled_to_its_end_when_pages_are_rendered() {
    let Some(root) = shared("conformance/crawl-maze") else { return };
    if !outside::is_here("chromium") {
        return;
    }
    let all = std::fs::read(root.join("expected-results.json")).expect("a file");
    let all: Vec<String> = serde_json::from_slice(&all).expect("a list");
    // The pages of the frameworks are not kept with the cases.
    let is_case = |target: &&String| {
        !target.starts_with("/javascript/frameworks/")
            && !EXCEPTIONS.iter().any(|(except, _)| except == target)
    };
    let expected: BTreeSet<String> = all.iter().filter(is_case).cloned().collect();
    assert_eq!(expected.len(), CASES + SCRIPTED);
    let folder = root.join("test-cases");
    let site = Site::serve(move |host, path| maze(&folder, host, path));
    let asked = site.crawled(&["--follow", "all", "--render", "always"], "");
    let missing: Vec<&String> = expected.difference(&asked).collect();
    assert!(missing.is_empty(), "never asked for: {missing:#?}");
}

#[test]
fn settings_decide_which_links_are_followed() {
    let site = Site::serve(|_, path| match path {
        "/" => Answer::html(
            "<link rel=next href=/next><a href=/plain>p</a><a rel='nofollow ugc' href=/marked>m</a>\
             <img src=/picture><form action=/form></form><a href=/closed>c</a>",
        ),
        "/closed" => Answer::html("<meta name=robots content=nofollow><a href=/inside>i</a>"),
        "/plain" => Answer::html("<p>x").with("Link", "</header>; rel=alternate"),
        "/next" | "/marked" | "/picture" | "/form" | "/inside" | "/header" => Answer::html("<p>x"),
        _ => Answer::missing(),
    });
    let pages = ["/", "/closed", "/header", "/next", "/plain"];
    let asked = |arguments: &[&str], config: &str, more: &[&str]| {
        let wanted: BTreeSet<String> =
            pages.iter().chain(more).map(|path| (*path).to_owned()).collect();
        // A page that cannot be there is no link either.
        let config = format!("{config}[content]\nsoft_404 = false\n");
        let mut asked = site.crawled(arguments, &config);
        // What is asked for by rule is no link.
        asked.retain(|path| path != "/robots.txt" && path != "/sitemap.xml");
        assert_eq!(asked, wanted, "{arguments:?} {config}");
    };
    asked(&[], "", &[]);
    asked(&[], "follow_nofollow = true\n", &["/marked"]);
    asked(&[], "follow = \"all\"\n", &["/picture", "/form"]);
    asked(&["--follow", "pages"], "follow = \"all\"\n", &[]);
    run(["crawl", "--follow", "none", "http://a.test/"]).exits(2);
}
