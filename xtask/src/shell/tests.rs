use super::*;

const LONG: Duration = Duration::from_secs(60);

fn here() -> Workspace {
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    Workspace { target: root.join("target"), root, packages: Vec::new() }
}

fn sh(script: &str, limit: Duration) -> (End, Vec<String>) {
    let mut seen = Vec::new();
    let end = read(&here(), &Run::new("sh", &["-c", script]), limit, |line| {
        seen.push(line.to_owned());
        Ok(())
    });
    (end.unwrap(), seen)
}

#[test]
fn both_outputs_arrive_in_their_true_order() {
    let (end, lines) = sh("echo one; echo two >&2; echo three; printf four >&2", LONG);
    assert_eq!(end, End::Passed);
    assert_eq!(lines, ["one", "two", "three", "four"]);
}

#[test]
fn a_failing_program_is_failed_and_its_output_is_kept() {
    let (end, lines) = sh("echo bad; exit 3", LONG);
    assert_eq!((end, lines), (End::Failed, vec!["bad".to_owned()]));
}

#[test]
fn a_program_over_its_limit_is_killed() {
    let started = Instant::now();
    let (end, _) = sh("exec sleep 600", Duration::from_millis(50));
    assert_eq!(end, End::TimedOut);
    assert!(started.elapsed() < LONG);
}

#[test]
fn a_child_that_holds_the_output_open_does_not_hold_us() {
    let started = Instant::now();
    let (end, lines) = sh("sleep 20 & echo $!", LONG);
    assert_eq!(end, End::Passed);
    assert!(started.elapsed() < Duration::from_secs(15));
    let stopped = Run::new("sh", &["-c", &format!("kill {}", lines[0])]);
    assert!(works(&here(), &stopped));
}

#[test]
fn variables_reach_the_program_and_the_shown_line_says_cargo() {
    let run = Run::new("sh", &["-c", "test \"$ROOM\" = broker"]).env("ROOM", "broker");
    assert!(works(&here(), &run));
    assert_eq!(Run::cargo(&["fmt"]).args(&["--all"]).shown(), "cargo fmt --all");
}
