use super::*;
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_strategy::{Setup, Strategy, by_name};
use std::collections::HashSet;

fn target(web: &ParsedWeb, name: &str) -> u32 {
    web.find(&format!("http://{name}.test/")).unwrap_or_else(|| panic!("{name}"))
}

/// The names of what a strategy fetches, in order.
fn order(web: &ParsedWeb, strategy: &mut dyn Strategy, seed: &str, fetches: usize) -> Vec<String> {
    let nothing = RelevanceModel::new(Bag::default(), Vec::new());
    let settings = Settings { fetches, ..Settings::default() };
    let trail = simulate(web, nothing, strategy, &[target(web, seed)], &settings);
    let name = |fetch: &Fetch| {
        let address = &web.targets[fetch.target as usize].address;
        address.trim_start_matches("http://").trim_end_matches(".test/").to_owned()
    };
    trail.fetches.iter().map(name).collect()
}

/// Two relevant pages. Three that lead back to the first are near it, and worth nothing once it is fetched.
fn two_ways() -> (ParsedWeb, HashSet<u32>) {
    let web = ParsedWeb::of_links(&[
        ("start", &["first", "back-1", "back-2", "back-3", "road", "missing"]),
        ("first", &[]),
        ("back-1", &["first"]),
        ("back-2", &["first"]),
        ("back-3", &["first"]),
        ("road", &["bend"]),
        ("bend", &["second"]),
        ("second", &[]),
    ]);
    let relevant = ["first", "second"].map(|name| target(&web, name)).into();
    (web, relevant)
}

#[test]
fn the_oracle_does_not_go_where_it_has_been() {
    let (web, relevant) = two_ways();
    let fetched = order(&web, &mut Oracle::new(&web, &relevant), "start", 100);
    assert_eq!(fetched[..5], ["start", "first", "road", "bend", "second"]);
    assert_eq!(fetched.len(), 9, "and then all the rest: {fetched:?}");
}

#[test]
fn of_two_ways_the_oracle_takes_the_one_that_leads_to_more() {
    let web = ParsedWeb::of_links(&[
        ("start", &["poor", "rich"]),
        ("poor", &["a"]),
        ("rich", &["b", "c", "d"]),
        ("a", &[]),
        ("b", &[]),
        ("c", &[]),
        ("d", &[]),
    ]);
    let relevant = ["a", "b", "c", "d"].map(|name| target(&web, name)).into();
    let fetched = order(&web, &mut Oracle::new(&web, &relevant), "start", 100);
    assert_eq!(fetched, ["start", "rich", "b", "c", "d", "poor", "a"]);
}

#[test]
fn nobody_finds_more_than_is_possible() {
    let (web, relevant) = two_ways();
    let most = ceiling(&web, &relevant, &[target(&web, "start")], 6);
    assert_eq!(most, [0, 1, 1, 2, 2, 2], "the second is three links away");
    assert_eq!(ceiling(&web, &relevant, &[target(&web, "second")], 3), [1, 1, 1]);
    assert_eq!(ceiling(&web, &relevant, &[target(&web, "missing")], 3), [0, 0, 0]);
    let mut found = 0;
    let fetched = order(&web, &mut Oracle::new(&web, &relevant), "start", 6);
    for (name, most) in fetched.iter().zip(most) {
        found += usize::from(relevant.contains(&target(&web, name)));
        assert!(found <= most, "{found} of {most} at {name}");
    }
}

#[test]
fn a_crawl_counts_what_is_missing_and_ends_when_nothing_is_left() {
    let (web, _) = two_ways();
    let mut strategy = by_name("breadth-first", &Setup::default()).unwrap();
    let nothing = RelevanceModel::new(Bag::default(), Vec::new());
    let seeds = [target(&web, "start")];
    let settings = Settings { fetches: 100, ..Settings::default() };
    let trail = simulate(&web, nothing, &mut *strategy, &seeds, &settings);
    let failed = trail.fetches.iter().filter(|fetch| !fetch.outcome.is_success()).count();
    assert_eq!((trail.fetches.len(), failed, trail.bytes), (9, 1, 8_000));
    assert!(trail.fetches.is_sorted_by_key(|fetch| fetch.at));
}

#[test]
fn a_file_of_topics_that_is_none_says_what_is_wrong_with_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let read = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        read_topics(file.path()).map(|topics| topics.len()).map_err(|error| error.to_string())
    };
    let good = r#"{"topic": "owls", "relevant": ["http://owls.test/"]}"#;
    assert_eq!(read(&format!("[{good}]")), Ok(1));
    assert_eq!(read(&format!(r#"{{"note": "birds", "topics": [{good}, {good}]}}"#)), Ok(2));
    for (text, says) in [
        ("", "there is no topic"),
        (" [] ", "there is no topic"),
        ("{\"topics\": []}", "there is no topic"),
        ("{\"subjects\": []}", "no list of topics"),
        ("7", "no list of topics"),
        ("[{\"topic\": ", "line 1"),
        (&format!(r#"[{good}, {{"topic": "stars"}}]"#), "topic 2"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}
