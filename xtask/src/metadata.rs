//! What does cargo know about the workspace?
//!
//! The answer of `cargo metadata` cut down to what the checks read.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell;

/// The workspace: its members, with declared (not resolved) dependencies.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder of the root manifest.
    pub(crate) root: PathBuf,
    /// Where cargo builds; our own files are in `xtask/` below it.
    pub(crate) target: PathBuf,
    /// The members, in cargo's order.
    pub(crate) packages: Vec<Package>,
}

/// One package: a member, or (in [`packages`] of the whole graph) a dependency.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The SPDX expression of the manifest, if it has one.
    pub(crate) license: Option<String>,
    /// The manifest, relative to the workspace root, with `/` (absolute outside the workspace).
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

/// One declared dependency.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// True for `[dev-dependencies]`.
    pub(crate) dev: bool,
}

/// One cargo target of a package.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// `lib`, `bin`, `test`, `bench`, …
    pub(crate) kinds: Vec<String>,
}

impl Workspace {
    /// Asks cargo about the workspace that this program belongs to.
    pub(crate) fn load() -> Result<Self> {
        let dir = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let json = ask(&dir, &["--no-deps"])?;
        let root = PathBuf::from(text(&json, "workspace_root")?);
        Ok(Self {
            target: PathBuf::from(text(&json, "target_directory")?),
            packages: packages(&json, &root)?,
            root,
        })
    }

    /// Every package of the dependency graph on this kind of machine, members included.
    pub(crate) fn graph(&self) -> Result<Vec<Package>> {
        let host = host()?;
        packages(&ask(&self.root, &["--filter-platform", &host])?, &self.root)
    }

    /// The folder for what xtask itself writes; made when missing.
    pub(crate) fn scratch(&self) -> Result<PathBuf> {
        let dir = self.target.join("xtask");
        std::fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
        Ok(dir)
    }
}

fn ask(dir: &Path, args: &[&str]) -> Result<Value> {
    let mut command = Command::new(shell::cargo());
    command.current_dir(dir).args(["metadata", "--format-version", "1"]).args(args);
    let output = command.output().context("starting cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("reading the answer of cargo metadata")
}

fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("starting rustc -vV")?;
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = answer.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}

/// The packages of a `cargo metadata` answer.
pub(crate) fn packages(json: &Value, root: &Path) -> Result<Vec<Package>> {
    list(json, "packages").iter().map(|p| package(p, root)).collect()
}

fn package(json: &Value, root: &Path) -> Result<Package> {
    let manifest = text(json, "manifest_path")?;
    let relative = Path::new(manifest).strip_prefix(root).map_or(manifest.to_owned(), slashes);
    let mut dependencies = Vec::new();
    for dependency in list(json, "dependencies") {
        dependencies.push(Dependency {
            name: text(dependency, "name")?.to_owned(),
            dev: dependency["kind"].as_str() == Some("dev"),
        });
    }
    let mut targets = Vec::new();
    for target in list(json, "targets") {
        let kinds = list(target, "kind").iter().filter_map(Value::as_str);
        targets.push(Target {
            name: text(target, "name")?.to_owned(),
            kinds: kinds.map(str::to_owned).collect(),
        });
    }
    Ok(Package {
        name: text(json, "name")?.to_owned(),
        version: text(json, "version")?.to_owned(),
        license: json["license"].as_str().map(str::to_owned),
        manifest: relative,
        dependencies,
        targets,
    })
}

/// A relative path with `/` between its parts on every system.
pub(crate) fn slashes(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(json: &'a Value, key: &str) -> Result<&'a str> {
    json[key].as_str().with_context(|| format!("cargo metadata has no `{key}`"))
}

#[cfg(test)]
mod tests;
