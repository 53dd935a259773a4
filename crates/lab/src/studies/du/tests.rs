use super::crawl::{Kind, crawl, starts};
use super::paper::{AVERAGES, TABLE1, TABLE2};
use super::*;
use crate::evaluation::mean;
use crate::simulator::{Settings, simulate};
use crate::synthetic::{Naming, Shape, SyntheticWeb};
use lycosa_strategy::team::{Ownership, TeamParameters, Variant};
use lycosa_strategy::{Setup, by_name};

/// A small web that was made up, and what may be looked for in it.
fn web() -> (ParsedWeb, Vec<Topic>) {
    let dir = tempfile::tempdir().unwrap();
    let made = SyntheticWeb::new(7, Shape::demo(), Naming::plain());
    let files = made.export_warc(dir.path()).unwrap();
    let web = ParsedWeb::read(&files, &|_| {}).unwrap();
    let pages: Vec<String> = made.facts().pages;
    let topic = |name: &str, from: usize| {
        let urls = |count: usize, step: usize| -> Vec<&String> {
            pages.iter().skip(from).step_by(step).take(count).collect()
        };
        serde_json::from_value(serde_json::json!({
            "topic": name, "query": "ship sea", "examples": urls(2, 7), "seeds_d2": urls(5, 40),
            "relevant": urls(40, 3),
        }))
        .unwrap()
    };
    (web, vec![topic("one", 0), topic("two", 5)])
}

fn ground<'a>(web: &'a ParsedWeb, topics: &'a [Topic]) -> Ground<'a> {
    Ground { web, topics, wordnet: None, agents: None, seed: 7 }
}

#[test]
fn who_talks_fetches_nothing_twice_and_as_much_as_one_queue() {
    let (web, topics) = web();
    let ground = ground(&web, &topics);
    let cases = ground.cases().unwrap();
    let hash = TeamParameters { ownership: Ownership::Hash, ..TeamParameters::default() };
    for case in &cases {
        let of = |kind: Kind| crawl(&ground, case, &case.seeds, &kind, 5);
        let (alone, shared) = (of(Kind::AloneAsTeam), of(Kind::Shared));
        assert!(alone.overlap() > 0, "alone, crawlers meet the same pages");
        for parameters in [TeamParameters::default(), hash.clone()] {
            let team = of(Kind::Team(Variant::ContractNet, parameters));
            assert_eq!(team.overlap(), 0);
            assert!(team.messages > 0);
            let (team, shared) = (team.unique.len() as f64, shared.unique.len() as f64);
            assert!((team / shared - 1.0).abs() < 0.1, "{team} pages, {shared} from one queue");
        }
    }
}

#[test]
fn teams_that_negotiate_themselves_go_on_afterwards() {
    let (web, topics) = web();
    let ground = ground(&web, &topics);
    let case = &ground.cases().unwrap()[0];
    let of = |variant| {
        let kind = Kind::Team(variant, TeamParameters::default());
        crawl(&ground, case, &case.seeds, &kind, 5).unique.len()
    };
    let (with, without) = (of(Variant::ContractNet), of(Variant::XiangDan));
    assert!(without <= with && without as f64 > 0.9 * with as f64, "{without} of {with}");
}

#[test]
fn a_study_is_the_same_each_time_and_writes_its_files() {
    let (web, topics) = web();
    let ground = ground(&web, &topics[..1]);
    for study in [table1, figures] {
        let files = || study(&ground, &mut |_| {}).unwrap().files;
        assert!(files() == files(), "equal to the byte");
    }
    let study = || table2(&ground, &mut |_| {}).unwrap();
    let (one, two) = (study(), study());
    assert_eq!(one.files, two.files);
    let names: Vec<&str> = one.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["du-table2.md", "du-table2.csv", "du-table2.svg", "du-table2.png"]);
    assert_eq!(one.figures["agents_10.contract_net.overlap"], 0.0);
    let report = String::from_utf8_lossy(&one.files[0].1);
    assert!(report.contains("658") && report.contains("33.538 %"), "the paper stands beside");
    assert!(one.warnings.iter().any(|warning| warning.contains("no WordNet")));
}

