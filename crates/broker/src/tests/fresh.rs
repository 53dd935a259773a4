//! Crawls that keep pages fresh.

use super::content::says;
use super::yard::{Yard, advance, answer, id, page, robots_txt, seconds};
use lycosa_model::message::Report;
use lycosa_model::{BotId, FetchKind, Found, Lease};
use std::collections::BTreeMap;
use std::time::Duration;

const DAY: u64 = 24 * 60 * 60;

/// A site of which these pages were fetched once.
async fn fetched(urls: &[&str]) -> Yard {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    yard.seed(urls).await;
    while let Some(lease) = yard.next(bot).await {
        let text = lease.url.clone();
        yard.accept(bot, says(&lease, &text, &[])).await;
    }
    yard
}

/// The next page or sitemap, with longer steps than a bot makes.
async fn next(yard: &mut Yard, bot: BotId) -> Option<Lease> {
    next_by(yard, bot, "").await
}

/// The same for sites of this robots.txt.
async fn next_by(yard: &mut Yard, bot: BotId, robots: &str) -> Option<Lease> {
    for _ in 0..10_000 {
        let (leases, wait, finished) = yard.try_give(bot, 1).await.expect("not refused");
        match leases.into_iter().next() {
            Some(lease) if lease.kind == FetchKind::Robots => {
                yard.accept(bot, robots_txt(&lease, robots)).await;
            }
            Some(lease) => return Some(lease),
            None if finished => return None,
            None => advance(wait.max(Duration::from_secs(600))).await,
        }
    }
    panic!("the crawl does not end");
}

/// The next crawl keeps what is known fresh.
async fn keep_fresh(yard: &mut Yard) -> BotId {
    yard.plan.settings.revisiting = true;
    yard.restart(true);
    yard.inside("bot").await
}

const THREE: [&str; 3] = ["http://a.test/1", "http://a.test/2", "http://b.test/1"];

#[tokio::test(start_paused = true)]
async fn a_page_of_an_earlier_run_that_is_visited_again_is_not_queued_by_a_link_too() {
    let mut yard = fetched(&THREE).await;
    yard.restart(false);
    seconds(40 * DAY).await;
    let bot = keep_fresh(&mut yard).await;
    let mut visited = Vec::new();
    while let Some(lease) = next(&mut yard, bot).await {
        visited.push(lease.url.clone());
        yard.accept(bot, says(&lease, "news", &THREE)).await;
        yard.seed(&THREE).await;
    }
    visited.sort_unstable();
    assert_eq!(visited, THREE, "each once");
}

#[tokio::test(start_paused = true)]
async fn what_is_due_is_visited_and_then_the_crawl_ends() {
    let mut yard = fetched(&THREE).await;
    let bot = keep_fresh(&mut yard).await;
    assert_eq!(next(&mut yard, bot).await, None, "nothing is due a moment later");
    seconds(40 * DAY).await;
    let bot = keep_fresh(&mut yard).await;
    let mut visited = Vec::new();
    while let Some(lease) = next(&mut yard, bot).await {
        assert_eq!(lease.previous.is_none(), lease.url.ends_with("new"), "it asks conditionally");
        visited.push(lease.url.clone());
        let report = match lease.url.as_str() {
            "http://a.test/2" => says(&lease, "new words", &["http://a.test/new"]),
            "http://a.test/new" => says(&lease, "found", &["http://a.test/1"]),
            _ => answer(&lease, 304),
        };
        let lease_is_new = lease.url.ends_with("new");
        yard.accept(bot, report).await;
        if lease_is_new {
            break;
        }
    }
    assert_eq!(next(&mut yard, bot).await, None, "known links are no news");
    visited.sort();
    assert_eq!(
        visited,
        ["http://a.test/1", "http://a.test/2", "http://a.test/new", "http://b.test/1"]
    );
    let status = yard.status().await.revisit.expect("it keeps pages fresh");
    assert_eq!((status.due, status.changed, status.unchanged, status.visited), (3, 2, 2, 4));
    assert!(status.freshness > 0.0 && status.freshness <= 1.0);
}

#[tokio::test(start_paused = true)]
async fn with_a_limit_it_waits_for_pages_to_be_due_and_counts_every_visit() {
    let mut yard = fetched(&THREE).await;
    yard.plan.settings.max_pages = Some(7);
    let bot = keep_fresh(&mut yard).await;
    let began = yard.now();
    let mut visits = 0;
    while let Some(lease) = next(&mut yard, bot).await {
        yard.accept(bot, answer(&lease, 304)).await;
        visits += 1;
    }
    assert_eq!(visits, 7);
    assert!(yard.now().since(began) > Duration::from_secs(DAY), "it has slept between them");
}

