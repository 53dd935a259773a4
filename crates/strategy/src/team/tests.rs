use super::*;
use crate::{LinkEvidence, Relevance, Setup, Strategy, Verdict};
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::{Care, Deed, Performative, Rank, Spot, Term};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};
use std::collections::HashSet;

/// A web of numbered pages: page `n` links to `2n + 1`, `2n + 2` and back to `n / 3`, and is as relevant as
/// `relevance` says.
struct World<'a> {
    team: ContractNet,
    site: Site,
    pages: usize,
    relevance: &'a dyn Fn(usize) -> f32,
    seen: HashSet<usize>,
    chosen: Vec<usize>,
    by: Vec<Arc<str>>,
    topic: RelevanceModel,
    now: Tick,
    waits: Vec<Choice>,
}

impl<'a> World<'a> {
    fn new(team: ContractNet, pages: usize, relevance: &'a dyn Fn(usize) -> f32) -> World<'a> {
        let site = Site::of(&url::Url::parse("http://a.test/").expect("url")).expect("site");
        let words = Bag::of_words(["whale", "sea"].into_iter());
        World {
            team,
            site,
            pages,
            relevance,
            seen: HashSet::new(),
            chosen: Vec::new(),
            by: Vec::new(),
            topic: RelevanceModel::new(words, Vec::new()),
            now: Tick(1_000_000),
            waits: Vec::new(),
        }
    }

    fn id(number: usize) -> UrlId {
        UrlId::of(&number.to_string())
    }

    fn see(&mut self, number: usize, via: Option<usize>) {
        let known = !self.seen.insert(number);
        let link = LinkEvidence {
            url: World::id(number),
            address: "",
            site: &self.site,
            known,
            seed: via.is_none(),
            via: via.map(World::id),
            parent_relevance: via.map_or(0.0, self.relevance),
            wanted_language: true,
            depth: 0,
            anchor: if number.is_multiple_of(5) { "the whale" } else { "more" },
            context: "",
            tag_path: "",
            topic: &self.topic,
        };
        self.team.on_link(&link);
        if !known {
            let spot = Spot { rank: self.team.rank(&link), place: number as u64 };
            self.team.offer(&self.site, World::id(number), spot);
        }
    }

    fn fetch(&mut self) -> Option<usize> {
        let mut out = Vec::new();
        self.team.next(self.now, 1, &mut |_| Turn::Now, &mut out);
        let choice = out.pop()?;
        let number = choice.spot.place as usize;
        self.chosen.push(number);
        self.by.extend(choice.agent.clone());
        self.waits.push(choice);
        Some(number)
    }

    fn land(&mut self, number: usize) {
        let word = |word: &str| Term { word: word.into(), count: 2 };
        let terms = [word(["whale", "soup"][number % 2]), word(["sea", "salt", "sun"][number % 3])];
        let bag = Bag::of_terms(&terms);
        let page = PageView {
            url: World::id(number),
            site: &self.site,
            depth: 0,
            terms: &terms,
            bag: &bag,
            wanted_language: true,
            links: 3,
            at: self.now,
            took: Duration::from_millis(100),
            topic: &self.topic,
        };
        self.team.on_page(&page, Relevance((self.relevance)(number)));
        for target in [2 * number + 1, 2 * number + 2, number / 3] {
            if target < self.pages {
                self.see(target, Some(number));
            }
        }
    }

    /// One second, and one page if there is any.
    fn step(&mut self) -> bool {
        self.now = self.now.after(Duration::from_secs(1));
        let chosen = self.fetch();
        chosen.into_iter().for_each(|number| self.land(number));
        chosen.is_some()
    }
}

fn parameters() -> TeamParameters {
    TeamParameters { period_ms: 30_000, deadline_ms: 6_000, ..TeamParameters::default() }
}

fn setup(parameters: TeamParameters) -> Setup {
    let parameters = crate::Parameters { team: parameters, ..crate::Parameters::default() };
    Setup { parameters, ..Setup::default() }
}

fn performatives(team: &ContractNet, conversation: &str) -> Vec<&'static str> {
    let said = team.conversation(conversation);
    said.iter().map(|logged| logged.message.performative.name()).collect()
}

