//! `lycosa agents`: who is at work in the running crawl, and what the agents of its strategy did.

use crate::cli::{AgentsArgs, Common};
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_interface::control::{self, ControlError};
use lycosa_model::FetchKind;
use lycosa_model::message::{InterfaceMessage, InterfaceReply};
use serde_json::Value;

mod diary;

pub(crate) use diary::DIARY;

pub(crate) fn run(common: &Common, args: &AgentsArgs) -> Result<Ending, Failure> {
    match args {
        AgentsArgs { tree: true, .. } => diary::tree(common),
        AgentsArgs { history: Some(name), .. } => diary::history(common, name),
        AgentsArgs { conversations: true, .. } => diary::conversations(common),
        AgentsArgs { conversation: Some(id), .. } => diary::conversation(common, id),
        _ => at_work(common),
    }
}

fn at_work(common: &Common) -> Result<Ending, Failure> {
    let agents = match control::ask(&common.data(), &InterfaceMessage::Agents) {
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
    if common.json {
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
            };
            output::line(format!("  {:>6.1} s  {}{kind}", row.seconds, row.url));
        }
    }
    Ok(Ending::Done)
}
