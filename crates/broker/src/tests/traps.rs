//! Does a crawl get out of what has no end?

use super::yard::{Yard, page, redirect};
use lycosa_frontier::ScopeKind;
use lycosa_frontier::traps::TrapRule;
use lycosa_model::message::{BrokerMessage, BrokerReply};

const SEED: &str = "http://a.test/";

fn outcome(status: &lycosa_model::message::BrokerStatus, name: &str) -> u64 {
    status.outcomes.get(name).copied().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_path_that_repeats_itself_is_left_and_counted_and_explained() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let links = ["http://a.test/x/x/x/", "http://a.test/good", "http://b.test/x/x/x/"];
    yard.fetch(bot, SEED, &links).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/good"]);
    let status = yard.status().await;
    assert_eq!((outcome(&status, "trap_repeating_path"), status.known), (1, 2));
    assert!(!yard.knows(links[0]));
    let view = yard.view(links[0]).await;
    assert!(
        view.reason.contains("its path repeats itself (trap_repeating_path)"),
        "{}",
        view.reason
    );
    let unknown = yard.ask(BrokerMessage::Url { url: "http://a.test/never".into() }).await;
    assert!(matches!(unknown, BrokerReply::Url(None)), "{unknown:?}");
    let outside = yard.ask(BrokerMessage::Url { url: links[2].into() }).await;
    assert!(matches!(outside, BrokerReply::Url(None)), "{outside:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_gives_is_never_refused_nor_where_it_redirects_to() {
    let mut yard = Yard::new();
    yard.seed(&["http://a.test/x/x/x/x"]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("the seed");
    yard.accept(bot, redirect(&lease, "http://a.test/y/y/y/y")).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/y/y/y/y"]);
}

#[tokio::test(start_paused = true)]
async fn a_calendar_ends_also_when_the_crawl_is_resumed_on_the_way() {
    let mut yard = Yard::with(|settings| settings.traps.dates = 20);
    yard.seed(&["http://a.test/cal/2020/01"]).await;
    let mut bot = yard.inside("bot").await;
    let mut fetched = 0;
    while let Some(lease) = yard.next(bot).await {
        fetched += 1;
        let next = format!("http://a.test/cal/{}/{:02}", 2020 + fetched / 12, fetched % 12 + 1);
        yard.accept(bot, page(&lease, &[&next])).await;
        if fetched == 10 {
            yard.restart(true);
            bot = yard.inside("bot").await;
        }
    }
    // The seed is not counted.
    assert_eq!(fetched, 21);
    assert_eq!(outcome(&yard.status().await, "trap_calendar"), 1);
}

#[tokio::test(start_paused = true)]
async fn links_that_only_combine_known_values_are_cut() {
    let mut yard = Yard::with(|settings| settings.traps.facets = 10);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let all: Vec<String> = (0..1000)
        .map(|n| format!("http://a.test/s?a={}&b={}&c={}", n % 10, n / 10 % 10, n / 100))
        .collect();
    let links: Vec<&str> = all.iter().map(String::as_str).collect();
    yard.fetch(bot, SEED, &links).await;
    let fetched = yard.rest_of(bot).await.len() as u64;
    assert!((10..500).contains(&fetched), "{fetched}");
    assert_eq!(outcome(&yard.status().await, "trap_facets"), 1000 - fetched);
    let refused = links.iter().find(|url| !yard.knows(url)).expect("one of them");
    assert!(yard.view(refused).await.reason.contains("trap_facets"));
}

#[tokio::test(start_paused = true)]
async fn links_with_session_ids_are_one_page() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let with = |n: u32| format!("http://a.test/p?id=1&PHPSESSID={n:032x}");
    yard.fetch(bot, SEED, &[&with(1), &with(2)]).await;
    yard.fetch(bot, "http://a.test/p?id=1", &[&with(3)]).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(outcome(&yard.status().await, "trap_session"), 3);
    assert_eq!(yard.inlinks("http://a.test/p?id=1"), 1);
    assert!(yard.view(&with(9)).await.reason.contains("trap_session"));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_an_address_with_a_session_id_is_followed() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/p.aspx"]).await;
    let lease = yard.next(bot).await.expect("a page");
    let target = "http://a.test/(S(abcdefghijklmnopqrstuvwx))/p.aspx";
    yard.accept(bot, redirect(&lease, target)).await;
    yard.fetch(bot, target, &["http://a.test/(S(abcdefghijklmnopqrstuvwx))/q.aspx"]).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/q.aspx"]);
}

#[tokio::test(start_paused = true)]
async fn a_site_has_its_share_of_pages_and_others_go_on() {
    let budget = |yard: &mut Yard, pages| yard.plan.settings.traps.site_pages = pages;
    let mut yard = Yard::with(|settings| settings.traps.site_pages = Some(3));
    yard.seed(&[SEED, "http://b.test/"]).await;
    let bot = yard.inside("bot").await;
    let all: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|site| (1..=9).map(move |n| format!("http://{site}.test/{n}")))
        .collect();
    let links: Vec<&str> = all.iter().map(String::as_str).collect();
    yard.fetch(bot, SEED, &links).await;
    assert_eq!(yard.rest_of(bot).await.len(), 5);
    let status = yard.status().await;
    assert_eq!((status.pages, status.errors, status.finished), (6, 0, true));
    assert_eq!(outcome(&status, "site_budget"), 14);
    assert!(yard.view(links[8]).await.reason.contains("site_budget"));
    assert_eq!(yard.record(links[8]).failures, 0, "which is no failure");

    yard.restart(true);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/late"]).await;
    assert_eq!(yard.rest_of(bot).await, [""; 0], "the share is still used up");
    assert!(yard.view("http://a.test/unseen").await.reason.contains("site_budget"));

    budget(&mut yard, Some(4));
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&[SEED]).await;
    yard.fetch(bot, SEED, &links).await;
    assert_eq!(yard.rest_of(bot).await.len(), 3, "a new run has a new share");
}

