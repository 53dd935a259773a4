//! Who has a domain, and for how long?

use crate::world::*;
use lycosa_ledger::{DomainDone, Grant, Sighting, Sweep};
use lycosa_model::{Door, UrlState};
use std::net::IpAddr;
use std::time::Duration;

const A: &str = "https://a.example/1";
const B: &str = "https://b.example/1";

pub(super) async fn a_domain_is_held_by_one_bot(world: World) {
    world.offer(&[A]).await;
    assert_eq!(world.frontier.owner_of(domain("a.example")).await.expect("owner"), None);
    let grant = world.lease_one(bot("a")).await;
    assert_eq!((grant.name.as_str(), grant.domain), ("a.example", domain("a.example")));
    assert_eq!((grant.ttl, grant.epoch), (TTL, 1));
    assert!(world.lease(bot("b"), 10).await.is_empty());
    assert!(world.lease(bot("a"), 10).await.is_empty(), "not even by the same bot twice");
    let owner = world.frontier.owner_of(grant.domain).await.expect("owner").expect("held");
    assert_eq!((owner.bot, owner.epoch), (bot("a"), 1));
    assert!(owner.left <= TTL && owner.left > TTL / 2, "{:?}", owner.left);
    assert!(world.offer(&["https://a.example/2"]).await[0], "new URLs come in meanwhile");
    assert!(world.lease(bot("b"), 10).await.is_empty(), "and change nothing");
    world.finish(&grant).await;
    assert_eq!(world.frontier.owner_of(grant.domain).await.expect("owner"), None);
    world.pass_secs(2).await;
    assert_eq!(world.lease_one(bot("b")).await.epoch, 2);
}

pub(super) async fn a_domain_rests_between_two_leases(world: World) {
    world.offer(&[A, "https://a.example/2"]).await;
    let grant = world.lease_one(bot("a")).await;
    let rest = Duration::from_secs(30);
    let lost = world.frontier.release(&[grant.held()], rest).await.expect("release");
    assert!(lost.is_empty());
    world.pass_secs(20).await;
    assert!(world.lease(bot("b"), 1).await.is_empty());
    world.pass_secs(15).await;
    assert_eq!(world.lease_one(bot("b")).await.pages.len(), 2, "nothing was done about them");
    let again = world.frontier.release(&[grant.held()], rest).await.expect("release");
    assert_eq!(again, [grant.domain], "the first lease is long over");
}

pub(super) async fn a_pause_lasts_at_least_as_long_as_the_delay(world: World) {
    world.offer(&[A, "https://a.example/2"]).await;
    let grant = world.lease_one(bot("a")).await;
    assert_eq!(grant.delay, Duration::from_secs(1), "as long as nobody says otherwise");
    let delay = Some(Duration::from_secs(20));
    let done = DomainDone { delay, ..DomainDone::giving_back(grant.held(), Duration::ZERO) };
    world.complete(vec![done]).await;
    world.pass_secs(15).await;
    assert!(world.lease(bot("a"), 1).await.is_empty());
    world.pass_secs(10).await;
    let grant = world.lease_one(bot("a")).await;
    assert_eq!(Some(grant.delay), delay);
    // When a lease runs out nobody knows when its holder asked last.
    world.pass_secs(70).await;
    assert!(world.lease(bot("b"), 1).await.is_empty());
    world.pass_secs(15).await;
    world.lease_one(bot("b")).await;
}

pub(super) async fn a_zombie_writes_nothing(world: World) {
    world.offer(&[A]).await;
    let zombie = world.lease_one(bot("zombie")).await;
    world.pass_secs(65).await;
    let heir = world.lease_one(bot("heir")).await;
    assert_eq!(heir.epoch, zombie.epoch + 1);
    let completed = world.finish(&zombie).await;
    assert_eq!((completed.pages, completed.lost), (0, vec![zombie.domain]));
    let waiting = found(A).origin;
    assert_eq!(world.state(A).await, UrlState::Waiting(waiting));
    assert_eq!(world.frontier.renew(&[zombie.held()], TTL).await.expect("ok"), [zombie.domain]);
    let rest = Duration::from_secs(3600);
    assert_eq!(world.frontier.release(&[zombie.held()], rest).await.expect("ok"), [zombie.domain]);
    let owner = world.frontier.owner_of(heir.domain).await.expect("owner").expect("held");
    assert_eq!(owner.bot, bot("heir"), "who is not disturbed");
    assert_eq!(world.finish(&heir).await.pages, 1);
    assert_eq!(world.state(A).await, UrlState::Answered(200));
    assert_eq!(world.finish(&heir).await.lost, [heir.domain], "what was given back is not ours");
}

