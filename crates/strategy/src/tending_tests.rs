//! What happens to spiders and walkers that a person feeds or stops?

use crate::agent_tests::{Crawl, Web};
use crate::infospiders::SpiderParameters;
use crate::{AGENTS, NAMES, Setup, Strategy, Turn, by_name};
use lycosa_model::{AgentEvent, AgentView, Care, Deed, Tick};
use std::collections::HashSet;

fn setup() -> Setup {
    Setup { seed: 1, ..Setup::default() }
}

fn begun<'a>(web: &'a Web, name: &str, setup: &Setup) -> Crawl<'a> {
    let mut crawl = Crawl::new(web, name, setup);
    crawl.see(0, None, 0.0);
    crawl.see(40, None, 0.0);
    crawl.run(10);
    crawl
}

fn living(strategy: &dyn Strategy) -> Vec<AgentView> {
    strategy.agents().into_iter().filter(|view| view.alive).collect()
}

fn deeds(crawl: &mut Crawl<'_>) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    crawl.strategy.log(&mut events);
    events
}

#[test]
fn who_has_no_agents_says_so_with_a_hint() {
    for name in NAMES.iter().filter(|name| !AGENTS.contains(name)) {
        let Ok(mut strategy) = by_name(name, &setup()) else { continue };
        let untended = strategy.tend(Tick(0), "Ada", Care::Feed).expect_err(name);
        assert!(!untended.error.is_empty() && !untended.hint.is_empty(), "{name}");
    }
}

#[test]
fn a_stopped_agent_ends_at_once_and_no_page_is_lost() {
    let web = Web::ring(120);
    for name in AGENTS {
        let mut crawl = begun(&web, name, &setup());
        // One that is on its way: its page still comes.
        let choices = crawl.ask(1, &mut |_| Turn::Now);
        let going = choices.first().and_then(|choice| choice.agent.clone());
        let victim =
            going.map_or_else(|| living(&*crawl.strategy)[0].name.clone(), |n| n.to_string());
        let before = living(&*crawl.strategy).len();
        deeds(&mut crawl);
        let tended = crawl.strategy.tend(crawl.now, &victim, Care::Stop).expect(name);
        assert_eq!(tended.how, Care::Stop);
        let after = living(&*crawl.strategy);
        assert_eq!(after.len(), before - 1, "{name}");
        assert!(after.iter().all(|view| view.name != victim), "{name}");
        let told: Vec<AgentEvent> =
            deeds(&mut crawl).into_iter().filter(|event| event.agent == victim).collect();
        assert!(matches!(told[0].deed, Deed::Tended(_)), "{name}: {told:?}");
        assert!(matches!(told[1].deed, Deed::Died { .. }), "{name}: {told:?}");
        assert!(crawl.strategy.tend(crawl.now, &victim, Care::Feed).is_err(), "{name}: it is gone");
        choices.iter().for_each(|choice| crawl.answer(choice));
        crawl.run(1_000);
        let distinct: HashSet<usize> = crawl.fetched.iter().copied().collect();
        assert_eq!((crawl.fetched.len(), distinct.len()), (120, 120), "{name}");
    }
}

#[test]
fn the_last_walker_is_not_stopped_and_after_the_last_spider_another_is_born() {
    let web = Web::ring(60);
    for name in AGENTS {
        let mut crawl = begun(&web, name, &setup());
        let all = living(&*crawl.strategy);
        for view in &all[1..] {
            crawl.strategy.tend(crawl.now, &view.name, Care::Stop).expect(name);
        }
        let last = crawl.strategy.tend(crawl.now, &all[0].name, Care::Stop);
        assert_eq!(last.is_ok(), name == "infospiders", "{name}");
        assert!(!crawl.strategy.is_over(), "{name}");
        crawl.run(1_000);
        assert_eq!(crawl.fetched.len(), 60, "{name}");
    }
    let mut setup = setup();
    setup.parameters.infospiders.extinction = true;
    let mut crawl = begun(&web, "infospiders", &setup);
    for view in living(&*crawl.strategy) {
        crawl.strategy.tend(crawl.now, &view.name, Care::Stop).expect("it lives");
    }
    assert!(crawl.strategy.is_over(), "where the paper's rule holds, nobody is born of nobody");
}

