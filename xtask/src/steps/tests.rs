use super::*;
use crate::suite::Skip;

fn protocol(verdicts: &[(Step, Verdict)]) -> Protocol {
    let steps = verdicts.iter().map(|(s, v)| (*s, *v, Duration::from_millis(1500))).collect();
    Protocol { steps, ..Protocol::default() }
}

#[test]
fn a_good_run_ends_with_the_line_of_cargo() {
    let mut protocol = protocol(&[(Step::Fmt, Verdict::Ok), (Step::Test, Verdict::Ok)]);
    protocol.tally.passed = 412;
    let (text, ok) = protocol.summary(Duration::from_secs(3));
    assert!(ok);
    assert!(text.ends_with(
        "test result: ok. 412 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
         finished in 3.00s\n"
    ));
    assert!(text.contains("fmt      ok           1.5 s"), "{text}");
    assert!(!text.contains("skipped tests") && !text.contains("failed steps"));
}

#[test]
fn one_failed_step_fails_the_run_and_is_named() {
    let protocol = protocol(&[(Step::Tidy, Verdict::Failed), (Step::Test, Verdict::Ok)]);
    let (text, ok) = protocol.summary(Duration::ZERO);
    assert!(!ok);
    assert!(text.contains("failed steps:\n    tidy\ntest result: FAILED."), "{text}");
}

#[test]
fn skipped_and_failed_tests_and_missing_programs_are_listed() {
    let mut protocol = protocol(&[(Step::Test, Verdict::Failed)]);
    protocol.missing.push("no wget: some will be skipped".to_owned());
    protocol.tally.failures.push("lycosa-bot a::b".to_owned());
    let skip = Skip { test: "lycosa-lab c::d".to_owned(), reason: "no wget".to_owned() };
    protocol.tally.skipped.push(skip);
    let (text, _) = protocol.summary(Duration::ZERO);
    assert!(text.contains("not installed:\n    no wget: some will be skipped\n"));
    assert!(text.contains("skipped tests (1):\n    lycosa-lab c::d: no wget\n"));
    assert!(text.contains("failed tests (1):\n    lycosa-bot a::b\n"));
}

#[test]
fn tests_do_not_run_when_they_do_not_compile() {
    let mut protocol = protocol(&[(Step::Compile, Verdict::Failed)]);
    let nowhere = Workspace { root: "/".into(), target: "/".into(), packages: Vec::new() };
    let verdict = one(&nowhere, &Options::default(), Step::Test, &mut protocol).unwrap();
    assert_eq!(verdict, Verdict::NotRun);
}
