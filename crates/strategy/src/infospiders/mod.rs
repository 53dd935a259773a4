//! Which link do spiders follow, and how many live? InfoSpiders (Menczer, Pant and others; MySpiders,
//! Figure 1): agents that guess what a link is worth from the words near it, live on the relevance of what
//! they are the first to find, pay for the time it takes, learn from each page, and have offspring.
//!
//! A spider chooses among the links of the page where it is, or, in the later form, also among those that it
//! keeps of earlier pages ([`SpiderParameters::frontier`]).

mod life;
mod names;
mod parameters;
mod saved;
mod spider;
mod tending;

pub use parameters::SpiderParameters;

use crate::agent_log::AgentLog;
use crate::dice::Dice;
use crate::score::{SEED, key};
use crate::terrain::{Asked, State, Terrain, signed};
use crate::{
    Choice, Explanation, LinkEvidence, PageView, Relevance, Setup, Strategy, Turn, Untended,
    Verdict, why,
};
use life::Seen;
use lycosa_knowledge::Word;
use lycosa_model::{
    AgentEvent, AgentView, Care, Outcome, Rank, Site, Spot, Tended, Tick, UrlId, Why,
};
use names::name;
use spider::{Counting, Followed, Lead, Spelling, Spider, Stage, near};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Steps over pages that were read, for one choice. Who finds nothing new in so many is put before a page
/// that waits.
const MOST_STEPS: usize = 2_000;
/// Pages whose links are kept; of older ones they are forgotten.
const MOST_PAGES: usize = 20_000;
/// Parents of links that `explain` names.
const MOST_TOLD: usize = 3;

/// See the module.
#[derive(Debug)]
pub(crate) struct InfoSpiders {
    parameters: SpiderParameters,
    /// Spiders that are wanted to begin with.
    wanted: Option<usize>,
    terrain: Terrain,
    /// The living, whose turn it is first.
    spiders: VecDeque<Spider>,
    /// The dead, for the family tree.
    dead: VecDeque<AgentView>,
    pages: HashMap<UrlId, Seen>,
    /// The same in the order in which they came.
    order: VecDeque<UrlId>,
    seeds: Vec<UrlId>,
    /// Those at which nobody has begun yet.
    starts: Vec<UrlId>,
    /// Spiders that began at a start page.
    initial: usize,
    numbers: u64,
    /// The strongest words of the topic, as far as it is known.
    topic: Vec<(Word, f32)>,
    spelling: Spelling,
    counting: Counting,
    dice: Dice,
    log: AgentLog,
}

impl InfoSpiders {
    pub(crate) fn new(setup: &Setup, parameters: &SpiderParameters) -> InfoSpiders {
        let mut parameters = parameters.clone();
        parameters.cap = parameters.cap.max(setup.agents.unwrap_or_default());
        InfoSpiders {
            parameters,
            wanted: setup.agents,
            terrain: Terrain::default(),
            spiders: VecDeque::new(),
            dead: VecDeque::new(),
            pages: HashMap::new(),
            order: VecDeque::new(),
            seeds: Vec::new(),
            starts: Vec::new(),
            initial: 0,
            numbers: 0,
            topic: Vec::new(),
            spelling: Spelling::default(),
            counting: Counting::default(),
            dice: Dice::new(setup.seed ^ 0x7370_6964),
            log: AgentLog::default(),
        }
    }

    /// One turn of the first spider. Tells whether it did something, and whether more may be named.
    fn turn(
        &mut self,
        now: Tick,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) -> (bool, bool) {
        let Some(mut spider) = self.spiders.pop_front() else { return (false, true) };
        let Stage::Goes(url) = spider.stage else {
            self.choose(&mut spider);
            self.spiders.push_back(spider);
            return (true, true);
        };
        match self.terrain.state(url) {
            State::Waiting => {
                let (asked, choice) = self.terrain.ask(url, now, turn);
                if let Some(choice) = choice {
                    self.seen(url).first = Some(spider.number);
                    let score =
                        spider.followed.as_ref().map_or(1.0, |of| self.worth(&spider, &of.lead));
                    out.push(signed(choice, score as f32, &name(spider.number)));
                }
                let gives_up = matches!(asked, Asked::Later);
                if gives_up {
                    spider.stage = Stage::Chooses;
                }
                let may = !matches!(asked, Asked::Stop);
                match may {
                    true => self.spiders.push_back(spider),
                    // It is still its turn.
                    false => self.spiders.push_front(spider),
                }
                (gives_up, may)
            }
            State::UnderWay => {
                self.spiders.push_back(spider);
                (false, true)
            }
            State::Read | State::Failed | State::Unknown => {
                self.arrive(now, spider, url);
                (true, true)
            }
        }
    }