#[tokio::test(start_paused = true)]
async fn a_rate_of_visits_is_kept_whatever_is_due() {
    let urls: Vec<String> = (0..20).map(|n| format!("http://s{n}.test/")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut yard = fetched(&urls).await;
    seconds(100 * DAY).await;
    yard.plan.settings.revisit.visits_per_day = Some(24.0);
    yard.plan.settings.max_time = Some(Duration::from_secs(5 * 60 * 60 + 60));
    let bot = keep_fresh(&mut yard).await;
    let mut visits = 0;
    while let Some(lease) = next(&mut yard, bot).await {
        yard.accept(bot, answer(&lease, 304)).await;
        visits += 1;
    }
    assert!((5..=6).contains(&visits), "{visits} in five hours at one an hour");
}

/// Visits of each page in some days; pages that `changes` names are new at each visit.
async fn visits(yard: &mut Yard, days: u64, changes: &str) -> BTreeMap<String, u32> {
    yard.plan.settings.max_time = Some(Duration::from_secs(days * DAY));
    let bot = keep_fresh(yard).await;
    let mut visits: BTreeMap<String, u32> = BTreeMap::new();
    let mut number = 0;
    while let Some(lease) = next(yard, bot).await {
        *visits.entry(lease.url.clone()).or_default() += 1;
        number += 1;
        let report = match lease.url == changes {
            true => says(&lease, &format!("words {number}"), &[]),
            false => answer(&lease, 304),
        };
        yard.accept(bot, report).await;
    }
    visits
}

#[tokio::test(start_paused = true)]
async fn a_page_that_changes_is_visited_more_often_than_one_that_does_not() {
    let mut yard = fetched(&THREE).await;
    let visits = visits(&mut yard, 90, THREE[0]).await;
    assert!(visits[THREE[0]] >= 2 * visits[THREE[1]], "{visits:?}");
    let all: u32 = visits.values().sum();
    assert!(all <= 3 * 90 / 7 + 9, "{all}: about one visit a week and page");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_fails_is_not_asked_again_and_again() {
    let mut yard = fetched(&THREE[..1]).await;
    seconds(100 * DAY).await;
    yard.plan.settings.max_time = Some(Duration::from_secs(DAY));
    let bot = keep_fresh(&mut yard).await;
    let mut attempts = 0;
    while let Some(lease) = next(&mut yard, bot).await {
        yard.accept(bot, answer(&lease, 500)).await;
        attempts += 1;
    }
    assert!(attempts < 80, "{attempts} attempts in a day");
}

fn sitemap(lease: &Lease, entries: &[(&str, lycosa_model::Tick)]) -> Report {
    assert_eq!(lease.kind, FetchKind::Sitemap);
    let found = |(url, changed): &(&str, lycosa_model::Tick)| Found {
        url: (*url).into(),
        changed: Some(*changed),
        ..Found::default()
    };
    Report { links: entries.iter().map(found).collect(), ..page(lease, &[]) }
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_that_dates_a_page_anew_brings_it_forward() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let robots = "Sitemap: http://a.test/map.xml";
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1", "http://a.test/2"]).await;
    let mut pages = 0;
    loop {
        let (leases, wait, finished) = yard.try_give(bot, 1).await.expect("not refused");
        match leases.into_iter().next() {
            Some(lease) => {
                let report = match lease.kind {
                    FetchKind::Robots => robots_txt(&lease, robots),
                    FetchKind::Sitemap => sitemap(&lease, &[]),
                    _ => says(&lease, &lease.url.clone(), &[]),
                };
                pages += usize::from(lease.kind == FetchKind::Page);
                yard.accept(bot, report).await;
            }
            None if finished => break,
            None => advance(wait).await,
        }
    }
    assert_eq!(pages, 2);
    seconds(2 * 60 * 60).await;
    let changed = yard.now();
    yard.plan.settings.max_time = Some(Duration::from_secs(2 * DAY));
    let bot = keep_fresh(&mut yard).await;
    let mut visited = Vec::new();
    while let Some(lease) = next(&mut yard, bot).await {
        match lease.kind {
            FetchKind::Sitemap => {
                yard.accept(bot, sitemap(&lease, &[("http://a.test/2", changed)])).await;
            }
            _ => {
                visited.push(lease.url.clone());
                yard.accept(bot, says(&lease, "new words", &[])).await;
            }
        }
    }
    assert_eq!(visited, ["http://a.test/2"]);
    let history = yard.plan.records.history(id("http://a.test/2")).expect("store").expect("known");
    assert_eq!((history.announced, history.announced_changes), (Some(changed), 1));
}

#[tokio::test(start_paused = true)]
async fn feeds_are_read_again_while_pages_are_kept_fresh_and_sooner_than_sitemaps() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let robots = "Sitemap: http://a.test/map.xml";
    let feed = || vec!["http://a.test/news.json".to_owned()];
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1"]).await;
    let mut news = Vec::new();
    let mut work = async |yard: &mut Yard, bot| {
        let mut asked = Vec::new();
        while let Some(lease) = next_by(yard, bot, robots).await {
            asked.push(lease.url.clone());
            let report = match lease.kind {
                FetchKind::Sitemap if lease.url.ends_with("json") => {
                    news.push(format!("http://a.test/news/{}", news.len()));
                    let now = yard.now();
                    let all: Vec<_> = news.iter().map(|url| (url.as_str(), now)).collect();
                    sitemap(&lease, &all[all.len() - 1..])
                }
                FetchKind::Sitemap => sitemap(&lease, &[]),
                _ => Report { sitemaps: feed(), ..says(&lease, &lease.url.clone(), &[]) },
            };
            yard.accept(bot, report).await;
        }
        asked
    };
    let asked = work(&mut yard, bot).await;
    assert_eq!(asked.iter().filter(|url| url.contains("/news/")).count(), 1, "{asked:?}");
    yard.plan.settings.max_time = Some(Duration::from_secs(DAY + DAY / 48));
    let bot = keep_fresh(&mut yard).await;
    let asked = work(&mut yard, bot).await;
    let count = |what: &str| asked.iter().filter(|url| url.contains(what)).count();
    // At the beginning, and then each hour; the sitemap each day.
    assert_eq!((count("news.json"), count("map.xml")), (25, 2), "{asked:?}");
    assert!(count("/news/") >= 25, "what the feed names is fetched: {asked:?}");
}
