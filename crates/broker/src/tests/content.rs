//! Pages of the same content, pages that say `not found`, and pages that leave.

use super::yard::{Yard, answer, id, page, redirect, seconds};
use lycosa_model::message::{BrokerMessage, BrokerReply, CopyOf, Finding, Opinion, Report};
use lycosa_model::{
    Absence, ArchivePlace, BotId, FetchKind, Fingerprint, Lease, Outcome, TextDigest, UrlId,
};

/// What a page says: equal for equal texts, far from all others.
fn print_of(text: &str) -> Fingerprint {
    let digest = UrlId::of(text).0;
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[at..at + 8]);
        u64::from_be_bytes(bytes)
    };
    Fingerprint {
        text: TextDigest(digest),
        simhash: word(0),
        shape: word(8),
        title: text.len() as u64,
        lines: word(4),
        words: 100,
        says_missing: text.contains("not found"),
    }
}

/// A page of this text.
pub(super) fn says(lease: &Lease, text: &str, links: &[&str]) -> Report {
    Report {
        payload_digest: Some(text.to_uppercase()),
        fingerprint: Some(print_of(text)),
        archived: Some(ArchivePlace { file: "a.warc.gz".into(), offset: 7, length: 9 }),
        ..page(lease, links)
    }
}

async fn expect(yard: &mut Yard, bot: BotId, url: &str) -> Lease {
    let lease = yard.next(bot).await.unwrap_or_else(|| panic!("finished before {url}"));
    assert_eq!(lease.url, url);
    lease
}

/// The next page must be this one and says this.
async fn tell(yard: &mut Yard, bot: BotId, url: &str, text: &str, links: &[&str]) {
    let lease = expect(yard, bot, url).await;
    yard.accept(bot, says(&lease, text, links)).await;
}

fn is_indexed(yard: &Yard, url: &str) -> bool {
    let history = yard.plan.records.history(id(url)).expect("store");
    history.unwrap_or_else(|| panic!("never fetched: {url}")).indexed
}

fn journal(yard: &Yard) -> Vec<UrlId> {
    let row = |row: Result<(u64, UrlId), _>| row.expect("store").1;
    yard.plan.records.removals(0).map(row).collect()
}

