use super::*;
use crate::suite::Skip;

const RUN: &str = "\
    Finished `test` profile [optimized + debuginfo] target(s) in 0.01s
     Running unittests src/lib.rs (target/debug/deps/lycosa_model-0851cf79a12bb445)

running 4 tests
test tests::fine ... ok
test tests::good ... ok
test tests::bad ... FAILED
test tests::later ... ignored

successes:

---- tests::good stdout ----
skipped: ../shared/web is not here


successes:
    tests::fine
    tests::good

failures:

---- tests::bad stdout ----
assertion failed: left == right


failures:
    tests::bad

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.07s

error: test failed, to rerun pass `--lib`
     Running tests/door.rs (target/debug/deps/door-11)

running 1 test
test it_opens ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests lycosa_model

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

fn read(text: &str) -> (Tally, String) {
    let mut reader = Box::<CargoReader>::default();
    let mut shown: Vec<String> = text.lines().flat_map(|line| reader.line(line)).collect();
    let (tally, rest) = reader.finish();
    shown.extend(rest);
    (tally, shown.join("\n"))
}

#[test]
fn all_binaries_are_counted() {
    let (tally, _) = read(RUN);
    assert_eq!((tally.passed, tally.failed, tally.ignored), (3, 1, 1));
    assert_eq!(tally.failures, ["lycosa_model (unittests src/lib.rs): tests::bad"]);
}

#[test]
fn a_test_that_skips_itself_is_listed_with_its_reason() {
    let (tally, _) = read(RUN);
    let skip = Skip {
        test: "lycosa_model (unittests src/lib.rs): tests::good".to_owned(),
        reason: "../shared/web is not here".to_owned(),
    };
    assert_eq!(tally.skipped, [skip]);
}

#[test]
fn the_console_shows_failures_and_a_line_per_binary_only() {
    let (_, shown) = read(RUN);
    assert!(shown.contains("assertion failed: left == right"));
    assert!(shown.contains("lycosa_model (unittests src/lib.rs): 2 passed, 1 FAILED in 0.07s"));
    assert!(shown.contains("door (tests/door.rs): 1 passed in 0.00s"));
    assert!(!shown.contains("... ok") && !shown.contains("Doc-tests"));
}

#[test]
fn a_binary_that_aborts_counts_as_a_failure() {
    let text = "     Running tests/door.rs (target/debug/deps/door-11)\n\nrunning 1 test\n\
                thread overflowed its stack\n\
                error: test failed, to rerun pass `-p door --test door`\n\n\
                Caused by:\n  process didn't exit successfully: `door` (signal: 6, SIGABRT)\n";
    let (tally, shown) = read(text);
    assert_eq!((tally.passed, tally.failed), (0, 1));
    assert_eq!(tally.failures, ["door (tests/door.rs): ended without a result"]);
    assert!(shown.contains("thread overflowed its stack") && shown.contains("SIGABRT"));
}

#[test]
fn output_that_stops_in_the_middle_counts_as_a_failure() {
    let (tally, _) = read("   Doc-tests lycosa_page\n\nrunning 3 tests\n");
    assert_eq!(tally.failures, ["lycosa_page (doc tests): ended without a result"]);
}

#[test]
fn what_a_test_prints_does_not_start_a_binary() {
    assert_eq!(binary_name("Running away (from home)"), None);
    assert_eq!(binary_name("     Running late"), None);
}
