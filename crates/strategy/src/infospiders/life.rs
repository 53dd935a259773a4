//! The life of a spider: born at a start page or of another, it chooses, arrives, learns, and dies.

use super::names::name;
use super::spider::{Lead, Spider, Stage};
use super::{InfoSpiders, State};
use lycosa_knowledge::Word;
use lycosa_model::{AgentView, Deed, Tick, UrlId};
use serde::{Deserialize, Serialize};

/// The dead that the family tree remembers.
const MOST_DEAD: usize = 5_000;

/// What is known of a page that was fetched, or that somebody goes to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) relevance: f32,
    /// How long it took, of the time-out.
    pub(super) latency: f64,
    pub(super) leads: Vec<Lead>,
    /// Its telling words, the best first.
    pub(super) words: Vec<Word>,
    /// Who named it.
    pub(super) first: Option<u64>,
    /// Whether somebody was rewarded for it.
    pub(super) rewarded: bool,
}

impl InfoSpiders {
    /// A spider begins at a page.
    pub(super) fn begin(&mut self, at: UrlId, now: Tick) {
        if self.spiders.len() >= self.parameters.cap {
            return;
        }
        let energy = self.parameters.theta / 2.0;
        let spider = Spider::new(self.numbers, at, energy, self.dice.split());
        self.numbers += 1;
        self.tell_birth(now, &spider);
        self.spiders.push_back(spider);
    }

    /// Sees to it that there is one at each start page, or as many as are wanted, and that there is any.
    pub(super) fn populate(&mut self, now: Tick) {
        for start in std::mem::take(&mut self.starts) {
            if self.wanted.is_none_or(|wanted| self.initial < wanted) {
                self.initial += 1;
                self.begin(start, now);
            }
        }
        if let (Some(wanted), false) = (self.wanted, self.seeds.is_empty()) {
            for number in self.initial..wanted {
                self.initial += 1;
                self.begin(self.seeds[number % self.seeds.len()], now);
            }
            self.wanted = None;
        }
        let may = self.numbers == 0 || !self.parameters.extinction;
        if self.spiders.is_empty()
            && may
            && let Some(url) = self.terrain.any(&mut self.dice)
        {
            self.begin(url, now);
        }
    }

    /// Where to go from here: by one of the links at hand, else back, else to a start page.
    pub(super) fn choose(&mut self, spider: &mut Spider) {
        let lead = match self.parameters.frontier {
            true => self.choose_kept(spider),
            false => self.choose_here(spider),
        };
        if let Some((lead, chance)) = lead {
            spider.follow(lead, chance);
        } else if let Some(back) = spider.back.pop() {
            spider.go(back);
        } else if !self.seeds.is_empty() {
            let seed = self.seeds[spider.dice.below(self.seeds.len())];
            spider.go(seed);
        } else if let Some(url) = self.terrain.any(&mut spider.dice) {
            spider.go(url);
        }
    }

    /// One of the links of the page where it is, also if others were there.
    fn choose_here(&self, spider: &mut Spider) -> Option<(Lead, f64)> {
        let seen = self.pages.get(&spider.at?)?;
        let leads: Vec<&Lead> = seen
            .leads
            .iter()
            .filter(|lead| self.terrain.state(lead.url) != State::Unknown)
            .collect();
        if leads.is_empty() {
            return None;
        }
        let worths: Vec<f64> = leads.iter().map(|lead| spider.estimate(lead)).collect();
        let (drawn, chance) = spider.draw(&worths, self.parameters.beta);
        leads.get(drawn).map(|lead| ((*lead).clone(), chance))
    }

