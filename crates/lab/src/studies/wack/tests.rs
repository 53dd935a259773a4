use super::*;
use lycosa_strategy::dice::Dice;

fn web(pages: u32, seed: u64) -> LinkGraph {
    let mut dice = Dice::new(seed);
    let mut links: Vec<Vec<u32>> = Vec::new();
    for page in 0..pages {
        // Some pages have many links, a few have none.
        let count = if page % 17 == 16 { 0 } else { 1 + dice.below(4) * dice.below(5) };
        let mut targets: Vec<u32> = (0..count).map(|_| dice.below(pages as usize) as u32).collect();
        if count > 0 {
            targets.push((page + 1) % pages);
            targets.push((page + 2) % pages);
        }
        links.push(targets);
    }
    LinkGraph::new(links)
}

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.figures.get(name).and_then(|value| value.as_f64()).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_ball_holds_the_nearest_pages_and_the_links_among_them() {
    let graph = LinkGraph::new(vec![vec![1, 2], vec![3], vec![0], vec![2, 4, 4], vec![4]]);
    assert_eq!(graph.ways(), 6, "no link twice, none to oneself");
    let ball = graph.ball(1, 3).unwrap();
    assert_eq!(ball.links, [vec![1], vec![2], vec![]], "1 -> 3 -> 2");
    assert_eq!((ball.dead_ends(), graph.ball(1, 6)), (1, None));
    assert_eq!(graph.both_ways().links[4], [3]);
}

#[test]
fn the_study_tells_rounds_hops_and_population_and_repeats_to_the_byte() {
    let graph = web(160, 1);
    let mut steps = 0;
    let outcome = study(&graph, &[40, 80], 7, &mut |_| steps += 1).unwrap();
    assert_eq!(steps, 2 * 2 * 6 * measure::BALLS * measure::WALKS);
    let of = |name: &str| figure(&outcome, name);
    assert!(of("undirected.80.single.rounds") > 3.0 * of("undirected.80.multiple.rounds"));
    assert!(of("undirected.80.multiple.rounds") > of("undirected.80.cloning_0.2.rounds"));
    assert!(of("undirected.80.cloning_0.2.hops") > of("undirected.80.cloning_0.2.rounds"));
    assert_eq!(of("undirected.80.single.hops"), of("undirected.80.single.rounds"));
    assert_eq!(of("undirected.80.multiple.population"), 5.0);
    assert_eq!(of("directed.80.single.complete"), of("directed.80.single.walks"));
    let names: Vec<&str> = outcome.files.iter().map(|(name, _)| name.as_str()).collect();
    let plots =
        ["wack-figure1.svg", "wack-figure1.png", "wack-population.svg", "wack-population.png"];
    assert!(plots.iter().all(|name| names.contains(name)), "{names:?}");
    let again = study(&graph, &[40, 80], 7, &mut |_| {}).unwrap();
    assert!(outcome.files == again.files && outcome.figures == again.figures);
}

#[test]
fn a_small_web_is_walked_as_far_as_it_goes() {
    let outcome = study(&web(60, 2), &[40, 80], 7, &mut |_| {}).unwrap();
    assert!(outcome.figures.contains_key("undirected.40.single.rounds"));
    assert!(!outcome.figures.contains_key("undirected.80.single.rounds"));
    assert!(outcome.warnings[0].contains("40"), "{:?}", outcome.warnings);
    let error = study(&web(50, 3), &[60], 7, &mut |_| {}).unwrap_err();
    assert!(matches!(error, StudyError::TooLittle(_)), "{error}");
}

#[test]
fn own_marks_kill_where_pheromone_fades_slowly() {
    let of = |lambda: f64| {
        let cloning = measure::populations().into_iter().find(|of| of.lambda == lambda).unwrap();
        measure::sparing(&measure::parameters(cloning, Ways::Undirected, 100))
    };
    assert_eq!(of(0.2), None, "after two rounds 0.67 is left, and 0.9 kills");
    let spared = of(0.05).unwrap();
    assert!(spared.max > (-2.0 * 0.05_f64).exp() && spared.max < (-0.05_f64).exp());
}
