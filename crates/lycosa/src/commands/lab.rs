//! `lycosa lab`: studies.

use crate::cli::{Common, Lab, LabCommon, LabIr, LabKnownItem, LabRun};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::{embeddings, output};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lycosa_lab::studies::{self, Outcome, Progress, STUDIES, StudyError};
use std::io::IsTerminal;

pub(crate) fn run(common: &Common, args: Lab) -> Result<Ending, Failure> {
    match args {
        Lab::List => list(common),
        Lab::Run(LabRun::Ir(args)) => ir(common, &args),
        Lab::Run(LabRun::KnownItem(args)) => known_item(common, &args),
    }
}

fn list(common: &Common) -> Result<Ending, Failure> {
    if common.json {
        let row = |study: &studies::Study| {
            serde_json::json!({
                "study": study.name, "question": study.question, "needs": study.needs
            })
        };
        output::json(&STUDIES.iter().map(row).collect::<Vec<_>>())?;
    } else {
        for study in STUDIES {
            output::line(format!("{:12} {}", study.name, study.question));
            output::line(format!("{:12} needs {}", "", study.needs));
        }
    }
    Ok(Ending::Done)
}

fn ir(common: &Common, args: &LabIr) -> Result<Ending, Failure> {
    let set = Config::load(common.config.as_deref())?.search.embeddings;
    let folder = args.embeddings.clone().or(set);
    let model = folder.as_deref().map(embeddings::load).transpose()?;
    let bar = bar(common);
    let (model, seed) = (model.as_ref(), args.common.seed);
    let outcome = studies::ir::run(&args.collection, model, seed, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

fn known_item(common: &Common, args: &LabKnownItem) -> Result<Ending, Failure> {
    let bar = bar(common);
    let (data, pages, seed) = (common.data(), args.pages as usize, args.common.seed);
    let outcome = studies::known_item::run(&data, pages, seed, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

/// The progress line; hidden where there is no terminal.
fn bar(common: &Common) -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.set_draw_target(if common.quiet || !std::io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    });
    if let Ok(style) = ProgressStyle::with_template("[{bar:30}] {pos}/{len}  {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

fn show(bar: &ProgressBar, step: &Progress<'_>) {
    bar.set_length(step.of as u64);
    bar.set_position(step.done as u64);
    bar.set_message(step.what.to_owned());
}

/// Writes the files and prints what came out.
fn finish(
    common: &Common,
    args: &LabCommon,
    bar: &ProgressBar,
    outcome: Result<Outcome, StudyError>,
) -> Result<Ending, Failure> {
    bar.finish_and_clear();
    let failed = |error: StudyError| {
        let hint = error.hint();
        Failure::from(error).hint(hint)
    };
    let outcome = outcome.map_err(failed)?;
    let files = match &args.out {
        Some(folder) => outcome.write(folder).map_err(failed)?,
        None => Vec::new(),
    };
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    if common.json {
        output::json(&serde_json::json!({
            "study": outcome.study,
            "figures": outcome.figures,
            "files": files,
            "warnings": outcome.warnings,
        }))?;
        return Ok(Ending::Done);
    }
    for warning in &outcome.warnings {
        output::note(format!("warning: {warning}"));
    }
    output::line(outcome.text.trim_end());
    if let Some(folder) = &args.out {
        let files = output::counted(files.len() as u64, "file");
        output::line(format!("\n{files} in {}", folder.display()));
    }
    Ok(Ending::Done)
}
