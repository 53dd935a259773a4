use super::*;
use crate::studies::fixtures::{stars, web};

fn field<'a>(web: &'a ParsedWeb, topics: &'a [Topic], strategies: &[&str]) -> Field<'a> {
    let strategies = strategies.iter().map(|name| (*name).to_owned()).collect();
    Field { web, topics, fetches: 200, strategies, agents: None, wordnet: None, seed: 7 }
}

#[test]
fn strategies_are_held_against_each_other_and_against_the_oracle() {
    let web = web();
    let topics = [stars(&web), stars(&web)];
    let field = field(&web, &topics, &["shark"]);
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
    for (name, bytes) in &outcome.files {
        // What a machine takes is another matter every time, and stands in its own file and in the report.
        if name.ends_with(".csv") && name != "strategies-cost.csv" {
            let same = again.files.iter().any(|(other, content)| other == name && content == bytes);
            assert!(same, "{name} is another one");
        }
    }
    assert!(names.contains(&"strategies-cost.csv") && of("learned.pages_per_second") > 0.0);
}

#[test]
fn who_was_told_the_judgements_ends_the_study() {
    let web = web();
    let topics = [stars(&web)];
    let field = field(&web, &topics, &[]);
    let cases = cases::cases(&field).unwrap();
    let systems = [measure::BEST, measure::ORACLE].map(str::to_owned);
    let mut cells = measure::measure(&field, &cases, &systems, &mut |_, _| {});
    report::check(&cases, &cells).unwrap();
    // Best-first takes the oracle's way, and the oracle that of best-first.
    for cell in &mut cells {
        cell.name = systems.iter().find(|name| **name != cell.name).unwrap().clone();
    }
    let error = report::check(&cases, &cells).unwrap_err();
    assert!(matches!(error, StudyError::AboveOracle(_)), "{error}");
    assert!(error.to_string().contains("best-first"), "{error}");
    // More than any order of fetches can bring, though the oracle has as much in the mean.
    for cell in &mut cells {
        cell.crawls.iter_mut().for_each(|crawled| crawled.area = 1.0);
    }
    assert!(report::check(&cases, &cells).unwrap_err().to_string().contains("is possible"));
}

#[test]
fn the_wrong_topic_shares_no_page_and_no_site_if_there_is_such_a_one() {
    let web = web();
    let of_site = |site: &str| {
        let pages = web.targets.iter().filter(|target| target.address.contains(site));
        let urls: Vec<String> = pages.map(|target| target.address.clone()).take(20).collect();
        let text = serde_json::json!({ "topic": site, "seeds": [urls[0]], "relevant": &urls[1..] });
        serde_json::from_value::<Topic>(text).unwrap()
    };
    let (stars, sailing) = (of_site("//stars."), of_site("//sailing."));
    // Half the list further on stands a topic of the same site.
    let topics = [stars.clone(), sailing, stars];
    let field = field(&web, &topics, &[]);
    let cases = cases::cases(&field).unwrap();
    assert_eq!(cases.iter().map(|case| case.ground.shared).collect::<Vec<_>>(), [0.0; 3]);
    assert_eq!(cases[0].ground.sites, 1);
    assert_eq!(cases[0].ground.at_home, 1.0);
}

#[test]
fn an_unknown_strategy_and_a_web_without_topics_are_said() {
    let web = web();
    let topics = [stars(&web)];
    let field = field(&web, &topics, &["clairvoyance"]);
    let error = run(&field, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("clairvoyance") && error.hint().contains("learned"));
    let mut elsewhere = stars(&web);
    elsewhere.relevant = vec!["http://nowhere.test/".into()];
    let topics = [elsewhere];
    let field = Field { topics: &topics, strategies: Vec::new(), ..field };
    assert!(run(&field, &mut |_| {}).is_err());
}

#[test]
fn words_alone_are_enough_and_the_report_says_that_there_was_no_more() {
    let web = web();
    let mut topics = [stars(&web), stars(&web)];
    topics.iter_mut().for_each(|topic| topic.examples.clear());
    let outcome = run(&field(&web, &topics, &[]), &mut |_| {}).unwrap();
    let of = |name: &str| outcome.figures[name].as_f64().unwrap();
    assert!(of("near.learned.aurc") > of("near.random.aurc"));
    let report = outcome.files.iter().find(|(name, _)| name == "strategies.md").unwrap();
    assert!(String::from_utf8_lossy(&report.1).contains("words of topics alone"));
}
