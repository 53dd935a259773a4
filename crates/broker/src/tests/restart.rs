//! What survives the process?

use super::yard::{Yard, answer, id, page, page_in, robots_txt, seconds};
use lycosa_model::message::{BrokerMessage, Refusal};
use lycosa_model::{FetchKind, Lang, Previous, UrlState};
use lycosa_store::tally::Kind;
use serde_json::Value;
use std::time::Duration;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn leases_of_a_dead_process_come_back_at_once_and_those_of_others_when_they_expire() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/"]).await;
    let (inside, outside) = (yard.inside("inside").await, yard.outside("outside").await);
    let lost = yard.next(inside).await.expect("a page");
    let kept = yard.next(outside).await.expect("a page");
    yard.restart(true);
    let status = yard.status().await;
    assert_eq!((status.leased, status.queued), (1, 1));
    assert_eq!(yard.view(&kept.url).await.leased_to, Some(outside));
    // The bots of the dead process are gone as well.
    assert_eq!(yard.try_give(inside, 9).await.err(), Some(Refusal::Kissed));
    let record = yard.plan.records.bot(inside).expect("store").expect("on record");
    assert_eq!(record.kissed.as_deref(), Some("its process ended"));

    let next = yard.inside("next").await;
    assert_eq!(yard.given(next, 9).await, [SEED]);
    assert_eq!(yard.record(&lost.url).failures, 0);
    yard.accept(outside, page(&kept, &[])).await;

    let kept = {
        yard.seed(&["http://b.test/2"]).await;
        yard.next(outside).await.expect("a page")
    };
    yard.restart(true);
    seconds(120).await;
    let late = yard.report(outside, vec![page(&kept, &[])]).await;
    assert_eq!(late, [Err(Refusal::NotYours)]);
    let next = yard.inside("next").await;
    let mut urls = yard.rest_of(next).await;
    urls.sort();
    assert_eq!(urls, [SEED, "http://b.test/2"]);
}

#[tokio::test(start_paused = true)]
async fn numbers_and_frontier_survive() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let links = ["http://a.test/1", "http://a.test/2", "http://a.test/3"];
    yard.fetch(bot, SEED, &links).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, answer(&lease, 404)).await;
    let before = yard.status().await;
    yard.restart(true);
    let mut after = yard.status().await;
    after.bots.clone_from(&before.bots);
    // Sites are met again when their turn comes.
    after.sites = before.sites.clone();
    // How fast it is and what fails where is told of one process.
    after.pace = before.pace;
    after.troubles.clone_from(&before.troubles);
    assert_eq!(after, before);
    assert_eq!((after.pages, after.errors, after.queued), (1, 1, 2));
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, links[1..]);
    assert_eq!(yard.status().await.known, 4);
}

#[tokio::test(start_paused = true)]
async fn a_new_run_keeps_the_records_and_begins_with_an_empty_frontier() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    yard.next(bot).await.expect("leased when the run is abandoned");
    yard.restart(false);
    let status = yard.status().await;
    assert_eq!((status.known, status.queued, status.leased, status.pages), (3, 0, 0, 0));
    assert_eq!(yard.plan.records.frontier(2).count(), 0);
    assert_eq!(yard.plan.records.leases().count(), 0);
    assert!(yard.view("http://a.test/2").await.reason.contains("left unfetched"));
    let bot = yard.inside("bot").await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.seed(&[SEED]).await, 1);
    yard.fetch(bot, SEED, &["http://a.test/2"]).await;
    yard.fetch(bot, "http://a.test/2", &[]).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.status().await.pages, 2);
}

#[tokio::test(start_paused = true)]
async fn a_url_has_no_record_until_it_is_handed_out() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let began = yard.now();
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    let recorded = |yard: &Yard| yard.plan.records.urls().count();
    assert_eq!((recorded(&yard), yard.status().await.known), (1, 3));
    seconds(9).await;
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!((recorded(&yard), lease.url.as_str()), (2, "http://a.test/1"));
    let found = yard.record(&lease.url);
    assert_eq!((found.via, found.bot2_id, found.depth), (Some(id(SEED)), Some(bot), 1));
    assert!(found.dinit < began.after(Duration::from_secs(9)), "when it was found");
    yard.restart(true);
    let view = yard.view("http://a.test/2").await;
    assert_eq!(view.reason, "waits in the frontier (found on a page)");
    assert_eq!((view.via.as_deref(), view.inlinks), (Some(SEED), 1));
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/1", "http://a.test/2"]);
    assert_eq!(recorded(&yard), 3);
}

