//! Where is the conformance data? Beside the project, never in it.
#![allow(dead_code, reason = "each test file uses a part of these helpers")]

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) mod textproto;

/// A folder or file of the shared data, or `None` with a line that says so.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(name);
    if !path.exists() {
        say(&format!("skipped: ../shared/{name} is not here"));
        return None;
    }
    Some(path)
}

/// The text of a shared file.
pub(crate) fn text(name: &str) -> Option<String> {
    folder(name).map(|path| fs::read_to_string(path).expect("readable UTF-8"))
}

/// The files of a folder with an extension, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// A line for whoever runs the test with `--nocapture`.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