#[tokio::test(start_paused = true)]
async fn a_domain_that_makes_up_sites_is_left_and_others_go_on() {
    let mut yard = Yard::with(|settings| {
        settings.traps.domain_sites = 3;
        settings.scope = ScopeKind::Any;
    });
    yard.seed(&["http://farm.test/"]).await;
    let mut bot = yard.inside("bot").await;
    let (mut met, mut next) = (Vec::new(), 0);
    while let Some(lease) = yard.next(bot).await {
        met.push(lease.url.clone());
        next += 1;
        let links = [format!("http://x{next}.farm.test/"), format!("http://y{next}.farm.test:81/")];
        let also = (next == 1).then(|| "http://www.honest.test/".to_owned());
        let links: Vec<&str> = links.iter().chain(&also).map(String::as_str).collect();
        yard.accept(bot, page(&lease, &links)).await;
        if next == 2 {
            yard.restart(true);
            bot = yard.inside("bot").await;
        }
    }
    met.sort();
    let expected = [
        "http://farm.test/",
        "http://www.honest.test/",
        "http://x1.farm.test/",
        "http://x2.farm.test/",
        "http://y1.farm.test:81/",
    ];
    assert_eq!(met, expected);
    assert_eq!(outcome(&yard.status().await, "trap_many_sites"), 7);
    assert!(yard.view("http://other.farm.test/").await.reason.contains("trap_many_sites"));
    // What a person names is asked for all the same.
    yard.seed(&["http://mine.farm.test/"]).await;
    assert_eq!(yard.rest_of(bot).await, ["http://mine.farm.test/"]);
}

#[tokio::test(start_paused = true)]
async fn the_rules_can_be_switched_off() {
    let off = TrapRule { enabled: false, ..TrapRule::default() };
    let mut yard = Yard::with(|settings| settings.traps = off);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let links =
        ["http://a.test/x/x/x/", "http://a.test/?PHPSESSID=0123456789abcdef0123456789abcdef"];
    yard.fetch(bot, SEED, &links).await;
    assert_eq!(yard.rest_of(bot).await, links);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_into_a_trap_opens_it_to_nobody() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    let trap = "http://a.test/x/x/x/";
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, trap)).await;
    assert_eq!((yard.knows(trap), yard.inlinks(trap)), (false, 0));
    yard.fetch(bot, "http://a.test/2", &[trap]).await;
    assert_eq!(yard.next(bot).await, None);
    assert_eq!(outcome(&yard.status().await, "trap_repeating_path"), 2);
}

/// Fetches everything: pages under `/maze/` lead to three new ones each, others to the front page, a leaf
/// and `more`. Tells how many pages there were in and outside of the maze.
async fn wander(yard: &mut Yard, more: &[&str]) -> (usize, usize) {
    let mut bot = yard.inside("bot").await;
    let (mut inside, mut outside) = (0, 0);
    while let Some(lease) = yard.next(bot).await {
        if !lease.url.contains("/maze/") {
            outside += 1;
            let leaf = format!("http://a.test/{outside}");
            let mut links = vec![SEED, "http://a.test/maze/"];
            links.extend(more);
            if outside < 40 {
                links.push(&leaf);
            }
            yard.accept(bot, page(&lease, &links)).await;
            continue;
        }
        inside += 1;
        let links = [0, 1, 2].map(|n| format!("http://a.test/maze/{inside}/{n}"));
        yard.accept(bot, page(&lease, &links.each_ref().map(String::as_str))).await;
        if inside == 20 {
            yard.restart(true);
            bot = yard.inside("bot").await;
        }
        assert!(inside < 1_000, "there is no way out");
    }
    (inside, outside)
}

#[tokio::test(start_paused = true)]
async fn a_maze_is_left_and_the_honest_pages_beside_it_are_not() {
    let mut yard = Yard::with(|settings| settings.traps.maze_pages = 60);
    yard.seed(&[SEED]).await;
    let (inside, outside) = wander(&mut yard, &[]).await;
    assert_eq!(outside, 40);
    // What was counted since it was last kept is lost with the process.
    assert!((60..=60 + 20).contains(&inside), "{inside} pages of the maze");
    let status = yard.status().await;
    assert!(outcome(&status, "trap_maze") > 100, "{:?}", status.outcomes);
    assert!(status.finished);
    for url in ["http://a.test/maze/59/0", "http://a.test/maze/9999/0"] {
        let view = yard.view(url).await;
        assert!(view.reason.contains("trap_maze"), "{url}: {}", view.reason);
    }
    // A person may go in all the same.
    assert_eq!(yard.seed(&["http://a.test/maze/of-my-own"]).await, 1);
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/maze/of-my-own"]);
}
