//! Who speaks for a crawler? Its assistant: it holds the links that the crawler found, knows what they are
//! worth, calls for help when there is much to do and bids when there is little.

use super::bus::{Bus, Letter};
use super::documents::Documents;
use super::frontier::Frontier;
use super::parameters::TeamParameters;
use super::queue::Queue;
use crate::parents::Mean;
use lycosa_model::{AbilitySum, AclMessage, ScoredUrl, TeamAgent, TeamContent, Tick, UrlId};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Links that were given away, until it is known that they came.
#[derive(Clone, Debug)]
struct Promise {
    urls: Vec<UrlId>,
    until: Tick,
}

/// One assistant, and what is to be said of its crawler. Where there are no assistants, the crawler itself.
#[derive(Debug)]
pub(super) struct Assistant {
    pub(super) number: u32,
    /// Who speaks.
    speaker: TeamAgent,
    pub(super) crawler: Arc<str>,
    pub(super) queue: Queue,
    promised: BTreeMap<Arc<str>, Promise>,
    /// What it offers in this round.
    offer: Vec<UrlId>,
    /// What the facilitator says was not fetched.
    cleared: HashSet<UrlId>,
    pub(super) documents: Documents,
    /// The usual relevance of its pages.
    pub(super) usual: Mean,
    pub(super) pages: u64,
    pub(super) ability: f32,
    /// How that came about in the last round.
    pub(super) sum: Option<AbilitySum>,
    registered: bool,
    /// Whether it was told to stop, or has died.
    pub(super) gone: bool,
}

impl Assistant {
    pub(super) fn new(number: u32, speaker: TeamAgent, strict: bool) -> Assistant {
        Assistant {
            number,
            speaker,
            crawler: TeamAgent::Crawler(number).to_string().into(),
            queue: Queue::new(strict),
            promised: BTreeMap::new(),
            offer: Vec::new(),
            cleared: HashSet::new(),
            documents: Documents::default(),
            usual: Mean::default(),
            pages: 0,
            ability: 0.0,
            sum: None,
            registered: false,
            gone: false,
        }
    }

    fn tell(
        &self,
        bus: &mut Bus,
        content: TeamContent,
        message: Option<&AclMessage>,
        about: &Arc<str>,
    ) {
        bus.send(Letter {
            from: self.speaker,
            to: TeamAgent::Facilitator,
            content,
            conversation: message.map_or(about, |message| &message.conversation_id),
            in_reply_to: message.map(|message| message.reply_with),
            reply_by: None,
        });
    }

    /// Wants to be one of the team.
    pub(super) fn register(&self, bus: &mut Bus) {
        let conversation: Arc<str> = format!("registration-{}", self.number).into();
        self.tell(bus, TeamContent::Registration, None, &conversation);
    }

