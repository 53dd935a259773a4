//! What happens to a URL that fails, and to a site that does not answer?

use super::yard::{Yard, advance, answer, page, seconds, silence};
use lycosa_model::message::BrokerMessage;
use lycosa_model::{FetchError, Outcome, TlsFault, UrlState};
use std::time::Duration;

const SEED: &str = "http://a.test/";
const DAY: u64 = 24 * 60 * 60;

#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_tried_three_times_with_growing_waits() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    for (failures, wait) in [(1, 5), (2, 20)] {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
        assert_eq!(yard.record(SEED).failures, failures);
        let view = yard.view(SEED).await;
        assert!(view.reason.contains("waits to be tried again"), "{}", view.reason);
        assert_eq!(yard.status().await.queued, 1);
        advance(Duration::from_millis(wait * 1000 - 1)).await;
        assert_eq!(yard.give(bot, 1).await, []);
        advance(Duration::from_millis(1)).await;
    }
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, answer(&lease, 500)).await;
    assert!(yard.next(bot).await.is_none());
    let record = yard.record(SEED);
    assert_eq!((record.state, record.queued), (UrlState::Answered(500), None));
    let status = yard.status().await;
    assert_eq!((status.errors, status.queued, status.pages), (3, 0, 0));
    assert_eq!(yard.plan.records.frontier(1).count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_url_that_waits_to_be_tried_again_waits_on_after_a_restart() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, silence(&lease, FetchError::Timeout)).await;
    assert_eq!(yard.record(SEED).state, UrlState::Ended(Outcome::Failed(FetchError::Timeout)));
    yard.restart(true);
    let bot = yard.inside("bot").await;
    let before = yard.now();
    assert_eq!(yard.rest_of(bot).await, [SEED]);
    assert_eq!(yard.now().since(before), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_final_answer_is_not_tried_again() {
    for status in [404, 403, 410, 600] {
        let mut yard = Yard::new();
        yard.seed(&[SEED]).await;
        let bot = yard.inside("bot").await;
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, status)).await;
        assert!(yard.next(bot).await.is_none(), "{status}");
    }
    for why in [FetchError::TooLarge, FetchError::PrivateAddress, FetchError::Bomb] {
        let mut yard = Yard::new();
        yard.seed(&[SEED]).await;
        let bot = yard.inside("bot").await;
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, silence(&lease, why)).await;
        assert!(yard.next(bot).await.is_none(), "{why:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_url_that_fails_for_a_week_and_five_times_is_dropped() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/good", SEED]).await;
    yard.fetch(bot, "http://a.test/good", &[]).await;
    for _ in 0..3 {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
    }
    assert!(yard.next(bot).await.is_none());
    // In each later run it is tried once more.
    for (failures, state) in [(4, UrlState::Answered(500)), (5, UrlState::Dropped)] {
        seconds(4 * DAY).await;
        yard.restart(false);
        let bot = yard.inside("bot").await;
        yard.seed(&[SEED]).await;
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
        assert!(yard.next(bot).await.is_none());
        let record = yard.record(SEED);
        assert_eq!((record.failures, record.state), (failures, state));
    }
    assert!(yard.view(SEED).await.reason.contains("dropped after 5 failures"));

    // A link does not bring it back.
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/good"]).await;
    yard.fetch(bot, "http://a.test/good", &[SEED]).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.record(SEED).state, UrlState::Dropped);
    // A person does.
    assert_eq!(yard.seed(&[SEED]).await, 1);
    yard.fetch(bot, SEED, &[]).await;
    let record = yard.record(SEED);
    assert_eq!((record.failures, record.state), (0, UrlState::Answered(200)));
}

#[tokio::test(start_paused = true)]
async fn a_url_that_was_good_this_week_is_not_dropped_however_often_it_fails() {
    let mut yard = Yard::with(|settings| {
        (settings.retry.attempts, settings.retry.factor) = (10, 1);
    });
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    for _ in 0..10 {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, answer(&lease, 500)).await;
    }
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.record(SEED).state, UrlState::Answered(500));
}

