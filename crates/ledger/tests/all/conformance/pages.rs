//! What is known of pages, objects, work and bots?

use crate::world::*;
use lycosa_ledger::{
    Blob, Completion, DomainDone, Found, NewCopy, PageDone, Sighting, Stage, Stats, Sweep, Task,
    Work,
};
use lycosa_model::{Door, FetchError, Lang, Origin, Outcome, Rank, UrlId, UrlState};
use std::time::Duration;

const A: &str = "https://www.example.org/a";
const B: &str = "https://example.org/b";
const C: &str = "http://other.example.net/c";

pub(super) async fn a_url_is_new_once(world: World) {
    assert_eq!(world.offer(&[A, B, A, C]).await, [true, true, false, true]);
    assert_eq!(world.offer(&[C, "https://example.org/new", A]).await, [false, true, false]);
    assert!(world.offer(&[]).await.is_empty());
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!(entry.inlinks, 3, "every link counts");
    let silent = Found { links: 0, ..found(A) };
    world.frontier.offer(&[silent]).await.expect("offer");
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!(entry.inlinks, 3, "unless it is not to be counted");
    assert_eq!(world.frontier.url(key("https://example.org/none")).await.expect("url"), None);
}

pub(super) async fn a_url_keeps_what_was_told_when_it_was_found(world: World) {
    let told = Found {
        origin: Origin::Sitemap,
        rank: Rank(u64::MAX - 7),
        depth: 4,
        via: Some(UrlId([9; 16])),
        bot: Some(bot("finder")),
        links: 5,
        ..found(A)
    };
    let later = Found { depth: 1, via: None, ..told.clone() };
    world.frontier.offer(&[told]).await.expect("offer");
    world.frontier.offer(&[later]).await.expect("offer");
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!(entry.url_id, key(A).id);
    assert_eq!(entry.url, A);
    assert_eq!(entry.state, UrlState::Waiting(Origin::Sitemap));
    assert_eq!((entry.inlinks, entry.outlinks, entry.depth, entry.tries), (10, 0, 4, 0));
    assert_eq!((entry.via, entry.rank), (Some(UrlId([9; 16])), Rank(u64::MAX - 7)));
    assert_eq!((entry.bot1_id, entry.bot2_id), (None, Some(bot("finder"))));
    assert_eq!((entry.dlast, entry.language, entry.again, entry.work), (None, None, None, None));
    assert!(entry.waits);
    assert!(entry.dinit.0 > 1_600_000_000_000, "{:?}", entry.dinit);
}

pub(super) async fn pages_come_in_the_order_of_rank(world: World) {
    let ranks = [5, u64::MAX, 0, 1 << 40, 6];
    let found: Vec<Found> =
        ranks.iter().map(|rank| ranked(&format!("http://example.org/{rank}"), *rank)).collect();
    world.frontier.offer(&found).await.expect("offer");
    let grant = world.lease_one(bot("a")).await;
    let order: Vec<u64> = grant.pages.iter().map(|task| task.rank.0).collect();
    assert_eq!(order, [0, 5, 6, 1 << 40, u64::MAX]);
    assert!(
        grant.pages.iter().all(|task| task.url == format!("http://example.org/{}", task.rank.0))
    );
}

fn full_copy() -> NewCopy {
    NewCopy {
        language: Lang::parse("es"),
        outlinks: 17,
        etag: Some("\"tag\"".into()),
        last_modified: Some("Tue, 17 Nov 2026 10:00:00 GMT".into()),
        digest: Some("sha1:ABCDEF".into()),
    }
}

fn with_copy(task: &Task) -> PageDone {
    PageDone { copy: Some(full_copy()), ..page(task) }
}

pub(super) async fn a_completion_writes_what_the_copy_tells(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    let done = DomainDone { pages: vec![with_copy(&grant.pages[0])], ..fetched(&grant) };
    let completed = world.complete(vec![done]).await;
    assert_eq!((completed.pages, completed.lost.len()), (1, 0));
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!(entry.state, UrlState::Answered(200));
    assert_eq!((entry.outlinks, entry.language), (17, Lang::parse("es")));
    assert_eq!(entry.etag, full_copy().etag);
    assert_eq!(entry.last_modified, full_copy().last_modified);
    assert_eq!(entry.digest, full_copy().digest);
    assert_eq!(entry.bot1_id, Some(bot("a")));
    assert!(entry.dlast.expect("downloaded") >= entry.dinit);
    assert!(!entry.waits);
}

