//! Who says what to whom? A sequence diagram of one conversation, drawn here, and the same as a table.

use super::{escaped, place};
use crate::events::{self, Picture};
use crate::web::api::picture::Said;
use crate::web::clean;
use crate::web::visit::Visit;
use lycosa_model::Protocol;

/// Conversations that are listed.
const SHOWN: usize = 100;
/// Messages that are drawn.
const DRAWN: usize = 120;
/// Between two lifelines and between two messages.
const COLUMN: usize = 150;
const ROW: usize = 34;
const TOP: usize = 44;

pub(super) struct TalkRow {
    pub(super) id: String,
    pub(super) href: String,
    pub(super) current: bool,
    pub(super) when: String,
    pub(super) messages: String,
    pub(super) bids: Option<String>,
    pub(super) contract: bool,
}

/// The conversations, the last ones first; and the id of the one that is looked at.
pub(super) fn rows(
    visit: &Visit,
    id: u64,
    picture: &Picture,
    asked: Option<&str>,
) -> (Vec<TalkRow>, Option<String>) {
    let t = &visit.ui.texts().hunt;
    let all = picture.conversations();
    // Without a choice, the last negotiation is the one to look at.
    let last = all.iter().rev().find(|talk| talk.bids > 0).or(all.last());
    let known = asked.and_then(|asked| all.iter().find(|talk| talk.id == asked));
    let current = known.or(last).map(|talk| talk.id.clone());
    // Negotiations are what one comes for; the rest is small talk.
    let mut order: Vec<_> = all.iter().rev().collect();
    order.sort_by_key(|talk| talk.bids == 0);
    let rows = order.into_iter().take(SHOWN).map(|talk| TalkRow {
        href: place(visit, id, &format!("?view=talk&with={}", escaped(&talk.id))),
        current: current.as_ref() == Some(&talk.id),
        when: (t.seconds)(talk.began),
        messages: (t.said)(talk.messages),
        bids: (talk.bids > 0).then(|| (t.bids)(talk.bids)),
        contract: talk.contract && talk.protocol == protocol(Protocol::FipaContractNet),
        id: clean::line(&talk.id, 80),
    });
    (rows.collect(), current)
}

fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::FipaContractNet => "fipa-contract-net",
        Protocol::FipaRequest => "fipa-request",
        Protocol::FipaQuery => "fipa-query",
    }
}

/// A lifeline.
pub(super) struct Lifeline {
    pub(super) name: String,
    pub(super) x: usize,
}

/// A message, where it is drawn and what it says.
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) y: usize,
    /// Where its words begin, in the middle of the arrow.
    pub(super) middle: usize,
    pub(super) head: String,
    pub(super) act: &'static str,
    pub(super) lost: bool,
    pub(super) sender: String,
    pub(super) receiver: String,
    pub(super) when: String,
    pub(super) content: String,
}

/// A conversation.
#[derive(Default)]
pub(super) struct Diagram {
    pub(super) id: String,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) lines: Vec<Lifeline>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) left_out: Option<String>,
}

impl Diagram {
    pub(super) fn of(visit: &Visit, id: String, said: &[Said]) -> Diagram {
        let t = &visit.ui.texts().hunt;
        let mut names: Vec<&str> = Vec::new();
        for one in said.iter().take(DRAWN) {
            for name in [one.sender.as_str(), one.receiver.as_str()] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let x = |name: &str| {
            let place = names.iter().position(|known| *known == name).unwrap_or_default();
            COLUMN / 2 + place * COLUMN
        };
        let arrows = said.iter().take(DRAWN).enumerate().map(|(number, one)| {
            let (from, to) = (x(&one.sender), x(&one.receiver));
            let y = TOP + ROW * (number + 1);
            let side = if to >= from { to.saturating_sub(8) } else { to + 8 };
            Arrow {
                from,
                to,
                y,
                middle: usize::midpoint(from, to),
                head: format!("{side},{} {to},{y} {side},{}", y - 4, y + 4),
                act: one.performative,
                lost: one.arrives.is_none(),
                sender: clean::line(&one.sender, 40),
                receiver: clean::line(&one.receiver, 40),
                when: (t.seconds)(one.t),
                content: events::words(&one.message.content),
            }
        });
        let arrows: Vec<Arrow> = arrows.collect();
        Diagram {
            id: clean::line(&id, 80),
            width: COLUMN * names.len().max(1),
            height: TOP + ROW * (arrows.len() + 1),
            lines: names
                .iter()
                .map(|name| Lifeline { name: clean::line(name, 40), x: x(name) })
                .collect(),
            left_out: (said.len() > DRAWN).then(|| (t.more_pages)((said.len() - DRAWN) as u64)),
            arrows,
        }
    }
}
