//! Which sites does a crawllet go to, and what does its harvest cost?

use super::yard::{Yard, answer, id, page, robots_txt, seconds};
use crate::CrawlletRule;
use lycosa_frontier::politeness::Manners;
use lycosa_model::message::{BrokerMessage, BrokerReply, Report};
use lycosa_model::{
    BotId, CrawlletRecord, CrawlletReport, CrawlletTrust, CrawlletUse, FetchKind, Lease, Outcome,
};
use std::time::Duration;

const ANNOUNCED: &str = "User-agent: *\nDisallow: /secret\nCrawllet: /.well-known/crawllet\n";

fn yard(only: bool) -> Yard {
    Yard::with(|settings| {
        settings.manners = Manners::with_delay(Duration::from_secs(1));
        settings.crawllets = Some(CrawlletRule { only, ..CrawlletRule::default() });
    })
}

/// Answers the robots.txt of the only site and waits for its pause.
async fn met(yard: &mut Yard, bot: BotId, robots: &str) {
    let lease = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&lease, robots)).await;
    seconds(2).await;
}

/// A crawllet that brought these.
fn harvest(lease: &Lease, urls: &[&str]) -> Report {
    assert_eq!(lease.kind, FetchKind::Crawllet);
    let last = CrawlletUse {
        guest: "pages".into(),
        records: urls.len() as u64,
        bytes: 1_000,
        reason: "done".into(),
        ..CrawlletUse::default()
    };
    let record = CrawlletRecord { last: Some(last), ..CrawlletRecord::default() };
    let harvest = urls.iter().map(|url| id(url)).collect();
    let told = CrawlletReport { supported: true, record, harvest, ..CrawlletReport::default() };
    Report { crawllet: Some(Box::new(told)), ..answer(lease, 200) }
}

/// A site that takes none.
fn none(lease: &Lease) -> Report {
    Report { crawllet: Some(Box::default()), ..answer(lease, 404) }
}

fn from_harvest(lease: &Lease, links: &[&str]) -> Report {
    Report { harvested: true, took_ms: 0, ..page(lease, links) }
}

#[tokio::test(start_paused = true)]
async fn a_site_that_announces_it_gets_a_crawllet_before_its_first_page_and_is_held_meanwhile() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/", "http://a.test/x?y=1"]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let leases = yard.give(bot, 8).await;
    assert_eq!(leases.len(), 1);
    assert_eq!(leases[0].kind, FetchKind::Crawllet);
    assert_eq!(leases[0].url, "http://a.test/.well-known/crawllet");
    let order = leases[0].crawllet.as_deref().expect("an order");
    assert!(order.announced);
    assert_eq!(order.seeds, ["/", "/x?y=1"]);
    assert_eq!((order.delay_ms, order.pages), (1_000, None));
    seconds(60).await;
    assert_eq!(yard.give(bot, 8).await, [], "held");
    let renew = BrokerMessage::Renew { bot, urls: vec![leases[0].url_id] };
    assert!(matches!(yard.ask(renew).await, BrokerReply::Renewed(kept) if kept == [true]));
    seconds(100).await;
    yard.accept(bot, harvest(&leases[0], &[])).await;
    seconds(2).await;
    assert_eq!(yard.given(bot, 8).await, ["http://a.test/"], "once per run");
    yard.restart(true);
    let bot = yard.inside("a").await;
    seconds(2).await;
    assert_eq!(yard.give(bot, 8).await[0].kind, FetchKind::Page, "also after a restart");
}

#[tokio::test(start_paused = true)]
async fn what_a_crawllet_brought_waits_for_no_pause_and_everything_else_does() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    let urls = ["http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4"];
    yard.seed(&[urls[0], urls[1], urls[2], "http://a.test/3", urls[3]]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let crawllet = yard.give(bot, 8).await.remove(0);
    yard.accept(bot, harvest(&crawllet, &urls)).await;
    // The site rests, since it may have been asked a moment ago; its harvest does not.
    let leases = yard.give(bot, 8).await;
    let given: Vec<_> = leases.iter().map(|lease| lease.url.as_str()).collect();
    assert_eq!(given, urls, "/3 is not in the harvest");
    assert_eq!(yard.give(bot, 8).await, []);
    let reports = leases.iter().map(|lease| from_harvest(lease, &["http://a.test/5"])).collect();
    assert!(yard.report(bot, reports).await.iter().all(Result::is_ok));
    assert_eq!(yard.give(bot, 8).await, [], "its site rests");
    seconds(1).await;
    let lease = yard.give(bot, 8).await.remove(0);
    assert_eq!(lease.url, "http://a.test/3");
    assert_eq!(yard.give(bot, 8).await, [], "the site is being asked");
    yard.accept(bot, page(&lease, &[])).await;
    assert_eq!(yard.give(bot, 8).await, [], "the site was asked");
    seconds(1).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/5"]);
    let status = yard.status().await.crawllets.expect("on");
    assert_eq!((status.sites, status.records, status.answered), (1, 4, 4));
    assert_eq!(status.last[0].0, "http://a.test");
}