    fn worth(&self, spider: &Spider, lead: &Lead) -> f64 {
        match self.parameters.frontier {
            true => spider.worth(lead, self.parameters.mix),
            false => spider.estimate(lead),
        }
    }

    /// Puts a spider that waits for nothing before a page that waits.
    fn help(&mut self) -> bool {
        let Some(url) = self.terrain.any(&mut self.dice) else { return false };
        let is_free = |spider: &&mut Spider| match spider.stage {
            Stage::Chooses => true,
            Stage::Goes(to) => !matches!(self.terrain.state(to), State::Waiting | State::UnderWay),
        };
        self.spiders.iter_mut().find(is_free).map(|spider| spider.go(url)).is_some()
    }

    fn seen(&mut self, url: UrlId) -> &mut Seen {
        if !self.pages.contains_key(&url) {
            self.order.push_back(url);
            if self.order.len() > MOST_PAGES
                && let Some(oldest) = self.order.pop_front()
            {
                self.pages.remove(&oldest);
            }
        }
        self.pages.entry(url).or_default()
    }

    /// What the page taught about the words of the topic and those of its own.
    fn read_words(&mut self, page: &PageView<'_>) -> Vec<Word> {
        /// Words of a page that an offspring may take.
        const TELLING: usize = 16;
        let mut words: Vec<(Word, f32)> = page
            .bag
            .iter()
            .map(|(word, weight)| (word, weight * page.topic.rarity(word)))
            .collect();
        let best =
            |a: &(Word, f32), b: &(Word, f32)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0));
        if words.len() > TELLING {
            words.select_nth_unstable_by(TELLING, best);
            words.truncate(TELLING);
        }
        words.sort_by(best);
        if page.topic.has_topic() {
            self.topic = page.topic.strongest(self.parameters.keywords);
        }
        for term in page.terms {
            let word = Word::of(&term.word);
            let of_it = |list: &[(Word, f32)]| list.iter().any(|(other, _)| *other == word);
            if of_it(&words) || of_it(&self.topic) {
                self.spelling.note(word, &term.word);
            }
        }
        words.into_iter().map(|(word, _)| word).collect()
    }
}

