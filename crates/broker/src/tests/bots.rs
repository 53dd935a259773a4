//! Who may speak, and who is retired?

use super::yard::{Yard, page, seconds};
use lycosa_frontier::kiss::KissRule;
use lycosa_model::message::{BrokerMessage, BrokerReply, Refusal};
use lycosa_model::{BotId, Door};
use lycosa_store::records::Records;
use std::time::Duration;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn a_bot_is_named_by_the_digest_of_its_name_and_process() {
    let mut yard = Yard::with(|settings| settings.user_agent = "lycosa/1 (+http://me.test)".into());
    let welcome = yard.welcome("weaver", 4711, Door::Http).await;
    assert_eq!(welcome.bot_id, BotId::of("weaver", 4711));
    assert_ne!(welcome.bot_id, BotId::of("weaver", 4712));
    assert_eq!(welcome.user_agent, "lycosa/1 (+http://me.test)");
    assert_eq!(welcome.now, yard.now());
    let record = yard.plan.records.bot(welcome.bot_id).expect("store").expect("on record");
    assert_eq!((record.name.as_str(), record.door), ("weaver", Door::Http));
    assert_eq!((record.dinit, record.dlast), (yard.now(), yard.now()));
}

#[tokio::test(start_paused = true)]
async fn nobody_is_served_before_it_authenticates() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = BotId::of("stranger", 1);
    for message in [
        BrokerMessage::GiveMe { bot, n: 1 },
        BrokerMessage::Report { bot, reports: Vec::new(), marks: Vec::new() },
        BrokerMessage::Renew { bot, urls: Vec::new() },
        BrokerMessage::Leave { bot },
    ] {
        let reply = yard.ask(message).await;
        assert!(matches!(reply, BrokerReply::Refused(Refusal::UnknownBot)), "{reply:?}");
    }
    assert_eq!(yard.status().await.leased, 0);
}

#[tokio::test(start_paused = true)]
async fn a_report_of_what_was_never_leased_or_is_anothers_changes_nothing() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let (mine, other) = (yard.inside("mine").await, yard.inside("other").await);
    let lease = yard.next(mine).await.expect("a page");
    let leased = yard.record(&lease.url);
    let mut unleased = page(&lease, &["http://a.test/3"]);
    unleased.url_id = super::yard::id("http://a.test/2");
    let waiting = yard.record("http://a.test/2");
    let mut unknown = page(&lease, &[]);
    unknown.url_id = super::yard::id("http://nowhere.test/");
    let reports = vec![page(&lease, &["http://a.test/3"]), unleased, unknown];
    let refused = Err(Refusal::NotYours);
    assert_eq!(yard.report(other, reports).await, [refused, refused, refused]);

    assert_eq!(yard.record(&lease.url), leased);
    assert_eq!(yard.record("http://a.test/2"), waiting);
    assert!(!yard.knows("http://a.test/3"));
    assert!(!yard.knows("http://nowhere.test/"));
    let status = yard.status().await;
    assert_eq!((status.pages, status.leased, status.known), (0, 1, 2));
    yard.accept(mine, page(&lease, &[])).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_is_reported_once() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    let twice = vec![page(&lease, &[]), page(&lease, &[])];
    assert_eq!(yard.report(bot, twice).await, [Ok(()), Err(Refusal::NotYours)]);
    let before = yard.record(SEED);
    assert_eq!(yard.report(bot, vec![page(&lease, &[])]).await, [Err(Refusal::NotYours)]);
    assert_eq!(yard.record(SEED), before);
    assert_eq!(yard.status().await.pages, 1);
}

#[tokio::test(start_paused = true)]
async fn a_report_of_another_kind_than_the_lease_is_refused() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let mut lease = yard.next(bot).await.expect("a page");
    lease.kind = lycosa_model::FetchKind::Robots;
    assert_eq!(yard.report(bot, vec![page(&lease, &[])]).await, [Err(Refusal::NotYours)]);
    assert_eq!(yard.status().await.leased, 1);
}

#[tokio::test(start_paused = true)]
async fn an_accepted_report_is_in_the_store_when_it_is_opened_again() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/2"]).await;
    let expected = yard.record(SEED);
    let Yard { dir, plan, broker } = yard;
    drop((plan, broker));
    let records = Records::open(&dir.path().join("store")).expect("store");
    let record = records.url(super::yard::id(SEED)).expect("store").expect("on record");
    assert_eq!(record, expected);
    assert!(record.dlast.is_some());
    assert_eq!(records.run().expect("store").expect("a run").pages, 1);
    assert_eq!(records.frontier(1).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_silent_bot_is_kissed_and_its_leases_come_back() {
    let mut yard = Yard::with(|settings| settings.lease = Duration::from_secs(3600));
    yard.seed(&[SEED]).await;
    let silent = yard.outside("silent").await;
    let lease = yard.next(silent).await.expect("a page");
    seconds(299).await;
    let other = yard.outside("other").await;
    assert!(yard.give(other, 1).await.is_empty());
    seconds(2).await;
    assert_eq!(yard.given(other, 1).await, [SEED]);
    let record = yard.plan.records.bot(silent).expect("store").expect("on record");
    assert_eq!(record.kissed.as_deref(), Some("silent for 301 s"));
    assert_eq!(yard.record(SEED).failures, 1);

    assert_eq!(yard.try_give(silent, 1).await.err(), Some(Refusal::Kissed));
    assert_eq!(yard.report(silent, vec![page(&lease, &[])]).await, [Err(Refusal::Kissed)]);
    assert_eq!(yard.outside("silent").await, silent);
    assert_eq!(yard.try_give(silent, 1).await.expect("welcome again").0, []);
}

#[tokio::test(start_paused = true)]
async fn a_bot_whose_leases_expired_twice_is_kissed_before_it_gets_more() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.outside("poor").await;
    let first = yard.next(bot).await.expect("a page");
    seconds(120).await;
    assert_eq!(yard.next(bot).await.expect("once more").url_id, first.url_id);
    seconds(120).await;
    assert_eq!(yard.try_give(bot, 1).await.err(), Some(Refusal::Kissed));
    let status = yard.status().await;
    assert_eq!((status.leased, status.queued), (0, 1));
    assert_eq!(status.bots[0].1.kissed.as_deref(), Some("2 leases expired in a row"));
    assert_eq!(yard.record(SEED).failures, 2);
}