    /// The urls that it holds, or has given away to nobody yet.
    pub(super) fn held(&self) -> impl Iterator<Item = UrlId> + '_ {
        self.queue
            .urls()
            .chain(self.promised.values().flat_map(|promise| promise.urls.iter().copied()))
    }

    /// The mean score of its best links (Du et al., S).
    pub(super) fn promise_of_links(&self, parameters: &TeamParameters) -> f32 {
        let (sum, count) = self
            .queue
            .best(parameters.best_links)
            .fold((0.0, 0_u32), |(sum, count), link| (sum + link.score.min(1.0), count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// A round begins: says what it can do, and calls for help if that is enough.
    pub(super) fn speak_up(
        &mut self,
        round: &Arc<str>,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        if !self.registered {
            self.register(bus);
        }
        let (ability, waiting) = (self.ability, self.queue.len().min(u32::MAX as usize) as u32);
        let links: Vec<ScoredUrl> = match ability >= parameters.threshold {
            true => self.queue.best(parameters.links).collect(),
            false => Vec::new(),
        };
        self.offer = links.iter().map(|link| link.url).collect();
        let content = match links.is_empty() {
            true => TeamContent::Ability { ability, waiting },
            false => TeamContent::Call { ability, waiting, links },
        };
        self.tell(bus, content, None, round);
    }

    /// Asks the facilitator about this URL and the best ones, if it has not done so.
    pub(super) fn check(&mut self, url: UrlId, bus: &mut Bus, parameters: &TeamParameters) {
        if self.cleared.remove(&url) {
            return;
        }
        let batch = parameters.check_batch.max(1);
        let mut urls = vec![url];
        let unknown = self.queue.best(2 * batch).map(|link| link.url);
        urls.extend(unknown.filter(|url| !self.cleared.contains(url)).take(batch - 1));
        let conversation: Arc<str> = format!("check-{}-{}", self.number, self.pages).into();
        self.tell(bus, TeamContent::Check(urls), None, &conversation);
    }

    /// When something is to be done though nobody says anything.
    pub(super) fn alarm(&self) -> Option<Tick> {
        self.promised.values().map(|promise| promise.until).min()
    }

    /// Time has passed: what was given away and did not come is taken back.
    pub(super) fn clock(&mut self, frontier: &Frontier, bus: &Bus) {
        let over: Vec<Arc<str>> = self
            .promised
            .iter()
            .filter(|(_, promise)| promise.until <= bus.now)
            .map(|(conversation, _)| conversation.clone())
            .collect();
        for conversation in over {
            self.take_back(&conversation, frontier);
        }
    }

    fn take_back(&mut self, conversation: &Arc<str>, frontier: &Frontier) {
        for url in self.promised.remove(conversation).into_iter().flat_map(|promise| promise.urls) {
            if let Some(waiting) = frontier.get(&url) {
                self.queue.put(url, waiting);
            }
        }
    }

    /// Hears a message of the facilitator.
    pub(super) fn hear(
        &mut self,
        message: &AclMessage,
        frontier: &mut Frontier,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let conversation = &message.conversation_id;
        match &message.content {
            TeamContent::Registered => self.registered = true,
            TeamContent::InitialUrls(links) => {
                // They may have been its own: then they are not given away any more.
                self.promised.remove(conversation);
                for url in links {
                    if let Some(waiting) = frontier.get(&url.url) {
                        self.queue.put(url.url, waiting);
                    }
                }
                self.tell(bus, TeamContent::Received, Some(message), conversation);
            }
            // Those of another assistant are with it already.
            TeamContent::Links(links) if message.sender == TeamAgent::Facilitator => {
                for link in links {
                    if let Some(waiting) = frontier.get_mut(&link.url) {
                        waiting.contract = Some(conversation.clone());
                        self.queue.put(link.url, waiting);
                    }
                }
                self.tell(bus, TeamContent::Received, Some(message), conversation);
            }
            TeamContent::Call { links, .. } => {
                let own = self.queue.best(1).next().map_or(f32::NEG_INFINITY, |link| link.score);
                let offered = links.iter().map(|link| link.score).fold(f32::INFINITY, f32::min);
                let answer = match own <= offered {
                    true => TeamContent::Bid { ability: self.ability, sum: self.sum },
                    false => TeamContent::NoBid,
                };
                self.tell(bus, answer, Some(message), conversation);
            }
            TeamContent::Contract { manager, .. } if *manager == self.number => {
                self.give_away(message, frontier, bus, parameters);
            }
            TeamContent::Terminated => drop(self.promised.remove(conversation)),
            TeamContent::TooLate => self.take_back(conversation, frontier),
            TeamContent::NotFetched(urls) => {
                if self.cleared.len() > parameters.queue_cap {
                    self.cleared.clear();
                }
                self.cleared.extend(urls.iter().filter(|url| self.queue.has(**url)));
            }
            TeamContent::Stop => self.gone = true,
            _ => {}
        }
    }

    /// A contract: the links that it offered and still has go to the facilitator.
    fn give_away(
        &mut self,
        message: &AclMessage,
        frontier: &Frontier,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let mut links = Vec::new();
        for url in std::mem::take(&mut self.offer) {
            if self.queue.remove(url)
                && let Some(waiting) = frontier.get(&url)
            {
                links.push(ScoredUrl { url, score: waiting.score });
            }
        }
        let until = bus.now.after(Duration::from_millis(2 * parameters.deadline_ms.max(1)));
        let urls: Vec<UrlId> = links.iter().map(|link| link.url).collect();
        for url in &urls {
            self.cleared.remove(url);
        }
        self.promised.insert(message.conversation_id.clone(), Promise { urls, until });
        self.tell(bus, TeamContent::Links(links), Some(message), &message.conversation_id);
    }
}
