//! What can be clicked? Elements whose listeners say so, then those that look like it.
//!
//! Links are not clicked: where they lead is known. What appears after a click comes before what was
//! there, since another click may take it away again.

use super::cdp::CdpError;
use super::visit::Sitting;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// The page's time after a click.
const AFTER: Duration = Duration::from_millis(1_500);
/// Clicks on one element: what it does may change with each.
const PER_ELEMENT: usize = 3;
/// Elements that one look at the page may bring.
const LOOK: usize = 64;
/// Events that a click consists of.
const EVENTS: [&str; 5] = ["click", "mousedown", "mouseup", "pointerdown", "pointerup"];

/// Elements that look as if they could be clicked, in the order of the page.
const LIKELY: &str = include_str!("likely.js");
/// Clicks an element, unless it is a link or cannot be clicked; tells whether it did.
const CLICK: &str = include_str!("click.js");

/// An element, by the browser's number, and what a click on it would do: where its listeners stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Candidate {
    node: i64,
    listeners: Vec<String>,
}

/// What was clicked, and what was there before the last click.
#[derive(Default)]
struct Memory {
    tried: HashSet<Candidate>,
    times: HashMap<i64, usize>,
    seen: HashSet<i64>,
}

impl Memory {
    /// The next element to click: one that has just appeared, else the first that was not tried.
    fn choose(&mut self, candidates: Vec<Candidate>) -> Option<Candidate> {
        let fresh = |candidate: &&Candidate| {
            let times = self.times.get(&candidate.node).copied().unwrap_or_default();
            times < PER_ELEMENT && !self.tried.contains(candidate)
        };
        let new = |candidate: &&Candidate| !self.seen.contains(&candidate.node);
        let chosen = candidates
            .iter()
            .filter(fresh)
            .find(new)
            .or_else(|| candidates.iter().find(fresh))
            .cloned();
        self.seen.extend(candidates.iter().map(|candidate| candidate.node));
        let chosen = chosen?;
        *self.times.entry(chosen.node).or_default() += 1;
        self.tried.insert(chosen.clone());
        Some(chosen)
    }
}

impl Sitting<'_> {
    /// Clicks what can be clicked, as often as the settings allow.
    pub(super) async fn click_around(&self) -> Result<(), CdpError> {
        if self.settings.clicks == 0 {
            return Ok(());
        }
        let world = self.world().await?;
        let mut memory = Memory::default();
        let mut clicks = 0;
        // An element that turns out not to be clickable costs a look, not a click.
        for _ in 0..self.settings.clicks * 2 {
            let mut chosen = memory.choose(self.listening().await?);
            if chosen.is_none() {
                let mut likely = self.likely(world).await?;
                likely.retain(|candidate| !memory.times.contains_key(&candidate.node));
                chosen = memory.choose(likely);
            }
            let Some(chosen) = chosen else { return Ok(()) };
            if self.click(world, chosen.node).await? {
                clicks += 1;
                self.pass(AFTER).await?;
            }
            if clicks >= self.settings.clicks {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Elements with listeners for clicks. Those of the page's own world are asked for; the document
    /// cannot be replaced by a script.
    async fn listening(&self) -> Result<Vec<Candidate>, CdpError> {
        let document = self.page("Runtime.evaluate", json!({ "expression": "document" })).await?;
        let Some(object) = document["result"]["objectId"].as_str() else { return Ok(Vec::new()) };
        let ask = json!({ "objectId": object, "depth": -1 });
        let found = self.page("DOMDebugger.getEventListeners", ask).await?;
        Ok(by_element(&found))
    }

    async fn likely(&self, world: u64) -> Result<Vec<Candidate>, CdpError> {
        let look = json!({ "expression": format!("({LIKELY})({LOOK})"), "contextId": world });
        let list = self.page("Runtime.evaluate", look).await?;
        let Some(list) = list["result"]["objectId"].as_str() else { return Ok(Vec::new()) };
        let own = json!({ "objectId": list, "ownProperties": true });
        let list = self.page("Runtime.getProperties", own).await?;
        let mut candidates = Vec::new();
        for item in list["result"].as_array().into_iter().flatten().take(LOOK) {
            let Some(object) = item["value"]["objectId"].as_str() else { continue };
            let node = self.page("DOM.describeNode", json!({ "objectId": object })).await;
            // What is no element (the list's own parts) has no number.
            let node = node.ok().and_then(|node| node["node"]["backendNodeId"].as_i64());
            candidates.extend(node.map(|node| Candidate { node, listeners: Vec::new() }));
        }
        Ok(candidates)
    }

    async fn click(&self, world: u64, node: i64) -> Result<bool, CdpError> {
        let ask = json!({ "backendNodeId": node, "executionContextId": world });
        let object = match self.page("DOM.resolveNode", ask).await {
            // It has left the page.
            Err(CdpError::Refused(_)) => return Ok(false),
            answer => answer?,
        };
        let call = json!({
            "objectId": object["object"]["objectId"],
            "functionDeclaration": CLICK,
            "returnByValue": true,
        });
        let clicked = self.page("Runtime.callFunctionOn", call).await?;
        Ok(clicked["result"]["value"] == true)
    }
}

/// The listeners for clicks, element by element in the order told.
fn by_element(found: &Value) -> Vec<Candidate> {
    let mut order = Vec::new();
    let mut listeners: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for listener in found["listeners"].as_array().into_iter().flatten() {
        let (Some(kind), Some(node)) =
            (listener["type"].as_str(), listener["backendNodeId"].as_i64())
        else {
            continue;
        };
        if !EVENTS.contains(&kind) {
            continue;
        }
        let place = format!(
            "{kind}@{}:{}:{}",
            listener["scriptId"].as_str().unwrap_or_default(),
            listener["lineNumber"],
            listener["columnNumber"]
        );
        if !listeners.contains_key(&node) {
            order.push(node);
        }
        listeners.entry(node).or_default().push(place);
    }
    let candidate =
        |node| Candidate { node, listeners: listeners.remove(&node).unwrap_or_default() };
    order.into_iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(kind: &str, node: i64, line: u32) -> Value {
        json!({ "type": kind, "backendNodeId": node, "scriptId": "3", "lineNumber": line,
                "columnNumber": 0 })
    }

    fn page(listeners: &[Value]) -> Vec<Candidate> {
        by_element(&json!({ "listeners": listeners }))
    }

    #[test]
    fn what_has_just_appeared_is_clicked_first() {
        let mut memory = Memory::default();
        let (show, decoy) = (listener("click", 1, 1), listener("click", 2, 2));
        let first = memory.choose(page(&[show.clone(), decoy.clone()])).expect("one");
        assert_eq!(first.node, 1);
        let secret = listener("click", 3, 3);
        let all = [show, decoy, secret];
        assert_eq!(memory.choose(page(&all)).expect("one").node, 3);
        assert_eq!(memory.choose(page(&all)).expect("one").node, 2);
        assert_eq!(memory.choose(page(&all)), None);
    }

    #[test]
    fn an_element_that_does_something_else_now_is_clicked_again_but_not_for_ever() {
        let mut memory = Memory::default();
        let clicks =
            (0..10).filter(|line| memory.choose(page(&[listener("click", 1, *line)])).is_some());
        assert_eq!(clicks.count(), PER_ELEMENT);
    }

    #[test]
    fn only_listeners_for_clicks_count() {
        assert!(page(&[listener("scroll", 1, 1), json!({ "type": "click" })]).is_empty());
        let two = page(&[listener("click", 1, 1), listener("mousedown", 1, 2)]);
        assert_eq!((two.len(), two[0].listeners.len()), (1, 2));
    }
}
