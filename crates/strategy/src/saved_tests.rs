//! What holds for what every strategy saves?

use crate::agent_tests::{Crawl, Web};
use crate::{AGENTS, NAMES, Setup, Strategy, Turn, by_name};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};
use std::collections::HashSet;

/// Those that have nothing to save but what the disk has.
const NOTHING: [&str; 4] = ["random", "breadth-first", "best-first", "n-best-first:7"];

fn names() -> Vec<String> {
    NAMES.iter().chain(&AGENTS).map(|name| name.replace(":N", ":7")).collect()
}

fn setup() -> Setup {
    Setup { seed: 4, ..Setup::default() }
}

fn new(name: &str) -> Box<dyn Strategy> {
    by_name(name, &setup()).expect("known")
}

/// Whales link to whales, mostly, and so does soup to soup.
fn web() -> Web {
    let part = |page: usize| page / 100;
    let links = |page: usize| -> Vec<usize> {
        let near = (1..=6).map(|step| part(page) * 100 + (page * 7 + step * 13) % 100);
        near.chain([(page + 100) % 400]).filter(|other| *other != page).collect()
    };
    let words = |page: usize| match part(page) {
        3 => format!("whale krill sea page{page}"),
        _ => format!("tomato soup basil page{page}"),
    };
    Web { words: (0..400).map(words).collect(), links: (0..400).map(links).collect() }
}

fn begun<'a>(web: &'a Web, name: &str, pages: usize) -> Crawl<'a> {
    let mut crawl = Crawl::new(web, name, &setup());
    [5, 105, 205].into_iter().for_each(|seed| crawl.see(seed, None, 0.0));
    crawl.run(pages);
    crawl
}

fn found(crawl: &Crawl<'_>) -> usize {
    crawl.fetched.iter().filter(|page| **page >= 300).count()
}

#[test]
fn a_crawl_that_was_cut_off_goes_on_as_well_as_one_that_was_not() {
    let web = web();
    for name in names() {
        let mut uncut = begun(&web, &name, 160);
        let mut cut = begun(&web, &name, 60);
        let saved = cut.strategy.save();
        assert_eq!(saved.is_none(), NOTHING.contains(&&*name), "{name}");
        cut.resume(new(&name), saved.as_deref());
        cut.run(160);
        let (cut_off, whole) = (found(&cut) as f32, found(&uncut) as f32);
        // Those that go by chance take another way.
        let slack = if name.starts_with("walkers") || name == "random" { 0.5 } else { 0.15 };
        assert!(cut_off >= (1.0 - slack) * whole, "{name}: {cut_off} instead of {whole}");
        [&mut uncut, &mut cut].into_iter().for_each(|crawl| crawl.run(1_000));
        let distinct: HashSet<usize> = cut.fetched.iter().copied().collect();
        assert_eq!((cut.fetched.len(), distinct.len()), (400, 400), "{name}");
    }
}

#[test]
fn agents_are_the_same_after_a_restart() {
    let web = web();
    for name in AGENTS.iter().chain(&["contract-net"]) {
        let mut crawl = begun(&web, name, 100);
        let before = crawl.strategy.agents();
        let saved = crawl.strategy.save();
        crawl.resume(new(name), saved.as_deref());
        let after = crawl.strategy.agents();
        assert_eq!(before.len(), after.len(), "{name}");
        for (one, other) in before.iter().zip(&after).filter(|(one, _)| one.kind != "facilitator") {
            assert_eq!(
                (&one.name, one.pages, &one.parent),
                (&other.name, other.pages, &other.parent)
            );
            assert_eq!((one.energy, &one.keywords), (other.energy, &other.keywords), "{name}");
        }
        let mut events = Vec::new();
        crawl.strategy.log(&mut events);
        assert!(events.is_empty(), "{name}: nobody is born again");
    }
}

#[test]
fn what_somebody_else_has_saved_is_refused() {
    let web = web();
    let saved = begun(&web, "shark", 30).strategy.save().expect("something");
    let refused = new("learned").load(&saved).expect_err("of another");
    assert!(refused.contains("shark") && refused.contains("learned"), "{refused}");
    let mut newer = saved.clone();
    newer[0] += 1;
    let refused = new("shark").load(&newer).expect_err("another form");
    assert!(refused.contains("form 2"), "{refused}");
    assert!(new("shark").load(&[]).is_err());
    let team = begun(&web, "contract-net", 30).strategy.save().expect("something");
    let more = Setup { agents: Some(9), ..setup() };
    let refused = by_name("contract-net", &more).expect("known").load(&team).expect_err("more");
    assert!(refused.contains("5 agents") && refused.contains('9'), "{refused}");
}

#[test]
fn what_is_saved_takes_little_space() {
    let web = Web::ring(900);
    for name in names() {
        let crawl = begun(&web, &name, 600);
        let size = crawl.strategy.save().map_or(0, |saved| saved.len());
        assert!(size < 500_000, "{name}: {size} bytes of 600 pages");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn damaged_bytes_are_refused_or_read_but_never_worse(
        garbage in prop::collection::vec(any::<u8>(), 0..300),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let web = web();
        for name in names().into_iter().filter(|name| !NOTHING.contains(&&**name)) {
            prop_assert!(new(&name).load(&garbage).is_err());
            let mut crawl = begun(&web, &name, 40);
            let saved = crawl.strategy.save().expect("something");
            let short = &saved[..cut.index(saved.len())];
            prop_assert!(new(&name).load(short).is_err(), "{name} takes a part for the whole");
            // Behind the head there may be anything, also lengths without end.
            let mut hostile = saved[..name.len() + 2].to_vec();
            hostile.extend([0xff; 9]);
            hostile.extend(&garbage);
            let _ = new(&name).load(&hostile);
            let mut changed = saved;
            for (place, value) in &changes {
                let place = place.index(changed.len());
                changed[place] = *value;
            }
            let mut strategy = new(&name);
            if strategy.load(&changed).is_ok() {
                crawl.resume(strategy, None);
                for _ in 0..20 {
                    let choices = crawl.ask(1, &mut |_| Turn::Now);
                    choices.iter().for_each(|choice| crawl.answer(choice));
                }
                crawl.strategy.save();
            }
        }
    }
}
