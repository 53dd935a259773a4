//! Is everything that people ask about counted?

use super::yard::{Yard, answer, page, robots_txt, seconds, silence};
use lycosa_model::FetchError;
use lycosa_model::message::Report;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn links_that_are_left_alone_are_counted_by_reason() {
    let mut yard = Yard::with(|settings| {
        (settings.max_depth, settings.max_links) = (Some(1), 3);
    });
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let links = ["http://b.test/", "http://a.test/1", "http://c.test/", "http://a.test/beyond"];
    yard.fetch(bot, SEED, &links).await;
    yard.fetch(bot, "http://a.test/1", &["http://a.test/2", "http://b.test/"]).await;
    let left = yard.status().await.left;
    let count = |reason: &str| left.get(reason).copied();
    assert_eq!(count("out_of_scope"), Some(3));
    assert_eq!(count("too_deep"), Some(1));
    assert_eq!(count("too_many_on_page"), Some(1));
    // They are as durable as everything else.
    yard.restart(true);
    assert_eq!(yard.status().await.left, left);
}

#[tokio::test(start_paused = true)]
async fn pages_are_counted_by_media_type() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3", "http://a.test/4"]).await;
    let bot = yard.inside("bot").await;
    for media in [Some("text/html"), Some("application/pdf"), Some("text/html"), None] {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, Report { media: media.map(Into::into), ..page(&lease, &[]) }).await;
    }
    let media = yard.status().await.media;
    let rows: Vec<(&str, u64)> =
        media.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(rows, [("application/pdf", 1), ("text/html", 2), ("unknown", 1)]);
}

#[tokio::test(start_paused = true)]
async fn what_is_being_fetched_and_what_fails_where_is_told() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/", "http://b.test/2"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await;
    seconds(3).await;
    let fetching = yard.status().await.fetching;
    assert_eq!(fetching.len(), 2);
    assert_eq!((fetching[0].seconds, fetching[0].bot), (3.0, bot));
    assert!(fetching.iter().any(|row| row.url == "http://a.test/robots.txt"), "{fetching:?}");
    for lease in &robots {
        yard.accept(bot, answer(lease, 404)).await;
    }
    let pages = yard.give(bot, 9).await;
    let urls: Vec<String> = yard.status().await.fetching.into_iter().map(|row| row.url).collect();
    assert!(urls.contains(&SEED.to_owned()) && urls.len() == 2, "{urls:?}");
    for lease in &pages {
        let report = match lease.url.as_str() {
            SEED => silence(lease, FetchError::Timeout),
            _ => answer(lease, 404),
        };
        yard.accept(bot, report).await;
    }
    let lease = yard.next(bot).await.expect("the next of b");
    yard.accept(bot, answer(&lease, 404)).await;
    let status = yard.status().await;
    let told: Vec<(&str, &str, u64)> = status
        .troubles
        .iter()
        .map(|row| (row.site.as_str(), row.outcome.as_str(), row.count))
        .collect();
    assert_eq!(told, [("http://b.test", "client_error", 2), ("http://a.test", "timeout", 1)]);
    assert_eq!(status.retrying, 1);
    assert!(status.pace.bytes_per_second > 0.0);
    let top: Vec<&str> = status.top_sites.iter().map(|row| row.site.as_str()).collect();
    assert!(top.contains(&"http://a.test") && top.contains(&"http://b.test"), "{top:?}");
}

#[tokio::test(start_paused = true)]
async fn a_url_is_shown_with_what_its_site_says_beyond_the_rules() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    let text = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nCrawl-delay: 7\n";
    yard.accept(bot, robots_txt(&robots, text)).await;
    let site = yard.view(SEED).await.site.expect("its site");
    assert_eq!(site.signals, ["content-signal: search=yes, ai-train=no"]);
    assert_eq!((site.robots.as_str(), site.crawl_delay, site.rests_ms), ("read", Some(7), 7_000));
    // Also after a restart, when nothing but the record is there.
    yard.restart(true);
    assert_eq!(yard.view(SEED).await.site.expect("its site").signals, site.signals);
}
