//! What comes first, how far does the crawl go, and when does it stop?

use super::yard::{Yard, page, page_in, seconds};
use lycosa_frontier::ScopeKind;
use lycosa_model::{Lang, Origin, UrlState};
use lycosa_store::records::Root;
use std::time::Duration;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn links_of_pages_with_the_wanted_language_come_first() {
    let mut yard = Yard::with(|settings| settings.wanted_language = Some(Lang::ES));
    yard.seed(&["http://a.test/en", "http://a.test/es"]).await;
    let bot = yard.inside("bot").await;
    let english = yard.next(bot).await.expect("a page");
    yard.accept(bot, page_in(&english, Lang::EN, &["http://a.test/from-en"])).await;
    let spanish = yard.next(bot).await.expect("a page");
    // Some Spanish is enough, also behind a larger share of English.
    let mut report = page_in(&spanish, Lang::EN, &["http://a.test/from-es"]);
    report.languages.push(lycosa_model::LangShare { lang: Lang::ES, share: 0.1 });
    yard.accept(bot, report).await;
    let record = yard.record("http://a.test/es");
    assert_eq!((record.language, record.wanted_language), (Some(Lang::EN), true));
    let state = |url| yard.record(url).state;
    assert_eq!(state("http://a.test/from-es"), UrlState::Waiting(Origin::WantedLanguage));
    assert_eq!(state("http://a.test/from-en"), UrlState::Waiting(Origin::OtherPage));
    // Also after a restart.
    yard.restart(true);
    let bot = yard.inside("bot").await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/from-es", "http://a.test/from-en"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_language_focus_no_link_is_behind() {
    let mut yard = Yard::new();
    yard.seed(&["http://a.test/en", "http://a.test/es"]).await;
    let bot = yard.inside("bot").await;
    for (lang, link) in [(Lang::EN, "http://a.test/1"), (Lang::ES, "http://a.test/2")] {
        let lease = yard.next(bot).await.expect("a page");
        yard.accept(bot, page_in(&lease, lang, &[link])).await;
    }
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/1", "http://a.test/2"]);
}

#[tokio::test(start_paused = true)]
async fn breadth_first_goes_level_by_level_in_the_order_of_discovery() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2"]).await;
    yard.fetch(bot, "http://a.test/1", &["http://a.test/3", "http://a.test/2"]).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/2", "http://a.test/3"]);
    assert_eq!(yard.record("http://a.test/3").depth, 2);
}

#[tokio::test(start_paused = true)]
async fn the_scope_decides_which_links_are_followed() {
    let links = [
        "http://www.a.example.com/folder/in",
        "https://www.a.example.com/up",
        "http://b.example.com/",
        "http://www.a.example.com:81/",
        "http://other.org/",
    ];
    for (scope, count) in
        [(ScopeKind::Prefix, 1), (ScopeKind::Site, 2), (ScopeKind::Domain, 4), (ScopeKind::Any, 5)]
    {
        let mut yard = Yard::with(|settings| settings.scope = scope);
        let seed = "http://www.a.example.com/folder/";
        yard.seed(&[seed]).await;
        let bot = yard.inside("bot").await;
        yard.fetch(bot, seed, &links).await;
        let mut urls = yard.rest_of(bot).await;
        urls.sort();
        let mut expected = links[..count].to_vec();
        expected.sort_unstable();
        assert_eq!(urls, expected, "{scope}");
        assert_eq!(yard.status().await.known, 1 + count as u64, "{scope}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_scope_of_many_seeds_survives_a_resume_without_all_of_them_on_record() {
    let mut yard = Yard::new();
    let mut seeds: Vec<String> = (0..50).map(|n| format!("http://a.test/{n}")).collect();
    seeds.push("http://b.test/".into());
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    assert_eq!(yard.seed(&seeds).await, 51);
    let roots = yard.plan.records.roots(1).expect("store");
    let seed = |url: &str| Root::Seed(url.into());
    assert_eq!(roots, [seed("http://a.test/0"), seed("http://b.test/")]);
    yard.restart(true);
    let bot = yard.inside("bot").await;
    let links = ["http://a.test/x", "http://b.test/x", "http://c.test/x"];
    yard.fetch(bot, "http://a.test/0", &links).await;
    let urls = yard.rest_of(bot).await;
    assert_eq!(urls.len(), 52);
    assert!(yard.knows(links[0]) && yard.knows(links[1]) && !yard.knows(links[2]));
}

#[tokio::test(start_paused = true)]
async fn a_depth_limit_leaves_deeper_links_alone() {
    let mut yard = Yard::with(|settings| settings.max_depth = Some(1));
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1"]).await;
    yard.fetch(bot, "http://a.test/1", &["http://a.test/2"]).await;
    assert!(yard.next(bot).await.is_none());
    assert!(!yard.knows("http://a.test/2"));
    assert_eq!(yard.record("http://a.test/1").outlinks, 1);
}

#[tokio::test(start_paused = true)]
async fn the_page_budget_is_never_exceeded_by_leases_in_flight() {
    let mut yard = Yard::with(|settings| settings.max_pages = Some(3));
    let seeds: Vec<String> = (0..6).map(|n| format!("http://s{n}.test/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    yard.seed(&seeds).await;
    let bot = yard.inside("bot").await;
    for robots in yard.give(bot, 32).await {
        yard.accept(bot, super::yard::answer(&robots, 404)).await;
    }
    let mut leases = yard.give(bot, 32).await;
    leases.extend(yard.give(bot, 32).await);
    leases.retain(|lease| lease.kind == lycosa_model::FetchKind::Page);
    assert_eq!(leases.len(), 3);
    // A failure leaves room for another page.
    let (first, rest) = leases.split_first().expect("three");
    yard.accept(bot, super::yard::answer(first, 404)).await;
    for lease in rest {
        yard.accept(bot, page(lease, &[])).await;
    }
    let status = yard.status().await;
    assert_eq!((status.pages, status.finished), (2, false));
    let last = yard.next(bot).await.expect("one more");
    assert_eq!(yard.status().await.limited_by, "the page or time limit");
    yard.accept(bot, page(&last, &[])).await;
    assert!(yard.next(bot).await.is_none());
    let status = yard.status().await;
    assert_eq!((status.pages, status.finished), (3, true));
    assert!(status.queued > 0);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_the_crawl_when_its_leases_are_back() {
    let mut yard = Yard::with(|settings| settings.max_time = Some(Duration::from_secs(60)));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    seconds(60).await;
    let (leases, _, finished) = yard.try_give(bot, 1).await.expect("not refused");
    assert_eq!((leases.len(), finished), (0, false));
    yard.accept(bot, page(&lease, &[])).await;
    let (leases, _, finished) = yard.try_give(bot, 1).await.expect("not refused");
    assert_eq!((leases.len(), finished), (0, true));
}
