//! How does a run look by now? Its log, added up: who lives, who was born of whom, which page led to which, and
//! who spoke with whom.

use super::Log;
use lycosa_model::{Attempt, Deed, Event, Happening, Phase, TeamAgent, TeamContent, Tended};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::io;

/// Pages, agents and conversations that are kept; more are counted.
const MOST_PAGES: usize = 200_000;
const MOST_AGENTS: usize = 50_000;
const MOST_CONVERSATIONS: usize = 100_000;
/// Bids of one conversation.
const MOST_OFFERS: usize = 1_000;
/// What people did to one agent: the last of it.
const MOST_TOUCHES: usize = 100;

/// One agent of the strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Life {
    /// Its name.
    pub name: String,
    /// Of whom it was born; for members of a team, whom they work for.
    pub parent: Option<String>,
    /// What it looks for.
    pub keywords: Vec<String>,
    /// When it was born, in seconds of the run.
    pub born: f64,
    /// When it died.
    pub died: Option<f64>,
    /// Its energy; for members of a team, what they can do (ability).
    pub energy: Option<f32>,
    /// Pages that it read.
    pub pages: u64,
    /// The relevance of all of them.
    pub relevance: f32,
    /// The page where it was last.
    pub address: Option<String>,
    /// What it said to others.
    pub messages: u64,
    /// Visits that it told of, and pages that came of its attempts: who has no life of its own tells of none.
    #[serde(skip)]
    visits: u64,
    #[serde(skip)]
    fetched: u64,
    /// What people did to it, the last ones.
    pub tended: Vec<Touch>,
}

/// A person fed or stopped an agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Touch {
    /// When, in seconds of the run.
    pub t: f64,
    /// What, and what came of it.
    #[serde(flatten)]
    pub what: Tended,
}

/// A page that somebody tried to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// When, in seconds of the run.
    pub t: f64,
    /// The number of the page that it was found on.
    pub via: Option<u32>,
    /// The number of the agent that went there.
    pub agent: u32,
    /// How close it is to what is wanted.
    pub relevance: f32,
    /// The score that it was chosen with.
    pub score: f32,
    /// The pheromone where it was chosen, where there is some.
    pub pheromone: Option<f32>,
    /// The energy of the agent when it chose it, and when it had read it.
    pub energy: (Option<f32>, Option<f32>),
    /// The conversation in which it passed to its agent by contract.
    pub contract: Option<Box<str>>,
    /// Whether there was a page.
    pub came: bool,
    /// What a person said of it.
    pub verdict: Option<bool>,
}

/// A conversation of the team.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// The protocol.
    pub protocol: &'static str,
    /// When it began and when the last message was sent, in seconds of the run.
    pub began: f64,
    /// See `began`.
    pub ended: f64,
    /// Messages.
    pub messages: u64,
    /// Bids among them.
    pub bids: u64,
    /// Whether it came to a contract.
    pub contract: bool,
    /// The bid that was accepted: what the contractor could do.
    pub bid: Option<f32>,
    /// All bids, by the number of the bidder.
    #[serde(skip)]
    offers: Vec<(u32, f32)>,
}

/// A page in the history of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reading {
    /// When, in seconds of the run.
    pub t: f64,
    /// The page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How close it is to what is wanted.
    pub relevance: f32,
}

/// A run as it is by now.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The number of the last event that is in it.
    pub end: u64,
    /// When that was, in seconds of the run.
    pub t: f64,
    /// Name of the strategy.
    pub strategy: String,
    /// What the run is doing.
    pub state: Option<Phase>,
    /// Attempts, pages that came, births, deaths and messages.
    pub attempts: u64,
    /// See `attempts`.
    pub came: u64,
    /// See `attempts`.
    pub births: u64,
    /// See `attempts`.
    pub deaths: u64,
    /// See `attempts`.
    pub messages: u64,
    agents: Vec<Life>,
    agent_numbers: HashMap<String, u32>,
    pages: Vec<Seen>,
    page_numbers: HashMap<String, u32>,
    conversations: Vec<Conversation>,
    conversation_numbers: HashMap<String, usize>,
}

impl Picture {
    /// Adds what has come into the log since.
    pub fn advance(&mut self, log: &Log) -> io::Result<()> {
        self.end = log.each(self.end, |_, event| self.add(event))?;
        Ok(())
    }

