//! `lycosa hunt`: an on-line search by agents, whose results are ranked as they are found.

use crate::cli::{Common, Hunt};
use crate::commands::crawl::{self, Job, Summary};
use crate::failure::{Ending, Failure};
use crate::hunts::{self, Shelf};
use crate::interrupt::Interrupt;
use crate::{crew, folder, output};
use lycosa_model::message::{EngineAnswer, HuntOrder, HuntSeed, HuntView};
use lycosa_model::{Phase, Prey};
use lycosa_store::folder::DataFolder;
use serde::Serialize;

/// Characters of a title that are printed.
const MOST_TITLE: usize = 500;

/// What `--json` prints: the summary of the crawl, and what is about the hunt.
#[derive(Serialize)]
struct Told<'a> {
    id: u64,
    query: &'a str,
    engines: &'a [EngineAnswer],
    begun_at: &'a [HuntSeed],
    #[serde(flatten)]
    summary: &'a Summary,
}

pub(crate) fn run(common: &Common, args: Hunt) -> Result<Ending, Failure> {
    let Hunt { mut query, limit, crawl: mut args } = args;
    // With examples, what looks like a page is one to begin with.
    let is_page = |query: &mut String| query.contains("://");
    if args.options.examples.is_some()
        && let Some(page) = query.take_if(is_page)
    {
        args.start.urls.insert(0, page);
    }
    if let (Some(query), Some(topic)) = (&query, &args.options.topic) {
        return Err(Failure::new(format!("both `{query}` and `{topic}` are to be looked for"))
            .hint("the query is the topic; leave --topic out"));
    }
    if query.as_ref().is_some_and(|query| query.trim().is_empty()) {
        return Err(Failure::new("there is nothing to look for")
            .hint("name some words, as in: lycosa hunt \"wolf spider\""));
    }
    args.options.topic = query.clone().or(args.options.topic.take());
    let scope = args.options.scope;
    let mut job = crawl::plan(common, args)?;
    if !job.resume {
        hunts::apply_defaults(&mut job.config, scope);
    }
    job.live = !common.json;
    let order = order(&job);
    let folder = folder::lock(&job.data)?;
    let shelf = Shelf::new(&job.data);
    let kept = match resumed(&job, &folder, &shelf)? {
        Some(view) => shelf.keep(view),
        None => shelf.add(order, job.config.crawl.strategy(), false)?,
    };
    kept.change(|view| view.state = Phase::Starting)?;
    let interrupt = Interrupt::watch()?;
    let runtime = crew::runtime(&job.config)?;
    let query = job.config.crawl.topic.clone().unwrap_or_default();
    let data = job.data.clone();
    let summary = runtime.block_on(hunts::hunt(&kept, job, &folder, &interrupt))?;
    let view = kept.view();
    if common.json {
        let (engines, begun_at) = (&view.engines[..], &view.seeds[..]);
        let told = Told { id: view.id, query: &query, engines, begun_at, summary: &summary };
        output::json(&told)?;
    } else {
        describe(&view, &summary.results, limit);
        crawl::describe(&summary);
        if interrupt.asked() {
            let data = data.display();
            output::note(format!("stopped; go on with: lycosa hunt --resume --data {data}"));
        }
    }
    let partial = summary.results.is_empty() || interrupt.asked();
    Ok(if partial { Ending::Partial } else { Ending::Done })
}

/// The hunt that is gone on with: the one whose run is the last of the folder.
fn resumed(job: &Job, folder: &DataFolder, shelf: &Shelf) -> Result<Option<HuntView>, Failure> {
    if !job.resume {
        return Ok(None);
    }
    let last = hunts::last_run(folder)?;
    Ok(shelf.all()?.into_iter().rev().find(|view| view.run == Some(last)))
}

/// What was asked for, for the record.
fn order(job: &Job) -> HuntOrder {
    let crawl = &job.config.crawl;
    HuntOrder {
        query: crawl.topic.clone().unwrap_or_default(),
        urls: job.seeds.clone(),
        strategy: crawl.strategy.clone(),
        agents: crawl.agents,
        pages: crawl.pages,
        seconds: crawl.time.map(|span| span.0.as_secs()),
        depth: crawl.depth,
        scope: Some(crawl.scope.to_string()),
        lang: crawl.lang.map(|lang| lang.to_string()),
        exclude: crawl.exclude.clone(),
        ..HuntOrder::default()
    }
}

/// Prints a hunt for a person.
pub(crate) fn describe(view: &HuntView, results: &[Prey], limit: usize) {
    for answer in &view.engines {
        let said = match &answer.error {
            Some(error) => format!("left out: {error}"),
            None => output::counted(answer.results as u64, "page"),
        };
        output::line(format!("asked {}: {said}", answer.engine));
    }
    if results.is_empty() {
        output::line("nothing was found that has to do with it");
    }
    for prey in results.iter().take(limit) {
        output::line(row(prey));
        output::line(format!("       {}", prey.url));
    }
}

/// A result in one line: rank, relevance, who found it and when, title.
pub(crate) fn row(prey: &Prey) -> String {
    let title = if prey.title.is_empty() { &prey.url } else { &prey.title };
    // A title is what a stranger wrote: it must not move the cursor.
    let title = output::plain(title, MOST_TITLE);
    let verdict = match prey.verdict {
        Some(true) => "good",
        Some(false) => "bad",
        None => "",
    };
    format!(
        "{:3}. {:4.2}  {:12} {:>5.0} s  {verdict:4}  {title}",
        prey.rank, prey.relevance, prey.finder, prey.seconds
    )
}
