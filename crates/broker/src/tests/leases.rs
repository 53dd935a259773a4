//! How long does a right to fetch hold?

use super::yard::{Yard, id, page, seconds};
use lycosa_model::message::{BrokerMessage, BrokerReply, Refusal};
use lycosa_model::{BotId, FetchError, Outcome, UrlId, UrlState};
use std::time::Duration;

const SEED: &str = "http://a.test/";

async fn renew(yard: &mut Yard, bot: BotId, urls: Vec<UrlId>) -> Vec<bool> {
    match yard.ask(BrokerMessage::Renew { bot, urls }).await {
        BrokerReply::Renewed(kept) => kept,
        other => panic!("renew is answered by {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_lease_comes_back_with_one_failure_more_and_its_report_is_refused() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    let lease = yard.next(one).await.expect("a page");
    assert_eq!(lease.until, yard.now().after(Duration::from_secs(120)));
    seconds(119).await;
    assert_eq!(yard.give(two, 1).await, []);
    seconds(1).await;
    // Nobody has looked at the leases since, and still the right has ended.
    let late = yard.report(one, vec![page(&lease, &["http://a.test/2"])]).await;
    assert_eq!(late, [Err(Refusal::NotYours)]);
    assert!(!yard.knows("http://a.test/2"));
    assert_eq!(yard.record(SEED).failures, 1);
    assert_eq!(yard.given(two, 1).await, [SEED]);
    let late = yard.report(one, vec![page(&lease, &[])]).await;
    assert_eq!(late, [Err(Refusal::NotYours)]);
}

#[tokio::test(start_paused = true)]
async fn a_success_clears_the_failures_of_lost_leases() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.next(bot).await.expect("a page");
    seconds(120).await;
    yard.fetch(bot, SEED, &[]).await;
    assert_eq!(yard.record(SEED).failures, 0);
    let status = yard.status().await;
    assert_eq!((status.pages, status.overlap, status.leased), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn renewing_prolongs_what_is_held_and_nothing_else() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/"]).await;
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    let mine = yard.next(one).await.expect("a page");
    let theirs = yard.next(two).await.expect("a page");
    seconds(100).await;
    let asked = vec![mine.url_id, theirs.url_id, id("http://nowhere.test/")];
    assert_eq!(renew(&mut yard, one, asked).await, [true, false, false]);
    seconds(100).await;
    assert_eq!(renew(&mut yard, two, vec![theirs.url_id]).await, [false]);
    yard.accept(one, page(&mine, &[])).await;
    assert_eq!(yard.record("http://b.test/").failures, 1);
}

#[tokio::test(start_paused = true)]
async fn a_renewed_lease_outlasts_the_process_by_its_new_time() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.outside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    seconds(100).await;
    assert_eq!(renew(&mut yard, bot, vec![lease.url_id]).await, [true]);
    yard.restart(true);
    seconds(100).await;
    yard.accept(bot, page(&lease, &[])).await;
}

#[tokio::test(start_paused = true)]
async fn a_url_over_which_leases_are_lost_again_and_again_ends() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    for _ in 0..5 {
        yard.next(bot).await.expect("a page");
        seconds(120).await;
    }
    assert!(yard.next(bot).await.is_none());
    let record = yard.record(SEED);
    assert_eq!(record.state, UrlState::Ended(Outcome::Failed(FetchError::Timeout)));
    assert_eq!((record.failures, record.queued), (5, None));
    let status = yard.status().await;
    assert_eq!((status.errors, status.queued, status.leased), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn no_more_than_was_asked_for_is_given_and_never_more_than_256() {
    let mut yard = Yard::new();
    let seeds: Vec<String> = (0..300).map(|n| format!("http://s{n}.test/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let bot = yard.inside("bot").await;
    assert_eq!(yard.give(bot, 0).await.len(), 0);
    assert_eq!(yard.give(bot, 3).await.len(), 3);
    assert_eq!(yard.give(bot, usize::MAX).await.len(), 256);
    assert_eq!(yard.give(bot, usize::MAX).await.len(), 41);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_crawl_grants_nothing_and_finishes_when_its_leases_are_back() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    assert!(matches!(yard.ask(BrokerMessage::Stop).await, BrokerReply::Done));
    let (leases, _, finished) = yard.try_give(bot, 9).await.expect("not refused");
    assert_eq!((leases.len(), finished), (0, false));
    yard.accept(bot, page(&lease, &["http://a.test/3"])).await;
    let (leases, _, finished) = yard.try_give(bot, 9).await.expect("not refused");
    assert_eq!((leases.len(), finished), (0, true));
    // What was left is there for the next time.
    yard.restart(true);
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/2", "http://a.test/3"]);
}
