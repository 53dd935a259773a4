//! Who ran what here, and what did it cost?

use super::{Folder, print};
use crate::config::Config;
use crate::fault::{About, Trouble};
use crate::state::{Entry, State};
use crate::units::Size;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Jobs that are shown one by one.
const LAST: usize = 20;

/// What is wanted.
#[derive(Debug, Args)]
pub struct Report {
    #[command(flatten)]
    folder: Folder,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Default, Serialize)]
struct Sum {
    grants: u64,
    refusals: u64,
    jobs: u64,
    pages: u64,
    bytes: u64,
    sent: u64,
    cpu_ms: u64,
    ends: BTreeMap<String, u64>,
}

impl Report {
    pub(super) fn run(self) -> Result<ExitCode, Trouble> {
        let config = Config::read(&self.folder.path)?;
        let folder = config.state(&self.folder.path);
        let about = format!("reading the log in {}", folder.display());
        let state = State::open(&folder).about(&about)?;
        let entries = state.journal().read().about(about)?;
        let mut engines: BTreeMap<String, Sum> = BTreeMap::new();
        for entry in &entries {
            let name = if entry.engine.is_empty() { "(unknown)" } else { &entry.engine };
            engines.entry(name.to_owned()).or_default().add(entry);
        }
        let jobs: Vec<&Entry> = entries.iter().filter(|entry| entry.what == "job").collect();
        let last = jobs.get(jobs.len().saturating_sub(LAST)..).unwrap_or_default();
        if self.json {
            let all = serde_json::json!({ "engines": engines, "jobs": last });
            print(all);
        } else {
            text(&engines, last);
        }
        // Nothing found is told by the code, as elsewhere.
        Ok(ExitCode::from(u8::from(entries.is_empty())))
    }
}

impl Sum {
    fn add(&mut self, entry: &Entry) {
        match entry.what.as_str() {
            "grant" => self.grants += 1,
            "refusal" => self.refusals += 1,
            "job" => {
                self.jobs += 1;
                self.pages += entry.pages;
                self.bytes += entry.bytes;
                self.sent += entry.sent;
                self.cpu_ms += entry.cpu_ms;
                *self.ends.entry(entry.reason.clone()).or_default() += 1;
            }
            _ => {}
        }
    }
}

fn text(engines: &BTreeMap<String, Sum>, last: &[&Entry]) {
    if engines.is_empty() {
        print("nobody was here yet");
        return;
    }
    print(format_args!(
        "{:<28} {:>6} {:>8} {:>6} {:>8} {:>9} {:>9} {:>8}  ends",
        "engine", "grants", "refusals", "jobs", "pages", "read", "sent", "cpu"
    ));
    for (name, sum) in engines {
        let ends: Vec<String> = sum.ends.iter().map(|(why, n)| format!("{why} {n}")).collect();
        let (read, sent) = (Size(sum.bytes).to_string(), Size(sum.sent).to_string());
        print(format_args!(
            "{name:<28} {:>6} {:>8} {:>6} {:>8} {read:>9} {sent:>9} {:>7}s  {}",
            sum.grants,
            sum.refusals,
            sum.jobs,
            sum.pages,
            sum.cpu_ms / 1000,
            ends.join(", ")
        ));
    }
    if !last.is_empty() {
        print("\nlast jobs");
    }
    for job in last {
        let Entry { time, engine, pages, files, cpu_ms, wall_ms, reason, .. } = job;
        let sent = Size(job.sent);
        print(format_args!(
            "{time}  {engine}  {pages} pages ({files} files), {sent} sent, {cpu_ms} ms of processor, {wall_ms} ms: {reason}"
        ));
        for note in &job.notes {
            print(format_args!("    {note}"));
        }
    }
}