    /// One of the links that it keeps, as far as nobody was there.
    fn choose_kept(&self, spider: &mut Spider) -> Option<(Lead, f64)> {
        let mut leads = std::mem::take(&mut spider.leads);
        leads.retain(|lead| self.terrain.state(lead.url) == State::Waiting);
        let mix = self.parameters.mix;
        let mut worths: Vec<(f64, Lead)> =
            leads.into_iter().map(|lead| (spider.worth(&lead, mix), lead)).collect();
        let room = (self.parameters.buffer / (self.spiders.len() + 1)).max(1);
        if worths.len() > room {
            worths.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.url.cmp(&b.1.url)));
            worths.truncate(room);
        }
        if worths.is_empty() {
            return None;
        }
        let values: Vec<f64> = worths.iter().map(|(worth, _)| *worth).collect();
        let (drawn, chance) = spider.draw(&values, self.parameters.beta);
        let (_, lead) = worths.swap_remove(drawn);
        spider.leads = worths.into_iter().map(|(_, lead)| lead).collect();
        // It goes on from the page that the link is on.
        spider.at = Some(lead.from);
        Some((lead, chance))
    }

    /// A spider is on a page: it is paid and pays, learns, and has an offspring or dies.
    pub(super) fn arrive(&mut self, now: Tick, mut spider: Spider, url: UrlId) {
        if spider.keywords.is_empty() {
            spider.learn_topic(&self.topic);
        }
        spider.stage = Stage::Chooses;
        spider.pages += 1;
        let is_read = self.terrain.state(url) == State::Read;
        self.seen(url);
        let seen = self.pages.entry(url).or_default();
        // Only the first visitor is rewarded (MySpiders, section 2.1).
        let is_first = seen.first == Some(spider.number) && !seen.rewarded;
        seen.rewarded |= is_first;
        let (relevance, latency) = (seen.relevance, seen.latency);
        let parameters = &self.parameters;
        let full = self.initial.max(1) as f64 * parameters.theta / parameters.max_pages as f64;
        let share = if is_first { 1.0 } else { parameters.revisit_cost };
        spider.energy -= full * parameters.latency_cost * share * latency;
        if is_first {
            spider.energy += f64::from(relevance);
        }
        let estimates = seen.leads.iter().map(|lead| spider.estimate(lead));
        let best = estimates.fold(0.0, f64::max);
        if is_read {
            spider.learn(relevance, best, &self.parameters);
        }
        self.stay(&mut spider, url, relevance);
        if is_first && is_read {
            let deed = Deed::Visited { url, relevance, energy: spider.energy as f32 };
            self.log.tell(now, name(spider.number), deed);
        }
        if spider.energy > self.parameters.theta && self.spiders.len() + 1 < self.parameters.cap {
            let child = self.bear(now, &mut spider, url);
            self.spiders.push_back(spider);
            self.spiders.push_back(child);
        } else if spider.energy < 0.0 {
            self.bury(now, &spider);
        } else {
            self.spiders.push_back(spider);
        }
    }

    /// Whether it goes on from a page that it has read. In the first form always; in the later one it takes
    /// the links along, and may leave those of a page that is worse than the one before.
    fn stay(&mut self, spider: &mut Spider, url: UrlId, relevance: f32) {
        if self.parameters.frontier {
            let worse = f64::from(spider.here - relevance);
            let chance = 1.0 / (1.0 + (worse / self.parameters.temperature).exp());
            let is_start = spider.at.is_none() || spider.leads.is_empty();
            if !is_start && spider.dice.share() >= chance {
                return;
            }
            let leads = self.pages.get(&url).map_or(&[][..], |seen| &seen.leads);
            let waits = |lead: &&Lead| self.terrain.state(lead.url) == State::Waiting;
            spider.leads.extend(leads.iter().filter(waits).cloned());
        }
        spider.at = Some(url);
        spider.here = relevance;
    }

    fn bear(&mut self, now: Tick, spider: &mut Spider, url: UrlId) -> Spider {
        let telling = self.pages.get(&url).map_or(&[][..], |seen| &seen.words);
        let is_new = |word: &&Word| spider.keywords.iter().all(|keyword| keyword.word != word.0);
        let words: Vec<Word> =
            telling.iter().filter(is_new).take(self.parameters.expansion).copied().collect();
        let mut child = spider.offspring(self.numbers, &words, &self.parameters);
        self.numbers += 1;
        // Each takes every other link, so that they go different ways.
        let (mut mine, mut its) = (Vec::new(), Vec::new());
        for (number, lead) in std::mem::take(&mut spider.leads).into_iter().enumerate() {
            if number % 2 == 0 { mine.push(lead) } else { its.push(lead) }
        }
        (spider.leads, child.leads) = (mine, its);
        self.tell_birth(now, &child);
        child
    }

    pub(super) fn bury(&mut self, now: Tick, spider: &Spider) {
        self.log.tell(now, name(spider.number), Deed::Died { energy: spider.energy as f32 });
        if self.dead.len() >= MOST_DEAD {
            self.dead.pop_front();
        }
        self.dead.push_back(self.view(spider, false));
    }

    fn tell_birth(&mut self, now: Tick, spider: &Spider) {
        let parent = spider.parent.map(name);
        let (energy, keywords) = (spider.energy as f32, self.keywords(spider));
        self.log.tell(now, name(spider.number), Deed::Born { parent, energy, keywords });
    }

    fn keywords(&self, spider: &Spider) -> Vec<String> {
        spider.keywords.iter().map(|keyword| self.spelling.of(Word(keyword.word))).collect()
    }

    pub(super) fn view(&self, spider: &Spider, alive: bool) -> AgentView {
        AgentView {
            name: name(spider.number),
            kind: "spider".into(),
            parent: spider.parent.map(name),
            alive,
            energy: Some(spider.energy as f32),
            keywords: self.keywords(spider),
            pages: spider.pages,
            location: spider.at,
            note: match spider.stage {
                Stage::Chooses => format!("has {} links at hand", spider.leads.len()),
                Stage::Goes(_) => "is on its way".into(),
            },
        }
    }
}
