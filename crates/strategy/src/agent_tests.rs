//! What holds for every strategy whose agents walk? They are driven over a small web as a crawl drives them.

use crate::{
    AGENTS, Choice, LinkEvidence, NAMES, PageView, Relevance, Setup, Strategy, Turn, by_name,
};
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::{Deed, Outcome, Site, Spot, Term, Tick, UrlId};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

pub(crate) fn site(name: &str) -> Site {
    Site::of(&url::Url::parse(&format!("http://{name}.test/")).expect("url")).expect("site")
}

/// Pages with their words and links, each on one of two sites.
pub(crate) struct Web {
    pub(crate) words: Vec<String>,
    pub(crate) links: Vec<Vec<usize>>,
}

impl Web {
    /// A ring with chords, and pages about whales in one part of it.
    pub(crate) fn ring(pages: usize) -> Web {
        let links = |page: usize| {
            let mut links =
                vec![(page + 1) % pages, (page * 7 + 3) % pages, (page * 3 + 1) % pages];
            links.sort_unstable();
            links.dedup();
            links.retain(|other| *other != page);
            links
        };
        let words = |page: usize| match page % 10 {
            0..3 => format!("whale krill sea page{page}"),
            _ => format!("tomato soup basil page{page}"),
        };
        Web { words: (0..pages).map(words).collect(), links: (0..pages).map(links).collect() }
    }
}

/// A crawl of a web by a strategy.
pub(crate) struct Crawl<'a> {
    pub(crate) web: &'a Web,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) topic: RelevanceModel,
    pub(crate) fetched: Vec<usize>,
    known: HashSet<usize>,
    /// Where each page waited, on disk.
    spots: HashMap<usize, Spot>,
    pub(crate) now: Tick,
    /// How long each page takes.
    pub(crate) took: Duration,
}

pub(crate) fn id(page: usize) -> UrlId {
    UrlId::of(&page.to_string())
}

pub(crate) fn topic() -> RelevanceModel {
    RelevanceModel::new(Bag::of_words(["whale", "krill", "sea"].into_iter()), Vec::new())
}

