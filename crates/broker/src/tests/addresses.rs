//! Do sites that share a network address share its limits?

use super::yard::{Yard, advance, answer, page};
use crate::{AddressRule, Settings};
use lycosa_frontier::ScopeKind;
use lycosa_model::message::Report;
use lycosa_model::{BotId, FetchKind, Lease};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

const SHARED: &str = "192.0.2.1";
const OTHER: &str = "192.0.2.2";

fn rule(concurrency: u32, delay_ms: u64) -> impl FnOnce(&mut Settings) {
    move |settings| {
        settings.scope = ScopeKind::Any;
        settings.addresses = AddressRule { concurrency, delay: Duration::from_millis(delay_ms) };
    }
}

/// The report, with the address that answered: one for all but `other.test`.
fn from(lease: &Lease, report: Report) -> Report {
    let text = if lease.url.contains("other.test") { OTHER } else { SHARED };
    let address: IpAddr = text.parse().expect("an address");
    Report { address: Some(address), ..report }
}

/// A yard in which all sites have answered once, each with `pages` pages that wait.
async fn met(sites: &[&str], pages: usize, change: impl FnOnce(&mut Settings)) -> (Yard, BotId) {
    let mut yard = Yard::with(change);
    let urls: Vec<String> = (0..pages)
        .flat_map(|number| sites.iter().map(move |site| format!("http://{site}.test/{number}")))
        .collect();
    yard.seed(&urls.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let bot = yard.inside("bot").await;
    // Nobody knows yet where they live, so all are asked at once.
    let robots = yard.give(bot, 99).await;
    assert_eq!(robots.len(), sites.len());
    for lease in robots {
        assert_eq!(lease.kind, FetchKind::Robots);
        yard.accept(bot, from(&lease, answer(&lease, 404))).await;
    }
    (yard, bot)
}

#[tokio::test(start_paused = true)]
async fn sites_of_one_address_share_its_limit_and_others_do_not_wait() {
    let sites = ["a", "b", "c", "d", "other"];
    let (mut yard, bot) = met(&sites, 2, rule(2, 0)).await;
    let leases = yard.give(bot, 99).await;
    let urls: Vec<&str> = leases.iter().map(|lease| lease.url.as_str()).collect();
    assert_eq!(urls, ["http://a.test/0", "http://b.test/0", "http://other.test/0"]);
    assert_eq!(yard.give(bot, 99).await, [], "two are under way at the shared address");
    let status = yard.status().await;
    assert_eq!((status.sites.ready, status.addresses), (0, 2));
    // Who waited longest is next, and not whoever has just been served.
    yard.accept(bot, from(&leases[0], page(&leases[0], &[]))).await;
    assert_eq!(yard.given(bot, 99).await, ["http://c.test/0"]);
    yard.accept(bot, from(&leases[1], page(&leases[1], &[]))).await;
    assert_eq!(yard.given(bot, 99).await, ["http://d.test/0"]);
}

#[tokio::test(start_paused = true)]
async fn requests_to_one_address_keep_their_distance() {
    let (mut yard, bot) = met(&["a", "b", "c"], 1, rule(0, 100)).await;
    advance(Duration::from_millis(100)).await;
    for expected in ["http://a.test/0", "http://b.test/0", "http://c.test/0"] {
        let (leases, wait, _) = yard.try_give(bot, 99).await.expect("not refused");
        assert_eq!(leases.len(), 1, "one at a time");
        assert_eq!(leases[0].url, expected);
        let last = expected.contains("c.test");
        assert!(last || wait <= Duration::from_millis(100), "{wait:?}");
        assert_eq!(yard.give(bot, 99).await, []);
        advance(Duration::from_millis(99)).await;
        assert_eq!(yard.give(bot, 99).await, []);
        advance(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_at_a_crowded_address_is_forgotten() {
    let names: Vec<String> = (0..20).map(|number| format!("site-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut yard, bot) = met(&names, 5, rule(1, 10)).await;
    let mut order = Vec::new();
    while let Some(lease) = yard.next(bot).await {
        yard.accept(bot, from(&lease, page(&lease, &[]))).await;
        order.push(lease.url);
    }
    assert_eq!(order.len(), 100, "every page is fetched");
    let host = |url: &String| url.split('/').nth(2).unwrap_or_default().to_owned();
    let first: BTreeSet<String> = order.iter().take(25).map(host).collect();
    assert!(first.len() >= 18, "the sites take turns: {order:?}");
}

#[tokio::test(start_paused = true)]
async fn who_ranks_first_at_a_crowded_address_does_not_keep_the_others_out() {
    // All of `a` ranks before all of `b`, and there is room for one.
    let mut yard = Yard::with(rule(1, 0));
    let urls: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|site| (0..20).map(move |number| format!("http://{site}.test/{number}")))
        .collect();
    yard.seed(&urls.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let bot = yard.inside("bot").await;
    for lease in yard.give(bot, 99).await {
        yard.accept(bot, from(&lease, answer(&lease, 404))).await;
    }
    let mut order = Vec::new();
    while let Some(lease) = yard.next(bot).await {
        // Both are looked at while the address is busy, so both stand in line.
        assert_eq!(yard.give(bot, 99).await, []);
        yard.accept(bot, from(&lease, page(&lease, &[]))).await;
        order.push(lease.url);
    }
    assert_eq!(order.len(), 40);
    let of_b = order.iter().take(10).filter(|url| url.contains("b.test")).count();
    assert!(of_b >= 4, "they take turns: {order:?}");
}

#[tokio::test(start_paused = true)]
async fn where_a_site_lives_is_remembered_over_a_restart() {
    let (mut yard, _) = met(&["a", "b", "c"], 1, rule(1, 0)).await;
    yard.restart(true);
    let bot = yard.inside("bot").await;
    assert_eq!(yard.give(bot, 99).await.len(), 1);
    let view = yard.view("http://a.test/0").await;
    assert_eq!(view.site.expect("its site").address, Some(SHARED.parse().expect("an address")));
}

#[tokio::test(start_paused = true)]
async fn without_a_rule_nobody_waits_for_an_address() {
    let off = |settings: &mut Settings| settings.addresses = AddressRule::OFF;
    let (mut yard, bot) = met(&["a", "b", "c", "d", "e", "f"], 1, off).await;
    assert_eq!(yard.give(bot, 99).await.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_huge_site_does_not_starve_one_that_ranks_behind_it() {
    let mut yard = Yard::with(|settings| settings.scope = ScopeKind::Any);
    let huge: Vec<String> = (0..300).map(|number| format!("http://huge.test/{number}")).collect();
    yard.seed(&huge.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let bot = yard.inside("bot").await;
    // One place, no pauses: the seeds are nearer, and their site is always free.
    yard.fetch(bot, "http://huge.test/0", &["http://small.test/1", "http://small.test/2"]).await;
    let order = yard.rest_of(bot).await;
    assert_eq!(order.len(), 301);
    let place = |url: &str| order.iter().position(|known| known == url).expect("it was fetched");
    // Its robots.txt waits as long as a page.
    assert!(place("http://small.test/1") < 140, "{}", place("http://small.test/1"));
    assert!(place("http://small.test/2") < 210, "{}", place("http://small.test/2"));
    let of_huge: Vec<&String> = order.iter().filter(|url| url.contains("huge")).collect();
    assert!(of_huge.iter().copied().eq(huge[1..].iter()), "each site keeps its order");
}