#[test]
fn links_pass_by_contract_in_the_five_stages() {
    // What the first agent finds is relevant, what the second finds is not.
    let relevance = |number: usize| if number.is_multiple_of(2) { 0.9 } else { 0.05 };
    let parameters = TeamParameters { agents: 2, threshold: 0.1, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 4_000, &relevance);
    world.see(1_000, None);
    world.see(1_001, None);
    while world.team.contracts().kept == 0 {
        assert!(world.step() && world.chosen.len() < 1_000, "no contract came about");
    }
    let round = world.team.rounds();
    let contract = format!("round-{round}-contract-1");
    assert_eq!(
        performatives(&world.team, &contract),
        [
            "cfp",
            "propose",
            "accept-proposal",
            "accept-proposal",
            "inform",
            "inform",
            "inform",
            "inform",
            "inform"
        ],
        "call, bid, contract for both, links twice, receipt, end for both"
    );
    let said = world.team.conversation(&contract);
    assert!(said[0].message.reply_by.is_some_and(|by| by > said[0].at), "a call has a deadline");
    assert_eq!(said[1].message.in_reply_to, Some(said[0].message.reply_with));
    let abilities = performatives(&world.team, &format!("round-{round}"));
    assert!(abilities.contains(&"inform") && abilities.contains(&"cfp"), "{abilities:?}");
    assert_eq!(performatives(&world.team, "registration-1"), ["request", "agree"]);
    // Why a link of the contract stands where it does.
    let TeamContent::Links(links) = &said[4].message.content else { panic!("links are fifth") };
    let spot = Spot { rank: Rank::default(), place: 0 };
    let mut passed = links.iter().map(|link| world.team.explain(link.url, spot).join("; "));
    let why = passed.rfind(|why| why.contains("waits with")).expect("one waits");
    assert!(why.contains(&contract) && why.contains("anchor") && why.contains("parents"), "{why}");
    assert!(why.contains("crawler-"), "{why}");
    // And why it was chosen.
    let passed: Vec<UrlId> = links.iter().map(|link| link.url).collect();
    let chosen = std::iter::from_fn(|| world.fetch()).map(World::id);
    let chosen = chosen.filter(|url| passed.contains(url)).last().expect("one of the contract");
    let why = world.team.why(chosen).expect("known");
    assert_eq!(why.contract, Some(contract));
    let names: Vec<&str> = why.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["parents", "anchor"]);
}

#[test]
fn a_verdict_changes_what_the_team_looks_for() {
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters()));
    let mut world = World::new(team, 100, &|number| 0.01 * number as f32);
    world.see(0, None);
    while world.step() {}
    let has = |world: &World<'_>, url: UrlId| {
        let lattice = world.team.lattice(None).expect("of the facilitator");
        lattice.context().pages().contains(&url.to_string())
    };
    // The last pages are the best, and the poor ones are kept by those who read them last.
    let (best, poor) = (World::id(99), World::id(*world.chosen.last().expect("one")));
    assert!(has(&world, best));
    let bag = Bag::of_words(["whale"].into_iter());
    let topic = world.topic.clone();
    world.team.on_verdict(&Verdict { url: best, bag: &bag, good: false, topic: &topic });
    assert!(!has(&world, best));
    world.team.on_verdict(&Verdict { url: poor, bag: &bag, good: true, topic: &topic });
    assert!(has(&world, poor));
}

#[test]
fn every_agent_has_a_lattice_of_its_pages() {
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters()));
    let mut world = World::new(team, 200, &|_| 0.5);
    world.see(0, None);
    while world.step() {}
    let lattices = world.team.lattices();
    let names: Vec<&str> = lattices.iter().map(|(name, _)| name.as_str()).collect();
    let own = ["crawler-1", "crawler-2", "crawler-3", "crawler-4", "crawler-5"];
    assert_eq!((names[0], &names[1..]), ("facilitator", &own[..]));
    assert!(lattices.iter().all(|(_, lattice)| lattice.concepts().len() > 3));
}

#[test]
fn the_weak_do_not_call_and_the_strong_do_not_bid() {
    let parameters = TeamParameters { agents: 3, threshold: 9.0, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 600, &|_| 0.5);
    (0..3).for_each(|number| world.see(number, None));
    while world.step() {}
    assert!(world.team.rounds() > 3);
    assert_eq!(world.team.contracts(), ContractCounts::default());
    assert_eq!(world.chosen.len(), 600);
}

