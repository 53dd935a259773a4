use super::*;
use crate::{Strategy, Turn};
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::{Site, Spot, Term, Tick};
use std::time::Duration;

/// A crawl of made-up pages under one strategy.
struct Yard {
    strategy: Pooled<Learned>,
    topic: RelevanceModel,
    site: Site,
    place: u64,
}

fn terms(words: &str) -> Vec<Term> {
    words.split(' ').map(|word| Term { word: word.into(), count: 2 }).collect()
}

fn bag(words: &str) -> Bag {
    Bag::of_terms(&terms(words))
}

fn id(name: &str) -> UrlId {
    UrlId::of(&format!("http://a.test/{name}"))
}

impl Yard {
    fn new(parameters: LearnedParameters) -> Yard {
        let site = Site::of(&url::Url::parse("http://a.test/").expect("url")).expect("site");
        let topic = RelevanceModel::new(bag("whale sea"), vec![bag("whale sea song krill")]);
        let parameters = LearnedParameters { explore: 0.0, ..parameters };
        let strategy = Learned::new(&Setup { strict: true, ..Setup::default() }, parameters);
        Yard { strategy, topic, site, place: 0 }
    }

    fn page(&mut self, name: &str, words: &str) {
        let (terms, bag) = (terms(words), bag(words));
        let relevance = self.topic.read(&bag);
        let page = PageView {
            url: id(name),
            site: &self.site,
            depth: 0,
            terms: &terms,
            bag: &bag,
            wanted_language: true,
            links: 1,
            at: Tick(0),
            took: Duration::ZERO,
            topic: &self.topic,
        };
        self.strategy.on_page(&page, Relevance(relevance));
    }

    /// A link from a page to another, with these words.
    fn link(&mut self, from: &str, to: &str, anchor: &str, known: bool) {
        let address = format!("http://a.test/{to}");
        let link = LinkEvidence {
            url: id(to),
            address: &address,
            site: &self.site,
            known,
            seed: false,
            via: Some(id(from)),
            parent_relevance: 0.1,
            wanted_language: true,
            depth: 1,
            anchor,
            context: "",
            tag_path: "",
            topic: &self.topic,
        };
        self.strategy.on_link(&link);
        if !known {
            let spot = Spot { rank: self.strategy.rank(&link), place: self.place };
            self.place += 1;
            self.strategy.offer(&self.site.clone(), id(to), spot);
        }
    }

    /// A person says what a page is worth, as the broker passes it on.
    fn verdict(&mut self, name: &str, words: &str, good: bool) {
        let bag = bag(words);
        self.topic.hear(bag.clone(), good);
        let verdict = Verdict { url: id(name), bag: &bag, good, topic: &self.topic };
        self.strategy.on_verdict(&verdict);
    }

    /// What a link that waits is worth, and the part of it that its parents are worth.
    fn worth(&self, name: &str) -> (f32, f32) {
        let parents = self.strategy.why(id(name)).expect("it waits").parts[0].value;
        (self.strategy.pool.score(id(name)).expect("it waits"), parents)
    }

    fn take(&mut self) -> Option<UrlId> {
        let mut out = Vec::new();
        self.strategy.next(Tick(0), 1, &mut |_| Turn::Now, &mut out);
        out.pop().map(|choice| choice.url)
    }
}

#[test]
fn a_link_that_good_pages_agree_on_comes_before_one_that_poor_pages_have_as_well() {
    let mut yard = Yard::new(LearnedParameters::default());
    yard.page("good-1", "whale sea song krill");
    yard.link("good-1", "both", "x1", false);
    yard.link("good-1", "good", "x2", false);
    yard.page("poor", "tomato soup basil oil");
    yard.link("poor", "both", "x1", true);
    yard.page("good-2", "whale sea fin song");
    yard.link("good-2", "good", "x2", true);
    assert_eq!(yard.take(), Some(id("good")));
    assert_eq!(yard.take(), Some(id("both")));
    assert_eq!(yard.take(), None);
}

#[test]
fn links_beside_links_to_relevant_pages_come_first() {
    let poor = "tomato soup basil oil";
    let mut yard = Yard::new(LearnedParameters::default());
    for (hub, words) in [("other", poor), ("hub", "whale sea song krill")] {
        yard.page(hub, poor);
        for number in 0..6 {
            yard.link(hub, &format!("{hub}-{number}"), "", false);
        }
        // The last of its links is left to choose.
        for number in 0..5 {
            let name = format!("{hub}-{number}");
            yard.strategy.scorer.taken(id(&name));
            yard.strategy.pool.remove(id(&name));
            yard.page(&name, words);
        }
    }
    // A page that is read only now, and links to the same pages.
    yard.page("late", poor);
    (0..5).for_each(|number| yard.link("late", &format!("hub-{number}"), "", true));
    yard.link("late", "beside", "", false);
    let ahead = |yard: &Yard, name: &str| {
        let parts = yard.strategy.why(id(name)).expect("it waits").parts;
        parts.iter().find(|part| part.name == "other links of the parents").expect("told").value
    };
    assert!(ahead(&yard, "hub-5") > 0.1 && ahead(&yard, "beside") > 0.1);
    assert!(ahead(&yard, "other-5") <= 0.0);
    yard.strategy.scorer.due = 0;
    yard.page("again", poor);
    let order = [yard.take(), yard.take(), yard.take()];
    assert_eq!(order[2], Some(id("other-5")), "{order:?}");
}

