//! Do we read robots.txt as the specification's own tests want? All of them must pass.

mod shared;

use lycosa_frontier::Robots;
use shared::textproto::{Case, read_cases};
use std::fs;

/// What the suite holds; a change in number means that the reader of the format went wrong.
const EXPECTATIONS: usize = 400;
const FILES: usize = 41;

#[test]
fn every_expectation_of_the_specification_tests_is_met() {
    let Some(root) = shared::folder("conformance/robots-spec-test") else {
        return;
    };
    let mut files = 0;
    let mut expectations = 0;
    let mut misses = Vec::new();
    for folder in ["correctness", "stress"] {
        for path in shared::files(&root.join(folder), "textproto") {
            files += 1;
            let text = fs::read(&path).expect("a readable file");
            for Case { robots, expected } in read_cases(&text) {
                let parsed = Robots::parse(&robots);
                for expectation in expected {
                    expectations += 1;
                    let verdict = parsed.verdict(&expectation.agent, &expectation.url);
                    if verdict.allowed != expectation.allowed {
                        misses.push(format!("{}: {expectation:?}: {verdict:?}", path.display()));
                    }
                }
            }
        }
    }
    assert!(misses.is_empty(), "{} missed:\n{}", misses.len(), misses.join("\n"));
    assert_eq!((files, expectations), (FILES, EXPECTATIONS));
}