pub(super) async fn a_lease_that_ran_out_writes_nothing_until_it_is_renewed(world: World) {
    world.offer(&[A, B]).await;
    let grants = world.lease(bot("slow"), 2).await;
    world.pass_secs(61).await;
    for grant in &grants {
        assert_eq!(world.finish(grant).await.lost, [grant.domain]);
        assert_eq!(world.frontier.owner_of(grant.domain).await.expect("owner"), None);
    }
    let [revived, swept] = &grants[..] else { panic!("two leases") };
    assert!(world.frontier.renew(&[revived.held()], TTL).await.expect("renew").is_empty());
    assert_eq!(world.finish(revived).await.pages, 1, "nobody had it in between");
    let sweep = Sweep { grace: Duration::ZERO, ..Sweep::default() };
    let found = world.frontier.sweep(&sweep).await.expect("sweep");
    assert_eq!(found.run_out, [(swept.domain, bot("slow"))]);
    assert_eq!(world.frontier.renew(&[swept.held()], TTL).await.expect("renew"), [swept.domain]);
    assert!(world.frontier.sweep(&sweep).await.expect("sweep").run_out.is_empty());
}

pub(super) async fn a_renewed_lease_holds_on(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    for _ in 0..3 {
        world.pass_secs(40).await;
        assert!(world.frontier.renew(&[grant.held()], TTL).await.expect("renew").is_empty());
    }
    assert!(world.lease(bot("b"), 1).await.is_empty());
    world.pass_secs(40).await;
    assert_eq!(world.finish(&grant).await.pages, 1);
}

