//! Which benches are there, and how is one run?
//!
//! A bench is a `[[bench]]` target of any crate with `harness = false`: an ordinary program that
//! checks its answers first and then prints its figures. `cargo xtask test` only compiles them.

use anyhow::{Result, bail};

use crate::metadata::Workspace;
use crate::shell::{self, Run};

/// Lists the benches, or runs the one called `name` with the bench profile.
pub(crate) fn run(workspace: &Workspace, name: Option<&str>, args: &[String]) -> Result<bool> {
    let benches = list(workspace);
    let Some(name) = name else {
        if benches.is_empty() {
            println!("no benches yet: a `[[bench]]` target in any crate appears here");
        }
        for (package, bench) in &benches {
            println!("{bench}  ({package})");
        }
        return Ok(true);
    };
    let Some((package, _)) = benches.iter().find(|(_, bench)| *bench == name) else {
        bail!("no bench is called `{name}`; `cargo xtask bench` lists them");
    };
    let run = Run::cargo(&["bench", "--package", package, "--bench", name]).args(args);
    Ok(shell::show(workspace, &run)?.success())
}

/// All `(package, bench)` pairs of the workspace.
fn list(workspace: &Workspace) -> Vec<(&str, &str)> {
    let of = |kind: &str| kind == "bench";
    workspace
        .packages
        .iter()
        .flat_map(|p| p.targets.iter().map(move |t| (p.name.as_str(), t)))
        .filter(|(_, t)| t.kinds.iter().any(|k| of(k)))
        .map(|(package, t)| (package, t.name.as_str()))
        .collect()
}