#[test]
fn crawlers_take_turns_and_the_same_calls_give_the_same_choices() {
    for variant in [Variant::ContractNet, Variant::XiangDan, Variant::Wyy] {
        let run = || {
            let team = ContractNet::new(variant, &setup(parameters()));
            let mut world = World::new(team, 900, &|number| (number % 7) as f32 / 7.0);
            (0..5).for_each(|number| world.see(number, None));
            while world.step() {}
            (world.chosen, world.by)
        };
        let (chosen, by) = run();
        assert_eq!(run(), (chosen.clone(), by.clone()));
        assert_eq!(chosen.iter().collect::<HashSet<_>>().len(), 900, "each once");
        let shares = (1..=5).map(|n| by.iter().filter(|b| ***b == *format!("crawler-{n}")).count());
        assert!(shares.clone().all(|share| share > 100), "{:?}", shares.collect::<Vec<_>>());
    }
}

#[test]
fn one_agent_and_a_thousand_can_crawl() {
    for agents in [0, 1, 1_000, 9_999] {
        let parameters = TeamParameters { agents, ..parameters() };
        let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
        let mut world = World::new(team, 300, &|_| 0.5);
        world.see(0, None);
        while world.step() {}
        assert_eq!(world.chosen.len(), 300, "{agents} agents");
    }
}

#[test]
fn links_go_to_their_owners_where_a_hash_decides_and_nobody_is_asked() {
    let parameters = TeamParameters { ownership: Ownership::Hash, threshold: 9.0, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 400, &|_| 0.5);
    (0..5).for_each(|number| world.see(number, None));
    while world.step() {}
    assert_eq!(world.chosen.len(), 400);
    for (number, by) in world.chosen.iter().zip(&world.by).filter(|(number, _)| **number > 4) {
        let owner = World::id(*number).fingerprint() % 5 + 1;
        assert_eq!(**by, *format!("crawler-{owner}"));
    }
    let said = |one: &dyn Fn(&TeamContent) -> bool| {
        world.team.team.bus.log().filter(|logged| one(&logged.message.content)).count()
    };
    assert!(said(&|content| matches!(content, TeamContent::Links(_))) > 100);
    assert_eq!(said(&|content| matches!(content, TeamContent::Check(_))), 0);
}

#[test]
fn a_crawler_that_dies_is_replaced_and_its_links_are_crawled() {
    let parameters = TeamParameters { agents: 2, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 500, &|_| 0.5);
    world.see(0, None);
    world.see(1, None);
    (0..50).for_each(|_| assert!(world.step()));
    let left = world.team.lattice(Some(1)).map(|lattice| lattice.context().pages().len());
    assert!(left.is_some_and(|pages| pages > 10));
    world.team.kill(1);
    let mut idle = 0;
    while idle < 200 {
        idle = if world.step() { 0 } else { idle + 1 };
    }
    assert_eq!(world.chosen.iter().collect::<HashSet<_>>().len(), 500);
    assert_eq!(world.chosen.len(), 500, "nothing twice");
    assert!(world.by.iter().any(|by| &**by == "crawler-3"), "somebody took its place");
}

#[test]
fn a_crawler_is_stopped_by_hand_in_the_middle_and_fed_without_a_link_lost() {
    let parameters = TeamParameters { agents: 2, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 500, &|_| 0.5);
    (0..2).for_each(|seed| world.see(seed, None));
    (0..50).for_each(|_| assert!(world.step()));
    let now = world.now;
    let tended = world.team.tend(now, "crawler-1", Care::Stop).expect("it lives");
    assert_eq!(tended.other.as_deref(), Some("crawler-3"), "somebody takes its place at once");
    assert!(tended.links > 0);
    let fed = world.team.tend(now, "crawler-3", Care::Feed).expect("it lives");
    assert_eq!((fed.other.as_deref(), fed.links), (Some("crawler-2"), 10));
    let mut deeds = Vec::new();
    world.team.log(&mut deeds);
    let done = deeds.iter().filter(|event| !matches!(event.deed, Deed::Said { .. }));
    let done: Vec<&str> = done.map(|event| &*event.agent).collect();
    assert_eq!(done, ["crawler-1", "crawler-1", "assistant-1", "crawler-3", "crawler-3"]);
    for (who, error) in [("crawler-1", "has died"), ("crawler-9", "no agent"), ("Ada", "no agent")]
    {
        let untended = world.team.tend(now, who, Care::Feed).expect_err(who);
        assert!(untended.error.contains(error), "{untended:?}");
    }
    let mut idle = 0;
    while idle < 200 {
        idle = if world.step() { 0 } else { idle + 1 };
    }
    assert_eq!(world.chosen.iter().collect::<HashSet<_>>().len(), 500);
    assert_eq!(world.chosen.len(), 500, "nothing twice");
}

