//! How does a test use the program as a person would? It starts the real binary, reads what it prints,
//! and looks at what it leaves behind.
//!
//! Nothing here waits for a fixed time: a test waits for something that can be seen, until a deadline.
#![allow(unreachable_pub, reason = "all of this is for the tests beside it")]

pub mod data;
pub mod outside;
pub mod process;
pub mod receiver;
pub mod site;
pub mod terminal;
pub mod torture;
pub mod watched;
pub mod webs;

pub use data::{Trace, archived, exported};
pub use process::{Ran, Running, lycosa, run, until};
pub use webs::{LiveWeb, kept_web, replayed};

use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long anything may take before a test gives up; far more than it should need on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Settings for webs that are our own: a page that is broken on purpose is not worth waiting for.
pub const IMPATIENT: &str = "[crawl]\nretry = \"50ms\"\n";

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// A file of the shared test data; `None`, and a line that says so, where it is not.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("../shared/{name} is not here"));
    None
}

/// Says why a test, or a part of it, is not run.
pub fn skip(why: &str) {
    note(&format!("skipped: {why}"));
}

/// Says something that is worth knowing, whether a test passes or not.
#[allow(clippy::print_stderr, reason = "the runner of the tests collects these lines")]
pub fn note(what: &str) {
    eprintln!("{what}");
}

/// A folder that lives as long as this test program, for what its tests share. Folders that former
/// programs left are removed.
pub fn lasting_folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let prefix = format!("e2e-{name}-");
    for folder in std::fs::read_dir(root).expect("cargo made it").flatten() {
        let file = folder.file_name().to_string_lossy().into_owned();
        let Some(pid) = file.strip_prefix(&prefix) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            // Another program may be removing the same folder.
            drop(std::fs::remove_dir_all(folder.path()));
        }
    }
    let path = root.join(format!("{prefix}{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder below the target folder");
    path
}
