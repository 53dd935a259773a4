//! A walker that is sent to another process goes on there as it would have here.

use lycosa_strategy::walkers::{Colony, Kind, Walker, WalkerParameters};
use std::process::Command;

/// Says to the second process that it is one, and holds the walker.
const LUGGAGE: &str = "LYCOSA_TEST_WALKER";
/// Where it writes the way that the walker took.
const ARRIVAL: &str = "LYCOSA_TEST_WAY";
const HOPS: u32 = 200;

fn links(page: u32) -> Vec<u32> {
    (1..=7).map(|step| (page * 31 + step * step * 17) % 1_009).collect()
}

fn way(mut walker: Walker<u32>) -> Vec<u32> {
    let parameters = WalkerParameters::default();
    let mut hop = |_| {
        walker.hop(&links(walker.at), &[0], &parameters);
        walker.at
    };
    (0..HOPS).map(&mut hop).collect()
}

#[test]
fn the_way_of_a_walker_does_not_depend_on_the_process() {
    if let Ok(walker) = std::env::var(LUGGAGE) {
        let walker = serde_json::from_str(&walker).expect("a walker");
        let way = serde_json::to_vec(&way(walker)).expect("json");
        std::fs::write(std::env::var(ARRIVAL).expect("where to write"), way).expect("written");
        return;
    }
    let mut colony = Colony::new(Kind::Multiple, WalkerParameters::default(), 11);
    colony.settle(1_u32);
    let walker = colony.suspend(3).expect("one of five");
    let folder = tempfile::tempdir().expect("a folder");
    let arrival = folder.path().join("way.json");
    let status = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "the_way_of_a_walker_does_not_depend_on_the_process", "--quiet"])
        .env(LUGGAGE, serde_json::to_string(&walker).expect("json"))
        .env(ARRIVAL, &arrival)
        .status()
        .expect("a second process");
    assert!(status.success());
    let there = std::fs::read(&arrival).expect("its way");
    let there: Vec<u32> = serde_json::from_slice(&there).expect("json");
    assert_eq!(there, way(walker));
}
