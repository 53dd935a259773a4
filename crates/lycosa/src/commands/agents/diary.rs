//! What did the agents of the strategy do? Read from the log of the last run.

use crate::cli::Common;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_interface::events::{self, Log};
use lycosa_model::{AclMessage, AgentEvent, Deed, Happening};
use lycosa_store::archive::warc_date;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Something that an agent did.
#[derive(Clone, Debug, Serialize)]
struct Line {
    #[serde(flatten)]
    event: AgentEvent,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl Line {
    fn said(&self) -> Option<&AclMessage> {
        match &self.event.deed {
            Deed::Said { message, .. } => Some(message),
            _ => None,
        }
    }
}

/// Shows all that agents did in the last run to `take`.
fn read(common: &Common, mut take: impl FnMut(Line)) -> Result<(), Failure> {
    let data = common.data();
    let nobody = |place: PathBuf| {
        Failure::new(format!("no agent did anything in {}", place.display())).hint(
            "crawl with a strategy that has agents, as `--strategy infospiders` or `contract-net`",
        )
    };
    let Some(log) = Log::latest(&data) else { return Err(nobody(data.join(events::FOLDER))) };
    let mut lived = false;
    log.each(0, |_, event| {
        if let Happening::Agent { at, agent, address, deed } = event.what {
            lived = true;
            take(Line { event: AgentEvent { at, agent, deed }, address });
        }
    })?;
    if lived { Ok(()) } else { Err(nobody(log.path().to_owned())) }
}

fn ending(found: bool) -> Ending {
    if found { Ending::Done } else { Ending::Partial }
}

/// One agent as the log has it.
#[derive(Clone, Debug, Default, Serialize)]
struct Life {
    name: String,
    parent: Option<String>,
    keywords: Vec<String>,
    pages: u64,
    energy: f32,
    alive: bool,
}

/// Who was born of whom.
pub(super) fn tree(common: &Common) -> Result<Ending, Failure> {
    let mut lives: Vec<Life> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    read(common, |line| {
        let AgentEvent { agent, deed, .. } = line.event;
        if let Deed::Born { parent, energy, keywords } = deed {
            numbers.insert(agent.clone(), lives.len());
            lives.push(Life { name: agent, parent, keywords, pages: 0, energy, alive: true });
        } else if let Some(life) = numbers.get(&agent).map(|number| &mut lives[*number]) {
            match deed {
                Deed::Visited { energy, .. } => {
                    life.pages += 1;
                    life.energy = energy;
                }
                Deed::Died { energy } => (life.alive, life.energy) = (false, energy),
                Deed::Tended(tended) => life.energy = tended.after.unwrap_or(life.energy),
                Deed::Born { .. } | Deed::Said { .. } => {}
            }
        }
    })?;
    if common.json {
        output::json(&lives)?;
        return Ok(ending(!lives.is_empty()));
    }
    let mut children: BTreeMap<Option<&str>, Vec<&Life>> = BTreeMap::new();
    for life in &lives {
        // One whose parent is not in the log stands at the top.
        let parent = life.parent.as_deref().filter(|parent| numbers.contains_key(*parent));
        children.entry(parent).or_default().push(life);
    }
    let mut next: Vec<(usize, &Life)> =
        children.get(&None).into_iter().flatten().rev().map(|life| (0, *life)).collect();
    while let Some((depth, life)) = next.pop() {
        let state = if life.alive { "" } else { ", dead" };
        output::line(format!(
            "{}{}  {} pages, energy {:.2}{state}  {}",
            "  ".repeat(depth),
            life.name,
            life.pages,
            life.energy,
            life.keywords.join(" ")
        ));
        let own = children.get(&Some(life.name.as_str())).into_iter().flatten().rev();
        next.extend(own.map(|life| (depth + 1, *life)));
    }
    Ok(ending(!lives.is_empty()))
}

/// What one agent did.
pub(super) fn history(common: &Common, name: &str) -> Result<Ending, Failure> {
    let mut lines = Vec::new();
    read(common, |line| {
        if line.event.agent == name {
            lines.push(line);
        }
    })?;
    if common.json {
        output::json(&lines)?;
    } else if lines.is_empty() {
        output::note(format!("no agent is called {name}; `lycosa agents --tree` names them"));
    }
    for line in lines.iter().filter(|_| !common.json) {
        let what = match &line.event.deed {
            Deed::Born { parent, energy, keywords } => format!(
                "born of {} with energy {energy:.2}, looks for {}",
                parent.as_deref().unwrap_or("nobody"),
                keywords.join(" ")
            ),
            Deed::Visited { url, relevance, energy } => format!(
                "read {}: relevance {relevance:.2}, energy {energy:.2}",
                line.address.clone().unwrap_or_else(|| url.to_string())
            ),
            Deed::Said { message, .. } => sentence(message),
            Deed::Died { energy } => format!("died with energy {energy:.2}"),
            Deed::Tended(tended) => tended.explain(name),
        };
        output::line(format!("{}  {what}", moment(line)));
    }
    Ok(ending(!lines.is_empty()))
}

fn moment(line: &Line) -> String {
    warc_date(line.event.at)
}

fn sentence(message: &AclMessage) -> String {
    let content = serde_json::to_string(&message.content).unwrap_or_default();
    format!(
        "{} to {}: {content}  ({})",
        json!(message.performative).as_str().unwrap_or_default(),
        message.receiver,
        message.conversation_id
    )
}

/// Conversations, in the order in which they began.
pub(super) fn conversations(common: &Common) -> Result<Ending, Failure> {
    #[derive(Serialize)]
    struct Row {
        conversation_id: String,
        began: u64,
        messages: u64,
        protocol: serde_json::Value,
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    read(common, |line| {
        if let Some(message) = line.said() {
            let id = message.conversation_id.to_string();
            let number = *numbers.entry(id.clone()).or_insert_with(|| {
                rows.push(Row {
                    conversation_id: id,
                    began: line.event.at.0,
                    messages: 0,
                    protocol: json!(message.protocol),
                });
                rows.len() - 1
            });
            rows[number].messages += 1;
        }
    })?;
    if common.json {
        output::json(&rows)?;
    } else {
        for row in &rows {
            let protocol = row.protocol.as_str().unwrap_or_default();
            output::line(format!(
                "{:24} {:>6} messages  {protocol}",
                row.conversation_id, row.messages
            ));
        }
    }
    Ok(ending(!rows.is_empty()))
}

/// What was said in a conversation.
pub(super) fn conversation(common: &Common, id: &str) -> Result<Ending, Failure> {
    let mut lines = Vec::new();
    read(common, |line| {
        if line.said().is_some_and(|message| &*message.conversation_id == id) {
            lines.push(line);
        }
    })?;
    if common.json {
        output::json(&lines)?;
    } else if lines.is_empty() {
        output::note(format!(
            "there is no conversation {id}; `lycosa agents --conversations` names them"
        ));
    }
    for line in lines.iter().filter(|_| !common.json) {
        if let Some(message) = line.said() {
            output::line(format!("{}  {} {}", moment(line), line.event.agent, sentence(message)));
        }
    }
    Ok(ending(!lines.is_empty()))
}