pub(super) async fn a_failure_leaves_the_copy_as_it_was(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    let now = Some(Duration::ZERO);
    let first = PageDone { again: now, ..with_copy(&grant.pages[0]) };
    world.complete(vec![DomainDone { pages: vec![first], ..fetched(&grant) }]).await;
    let before = world.frontier.url(key(A)).await.expect("url").expect("known");
    for tries in 1..=3 {
        world.pass_secs(2).await;
        assert_eq!(world.sweep().await.again, 1);
        let grant = world.lease_one(bot("b")).await;
        let task = &grant.pages[0];
        assert_eq!((&task.etag, &task.digest), (&before.etag, &before.digest));
        assert_eq!((task.tries, task.dlast.is_some()), (tries - 1, true));
        let state = UrlState::Ended(Outcome::Failed(FetchError::Timeout));
        let failed = PageDone { state, ..failed(task, now) };
        world.complete(vec![DomainDone { pages: vec![failed], ..fetched(&grant) }]).await;
        let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
        assert_eq!((entry.state, entry.tries), (state, tries));
        assert_eq!((entry.etag, entry.language), (before.etag.clone(), before.language));
    }
    world.pass_secs(2).await;
    world.sweep().await;
    let grant = world.lease_one(bot("b")).await;
    let unchanged =
        PageDone { state: UrlState::Answered(304), copy: None, ..page(&grant.pages[0]) };
    world.complete(vec![DomainDone { pages: vec![unchanged], ..fetched(&grant) }]).await;
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!((entry.tries, entry.etag), (0, before.etag), "304 is a success");
}

pub(super) async fn a_page_that_is_given_back_waits_on(world: World) {
    world.offer(&[A, B]).await;
    let grant = world.lease_one(bot("a")).await;
    let back =
        PageDone { state: UrlState::Waiting(Origin::OtherPage), ..failed(&grant.pages[0], None) };
    world.complete(vec![DomainDone { pages: vec![back], ..fetched(&grant) }]).await;
    world.pass_secs(2).await;
    assert_eq!(world.lease_one(bot("b")).await.pages.len(), 2);
}

pub(super) async fn a_page_comes_again_when_its_time_has_come(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    let hour = Duration::from_secs(3600);
    let later = failed(&grant.pages[0], Some(hour));
    world.complete(vec![DomainDone { pages: vec![later], ..fetched(&grant) }]).await;
    let left = world.frontier.url(key(A)).await.expect("url").expect("known").again;
    assert!(left.is_some_and(|left| left <= hour && left > hour / 2), "{left:?}");
    world.pass(hour / 2).await;
    assert_eq!(world.sweep().await.again, 0);
    assert!(world.lease(bot("a"), 1).await.is_empty());
    world.pass(hour).await;
    assert!(world.lease(bot("a"), 1).await.is_empty(), "it is a sweep that finds it");
    assert_eq!(world.sweep().await.again, 1);
    let entry = world.frontier.url(key(A)).await.expect("url").expect("known");
    assert_eq!((entry.waits, entry.again), (true, None));
    assert_eq!(world.lease_one(bot("a")).await.pages[0].url, A);
}

pub(super) async fn a_page_of_nobody_is_not_made_up(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    let stranger = PageDone { id: key(C).id, ..page(&grant.pages[0]) };
    let done = DomainDone { pages: vec![stranger], ..fetched(&grant) };
    assert_eq!(world.complete(vec![done]).await.pages, 0);
    assert_eq!(world.frontier.url(key(C)).await.expect("url"), None);
}

pub(super) async fn an_object_is_written_with_its_pages_or_not_at_all(world: World) {
    world.offer(&[A]).await;
    let blob = |key: &str| Blob {
        key: key.into(),
        sha256: [7; 32],
        bytes: 1 << 33,
        records: 4_000_000_000,
    };
    let grant = world.lease_one(bot("a")).await;
    let zombie = DomainDone { held: older(grant.held()), ..fetched(&grant) };
    let completion = Completion { domains: vec![zombie], blobs: vec![blob("lost")] };
    let completed = world.frontier.complete(&completion).await.expect("complete");
    assert_eq!((completed.pages, completed.lost), (0, vec![grant.domain]));
    assert_eq!(world.frontier.blob("lost").await.expect("blob"), None);
    let blobs = vec![blob("one"), blob("two")];
    let completion = Completion { domains: vec![fetched(&grant)], blobs };
    assert_eq!(world.frontier.complete(&completion).await.expect("complete").pages, 1);
    for name in ["one", "two"] {
        assert_eq!(world.frontier.blob(name).await.expect("blob"), Some(blob(name)));
    }
}