pub(super) async fn one_completion_takes_many_domains_and_refuses_each_for_itself(world: World) {
    let urls: Vec<String> = (0..30).map(|n| format!("https://d{}.example/{n}", n % 10)).collect();
    world.offer(&urls.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let grants = world.lease(bot("a"), 10).await;
    assert_eq!(grants.iter().map(|grant| grant.pages.len()).sum::<usize>(), 30);
    let mut done: Vec<DomainDone> = grants.iter().map(fetched).collect();
    done[3].held = older(done[3].held);
    done[7].held.domain = domain("nobody.example");
    let completed = world.complete(done.clone()).await;
    let mut lost = completed.lost;
    lost.sort();
    let mut expected = vec![grants[3].domain, domain("nobody.example")];
    expected.sort();
    assert_eq!((completed.pages, lost), (24, expected));
    for (number, grant) in grants.iter().enumerate() {
        let written = ![3, 7].contains(&number);
        for page in &grant.pages {
            let state = world.state(&page.url).await;
            assert_eq!(state == UrlState::Answered(200), written, "domain {number}");
        }
        let owner = world.frontier.owner_of(grant.domain).await.expect("owner");
        assert_eq!(owner.is_none(), written, "domain {number}");
    }
}

pub(super) async fn those_who_waited_longest_come_first(world: World) {
    let names = ["c.example", "a.example", "b.example"];
    for name in names {
        world.offer(&[&format!("http://{name}/")]).await;
        world.pass_secs(5).await;
    }
    for name in names {
        assert_eq!(world.lease(bot("a"), 1).await[0].name, name);
    }
}

pub(super) async fn a_domain_sleeps_when_nothing_waits_and_wakes_when_something_does(world: World) {
    world.offer(&[A]).await;
    let grant = world.lease_one(bot("a")).await;
    world.finish(&grant).await;
    world.pass_secs(600).await;
    assert!(world.lease(bot("a"), 1).await.is_empty());
    assert_eq!(world.frontier.stats().await.expect("stats").due, 0);
    assert_eq!(world.offer(&[A]).await, [false]);
    assert!(world.lease(bot("a"), 1).await.is_empty(), "a known URL wakes nobody");
    world.offer(&["https://a.example/new"]).await;
    assert_eq!(world.lease_one(bot("a")).await.pages[0].url, "https://a.example/new");
}

/// Tells where domains live, and gives them back.
async fn tell_address(world: &World, grants: &[Grant], address: &str) {
    let address: Option<IpAddr> = Some(address.parse().expect("an address"));
    let told = |grant: &Grant| DomainDone {
        address,
        ..DomainDone::giving_back(grant.held(), Duration::ZERO)
    };
    assert!(world.complete(grants.iter().map(told).collect()).await.lost.is_empty());
    world.pass_secs(5).await;
}

pub(super) async fn one_domain_of_an_address_is_asked_at_a_time(world: World) {
    world.offer(&[A, B, "http://c.example/", "http://alone.example/"]).await;
    let grants = world.lease(bot("a"), 10).await;
    let (alone, together): (Vec<Grant>, Vec<Grant>) =
        grants.into_iter().partition(|grant| grant.name == "alone.example");
    tell_address(&world, &together, "192.0.2.1").await;
    tell_address(&world, &alone, "2001:db8::1").await;

    let mut turns = Vec::new();
    let first = world.lease(bot("a"), 10).await;
    assert_eq!(first.len(), 2, "the one that is alone, and one of those that are not: {first:?}");
    let mut holder = first.into_iter().find(|grant| grant.name != "alone.example").expect("one");
    assert_eq!(holder.address, Some("192.0.2.1".parse().expect("address")));
    assert!(world.lease(bot("b"), 10).await.is_empty(), "whoever asks");
    for _ in 0..2 {
        world.pass_secs(30).await;
        assert!(world.frontier.renew(&[holder.held()], TTL).await.expect("renew").is_empty());
        world.pass_secs(40).await;
        world.sweep().await;
        assert!(
            world.lease(bot("b"), 10).await.iter().all(|grant| grant.name == "alone.example"),
            "renewed with its address"
        );
        turns.push(holder.name.clone());
        let rest = Duration::from_secs(10);
        let done = DomainDone { rest, ..fetched(&holder) };
        assert_eq!(world.complete(vec![done]).await.pages, 1);
        world.pass_secs(5).await;
        assert!(world.lease(bot("b"), 10).await.is_empty(), "the address rests, too");
        world.pass_secs(10).await;
        holder = world.lease_one(bot("b")).await;
    }
    turns.push(holder.name.clone());
    turns.sort();
    assert_eq!(turns, ["a.example", "b.example", "c.example"], "each has its turn");
}

pub(super) async fn an_address_is_free_when_its_holder_died(world: World) {
    world.offer(&[A, B]).await;
    let grants = world.lease(bot("a"), 10).await;
    tell_address(&world, &grants, "192.0.2.1").await;
    let dead = world.lease_one(bot("dead")).await;
    assert!(world.lease(bot("b"), 10).await.is_empty());
    world.pass_secs(65).await;
    let mut names = vec![dead.name.clone()];
    assert_eq!(world.sweep().await.woken, 1);
    let heirs = world.lease(bot("b"), 10).await;
    assert_eq!(heirs.len(), 1, "still one at a time");
    world.finish(&heirs[0]).await;
    names.push(heirs[0].name.clone());
    world.pass_secs(5).await;
    let last = world.lease(bot("b"), 10).await;
    names.extend(last.iter().map(|grant| grant.name.clone()));
    names.sort();
    names.dedup();
    assert_eq!(names, ["a.example", "b.example"]);
    assert_eq!(last.len(), 1, "the other one has its turn");
}

pub(super) async fn leases_that_run_out_are_counted_against_their_bot(world: World) {
    let seen = |reported| Sighting {
        name: "slow".into(),
        door: Door::Inside,
        requests: 0,
        reported,
        kissed: None,
    };
    let expired =
        async || world.frontier.bot(bot("slow")).await.expect("bot").expect("known").expired;
    world.offer(&[A, B]).await;
    world.frontier.bot_seen(bot("slow"), &seen(0)).await.expect("seen");
    let grants = world.lease(bot("slow"), 2).await;
    assert_eq!((grants.len(), expired().await), (2, 0));
    world.pass_secs(65).await;
    assert_eq!(world.lease(bot("quick"), 1).await.len(), 1);
    assert_eq!(expired().await, 1, "whose domain was given to another one");
    world.pass_secs(65).await;
    let run_out = world.sweep().await.run_out;
    assert!(run_out.iter().any(|(_, owner)| *owner == bot("slow")), "{run_out:?}");
    assert_eq!(expired().await, 2);
    world.frontier.bot_seen(bot("slow"), &seen(1)).await.expect("seen");
    assert_eq!(expired().await, 0, "a report makes up for it");
}
