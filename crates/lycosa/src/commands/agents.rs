//! `lycosa agents`: who is at work in the running crawl, and what the agents of its strategy did.

use crate::cli::{AgentsArgs, Common};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::{output, tui};
use lycosa_interface::control::{self, ControlError};
use lycosa_interface::events::Log;
use lycosa_model::message::{InterfaceMessage, InterfaceReply};
use lycosa_model::{AgentView, FetchKind};
use serde_json::Value;

mod diary;

/// Agents of a strategy that are listed.
const SHOWN: usize = 50;

/// Where what the strategy has learned is kept in the data folder.
pub(crate) const MEMORY: &str = "agents/memory";

pub(crate) fn run(common: &Common, args: &AgentsArgs) -> Result<Ending, Failure> {
    if args.view.wanted() {
        return watch(common);
    }
    match args {
        AgentsArgs { tree: true, .. } => diary::tree(common),
        AgentsArgs { history: Some(name), .. } => diary::history(common, name),
        AgentsArgs { conversations: true, .. } => diary::conversations(common),
        AgentsArgs { conversation: Some(id), .. } => diary::conversation(common, id),
        _ => at_work(common),
    }
}

/// Shows the run that is under way on the data folder, or else the last one that has events, full-screen.
fn watch(common: &Common) -> Result<Ending, Failure> {
    tui::check(common.quiet)?;
    let data = common.data();
    let running = match control::ask(&data, &InterfaceMessage::Status) {
        Ok(InterfaceReply::Status(status)) => status.map(|status| status.broker.run),
        _ => None,
    };
    let Some(run) = running.or_else(|| Log::latest(&data).map(|log| log.run())) else {
        return Err(Failure::new(format!("there is nothing to watch in {}", data.display()))
            .hint("is --data right? Events are written by hunts, by crawls with a topic or agents, and by crawl --tui"));
    };
    // What the last run wanted is beside its data; without it, the view shows what happened.
    let crawl = Config::read(&data.join("lycosa.toml")).map(|config| config.crawl).ok();
    let query = crawl.as_ref().and_then(|crawl| crawl.topic.clone()).unwrap_or_default();
    let pages = crawl.and_then(|crawl| crawl.pages);
    tui::attach(&data, run, tui::About { query, pages, ..tui::About::default() })?;
    Ok(Ending::Done)
}

fn at_work(common: &Common) -> Result<Ending, Failure> {
    let mut agents = match control::ask(&common.data(), &InterfaceMessage::Agents) {
        Ok(InterfaceReply::Agents(agents)) => agents,
        Ok(_) => return Err(Failure::new("the running crawl answered something else")),
        Err(ControlError::NotRunning) => {
            if common.json {
                output::json(&Vec::<Value>::new())?;
            } else {
                output::note(format!("no crawl is running on {}", common.data().display()));
            }
            return Ok(Ending::Partial);
        }
        Err(error) => return Err(error.into()),
    };
    let population = match control::ask(&common.data(), &InterfaceMessage::Population) {
        Ok(InterfaceReply::Population(population)) => population,
        _ => Vec::new(),
    };
    if common.json {
        let of_strategy = population.iter().filter_map(|agent| serde_json::to_value(agent).ok());
        agents.extend(of_strategy);
        output::json(&agents)?;
        return Ok(Ending::Done);
    }
    output::line(format!(
        "{:14} {:10} {:>9} {:>8} {:>9}  observed",
        "agent", "state", "handled", "waiting", "restarts"
    ));
    for agent in &agents {
        let text = |field: &str| agent.get(field).and_then(Value::as_str).unwrap_or_default();
        let number = |field: &str| agent.get(field).and_then(Value::as_u64).unwrap_or_default();
        let observed = agent.get("observed").map(Value::to_string).unwrap_or_default();
        output::line(format!(
            "{:14} {:10} {:>9} {:>8} {:>9}  {observed}",
            text("name"),
            text("state"),
            number("handled"),
            number("waiting"),
            number("restarts"),
        ));
    }
    describe_population(&population);
    if let Ok(InterfaceReply::Status(Some(status))) =
        control::ask(&common.data(), &InterfaceMessage::Status)
        && !status.broker.fetching.is_empty()
    {
        output::line("being fetched, the longest first:");
        for row in &status.broker.fetching {
            let kind = match row.kind {
                FetchKind::Page => "",
                FetchKind::Robots => "  (robots.txt)",
                FetchKind::Sitemap => "  (sitemap)",
                FetchKind::Probe => "  (probe)",
                FetchKind::Crawllet => "  (crawllet)",
            };
            output::line(format!("  {:>6.1} s  {}{kind}", row.seconds, row.url));
        }
    }
    Ok(Ending::Done)
}

/// Lists the agents of the strategy: spiders, walkers or a team. Of the dead only their number is told.
fn describe_population(population: &[AgentView]) {
    if population.is_empty() {
        return;
    }
    let (alive, dead): (Vec<_>, Vec<_>) = population.iter().partition(|agent| agent.alive);
    let dead = match dead.len() {
        0 => String::new(),
        dead => format!(", {dead} have died"),
    };
    output::line(format!("agents of the strategy: {} alive{dead}", alive.len()));
    for agent in alive.iter().take(SHOWN) {
        let energy = agent.energy.map_or(String::new(), |energy| format!("energy {energy:.2}"));
        output::line(format!(
            "  {:14} {:11} {:>9}  {energy:12} {}  {}",
            agent.name,
            agent.kind,
            output::counted(agent.pages, "page"),
            agent.note,
            agent.keywords.join(" "),
        ));
    }
    if alive.len() > SHOWN {
        output::line(format!("  and {} more; --json has them all", alive.len() - SHOWN));
    }
}
