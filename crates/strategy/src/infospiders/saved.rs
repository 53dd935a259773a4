//! What of spiders gets over a restart? The living with all that they know, the last of the dead, and the
//! pages where they are.

use super::life::Seen;
use super::spider::{Spider, Stage};
use super::{InfoSpiders, Strategy};
use crate::dice::Dice;
use crate::saved;
use lycosa_knowledge::Word;
use lycosa_model::{AgentView, UrlId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// The dead that are saved, the last ones.
const MOST_DEAD: usize = 1_000;
/// Links of a page that are saved.
const MOST_LEADS: usize = 64;
/// Start pages that are saved.
const MOST_SEEDS: usize = 10_000;

#[derive(Serialize, Deserialize)]
struct Saved<S, D> {
    spiders: S,
    dead: D,
    pages: Vec<(UrlId, Seen)>,
    seeds: Vec<UrlId>,
    starts: Vec<UrlId>,
    wanted: Option<u64>,
    initial: u64,
    numbers: u64,
    topic: Vec<(Word, f32)>,
    spelling: Vec<(Word, String)>,
    dice: Dice,
}

impl InfoSpiders {
    pub(super) fn written(&self) -> Option<Vec<u8>> {
        let places = self.spiders.iter().flat_map(|spider| {
            let goes = match spider.stage {
                Stage::Goes(to) => Some(to),
                Stage::Chooses => None,
            };
            spider.at.into_iter().chain(goes)
        });
        let places: BTreeSet<UrlId> = places.collect();
        let page = |url: UrlId| {
            let mut seen = self.pages.get(&url)?.clone();
            seen.leads.truncate(MOST_LEADS);
            Some((url, seen))
        };
        let keywords = self.spiders.iter().flat_map(|spider| &spider.keywords);
        let words = keywords.map(|keyword| Word(keyword.word));
        let words: BTreeSet<Word> = words.chain(self.topic.iter().map(|(word, _)| *word)).collect();
        let spelling = words.into_iter().map(|word| (word, self.spelling.of(word)));
        let few = |urls: &[UrlId]| urls.iter().take(MOST_SEEDS).copied().collect();
        let dead = self.dead.len().saturating_sub(MOST_DEAD);
        let state = Saved {
            spiders: &self.spiders,
            dead: self.dead.iter().skip(dead).collect::<Vec<&AgentView>>(),
            pages: places.into_iter().filter_map(page).collect(),
            seeds: few(&self.seeds),
            starts: few(&self.starts),
            wanted: self.wanted.map(|wanted| wanted as u64),
            initial: self.initial as u64,
            numbers: self.numbers,
            topic: self.topic.clone(),
            spelling: spelling.collect(),
            dice: self.dice.clone(),
        };
        saved::write(self.name(), &state)
    }

    pub(super) fn take_up(&mut self, bytes: &[u8]) -> Result<(), String> {
        let state: Saved<VecDeque<Spider>, VecDeque<AgentView>> = saved::read(self.name(), bytes)?;
        let numbers = state.spiders.iter().flat_map(|spider| [spider.number, spider.pages]);
        let wanted = state.wanted.unwrap_or(0);
        saved::check_counts(numbers.chain([state.numbers, state.initial, wanted]))?;
        if state.spiders.iter().any(|spider| !spider.energy.is_finite()) {
            return Err("what infospiders has saved is damaged: energy without end".into());
        }
        self.spiders = state.spiders;
        self.spiders.truncate(self.parameters.cap);
        self.dead = state.dead;
        for (url, seen) in state.pages {
            *self.seen(url) = seen;
        }
        (self.seeds, self.starts) = (state.seeds, state.starts);
        self.wanted = state.wanted.map(|wanted| wanted as usize);
        (self.initial, self.numbers) = (state.initial as usize, state.numbers);
        self.topic = state.topic;
        for (word, spelled) in state.spelling {
            self.spelling.note(word, &spelled);
        }
        self.dice = state.dice;
        Ok(())
    }
}
