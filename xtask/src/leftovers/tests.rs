use std::process::{Command, Stdio};

use super::*;

#[test]
fn a_process_of_the_run_is_found_and_ended_and_others_are_not() {
    if !Path::new("/proc/self/environ").exists() {
        eprintln!("skipped: this system has no /proc");
        return;
    }
    let workspace = Workspace { root: "/".into(), target: "/".into(), packages: Vec::new() };
    let (ours, other) = (Mark::new(), Mark("another-run".to_owned()));
    let (name, value) = ours.env();
    let mut child = Command::new("sleep")
        .arg("300")
        .env(name, value)
        .stdout(Stdio::null())
        .spawn()
        .expect("sleep starts");

    // A process that has just begun has no environment for a moment.
    let begun = Instant::now();
    while ours.living().is_empty() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(POLL);
    }
    assert_eq!(other.living(), []);
    let found = ours.sweep(&workspace, Duration::ZERO);
    assert_eq!(found, [Leftover { pid: child.id(), command: "sleep 300".to_owned() }]);
    assert!(!child.wait().expect("sleep ends").success());
    assert_eq!(ours.living(), []);
}
