use super::*;
use crate::why::LIKELY;
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use std::collections::{HashMap, HashSet};

fn site(name: &str) -> Site {
    Site::of(&url::Url::parse(&format!("http://{name}.test/")).expect("url")).expect("site")
}

struct Seen<'a> {
    site: &'a Site,
    relevance: f32,
    wanted: bool,
    depth: u32,
    order: u64,
}

fn offer(strategy: &mut dyn Strategy, seen: &Seen<'_>) -> (UrlId, Spot) {
    let url = UrlId::of(&format!("{}/{}", seen.site, seen.order));
    let rank = strategy.rank(&LinkEvidence {
        url,
        site: seen.site,
        known: false,
        seed: false,
        via: None,
        parent_relevance: seen.relevance,
        wanted_language: seen.wanted,
        depth: seen.depth,
        address: "",
        anchor: "",
        context: "",
        tag_path: "",
        topic: &RelevanceModel::default(),
    });
    let spot = Spot { rank, place: seen.order };
    strategy.offer(seen.site, url, spot);
    (url, spot)
}

fn named(name: &str, strict: bool) -> Box<dyn Strategy> {
    let setup = Setup { strict, seed: 3, ..Setup::default() };
    by_name(&name.replace(":N", ":3"), &setup).expect("known")
}

fn take(strategy: &mut dyn Strategy, k: usize) -> Vec<UrlId> {
    let mut out = Vec::new();
    strategy.next(Tick(0), k, &mut |_| Turn::Now, &mut out);
    out.into_iter().map(|choice| choice.url).collect()
}

#[test]
fn breadth_first_takes_the_nearest_and_then_the_first_found() {
    let (a, b) = (site("a"), site("b"));
    let mut strategy = BreadthFirst::new(false);
    let (deep, _) =
        offer(&mut strategy, &Seen { site: &a, relevance: 0.9, wanted: true, depth: 2, order: 0 });
    let (second, _) =
        offer(&mut strategy, &Seen { site: &b, relevance: 0.0, wanted: true, depth: 1, order: 2 });
    let (first, _) =
        offer(&mut strategy, &Seen { site: &a, relevance: 0.0, wanted: true, depth: 1, order: 1 });
    assert_eq!(take(&mut strategy, 9), [first, second, deep]);
    assert_eq!(strategy.loaded(), 0);
}

#[test]
fn best_first_takes_the_links_of_the_best_page() {
    let a = site("a");
    let mut strategy = BestFirst::new(false);
    let (poor, spot) =
        offer(&mut strategy, &Seen { site: &a, relevance: 0.1, wanted: true, depth: 1, order: 0 });
    let (good, _) =
        offer(&mut strategy, &Seen { site: &a, relevance: 0.8, wanted: true, depth: 5, order: 1 });
    assert_eq!(take(&mut strategy, 1), [good]);
    assert!(strategy.explain(poor, spot)[0].contains("0.100"));
    assert_eq!(take(&mut strategy, 1), [poor]);
}

#[test]
fn links_from_pages_of_the_wanted_language_come_first_in_all() {
    for name in NAMES {
        let mut strategy = named(name, false);
        let a = site("a");
        let (other, _) = offer(
            &mut *strategy,
            &Seen { site: &a, relevance: 0.9, wanted: false, depth: 1, order: 0 },
        );
        let (wanted, _) = offer(
            &mut *strategy,
            &Seen { site: &a, relevance: 0.1, wanted: true, depth: 7, order: 1 },
        );
        assert_eq!(take(&mut *strategy, 9), [wanted, other], "{name}");
    }
}

#[test]
fn a_site_that_must_rest_is_passed_over_and_kept() {
    let (a, b) = (site("a"), site("b"));
    let mut strategy = BreadthFirst::new(false);
    let (first, _) =
        offer(&mut strategy, &Seen { site: &a, relevance: 0.0, wanted: true, depth: 1, order: 0 });
    let (second, _) =
        offer(&mut strategy, &Seen { site: &b, relevance: 0.0, wanted: true, depth: 1, order: 1 });
    let mut out = Vec::new();
    strategy.next(Tick(0), 1, &mut |site| now_if(*site == b), &mut out);
    assert_eq!(out.len(), 1);
    assert_eq!(out[0].url, second);
    strategy.wake(&a);
    assert_eq!(take(&mut strategy, 9), [first]);
}

#[test]
fn a_strict_focus_waits_for_a_site_that_rests_briefly_and_for_no_other() {
    for name in NAMES {
        for (strict, turn, expected) in [
            (false, Turn::Soon, 1),
            (false, Turn::Later, 1),
            (true, Turn::Soon, 0),
            (true, Turn::Later, 1),
        ] {
            let mut strategy = named(name, strict);
            let (resting, free) = (site("resting"), site("free"));
            let wanted = Seen { site: &resting, relevance: 0.1, wanted: true, depth: 1, order: 0 };
            offer(&mut *strategy, &wanted);
            let other = Seen { site: &free, relevance: 0.9, wanted: false, depth: 1, order: 1 };
            offer(&mut *strategy, &other);
            let mut out = Vec::new();
            let mut ask = |site: &Site| if *site == free { Turn::Now } else { turn };
            strategy.next(Tick(0), 9, &mut ask, &mut out);
            assert_eq!(out.len(), expected, "{name}, strict {strict}, {turn:?}");
        }
    }
}