    /// Adds the next event of the log, whose number is `end`, for those who read the log themselves.
    pub fn take(&mut self, end: u64, event: Event) {
        self.end = end;
        self.add(event);
    }

    /// The agents, in order of birth. Bots are agents, too, when nobody else went anywhere.
    pub fn agents(&self) -> &[Life] {
        &self.agents
    }

    /// The agent of a name.
    pub fn agent(&self, name: &str) -> Option<&Life> {
        self.agent_numbers.get(name).map(|number| &self.agents[*number as usize])
    }

    /// The conversation of an id.
    pub fn conversation(&self, id: &str) -> Option<&Conversation> {
        self.conversation_numbers.get(id).map(|number| &self.conversations[*number])
    }

    /// All pages, in the order in which they were tried.
    pub fn pages(&self) -> &[Seen] {
        &self.pages
    }

    /// The conversations, in the order in which they began.
    pub fn conversations(&self) -> &[Conversation] {
        &self.conversations
    }

    /// The pages that an agent read, the last ones first.
    pub fn history(&self, name: &str, most: usize) -> Vec<Reading> {
        let Some(number) = self.agent_numbers.get(name) else { return Vec::new() };
        let own = self.pages.iter().rev().filter(|page| page.agent == *number && page.came);
        own.take(most).map(reading).collect()
    }

    /// How one came to a page: from where the run began to the page itself. Nothing when it was not tried.
    pub fn path(&self, url: &str) -> Option<Vec<&Seen>> {
        let mut next = *self.page_numbers.get(url)?;
        let mut path = Vec::new();
        loop {
            let page = &self.pages[next as usize];
            path.push(page);
            // Links lead in circles; a page was tried after the one that led to it.
            match page.via {
                Some(via) if via < next => next = via,
                _ => break,
            }
        }
        path.reverse();
        Some(path)
    }

    fn agent_number(&mut self, name: &str, t: f64) -> u32 {
        if let Some(number) = self.agent_numbers.get(name) {
            return *number;
        }
        if self.agents.len() >= MOST_AGENTS {
            return 0;
        }
        let number = self.agents.len() as u32;
        let parent = leader(name);
        self.agents.push(Life { name: name.to_owned(), parent, born: t, ..Life::default() });
        self.agent_numbers.insert(name.to_owned(), number);
        number
    }

    fn add(&mut self, event: Event) {
        let Event { t, what } = event;
        self.t = self.t.max(t);
        match what {
            Happening::Begun { strategy, .. } => {
                self.strategy = strategy;
                self.begin_again(t);
            }
            Happening::Page { title, attempt, .. } => self.add_page(t, title, *attempt),
            Happening::Agent { agent, address, deed, .. } => {
                self.add_deed(t, &agent, address, deed)
            }
            Happening::Verdict { url, good } => {
                if let Some(number) = self.page_numbers.get(&url) {
                    self.pages[*number as usize].verdict = Some(good);
                }
            }
            Happening::State { state } => self.state = Some(state),
            Happening::Limit(_) | Happening::Excluded { .. } | Happening::Included { .. } => {}
        }
    }

    /// A run that was cut off and is gone on with has other agents, whatever their names.
    fn begin_again(&mut self, t: f64) {
        self.agent_numbers.clear();
        for life in self.agents.iter_mut().filter(|life| life.died.is_none()) {
            life.died = Some(t);
        }
    }

    fn add_page(&mut self, t: f64, title: String, attempt: Attempt) {
        self.attempts += 1;
        let came = attempt.outcome == "fetched";
        self.came += u64::from(came);
        let agent = self.agent_number(&attempt.agent, t);
        if came && let Some(life) = self.agents.get_mut(agent as usize) {
            life.fetched += 1;
            life.pages = life.visits.max(life.fetched);
            if life.visits == 0 {
                life.relevance += attempt.relevance.unwrap_or_default();
            }
        }
        if self.pages.len() >= MOST_PAGES {
            return;
        }
        let via = attempt.via.and_then(|via| self.page_numbers.get(&via).copied());
        let number = self.pages.len() as u32;
        self.page_numbers.insert(attempt.url.clone(), number);
        let why = attempt.why.unwrap_or_default();
        self.pages.push(Seen {
            url: attempt.url,
            title,
            t,
            via,
            agent,
            relevance: attempt.relevance.unwrap_or_default(),
            score: attempt.score,
            pheromone: why.pheromone,
            energy: (why.energy, None),
            contract: why.contract.map(String::into_boxed_str),
            came,
            verdict: None,
        });
    }

