use super::*;
use crate::dice::Dice;

/// Pages and their links.
struct Pages(Vec<Vec<u32>>);

impl Graph<u32> for Pages {
    fn links(&self, page: u32) -> &[u32] {
        &self.0[page as usize]
    }
}

/// Each page links to `degree` others, drawn once and taken both ways.
fn undirected(pages: u32, degree: usize, seed: u64) -> Pages {
    let mut dice = Dice::new(seed);
    let mut links = vec![Vec::new(); pages as usize];
    for page in 0..pages {
        // A ring, so that everything hangs together.
        let ring = (page + 1) % pages;
        let drawn = (1..degree / 2).map(|_| dice.below(pages as usize) as u32);
        for other in std::iter::once(ring).chain(drawn.collect::<Vec<_>>()) {
            if other != page && !links[page as usize].contains(&other) {
                links[page as usize].push(other);
                links[other as usize].push(page);
            }
        }
    }
    Pages(links)
}

fn colony(kind: Kind, parameters: WalkerParameters, seed: u64) -> Colony<u32> {
    let mut colony = Colony::new(kind, parameters, seed);
    colony.settle(0);
    colony.begin();
    colony
}

fn settings() -> WalkerParameters {
    WalkerParameters { patience: 0, cap: 10_000, ..WalkerParameters::default() }
}

fn rounds_to_cover(kind: Kind, web: &Pages, seed: u64) -> u64 {
    let mut colony = colony(kind, settings(), seed);
    while colony.visited() < web.0.len() {
        colony.round(web);
    }
    colony.rounds()
}

#[test]
fn more_walkers_need_fewer_rounds_in_the_order_of_the_paper() {
    let web = undirected(600, 8, 1);
    let mean = |kind| (0..5).map(|seed| rounds_to_cover(kind, &web, seed)).sum::<u64>() / 5;
    let [single, multiple, cloning] = [Kind::Single, Kind::Multiple, Kind::Cloning].map(mean);
    assert!(single > 3 * multiple && multiple > 2 * cloning, "{single} {multiple} {cloning}");
}

#[test]
fn pheromone_keeps_the_population_that_it_should() {
    let web = undirected(1_000, 8, 2);
    let parameters = WalkerParameters { lambda: 0.1, ..settings() };
    let degrees: Vec<usize> = web.0.iter().map(Vec::len).collect();
    let expected = parameters.balanced_population(&degrees);
    let mut colony = colony(Kind::Cloning, parameters, 3);
    let mut total = 0;
    for round in 0..1_500 {
        colony.round(&web);
        total += if round >= 500 { colony.walkers().len() } else { 0 };
    }
    let mean = total as f64 / 1_000.0;
    assert!((mean / expected - 1.0).abs() < 0.1, "{mean} walkers instead of {expected}");
}

#[test]
fn populations_never_die_out_and_never_pass_their_cap() {
    let web = undirected(50, 6, 3);
    for kind in [Kind::Cloning, Kind::Immune] {
        for (lambda, cap) in [(0.000_1, 7), (0.9, 7), (0.9, 1), (0.05, 100)] {
            let mut colony = colony(kind, WalkerParameters { lambda, cap, ..settings() }, 4);
            for _ in 0..2_000 {
                colony.round(&web);
                let alive = colony.walkers().len();
                assert!((1..=cap).contains(&alive), "{kind:?} {lambda} {cap}: {alive}");
            }
            let counts = colony.counts();
            let begun = WalkerParameters::default().walkers.min(cap) as u64;
            assert_eq!(begun + counts.births - counts.deaths, colony.walkers().len() as u64);
        }
    }
}

#[test]
fn a_page_never_visited_clones_and_one_just_visited_kills() {
    // From the middle of a star every page is new at first, and both walkers take different links.
    let star =
        Pages(vec![(1..=40).collect(), vec![0]].into_iter().chain(vec![vec![0]; 39]).collect());
    let parameters = WalkerParameters { walkers: 1, lambda: 0.05, ..settings() };
    let mut colony = colony(Kind::Cloning, parameters, 5);
    colony.round(&star);
    assert_eq!(colony.walkers().len(), 2, "the first new page clones");
    // Both come back to the middle, two rounds after its last visit: the first walker finds old pheromone
    // (exp(-0.1) is above 0.9), and the last one lives whatever it finds.
    colony.round(&star);
    assert_eq!(colony.walkers().len(), 1);
    assert_eq!(colony.counts().deaths, 1);
    assert_eq!(colony.pheromone(0), 1.0, "also who dies leaves a mark");
}

