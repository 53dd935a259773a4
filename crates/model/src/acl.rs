//! How do agents of a team speak? In messages as FIPA defines them (SC00037, SC00061): what kind of
//! speech act it is, who says it to whom, and in which conversation.

use crate::{Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The kinds of speech acts, by their names in the standard.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Performative {
    /// Accepts a proposal that was made.
    AcceptProposal,
    /// Agrees to do what was requested.
    Agree,
    /// Wants something not to be done any more.
    Cancel,
    /// Calls for proposals.
    Cfp,
    /// Says that something doubtful is true.
    Confirm,
    /// Says that something believed is false.
    Disconfirm,
    /// Something was tried and failed.
    Failure,
    /// Says that something is true.
    Inform,
    /// Says whether something is true.
    InformIf,
    /// Says which thing fits a description.
    InformRef,
    /// The message was not understood.
    NotUnderstood,
    /// Wants a message passed on, and obeyed.
    Propagate,
    /// Proposes to do something.
    Propose,
    /// Wants a message passed on.
    Proxy,
    /// Asks whether something is true.
    QueryIf,
    /// Asks which thing fits a description.
    QueryRef,
    /// Refuses to do something.
    Refuse,
    /// Rejects a proposal that was made.
    RejectProposal,
    /// Requests that something is done.
    Request,
    /// Requests it for the time when something becomes true.
    RequestWhen,
    /// Requests it for every time when something becomes true.
    RequestWhenever,
    /// Wants to know a value, and every change of it.
    Subscribe,
}

impl Performative {
    /// All of them.
    pub const ALL: [Performative; 22] = [
        Performative::AcceptProposal,
        Performative::Agree,
        Performative::Cancel,
        Performative::Cfp,
        Performative::Confirm,
        Performative::Disconfirm,
        Performative::Failure,
        Performative::Inform,
        Performative::InformIf,
        Performative::InformRef,
        Performative::NotUnderstood,
        Performative::Propagate,
        Performative::Propose,
        Performative::Proxy,
        Performative::QueryIf,
        Performative::QueryRef,
        Performative::Refuse,
        Performative::RejectProposal,
        Performative::Request,
        Performative::RequestWhen,
        Performative::RequestWhenever,
        Performative::Subscribe,
    ];

    /// The name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            Performative::AcceptProposal => "accept-proposal",
            Performative::Agree => "agree",
            Performative::Cancel => "cancel",
            Performative::Cfp => "cfp",
            Performative::Confirm => "confirm",
            Performative::Disconfirm => "disconfirm",
            Performative::Failure => "failure",
            Performative::Inform => "inform",
            Performative::InformIf => "inform-if",
            Performative::InformRef => "inform-ref",
            Performative::NotUnderstood => "not-understood",
            Performative::Propagate => "propagate",
            Performative::Propose => "propose",
            Performative::Proxy => "proxy",
            Performative::QueryIf => "query-if",
            Performative::QueryRef => "query-ref",
            Performative::Refuse => "refuse",
            Performative::RejectProposal => "reject-proposal",
            Performative::Request => "request",
            Performative::RequestWhen => "request-when",
            Performative::RequestWhenever => "request-whenever",
            Performative::Subscribe => "subscribe",
        }
    }
}

impl fmt::Display for Performative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An agent of the contract-net team: one facilitator, and an assistant for each crawler.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TeamAgent {
    /// Keeps abilities and what was fetched, and finds contractors.
    Facilitator,
    /// Speaks for the crawler of the same number.
    Assistant(u32),
    /// Fetches.
    Crawler(u32),
}

impl fmt::Display for TeamAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TeamAgent::Facilitator => f.write_str("facilitator"),
            TeamAgent::Assistant(number) => write!(f, "assistant-{number}"),
            TeamAgent::Crawler(number) => write!(f, "crawler-{number}"),
        }
    }
}

/// A URL and what an agent thinks of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredUrl {
    /// The URL.
    pub url: UrlId,
    /// Its score; larger is better.
    pub score: f32,
}

/// How an ability comes about (Du et al., eq. 1): alpha times the promise of its links, plus beta times how like its
/// pages are to the best of the team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AbilitySum {
    /// What links count.
    pub alpha: f32,
    /// The promise of its links (S).
    pub links: f32,
    /// What likeness counts.
    pub beta: f32,
    /// How like its concept lattice is to that of the team (M).
    pub likeness: f32,
}

impl AbilitySum {
    /// What it comes to.
    pub fn ability(&self) -> f32 {
        self.alpha * self.links + self.beta * self.likeness
    }
}