#[test]
fn a_bid_that_comes_late_does_not_hold_up_the_round() {
    let faults = Faults { seed: 5, late: 0.4, late_by: Duration::from_secs(4), lost: 0.0 };
    let bus = BusSettings { delay: Duration::from_millis(200), faults };
    let parameters = TeamParameters { agents: 4, threshold: 0.05, ..parameters() };
    let deadline = Duration::from_millis(parameters.deadline_ms);
    let team = ContractNet::with_bus(Variant::ContractNet, &setup(parameters), bus);
    let mut world =
        World::new(team, 3_000, &|number| if number.is_multiple_of(3) { 1.0 } else { 0.1 });
    (0..4).for_each(|number| world.see(number, None));
    let (mut open_since, mut longest) = (None, Duration::ZERO);
    for _ in 0..2_000 {
        world.step();
        match (&world.team.team.facilitator.round, open_since) {
            (None, _) => open_since = None,
            (Some(round), Some((name, since))) if name == round.conversation => {
                longest = longest.max(world.now.since(since));
                open_since = Some((name, since));
            }
            (Some(round), _) => open_since = Some((round.conversation.clone(), world.now)),
        }
    }
    assert!(world.team.contracts().kept > 0 && longest > Duration::ZERO);
    assert!(longest <= deadline, "a round was open for {longest:?}");
    let late = world
        .team
        .team
        .bus
        .log()
        .filter(|logged| logged.message.performative == Performative::RejectProposal);
    assert!(late.count() > 0, "no bid was refused");
}

#[test]
fn everybody_is_told_to_stop_and_the_log_keeps_its_limit() {
    let parameters = TeamParameters { log: 50, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 400, &|_| 0.5);
    world.see(0, None);
    while world.step() {}
    world.team.end(world.now);
    assert!(world.team.agents().iter().skip(1).all(|agent| !agent.alive));
    let said = performatives(&world.team, "stop");
    assert_eq!(said, ["cancel"; 10], "assistants and crawlers");
    let mut events = Vec::new();
    world.team.log(&mut events);
    assert_eq!(events.len(), 50);
    assert!(world.team.messages() > 400);
    world.team.log(&mut events);
    assert_eq!(events.len(), 50, "each is told once");
    let written = serde_json::to_value(&events[49]).expect("written");
    assert_eq!(written["deed"], "said");
    assert_eq!(written["message"]["performative"], "cancel");
}

#[test]
fn what_speaks_for_a_redirect_speaks_for_where_it_leads() {
    let parameters = TeamParameters { agents: 1, ..parameters() };
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters));
    let mut world = World::new(team, 12, &|_| 0.8);
    world.see(2, None);
    assert!(world.step());
    // Pages 0 and 5 have the anchor "the whale"; the latter leads to page 11.
    assert_eq!((world.fetch(), world.fetch()), (Some(0), Some(5)));
    world.team.on_fail(World::id(5), lycosa_model::Outcome::Redirect, Duration::ZERO);
    world.see(11, Some(5));
    let spot = Spot { rank: Rank::default(), place: 11 };
    let why = world.team.explain(World::id(11), spot).join("; ");
    assert!(why.contains("x 1.000 anchor") && why.contains("crawler-1"), "{why}");
}

