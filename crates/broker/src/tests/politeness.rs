//! How often is a site asked?

use super::yard::{Yard, advance, answer, page, robots_txt, seconds};
use crate::Settings;
use lycosa_frontier::politeness::Manners;
use lycosa_model::message::BrokerMessage;
use lycosa_model::{FetchKind, Tick};
use std::time::Duration;

const SEED: &str = "http://a.test/";

fn polite(seconds: u64) -> impl FnOnce(&mut Settings) {
    move |settings| settings.manners = Manners::with_delay(Duration::from_secs(seconds))
}

#[tokio::test(start_paused = true)]
async fn the_delay_is_kept_between_two_leases_of_a_site() {
    let mut yard = Yard::with(polite(2));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "")).await;
    for url in [SEED, "http://a.test/2"] {
        let (leases, wait, _) = yard.try_give(bot, 9).await.expect("not refused");
        assert_eq!((leases.len(), wait), (0, Duration::from_secs(2)));
        advance(Duration::from_millis(1_999)).await;
        assert_eq!(yard.give(bot, 9).await, []);
        advance(Duration::from_millis(1)).await;
        let lease = yard.give(bot, 9).await.remove(0);
        assert_eq!(lease.url, url);
        // The pause begins when the answer is there, not when it was asked for.
        seconds(10).await;
        yard.accept(bot, page(&lease, &[])).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_is_kept_from_the_first_page_on() {
    let mut yard = Yard::with(polite(1));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nCrawl-delay: 7\n")).await;
    for _ in 0..2 {
        let before = yard.now();
        let lease = yard.next(bot).await.expect("a page");
        assert_eq!(yard.now().since(before), Duration::from_secs(7));
        yard.accept(bot, page(&lease, &[])).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_one_site_does_not_hold_up_another() {
    let mut yard = Yard::with(polite(60));
    yard.seed(&[SEED, "http://b.test/"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await;
    assert_eq!(robots.len(), 2);
    yard.accept(bot, answer(&robots[0], 404)).await;
    seconds(30).await;
    yard.accept(bot, answer(&robots[1], 404)).await;
    seconds(30).await;
    assert_eq!(yard.given(bot, 9).await, [SEED]);
    seconds(30).await;
    assert_eq!(yard.given(bot, 9).await, ["http://b.test/"]);
}

#[tokio::test(start_paused = true)]
async fn one_lease_per_site_at_a_time_also_for_several_bots() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3"]).await;
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    let lease = yard.next(one).await.expect("a page");
    assert_eq!(yard.give(one, 32).await, []);
    let (leases, wait, finished) = yard.try_give(two, 32).await.expect("not refused");
    assert_eq!((leases.len(), finished), (0, false));
    assert!(wait <= Duration::from_millis(100), "{wait:?}");
    yard.accept(one, page(&lease, &[])).await;
    assert_eq!(yard.given(two, 32).await, ["http://a.test/2"]);
    assert_eq!(yard.give(one, 32).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_concurrency_of_two_is_two_and_not_three() {
    let mut yard = Yard::with(|settings| settings.site_concurrency = 2);
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await;
    assert_eq!(robots.len(), 1);
    yard.accept(bot, answer(&robots[0], 404)).await;
    let pages = yard.give(bot, 9).await;
    assert_eq!(pages.len(), 2);
    yard.accept(bot, page(&pages[1], &[])).await;
    assert_eq!(yard.give(bot, 9).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn retry_after_rests_the_site_and_the_url_is_tried_again() {
    for status in [429, 503] {
        let mut yard = Yard::new();
        yard.seed(&[SEED, "http://a.test/2"]).await;
        let bot = yard.inside("bot").await;
        let lease = yard.next(bot).await.expect("a page");
        let mut report = answer(&lease, status);
        report.retry_after = Some(100);
        yard.accept(bot, report).await;
        let before = yard.now();
        assert_eq!(yard.site(SEED).next_ok, before.after(Duration::from_secs(100)));
        seconds(99).await;
        assert_eq!(yard.give(bot, 9).await, [], "{status}");
        let mut urls = yard.rest_of(bot).await;
        urls.sort();
        assert_eq!(urls, [SEED, "http://a.test/2"], "{status}");
        assert_eq!(yard.record(SEED).failures, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_pause_that_one_of_two_answers_asks_for_counts() {
    let mut yard = Yard::with(|settings| settings.site_concurrency = 2);
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await;
    yard.accept(bot, answer(&robots[0], 404)).await;
    let pages = yard.give(bot, 2).await;
    let mut busy = answer(&pages[0], 503);
    busy.retry_after = Some(1_000);
    yard.accept(bot, busy).await;
    yard.accept(bot, page(&pages[1], &[])).await;
    seconds(999).await;
    assert_eq!(yard.give(bot, 9).await, []);
    seconds(1).await;
    assert_eq!(yard.give(bot, 9).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_site_rests_after_a_lease_that_ended_without_a_report() {
    let mut yard = Yard::with(polite(5));
    yard.seed(&[SEED]).await;
    let bot = yard.outside("bot").await;
    yard.next(bot).await.expect("a page");
    yard.ask(BrokerMessage::Leave { bot }).await;
    let next = yard.inside("next").await;
    let left = yard.now();
    let lease = yard.next(next).await.expect("the page again");
    assert_eq!(lease.kind, FetchKind::Page);
    assert_eq!(yard.now().since(left), Duration::from_secs(5));
    // The same when the process died over it.
    yard.restart(true);
    let next = yard.inside("next").await;
    let died = yard.now();
    yard.next(next).await.expect("the page again");
    assert_eq!(yard.now().since(died), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_pause_outlasts_the_process() {
    let mut yard = Yard::with(polite(1));
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    let mut report = answer(&robots, 404);
    report.retry_after = Some(50);
    yard.accept(bot, report).await;
    let until: Tick = yard.now().after(Duration::from_secs(50));
    for resume in [true, false] {
        yard.restart(resume);
        yard.seed(&[SEED]).await;
        let bot = yard.inside("bot").await;
        assert_eq!(yard.give(bot, 1).await, []);
        assert_eq!(yard.site(SEED).next_ok, until);
        seconds(20).await;
    }
    seconds(10).await;
    let bot = yard.inside("bot").await;
    assert_eq!(yard.given(bot, 1).await, [SEED]);
}

#[tokio::test(start_paused = true)]
async fn several_bots_keep_one_delay() {
    let mut yard = Yard::with(polite(2));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    yard.fetch(one, SEED, &[]).await;
    assert_eq!(yard.give(two, 9).await, []);
    advance(Duration::from_millis(1_999)).await;
    assert_eq!(yard.give(two, 9).await, []);
    assert_eq!(yard.give(one, 9).await, []);
    advance(Duration::from_millis(1)).await;
    assert_eq!(yard.given(two, 9).await, ["http://a.test/2"]);
}

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_of_an_hour_is_waited_for_while_others_go_on() {
    let mut yard = Yard::with(polite(1));
    yard.seed(&[SEED, "http://b.test/", "http://b.test/2"]).await;
    let bot = yard.inside("bot").await;
    for robots in yard.give(bot, 9).await {
        let slow = robots.url.contains("//a.test");
        let text = if slow { "User-agent: *\nCrawl-delay: 3600\n" } else { "" };
        yard.accept(bot, robots_txt(&robots, text)).await;
    }
    let asked = yard.now();
    yard.fetch(bot, "http://b.test/", &[]).await;
    yard.fetch(bot, "http://b.test/2", &[]).await;
    assert_eq!(yard.now().since(asked), Duration::from_secs(2));
    yard.fetch(bot, SEED, &[]).await;
    assert_eq!(yard.now().since(asked), Duration::from_secs(3_600));
    assert!(yard.next(bot).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_longer_than_rules_are_believed_is_waited_for_too() {
    let mut yard = Yard::with(polite(1));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await.remove(0);
    let days = |count: u64| Duration::from_secs(count * 24 * 60 * 60);
    let text = format!("User-agent: *\nCrawl-delay: {}\n", days(30).as_secs());
    yard.accept(bot, robots_txt(&robots, &text)).await;
    let until = yard.now().after(days(30));
    assert_eq!(yard.site(SEED).next_ok, until);
    // Nothing is skipped: the page waits for its month, also over a restart.
    yard.restart(true);
    let bot = yard.inside("bot").await;
    advance(days(30) - Duration::from_secs(1)).await;
    assert_eq!(yard.give(bot, 9).await, []);
    seconds(1).await;
    assert_eq!(yard.given(bot, 9).await, [SEED]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_site_rests_longer_each_time_and_is_forgiven_slowly() {
    let mut yard = Yard::with(|settings| {
        (settings.retry.attempts, settings.retry.first) = (9, Duration::from_millis(1));
    });
    let urls: Vec<String> = (0..9).map(|number| format!("http://a.test/{number}")).collect();
    yard.seed(&urls.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for (status, rest) in [(429, 60), (503, 120), (429, 240), (200, 0), (429, 480)] {
        let bot = yard.inside("bot").await;
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, status)).await;
        let rested = yard.site(SEED).next_ok.since(yard.now());
        let about = Duration::from_secs(rest)..=Duration::from_secs(rest) * 11 / 10;
        assert!(about.contains(&rested), "{status}: {rested:?}");
        // The rest belongs to the site: a new process and another bot keep it.
        yard.restart(true);
        let other = yard.inside("other").await;
        assert_eq!(yard.give(other, 9).await.is_empty(), rest > 0, "{status}");
        yard.ask(BrokerMessage::Leave { bot: other }).await;
    }
    // A few good answers, and the next trouble is met with less.
    for _ in 0..5 {
        let bot = yard.inside("bot").await;
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, page(&lease, &[])).await;
    }
    assert_eq!(yard.site(SEED).trouble.step, 3);
}

#[tokio::test(start_paused = true)]
async fn a_slow_or_huge_site_takes_one_place_and_others_go_on() {
    let mut yard = Yard::with(polite(1));
    let huge: Vec<String> = (0..500).map(|n| format!("http://a.test/{n}")).collect();
    yard.seed(&huge.iter().map(String::as_str).collect::<Vec<_>>()).await;
    yard.seed(&["http://b.test/", "http://c.test/"]).await;
    let bot = yard.inside("bot").await;
    for robots in yard.give(bot, 9).await {
        yard.accept(bot, answer(&robots, 404)).await;
    }
    seconds(1).await;
    let leases = yard.give(bot, 9).await;
    let urls: Vec<&str> = leases.iter().map(|lease| lease.url.as_str()).collect();
    assert_eq!(urls, ["http://a.test/0", "http://b.test/", "http://c.test/"]);
    // The huge site is slow as well: nothing of it is given before it has answered.
    yard.accept(bot, page(&leases[1], &["http://b.test/2"])).await;
    seconds(1).await;
    assert_eq!(yard.given(bot, 9).await, ["http://b.test/2"]);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_broken_is_no_trouble_of_its_site_however_often_it_is_tried() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/broken"]).await;
    for _ in 0..3 {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
    }
    let site = yard.view("http://a.test/broken").await.site.expect("met");
    assert_eq!((site.back_off, yard.status().await.errors), (0, 3));
    assert!(site.rests_ms <= 1_000, "{}", site.rests_ms);
    // Three pages that are broken are.
    yard.seed(&["http://a.test/1", "http://a.test/2"]).await;
    for _ in 0..2 {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
    }
    let site = yard.view("http://a.test/broken").await.site.expect("met");
    assert_eq!(site.back_off, 1);
    assert!(site.rests_ms >= 60_000, "{}", site.rests_ms);
}
