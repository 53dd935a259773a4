//! `lycosa lab`: studies.

use crate::cli::{
    Common, Lab, LabCommon, LabCrawl, LabCrawllets, LabIr, LabKnownItem, LabPart, LabRun,
    LabStrategies, LabTeam, LabTopics, LabWeb,
};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::wordnet::wordnet;
use crate::{embeddings, output};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lycosa_lab::simulator::{ParsedWeb, Topic, read_topics};
use lycosa_lab::studies::du::Ground;
use lycosa_lab::studies::{self, Outcome, Progress, STUDIES, StudyError};
use std::io::IsTerminal;

pub(crate) fn run(common: &Common, args: Lab) -> Result<Ending, Failure> {
    match args {
        Lab::List => list(common),
        Lab::Run(LabRun::Ir(args)) => ir(common, &args),
        Lab::Run(LabRun::KnownItem(args)) => known_item(common, &args),
        Lab::Run(LabRun::WackFigure1(args)) => {
            on_web(common, &args, |web, step| studies::wack::run(web, args.common.seed, step))
        }
        Lab::Run(LabRun::MySpiders(args)) => on_topics(common, &args, |web, topics, step| {
            studies::myspiders::run(web, topics, args.web.common.seed, step)
        }),
        Lab::Run(LabRun::Strategies(args)) => strategies(common, &args),
        Lab::Run(LabRun::DuTable1(args)) => team(common, &args, studies::du::table1),
        Lab::Run(LabRun::DuTable2(args)) => team(common, &args, studies::du::table2),
        Lab::Run(LabRun::DuFigures(args)) => team(common, &args, studies::du::figures),
        Lab::Run(LabRun::Crawllets(args)) => crawllets(common, &args),
        Lab::Part(LabPart::Serve { docroot }) => {
            let ready = |address| output::line(format!("http://{address}"));
            studies::crawllets::serve_site(&docroot, ready)?;
            Ok(Ending::Done)
        }
        Lab::Part(LabPart::Crawl(args)) => crawl_part(&args),
    }
}

fn crawllets(common: &Common, args: &LabCrawllets) -> Result<Ending, Failure> {
    check_folder(&args.common)?;
    let lycosa = std::env::current_exe()?;
    let host = studies::crawllets::find_host(args.host_binary.as_deref(), &lycosa);
    let host = host.map_err(failed)?;
    let ground = studies::crawllets::Ground {
        lycosa: &lycosa,
        host: &host,
        site: args.site.as_deref(),
        percent: args.pages_percent,
        delays_ms: &args.delay,
        seed: args.common.seed,
    };
    let bar = bar(common);
    let outcome = studies::crawllets::run(&ground, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

fn crawl_part(args: &LabCrawl) -> Result<Ending, Failure> {
    let part = studies::crawllets::Part {
        method: &args.method,
        authority: &args.authority,
        site: args.site,
        host: args.host,
        seed: args.seed,
    };
    output::line(studies::crawllets::crawl_part(&part).map_err(failed)?);
    Ok(Ending::Done)
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
            output::line(format!("{:13} {}", study.name, study.question));
            output::line(format!("{:13} needs {}", "", study.needs));
        }
    }
    Ok(Ending::Done)
}

fn ir(common: &Common, args: &LabIr) -> Result<Ending, Failure> {
    let set = Config::load(common.config.as_deref())?.search.embeddings;
    check_folder(&args.common)?;
    let folder = args.embeddings.clone().or(set);
    let model = folder.as_deref().map(embeddings::load).transpose()?;
    let bar = bar(common);
    let (model, seed) = (model.as_ref(), args.common.seed);
    let outcome = studies::ir::run(&args.collection, model, seed, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

fn known_item(common: &Common, args: &LabKnownItem) -> Result<Ending, Failure> {
    check_folder(&args.common)?;
    let bar = bar(common);
    let (data, pages, seed) = (common.data(), args.pages as usize, args.common.seed);
    let outcome = studies::known_item::run(&data, pages, seed, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

/// A study that tells how far it is.
type Step<'a> = &'a mut dyn FnMut(Progress<'_>);

/// Reads the web and runs a study on it.
fn on_web(
    common: &Common,
    args: &LabWeb,
    study: impl FnOnce(&ParsedWeb, Step<'_>) -> Result<Outcome, StudyError>,
) -> Result<Ending, Failure> {
    check_folder(&args.common)?;
    let bar = bar(common);
    bar.set_length(args.web.len() as u64);
    bar.set_message("reading the web");
    let web = ParsedWeb::read(&args.web, &|done| bar.set_position(done as u64));
    let web = web.map_err(|error| {
        Failure::new(error.to_string()).hint("name archives with --web: .warc or .warc.gz")
    })?;
    let outcome = study(&web, &mut |step| show(&bar, &step));
    finish(common, &args.common, &bar, outcome)
}

/// Reads web and topics and runs a study on them.
fn on_topics(
    common: &Common,
    args: &LabTopics,
    study: impl FnOnce(&ParsedWeb, &[Topic], Step<'_>) -> Result<Outcome, StudyError>,
) -> Result<Ending, Failure> {
    let topics = read_topics(&args.topics).map_err(|error| {
        let hint = "a JSON list of topics, each with its seeds and what is relevant";
        Failure::new(error.to_string()).hint(hint)
    })?;
    on_web(common, &args.web, |web, step| study(web, &topics, step))
}

fn strategies(common: &Common, args: &LabStrategies) -> Result<Ending, Failure> {
    // Before the web is read, which takes its time.
    studies::strategies::check_names(&args.strategy).map_err(failed)?;
    let wordnet = wordnet(args.wordnet.as_deref())?;
    on_topics(common, &args.topics, |web, topics, step| {
        let mut topics = topics.to_vec();
        if args.query_only {
            topics.iter_mut().for_each(|topic| topic.examples.clear());
        }
        let field = studies::strategies::Field {
            web,
            topics: &topics,
            fetches: args.fetches as usize,
            strategies: args.strategy.clone(),
            agents: args.agents.map(|agents| agents as usize),
            wordnet,
            seed: args.topics.web.common.seed,
        };
        studies::strategies::run(&field, step)
    })
}

fn team(
    common: &Common,
    args: &LabTeam,
    study: impl FnOnce(&Ground<'_>, Step<'_>) -> Result<Outcome, StudyError>,
) -> Result<Ending, Failure> {
    let wordnet = wordnet(args.wordnet.as_deref())?;
    on_topics(common, &args.topics, |web, topics, step| {
        let agents = args.agents.map(|agents| agents as usize);
        study(&Ground { web, topics, wordnet, agents, seed: args.topics.web.common.seed }, step)
    })
}

fn failed(error: StudyError) -> Failure {
    let hint = error.hint().to_owned();
    Failure::from(error).hint(hint)
}

/// Whether there is a place for the results, before minutes are spent on them.
fn check_folder(args: &LabCommon) -> Result<(), Failure> {
    args.out.as_deref().map_or(Ok(()), studies::check_folder).map_err(failed)
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
