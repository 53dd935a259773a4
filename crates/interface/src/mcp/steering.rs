//! How does a model steer a crawl that runs? It leaves parts of the web alone, and feeds or stops agents.

use super::tools::{read, tells, tool, view, written};
use super::{Mcp, Trouble, out_of_turn};
use lycosa_model::message::{HuntMessage, HuntReply};
use lycosa_model::{Care, Tended};
use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Of `crawl_exclude`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Exclude {
    /// The crawl.
    crawl_id: u64,
    /// Hosts (`example.org`), beginnings of addresses (`example.org/shop/`), patterns (`*/print/*`) to leave alone.
    #[serde(default)]
    add: Vec<String>,
    /// Those that are to be left alone no more.
    #[serde(default)]
    remove: Vec<String>,
}

/// To `crawl_exclude`.
#[derive(Debug, Serialize, JsonSchema)]
struct Excluded {
    crawl_id: u64,
    /// All that is left alone now.
    excluded: Vec<String>,
}

/// Of `agent_tend`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tend {
    /// The crawl.
    crawl_id: u64,
    /// The name of the agent, as `agents` has it.
    agent: String,
    /// `feed` or `stop`.
    action: Care,
}

/// To `agent_tend`.
#[derive(Debug, Serialize, JsonSchema)]
struct Cared {
    crawl_id: u64,
    agent: String,
    /// What came of it, in words.
    told: String,
    #[serde(flatten)]
    tended: Tended,
}

/// The tools.
pub(super) fn table() -> Vec<Tool> {
    vec![
        tool::<Exclude, Excluded>(
            "crawl_exclude",
            "Leave parts of the web alone",
            "Changes what a crawl leaves alone, also while it runs. What waits there is set aside, and waits again when \
             it is removed. Without add and remove it lists what is left alone. Example: {\"crawl_id\": 1, \"add\": \
             [\"shop.example.org\", \"*/print/*\"]}",
            tells(),
        ),
        tool::<Tend, Cared>(
            "agent_tend",
            "Feed or stop an agent",
            "Feeds an agent of a running crawl (a spider gets energy, a walker clones itself, a crawler of a team gets \
             links) or ends it. Example: {\"crawl_id\": 1, \"agent\": \"Ada\", \"action\": \"feed\"}",
            tells().idempotent(false),
        ),
    ]
}

/// Calls one by its name.
pub(super) async fn call(mcp: &Mcp, name: &str, said: JsonObject) -> Result<Value, Trouble> {
    match name {
        "crawl_exclude" => written(&exclude(mcp, read(said)?).await?),
        _ => written(&tend(mcp, read(said)?).await?),
    }
}

async fn exclude(mcp: &Mcp, said: Exclude) -> Result<Excluded, Trouble> {
    let Exclude { crawl_id: id, add, remove } = said;
    if !add.is_empty() {
        mcp.hunts(HuntMessage::Exclude { id, patterns: add }).await?;
    }
    if !remove.is_empty() {
        mcp.hunts(HuntMessage::Include { id, patterns: remove }).await?;
    }
    Ok(Excluded { crawl_id: id, excluded: view(mcp, id).await?.order.exclude })
}

async fn tend(mcp: &Mcp, said: Tend) -> Result<Cared, Trouble> {
    let Tend { crawl_id, agent, action } = said;
    let message = HuntMessage::Tend { id: crawl_id, agent: agent.clone(), how: action };
    match mcp.hunts(message).await? {
        HuntReply::Tended(tended) => {
            Ok(Cared { crawl_id, told: tended.explain(&agent), agent, tended })
        }
        _ => Err(out_of_turn()),
    }
}
