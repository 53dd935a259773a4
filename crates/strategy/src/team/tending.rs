//! What happens to a crawler that a person feeds or stops?

use super::Team;
use crate::Untended;
use lycosa_model::{Care, Deed, ScoredUrl, TeamAgent, TeamContent, Tended, Tick};
use std::sync::Arc;

impl Team {
    /// A crawler that is fed gets as many links as a contract has, the best of whoever has most of them. One that is
    /// stopped leaves as the dead do: the facilitator knows it at once, and another takes its place and its links.
    pub(super) fn take_care(
        &mut self,
        now: Tick,
        agent: &str,
        how: Care,
    ) -> Result<Tended, Untended> {
        let number = agent
            .strip_prefix("crawler-")
            .or_else(|| agent.strip_prefix("assistant-"))
            .and_then(|number| number.parse::<u32>().ok())
            .filter(|number| (1..=self.born).contains(number));
        let Some(number) = number else { return Err(Untended::nobody(agent, false)) };
        if self.assistants.get(&number).is_none_or(|one| one.gone) {
            return Err(Untended::nobody(agent, true));
        }
        let now = now.max(self.bus.now);
        self.advance(now);
        match how {
            Care::Feed => self.feed(now, number),
            Care::Stop => Ok(self.end_one(now, number)),
        }
    }

    /// What people are told of it, with the ability of the crawler.
    fn tell_of(&mut self, now: Tick, number: u32, other: u32, how: Care, links: usize) -> Tended {
        let other = Some(TeamAgent::Crawler(other).to_string());
        let tended = Tended { how, before: None, after: None, other, links: links as u64 };
        let agent = TeamAgent::Crawler(number).to_string();
        self.log.tell(now, agent, Deed::Tended(tended.clone()));
        tended
    }

    fn feed(&mut self, now: Tick, number: u32) -> Result<Tended, Untended> {
        let most = self.parameters.links.max(1);
        let others = self.assistants.values_mut();
        let others = others.filter(|one| one.number != number && !one.gone);
        let Some(giver) = others.max_by_key(|one| (one.queue.len(), std::cmp::Reverse(one.number)))
        else {
            let error = "there is no other crawler that could give it links";
            return Err(Untended::new(error, "hunt with more agents"));
        };
        let from = giver.number;
        // The giver keeps half of what it has.
        let most = most.min(giver.queue.len() / 2);
        let links: Vec<ScoredUrl> = giver.queue.best(most).collect();
        if links.is_empty() {
            let error = "no other crawler has links to spare";
            return Err(Untended::new(error, "feed it again when more was found"));
        }
        for link in &links {
            giver.queue.remove(link.url);
        }
        let count = links.len();
        let tended = self.tell_of(now, number, from, Care::Feed, count);
        // From here on the facilitator sees to it that they come.
        self.facilitator.give(&mut self.bus, &self.parameters, number, links);
        self.settle(now);
        Ok(tended)
    }

    fn end_one(&mut self, now: Tick, number: u32) -> Tended {
        let links = self.assistants.get(&number).map_or(0, |one| one.held().count());
        let ability = self.assistants.get(&number).map_or(0.0, |one| one.ability);
        let conversation: Arc<str> = format!("stop-{number}").into();
        self.facilitator.tell(&mut self.bus, number, TeamContent::Stop, &conversation);
        self.facilitator.members.remove(&number);
        self.facilitator.dead.push(number);
        self.replace_the_dead();
        let heir = self.living(number);
        let tended = self.tell_of(now, number, heir, Care::Stop, links);
        let crawler = |number| TeamAgent::Crawler(number).to_string();
        self.log.tell(now, crawler(number), Deed::Died { energy: ability });
        if self.facilitator.with_assistants {
            let assistant = TeamAgent::Assistant(number).to_string();
            self.log.tell(now, assistant, Deed::Died { energy: ability });
        }
        let parent = Some(crawler(number));
        let born = Deed::Born { parent, energy: 0.0, keywords: Vec::new() };
        self.log.tell(now, crawler(heir), born);
        self.settle(now);
        tended
    }
}
