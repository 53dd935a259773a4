//! What does robots.txt allow, and what happens when it cannot be read?

use super::yard::{Yard, answer, page, robots_txt, seconds, silence};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_model::{BotId, FetchError, FetchKind, Outcome, UrlState};
use std::time::Duration;

const SEED: &str = "http://a.test/";

#[tokio::test(start_paused = true)]
async fn the_first_lease_of_a_site_is_its_robots_txt_once_for_all_bots() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2", "https://a.test/"]).await;
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    let first = yard.give(one, 1).await.remove(0);
    assert_eq!((first.kind, first.url.as_str()), (FetchKind::Robots, "http://a.test/robots.txt"));
    // Another scheme is another site.
    let second = yard.give(two, 32).await.remove(0);
    assert_eq!(
        (second.kind, second.url.as_str()),
        (FetchKind::Robots, "https://a.test/robots.txt")
    );
    assert_eq!(yard.give(one, 32).await, []);
    assert_eq!(yard.give(two, 32).await, []);
    yard.accept(one, robots_txt(&first, "")).await;
    yard.accept(two, robots_txt(&second, "")).await;
    assert_eq!(yard.given(one, 32).await, [SEED]);
    assert_eq!(yard.given(two, 32).await, ["https://a.test/"]);
    // A robots.txt is no page.
    let status = yard.status().await;
    assert_eq!((status.pages, status.known), (0, 3));
    assert!(!yard.knows("http://a.test/robots.txt"));
}