pub(super) async fn work_that_is_stuck_is_found_once_and_parked_in_the_end(world: World) {
    world.offer(&[A, B, C]).await;
    let grants = world.lease(bot("a"), 10).await;
    let done = grants.iter().map(|grant| with_work(grant, Stage::Filter)).collect();
    assert_eq!(world.complete(done).await.pages, 3);
    let sweep = Sweep { tries: 2, ..Sweep::default() };
    let stuck = async || world.frontier.sweep(&sweep).await.expect("sweep");
    assert!(stuck().await.stuck.is_empty(), "there was no time yet");

    assert_eq!(world.frontier.advance(&[key(A), key(B)], Some(Stage::Index)).await.expect("ok"), 2);
    assert_eq!(world.frontier.advance(&[key(B)], None).await.expect("ok"), 1);
    assert_eq!(world.frontier.advance(&[key(B)], Some(Stage::Index)).await.expect("ok"), 0);
    let work = world.frontier.url(key(A)).await.expect("url").expect("known").work;
    assert_eq!(work, Some(Work { stage: Stage::Index, tries: 0 }));
    for tries in 1..=2 {
        world.pass_secs(61).await;
        let mut found = stuck().await.stuck;
        found.sort_by(|a, b| a.url.cmp(&b.url));
        let told: Vec<_> = found.iter().map(|one| (one.url.as_str(), one.key, one.work)).collect();
        let work = |stage| Work { stage, tries };
        assert_eq!(told, [(C, key(C), work(Stage::Filter)), (A, key(A), work(Stage::Index))]);
        assert!(stuck().await.stuck.is_empty(), "it was found a moment ago");
    }
    world.pass_secs(61).await;
    let swept = stuck().await;
    assert_eq!((swept.stuck.len(), swept.parked), (0, 2));
    world.pass_secs(600).await;
    let swept = stuck().await;
    assert_eq!((swept.stuck.len(), swept.parked), (0, 0), "what is parked stays where it is");
    assert_eq!(world.frontier.stats().await.expect("stats").parked, 2);
}

pub(super) async fn bots_are_remembered(world: World) {
    let sighting = |requests, reported| Sighting {
        name: "a bot".into(),
        door: Door::Http,
        requests,
        reported,
        kissed: None,
    };
    assert_eq!(world.frontier.bot(bot("a")).await.expect("bot"), None);
    world.frontier.bot_seen(bot("a"), &sighting(1, 0)).await.expect("seen");
    world.frontier.bot_seen(bot("a"), &sighting(2, 30)).await.expect("seen");
    let kissed = Sighting { kissed: Some("silent".into()), ..sighting(0, 0) };
    world.frontier.bot_seen(bot("a"), &kissed).await.expect("seen");
    world.frontier.bot_seen(bot("a"), &sighting(1, 0)).await.expect("seen");
    world.frontier.bot_seen(bot("b"), &sighting(0, 0)).await.expect("seen");
    let record = world.frontier.bot(bot("a")).await.expect("bot").expect("known");
    assert_eq!((record.name.as_str(), record.door), ("a bot", Door::Http));
    assert_eq!((record.requests, record.reported, record.expired), (4, 30, 0));
    assert_eq!(record.kissed.as_deref(), Some("silent"), "a kiss stays");
    assert!(record.dinit <= record.dlast && record.dinit.0 > 1_600_000_000_000);
    let all = world.frontier.bots().await.expect("bots");
    assert_eq!(all.len(), 2);
    assert!(all.contains(&(bot("a"), record)));
}

pub(super) async fn all_is_counted(world: World) {
    assert_eq!(world.frontier.stats().await.expect("stats"), Stats::default());
    world.offer(&[A, B, C, "http://third.example.com/"]).await;
    let grants = world.lease(bot("a"), 2).await;
    assert_eq!(grants.len(), 2);
    let mut done = with_work(&grants[0], Stage::Index);
    done.release = false;
    done.pages.truncate(1);
    done.pages[0].again = Some(Duration::from_secs(60));
    world.complete(vec![done]).await;
    let stats = world.frontier.stats().await.expect("stats");
    let expected = Stats {
        domains: 3,
        held: 2,
        due: 1,
        urls: 4,
        waiting: 3,
        later: 1,
        to_index: 1,
        ..Stats::default()
    };
    assert_eq!(stats, expected);
    world.frontier.sync().await.expect("sync");
}