#[tokio::test(start_paused = true)]
async fn those_that_were_handed_out_together_go_back_to_their_places() {
    let mut yard = Yard::with(|settings| settings.site_concurrency = 4);
    yard.seed(&[SEED]).await;
    let outside = yard.outside("outside").await;
    let links: Vec<String> = (1..=20).map(|page| format!("http://a.test/{page}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    yard.fetch(outside, SEED, &links).await;
    seconds(9).await;
    let given = yard.given(outside, 9).await;
    assert_eq!(given, links[..4]);
    yard.restart(true);
    yard.ask(BrokerMessage::Leave { bot: outside }).await;
    let inside = yard.inside("inside").await;
    assert_eq!(yard.rest_of(inside).await, links);
}

#[tokio::test(start_paused = true)]
async fn what_an_earlier_run_left_unasked_stays_known_and_counts_once() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    seconds(3600).await;
    yard.restart(false);
    let now = yard.now();
    assert_eq!(yard.plan.records.frontier(1).count(), 0);
    assert!(yard.view("http://a.test/2").await.reason.contains("left unfetched"));
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1"]).await;
    assert_eq!(yard.status().await.known, 3);
    yard.fetch(bot, "http://a.test/1", &[]).await;
    let record = yard.record("http://a.test/1");
    assert_eq!((record.run, record.dinit < now), (2, true));
    assert_eq!(yard.record("http://a.test/2").run, 1);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_frontier_is_not_taken_for_the_new_run_after_a_kill_in_between() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/old"]).await;
    // The kill came when the new run was on record and nothing else had happened.
    yard.broker.close();
    let mut sieve = yard.plan.records.tally(Kind::Sieve).expect("store");
    let now = yard.now();
    let run = crate::restore::begin(&yard.plan.records, &mut sieve, now, false).expect("a run");
    drop(sieve);
    assert_eq!(run.number, 2);
    assert_eq!(yard.plan.records.frontier(1).count(), 2);
    yard.restart(true);
    assert_eq!(yard.seed(&[SEED]).await, 1);
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, [SEED]);
    assert!(yard.view("http://a.test/old").await.reason.contains("left unfetched"));
}

#[tokio::test(start_paused = true)]
async fn a_page_known_from_an_earlier_run_is_fetched_on_condition() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!((lease.previous.clone(), lease.last_down), (None, None));
    let fetched = yard.now();
    let mut report = page(&lease, &["http://a.test/1", "http://out.test/"]);
    report.etag = Some("\"v1\"".into());
    report.last_modified = Some("Sun, 15 Nov 2026 10:00:00 GMT".into());
    report.payload_digest = Some("ABC".into());
    let previous = Previous {
        etag: report.etag.clone(),
        last_modified: report.last_modified.clone(),
        payload_digest: report.payload_digest.clone(),
        fetched: Some(fetched),
        ..Previous::default()
    };
    yard.accept(bot, report).await;
    assert_eq!(yard.record(SEED).outlinks, 2);

    seconds(3600).await;
    yard.restart(false);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!((lease.previous.clone(), lease.last_down), (Some(previous.clone()), Some(fetched)));
    yard.accept(bot, answer(&lease, 304)).await;
    let record = yard.record(SEED);
    assert_eq!(record.previous, previous);
    assert_eq!((record.state, record.dlast), (UrlState::Answered(304), Some(yard.now())));
    assert_eq!((record.outlinks, record.failures), (2, 0));
    assert_eq!(yard.inlinks("http://a.test/1"), 1);
    assert_eq!(yard.links(SEED), [id("http://a.test/1").fingerprint()]);
    // An unchanged page leads where it led before, and is no page of this run.
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/1"]);
    let status = yard.status().await;
    assert_eq!((status.pages, status.errors), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_page_keeps_its_language() {
    let mut yard = Yard::with(|settings| settings.wanted_language = Some(Lang::ES));
    let (es, en) = ("http://a.test/es", "http://a.test/en");
    yard.seed(&[en, es]).await;
    let bot = yard.inside("bot").await;
    for (lang, link) in [(Lang::EN, "http://a.test/from-en"), (Lang::ES, "http://a.test/from-es")] {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, page_in(&lease, lang, &[link])).await;
    }
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&[en, es]).await;
    for _ in 0..2 {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 304)).await;
    }
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/from-es", "http://a.test/from-en"]);
}