impl Strategy for InfoSpiders {
    fn name(&self) -> &'static str {
        "infospiders"
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // Spiders decide in memory; the disk has what best-first would say.
        let score = if link.seed { SEED } else { link.parent_relevance };
        Rank::new(link.wanted_language || link.seed, key(score))
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        if link.seed {
            self.seeds.push(link.url);
        }
        let Some(via) = link.via else {
            self.starts.extend(link.seed.then_some(link.url));
            return;
        };
        let (anchor, context) =
            (self.counting.words_of(link.anchor), self.counting.words_of(link.context));
        let near = near(&anchor, &context, self.parameters.window);
        let lead = Lead { url: link.url, near, parent: link.parent_relevance, from: via };
        self.seen(via).leads.push(lead);
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance) {
        self.terrain.end(page.url, true);
        let words = self.read_words(page);
        let latency = page.took.as_secs_f64() / self.parameters.timeout;
        let seen = self.seen(page.url);
        seen.relevance = relevance.0;
        seen.latency = latency.min(1.0);
        seen.words = words;
        seen.leads.clear();
    }

    fn on_fail(&mut self, url: UrlId, _why: Outcome, took: Duration) {
        self.terrain.end(url, false);
        let latency = took.as_secs_f64() / self.parameters.timeout;
        self.seen(url).latency = latency.min(1.0);
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.terrain.offer(site, url, spot);
    }

    fn next(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.terrain.give_up(now);
        self.populate(now);
        if !self.terrain.is_open() {
            return;
        }
        let end = out.len() + k;
        // Turns in which nobody did anything, and those in which somebody did.
        let (mut idle, mut steps) = (0, 0);
        while out.len() < end && self.terrain.len() > 0 && idle < self.spiders.len() {
            let given = out.len();
            let (did, may) = self.turn(now, turn, out);
            if !may {
                return;
            }
            idle = if did || out.len() > given { 0 } else { idle + 1 };
            steps += usize::from(did);
            if steps > MOST_STEPS {
                steps = 0;
                if !self.help() {
                    return;
                }
            }
            if self.spiders.is_empty() {
                self.populate(now);
            }
        }
    }

    fn wake(&mut self, site: &Site) {
        self.terrain.wake(site);
    }

    fn explain(&self, url: UrlId, _spot: Spot) -> Explanation {
        let mut why = Vec::new();
        for spider in &self.spiders {
            let of_page = || spider.at.and_then(|at| self.pages.get(&at)).map(|seen| &seen.leads);
            let goes = spider.followed.as_ref().map(|followed| &followed.lead);
            let leads =
                goes.into_iter().chain(&spider.leads).chain(of_page().into_iter().flatten());
            let Some(lead) = leads.into_iter().find(|lead| lead.url == url) else { continue };
            let goes = if spider.stage == Stage::Goes(url) { "goes there" } else { "may go there" };
            why.push(format!(
                "{} (energy {:.2}) {goes}: worth {:.3}",
                name(spider.number),
                spider.energy,
                self.worth(spider, lead)
            ));
            for (word, weight, input) in spider.parts(lead) {
                let what = match word {
                    Some(word) => format!("\"{}\" near the link", self.spelling.of(word)),
                    None => "relevance of the page it is on".into(),
                };
                why.push(format!("  {what}: {weight:+.2} x {input:.2} = {:+.2}", weight * input));
            }
            if why.len() >= MOST_TOLD * (self.parameters.keywords + 2) {
                break;
            }
        }
        if why.is_empty() {
            why.push("no spider has a link to it at hand".into());
        }
        why
    }

    fn why(&self, url: UrlId) -> Option<Why> {
        let first = self.pages.get(&url).and_then(|seen| seen.first);
        let mut going = self.spiders.iter().filter(|spider| spider.stage == Stage::Goes(url));
        let spider =
            going.clone().find(|spider| first == Some(spider.number)).or_else(|| going.next())?;
        let parts = match &spider.followed {
            None => vec![why::part("start page", 1.0)],
            Some(Followed { lead, chance, .. }) => {
                let worth = self.worth(spider, lead);
                let mix = if self.parameters.frontier { self.parameters.mix } else { 1.0 };
                let estimate = mix * spider.estimate(lead);
                let mut parts = vec![why::part("estimate", estimate as f32)];
                if mix < 1.0 {
                    parts.push(why::part("parent", (worth - estimate) as f32));
                }
                parts.push(why::part("chance of the choice", *chance as f32));
                parts
            }
        };
        Some(Why { parts, energy: Some(spider.energy as f32), ..Why::default() })
    }

    fn is_over(&self) -> bool {
        let extinct = self.spiders.is_empty() && self.numbers > 0 && self.starts.is_empty();
        extinct && self.parameters.extinction
    }

    fn tend(&mut self, now: Tick, agent: &str, how: Care) -> Result<Tended, Untended> {
        self.take_care(now, agent, how)
    }

    fn on_verdict(&mut self, verdict: &Verdict<'_>) {
        self.topic = verdict.topic.strongest(self.parameters.keywords);
        let relevance = verdict.relevance();
        let Some(seen) = self.pages.get_mut(&verdict.url) else { return };
        let earned = f64::from(relevance - seen.relevance);
        seen.relevance = relevance;
        let finder = seen.first.filter(|_| seen.rewarded);
        // Its links are worth what the page is worth.
        let own = seen.leads.iter_mut();
        let kept = self.spiders.iter_mut().flat_map(|spider| &mut spider.leads);
        own.chain(kept.filter(|lead| lead.from == verdict.url))
            .for_each(|lead| lead.parent = relevance);
        let mut living = self.spiders.iter_mut();
        if let Some(spider) = living.find(|spider| Some(spider.number) == finder) {
            spider.energy += earned;
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.written()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.take_up(saved)
    }

    fn loaded(&self) -> usize {
        self.terrain.len()
    }

    fn log(&mut self, out: &mut Vec<AgentEvent>) {
        self.log.take(out);
    }

    fn agents(&self) -> Vec<AgentView> {
        let living = self.spiders.iter().map(|spider| self.view(spider, true));
        let mut all: Vec<AgentView> = self.dead.iter().cloned().chain(living).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn window(&self) -> Option<usize> {
        None
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