impl<'a> Crawl<'a> {
    pub(crate) fn new(web: &'a Web, name: &str, setup: &Setup) -> Crawl<'a> {
        Crawl {
            web,
            strategy: by_name(name, setup).expect("known"),
            topic: topic(),
            fetched: Vec::new(),
            known: HashSet::new(),
            spots: HashMap::new(),
            now: Tick(0),
            took: Duration::from_millis(100),
        }
    }

    pub(crate) fn see(&mut self, page: usize, via: Option<usize>, relevance: f32) {
        let known = !self.known.insert(page);
        let on = site(if page.is_multiple_of(2) { "even" } else { "odd" });
        let link = LinkEvidence {
            url: id(page),
            address: "",
            site: &on,
            known,
            seed: via.is_none(),
            via: via.map(id),
            parent_relevance: relevance,
            wanted_language: true,
            depth: 0,
            anchor: &self.web.words[page],
            context: "",
            tag_path: "",
            topic: &self.topic,
        };
        self.strategy.on_link(&link);
        if !known {
            let spot = Spot { rank: self.strategy.rank(&link), place: self.known.len() as u64 };
            self.spots.insert(page, spot);
            self.strategy.offer(&on, id(page), spot);
        }
    }

    /// The crawl was cut off and goes on under a new strategy, which takes up what the other had saved.
    pub(crate) fn resume(&mut self, strategy: Box<dyn Strategy>, saved: Option<&[u8]>) {
        self.strategy = strategy;
        saved.into_iter().for_each(|saved| self.strategy.load(saved).expect("read"));
        let mut waiting: Vec<usize> =
            self.known.iter().copied().filter(|page| !self.fetched.contains(page)).collect();
        waiting.sort_by_key(|page| self.spots[page]);
        for page in waiting {
            let on = site(if page.is_multiple_of(2) { "even" } else { "odd" });
            self.strategy.offer(&on, id(page), self.spots[&page]);
        }
    }

    pub(crate) fn ask(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn) -> Vec<Choice> {
        let mut out = Vec::new();
        self.strategy.next(self.now, k, turn, &mut out);
        out
    }

    pub(crate) fn number(&self, choice: &Choice) -> usize {
        (0..self.web.links.len()).find(|page| id(*page) == choice.url).expect("a page")
    }

    /// The page comes.
    pub(crate) fn answer(&mut self, choice: &Choice) {
        let page = self.number(choice);
        self.fetched.push(page);
        self.now = self.now.after(self.took);
        let term = |word: &str| Term { word: word.to_owned(), count: 1 };
        let terms: Vec<Term> = self.web.words[page].split(' ').map(term).collect();
        let bag = Bag::of_terms(&terms);
        let relevance = self.topic.read(&bag);
        let view = PageView {
            url: choice.url,
            site: &choice.site,
            depth: 0,
            terms: &terms,
            bag: &bag,
            wanted_language: true,
            links: self.web.links[page].len(),
            at: self.now,
            took: self.took,
            topic: &self.topic,
        };
        self.strategy.on_page(&view, Relevance(relevance));
        for link in &self.web.links[page] {
            self.see(*link, Some(page), relevance);
        }
    }

    pub(crate) fn run(&mut self, pages: usize) {
        while self.fetched.len() < pages {
            let choices = self.ask(1, &mut |_| Turn::Now);
            let Some(choice) = choices.first() else { break };
            self.answer(choice);
        }
    }
}

fn setup(seed: u64) -> Setup {
    Setup { seed, ..Setup::default() }
}

#[test]
fn every_page_that_can_be_reached_is_named_once() {
    let web = Web::ring(120);
    for name in AGENTS {
        let mut crawl = Crawl::new(&web, name, &setup(1));
        assert_eq!(crawl.strategy.name(), name);
        crawl.see(0, None, 0.0);
        crawl.run(1_000);
        let distinct: HashSet<usize> = crawl.fetched.iter().copied().collect();
        assert_eq!((crawl.fetched.len(), distinct.len()), (120, 120), "{name}");
        assert_eq!(crawl.strategy.loaded(), 0);
    }
}

#[test]
fn what_waits_without_a_way_to_it_is_named_too() {
    let web = Web { words: vec!["soup".into(); 6], links: vec![Vec::new(); 6] };
    for name in AGENTS {
        // As after a restart: pages wait, and nobody knows how they were found.
        let mut crawl = Crawl::new(&web, name, &setup(2));
        for page in 0..6 {
            let (on, spot) = (site("even"), Spot { place: page as u64, ..Spot::default() });
            crawl.strategy.offer(&on, id(page), spot);
        }
        crawl.run(100);
        assert_eq!(crawl.fetched.len(), 6, "{name}");
    }
}

#[test]
fn a_page_that_fails_or_never_comes_stops_nobody() {
    let web = Web::ring(40);
    for name in AGENTS {
        let mut crawl = Crawl::new(&web, name, &setup(3));
        crawl.see(0, None, 0.0);
        crawl.run(6);
        let mut named: HashSet<UrlId> = HashSet::new();
        for attempt in 0..200 {
            let choices = crawl.ask(1, &mut |_| Turn::Now);
            assert!(choices.iter().all(|choice| named.insert(choice.url)), "{name}: named twice");
            match choices.first() {
                Some(choice) if attempt % 5 == 0 => {
                    crawl.strategy.on_fail(
                        choice.url,
                        Outcome::ClientError,
                        Duration::from_secs(9),
                    );
                }
                // Nobody ever says what became of this one.
                Some(_) if attempt % 5 == 1 => {}
                Some(choice) => crawl.answer(choice),
                None => crawl.now = crawl.now.after(Duration::from_secs(700)),
            }
        }
        assert_eq!(crawl.strategy.loaded(), 0, "{name}");
        assert!(crawl.fetched.len() > 12, "{name}: {}", crawl.fetched.len());
    }
}

#[test]
fn nobody_names_a_second_page_before_the_first_has_come() {
    let web = Web::ring(200);
    for (name, most) in [("walkers:single", 1), ("walkers:multiple", 5), ("infospiders", 3)] {
        let mut crawl = Crawl::new(&web, name, &setup(4));
        let seeds = if name == "infospiders" { 3 } else { 1 };
        (0..seeds).for_each(|seed| crawl.see(seed * 20, None, 0.0));
        while crawl.fetched.is_empty() || crawl.strategy.loaded() > 0 {
            let choices = crawl.ask(50, &mut |_| Turn::Now);
            let agents: HashSet<_> = choices.iter().map(|choice| choice.agent.clone()).collect();
            assert_eq!(agents.len(), choices.len(), "{name}: one page for each");
            assert!(choices.len() <= most || name == "infospiders", "{name}: {}", choices.len());
            assert!(!choices.is_empty(), "{name}");
            choices.iter().for_each(|choice| crawl.answer(choice));
        }
    }
}

#[test]
fn a_site_that_rests_is_not_asked_before_it_is_woken() {
    let web = Web::ring(60);
    for name in AGENTS {
        let mut crawl = Crawl::new(&web, name, &setup(5));
        crawl.see(0, None, 0.0);
        crawl.run(5);
        let odd = site("odd");
        let mut asked = 0;
        let mut rests = |on: &Site| {
            asked += usize::from(*on == odd);
            if *on == odd { Turn::Later } else { Turn::Now }
        };
        for _ in 0..200 {
            let mut out = Vec::new();
            crawl.strategy.next(crawl.now, 1, &mut rests, &mut out);
            let Some(choice) = out.pop() else { break };
            assert_ne!(choice.site, odd);
            crawl.answer(&choice);
        }
        assert!(asked <= 1, "{name}: asked {asked} times");
        assert!(crawl.strategy.loaded() > 0);
        crawl.strategy.wake(&odd);
        crawl.run(60);
        assert_eq!(crawl.fetched.len(), 60, "{name}");
        let mut out = Vec::new();
        crawl.strategy.next(crawl.now, 1, &mut |_| Turn::Stop, &mut out);
        assert!(out.is_empty());
    }
}

#[test]
fn the_same_seed_gives_the_same_way() {
    let web = Web::ring(150);
    for name in AGENTS {
        let way = |seed| {
            let mut crawl = Crawl::new(&web, name, &setup(seed));
            crawl.see(0, None, 0.0);
            crawl.run(80);
            let mut events = Vec::new();
            crawl.strategy.log(&mut events);
            (crawl.fetched, events)
        };
        assert!(way(6) == way(6), "{name}");
        assert_ne!(way(6).0, way(7).0, "{name}");
    }
}

#[test]
fn one_agent_and_a_thousand_get_along() {
    let web = Web::ring(400);
    for name in AGENTS.iter().chain(&["contract-net", "xiangdan", "wyy"]) {
        for agents in [1, 1_000] {
            let setup = Setup { agents: Some(agents), ..setup(8) };
            let mut crawl = Crawl::new(&web, name, &setup);
            crawl.see(0, None, 0.0);
            crawl.see(10, None, 0.0);
            // Several at a time, as bots ask.
            while let choices = crawl.ask(8, &mut |_| Turn::Now)
                && !choices.is_empty()
            {
                choices.iter().for_each(|choice| crawl.answer(choice));
            }
            assert_eq!(crawl.fetched.len(), 400, "{name} with {agents}");
        }
    }
}

#[test]
fn as_many_begin_as_were_asked_for_at_all_seeds_together() {
    let web = Web::ring(100);
    let cases = [("infospiders", 7, 7), ("walkers:multiple", 7, 7), ("walkers:single", 7, 3)];
    for (name, asked, born) in cases.into_iter().chain(AGENTS.map(|name| (name, 1, 1))) {
        let setup = Setup { agents: Some(asked), ..setup(8) };
        let mut crawl = Crawl::new(&web, name, &setup);
        (0..3).for_each(|seed| crawl.see(seed * 20, None, 0.0));
        crawl.ask(1, &mut |_| Turn::Now);
        assert_eq!(crawl.strategy.agents().len(), born, "{name} with {asked}");
    }
    // Who does not say how many gets five for each seed.
    let mut crawl = Crawl::new(&web, "walkers:multiple", &setup(8));
    (0..3).for_each(|seed| crawl.see(seed * 20, None, 0.0));
    crawl.ask(1, &mut |_| Turn::Now);
    assert_eq!(crawl.strategy.agents().len(), 15);
}

#[test]
fn nobody_waits_for_a_site_that_rests_for_long_while_another_is_ready() {
    let web = Web { words: vec!["soup".into(); 2], links: vec![Vec::new(); 2] };
    for name in AGENTS {
        // The only agent begins at the page whose site rests, and there is no way back.
        let setup = Setup { agents: Some(1), ..setup(12) };
        let mut crawl = Crawl::new(&web, name, &setup);
        crawl.see(1, None, 0.0);
        crawl.see(0, None, 0.0);
        let odd = site("odd");
        let named = crawl.ask(1, &mut |on| if *on == odd { Turn::Later } else { Turn::Now });
        assert_eq!(named.len(), 1, "{name}");
        assert_eq!(crawl.number(&named[0]), 0);
        crawl.answer(&named[0]);
        crawl.strategy.wake(&odd);
        assert_eq!(crawl.ask(1, &mut |_| Turn::Now).len(), 1, "{name}: the other one");
    }
}

#[test]
fn what_agents_do_can_be_read() {
    let web = Web::ring(100);
    for name in AGENTS {
        let mut crawl = Crawl::new(&web, name, &setup(9));
        crawl.now = Tick(1_000_000);
        crawl.see(0, None, 0.0);
        crawl.run(40);
        let mut events = Vec::new();
        crawl.strategy.log(&mut events);
        assert!(events.iter().all(|event| event.at >= Tick(1_000_000)), "{name}");
        let visits =
            events.iter().filter(|event| matches!(event.deed, Deed::Visited { .. })).count();
        assert!((30..=40).contains(&visits), "{name}: {visits}");
        let born: HashSet<&str> = events
            .iter()
            .filter(|event| matches!(event.deed, Deed::Born { .. }))
            .map(|event| event.agent.as_str())
            .collect();
        let agents = crawl.strategy.agents();
        assert!(agents.iter().all(|agent| born.contains(agent.name.as_str())), "{name}");
        let names: HashSet<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names.len(), agents.len(), "{name}: two of one name");
        let choice = crawl.ask(1, &mut |_| Turn::Now).pop().expect("one more");
        assert!(choice.agent.is_some_and(|agent| names.contains(&*agent)), "{name}");
    }
}