#[tokio::test(start_paused = true)]
async fn a_report_in_time_makes_up_for_an_expired_lease() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3"]).await;
    let bot = yard.outside("bot").await;
    yard.next(bot).await.expect("a page");
    seconds(120).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, page(&lease, &[])).await;
    yard.next(bot).await.expect("a page");
    seconds(120).await;
    assert!(yard.try_give(bot, 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_slow_bot_is_compared_by_its_present_session_only() {
    let rule = KissRule { silent: Duration::from_secs(7 * 86_400), ..KissRule::default() };
    let mut yard = Yard::with(|settings| settings.kiss = rule);
    let seeds: Vec<String> = (0..40).map(|n| format!("http://s{n}.test/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    // One bot was here yesterday and reported nothing then.
    let returned = yard.outside("returned").await;
    assert!(matches!(yard.ask(BrokerMessage::Leave { bot: returned }).await, BrokerReply::Done));
    seconds(86_400).await;
    let (a, b) = (yard.outside("a").await, yard.outside("b").await);
    assert_eq!(yard.outside("returned").await, returned);
    let idle = yard.outside("idle").await;
    for _ in 0..10 {
        for bot in [a, b, returned] {
            let lease = yard.next(bot).await.expect("a page");
            yard.accept(bot, page(&lease, &[])).await;
        }
    }
    seconds(121).await;
    for bot in [a, b, returned] {
        assert!(yard.try_give(bot, 0).await.is_ok());
    }
    let refused = yard.try_give(idle, 0).await.err();
    assert_eq!(refused, Some(Refusal::Kissed));
    let why = yard.plan.records.bot(idle).expect("store").expect("on record").kissed;
    assert!(why.as_deref().is_some_and(|why| why.contains("pages a minute")), "{why:?}");
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_leaves_gives_everything_back_and_nobody_is_blamed() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await;
    assert_eq!(robots.len(), 2);
    yard.accept(bot, super::yard::answer(&robots[0], 404)).await;
    assert_eq!(yard.given(bot, 9).await, [SEED]);
    assert_eq!(yard.status().await.leased, 2);
    assert!(matches!(yard.ask(BrokerMessage::Leave { bot }).await, BrokerReply::Done));
    let status = yard.status().await;
    assert_eq!((status.leased, status.queued), (0, 2));
    assert_eq!(yard.record(SEED).failures, 0);
    assert_eq!(yard.try_give(bot, 1).await.err(), Some(Refusal::Kissed));

    let next = yard.inside("next").await;
    assert_eq!(yard.rest_of(next).await, [SEED, "http://b.test/"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_says_hello_anew_has_forgotten_what_it_held() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!(yard.inside("bot").await, bot);
    assert_eq!(yard.report(bot, vec![page(&lease, &[])]).await, [Err(Refusal::NotYours)]);
    assert_eq!(yard.next(bot).await.expect("again").url, SEED);
    assert_eq!(yard.record(SEED).failures, 1);
}

#[tokio::test(start_paused = true)]
async fn two_bots_share_the_sites() {
    let mut yard = Yard::new();
    let seeds: Vec<String> = (0..10).map(|n| format!("http://s{n}.test/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let (a, b) = (yard.inside("a").await, yard.inside("b").await);
    assert_eq!(yard.give(a, 32).await.len(), 5);
    assert_eq!(yard.give(a, 32).await.len(), 0);
    assert_eq!(yard.give(b, 32).await.len(), 5);
    // Who has not been heard of for ten seconds does not count as one to share with.
    let alone = {
        let mut yard = Yard::new();
        yard.seed(&seeds).await;
        let (a, _gone) = (yard.inside("a").await, yard.inside("gone").await);
        seconds(11).await;
        yard.give(a, 32).await.len()
    };
    assert_eq!(alone, 10);
}

#[tokio::test(start_paused = true)]
async fn sites_without_work_are_not_shared() {
    let mut yard = Yard::new();
    let seeds: Vec<String> = (0..8).map(|n| format!("http://s{n}.test/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let a = yard.inside("a").await;
    yard.rest_of(a).await;
    yard.seed(&["http://s0.test/2", "http://s1.test/2"]).await;
    let b = yard.inside("b").await;
    assert_eq!(yard.give(a, 32).await.len(), 1);
    assert_eq!(yard.give(b, 32).await.len(), 1);
}