fn now_if(now: bool) -> Turn {
    if now { Turn::Now } else { Turn::Soon }
}

#[test]
fn an_unknown_strategy_has_no_name() {
    for wrong in ["clairvoyance", "n-best-first:0", "n-best-first", "fish:3"] {
        let error = by_name(wrong, &Setup::default()).err().expect("no such strategy");
        assert!(error.to_string().contains(wrong) && !error.hint.is_empty(), "{error}");
    }
    let oracle = by_name("oracle", &Setup::default()).err().expect("not for a crawl");
    assert!(oracle.hint.contains("lab"), "{}", oracle.hint);
    for name in NAMES {
        let own = named(name, false).name().to_owned();
        assert!(name.starts_with(&own), "{name} is called {own}");
    }
}

#[test]
fn what_speaks_for_a_redirect_speaks_for_where_it_leads() {
    let on = site("a");
    let words = ["whale", "sea", "krill"];
    let topic = RelevanceModel::new(Bag::of_words(words.into_iter()), Vec::new());
    let (page, moved, target) = (UrlId::of("page"), UrlId::of("moved"), UrlId::of("target"));
    for name in ["fish", "opic", "shark", "mean-of-parents", "learned", "tag-path"] {
        let mut strategy = named(name, false);
        let terms = words.map(|word| Term { word: word.into(), count: 1 });
        let bag = Bag::of_terms(&terms);
        strategy.on_page(
            &PageView {
                url: page,
                site: &on,
                depth: 0,
                terms: &terms,
                bag: &bag,
                wanted_language: true,
                links: 1,
                at: Tick(0),
                took: Duration::ZERO,
                topic: &topic,
            },
            Relevance(0.8),
        );
        let mut see = |url: UrlId, via: UrlId, anchor: &str, tag_path: &str| {
            let link = LinkEvidence {
                url,
                site: &on,
                known: false,
                seed: false,
                via: Some(via),
                parent_relevance: 0.8,
                wanted_language: true,
                depth: 1,
                address: "http://a.test/somewhere",
                anchor,
                context: "",
                tag_path,
                topic: &topic,
            };
            strategy.on_link(&link);
            let spot = Spot { rank: strategy.rank(&link), place: u64::from(url == target) };
            strategy.offer(&on, url, spot);
            let explained = strategy.explain(url, spot);
            let why = strategy.why(url).expect("it waits").parts;
            let chosen = take(&mut *strategy, 1);
            assert_eq!(chosen, [url]);
            strategy.on_fail(url, Outcome::Redirect, Duration::ZERO);
            (why, explained.iter().any(|line| line.contains("ul.nav/li/a")))
        };
        let before = see(moved, page, "blue whale", "ul.nav/li/a");
        let after = see(target, moved, "", "");
        for (one, other) in before.0.iter().zip(&after.0).filter(|(one, _)| one.name != LIKELY) {
            let differs = (one.value - other.value).abs() > 1e-4;
            assert!(one.name == other.name && !differs, "{name}: {one:?}, then {other:?}");
        }
        assert_eq!((before.1, after.1), (name == "tag-path", name == "tag-path"), "{name}");
    }
}

proptest! {
    #[test]
    fn every_url_comes_out_once_and_never_more_than_asked(
        links in prop::collection::vec((0u8..5, 0u32..4, 0u8..10, any::<bool>()), 0..200),
        k in 1usize..20,
    ) {
        for name in NAMES {
            let mut strategy = named(name, false);
            let mut offered = HashSet::new();
            for (order, (host, depth, relevance, wanted)) in links.iter().enumerate() {
                let seen = Seen {
                    site: &site(&format!("s{host}")),
                    relevance: f32::from(*relevance) / 10.0,
                    wanted: *wanted,
                    depth: *depth,
                    order: order as u64,
                };
                offered.insert(offer(&mut *strategy, &seen).0);
            }
            let mut got = HashSet::new();
            loop {
                let mut out = Vec::new();
                let mut per_site: HashMap<Site, u32> = HashMap::new();
                strategy.next(Tick(0), k, &mut |site| {
                    let count = per_site.entry(site.clone()).or_default();
                    *count += 1;
                    now_if(*count <= 2)
                }, &mut out);
                prop_assert!(out.len() <= k);
                (0..5).for_each(|host| strategy.wake(&site(&format!("s{host}"))));
                if out.is_empty() {
                    break;
                }
                for choice in out {
                    prop_assert!(got.insert(choice.url), "came out twice");
                }
            }
            prop_assert_eq!(&got, &offered);
            prop_assert_eq!(strategy.loaded(), 0);
        }
    }
}