#[test]
fn every_choice_can_say_why_right_after_it_was_made() {
    let web = Web::ring(150);
    // Breadth-first has nothing to say beyond its score.
    let names = NAMES.iter().chain(&AGENTS).filter(|name| **name != "breadth-first");
    for name in names.map(|name| name.replace(":N", ":7")) {
        let mut crawl = Crawl::new(&web, &name, &setup(10));
        crawl.see(0, None, 0.0);
        for round in 0..30 {
            let choices = crawl.ask(2, &mut |_| Turn::Now);
            assert!(!choices.is_empty(), "{name}: nothing in round {round}");
            for choice in &choices {
                let why = crawl.strategy.why(choice.url).expect("known");
                assert!(!why.parts.is_empty(), "{name}");
                for part in &why.parts {
                    assert!(part.name.chars().all(|c| c == ',' || c == ' ' || c.is_lowercase()));
                    assert!(part.value.is_finite(), "{name}: {part:?}");
                }
                assert_eq!(why.energy.is_some(), name == "infospiders");
                assert_eq!(why.pheromone.is_some(), name.starts_with("walkers"));
                // Where scores do not change by themselves, the parts add up.
                if ["best-first", "breadth-first", "shark", "fish", "opic"].contains(&&*name) {
                    let sum: f32 = why.parts.iter().map(|part| part.value).sum();
                    assert!((sum - choice.score).abs() < 1e-5, "{name}: {why:?} {}", choice.score);
                }
            }
            choices.iter().for_each(|choice| crawl.answer(choice));
        }
        assert_eq!(crawl.strategy.why(id(9_999)), None, "{name}: nobody knows that one");
    }
}

#[test]
fn settings_that_make_no_sense_are_told_before_a_crawl_begins() {
    let mut setup = setup(1);
    setup.parameters.walkers.cap = 0;
    let error = by_name("walkers:single", &setup).err().expect("refused");
    assert!(error.hint.contains("cap"), "{error:?}");
    assert!(
        by_name("walkers:dancing", &Setup::default())
            .err()
            .expect("unknown")
            .hint
            .contains("immune")
    );
}
