//! `lycosa export lattice`: the concept lattices that the agents of a team have built of their pages.

use crate::cli::{Export, LatticeForm};
use crate::commands::agents;
use crate::failure::Failure;
use lycosa_broker::Memory;
use lycosa_knowledge::lattice::Lattice;
use lycosa_strategy::Setup;
use std::io::{self, Write};
use std::path::Path;

/// Writes them; tells how many.
pub(super) fn write(data: &Path, args: &Export, out: &mut dyn Write) -> Result<u64, Failure> {
    let mut lattices = read(data)?;
    if let Some(name) = &args.agent {
        let names: Vec<String> = lattices.iter().map(|(name, _)| name.clone()).collect();
        lattices.retain(|(agent, _)| agent == name);
        if lattices.is_empty() {
            return Err(Failure::new(format!("no agent `{name}` has a lattice"))
                .hint(format!("there are: {}", names.join(", "))));
        }
    }
    let written = match args.format {
        LatticeForm::Dot => dot(&lattices, out),
        _ => xml(&lattices, out),
    };
    written.map_err(|error| Failure::new(format!("cannot write: {error}")))?;
    Ok(lattices.len() as u64)
}

/// The lattices of the last crawl, as far as they were written down.
fn read(data: &Path) -> Result<Vec<(String, Lattice)>, Failure> {
    const HINT: &str = "crawl with --strategy contract-net first";
    let path = data.join(agents::MEMORY);
    let memory = Memory::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            Failure::new(format!("no strategy has learned anything in {}", data.display()))
                .hint(HINT)
        }
        _ => Failure::new(format!("cannot read {}: {error}", path.display())),
    })?;
    // Later crawls may have had other settings.
    let parameters = serde_json::from_str(&memory.parameters)?;
    let setup = Setup { agents: memory.agents, parameters, ..Setup::default() };
    let mut strategy = lycosa_strategy::by_name(&memory.strategy, &setup)?;
    if !memory.state.is_empty() {
        strategy
            .load(&memory.state)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    }
    let lattices = strategy.lattices();
    if lattices.is_empty() {
        return Err(Failure::new(format!("{} builds no lattices", memory.strategy)).hint(HINT));
    }
    Ok(lattices)
}

/// One document with all of them.
fn xml(lattices: &[(String, Lattice)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<lattices>")?;
    for (name, lattice) in lattices {
        let text = lattice.xml();
        // The declaration of each stands in the first line.
        let body = text.split_once('\n').map_or(text.as_str(), |(_, body)| body);
        writeln!(out, "<agent name=\"{name}\">\n{body}</agent>")?;
    }
    writeln!(out, "</lattices>")
}

/// One drawing after the other, as Graphviz reads them.
fn dot(lattices: &[(String, Lattice)], out: &mut dyn Write) -> io::Result<()> {
    for (name, lattice) in lattices {
        write!(out, "// {name}\n{}", lattice.dot())?;
    }
    Ok(())
}