#[tokio::test(start_paused = true)]
async fn the_trace_has_a_line_per_attempt_in_order_and_goes_on_after_a_resume() {
    let trace = tempfile::tempdir().expect("temp dir");
    let path = trace.path().join("trace.jsonl");
    let mut yard = Yard::with(|settings| settings.trace = Some(path.clone()));
    yard.seed(&[SEED]).await;
    let bot = yard.inside("weaver").await;
    seconds(1).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, page_in(&lease, Lang::ES, &["http://a.test/1", "http://a.test/2"])).await;
    yard.restart(true);
    seconds(2).await;
    let bot = yard.inside("weaver").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, answer(&lease, 404)).await;
    let lines: Vec<Value> = std::fs::read_to_string(&path)
        .expect("trace")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let expected = [
        serde_json::json!({
            "n": 1, "t": 1.0, "url": SEED, "status": 200, "bytes": 100, "agent": "weaver",
            "score": 1.0, "via": null, "outcome": "fetched", "lang": "es",
        }),
        serde_json::json!({
            "n": 2, "t": 3.0, "url": "http://a.test/1", "status": 404, "bytes": 100,
            "agent": "weaver", "score": 0.5, "via": SEED, "outcome": "client_error", "lang": null,
        }),
    ];
    assert_eq!(lines, expected);
    yard.restart(false);
    assert_eq!(std::fs::read_to_string(&path).expect("trace"), "");
}

#[tokio::test(start_paused = true)]
async fn time_in_which_nobody_worked_does_not_count_against_the_limit() {
    let mut yard = Yard::with(|settings| settings.max_time = Some(Duration::from_secs(60)));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[]).await;
    let worked = yard.status().await.seconds;
    seconds(3_600).await;
    yard.restart(true);
    assert!((yard.status().await.seconds - worked).abs() < 1.0, "an hour of rest is not work");
    let next = yard.inside("next").await;
    assert_eq!(yard.given(next, 9).await.len(), 1, "there is time left");
}

#[tokio::test(start_paused = true)]
async fn robots_txt_and_sitemap_that_were_leased_are_asked_for_again() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.outside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    assert_eq!(robots.kind, FetchKind::Robots);
    yard.restart(true);
    let text = "Sitemap: http://a.test/map.xml";
    // Nobody holds it any more, also where its bot is still there.
    assert_eq!(yard.report(bot, vec![robots_txt(&robots, text)]).await, [Err(Refusal::NotYours)]);
    let again = yard.give(bot, 1).await.remove(0);
    assert_eq!((again.kind, &again.url), (FetchKind::Robots, &robots.url));
    yard.accept(bot, robots_txt(&again, text)).await;
    yard.fetch(bot, SEED, &[]).await;
    let map = yard.next(bot).await.expect("the sitemap");
    assert_eq!((map.kind, map.url.as_str()), (FetchKind::Sitemap, "http://a.test/map.xml"));
    yard.restart(true);
    assert_eq!(yard.report(bot, vec![answer(&map, 404)]).await, [Err(Refusal::NotYours)]);
    let map = yard.next(bot).await.expect("the sitemap again");
    assert_eq!((map.kind, map.url.as_str()), (FetchKind::Sitemap, "http://a.test/map.xml"));
    yard.accept(bot, answer(&map, 404)).await;
    assert!(yard.next(bot).await.is_none());
}
