use super::*;
use crate::agent_tests::{Crawl, Web, id};
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::Deed;

fn spiders(parameters: SpiderParameters) -> Setup {
    let mut setup = Setup { seed: 1, ..Setup::default() };
    setup.parameters.infospiders = parameters;
    setup
}

fn events(crawl: &mut Crawl<'_>) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    crawl.strategy.log(&mut events);
    events
}

fn lead(words: &str, parent: f32) -> Lead {
    let words: Vec<Word> = words.split(' ').map(Word::of).collect();
    Lead { url: id(1), near: near(&words, &[], 10), parent, from: id(0) }
}

fn spider(words: &[&str]) -> Spider {
    let mut spider = Spider::new(0, id(0), 1.0, Dice::new(1));
    let words: Vec<(Word, f32)> = words.iter().map(|word| (Word::of(word), 1.0)).collect();
    spider.learn_topic(&words);
    spider
}

#[test]
fn words_count_by_their_distance_from_the_link() {
    let word = |text: &str| Word::of(text);
    let context = ["far", "near", "next", "behind"].map(Word::of);
    let bag = near(&[word("anchor")], &context, 10);
    assert_eq!(bag.weight(word("anchor")), 1.0);
    assert_eq!((bag.weight(word("near")), bag.weight(word("next"))), (1.0, 1.0));
    assert_eq!((bag.weight(word("far")), bag.weight(word("behind"))), (0.5, 0.5));
    assert_eq!(
        Counting::default().words_of("Ballenas, y Camión!"),
        ["ballena", "camion"].map(Word::of)
    );
    assert_eq!(near(&[], &context, 1).weight(word("far")), 0.0, "outside of the window");
}

#[test]
fn a_spider_learns_which_words_lead_to_relevant_pages() {
    let mut learner = spider(&["whale", "soup"]);
    let parameters = SpiderParameters { learning: 0.5, ..SpiderParameters::default() };
    let (good, bad) = (lead("whale", 0.5), lead("soup", 0.5));
    for _ in 0..200 {
        learner.follow(good.clone(), 1.0);
        learner.learn(1.0, 0.0, &parameters);
        learner.follow(bad.clone(), 1.0);
        learner.learn(0.0, 0.0, &parameters);
    }
    let (high, low) = (learner.estimate(&good), learner.estimate(&bad));
    assert!(high > 0.7 && low < 0.3, "{high} {low}");
    let before = learner.estimate(&good);
    let nothing = SpiderParameters { learning: 0.0, ..parameters };
    learner.follow(good.clone(), 1.0);
    learner.learn(0.0, 0.0, &nothing);
    assert_eq!(learner.estimate(&good), before);
}

#[test]
fn better_links_are_taken_more_often_and_none_is_left_out() {
    let mut chooser = spider(&[]);
    let mut counts = [0; 3];
    for _ in 0..10_000 {
        counts[chooser.draw(&[0.2, 0.4, 0.6], 5.0).0] += 1;
    }
    // exp(5 * 0.2) is 2.7 times as likely for each step.
    let ratio = f64::from(counts[2]) / f64::from(counts[1]);
    assert!((ratio - std::f64::consts::E).abs() < 0.3 && counts[0] > 500, "{counts:?}");
}

#[test]
fn an_offspring_halves_the_energy_and_takes_a_word_of_the_birth_page() {
    let parameters = SpiderParameters { keywords: 2, ..SpiderParameters::default() };
    let mut parent = spider(&["whale", "krill"]);
    parent.energy = 3.0;
    parent.keywords[1].weight = 0.01;
    let before = parent.keywords.clone();
    let child = parent.offspring(7, &[Word::of("squid")], &parameters);
    assert_eq!((parent.energy, child.energy), (1.5, 1.5));
    assert_eq!(parent.keywords, before, "the parent stays as it is");
    let words: Vec<u32> = child.keywords.iter().map(|keyword| keyword.word).collect();
    assert_eq!(words, [Word::of("whale").0, Word::of("squid").0], "the weakest gave way");
    assert_ne!(child.keywords[0].weight, before[0].weight, "mutated");
    assert!((child.keywords[0].weight / before[0].weight - 1.0).abs() < 0.6);
    assert_eq!((child.parent, child.number), (Some(0), 7));
}

#[test]
fn only_the_first_visitor_of_a_page_is_rewarded() {
    // Two pages that lead to each other: whoever walks to and fro earns nothing.
    let web = Web { words: vec!["whale krill sea".into(); 2], links: vec![vec![1], vec![0]] };
    for frontier in [true, false] {
        let setup = spiders(SpiderParameters { frontier, ..SpiderParameters::default() });
        let mut crawl = Crawl::new(&web, "infospiders", &setup);
        crawl.see(0, None, 0.0);
        crawl.run(2);
        crawl.ask(1, &mut |_| Turn::Now);
        let visits = events(&mut crawl)
            .into_iter()
            .filter(|event| matches!(event.deed, Deed::Visited { .. }))
            .count();
        let energy: f32 = crawl.strategy.agents().iter().filter_map(|agent| agent.energy).sum();
        assert!(visits <= 2, "{visits}");
        assert!((1.0..=1.0 + 2.0 * 1.5).contains(&energy), "{energy}");
    }
}

