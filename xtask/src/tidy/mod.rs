//! Which house rules can a program check?
//!
//! Each check is a pure function from the tree (and what cargo knows) to findings; this module
//! reads the tree, runs the checks and prints `path:line: message` for each finding.

mod direction;
mod files;
mod house;
mod licences;
mod links;
mod manifests;
mod source;
mod tree;

use std::fmt;

use anyhow::Result;

use crate::metadata::Workspace;

pub(crate) use tree::Tree;

/// A broken house rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Relative to the workspace root.
    path: String,
    /// From 1; also 1 for what concerns a whole file or a file that should exist.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Runs every check; true when nothing was found.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let tree = Tree::read(&workspace.root)?;
    let mut findings = direction::check(&workspace.packages, &tree);
    findings.extend(manifests::check(&workspace.packages, &tree));
    findings.extend(links::check(&tree));
    findings.extend(files::check(&tree));
    findings.extend(house::check(&tree));
    let graph = workspace.graph()?;
    findings.extend(licences::check(&graph, &tree));
    let panics = house::panics(&tree);
    println!("    {}", house::counts(&panics));
    findings.extend(house::too_many_panics(&panics));
    println!("    {} files, {} packages", tree.paths().count(), graph.len());
    Ok(report(findings))
}

/// Runs the check of links alone; true when nothing was found.
pub(crate) fn run_links(workspace: &Workspace) -> Result<bool> {
    Ok(report(links::check(&Tree::read(&workspace.root)?)))
}

fn report(mut findings: Vec<Finding>) -> bool {
    findings.sort();
    findings.dedup();
    for finding in &findings {
        println!("{finding}");
    }
    println!("    {} findings", findings.len());
    findings.is_empty()
}