    fn add_deed(&mut self, t: f64, name: &str, address: Option<String>, deed: Deed) {
        let number = self.agent_number(name, t) as usize;
        let Some(life) = self.agents.get_mut(number) else { return };
        match deed {
            Deed::Born { parent, energy, keywords } => {
                self.births += 1;
                (life.parent, life.energy, life.keywords) = (parent, Some(energy), keywords);
                life.born = t;
            }
            Deed::Visited { relevance, energy, .. } => {
                if life.visits == 0 {
                    life.relevance = 0.0;
                }
                life.visits += 1;
                life.pages = life.visits.max(life.fetched);
                life.relevance += relevance;
                life.energy = Some(energy);
                let page = address.as_ref().and_then(|address| self.page_numbers.get(address));
                let page = page.map(|page| &mut self.pages[*page as usize]);
                if let Some(page) = page.filter(|page| page.energy.0.is_some()) {
                    page.energy.1 = Some(energy);
                }
                life.address = address.or(life.address.take());
            }
            Deed::Died { energy } => {
                self.deaths += 1;
                (life.died, life.energy) = (Some(t), Some(energy));
            }
            Deed::Tended(what) => {
                life.energy = what.after.or(life.energy);
                if life.tended.len() >= MOST_TOUCHES {
                    life.tended.remove(0);
                }
                life.tended.push(Touch { t, what });
            }
            Deed::Said { message, .. } => {
                self.messages += 1;
                life.messages += 1;
                life.energy = ability(&message).or(life.energy);
                self.add_message(t, &message);
            }
        }
    }

    fn add_message(&mut self, t: f64, message: &lycosa_model::AclMessage) {
        use lycosa_model::{Performative, Protocol};
        let id = &*message.conversation_id;
        let number = match self.conversation_numbers.get(id) {
            Some(number) => *number,
            None if self.conversations.len() >= MOST_CONVERSATIONS => return,
            None => {
                let protocol = match message.protocol {
                    Protocol::FipaContractNet => "fipa-contract-net",
                    Protocol::FipaRequest => "fipa-request",
                    Protocol::FipaQuery => "fipa-query",
                };
                self.conversations.push(Conversation {
                    id: id.to_owned(),
                    protocol,
                    began: t,
                    ended: t,
                    messages: 0,
                    bids: 0,
                    contract: false,
                    bid: None,
                    offers: Vec::new(),
                });
                self.conversation_numbers.insert(id.to_owned(), self.conversations.len() - 1);
                self.conversations.len() - 1
            }
        };
        let conversation = &mut self.conversations[number];
        conversation.messages += 1;
        conversation.ended = t;
        conversation.bids += u64::from(message.performative == Performative::Propose);
        conversation.contract |= message.performative == Performative::AcceptProposal;
        match (&message.content, message.sender) {
            (TeamContent::Bid { ability, .. }, TeamAgent::Assistant(n) | TeamAgent::Crawler(n))
                if conversation.offers.len() < MOST_OFFERS =>
            {
                conversation.offers.push((n, *ability));
            }
            (TeamContent::Contract { contractor, .. }, _) => {
                let own = conversation.offers.iter().find(|(number, _)| number == contractor);
                conversation.bid = own.map(|(_, ability)| *ability);
            }
            _ => {}
        }
    }
}

/// Whom a member of a team works for.
fn leader(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix("crawler-") {
        return Some(format!("assistant-{number}"));
    }
    name.starts_with("assistant-").then(|| TeamAgent::Facilitator.to_string())
}

/// What a member of a team says that it can do; the facilitator speaks of what others can.
fn ability(message: &lycosa_model::AclMessage) -> Option<f32> {
    match &message.content {
        _ if message.sender == TeamAgent::Facilitator => None,
        TeamContent::Ability { ability, .. }
        | TeamContent::Call { ability, .. }
        | TeamContent::Bid { ability, .. } => Some(*ability),
        _ => None,
    }
}

fn reading(page: &Seen) -> Reading {
    Reading {
        t: page.t,
        url: page.url.clone(),
        title: page.title.clone(),
        relevance: page.relevance,
    }
}