#[tokio::test(start_paused = true)]
async fn the_same_page_at_another_address_is_indexed_once_and_says_where() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/"]).await;
    tell(&mut yard, bot, "http://a.test/", "front", &["http://a.test/1", "http://a.test/2"]).await;
    tell(&mut yard, bot, "http://a.test/1", "herons", &[]).await;
    let lease = expect(&mut yard, bot, "http://a.test/2").await;
    let findings = vec![Finding {
        url_id: lease.url_id,
        payload_digest: Some("HERONS".into()),
        fingerprint: Some(print_of("herons")),
        canonical: None,
    }];
    match yard.ask(BrokerMessage::Judge { bot, findings }).await {
        BrokerReply::Opinions(opinions) => {
            let [Opinion { index: false, revisit: Some(original) }] = opinions.as_slice() else {
                panic!("{opinions:?}");
            };
            assert_eq!(original.url, "http://a.test/1");
        }
        other => panic!("{other:?}"),
    }
    yard.accept(bot, says(&lease, "herons", &[])).await;
    assert!(is_indexed(&yard, "http://a.test/1"));
    assert!(!is_indexed(&yard, "http://a.test/2"));
    let view = yard.view("http://a.test/2").await;
    assert_eq!(view.record.outcome, Some(Outcome::SameAs));
    assert!(view.reason.contains("http://a.test/1"), "{}", view.reason);
    assert_eq!(yard.status().await.outcomes["same_as"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_mirror_ends_at_its_first_page_and_relative_links_of_few_copies_are_followed() {
    let mut yard = Yard::with(|settings| {
        settings.scope = lycosa_frontier::ScopeKind::Any;
        settings.soft_404 = false;
    });
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/", "http://mirror.test/"]).await;
    tell(&mut yard, bot, "http://a.test/", "front", &["http://a.test/d1/"]).await;
    tell(&mut yard, bot, "http://mirror.test/", "front", &["http://mirror.test/x"]).await;
    assert!(!yard.knows("http://mirror.test/x"));
    // One page under any number of addresses leads no further than three folders.
    for depth in 1..=6 {
        let (here, next) =
            (format!("http://a.test/d{depth}/"), format!("http://a.test/d{}/", depth + 1));
        if depth <= 5 {
            tell(&mut yard, bot, &here, "loop", &[&next]).await;
        } else {
            assert!(!yard.knows(&here), "the links of the fourth copy");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_canonical_address_stands_for_others_only_when_it_says_the_same() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1", "http://a.test/2", "http://a.test/c", "http://a.test/d"]).await;
    for (url, text, canonical) in [
        ("http://a.test/1", "herons", Some("http://a.test/c")),
        ("http://a.test/2", "spiders", Some("http://a.test/d")),
        ("http://a.test/c", "herons", None),
        ("http://a.test/d", "other words", None),
    ] {
        let lease = expect(&mut yard, bot, url).await;
        let canonical = canonical.map(str::to_owned);
        yard.accept(bot, Report { canonical, ..says(&lease, text, &[]) }).await;
    }
    assert!(is_indexed(&yard, "http://a.test/c") && !is_indexed(&yard, "http://a.test/1"));
    assert_eq!(journal(&yard), [id("http://a.test/1")]);
    assert!(is_indexed(&yard, "http://a.test/2"), "it only claims to be the other");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_says_nearly_the_same_under_the_same_title_is_indexed_once() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    let (seed, near) = ("http://a.test/", "http://a.test/?visitor=2");
    yard.seed(&[seed, near, "http://a.test/other", "http://a.test/far"]).await;
    // Three bits in different places: a page with a counter on it.
    let visit = |lease: &Lease, number: u64, text: &str, links: &[&str]| {
        let first = print_of("the page");
        let bits = [0, 1, 1 << 17 | 1, 1 << 63 | 1 << 33 | 1, 0b1111 << 20];
        let mut report = says(lease, text, links);
        report.fingerprint = Some(Fingerprint {
            simhash: first.simhash ^ bits[number as usize],
            title: first.title,
            lines: first.lines ^ bits[number as usize & 1],
            ..print_of(text)
        });
        report
    };
    let lease = expect(&mut yard, bot, seed).await;
    yard.accept(bot, visit(&lease, 0, "the page", &[])).await;
    let lease = expect(&mut yard, bot, near).await;
    yard.accept(bot, visit(&lease, 3, "the page, seen by 2", &["http://a.test/deeper"])).await;
    let lease = expect(&mut yard, bot, "http://a.test/other").await;
    let mut other_title = visit(&lease, 2, "the page of others", &[]);
    other_title.fingerprint.as_mut().expect("one").title = 99;
    yard.accept(bot, other_title).await;
    let lease = expect(&mut yard, bot, "http://a.test/far").await;
    yard.accept(bot, visit(&lease, 4, "a page of four other bits", &[])).await;
    assert!(is_indexed(&yard, seed) && !is_indexed(&yard, near));
    assert!(is_indexed(&yard, "http://a.test/other"), "its title is another one");
    assert!(is_indexed(&yard, "http://a.test/far"), "it is not near enough");
    assert!(yard.view(near).await.reason.contains(seed), "{}", yard.view(near).await.reason);
    // Its links may be others, so they are followed.
    tell(&mut yard, bot, "http://a.test/deeper", "deep", &[]).await;
    assert_eq!(yard.status().await.outcomes["same_as"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_changes_frees_those_that_it_stood_for() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1", "http://a.test/2"]).await;
    tell(&mut yard, bot, "http://a.test/1", "herons", &[]).await;
    tell(&mut yard, bot, "http://a.test/2", "herons", &[]).await;
    assert_eq!(yard.next(bot).await, None);
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1", "http://a.test/2"]).await;
    tell(&mut yard, bot, "http://a.test/1", "spiders", &[]).await;
    let lease = expect(&mut yard, bot, "http://a.test/2").await;
    assert_eq!(lease.previous, None, "it must come whole, since it goes into the index");
    yard.accept(bot, says(&lease, "herons", &[])).await;
    assert!(is_indexed(&yard, "http://a.test/1") && is_indexed(&yard, "http://a.test/2"));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_missed_leaves_the_index_when_that_is_confirmed() {
    let mut yard = Yard::new();
    let urls = ["http://a.test/404", "http://a.test/410", "http://a.test/500", "http://a.test/302"];
    let bot = yard.inside("bot").await;
    yard.seed(&urls).await;
    for url in urls {
        tell(&mut yard, bot, url, url, &[]).await;
    }
    assert_eq!(yard.next(bot).await, None);
    for round in 1..=2 {
        seconds(2 * 60 * 60).await;
        yard.restart(false);
        let bot = yard.inside("bot").await;
        yard.seed(&urls).await;
        while let Some(lease) = yard.next(bot).await {
            let status =
                lease.url.rsplit('/').next().and_then(|end| end.parse().ok()).expect("status");
            let report = match status {
                302 => Report { status, ..redirect(&lease, "http://a.test/404") },
                status => answer(&lease, status),
            };
            yard.accept(bot, report).await;
        }
        assert!(!is_indexed(&yard, "http://a.test/410"), "410 is said for good");
        assert!(is_indexed(&yard, "http://a.test/500"), "a failure is no answer");
        assert_eq!(is_indexed(&yard, "http://a.test/404"), round == 1);
        assert_eq!(is_indexed(&yard, "http://a.test/302"), round == 1);
    }
    let history = yard.plan.records.history(id(urls[0])).expect("store").expect("known");
    assert_eq!(history.absent, Some(Absence::Gone));
    let mut gone = journal(&yard);
    gone.sort();
    let mut expected = [urls[0], urls[1], urls[3]].map(id);
    expected.sort();
    assert_eq!(gone, expected, "the index is told, also after a crash");
    let view = yard.view(urls[0]).await;
    assert!(view.reason.contains("not in the index"), "{}", view.reason);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_robots_txt_forbids_later_leaves_the_index() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/x"]).await;
    tell(&mut yard, bot, "http://a.test/x", "herons", &[]).await;
    seconds(25 * 60 * 60).await;
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/x"]).await;
    let lease = yard.give(bot, 1).await.remove(0);
    yard.accept(bot, super::yard::robots_txt(&lease, "User-agent: *\nDisallow: /x")).await;
    let (leases, _, finished) = yard.try_give(bot, 1).await.expect("not refused");
    assert_eq!((leases, finished), (vec![], true));
    assert!(!is_indexed(&yard, "http://a.test/x"));
    assert_eq!(journal(&yard), [id("http://a.test/x")]);
}

#[tokio::test(start_paused = true)]
async fn the_bot_that_may_have_indexed_a_page_is_told_to_take_it_out() {
    let mut yard = Yard::new();
    let one = yard.inside("one").await;
    yard.seed(&["http://a.test/x"]).await;
    tell(&mut yard, one, "http://a.test/x", "herons", &[]).await;
    yard.restart(false);
    let (one, two) = (yard.inside("one").await, yard.inside("two").await);
    yard.seed(&["http://a.test/x"]).await;
    let lease = expect(&mut yard, one, "http://a.test/x").await;
    yard.accept(one, answer(&lease, 410)).await;
    let mut told = Vec::new();
    for bot in [two, one, one] {
        match yard.ask(BrokerMessage::GiveMe { bot, n: 1 }).await {
            BrokerReply::Leases { removed, .. } => told.push(removed.len()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told, [0, 1, 0]);
}

#[tokio::test(start_paused = true)]
async fn who_takes_copies_out_is_told_what_stands_for_them() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/x", "http://b.test/y"]).await;
    for url in ["http://a.test/x", "http://b.test/y"] {
        tell(&mut yard, bot, url, "herons stand still in shallow water and wait for a fish", &[])
            .await;
    }
    let (removed, copies) = match yard.ask(BrokerMessage::GiveMe { bot, n: 1 }).await {
        BrokerReply::Leases { removed, copies, .. } => (removed, copies),
        other => panic!("{other:?}"),
    };
    let url = "http://b.test/y";
    assert_eq!(removed, [id(url)]);
    assert_eq!(copies, [CopyOf { url_id: id(url), url: url.into(), of: id("http://a.test/x") }]);
    match yard.ask(BrokerMessage::Removals { bot, after: 0 }).await {
        BrokerReply::Removals { copies: listed, .. } => assert_eq!(listed, copies),
        other => panic!("{other:?}"),
    }
    // The page says something else: it stands for nobody any more.
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/x"]).await;
    tell(&mut yard, bot, "http://a.test/x", "storks", &[]).await;
    match yard.ask(BrokerMessage::GiveMe { bot, n: 1 }).await {
        BrokerReply::Leases { removed, copies, .. } => {
            assert_eq!((removed, copies), (vec![id(url)], vec![]));
        }
        other => panic!("{other:?}"),
    }
}

/// Fetches everything; pages that `missing` names say `not found`, as does whatever was never linked.
async fn crawl_with_soft_404(yard: &mut Yard, pages: &[(&str, &str)]) -> usize {
    let bot = yard.inside("bot").await;
    let urls: Vec<&str> = pages.iter().map(|(url, _)| *url).collect();
    yard.seed(&["http://a.test/"]).await;
    tell(yard, bot, "http://a.test/", "front", &urls).await;
    let mut probes = 0;
    while let Some(lease) = yard.next(bot).await {
        let known = pages.iter().find(|(url, _)| *url == lease.url);
        let text = known.map_or("sorry, not found", |(_, text)| text);
        probes += usize::from(lease.kind == FetchKind::Probe);
        yard.accept(bot, says(&lease, text, &[])).await;
    }
    probes
}

#[tokio::test(start_paused = true)]
async fn pages_that_say_what_a_page_that_never_was_says_are_soft_404s() {
    let mut yard = Yard::new();
    let pages = [
        ("http://a.test/1", "herons"),
        ("http://a.test/2", "sorry, not found"),
        ("http://a.test/3", "sorry, not found"),
        ("http://a.test/4", "spiders"),
        ("http://a.test/5", "sorry, not found"),
    ];
    assert_eq!(crawl_with_soft_404(&mut yard, &pages).await, 1, "the site is asked once");
    for (url, text) in pages {
        assert_eq!(is_indexed(&yard, url), !text.contains("not found"), "{url}");
    }
    let view = yard.view("http://a.test/2").await;
    assert_eq!(view.record.outcome, Some(Outcome::SoftNotFound));
    assert!(view.reason.contains("soft_404"), "{}", view.reason);
    assert_eq!(yard.status().await.outcomes["soft_404"], 3);
    assert!(journal(&yard).contains(&id("http://a.test/2")), "it was in for a while");
}

#[tokio::test(start_paused = true)]
async fn a_site_that_answers_404_for_what_never_was_has_copies_but_no_soft_404() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/1", "http://a.test/2"]).await;
    let mut probes = 0;
    while let Some(lease) = yard.next(bot).await {
        let report = match lease.kind {
            FetchKind::Probe => answer(&lease, 404),
            _ => says(&lease, "the film 404 not found", &[]),
        };
        probes += usize::from(lease.kind == FetchKind::Probe);
        yard.accept(bot, report).await;
    }
    assert_eq!(probes, 1);
    assert!(is_indexed(&yard, "http://a.test/1"));
    assert_eq!(yard.view("http://a.test/2").await.record.outcome, Some(Outcome::SameAs));
}

#[tokio::test(start_paused = true)]
async fn where_the_front_page_says_the_same_nothing_is_taken_for_not_found() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/"]).await;
    tell(&mut yard, bot, "http://a.test/", "needs a script", &["http://a.test/1"]).await;
    while let Some(lease) = yard.next(bot).await {
        yard.accept(bot, says(&lease, "needs a script", &[])).await;
    }
    assert_eq!(yard.status().await.outcomes.get("soft_404"), None);
    assert!(is_indexed(&yard, "http://a.test/"));
}

#[tokio::test(start_paused = true)]
async fn without_the_setting_nobody_is_asked_for_what_never_was() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let pages = [("http://a.test/1", "not found"), ("http://a.test/2", "not found")];
    assert_eq!(crawl_with_soft_404(&mut yard, &pages).await, 0);
}

#[tokio::test(start_paused = true)]
async fn spellings_that_proved_to_be_one_page_are_not_asked_for_again() {
    for same in [true, false] {
        let mut yard = Yard::new();
        let bot = yard.inside("bot").await;
        let folders: Vec<String> = (0..40).map(|n| format!("http://a.test/{n}")).collect();
        let both: Vec<String> =
            folders.iter().flat_map(|url| [url.clone(), format!("{url}/")]).collect();
        yard.seed(&["http://a.test/start.html"]).await;
        let (first, rest) = both.split_at(20);
        let links: Vec<&str> =
            first.iter().map(String::as_str).chain(["http://a.test/rest.html"]).collect();
        tell(&mut yard, bot, "http://a.test/start.html", "start", &links).await;
        let mut asked = 0;
        while let Some(lease) = yard.next(bot).await {
            let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
            let text = match same {
                true => lease.url.trim_end_matches('/').to_owned(),
                false => lease.url.clone(),
            };
            let links = if lease.url.ends_with("rest.html") { rest.as_slice() } else { &[] };
            if lease.kind == FetchKind::Page {
                asked += 1;
            }
            yard.accept(bot, says(&lease, &text, links)).await;
        }
        if same {
            assert!((51..65).contains(&asked), "{asked}: 20 pairs, then one of each");
            let skipped = yard.status().await.outcomes["variant"];
            assert!(skipped >= 20, "{skipped}");
            let known = both.iter().find(|url| !yard.knows(url)).expect("one was left out");
            let view = yard.view(known).await;
            assert!(view.reason.contains("variant"), "{}", view.reason);
            assert!(view.reason.contains(known.trim_end_matches('/')), "{}", view.reason);
        } else {
            assert_eq!(asked, 81, "a site that tells them apart keeps both");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn parameters_of_advertisers_are_taken_off_and_those_that_change_nothing_are_learned() {
    let mut yard = Yard::with(|settings| {
        settings.variants.proof = 2;
        settings.soft_404 = false;
    });
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/"]).await;
    let links = [
        "http://a.test/p?utm_source=x&id=7",
        "http://a.test/q1",
        "http://a.test/q1?ref=1",
        "http://a.test/q2",
        "http://a.test/q2?ref=1",
        "http://a.test/z",
    ];
    tell(&mut yard, bot, "http://a.test/", "front", &links).await;
    tell(&mut yard, bot, "http://a.test/p?id=7", "p", &[]).await;
    for (url, text) in
        [(1, "q1"), (2, "q1"), (3, "q2"), (4, "q2")].map(|(n, text)| (links[n], text))
    {
        tell(&mut yard, bot, url, text, &[]).await;
    }
    let new: Vec<String> = (0..40).map(|n| format!("http://a.test/new{n}?ref={n}")).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    tell(&mut yard, bot, "http://a.test/z", "z", &new).await;
    let mut plain = 0;
    while let Some(lease) = yard.next(bot).await {
        plain += usize::from(!lease.url.contains('?'));
        yard.accept(bot, says(&lease, &lease.url, &[])).await;
    }
    assert!((35..=40).contains(&plain), "{plain}: a few are still asked for as found");
    assert!(yard.status().await.outcomes["idle_parameters"] >= 36);
    let view = yard.view("http://a.test/p?id=8&gclid=1").await;
    assert!(view.reason.contains("http://a.test/p?id=8"), "{}", view.reason);
}

/// The bytes of a page of this text, as a crawl that keeps nothing reports them.
fn bytes(lease: &Lease, text: &str) -> Report {
    Report { payload_digest: Some(text.to_uppercase()), unread: true, ..page(lease, &[]) }
}

#[tokio::test(start_paused = true)]
async fn who_only_looks_at_bytes_takes_nothing_out_of_the_index_and_knows_what_is_the_same() {
    let mut yard = Yard::with(|settings| settings.soft_404 = false);
    let bot = yard.inside("bot").await;
    let urls = ["http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4"];
    yard.seed(&urls[..3]).await;
    for (url, text) in urls.into_iter().zip(["herons", "spiders", "flies"]) {
        tell(&mut yard, bot, url, text, &[]).await;
    }
    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&["http://a.test/4", "http://a.test/1", "http://a.test/2", "http://a.test/3"]).await;
    // The first is nowhere in the index, so it cannot stand there for the third.
    for (url, text) in [(3, "moths"), (0, "herons"), (1, "herons"), (2, "moths")] {
        let lease = expect(&mut yard, bot, urls[url]).await;
        yard.accept(bot, bytes(&lease, text)).await;
    }
    let visits = |n: usize| yard.plan.records.history(id(urls[n])).expect("store").expect("known");
    let changes = [0, 1, 2].map(|n| visits(n).observations.last().map(|look| look.change));
    use lycosa_model::Change;
    assert_eq!(changes, [Some(Change::None), Some(Change::Some), Some(Change::Some)]);
    let indexed = [0, 1, 2, 3].map(|n| visits(n).indexed);
    assert_eq!(indexed, [true, false, true, false]);
    assert_eq!(visits(1).same_as, Some(id(urls[0])));
    assert_eq!(journal(&yard), [id(urls[1])]);
    // What the archive and the index had of the same bytes, they still have.
    let kept = [0, 1, 2, 3].map(|n| yard.record(urls[n]).previous.archived);
    assert_eq!(kept, [true, false, false, false]);
}