/// What the agents of a contract-net team say to each other (Du, Xu, Wang).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TeamContent {
    /// An assistant wants to be one of the team.
    Registration,
    /// It is one.
    Registered,
    /// URLs for an assistant that come of no contract: the first ones, and those of an agent that died.
    InitialUrls(Vec<ScoredUrl>),
    /// What an assistant can do by itself.
    Ability {
        /// Du et al., eq. 1.
        ability: f32,
        /// URLs that wait with it.
        waiting: u32,
    },
    /// The same, of one that wants help with these links.
    Call {
        /// What it can do by itself.
        ability: f32,
        /// URLs that wait with it.
        waiting: u32,
        /// What it gives away.
        links: Vec<ScoredUrl>,
    },
    /// It would take the links.
    Bid {
        /// What it can do by itself.
        ability: f32,
        /// How that comes about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sum: Option<AbilitySum>,
    },
    /// It has better ones.
    NoBid,
    /// Who gives and who takes.
    Contract {
        /// Gives links.
        manager: u32,
        /// Takes them.
        contractor: u32,
    },
    /// Somebody else takes the links, or nobody.
    NoContract,
    /// Links that pass to another agent.
    Links(Vec<ScoredUrl>),
    /// They have come.
    Received,
    /// The contract has ended.
    Terminated,
    /// A crawler wants to know where to go.
    NextUrl,
    /// There.
    Go(UrlId),
    /// Was any of these fetched?
    Check(Vec<UrlId>),
    /// These were not.
    NotFetched(Vec<UrlId>),
    /// The contract did not come about in time.
    TooLate,
    /// Everybody stops.
    Stop,
}

impl TeamContent {
    /// The speech act that it is.
    pub fn performative(&self) -> Performative {
        match self {
            TeamContent::Registration | TeamContent::NextUrl => Performative::Request,
            TeamContent::Registered => Performative::Agree,
            TeamContent::InitialUrls(_)
            | TeamContent::Ability { .. }
            | TeamContent::Links(_)
            | TeamContent::Received
            | TeamContent::Terminated
            | TeamContent::Go(_)
            | TeamContent::NotFetched(_) => Performative::Inform,
            TeamContent::Call { .. } => Performative::Cfp,
            TeamContent::Bid { .. } => Performative::Propose,
            TeamContent::NoBid => Performative::Refuse,
            TeamContent::Contract { .. } => Performative::AcceptProposal,
            TeamContent::NoContract => Performative::RejectProposal,
            TeamContent::Check(_) => Performative::QueryIf,
            TeamContent::TooLate => Performative::Failure,
            TeamContent::Stop => Performative::Cancel,
        }
    }
}

/// A message, with the parameters of the standard that are used. Language, encoding and ontology are the
/// same for all: those of [`TeamContent`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AclMessage {
    /// The speech act.
    pub performative: Performative,
    /// Who says it.
    pub sender: TeamAgent,
    /// To whom.
    pub receiver: TeamAgent,
    /// What is said.
    pub content: TeamContent,
    /// The protocol it belongs to.
    pub protocol: Protocol,
    /// The conversation it belongs to.
    pub conversation_id: Arc<str>,
    /// Its own number.
    pub reply_with: u64,
    /// The number of the message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<u64>,
    /// An answer that comes later does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_by: Option<Tick>,
}

/// The protocols of FIPA that a team uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Call, bids, contract, end.
    FipaContractNet,
    /// One asks another to do something.
    FipaRequest,
    /// One asks another for something that it knows.
    FipaQuery,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_the_22_speech_acts_of_the_standard() {
        for performative in Performative::ALL {
            let written = serde_json::to_string(&performative).expect("written");
            assert_eq!(written, format!("\"{performative}\""));
            let read: Performative = serde_json::from_str(&written).expect("read");
            assert_eq!(read, performative);
        }
        let mut names = Performative::ALL.map(Performative::name);
        assert!(names.is_sorted(), "in the order of the standard");
        names.sort_unstable();
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), 22);
        assert!(serde_json::from_str::<Performative>("\"shout\"").is_err());
    }

    #[test]
    fn a_message_says_what_the_standard_asks_for() {
        let content = TeamContent::Call {
            ability: 0.5,
            waiting: 9,
            links: vec![ScoredUrl { url: UrlId::of("a"), score: 0.25 }],
        };
        let message = AclMessage {
            performative: content.performative(),
            sender: TeamAgent::Facilitator,
            receiver: TeamAgent::Assistant(3),
            content,
            protocol: Protocol::FipaContractNet,
            conversation_id: "round-1-contract-1".into(),
            reply_with: 7,
            in_reply_to: None,
            reply_by: Some(Tick(500)),
        };
        let written = serde_json::to_value(&message).expect("written");
        assert_eq!(written["performative"], "cfp");
        assert_eq!(written["conversation-id"], "round-1-contract-1");
        assert_eq!(written["reply-by"], 500);
        assert_eq!(written["protocol"], "fipa-contract-net");
        assert_eq!(written["receiver"]["assistant"], 3);
        assert_eq!(serde_json::from_value::<AclMessage>(written).expect("read"), message);
    }
}