#[test]
fn with_reputation_those_come_first_who_keep_their_word_and_have_time() {
    let mut facilitator = Facilitator::new(true);
    (1..=3).for_each(|number| facilitator.expect(number));
    for (number, ability) in [(1, 0.1), (2, 0.2), (3, 0.3)] {
        if let Some(member) = facilitator.members.get_mut(&number) {
            member.ability = ability;
        }
    }
    let order = |facilitator: &Facilitator, reputation: bool| {
        let mut numbers = vec![3, 2, 1];
        let parameters = TeamParameters { reputation, queue_cap: 100, ..TeamParameters::default() };
        facilitator.by_need(&parameters, &mut numbers);
        numbers
    };
    assert_eq!(order(&facilitator, true), [1, 2, 3], "as long as all are equal, the weakest");
    // What the first has promised was worth nothing, and the second has all hands full.
    (0..9).for_each(|_| facilitator.judge(1, 0.8, 0.0));
    facilitator.judge(3, 0.8, 0.9);
    if let Some(member) = facilitator.members.get_mut(&2) {
        member.waiting = 90;
    }
    assert_eq!(order(&facilitator, true), [3, 1, 2]);
    assert_eq!(order(&facilitator, false), [1, 2, 3]);
}

#[test]
fn settings_that_do_not_exist_are_refused() {
    let read: TeamParameters = serde_json::from_str(r#"{"threshold": 0.5}"#).expect("known");
    assert_eq!((read.threshold, read.alpha), (0.5, 0.5));
    assert!(serde_json::from_str::<TeamParameters>(r#"{"treshold": 0.5}"#).is_err());
    assert!(serde_json::from_str::<TeamParameters>(r#"{"closeness": {"isa": 1}}"#).is_err());
}

#[test]
fn without_a_topic_or_with_dead_seeds_the_team_goes_on() {
    let team = ContractNet::new(Variant::ContractNet, &setup(parameters()));
    let mut world = World::new(team, 50, &|_| 0.0);
    world.topic = RelevanceModel::default();
    (0..3).for_each(|number| world.see(number, None));
    let dead = world.fetch().expect("a seed");
    world.team.on_fail(World::id(dead), lycosa_model::Outcome::ClientError, Duration::ZERO);
    while world.step() {}
    assert!(world.chosen.len() >= 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn whatever_goes_wrong_every_url_is_fetched_once(
        seed in any::<u64>(),
        lost in 0.0f32..0.4,
        late in 0.0f32..0.4,
        delay in 0u64..3_000,
        agents in 1usize..7,
        variant in prop::sample::select(
            vec![Variant::ContractNet, Variant::XiangDan, Variant::Wyy]
        ),
        kills in prop::collection::vec((0usize..400, 1u32..9), 0..5),
        cares in prop::collection::vec((0usize..400, 1u32..9, any::<bool>()), 0..8),
    ) {
        let faults = Faults { seed, lost, late, late_by: Duration::from_secs(5) };
        let bus = BusSettings { delay: Duration::from_millis(delay), faults };
        let parameters = TeamParameters { agents, threshold: 0.05, ..parameters() };
        let team = ContractNet::with_bus(variant, &setup(parameters), bus);
        let relevance = |number: usize| if number.is_multiple_of(3) { 0.9 } else { 0.1 };
        let mut world = World::new(team, 400, &relevance);
        (0..4).for_each(|number| world.see(number, None));
        for step in 0..400 {
            kills.iter().filter(|(at, _)| *at == step).for_each(|(_, who)| world.team.kill(*who));
            for (_, who, feed) in cares.iter().filter(|(at, ..)| *at == step) {
                let how = if *feed { Care::Feed } else { Care::Stop };
                let size = world.team.team.assistants.len();
                // Whoever is not there cannot be tended, and nothing changes.
                let _ = world.team.tend(world.now, &format!("crawler-{who}"), how);
                prop_assert_eq!(world.team.team.assistants.len(), size, "a team keeps its size");
            }
            world.step();
        }
        // The faults end, and whatever is held somewhere comes out.
        world.team.team.bus.faults = Faults::default();
        let mut idle = 0;
        while idle < 600 {
            idle = if world.step() { 0 } else { idle + 1 };
        }
        let once: HashSet<usize> = world.chosen.iter().copied().collect();
        prop_assert_eq!(once.len(), world.chosen.len(), "one was fetched twice");
        prop_assert_eq!(&once, &world.seen, "one was lost");
        prop_assert!(world.team.loaded() == 0);
    }
}
