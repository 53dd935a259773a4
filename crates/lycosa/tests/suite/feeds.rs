//! Are the pages found that only a feed names, and does it date them?

use crate::support::site::{Answer, Site};
use crate::support::*;
use std::sync::{Arc, Mutex};

/// The feed of a site: when its article changed.
type Changed = Arc<Mutex<jiff::Timestamp>>;

/// Pages that each name a feed of their own beside that of the site, as weblogs do.
const PAGES: usize = 20;

/// A site whose front page names a feed, which names an article that no page links to.
fn site(changed: Changed) -> Site {
    Site::serve(move |home, path| {
        let link =
            |feed: &str| format!("<link rel=alternate type=application/atom+xml href={feed}>");
        let number = |prefix: &str| path.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
        match path {
            "/" => {
                let pages = (0..PAGES).map(|n| format!("<a href=/page/{n}>{n}</a> "));
                let rss = "<link rel=alternate type='application/rss+xml' href=/rss.xml>";
                Answer::html(format!(
                    "<title>Front</title>{}{rss}<p>{}",
                    link("/news.atom"),
                    pages.collect::<String>()
                ))
            }
            "/news.atom" => {
                let date = changed.lock().expect("no panic");
                Answer::html(format!(
                    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='http://{home}/news'/>\
                     <updated>{date}</updated></entry></feed>"
                ))
                .typed("application/atom+xml")
            }
            "/rss.xml" => {
                let item = format!("<item><link>http://{home}/item</link></item>");
                Answer::html(format!("<rss><channel>{item}</channel></rss>"))
                    .typed("application/rss+xml")
            }
            "/news" => Answer::html("<title>News</title><p>The pharos was lit again this evening."),
            "/item" => Answer::html("<title>Item</title><p>An item that a keeper wrote by hand."),
            _ => match (number("/page/"), number("/comments/")) {
                (Some(n), _) => {
                    let words: String =
                        (0..20).map(|word| format!("w{} ", n * 20 + word)).collect();
                    let feed = link(&format!("/comments/{n}"));
                    Answer::html(format!("<title>{n}</title>{feed}<p>{words}"))
                }
                (_, Some(_)) => Answer::html("<feed></feed>").typed("application/atom+xml"),
                _ => Answer::missing(),
            },
        }
    })
}

#[test]
fn pages_that_only_a_feed_names_are_found_and_dated_by_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let changed = Changed::new(Mutex::new("2020-01-01T00:00:00Z".parse().expect("a moment")));
    let site = site(Arc::clone(&changed));
    let home = format!("http://{}", site.address);
    let crawl = |more: &[&str], trace: &str| {
        let trace = dir.path().join(trace);
        let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s"]);
        command.args(["--data", text(&data), "--trace", text(&trace)]).args(more);
        let ran = Running::start(command).finish();
        (ran, Trace::read(&trace))
    };
    let (ran, trace) = crawl(&[&home], "first.jsonl");
    let summary = ran.exits(0).json();
    assert_eq!(summary["pages"], PAGES + 3, "the front, its pages and two articles: {summary}");
    let fetched = trace.urls("fetched");
    assert!(fetched.contains(&format!("{home}/news").as_str()), "{fetched:?}");
    assert!(fetched.contains(&format!("{home}/item").as_str()), "{fetched:?}");
    let why = run(["url", &format!("{home}/news"), "--data", text(&data)]).exits(0).stdout;
    assert!(why.contains("answered with status 200"), "{why}");
    let asked = site.asked();
    assert!(asked.contains("/news.atom") && asked.contains("/rss.xml"), "{asked:?}");
    let comments = asked.iter().filter(|path| path.starts_with("/comments/")).count();
    assert_eq!(comments, 6, "eight feeds of a site and no more");

    // Feeds are read again at the start of a crawl that keeps pages fresh. No page is due yet, and none
    // is waited for. What is made of the date is shown where time can be moved: see the broker.
    let now = jiff::Timestamp::now();
    *changed.lock().expect("no panic") = now;
    let (ran, trace) = crawl(&["--revisit"], "second.jsonl");
    assert_eq!((ran.code, trace.0.len()), (Some(0), 0), "{}", ran.stderr);
    let news = format!("{home}/news");
    let view = run(["url", &news, "--json", "--data", text(&data)]).exits(0).json();
    assert_eq!(view["history"]["announced"], now.as_millisecond(), "{view}");
}
