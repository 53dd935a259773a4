//! One spider: where it is, what it looks for, a net of one unit that guesses what a link is worth, and its
//! energy.

use super::SpiderParameters;
use crate::dice::Dice;
use lycosa_knowledge::analysis::is_stop_word_anywhere;
use lycosa_knowledge::{Bag, ByWord, Word, fold};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Pages that a spider can go back to.
const MOST_BACK: usize = 64;

/// A link as a spider sees it: its target, the words near it with the inverse of their distance, and the
/// relevance of the page that it is on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lead {
    pub(super) url: UrlId,
    pub(super) near: Bag,
    pub(super) parent: f32,
    pub(super) from: UrlId,
}

/// A keyword and what it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Keyword {
    pub(super) word: u32,
    pub(super) weight: f64,
}

/// What a spider does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// It has to choose.
    Chooses,
    /// It has chosen a page and is not there yet.
    Goes(UrlId),
}

/// What a spider knew of the link that it follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Followed {
    pub(super) lead: Lead,
    /// What it thought of it.
    pub(super) estimate: f64,
    /// How likely it was to choose it.
    pub(super) chance: f64,
}

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Spider {
    pub(super) number: u64,
    pub(super) parent: Option<u64>,
    pub(super) energy: f64,
    pub(super) at: Option<UrlId>,
    pub(super) stage: Stage,
    pub(super) keywords: Vec<Keyword>,
    /// Weights of the page's relevance and of the threshold.
    of_parent: f64,
    bias: f64,
    /// The link that it follows; none to a start page.
    pub(super) followed: Option<Followed>,
    /// Where it came from, the last page last.
    pub(super) back: Vec<UrlId>,
    /// Links that it keeps.
    pub(super) leads: Vec<Lead>,
    /// Relevance of the page where it is.
    pub(super) here: f32,
    pub(super) pages: u64,
    pub(super) dice: Dice,
}

impl Spider {
    pub(super) fn new(number: u64, at: UrlId, energy: f64, mut dice: Dice) -> Spider {
        let of_parent = dice.share();
        Spider {
            number,
            parent: None,
            energy,
            at: None,
            stage: Stage::Goes(at),
            keywords: Vec::new(),
            of_parent,
            bias: -1.0,
            followed: None,
            back: Vec::new(),
            leads: Vec::new(),
            here: 0.0,
            pages: 0,
            dice,
        }
    }

    /// Looks for these words from now on. A word of the topic near a link speaks for it, more or less: that
    /// is for the spider to find out.
    pub(super) fn learn_topic(&mut self, words: &[(Word, f32)]) {
        let keyword =
            |(word, _): &(Word, f32)| Keyword { word: word.0, weight: 2.0 * self.dice.share() };
        self.keywords = words.iter().map(keyword).collect();
    }

    /// What it thinks a link is worth, from 0 to 1.
    pub(super) fn estimate(&self, lead: &Lead) -> f64 {
        let sum =
            self.keywords.iter().map(|keyword| keyword.weight * input(lead, keyword)).sum::<f64>();
        sigmoid(sum + self.of_parent * f64::from(lead.parent) + self.bias)
    }

    /// The same, mixed with what the page of the link is worth.
    pub(super) fn worth(&self, lead: &Lead, mix: f64) -> f64 {
        mix * self.estimate(lead) + (1.0 - mix) * f64::from(lead.parent.min(1.0))
    }

    /// Each part of an estimate that counts: the keyword (nothing for the page and the threshold), its
    /// weight and its input.
    pub(super) fn parts(&self, lead: &Lead) -> Vec<(Option<Word>, f64, f64)> {
        let mut parts: Vec<(Option<Word>, f64, f64)> = self
            .keywords
            .iter()
            .map(|keyword| (Some(Word(keyword.word)), keyword.weight, input(lead, keyword)))
            .filter(|(.., input)| *input > 0.0)
            .collect();
        parts.push((None, self.of_parent, f64::from(lead.parent)));
        parts
    }

    /// One of these by chance, each as likely as exp(beta * worth) among all; and how likely it was.
    pub(super) fn draw(&mut self, worths: &[f64], beta: f64) -> (usize, f64) {
        let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let chances: Vec<f64> = worths.iter().map(|worth| (beta * (worth - most)).exp()).collect();
        let all = chances.iter().sum::<f64>();
        let mut left = self.dice.share() * all;
        for (number, chance) in chances.iter().enumerate() {
            left -= chance;
            if left < 0.0 {
                return (number, chance / all);
            }
        }
        let last = worths.len().saturating_sub(1);
        (last, chances.get(last).map_or(1.0, |chance| chance / all))
    }

    /// Compares what a page is worth, with the best link on it, to what was thought of the link to it, and
    /// moves the weights that were wrong (Menczer and Belew, 2000).
    pub(super) fn learn(&mut self, relevance: f32, best: f64, parameters: &SpiderParameters) {
        let Some(Followed { lead, estimate, .. }) = &self.followed else { return };
        let worth = f64::from(relevance.min(1.0)) + parameters.foresight * best;
        let step = parameters.learning * (worth - estimate) * estimate * (1.0 - estimate);
        for keyword in &mut self.keywords {
            keyword.weight += step * input(lead, keyword);
        }
        self.of_parent += step * f64::from(lead.parent);
        self.bias += step;
    }

