//! What a person wants left alone, and how it comes back.

use super::yard::{Yard, page, redirect};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_model::{FetchKind, Outcome, UrlState};

const SEED: &str = "http://a.test/";
const SHOP: &str = "http://a.test/shop/1";
const NEWS: &str = "http://a.test/news";
const ADS: &str = "http://one.ads.test/";

fn texts(patterns: &[&str]) -> Vec<String> {
    patterns.iter().map(|pattern| (*pattern).to_owned()).collect()
}

async fn exclude(yard: &mut Yard, patterns: &[&str]) -> BrokerReply {
    yard.ask(BrokerMessage::Exclude { patterns: texts(patterns) }).await
}

async fn include(yard: &mut Yard, patterns: &[&str]) {
    let reply = yard.ask(BrokerMessage::Include { patterns: texts(patterns) }).await;
    assert!(matches!(reply, BrokerReply::Done), "{reply:?}");
}

fn everywhere() -> Yard {
    Yard::with(|settings| settings.scope = lycosa_frontier::ScopeKind::Any)
}

/// A page was read, and three addresses wait.
async fn begun() -> (Yard, lycosa_model::BotId) {
    let mut yard = everywhere();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[SHOP, NEWS, ADS]).await;
    (yard, bot)
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_not_leased_any_more_and_its_site_is_not_asked_for_anything() {
    let (mut yard, bot) = begun().await;
    assert!(matches!(exclude(&mut yard, &["ads.test", "a.test/shop/"]).await, BrokerReply::Done));
    assert_eq!(yard.status().await.excluded, ["ads.test", "a.test/shop/"]);
    let waits = yard.view(SHOP).await;
    assert_eq!(waits.reason, "not fetched: excluded by hand (`a.test/shop/`)");
    let lease = yard.next(bot).await.expect("what is left");
    assert_eq!(lease.url, NEWS);
    yard.accept(bot, page(&lease, &["http://two.ads.test/", "http://a.test/shop/2"])).await;
    let (leases, _, finished) = yard.try_give(bot, 9).await.expect("not refused");
    let robots = leases.iter().filter(|lease| lease.kind == FetchKind::Robots);
    assert_eq!((robots.count(), finished), (0, true), "not even its robots.txt: {leases:?}");
    for (url, by) in [(SHOP, "a.test/shop/"), (ADS, "ads.test")] {
        let view = yard.view(url).await;
        assert_eq!(view.record.outcome, Some(Outcome::Excluded));
        assert_eq!(view.record.state, UrlState::Ended(Outcome::Excluded));
        assert!(view.reason.contains("by hand") && view.reason.contains(by), "{}", view.reason);
    }
    assert!(!yard.knows("http://two.ads.test/"), "what is found later leaves no trace");
    let never = yard.view("http://two.ads.test/").await.reason;
    assert_eq!(never, "not followed: excluded by hand (`ads.test`)");
    let status = yard.status().await;
    assert_eq!((status.left["excluded"], status.outcomes["excluded"]), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn what_is_included_again_waits_where_it_waited_and_what_was_passed_by_can_be_found() {
    let (mut yard, bot) = begun().await;
    exclude(&mut yard, &["ads.test", "*/shop/*"]).await;
    yard.fetch(bot, NEWS, &["http://a.test/shop/2"]).await;
    assert!(yard.next(bot).await.is_none());
    include(&mut yard, &["*/shop/*"]).await;
    let view = yard.view(SHOP).await;
    assert_eq!((view.record.outcome, view.record.queued.is_some()), (None, true));
    assert!(view.reason.contains("waits in the frontier"), "{}", view.reason);
    yard.fetch(bot, SHOP, &["http://a.test/shop/2"]).await;
    yard.fetch(bot, "http://a.test/shop/2", &[]).await;
    assert!(yard.next(bot).await.is_none(), "the other one is still left alone");
    include(&mut yard, &["ads.test"]).await;
    yard.fetch(bot, ADS, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_keeps_what_was_said_and_a_new_run_begins_with_nothing() {
    let mut yard = Yard::with(|settings| {
        settings.scope = lycosa_frontier::ScopeKind::Any;
        settings.exclude = vec!["http://a.test/news".into()];
    });
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[SHOP, NEWS, ADS]).await;
    exclude(&mut yard, &["ads.test", "a.test/shop/"]).await;
    include(&mut yard, &["a.test/news"]).await;
    assert!(yard.next(bot).await.is_none(), "all that waits is left alone");
    // The process is killed: nothing is closed. Whoever resumes says no more than what is new.
    yard.plan.settings.exclude = vec!["b.test".into()];
    yard.restart(true);
    assert_eq!(yard.status().await.excluded, ["ads.test", "a.test/shop/", "b.test"]);
    let bot = yard.inside("bot").await;
    assert!(yard.next(bot).await.is_none());
    include(&mut yard, &["a.test/shop/"]).await;
    yard.fetch(bot, SHOP, &[]).await;
    yard.restart(false);
    assert_eq!(yard.status().await.excluded, ["b.test"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_included_on_record_while_nobody_was_at_work_waits_again() {
    let (mut yard, bot) = begun().await;
    exclude(&mut yard, &["ads.test", "*/shop/*"]).await;
    yard.fetch(bot, NEWS, &[]).await;
    assert!(yard.next(bot).await.is_none());
    let run = yard.plan.records.run().expect("read").expect("a run").number;
    let mut change = yard.plan.records.change();
    change.put_exclusions(run, &texts(&["ads.test"]));
    change.commit().expect("written");
    yard.restart(true);
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SHOP, &[]).await;
    assert!(yard.next(bot).await.is_none(), "the other one is still left alone");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_exclusion_changes_nothing_and_is_answered_with_a_hint() {
    let (mut yard, _) = begun().await;
    let reply = exclude(&mut yard, &["good.test", "not a host"]).await;
    let BrokerReply::Declined { error, hint } = reply else { panic!("{reply:?}") };
    assert!(error.contains("not a host") && hint.contains("example.org"), "{error}; {hint}");
    assert_eq!(yard.status().await.excluded, [] as [&str; 0], "all or nothing");
    let patterns = texts(&["good.test"]);
    let reply = yard.ask(BrokerMessage::Include { patterns }).await;
    assert!(matches!(reply, BrokerReply::Declined { .. }), "{reply:?}");
}

#[tokio::test(start_paused = true)]
async fn a_seed_and_where_a_seed_redirects_to_are_left_alone_too() {
    let mut yard = everywhere();
    exclude(&mut yard, &["ads.test"]).await;
    let urls = vec![ADS.to_owned(), SEED.to_owned()];
    let reply = yard.ask(BrokerMessage::Seeds { urls }).await;
    let BrokerReply::Offered { queued: 1, refused } = reply else { panic!("{reply:?}") };
    assert!(refused[0].1.contains("ads.test"), "{refused:?}");
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("the other seed");
    yard.accept(bot, redirect(&lease, ADS)).await;
    assert!(yard.next(bot).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_read_stays_read() {
    let (mut yard, _) = begun().await;
    exclude(&mut yard, &["a.test"]).await;
    let view = yard.view(SEED).await;
    assert_eq!(view.record.outcome, Some(Outcome::Fetched));
    assert!(view.reason.starts_with("answered with status 200"), "{}", view.reason);
    assert!(view.reason.contains("excluded by hand"), "{}", view.reason);
}
