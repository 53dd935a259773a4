use super::*;
use crate::studies::fixtures::{stars, web};

#[test]
fn strategies_are_held_against_each_other_and_against_the_oracle() {
    let web = web();
    let topics = [stars(&web), stars(&web)];
    let strategies = vec!["shark".to_owned()];
    let field =
        Field { web: &web, topics: &topics, fetches: 200, strategies, wordnet: None, seed: 7 };
    let outcome = run(&field, &mut |_| {}).unwrap();
    let of = |name: &str| {
        outcome
            .figures
            .get(name)
            .and_then(|value| value.as_f64())
            .unwrap_or_else(|| panic!("{name}"))
    };
    assert!(of("near.oracle.aurc") >= of("near.learned.aurc"));
    assert!(of("near.learned.aurc") > of("near.random.aurc"));
    assert!(of("near.shark.aurc") > 0.0 && of("far.shark.found") > 0.0);
    let names: Vec<&str> = outcome.files.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["strategies.csv", "strategies.md", "strategies-recall.png", "strategies.svg"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let again = run(&field, &mut |_| {}).unwrap();
    let curves = |outcome: &Outcome| {
        let file = outcome.files.iter().find(|(name, _)| name == "strategies-curves.csv");
        file.map(|(_, bytes)| bytes.clone())
    };
    assert_eq!(curves(&outcome), curves(&again), "to the byte");
}

#[test]
fn an_unknown_strategy_and_a_web_without_topics_are_said() {
    let web = web();
    let topics = [stars(&web)];
    let strategies = vec!["clairvoyance".to_owned()];
    let field =
        Field { web: &web, topics: &topics, fetches: 10, strategies, wordnet: None, seed: 7 };
    let error = run(&field, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("clairvoyance") && error.hint().contains("learned"));
    let mut elsewhere = stars(&web);
    elsewhere.relevant = vec!["http://nowhere.test/".into()];
    let topics = [elsewhere];
    let field = Field { topics: &topics, strategies: Vec::new(), ..field };
    assert!(run(&field, &mut |_| {}).is_err());
}