    /// Goes to a page, which it chose with this chance; the one where it is will be the way back.
    pub(super) fn follow(&mut self, lead: Lead, chance: f64) {
        if let Some(at) = self.at {
            self.back.push(at);
            if self.back.len() > MOST_BACK {
                self.back.remove(0);
            }
        }
        let estimate = self.estimate(&lead);
        self.stage = Stage::Goes(lead.url);
        self.followed = Some(Followed { lead, estimate, chance });
    }

    /// Goes to a page by no link.
    pub(super) fn go(&mut self, to: UrlId) {
        self.stage = Stage::Goes(to);
        self.followed = None;
    }

    /// An offspring on the same page with half of the energy, other weights, and a word of the page for its
    /// weakest keyword if there is no room.
    pub(super) fn offspring(
        &mut self,
        number: u64,
        words: &[Word],
        parameters: &SpiderParameters,
    ) -> Spider {
        let mut child = self.clone();
        child.number = number;
        child.parent = Some(self.number);
        child.pages = 0;
        child.energy = self.energy / 2.0;
        self.energy -= child.energy;
        child.dice = self.dice.split();
        let Spider { keywords, of_parent, bias, dice, .. } = &mut child;
        let weights = keywords.iter_mut().map(|keyword| &mut keyword.weight);
        for weight in weights.chain([of_parent, bias]) {
            *weight *= 1.0 + parameters.mutation * dice.bell();
        }
        let mean = mean_weight(&child.keywords);
        for word in words {
            child.keywords.push(Keyword { word: word.0, weight: mean });
        }
        while child.keywords.len() > parameters.keywords.max(1) {
            // The new ones are not judged yet.
            let old = child.keywords.len().saturating_sub(words.len()).max(1);
            let by_weight = |a: &(usize, &Keyword), b: &(usize, &Keyword)| {
                a.1.weight.abs().total_cmp(&b.1.weight.abs())
            };
            let weakest = child.keywords.iter().take(old).enumerate().min_by(by_weight);
            match weakest.map(|(place, _)| place) {
                Some(place) => drop(child.keywords.remove(place)),
                None => break,
            }
        }
        child
    }
}

fn mean_weight(keywords: &[Keyword]) -> f64 {
    let sum: f64 = keywords.iter().map(|keyword| keyword.weight).sum();
    if keywords.is_empty() { 1.0 } else { sum / keywords.len() as f64 }
}

fn input(lead: &Lead, keyword: &Keyword) -> f64 {
    f64::from(lead.near.weight(Word(keyword.word)))
}

fn sigmoid(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// Which words count? What is a stop word is looked up once for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Counting(ByWord<bool>);

/// Words of which it is remembered whether they count.
const MOST_WORDS: usize = 100_000;

impl Counting {
    /// The words of a text in folded form, as numbers, without stop words: these are no keywords, and count
    /// for no distance.
    pub(super) fn words_of(&mut self, text: &str) -> Vec<Word> {
        let folded = if text.is_ascii() { text.to_ascii_lowercase() } else { fold(text) };
        let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let counting = words.filter_map(|spelled| {
            let word = Word::of(spelled);
            let counts = match self.0.get(&word) {
                Some(counts) => *counts,
                None => {
                    let counts = !is_stop_word_anywhere(spelled);
                    if self.0.len() < MOST_WORDS {
                        self.0.insert(word, counts);
                    }
                    counts
                }
            };
            counts.then_some(word)
        });
        counting.collect()
    }
}

/// The words near a link: those of the anchor at no distance, those around it by the inverse of theirs.
pub(super) fn near(anchor: &[Word], context: &[Word], window: usize) -> Bag {
    // As many words before the link as behind it, as far as can be told.
    let middle = context.len() / 2;
    let around = context.iter().enumerate().map(|(place, word)| {
        let distance = if place < middle { middle - place } else { place - middle + 1 };
        (*word, distance)
    });
    let around = around.filter(|(_, distance)| *distance <= window);
    let around = around.map(|(word, distance)| (word, 1.0 / distance as f32));
    Bag::of(anchor.iter().map(|word| (*word, 1.0)).chain(around))
}

/// Names of words that were read, for people.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling(HashMap<u32, String>);

/// Words whose spelling is kept.
const MOST_SPELLINGS: usize = 20_000;

impl Spelling {
    pub(super) fn note(&mut self, word: Word, spelled: &str) {
        if self.0.len() < MOST_SPELLINGS {
            self.0.entry(word.0).or_insert_with(|| spelled.to_owned());
        }
    }

    pub(super) fn of(&self, word: Word) -> String {
        self.0.get(&word.0).cloned().unwrap_or_else(|| format!("word {:08x}", word.0))
    }
}
