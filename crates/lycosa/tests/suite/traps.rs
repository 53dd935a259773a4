//! Does a crawl come to an end on a site that has none?

use crate::support::*;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// Pages that are worth reading.
const HONEST: usize = 60;

/// Serves an endless site on loopback for as long as this program runs; its front page.
fn endless_site() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(&stream));
        }
    });
    format!("http://127.0.0.1:{port}")
}

fn serve(mut stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        let target = line.split(' ').nth(1).unwrap_or("/").to_owned();
        while line.trim() != "" {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
        }
        line.clear();
        let (status, body) = match page(&target) {
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", String::new()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

/// The page at an address: each but the honest ones leads on for ever.
fn page(target: &str) -> Option<String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut links = Vec::new();
    match path {
        "/" => {
            links.extend((0..HONEST).map(|n| format!("/article/{n}?from=home&lang=en")));
            links.extend(
                ["/cal/2024/11", "/broken/", "/shop?c=0&s=0", "/agenda?date=2025-03-01"]
                    .map(str::to_owned),
            );
            links.push(format!("/article/0?from=home&lang=en&PHPSESSID={:032x}", 7));
        }
        "/shop" => {
            // One more filter, or another value of one: 9 values of each of 6 filters.
            for key in ["c", "s", "m", "p", "o", "v"] {
                for value in 0..9 {
                    let mut kept: Vec<&str> =
                        query.split('&').filter(|part| !part.starts_with(key)).collect();
                    let part = format!("{key}={value}");
                    kept.push(&part);
                    links.push(format!("/shop?{}", kept.join("&")));
                }
            }
        }
        "/agenda" => {
            let day: u32 = query.strip_prefix("date=")?.replace('-', "").parse().ok()?;
            let (year, month, day) = (day / 10_000, day / 100 % 100, day % 100);
            let (month, day) = if day < 28 { (month, day + 1) } else { (month + 1, 1) };
            let (year, month) = if month <= 12 { (year, month) } else { (year + 1, 1) };
            links.push(format!("/agenda?date={year}-{month:02}-{day:02}"));
        }
        _ if path.starts_with("/cal/") => {
            let (year, month) = path.strip_prefix("/cal/")?.split_once('/')?;
            let month = year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()? - 1;
            for month in [month - 1, month + 1] {
                links.push(format!("/cal/{}/{:02}", month / 12, month % 12 + 1));
            }
        }
        // A relative link that always leads one folder deeper.
        _ if path.starts_with("/broken/") => links.push("x/broken/".into()),
        _ if path.starts_with("/article/") => links.push("/".into()),
        _ => return None,
    }
    let links: String = links
        .iter()
        .map(|link| format!("<li><a href=\"{}\">on</a>", link.replace('&', "&amp;")))
        .collect();
    Some(format!("<!doctype html><title>{target}</title><p>Here is {target}.<ul>{links}</ul>"))
}

#[test]
fn a_site_without_end_is_crawled_to_its_end_and_every_reason_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let site = endless_site();
    let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s"]);
    command.args(["--no-archive", "--no-index", "--data", text(&data), "--trace", text(&trace)]);
    command.arg(&site);
    let summary = Running::start(command).finish().exits(0).json();
    assert_eq!((&summary["finished"], &summary["queued"]), (&true.into(), &0.into()), "{summary}");

    let trace = Trace::read(&trace);
    let fetched: BTreeSet<&str> = trace.urls("fetched").into_iter().collect();
    for n in 0..HONEST {
        let article = format!("{site}/article/{n}?from=home&lang=en");
        assert!(fetched.contains(article.as_str()), "{article}");
    }
    let below = |prefix: &str| {
        let prefix = format!("{site}{prefix}");
        fetched.iter().filter(|url| url.starts_with(&prefix)).count()
    };
    assert!(below("/article/") == HONEST, "and once each");
    assert!((1..=5).contains(&below("/broken/")), "{}", below("/broken/"));
    assert!((300..=400).contains(&below("/cal/")), "months of the calendar: {}", below("/cal/"));
    assert!((300..=400).contains(&below("/agenda")), "days of the agenda: {}", below("/agenda"));
    assert!((200..=1000).contains(&below("/shop")), "combinations: {}", below("/shop"));

    let refused = [
        ("trap_repeating_path", "/broken/x/broken/x/broken/x/broken/"),
        ("trap_calendar", "/agenda?date=2040-05-12"),
        ("trap_facets", "/shop?c=8&s=8&m=8&p=8&o=8&v=8"),
        ("trap_session", "/article/5?PHPSESSID=0123456789abcdef0123456789abcdef"),
    ];
    for (reason, address) in refused {
        assert!(summary["outcomes"][reason].as_u64() > Some(0), "{reason}: {summary}");
        let url = format!("{site}{address}");
        let told = run(["url", &url, "--data", text(&data)]).exits(0).stdout;
        assert!(told.contains("not followed") && told.contains(reason), "{told}");
        let view = run(["url", &url, "--json", "--data", text(&data)]).exits(0).json();
        assert!(view["reason"].as_str().is_some_and(|text| text.contains(reason)), "{view}");
    }
}

#[test]
fn a_site_gets_no_more_than_its_share_of_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = endless_site();
    let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s"]);
    command.args([
        "--no-archive",
        "--no-index",
        "--data",
        text(&data),
        "--site-pages",
        "25",
        &site,
    ]);
    let summary = Running::start(command).finish().exits(0).json();
    assert_eq!((&summary["pages"], &summary["finished"]), (&25.into(), &true.into()), "{summary}");
    assert!(summary["outcomes"]["site_budget"].as_u64() > Some(0), "{summary}");
    let last = format!("{site}/article/{}?from=home&lang=en", HONEST - 1);
    let told = run(["url", &last, "--data", text(&data)]).exits(0).stdout;
    assert!(told.contains("site_budget"), "{told}");
}
