use super::*;
use crate::studies::fixtures::{stars, web};

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.figures.get(name).and_then(|value| value.as_f64()).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn spiders_are_held_against_others_and_against_themselves() {
    let web = web();
    let topics = [stars(&web)];
    let mut steps = 0;
    let outcome = run(&web, &topics, 7, &mut |_| steps += 1).unwrap();
    let of = |name: &str| figure(&outcome, name);
    assert_eq!(steps, (5 + 3 * measure::REPLICATES) + (5 + 11 * measure::REPLICATES));
    assert!(of("near.best-first.aurc") > of("near.random.aurc"));
    assert!(of("near.infospiders.recall_250") > of("near.random.recall_250"));
    assert!(of("without.infospiders.nothing.births") > 2.0);
    assert_eq!(of("far.best-first.against_best_first"), 0.0);
    assert_eq!(of("without.infospiders.nothing.difference"), 0.0);
    let file = |name: &str| {
        let file = outcome.files.iter().find(|(file, _)| file == name);
        &file.unwrap_or_else(|| panic!("{name}")).1
    };
    let rows = String::from_utf8_lossy(file("myspiders.csv")).lines().count();
    assert_eq!(rows, 1 + 8 + 16, "a row for each system and topic");
    for name in ["myspiders", "myspiders-parts", "myspiders-population"] {
        assert!(
            file(&format!("{name}.png")).len() > 1_000
                && file(&format!("{name}.svg")).len() > 1_000
        );
    }
    let again = run(&web, &topics, 7, &mut |_| {}).unwrap();
    assert!(outcome.files == again.files, "equal to the byte");
}

#[test]
fn topics_that_the_web_lacks_are_told() {
    let web = web();
    let lacking = Topic { relevant: vec!["http://nowhere.test/".into()], ..stars(&web) };
    let error = run(&web, &[lacking], 7, &mut |_| {}).unwrap_err();
    assert!(matches!(error, StudyError::NotInTheWeb(_)), "{error}");
}
