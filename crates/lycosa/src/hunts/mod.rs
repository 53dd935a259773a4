//! What is hunted in a data folder? Where a hunt begins, what is kept of it, and who manages several.

mod manager;
mod order;
mod shelf;
mod telling;

pub(crate) use manager::open;
pub(crate) use order::{apply_defaults, job_of};
pub(crate) use shelf::{Kept, Shelf};

use crate::commands::crawl::{self, Job, Summary};
use crate::config::Config;
use crate::crew;
use crate::engines;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use lycosa_model::Phase;
use lycosa_model::message::{EngineAnswer, HuntSeed};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use std::path::Path;

/// Asks the search engines where to begin, when nobody has said it.
pub(crate) async fn look_for_seeds(
    query: &str,
    config: &Config,
    data: &Path,
) -> Result<engines::Named, Failure> {
    let named = engines::ask(query, config, data).await?;
    for answer in &named.answers {
        if let Some(error) = &answer.error {
            tracing::warn!("the search engine {} is left out: {error}", answer.engine);
        }
    }
    if named.seeds.is_empty() {
        return Err(nowhere(&named.answers));
    }
    Ok(named)
}

/// No engine named a page.
fn nowhere(answers: &[EngineAnswer]) -> Failure {
    let told: Vec<String> = answers
        .iter()
        .map(|answer| {
            let said = answer.error.as_deref().unwrap_or("nothing found");
            format!("{}: {said}", answer.engine)
        })
        .collect();
    let asked = match told.is_empty() {
        true => "there is no index here yet, and no search engine is configured".to_owned(),
        false => told.join("; "),
    };
    Failure::new(format!("there is nowhere to begin ({asked})")).hint(
        "name a URL to begin with, or a search engine in the configuration: \
         [[hunt.engines]] url = \"https://…\"",
    )
}

/// The pages that engines named, as the broker wants to hear of them.
pub(crate) fn with_finders(seeds: &[HuntSeed]) -> Vec<(String, String)> {
    let finder = |seed: &HuntSeed| seed.engines.first().cloned().unwrap_or_default();
    seeds.iter().map(|seed| (seed.url.clone(), finder(seed))).collect()
}

/// The number of the last run of a folder.
pub(crate) fn last_run(folder: &DataFolder) -> Result<u32, Failure> {
    let run = Records::open(&folder.broker())?.run()?;
    Ok(run.map_or(0, |run| run.number))
}

/// Hunts from the search for seeds to the summary, and keeps a record of it, which was taken up.
pub(crate) async fn hunt(
    kept: &Kept,
    mut job: Job,
    folder: &DataFolder,
    interrupt: &Interrupt,
) -> Result<Summary, Failure> {
    let outcome = run(kept, &mut job, folder, interrupt).await;
    kept.change(|view| match &outcome {
        Ok(summary) => {
            view.pages = summary.pages;
            view.order.exclude.clone_from(&summary.excluded);
            if !view.cancelled {
                view.results.clone_from(&summary.results);
            }
            // One that was cut off goes on when somebody takes it up again.
            let cut_off = interrupt.asked() && !summary.finished && view.state != Phase::Stopping;
            view.state = match summary.state {
                Phase::Paused | Phase::Pausing if cut_off => Phase::Paused,
                _ if cut_off => Phase::Waiting,
                _ => Phase::Finished,
            };
            let fault = summary.seeds.first().filter(|_| summary.pages == 0);
            view.error = fault.map(|fault| format!("{}: {}", fault.url, fault.reason));
        }
        // It had not begun, and nobody said that it shall not.
        Err(_) if interrupt.asked() && view.served && view.state != Phase::Stopping => {
            view.state = Phase::Waiting;
        }
        Err(failure) => {
            view.state = Phase::Finished;
            view.error = Some(failure.to_string());
        }
    })?;
    outcome
}

async fn run(
    kept: &Kept,
    job: &mut Job,
    folder: &DataFolder,
    interrupt: &Interrupt,
) -> Result<Summary, Failure> {
    let web = crew::open_web(&job.config)?;
    let query = job.config.crawl.topic.clone().unwrap_or_default();
    if job.seeds.is_empty() && !job.resume && query.is_empty() {
        return Err(crawl::nowhere());
    }
    if job.seeds.is_empty() && !job.resume {
        let looked = look_for_seeds(&query, &job.config, folder.dir());
        let named = interrupt.or(looked).await.ok_or_else(crawl::stopped_early)??;
        job.named = with_finders(&named.seeds);
        kept.change(|view| {
            view.engines = named.answers;
            view.seeds = named.seeds;
        })?;
    }
    let begun = kept.clone();
    job.begun = Some(Box::new(move |run| {
        begun.begin(run).unwrap_or_else(|failure| {
            tracing::warn!("{failure}");
            Phase::Running
        })
    }));
    let job = std::mem::replace(job, Job::new(job.config.clone(), job.data.clone()));
    crawl::crawl_web(job, folder, web, interrupt).await
}