#[tokio::test(start_paused = true)]
async fn a_disallowed_url_is_never_leased_and_shows_the_rule() {
    let mut yard = Yard::new();
    let secret = "http://a.test/secret/plan";
    yard.seed(&[secret, SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nDisallow: /secret/\n")).await;
    assert_eq!(yard.given(bot, 32).await, [SEED]);
    let view = yard.view(secret).await;
    assert_eq!(view.record.state, UrlState::Ended(Outcome::RobotsDisallowed));
    assert_eq!(view.record.queued, None);
    assert_eq!(view.record.bot1_id, None);
    assert_eq!(view.record.failures, 0);
    assert!(view.reason.contains("`Disallow: /secret/`"), "{}", view.reason);
    let status = yard.status().await;
    assert_eq!(status.outcomes.get("robots_disallowed"), Some(&1));
    assert_eq!(status.queued, 0);
}

#[tokio::test(start_paused = true)]
async fn what_pages_embed_is_judged_by_the_rules_that_are_known() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let urls =
        ["http://a.test/app.js", "http://a.test/private/x", "http://cdn.test/private/x", "no"];
    let may = |bot| BrokerMessage::May { bot, urls: urls.map(str::to_owned).to_vec() };
    // Before the rules are known nobody has seen a page of the site.
    let robots = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nDisallow: /private/\n")).await;
    let BrokerReply::May(answers) = yard.ask(may(bot)).await else { panic!("an answer") };
    assert_eq!(answers, [true, false, true, false]);
    assert!(!yard.knows("http://cdn.test/private/x"), "to ask is not to find");
    let reply = yard.ask(may(BotId::of("stranger", 1))).await;
    assert!(matches!(reply, BrokerReply::Refused(_)), "{reply:?}");
}

#[tokio::test(start_paused = true)]
async fn a_site_that_disallows_everything_ends_however_many_urls_it_has() {
    let mut yard = Yard::new();
    let urls: Vec<String> = (0..100).map(|n| format!("http://a.test/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    yard.seed(&urls).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nDisallow: /\n")).await;
    assert_eq!(yard.rest_of(bot).await, Vec::<String>::new());
    assert_eq!(yard.status().await.outcomes.get("robots_disallowed"), Some(&100));
}

#[tokio::test(start_paused = true)]
async fn rules_for_us_by_name_win_over_rules_for_all() {
    let mut yard = Yard::with(|settings| settings.robots_agent = "lycosa".into());
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    let text = "User-agent: *\nDisallow: /\n\nUser-agent: Lycosa\nDisallow:\n";
    yard.accept(bot, robots_txt(&robots, text)).await;
    assert_eq!(yard.given(bot, 1).await, [SEED]);
}

#[tokio::test(start_paused = true)]
async fn a_site_without_robots_txt_allows_everything() {
    for status in [404, 403, 410, 301] {
        let mut yard = Yard::new();
        yard.seed(&[SEED]).await;
        let bot = yard.inside("bot").await;
        let robots = yard.give(bot, 1).await.remove(0);
        yard.accept(bot, answer(&robots, status)).await;
        assert_eq!(yard.given(bot, 1).await, [SEED], "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_robots_txt_disallows_is_retried_and_then_the_site_is_given_up() {
    for (status, why, outcome) in [
        (500, None, Outcome::RobotsUnreachable),
        (503, None, Outcome::RobotsUnreachable),
        (429, None, Outcome::RobotsUnreachable),
        (0, Some(FetchError::Timeout), Outcome::Failed(FetchError::Timeout)),
    ] {
        let mut yard = Yard::new();
        yard.seed(&[SEED, "http://a.test/2"]).await;
        let bot = yard.inside("bot").await;
        let mut attempts = 0;
        let ended = loop {
            let (leases, wait, finished) = yard.try_give(bot, 32).await.expect("not refused");
            if finished {
                break attempts;
            }
            for lease in &leases {
                assert_eq!(lease.kind, FetchKind::Robots);
                attempts += 1;
                let report = match why {
                    Some(why) => silence(lease, why),
                    None => answer(lease, status),
                };
                yard.accept(bot, report).await;
                let reason = yard.view(SEED).await.reason;
                let told = ["robots.txt of its site cannot be had", "its site was given up"];
                assert!(reason.contains(told[usize::from(attempts == 3)]), "{reason}");
            }
            tokio::time::advance(wait).await;
        };
        assert_eq!(ended, 3, "{status}");
        for url in [SEED, "http://a.test/2"] {
            let record = yard.record(url);
            assert_eq!(record.state, UrlState::Ended(outcome), "{status}");
            assert_eq!((record.queued, record.failures), (None, 1));
        }
        assert_eq!(yard.status().await.sites.blocked, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_pages_of_a_site_wait_while_its_robots_txt_is_retried() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, answer(&robots, 500)).await;
    assert_eq!(yard.give(bot, 1).await, []);
    assert_eq!(yard.status().await.sites.blocked, 1);
    tokio::time::advance(Duration::from_millis(1_999)).await;
    assert_eq!(yard.give(bot, 1).await, []);
    tokio::time::advance(Duration::from_millis(1)).await;
    let robots = yard.give(bot, 1).await.remove(0);
    assert_eq!(robots.kind, FetchKind::Robots);
    yard.accept(bot, robots_txt(&robots, "")).await;
    assert_eq!(yard.given(bot, 1).await, [SEED]);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_is_believed_for_a_day() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2", "http://a.test/3"]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[]).await;
    seconds(86_399).await;
    yard.fetch(bot, "http://a.test/2", &[]).await;
    seconds(1).await;
    let robots = yard.give(bot, 1).await.remove(0);
    assert_eq!(robots.kind, FetchKind::Robots);
    yard.accept(bot, robots_txt(&robots, "User-agent: *\nDisallow: /3")).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.record("http://a.test/3").outcome, Some(Outcome::RobotsDisallowed));
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_is_due_again_waits_for_the_page_in_flight() {
    let mut yard = Yard::with(|settings| settings.lease = Duration::from_secs(2 * 86_400));
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    seconds(86_400).await;
    assert_eq!(yard.give(bot, 9).await, []);
    yard.accept(bot, page(&lease, &[])).await;
    assert_eq!(yard.given(bot, 9).await, ["http://a.test/robots.txt"]);
}

#[tokio::test(start_paused = true)]
async fn a_huge_robots_txt_is_cut_between_lines() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    let comment = format!("#{}\n", "é".repeat(99));
    let text = format!("User-agent: *\nDisallow: /x\n{}", comment.repeat(4_000));
    yard.accept(bot, robots_txt(&robots, &text)).await;
    let site = lycosa_frontier::normal::parse(SEED).expect("url").site;
    let kept = yard.plan.records.robots(&site).expect("store").expect("kept");
    assert!(kept.len() <= 500 * 1024 && kept.len() > 500 * 1024 - comment.len());
    assert!(text.starts_with(&kept) && text[kept.len()..].starts_with('\n'), "whole lines");
    assert_eq!(yard.given(bot, 1).await, [SEED]);
}

#[tokio::test(start_paused = true)]
async fn a_robots_lease_that_is_lost_again_and_again_gives_the_site_up() {
    let mut yard = Yard::with(|settings| settings.lost_leases = 3);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    for _ in 0..3 {
        assert_eq!(yard.give(bot, 1).await[0].kind, FetchKind::Robots);
        seconds(120).await;
    }
    assert!(yard.next(bot).await.is_none());
    let record = yard.record(SEED);
    assert_eq!(record.state, UrlState::Ended(Outcome::Failed(FetchError::Timeout)));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_called_robots_txt_is_not_mistaken_for_the_rules() {
    let mut yard = Yard::new();
    yard.seed(&["http://a.test/robots.txt"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 1).await.remove(0);
    assert_eq!(robots.kind, FetchKind::Robots);
    yard.accept(bot, robots_txt(&robots, "")).await;
    let lease = yard.give(bot, 1).await.remove(0);
    assert_eq!((lease.kind, lease.url.as_str()), (FetchKind::Page, "http://a.test/robots.txt"));
    yard.accept(bot, page(&lease, &[])).await;
    assert_eq!(yard.status().await.pages, 1);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_never_answers_holds_up_no_other_site() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://b.test/", "http://www.a.test/"]).await;
    let bot = yard.inside("bot").await;
    let robots = yard.give(bot, 9).await;
    assert!(robots.iter().all(|lease| lease.kind == FetchKind::Robots));
    assert_eq!(robots.len(), 3, "each host has its own");
    yard.accept(bot, robots_txt(&robots[1], "")).await;
    yard.accept(bot, robots_txt(&robots[2], "")).await;
    assert_eq!(yard.given(bot, 9).await, ["http://b.test/", "http://www.a.test/"]);
}