#[tokio::test(start_paused = true)]
async fn the_urls_of_a_host_that_is_gone_are_dropped_by_the_same_rule() {
    let mut yard = Yard::new();
    for run in 1..=5 {
        yard.restart(false);
        yard.seed(&[SEED]).await;
        let bot = yard.inside("bot").await;
        loop {
            let (leases, wait, finished) = yard.try_give(bot, 1).await.expect("not refused");
            for lease in &leases {
                yard.accept(bot, silence(lease, FetchError::Dns)).await;
            }
            if finished {
                break;
            }
            advance(wait).await;
        }
        assert_eq!(yard.record(SEED).failures, run);
        seconds(2 * DAY).await;
    }
    assert_eq!(yard.record(SEED).state, UrlState::Dropped);
}

#[tokio::test(start_paused = true)]
async fn a_site_that_stops_answering_is_given_up_for_this_run() {
    let mut yard = Yard::new();
    let seeds: Vec<String> = (0..20).map(|n| format!("http://a.test/{n}")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let bot = yard.inside("bot").await;
    let mut attempts = 0;
    while let Some(lease) = yard.next(bot).await {
        attempts += 1;
        yard.accept(bot, silence(&lease, FetchError::Connect)).await;
    }
    assert_eq!(attempts, 8);
    let status = yard.status().await;
    assert_eq!((status.queued, status.finished, status.sites.blocked), (0, true, 1));
    for url in seeds {
        let record = yard.record(url);
        assert_eq!(record.state, UrlState::Ended(Outcome::Failed(FetchError::Connect)), "{url}");
        assert_eq!(record.queued, None);
    }
    assert_eq!(yard.plan.records.frontier(1).count(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_between_failures_keeps_a_site_alive() {
    let mut yard = Yard::with(|settings| settings.retry.attempts = 1);
    let seeds: Vec<String> = (0..20).map(|n| format!("http://a.test/{n}")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let bot = yard.inside("bot").await;
    let mut attempts = 0;
    while let Some(lease) = yard.next(bot).await {
        attempts += 1;
        let report = match attempts % 4 {
            0 => page(&lease, &[]),
            _ => silence(&lease, FetchError::Connect),
        };
        yard.accept(bot, report).await;
    }
    assert_eq!(attempts, 20);
}

#[tokio::test(start_paused = true)]
async fn a_seed_that_is_no_address_is_refused_with_the_reason() {
    let mut yard = Yard::new();
    let urls = vec!["ftp://a.test/".to_owned(), SEED.to_owned(), "a.test".to_owned()];
    match yard.ask(BrokerMessage::Seeds { urls }).await {
        lycosa_model::message::BrokerReply::Offered { queued, refused } => {
            assert_eq!(queued, 1);
            assert_eq!(refused.len(), 2);
            assert!(refused[0].1.contains("ftp"), "{refused:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_broker_without_its_strategy_or_trace_says_so() {
    let mut yard = Yard::new();
    yard.plan.strategy = "clairvoyance".into();
    let mut broker = crate::Broker::open(yard.plan.clone(), false);
    assert_eq!(broker.failure(), Some("no strategy is called clairvoyance"));
    let reply = lycosa_runtime::Agent::handle(&mut broker, BrokerMessage::Status).await;
    assert!(matches!(reply, lycosa_model::message::BrokerReply::Broken(_)));
    yard.plan.strategy = "best-first".into();
    yard.plan.settings.trace = Some(yard.dir.path().join("no/such/folder"));
    let broker = crate::Broker::open(yard.plan.clone(), false);
    assert!(broker.failure().is_some_and(|why| why.contains("no/such/folder")));
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_tls_is_kept_by_site_and_told() {
    let mut yard = Yard::with(|settings| settings.retry.attempts = 2);
    let seed = "https://a.test/";
    yard.seed(&[seed]).await;
    let bot = yard.inside("bot").await;
    let expired = FetchError::Tls(TlsFault::Expired);
    while let Some(lease) = yard.next(bot).await {
        yard.accept(bot, silence(&lease, expired)).await;
    }
    let view = yard.view(seed).await;
    assert!(view.reason.contains("expired") && view.reason.contains("tls_failed"), "{view:?}");
    assert_eq!(yard.site(seed).silence, Some(expired));
    let listed: Vec<(String, TlsFault)> = yard.status().await.tls.into_iter().collect();
    assert_eq!(listed, [("https://a.test".to_owned(), TlsFault::Expired)]);

    yard.restart(false);
    yard.seed(&[seed]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("it is tried again");
    yard.accept(bot, page(&lease, &[])).await;
    assert_eq!(yard.site(seed).silence, None, "the site has answered");
    assert!(yard.status().await.tls.is_empty(), "a new run");
}