#[tokio::test(start_paused = true)]
async fn a_site_that_says_nothing_is_asked_once_when_much_of_it_waits_and_its_no_is_kept() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, "").await;
    let links: Vec<String> = (0..30).map(|n| format!("http://a.test/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    yard.fetch(bot, "http://a.test/", &links).await;
    seconds(2).await;
    let lease = yard.give(bot, 1).await.remove(0);
    assert_eq!(lease.kind, FetchKind::Crawllet);
    let order = lease.crawllet.as_deref().expect("an order");
    assert!(!order.announced);
    assert_eq!(order.seeds.len(), 30);
    assert_eq!(order.seen, ["/"], "what was crawled before");
    yard.accept(bot, none(&lease)).await;
    assert_eq!(yard.rest_of(bot).await.len(), 30);
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&links).await;
    assert_eq!(yard.rest_of(bot).await.len(), 30, "not asked again in the next run");
    seconds(31 * 24 * 60 * 60).await;
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&links).await;
    let lease = yard.next(bot).await.expect("work");
    assert_eq!(lease.kind, FetchKind::Crawllet, "after 30 days it is");
}

/// A page that says where crawllets are taken.
fn linking(lease: &Lease, links: &[&str]) -> Report {
    Report { crawllet_path: Some("/here".into()), ..page(lease, links) }
}

#[tokio::test(start_paused = true)]
async fn a_page_may_say_that_its_site_takes_them_and_a_no_is_kept() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, "").await;
    let first = yard.next(bot).await.expect("a page");
    assert_eq!(first.kind, FetchKind::Page, "nobody knows yet");
    yard.accept(bot, linking(&first, &["http://a.test/1", "http://a.test/2"])).await;
    seconds(2).await;
    let lease = yard.give(bot, 8).await.remove(0);
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Crawllet, "http://a.test/here"));
    let order = lease.crawllet.as_deref().expect("an order");
    assert!(order.announced);
    assert_eq!((order.seeds.len(), order.seen.as_slice()), (2, &["/".to_owned()][..]));
    yard.accept(bot, none(&lease)).await;
    while let Some(lease) = yard.next(bot).await {
        assert_eq!(lease.kind, FetchKind::Page, "not twice in a run");
        yard.accept(bot, linking(&lease, &[])).await;
    }
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/", "http://a.test/1"]).await;
    while let Some(lease) = yard.next(bot).await {
        assert_eq!(lease.kind, FetchKind::Page, "nor in the next, on the same day");
        yard.accept(bot, linking(&lease, &[])).await;
    }
    seconds(25 * 60 * 60).await;
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/", "http://a.test/1"]).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, linking(&lease, &[])).await;
    assert_eq!(yard.next(bot).await.expect("work").kind, FetchKind::Crawllet, "a day later");
}

