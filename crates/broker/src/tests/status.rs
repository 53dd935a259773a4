//! What does the broker say of the crawl?

use super::yard::{Yard, answer, page, seconds};
use crate::draft::Draft;
use lycosa_frontier::normal;
use lycosa_frontier::politeness::Manners;
use lycosa_model::Spot;
use lycosa_model::message::{BrokerMessage, BrokerReply, SiteCounts};
use lycosa_runtime::Agent;
use lycosa_store::records::{Entry, Queued};
use std::time::Duration;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn the_numbers_follow_the_crawl() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/"]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    let lease = yard.next(bot).await.expect("a page");
    seconds(3).await;
    let status = yard.status().await;
    assert_eq!((status.pages, status.distinct, status.overlap), (1, 1, 0));
    assert_eq!((status.known, status.queued, status.leased), (4, 2, 1));
    assert_eq!((status.bytes, status.errors, status.finished), (100, 0, false));
    assert_eq!((status.seconds, status.strategy.as_str()), (3.0, "breadth-first"));
    assert_eq!(status.bots.len(), 1);
    assert_eq!((status.bots[0].0, status.bots[0].1.reported), (bot, 3));
    let observed = yard.broker.observe();
    assert_eq!((observed.pages, observed.known, observed.queued), (1, 4, 2));
    assert_eq!((observed.leased, observed.bots), (1, 1));
    yard.accept(bot, answer(&lease, 404)).await;
    yard.rest_of(bot).await;
    let status = yard.status().await;
    assert_eq!((status.pages, status.errors, status.queued), (3, 1, 0));
    assert_eq!(status.outcomes.get("fetched"), Some(&3));
    assert_eq!(status.outcomes.get("client_error"), Some(&1));
    assert_eq!(status.limited_by, "nothing: it is finished");
}

#[tokio::test(start_paused = true)]
async fn it_says_what_keeps_the_crawl_from_being_faster() {
    let manners = Manners::with_delay(Duration::from_secs(10));
    let mut yard = Yard::with(|settings| settings.manners = manners);
    yard.seed(&[SEED, "http://b.test/"]).await;
    let bot = yard.inside("bot").await;
    let status = yard.status().await;
    assert_eq!(status.limited_by, "bots: more sites are ready than are being asked");
    assert_eq!(status.sites, SiteCounts { ready: 2, resting: 0, blocked: 0 });
    for robots in yard.give(bot, 9).await {
        yard.accept(bot, answer(&robots, 404)).await;
    }
    let status = yard.status().await;
    assert_eq!(status.limited_by, "politeness: every site with URLs must rest");
    assert_eq!(status.sites, SiteCounts { ready: 0, resting: 2, blocked: 0 });
    seconds(10).await;
    let leases = yard.give(bot, 9).await;
    assert_eq!(yard.status().await.limited_by, "links: everything known is being fetched");
    yard.accept(bot, page(&leases[0], &[])).await;
    yard.accept(bot, page(&leases[1], &["http://b.test/2"])).await;
    seconds(10).await;
    let lease = yard.give(bot, 9).await.remove(0);
    yard.accept(bot, answer(&lease, 500)).await;
    // The first site is ready, but nothing of it is left to fetch.
    assert_eq!(yard.status().await.sites, SiteCounts { ready: 1, resting: 1, blocked: 0 });
    assert_eq!(yard.status().await.limited_by, "failures: what is left waits to be tried again");
}

#[tokio::test(start_paused = true)]
async fn a_url_is_shown_with_its_reason() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    let lease = yard.next(bot).await.expect("a page");
    let view = yard.view(&lease.url).await;
    assert_eq!(view.leased_to, Some(bot));
    assert_eq!(view.reason, format!("being fetched by bot {bot}"));
    let view = yard.view("http://a.test:80/2#part").await;
    assert_eq!((view.normal.as_str(), view.via.as_deref()), ("http://a.test/2", Some(SEED)));
    assert_eq!(view.reason, "waits in the frontier (found on a page)");
    assert!(view.explain[0].contains("depth 1"), "{:?}", view.explain);
    assert_eq!(yard.view(SEED).await.reason, "answered with status 200");
    for unknown in ["http://a.test/never", "no address"] {
        let reply = yard.ask(BrokerMessage::Url { url: unknown.into() }).await;
        assert!(matches!(reply, BrokerReply::Url(None)), "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_fetched_twice_in_a_run_counts_as_overlap() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[]).await;
    // The broker never does it by itself: the page is put back behind its back.
    let (spot, url_id) = (Spot::default(), super::yard::id(SEED));
    let queued =
        Queued { url_id, depth: 0, parent_relevance: 0.0, wanted_language: true, seed: true };
    let ledger = yard.broker.ledger_mut();
    let mut draft = Draft::default();
    let site = normal::parse(SEED).expect("url").site;
    ledger.enqueue(&mut draft, &site, &Entry { spot, queued }).expect("store");
    ledger.commit(draft).expect("store");
    yard.fetch(bot, SEED, &[]).await;
    let status = yard.status().await;
    assert_eq!((status.pages, status.distinct, status.overlap), (2, 1, 1));
}
