//! What happens with the sitemaps that robots.txt names?

use super::yard::{Yard, advance, answer, page, redirect, robots_txt, seconds, silence};
use lycosa_frontier::ScopeKind;
use lycosa_model::message::{BrokerMessage, Refusal, Report};
use lycosa_model::{BotId, FetchError, FetchKind, Found, Lease, Origin, Outcome, UrlState};
use std::time::Duration;

const SEED: &str = "http://a.test/";
const MAP: &str = "http://a.test/map.xml";

/// A sitemap that names pages.
fn urlset(lease: &Lease, urls: &[&str]) -> Report {
    assert_eq!(lease.kind, FetchKind::Sitemap);
    let links = urls.iter().map(|url| Found { url: (*url).into(), ..Found::default() }).collect();
    Report { links, ..answer(lease, 200) }
}

/// A sitemap that names sitemaps.
fn index(lease: &Lease, urls: &[&str]) -> Report {
    assert_eq!(lease.kind, FetchKind::Sitemap);
    let sitemaps = urls.iter().map(|url| (*url).to_owned()).collect();
    Report { sitemaps, ..answer(lease, 200) }
}

/// A crawl of `SEED` whose robots.txt has been read.
async fn begun(yard: &mut Yard, robots: &str) -> BotId {
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&lease, robots)).await;
    bot
}

fn naming(urls: &[&str]) -> String {
    urls.iter().map(|url| format!("Sitemap: {url}\n")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_is_read_after_the_first_page_and_is_no_page() {
    let mut yard = Yard::new();
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the sitemap");
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Sitemap, MAP));
    assert!(!yard.status().await.finished, "a sitemap is out");
    let named = ["http://a.test/alone", "http://b.test/elsewhere", SEED, "mailto:x@a.test"];
    yard.accept(bot, urlset(&lease, &named)).await;
    let status = yard.status().await;
    assert_eq!((status.pages, status.known, status.queued), (1, 2, 1));
    assert_eq!(status.outcomes.values().sum::<u64>(), 1, "only the seed was counted");
    assert!(!yard.knows(MAP) && !yard.knows("http://b.test/elsewhere"));
    let record = yard.record("http://a.test/alone");
    assert_eq!(record.state, UrlState::Waiting(Origin::Sitemap));
    assert_eq!((record.depth, record.bot2_id), (1, Some(bot)));
    assert_eq!(yard.inlinks(&record.url), 0);
    assert!(yard.view("http://a.test/alone").await.reason.contains("named by a sitemap or feed"));
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/alone"]);
    assert_eq!(yard.status().await.pages, 2);
    assert!(yard.status().await.finished);
}

#[tokio::test(start_paused = true)]
async fn sitemaps_are_not_read_unless_wanted() {
    for change in [
        (|settings: &mut crate::Settings| settings.sitemaps = false) as fn(&mut crate::Settings),
        |settings| settings.max_depth = Some(0),
        |settings| settings.max_pages = Some(1),
    ] {
        let mut yard = Yard::with(change);
        let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
        assert_eq!(yard.rest_of(bot).await, [SEED]);
    }
}