#[test]
fn a_clone_leaves_by_another_link() {
    let links: Vec<u32> = (0..2).collect();
    for seed in 0..50 {
        let mut walker = Walker::new(0, 9_u32, Dice::new(seed));
        let mut child = walker.cloned(1, 3, &links);
        walker.hop(&links, &[], &settings());
        child.hop(&links, &[], &settings());
        assert_ne!(walker.at, child.at);
        assert_eq!((child.parent, child.born), (Some(0), 3));
    }
}

#[test]
fn a_dead_end_is_left_by_the_way_one_came_and_then_by_a_seed() {
    // 0 -> 1 -> 2, and 3 is alone.
    let web = Pages(vec![vec![1], vec![2], vec![], vec![]]);
    let mut walker = Walker::new(0, 0, Dice::new(1));
    let hop = |walker: &mut Walker<u32>| {
        let kind = walker.hop(web.links(walker.at), &[3], &settings());
        (kind, walker.at)
    };
    assert_eq!(hop(&mut walker), (Hop::Link, 1));
    assert_eq!(hop(&mut walker), (Hop::Link, 2));
    assert_eq!(hop(&mut walker), (Hop::Back, 1));
    let mut walker = Walker::new(0, 2, Dice::new(1));
    assert_eq!(hop(&mut walker), (Hop::Seed, 3));
    assert_eq!(hop(&mut walker), (Hop::Seed, 3), "where there is nothing else it stays");
}

#[test]
fn a_trap_is_left_when_patience_is_at_an_end() {
    // 1 and 2 lead to each other only; 3 is reached from the seed alone.
    let web = Pages(vec![vec![1, 3], vec![2], vec![1], vec![0]]);
    for seed in 0..10 {
        let parameters = WalkerParameters { patience: 20, ..settings() };
        let mut colony = colony(Kind::Single, parameters, seed);
        (0..2_000).for_each(|_| colony.round(&web));
        assert_eq!(colony.visited(), 4);
        assert!(colony.counts().to_seeds > 0);
    }
}

#[test]
fn the_immune_rule_follows_what_is_usual() {
    let web = undirected(300, 8, 6);
    let mut colony = colony(Kind::Immune, settings(), 7);
    let mut most = 0;
    for _ in 0..3_000 {
        colony.round(&web);
        most = most.max(colony.walkers().len());
    }
    // New pages make it grow. Then meetings are as usual, and it does not explode.
    assert!(most > 20, "{most}");
    assert!(colony.walkers().len() < most, "{} of {most}", colony.walkers().len());
}

#[test]
fn a_suspended_walker_goes_on_elsewhere_as_it_would_have() {
    let web = undirected(200, 6, 8);
    let mut here = colony(Kind::Multiple, settings(), 9);
    (0..50).for_each(|_| here.round(&web));
    let number = here.walkers()[2].number;
    let mut stays = here.walkers()[2].clone();
    let bytes = serde_json::to_vec(&here.suspend(number).unwrap()).unwrap();
    assert_eq!(here.walkers().len(), 4);
    let mut there = Colony::new(Kind::Multiple, settings(), 777);
    there.settle(5);
    there.resume(serde_json::from_slice(&bytes).unwrap()).unwrap();
    for _ in 0..100 {
        there.round(&web);
        stays.hop(web.links(stays.at), &[5], &settings());
        let moved = there.walkers().last().unwrap();
        assert_eq!((moved.at, moved.number), (stays.at, 5), "the numbers 0 to 4 were taken");
    }
    let full = WalkerParameters { cap: 1, ..settings() };
    let mut full = colony(Kind::Single, full, 1);
    assert_eq!(full.suspend(0), None, "the last one stays");
    assert!(full.resume(stays).is_err());
}

#[test]
fn equal_seeds_give_equal_walks() {
    let web = undirected(200, 6, 10);
    for kind in Kind::ALL {
        let walk = |seed| {
            let mut colony = colony(kind, settings(), seed);
            (0..200).for_each(|_| colony.round(&web));
            (colony.walkers().to_vec(), colony.counts(), colony.visited())
        };
        assert_eq!(walk(1), walk(1));
        assert_ne!(walk(1), walk(2));
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    assert_eq!(WalkerParameters::default().check(), Ok(()));
    let wrong = WalkerParameters { max: 0.4, ..WalkerParameters::default() };
    assert!(wrong.check().unwrap_err().contains("min"));
    let parsed: Result<WalkerParameters, _> = serde_json::from_str(r#"{"lamda": 0.1}"#);
    assert!(parsed.unwrap_err().to_string().contains("lamda"));
    let parsed: WalkerParameters = serde_json::from_str(r#"{"lambda": 0.1}"#).unwrap();
    assert_eq!(parsed, WalkerParameters { lambda: 0.1, ..WalkerParameters::default() });
}