#[test]
fn a_fed_spider_lives_longer_than_its_twin_and_has_offspring_sooner() {
    // Nothing is relevant, and pages are slow: whoever is not fed starves.
    let web = Web { words: vec!["soup".into(); 400], ..Web::ring(400) };
    let parameters = SpiderParameters { max_pages: 60, ..SpiderParameters::default() };
    let mut setup = setup();
    setup.parameters.infospiders = parameters;
    let dies_after = |fed: bool| {
        let mut crawl = Crawl::new(&web, "infospiders", &setup);
        crawl.took = std::time::Duration::from_secs(20);
        crawl.see(0, None, 0.0);
        crawl.run(2);
        let first = living(&*crawl.strategy)[0].name.clone();
        if fed {
            let tended = crawl.strategy.tend(crawl.now, &first, Care::Feed).expect("it lives");
            assert_eq!(tended.after, tended.before.map(|energy| energy + 1.0));
        }
        while living(&*crawl.strategy).iter().any(|view| view.name == first) {
            let pages = crawl.fetched.len();
            crawl.run(pages + 1);
            assert!(crawl.fetched.len() > pages, "it has to starve before the web ends");
        }
        crawl.fetched.len()
    };
    let (alone, fed) = (dies_after(false), dies_after(true));
    assert!(fed > alone + 10, "{fed} pages instead of {alone}");

    let web = Web::ring(60);
    let mut crawl = begun(&web, "infospiders", &Setup::default());
    let first = living(&*crawl.strategy)[0].name.clone();
    let meals =
        (0..100).take_while(|_| crawl.strategy.tend(crawl.now, &first, Care::Feed).is_ok()).count();
    assert!((3..=9).contains(&meals), "there is a limit to a spider: {meals} meals");
    crawl.run(20);
    let children =
        crawl.strategy.agents().into_iter().filter(|v| v.parent.as_ref() == Some(&first));
    assert!(children.count() > 0);
}

#[test]
fn a_fed_walker_clones_itself_up_to_the_cap_and_only_where_walkers_do() {
    let web = Web::ring(60);
    for name in ["walkers:single", "walkers:multiple"] {
        let mut crawl = begun(&web, name, &setup());
        let untended = crawl.strategy.tend(crawl.now, "walker-1", Care::Feed).expect_err(name);
        assert!(untended.hint.contains("cloning"), "{untended:?}");
    }
    for name in ["walkers:cloning", "walkers:immune"] {
        let mut setup = setup();
        setup.parameters.walkers.cap = 14;
        let mut crawl = begun(&web, name, &setup);
        let first = living(&*crawl.strategy)[0].name.clone();
        let mut before = living(&*crawl.strategy).len();
        while let Ok(tended) = crawl.strategy.tend(crawl.now, &first, Care::Feed) {
            before += 1;
            let now = living(&*crawl.strategy);
            assert_eq!(now.len(), before, "{name}");
            let child = now.iter().find(|view| Some(&view.name) == tended.other.as_ref());
            assert_eq!(child.expect("born").parent.as_ref(), Some(&first));
        }
        assert_eq!(before, 14, "{name}: never above the cap");
    }
}

#[test]
fn what_was_done_by_hand_is_saved_and_the_same_hand_gives_the_same_way() {
    let web = Web::ring(100);
    for name in ["infospiders", "walkers:cloning"] {
        let way = || {
            let mut crawl = begun(&web, name, &setup());
            let all = living(&*crawl.strategy);
            crawl.strategy.tend(crawl.now, &all[0].name, Care::Feed).expect(name);
            crawl.strategy.tend(crawl.now, &all[1].name, Care::Stop).expect(name);
            crawl
        };
        let mut crawl = way();
        let saved = crawl.strategy.save().expect(name);
        let mut other = by_name(name, &setup()).expect(name);
        other.load(&saved).expect(name);
        let names = |of: &dyn Strategy| -> Vec<(String, Option<f32>)> {
            living(of).into_iter().map(|view| (view.name, view.energy)).collect()
        };
        assert_eq!(names(&*crawl.strategy), names(&*other), "{name}");
        crawl.run(100);
        let mut again = way();
        again.run(100);
        assert_eq!(crawl.fetched, again.fetched, "{name}");
    }
}