#[tokio::test(start_paused = true)]
async fn pages_and_sitemaps_of_a_site_take_turns() {
    let mut yard = Yard::new();
    let bot = begun(&mut yard, &naming(&["/1.xml", "/2.xml", "/3.xml"])).await;
    yard.fetch(bot, SEED, &["http://a.test/a", "http://a.test/b"]).await;
    let mut order = Vec::new();
    while let Some(lease) = yard.next(bot).await {
        let report = match lease.kind {
            FetchKind::Sitemap => urlset(&lease, &[]),
            _ => page(&lease, &[]),
        };
        yard.accept(bot, report).await;
        order.push(lease.url.trim_start_matches(SEED).to_owned());
    }
    assert_eq!(order, ["1.xml", "a", "2.xml", "b", "3.xml"]);
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_waits_for_its_site_and_is_held_by_one_bot() {
    let mut yard = Yard::with(|settings| settings.manners.delay = Duration::from_secs(5));
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    let other = yard.inside("other").await;
    advance(Duration::from_secs(5)).await;
    yard.fetch(bot, SEED, &[]).await;
    assert_eq!(yard.given(bot, 9).await, Vec::<String>::new(), "the site rests");
    seconds(5).await;
    let lease = yard.give(bot, 9).await.remove(0);
    assert_eq!(lease.kind, FetchKind::Sitemap);
    assert_eq!(yard.given(other, 9).await, Vec::<String>::new());
    let stolen = yard.report(other, vec![urlset(&lease, &[])]).await;
    assert_eq!(stolen, [Err(Refusal::NotYours)]);
    let as_page = Report { kind: FetchKind::Page, ..answer(&lease, 200) };
    assert_eq!(yard.report(bot, vec![as_page]).await, [Err(Refusal::NotYours)]);
    yard.accept(bot, urlset(&lease, &["http://a.test/x"])).await;
    let again = yard.report(bot, vec![urlset(&lease, &["http://a.test/y"])]).await;
    assert_eq!(again, [Err(Refusal::NotYours)], "once and no more");
    assert!(!yard.knows("http://a.test/y"));
    assert_eq!(yard.given(bot, 9).await, Vec::<String>::new(), "and rests after it");
    seconds(5).await;
    assert_eq!(yard.given(bot, 9).await, ["http://a.test/x"]);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_holds_for_sitemaps_and_for_what_they_name() {
    let mut yard = Yard::new();
    let robots = format!("User-agent: *\nDisallow: /no/\n{}", naming(&["/no/map.xml", "/map.xml"]));
    let bot = begun(&mut yard, &robots).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the allowed one");
    assert_eq!(lease.url, MAP);
    yard.accept(bot, urlset(&lease, &["http://a.test/no/page", "http://a.test/page"])).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/page"]);
    let secret = yard.record("http://a.test/no/page");
    assert_eq!(secret.state, UrlState::Ended(Outcome::RobotsDisallowed));
}

#[tokio::test(start_paused = true)]
async fn an_index_leads_to_sitemaps_as_deep_and_as_many_as_allowed() {
    let mut yard = Yard::with(|settings| {
        settings.max_sitemap_nesting = 2;
        settings.max_sitemaps = 4;
    });
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let mut read = Vec::new();
    while let Some(lease) = yard.next(bot).await {
        assert_eq!(lease.kind, FetchKind::Sitemap);
        // Each leads to itself, to the first, and one step deeper.
        let deeper = format!("{}x", lease.url);
        yard.accept(bot, index(&lease, &[&lease.url, MAP, &deeper])).await;
        read.push(lease.url);
    }
    assert_eq!(read, [MAP.to_owned(), format!("{MAP}x"), format!("{MAP}xx")]);

    let mut yard = Yard::with(|settings| settings.max_sitemaps = 4);
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the index");
    let children: Vec<String> = (0..9).map(|n| format!("http://a.test/{n}.xml")).collect();
    let children: Vec<&str> = children.iter().map(String::as_str).collect();
    yard.accept(bot, index(&lease, &children)).await;
    let mut count = 0;
    while let Some(lease) = yard.next(bot).await {
        yard.accept(bot, urlset(&lease, &[])).await;
        count += 1;
    }
    assert_eq!(count, 3, "four of the site, the index among them");
}

#[tokio::test(start_paused = true)]
async fn sitemaps_elsewhere_are_asked_for_only_near_by_and_after_their_robots_txt() {
    let mut yard = Yard::new();
    let far = ["https://cdn.a.test/map.xml", "http://victim.test/map.xml", "ftp://a.test/map"];
    let bot = begun(&mut yard, &naming(&far)).await;
    yard.fetch(bot, SEED, &[]).await;
    let robots = yard.give(bot, 9).await.remove(0);
    assert_eq!(
        (robots.kind, robots.url.as_str()),
        (FetchKind::Robots, "https://cdn.a.test/robots.txt")
    );
    yard.accept(bot, answer(&robots, 404)).await;
    let lease = yard.give(bot, 9).await.remove(0);
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Sitemap, far[0]));
    yard.accept(bot, urlset(&lease, &["http://a.test/x", "https://cdn.a.test/y"])).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/x"], "what it names must be in scope");

    let mut yard = Yard::with(|settings| settings.scope = ScopeKind::Any);
    let bot = begun(&mut yard, &naming(&far[1..2])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("anywhere is in scope");
    assert_eq!(lease.url, far[1]);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_leads_to_another_sitemap() {
    let mut yard = Yard::new();
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the sitemap");
    yard.accept(bot, redirect(&lease, "http://www.a.test/new.xml")).await;
    let lease = yard.next(bot).await.expect("its new place");
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Sitemap, "http://www.a.test/new.xml"));
    // A circle ends.
    yard.accept(bot, redirect(&lease, MAP)).await;
    assert_eq!(yard.next(bot).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_that_fails_is_tried_again_and_then_left() {
    for (status, attempts) in [(500, 3), (404, 1), (0, 3)] {
        let mut yard = Yard::new();
        let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
        yard.fetch(bot, SEED, &[]).await;
        let mut count = 0;
        while let Some(lease) = yard.next(bot).await {
            count += 1;
            let report = match status {
                0 => silence(&lease, FetchError::Timeout),
                status => answer(&lease, status),
            };
            yard.accept(bot, report).await;
        }
        assert_eq!(count, attempts, "{status}");
        assert_eq!(yard.status().await.errors, 0, "no page failed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_brings_the_sitemap_back_until_it_was_lost_too_often() {
    let mut yard = Yard::with(|settings| settings.lost_leases = 2);
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the sitemap");
    let renew = BrokerMessage::Renew { bot, urls: vec![lease.url_id] };
    yard.ask(renew).await;
    seconds(121).await;
    let late = yard.report(bot, vec![urlset(&lease, &["http://a.test/x"])]).await;
    assert_eq!(late, [Err(Refusal::NotYours)]);
    assert_eq!(yard.next(bot).await.map(|lease| lease.url).as_deref(), Some(MAP));
    // An orderly leave is nobody's fault.
    yard.ask(BrokerMessage::Leave { bot }).await;
    let bot = yard.inside("bot").await;
    assert_eq!(yard.next(bot).await.map(|lease| lease.url).as_deref(), Some(MAP));
    seconds(121).await;
    assert_eq!(yard.next(bot).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_resume_reads_no_sitemap_twice_and_a_new_run_reads_all() {
    let mut yard = Yard::new();
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the index");
    yard.accept(bot, index(&lease, &["http://a.test/1.xml", "http://a.test/2.xml"])).await;
    let lease = yard.next(bot).await.expect("the first");
    yard.accept(bot, urlset(&lease, &["http://a.test/page"])).await;
    // Handed out and not reported: it comes back.
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!(lease.kind, FetchKind::Page);
    yard.accept(bot, page(&lease, &[])).await;
    let lease = yard.next(bot).await.expect("the second");
    assert_eq!(lease.url, "http://a.test/2.xml");
    yard.restart(true);
    let bot = yard.inside("bot").await;
    assert!(!yard.status().await.finished);
    let lease = yard.next(bot).await.expect("the second, again");
    assert_eq!(lease.url, "http://a.test/2.xml");
    yard.accept(bot, urlset(&lease, &[])).await;
    assert_eq!(yard.next(bot).await, None);
    yard.restart(true);
    assert!(yard.status().await.finished);

    // The robots.txt is still believed; its sitemaps are read all the same.
    yard.restart(false);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the index");
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Sitemap, MAP));
    yard.accept(bot, urlset(&lease, &["http://a.test/page"])).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/page"]);
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_names_no_more_pages_than_allowed() {
    let mut yard = Yard::with(|settings| settings.max_sitemap_entries = 2);
    let bot = begun(&mut yard, &naming(&["/map.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let lease = yard.next(bot).await.expect("the sitemap");
    let named = ["http://a.test/1", "http://a.test/2", "http://a.test/3"];
    yard.accept(bot, urlset(&lease, &named)).await;
    assert_eq!(yard.rest_of(bot).await, named[..2]);
}

#[tokio::test(start_paused = true)]
async fn the_sitemaps_of_a_site_that_is_given_up_do_not_hold_up_the_crawl() {
    let mut yard = Yard::with(|settings| settings.site_failures = 2);
    let bot = begun(&mut yard, &naming(&["/map.xml", "/2.xml"])).await;
    yard.fetch(bot, SEED, &[]).await;
    let mut asked = 0;
    while let Some(lease) = yard.next(bot).await {
        asked += 1;
        yard.accept(bot, silence(&lease, FetchError::Connect)).await;
    }
    assert_eq!(asked, 2);
    assert!(yard.status().await.finished);
}