#[tokio::test(start_paused = true)]
async fn what_robots_txt_forbids_is_not_asked_for_because_of_a_link() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, "User-agent: *\nDisallow: /here\n").await;
    let first = yard.next(bot).await.expect("a page");
    yard.accept(bot, linking(&first, &["http://a.test/1"])).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/1"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_what_is_left_of_a_harvest_is_asked_of_the_bot_and_waits_for_no_pause() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    let urls = ["http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/3"];
    yard.seed(&urls).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let crawllet = yard.give(bot, 8).await.remove(0);
    let mut brought = harvest(&crawllet, &urls);
    let told = brought.crawllet.as_deref_mut().expect("told");
    told.record.last.as_mut().expect("one").at = yard.now();
    yard.accept(bot, brought).await;
    let first = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, from_harvest(&first, &[])).await;
    yard.restart(true);
    let bot = yard.inside("a").await;
    seconds(2).await;
    let lease = yard.give(bot, 8).await.remove(0);
    assert_eq!(lease.kind, FetchKind::Crawllet);
    assert!(lease.crawllet.as_deref().is_some_and(|order| order.kept), "nothing is sent");
    // The bot does not know what was used before.
    let mut left = harvest(&lease, &urls);
    left.crawllet.as_deref_mut().expect("told").kept = true;
    yard.accept(bot, left).await;
    let leases = yard.give(bot, 8).await;
    let given: Vec<_> = leases.iter().map(|lease| lease.url.as_str()).collect();
    assert_eq!(given, urls[1..], "all at once");
    let reports = leases.iter().map(|lease| from_harvest(lease, &[])).collect();
    assert!(yard.report(bot, reports).await.iter().all(Result::is_ok));
    let status = yard.status().await.crawllets.expect("on");
    assert_eq!((status.sites, status.records, status.answered), (1, 4, 4));
    assert_eq!(yard.rest_of(bot).await, [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn known_pages_that_are_gone_are_looked_at_although_nobody_links_to_them() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    let known = ["http://a.test/", "http://a.test/1"];
    yard.seed(&known).await;
    met(&mut yard, bot, "").await;
    assert_eq!(yard.rest_of(bot).await, known);
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    seconds(25 * 60 * 60).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let lease = yard.give(bot, 8).await.remove(0);
    let mut report = harvest(&lease, &["http://a.test/", "http://a.test/1"]);
    let told = report.crawllet.as_deref_mut().expect("told");
    told.gone = vec![id("http://a.test/1"), id("http://a.test/never")];
    yard.accept(bot, report).await;
    let mut leases = yard.give(bot, 8).await;
    leases.sort_by(|a, b| a.url.cmp(&b.url));
    let given: Vec<_> = leases.iter().map(|lease| lease.url.as_str()).collect();
    assert_eq!(given, known, "what nobody knew stays unknown");
    assert!(!yard.knows("http://a.test/never"));
}

#[tokio::test(start_paused = true)]
async fn a_crawl_of_crawllets_only_leaves_the_other_sites_and_says_so() {
    let mut yard = yard(true);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/", "http://a.test/x"]).await;
    met(&mut yard, bot, "").await;
    let lease = yard.give(bot, 1).await.remove(0);
    assert_eq!(lease.kind, FetchKind::Crawllet);
    yard.accept(bot, none(&lease)).await;
    assert_eq!(yard.rest_of(bot).await, [] as [&str; 0]);
    assert_eq!(yard.record("http://a.test/x").outcome, Some(Outcome::NoCrawllet));
    assert_eq!(yard.record("http://a.test/x").failures, 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_to_a_site_that_lied() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let lease = yard.give(bot, 1).await.remove(0);
    let mut report = harvest(&lease, &[]);
    let told = report.crawllet.as_deref_mut().expect("told");
    told.record.trust = CrawlletTrust { distrusted: Some(yard.now()), ..Default::default() };
    yard.accept(bot, report).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/"], "crawled as always");
    yard.restart(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/"], "also in the next run");
}

#[tokio::test(start_paused = true)]
async fn a_crawllet_that_is_lost_leaves_a_site_that_is_crawled_as_always() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    assert_eq!(yard.give(bot, 1).await[0].kind, FetchKind::Crawllet);
    seconds(200).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_of_another_process_is_sent_with_none_and_has_no_harvest() {
    let mut yard = yard(false);
    let bot = yard.outside("far").await;
    yard.seed(&["http://a.test/", "http://a.test/2"]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let lease = yard.give(bot, 8).await.remove(0);
    assert_eq!(lease.kind, FetchKind::Page);
    yard.accept(bot, from_harvest(&lease, &[])).await;
    assert_eq!(yard.give(bot, 8).await, [], "it has asked the site, whatever it says");
}

#[tokio::test(start_paused = true)]
async fn without_a_rule_nobody_is_sent_anywhere() {
    let mut yard = Yard::new();
    let bot = yard.inside("a").await;
    yard.seed(&["http://a.test/"]).await;
    met(&mut yard, bot, ANNOUNCED).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/"]);
    assert_eq!(yard.status().await.crawllets, None);
}

#[tokio::test(start_paused = true)]
async fn of_several_that_are_not_in_the_harvest_one_is_asked_for_at_a_time() {
    let mut yard = yard(false);
    let bot = yard.inside("a").await;
    let urls: Vec<String> = (0..6).map(|n| format!("http://a.test/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    yard.seed(&urls).await;
    met(&mut yard, bot, ANNOUNCED).await;
    let crawllet = yard.give(bot, 8).await.remove(0);
    yard.accept(bot, harvest(&crawllet, &[urls[1], urls[4]])).await;
    let mut order = Vec::new();
    for second in 0..8 {
        let leases = yard.give(bot, 8).await;
        let asked = leases.iter().filter(|lease| ![urls[1], urls[4]].contains(&lease.url.as_str()));
        assert!(asked.count() <= 1, "{leases:?}");
        for lease in leases {
            let brought = [urls[1], urls[4]].contains(&lease.url.as_str());
            let report = if brought { from_harvest(&lease, &[]) } else { page(&lease, &[]) };
            yard.accept(bot, report).await;
            order.push((second, lease.url));
        }
        seconds(1).await;
    }
    let at = |url: &str| order.iter().find(|(_, leased)| leased == url).map(|(second, _)| *second);
    assert_eq!((at(urls[1]), at(urls[4])), (Some(0), Some(0)));
    let asked: Vec<_> = [0, 2, 3, 5].iter().filter_map(|n| at(urls[*n])).collect();
    assert_eq!(asked, [1, 2, 3, 4], "with a pause before each");
}
