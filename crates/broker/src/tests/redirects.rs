//! Where does a redirect lead?

use super::yard::{Yard, page, redirect, robots_txt};
use lycosa_model::{FetchKind, Outcome};
use lycosa_store::records::Root;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn each_hop_is_a_lease_of_its_own_and_the_chain_has_an_end() {
    let mut yard = Yard::with(|settings| settings.max_redirects = 3);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let mut hops = Vec::new();
    while let Some(lease) = yard.next(bot).await {
        let to = format!("http://a.test/hop{}", hops.len() + 1);
        yard.accept(bot, redirect(&lease, &to)).await;
        hops.push(lease.url);
    }
    assert_eq!(hops, [SEED, "http://a.test/hop1", "http://a.test/hop2", "http://a.test/hop3"]);
    assert!(!yard.knows("http://a.test/hop4"));
    let status = yard.status().await;
    assert_eq!(status.outcomes.get("redirect_limit"), Some(&1));
    assert_eq!(yard.record("http://a.test/hop3").redirects, 3);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_in_a_circle_ends() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    for (from, to) in [(SEED, "http://a.test/2"), ("http://a.test/2", SEED)] {
        let lease = yard.next(bot).await.expect("a page");
        assert_eq!(lease.url, from);
        yard.accept(bot, redirect(&lease, to)).await;
    }
    assert!(yard.next(bot).await.is_none());
    let status = yard.status().await;
    assert_eq!((status.finished, status.pages, status.known), (true, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_itself_ends_and_is_no_link() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, "http://a.test/#again")).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.inlinks(SEED), 0);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_of_a_link_out_of_the_scope_is_not_followed() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/out"]).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, "http://b.test/")).await;
    assert!(yard.next(bot).await.is_none());
    assert!(!yard.knows("http://b.test/"));
}

#[tokio::test(start_paused = true)]
async fn where_a_seed_redirects_to_joins_the_scope_over_several_hops_and_a_resume() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let hops = [SEED, "https://a.test/", "https://www.a.test/", "https://www.home.test/"];
    for pair in hops.windows(2) {
        let lease = yard.next(bot).await.expect("a page");
        assert_eq!(lease.url, pair[0]);
        yard.accept(bot, redirect(&lease, pair[1])).await;
        yard.restart(true);
        assert_eq!(yard.inside("bot").await, bot);
    }
    yard.fetch(bot, "https://www.home.test/", &["https://www.home.test/in"]).await;
    yard.restart(true);
    let bot = yard.inside("bot").await;
    let links = ["https://www.a.test/in", "https://www.home.test/deep", "https://c.test/"];
    yard.fetch(bot, "https://www.home.test/in", &links).await;
    assert_eq!(yard.rest_of(bot).await, ["https://www.a.test/in", "https://www.home.test/deep"]);
    let mut roots = yard.plan.records.roots(1).expect("store");
    roots.retain(|root| matches!(root, Root::Joined(_)));
    let joined = |url: &str| Root::Joined(url.into());
    assert_eq!(roots, [joined("https://www.a.test/"), joined("https://www.home.test/")]);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_another_site_asks_its_robots_txt_first() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, "http://b.test/")).await;
    let lease = yard.give(bot, 9).await.remove(0);
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Robots, "http://b.test/robots.txt"));
}

#[tokio::test(start_paused = true)]
async fn the_target_of_a_redirect_stands_where_the_redirect_stood() {
    let wanted = Some(lycosa_model::Lang::ES);
    let mut yard = Yard::with(|settings| settings.wanted_language = wanted);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    let spanish = super::yard::page_in(
        &lease,
        lycosa_model::Lang::ES,
        &["http://a.test/moved", "http://a.test/english"],
    );
    yard.accept(bot, spanish).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, "http://a.test/target")).await;
    let lease = yard.next(bot).await.expect("a page");
    assert_eq!(lease.url, "http://a.test/english");
    // Found on a page of another language, so behind the target although nearer to a seed.
    yard.seed(&["http://a.test/seed"]).await;
    yard.accept(bot, page(&lease, &["http://a.test/behind"])).await;
    assert_eq!(
        yard.rest_of(bot).await,
        ["http://a.test/seed", "http://a.test/target", "http://a.test/behind"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_a_disallowed_page_is_not_followed() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nDisallow: /secret\n")).await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, "http://a.test/secret")).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.record("http://a.test/secret").outcome, Some(Outcome::RobotsDisallowed));
}