#[test]
fn one_agent_has_nobody_to_talk_to_and_very_many_share_what_there_is() {
    let (web, topics) = web();
    for agents in [1, 300] {
        let ground = Ground { agents: Some(agents), ..ground(&web, &topics[..1]) };
        let outcome = table2(&ground, &mut |_| {}).unwrap();
        let of = |what: &str| outcome.figures[&format!("agents_{agents}.{what}")].as_f64().unwrap();
        assert_eq!(of("contract_net.overlap"), 0.0);
        assert!(of("contract_net.unique") > 0.9 * of("shared.unique"));
        assert_eq!(of("alone.overlap") == 0.0, agents == 1);
    }
}

#[test]
fn a_web_without_the_topics_is_too_little() {
    let (web, mut topics) = web();
    topics.iter_mut().for_each(|topic| topic.relevant.clear());
    let error = table1(&ground(&web, &topics), &mut |_| {}).unwrap_err();
    assert!(matches!(error, StudyError::NotInTheWeb(_)), "{error}");
}

#[test]
fn as_many_crawlers_begin_as_there_are_pages_for() {
    let (web, topics) = web();
    let seeds = topics[0].seeds(&web, true);
    assert_eq!(starts(&web, &seeds, 2), seeds, "no seed is left out");
    let many = starts(&web, &seeds, 20);
    assert_eq!((many.len(), &many[..seeds.len()]), (20, &seeds[..]));
    assert_eq!(many.iter().collect::<HashSet<_>>().len(), 20);
}

#[test]
fn the_paper_s_numbers_are_what_the_audit_says_of_them() {
    let column = |t: usize| mean(&TABLE1.iter().map(|row| row[t]).collect::<Vec<_>>());
    let wrong: Vec<usize> =
        (0..10).filter(|t| (column(*t) - AVERAGES[*t]).abs() > 0.005 + 1e-9).collect();
    assert_eq!(wrong, [3], "only the average of 0.20 is not that of its column");
    for (_, overlap, pages, with) in TABLE2 {
        assert_eq!(pages - overlap, with);
    }
}

#[test]
fn contract_net_beats_best_first_on_the_schools_web() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/web");
    let (archive, topics) = (shared.join("schools.warc.gz"), shared.join("schools-topics.json"));
    if !archive.exists() || !topics.exists() {
        skipped();
        return;
    }
    let web = ParsedWeb::read(&[archive], &|_| {}).unwrap();
    let topics = crate::simulator::read_topics(&topics).unwrap();
    let recall = |name: &str, topic: &Topic| {
        let mut strategy = by_name(name, &Setup::default()).unwrap();
        let (seeds, relevant) = (topic.seeds(&web, true), topic.relevant(&web));
        let settings = Settings { fetches: 500, ..Settings::default() };
        let trail = simulate(&web, topic.model(&web), &mut *strategy, &seeds, &settings);
        let targets: HashSet<u32> = trail.fetches.iter().map(|fetch| fetch.target).collect();
        assert_eq!(targets.len(), trail.fetches.len(), "{name} fetched a page twice");
        targets.intersection(&relevant).count() as f64 / relevant.len() as f64
    };
    // Every fourth topic: it takes some seconds.
    let some: Vec<&Topic> = topics.iter().step_by(4).collect();
    let of = |name: &str| mean(&some.iter().map(|topic| recall(name, topic)).collect::<Vec<_>>());
    let (team, best_first) = (of("contract-net"), of("best-first"));
    assert!(team > best_first, "{team} against {best_first}");
}

#[allow(clippy::print_stderr, reason = "says why nothing was tested")]
fn skipped() {
    eprintln!("skipped: ../shared/web/schools.warc.gz is not here");
}