#[test]
fn the_words_of_a_link_speak_for_it() {
    let mut yard = Yard::new(LearnedParameters::default());
    yard.page("page", "tomato soup basil oil");
    yard.link("page", "soup", "tomato soup", false);
    yard.link("page", "whale", "the blue whale", false);
    let spot = Spot::default();
    let why = yard.strategy.explain(id("whale"), spot);
    assert!(why.iter().any(|line| line.contains("words of the link")), "{why:?}");
    assert_eq!(yard.take(), Some(id("whale")));
}

#[test]
fn where_nothing_answers_nothing_is_expected() {
    let mut yard = Yard::new(LearnedParameters::default());
    yard.page("page", "whale sea song krill");
    for number in 0..20 {
        yard.link("page", &format!("dead/{number}"), "", false);
    }
    for _ in 0..10 {
        let url = yard.take().expect("one waits");
        yard.strategy.on_fail(url, Outcome::ClientError, Duration::ZERO);
    }
    yard.link("page", "living/one", "", false);
    assert_eq!(yard.take(), Some(id("living/one")), "before those left in the dead folder");
}

#[test]
fn pages_are_judged_anew_as_the_topic_is_learned() {
    let parameters = LearnedParameters { review: 1, best: 0.5, ..LearnedParameters::default() };
    let mut yard = Yard::new(parameters);
    yard.page("whales", "whale sea song dolphin dolphin");
    yard.page("dolphins", "dolphin pod fin swim");
    let judged = |yard: &Yard, name: &str| {
        let number = yard.strategy.scorer.pages.number(id(name)).expect("read");
        let mut evidence = Evidence::default();
        evidence.parents.push(number);
        yard.strategy.scorer.pages.prior(&evidence)
    };
    let before = judged(&yard, "dolphins").most;
    for number in 0..6 {
        yard.page(&format!("both-{number}"), "whale sea song dolphin pod");
        yard.page(&format!("other-{number}"), "tomato soup basil oil");
    }
    let after = judged(&yard, "dolphins").most;
    assert!(after > before, "{after} of {before}: good pages speak of dolphins");
}

#[test]
fn a_verdict_counts_at_once_for_links_of_pages_like_the_one_it_is_about() {
    for good in [true, false] {
        let mut yard = Yard::new(LearnedParameters::default());
        yard.page("cats", "whale jaguar cat forest prey");
        yard.page("more-cats", "whale jaguar cat jungle prey");
        yard.link("more-cats", "cat", "", false);
        yard.page("cars", "whale engine car wheel race");
        yard.link("cars", "car", "", false);
        let (cat, car) = (yard.worth("cat"), yard.worth("car"));
        yard.verdict("cats", "whale jaguar cat forest prey", good);
        let (cat_now, car_now) = (yard.worth("cat"), yard.worth("car"));
        let rises = |before: (f32, f32), now: (f32, f32)| (now.0 - before.0, now.1 - before.1);
        let (of_cat, of_car) = (rises(cat, cat_now), rises(car, car_now));
        match good {
            true => assert!(of_cat.0 > 0.01 && of_cat.1 > 0.01, "{of_cat:?}"),
            false => assert!(of_cat.0 < -0.01 && of_cat.1 < -0.01, "{of_cat:?}"),
        }
        // More than for links of pages that are about something else.
        assert_eq!(of_cat.1 > of_car.1, good, "{of_cat:?} {of_car:?}");
        assert_eq!(yard.take(), Some(id(if good { "cat" } else { "car" })));
    }
}

#[test]
fn who_changes_their_mind_is_heard_and_a_verdict_gets_over_a_restart() {
    let mut yard = Yard::new(LearnedParameters::default());
    let words = "whale tomato soup basil oil salt pan";
    yard.page("page", words);
    yard.link("page", "next", "", false);
    let before = yard.worth("next").1;
    yard.verdict("page", words, false);
    let bad = yard.worth("next").1;
    yard.verdict("page", words, true);
    let good = yard.worth("next").1;
    assert!(bad < before && before < good, "{bad} {before} {good}");
    let saved = yard.strategy.save().expect("something");
    let mut strategy = Learned::new(&Setup::default(), LearnedParameters::default());
    strategy.load(&saved).expect("read");
    strategy.offer(&yard.site, id("next"), Spot::default());
    let topic = &yard.topic;
    strategy.scorer.judge_anew(topic, &mut strategy.pool);
    let after = strategy.why(id("next")).expect("it waits").parts[0].value;
    assert!((after - good).abs() < 1e-3, "{after} instead of {good}");
    // A page that nobody has read counts by its words alone.
    yard.verdict("elsewhere", "tomato soup", false);
}

#[test]
fn links_that_are_gone_are_not_remembered() {
    let mut yard = Yard::new(LearnedParameters::default());
    yard.page("page", "whale sea song krill");
    for number in 0..3 * FOUND {
        yard.link("page", &number.to_string(), "", false);
        let url = yard.take().expect("one waits");
        yard.strategy.on_fail(url, Outcome::ClientError, Duration::ZERO);
    }
    let scorer = &yard.strategy.scorer;
    assert!(scorer.found.len() <= FOUND + 1, "{}", scorer.found.len());
    assert_eq!((scorer.waiting.len(), scorer.under_way.len()), (0, 0));
}

#[test]
fn the_same_calls_give_the_same_choices() {
    let run = || {
        let parameters = LearnedParameters::default();
        let mut yard = Yard::new(parameters);
        yard.strategy =
            Learned::new(&Setup::default(), LearnedParameters { explore: 0.5, ..parameters });
        let mut order = Vec::new();
        for number in 0..30 {
            yard.page(&format!("p{number}"), "whale sea tomato");
            for to in 0..5 {
                yard.link(&format!("p{number}"), &format!("{number}-{to}"), "whale", false);
            }
            order.extend(yard.take());
        }
        order
    };
    assert_eq!(run(), run());
}