#[test]
fn relevant_pages_feed_spiders_and_slow_ones_starve_them() {
    let web = Web::ring(300);
    for frontier in [true, false] {
        // Every page takes the whole time-out, and there is nothing to eat.
        let parameters = SpiderParameters {
            frontier,
            max_pages: 20,
            timeout: 0.1,
            extinction: true,
            ..SpiderParameters::default()
        };
        let mut crawl = Crawl::new(&web, "infospiders", &spiders(parameters.clone()));
        crawl.topic = RelevanceModel::new(Bag::of_words(["zebra"].into_iter()), Vec::new());
        crawl.see(0, None, 0.0);
        crawl.run(300);
        // THETA / 2 lasts for half of MAX_PAGES then.
        assert!((9..=12).contains(&crawl.fetched.len()), "{}", crawl.fetched.len());
        let died = |event: &AgentEvent| matches!(event.deed, Deed::Died { .. });
        assert_eq!(events(&mut crawl).iter().filter(|event| died(event)).count(), 1);
        assert!(crawl.strategy.agents().iter().all(|agent| !agent.alive));
        assert!(crawl.strategy.is_over() && crawl.strategy.loaded() > 0, "pages wait for nobody");
        // The same web with something to eat.
        let parameters = SpiderParameters { cap: 9, ..parameters };
        let mut crawl = Crawl::new(&web, "infospiders", &spiders(parameters));
        crawl.see(0, None, 0.0);
        crawl.run(100);
        assert!(!crawl.strategy.is_over());
        let agents = crawl.strategy.agents();
        let alive = agents.iter().filter(|agent| agent.alive).count();
        assert!((3..=9).contains(&alive), "{alive}");
        let child = agents.iter().find(|agent| agent.parent.is_some()).expect("an offspring");
        assert!(agents.iter().any(|agent| Some(&agent.name) == child.parent.as_ref()));
        assert!(child.keywords.iter().any(|word| word == "whale"), "{:?}", child.keywords);
        assert!(
            child.keywords.iter().any(|word| word.starts_with("page")
                || word == "tomato"
                || word == "soup"
                || word == "basil"),
            "{:?}",
            child.keywords
        );
    }
}

#[test]
fn spiders_find_more_of_the_topic_than_chance_does() {
    // Whales are linked to by whales.
    let pages = 400;
    let links = |page: usize| -> Vec<usize> {
        let part = page / 100;
        (1..=6)
            .map(|step| part * 100 + (page * 7 + step * 13) % 100)
            .chain([(page + 100) % pages])
            .collect()
    };
    let words = |page: usize| if page >= 300 { "whale krill sea" } else { "tomato soup basil" };
    let web = Web {
        words: (0..pages).map(|page| words(page).to_owned()).collect(),
        links: (0..pages).map(links).collect(),
    };
    for frontier in [true, false] {
        let setup = spiders(SpiderParameters { frontier, ..SpiderParameters::default() });
        let mut crawl = Crawl::new(&web, "infospiders", &setup);
        [5, 105, 205].into_iter().for_each(|seed| crawl.see(seed, None, 0.0));
        crawl.run(120);
        let relevant = crawl.fetched.iter().filter(|page| **page >= 300).count();
        assert!(relevant > 45, "{relevant} of 120, where chance finds 30 (frontier: {frontier})");
    }
}

#[test]
fn a_choice_is_explained_by_the_spider_and_its_net() {
    let web = Web::ring(100);
    let mut crawl = Crawl::new(&web, "infospiders", &spiders(SpiderParameters::default()));
    crawl.see(0, None, 0.0);
    crawl.run(30);
    let choice = crawl.ask(1, &mut |_| Turn::Now).pop().expect("a choice");
    let why = crawl.strategy.explain(choice.url, choice.spot).join("\n");
    let agent = choice.agent.expect("its spider");
    assert!(why.contains(&*agent) && why.contains("energy") && why.contains("worth"), "{why}");
    assert!(why.contains("relevance of the page it is on"), "{why}");
}

#[test]
fn a_verdict_feeds_or_starves_the_spider_that_found_the_page() {
    let words = vec!["whale tomato soup basil oil salt pan fire".to_owned(); 60];
    let web = Web { words, ..Web::ring(60) };
    for good in [true, false] {
        let mut crawl = Crawl::new(&web, "infospiders", &spiders(SpiderParameters::default()));
        crawl.see(0, None, 0.0);
        crawl.run(3);
        crawl.ask(1, &mut |_| Turn::Now);
        let visited = events(&mut crawl).into_iter().find_map(|event| match event.deed {
            Deed::Visited { url, relevance, .. } if relevance > 0.0 => Some((event.agent, url)),
            _ => None,
        });
        let (finder, url) = visited.expect("the seed is about whales");
        let energy = |crawl: &Crawl<'_>| {
            let agents = crawl.strategy.agents();
            agents.iter().find(|agent| agent.name == finder).and_then(|agent| agent.energy)
        };
        let before = energy(&crawl).expect("alive");
        let bag = Bag::of_words(web.words[0].split(' '));
        crawl.topic.hear(bag.clone(), good);
        let verdict = Verdict { url, bag: &bag, good, topic: &crawl.topic };
        crawl.strategy.on_verdict(&verdict);
        let after = energy(&crawl).expect("alive");
        assert_eq!((after > before, after < before), (good, !good), "{before} {after}");
        crawl.strategy.on_verdict(&verdict);
        assert_eq!(energy(&crawl), Some(after), "what is said twice is paid once");
    }
}

#[test]
fn names_can_be_said_and_differ() {
    let names: std::collections::HashSet<String> = (0..1_000).map(name).collect();
    assert_eq!(names.len(), 1_000);
    assert_eq!((name(0), name(64)), ("Ada".into(), "Ada-2".into()));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    assert_eq!(SpiderParameters::default().check(), Ok(()));
    let wrong = SpiderParameters { theta: 0.0, ..SpiderParameters::default() };
    assert!(wrong.check().unwrap_err().contains("theta"));
    assert!(serde_json::from_str::<SpiderParameters>(r#"{"tehta": 1}"#).is_err());
}
