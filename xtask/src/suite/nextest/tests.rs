use super::*;
use crate::suite::Skip;

const RUN: &str = "\
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.42s
────────────
    Starting 3 tests across 1 binary
        PASS [   0.005s] (1/3) lycosa-model tests::fine
  stdout ───

    running 1 test
    test tests::fine ... ok

        PASS [   0.004s] (2/3) lycosa-model tests::good
  stderr ───
    skipped: ../shared/web is not here

        FAIL [   0.127s] (3/3) lycosa-model tests::bad
────────────
     Summary [   0.129s] 3 tests run: 2 passed (1 slow), 1 failed, 4 skipped
        FAIL [   0.127s] (3/3) lycosa-model tests::bad
  stderr ───
    assertion `left == right` failed
    skipped: not a skip, it failed
error: test run failed
";

fn read(text: &str) -> (Tally, String) {
    let mut reader = Box::<NextestReader>::default();
    let mut shown: Vec<String> = text.lines().flat_map(|line| reader.line(line)).collect();
    let (tally, rest) = reader.finish();
    shown.extend(rest);
    (tally, shown.join("\n"))
}

#[test]
fn the_summary_is_counted_and_failures_and_skips_are_named() {
    let (tally, _) = read(RUN);
    let skip = Skip {
        test: "lycosa-model tests::good".to_owned(),
        reason: "../shared/web is not here".to_owned(),
    };
    assert_eq!(
        tally,
        Tally {
            passed: 2,
            failed: 1,
            ignored: 4,
            failures: vec!["lycosa-model tests::bad".to_owned()],
            skipped: vec![skip],
        }
    );
}

#[test]
fn the_console_shows_failures_in_full_and_no_passing_test() {
    let (_, shown) = read(RUN);
    assert!(shown.contains("assertion `left == right` failed"));
    assert!(shown.contains("Summary [   0.129s] 3 tests run"));
    assert!(!shown.contains("tests::fine") && !shown.contains("running 1 test"));
}

#[test]
fn a_run_without_a_summary_is_a_failure() {
    let (tally, shown) = read("error: could not compile `lycosa-model`\n");
    assert_eq!(tally.failed, 1);
    assert!(shown.contains("could not compile"));
}

#[test]
fn other_ends_of_a_test_are_failures_too() {
    let text = "     SIGABRT [   0.1s] (1/2) bin a\n     TIMEOUT [   9.0s] (2/2) bin b\n     \
                Summary [   9.1s] 2/5 tests run: 0 passed, 1 failed, 1 timed out, 0 skipped\n";
    let (tally, _) = read(text);
    assert_eq!((tally.passed, tally.failed), (0, 2));
    assert_eq!(tally.failures, ["bin a", "bin b"]);
}
