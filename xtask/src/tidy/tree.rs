//! Which files does the project consist of?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::source;
use crate::metadata::slashes;

/// What is built, fetched or private, wherever it is (`.git` is a file in a linked work tree).
const NOT_OURS: &[&str] = &["target", ".git", ".idea", ".vscode", ".venv", "node_modules"];

/// Data folders of crawls (`lycosa-data`, `lycosa-data-2`) are not part of the project either.
const DATA: &str = "lycosa-data";

/// Larger files are data; they can be linked to and are not read.
const MAX_TEXT: u64 = 1 << 20;

/// The project's files: all their paths, and the text of those that are text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    texts: BTreeMap<String, String>,
    /// Files and folders; the root is the empty path.
    paths: BTreeSet<String>,
}

impl Tree {
    /// Reads the tree below `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        tree.paths.insert(String::new());
        tree.walk(root, root)?;
        Ok(tree)
    }

    fn walk(&mut self, root: &Path, dir: &Path) -> Result<()> {
        let entries =
            std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("reading {}", dir.display()))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type()?;
            let path = entry.path();
            let relative = slashes(path.strip_prefix(root)?);
            if NOT_OURS.contains(&name.as_ref()) {
                continue;
            }
            if kind.is_dir() {
                if !name.starts_with(DATA) {
                    self.paths.insert(relative);
                    self.walk(root, &path)?;
                }
            } else if kind.is_file() {
                // A file may go away while we look (an editor's); then it is not part of it.
                let small = entry.metadata().is_ok_and(|m| m.len() <= MAX_TEXT);
                if small && let Ok(text) = std::fs::read_to_string(&path) {
                    self.texts.insert(relative.clone(), text);
                }
                self.paths.insert(relative);
            }
        }
        Ok(())
    }

    /// A tree from memory, for tests of the checks.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.texts.insert((*path).to_owned(), (*text).to_owned());
            let ends = path.match_indices('/').map(|(at, _)| at).chain([0, path.len()]);
            tree.paths.extend(ends.map(|end| path[..end].to_owned()));
        }
        tree
    }

    /// All files and folders.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Whether a file or folder is there.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.paths.contains(path.trim_end_matches('/'))
    }

    /// The text of a file; `None` if it is not there or not text.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// All text files.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// All text files with this ending (`.rs`, `.md`).
    pub(crate) fn with_ending<'a>(
        &'a self,
        ending: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(move |(path, _)| path.ends_with(ending))
    }

    /// The Rust code that ends up in a crate: without comments, literals and tests, line by line
    /// where it was.
    pub(crate) fn shipped_code(&self) -> impl Iterator<Item = (&str, String)> {
        let tests = source::test_modules(self);
        self.with_ending(".rs")
            .filter(|(path, _)| !source::is_test_path(path))
            .filter(move |(path, _)| !tests.iter().any(|test| source::belongs_to(path, test)))
            .map(|(path, text)| (path, source::without_tests(&source::bare(text))))
    }

    /// Whether a Rust file below `folder` has an example in its documentation.
    pub(crate) fn has_doc_examples(&self, folder: &str) -> bool {
        let comment = |line: &str| line.starts_with("///") || line.starts_with("//!");
        self.with_ending(".rs")
            .filter(|(path, _)| path.starts_with(&format!("{folder}src/")))
            .flat_map(|(_, text)| text.lines().map(str::trim_start))
            .any(|line| comment(line) && line.contains("```"))
    }
}
