//! How relevant are the pages that were read, by what is known now, and what does that say of a link?

use super::LearnedParameters;
use super::evidence::{self, Evidence};
use super::places::Tally;
use crate::parents::Mean;
use crate::{PageView, Verdict};
use lycosa_knowledge::{Bag, ByWord, MOST_RELEVANT, Profile, RelevanceModel, Word};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// Pages whose words are kept to be judged anew; of earlier ones the judgement stays.
const KEPT: usize = 5_000;

/// Of these, those whose words are saved as well: the last ones.
const SAVED: usize = 2_000;

/// Pages that are remembered; what links of earlier ones there are has been followed, or never will be.
const MOST_PAGES: usize = 50_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Page {
    url: UrlId,
    /// Nothing when it is not kept any more.
    bag: Bag,
    relevance: f32,
    /// What a person said of it.
    verdict: Option<bool>,
    /// Where it was found, and the relevance that was learned of those places.
    found: Option<([u32; 3], f32)>,
    /// Its site, as evidence has it.
    site: u32,
    /// Pages that it links to and that were read.
    children: Vec<u32>,
    /// How relevant they are: those of other sites, and those of its own.
    #[serde(skip)]
    led_to: [Tally; 2],
}

/// Children of a page that count; a few dozen say what there is to say.
const MOST_CHILDREN: usize = 64;

impl Page {
    fn new(url: UrlId, site: u32, bag: Bag, relevance: f32) -> Page {
        let (verdict, found, children, led_to) = (None, None, Vec::new(), Default::default());
        Page { url, bag, relevance, verdict, found, site, children, led_to }
    }

    /// What a link of it to this site is worth: what such links turned out to be, those within its site or
    /// those out of it, drawn towards what it is itself.
    fn ahead(&self, site: u32, pull: f32) -> f32 {
        match pull > 0.0 {
            true => self.led_to[usize::from(self.site == site)].mean(self.relevance, pull),
            false => self.relevance,
        }
    }
}

/// What the parents of a link say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prior {
    /// The shrunk mean of what their links are worth.
    pub(super) mean: f32,
    /// How much of it is what other links of theirs turned out to be.
    pub(super) ahead: f32,
    /// That of the best.
    pub(super) most: f32,
    /// How many there are.
    pub(super) count: f32,
}

/// The pages that were read.
#[derive(Debug)]
pub(super) struct Pages {
    parameters: LearnedParameters,
    pages: VecDeque<Page>,
    /// The number of the first of them.
    first: u32,
    numbers: HashMap<UrlId, u32>,
    usual: Mean,
    /// Of each word, the pages that have it and the sum of their relevance.
    mentions: ByWord<(f32, f32)>,
}

/// What is saved of them: the last ones with their words, and of those before how relevant they are.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPages<P = Page> {
    without_words: Vec<(UrlId, f32)>,
    pages: Vec<P>,
    first: u32,
    usual: Mean,
}

impl Pages {
    pub(super) fn new(parameters: LearnedParameters) -> Pages {
        Pages {
            parameters,
            pages: VecDeque::new(),
            first: 0,
            numbers: HashMap::new(),
            usual: Mean::default(),
            mentions: ByWord::default(),
        }
    }

    pub(super) fn number(&self, url: UrlId) -> Option<u32> {
        self.numbers.get(&url).copied()
    }

    fn page(&self, number: u32) -> Option<&Page> {
        self.pages.get(number.checked_sub(self.first)? as usize)
    }

    /// Takes in a page; tells its relevance.
    pub(super) fn add(&mut self, page: &PageView<'_>, relevance: f32) -> f32 {
        self.usual.add(relevance);
        mention(&mut self.mentions, page.bag, relevance);
        if let Some(old) = self.pages.len().checked_sub(KEPT)
            && self.pages[old].verdict.is_none()
        {
            self.pages[old].bag = Bag::default();
        }
        if self.pages.len() >= MOST_PAGES
            && let Some(oldest) = self.pages.pop_front()
        {
            if self.numbers.get(&oldest.url) == Some(&self.first) {
                self.numbers.remove(&oldest.url);
            }
            self.first = self.first.wrapping_add(1);
        }
        self.numbers.insert(page.url, self.first.wrapping_add(self.pages.len() as u32));
        let site = evidence::site(page.site);
        self.pages.push_back(Page::new(page.url, site, page.bag.clone(), relevance));
        relevance
    }

    /// Where the last page was found.
    pub(super) fn stands(&mut self, places: [u32; 3], relevance: f32) {
        if let Some(page) = self.pages.back_mut() {
            page.found = Some((places, relevance));
        }
    }

    /// A person says what a page is worth. Tells where it was found, and how far off was what was learned.
    pub(super) fn hear(&mut self, verdict: &Verdict<'_>) -> Option<([u32; 3], f32)> {
        let place = self.number(verdict.url)?.checked_sub(self.first)?;
        let page = self.pages.get_mut(place as usize)?;
        page.verdict = Some(verdict.good);
        // It is one of the examples, or of what they are held against, however long ago it was read.
        page.bag = verdict.bag.clone();
        let (places, learned) = page.found.as_mut()?;
        let differs = verdict.relevance() - *learned;
        *learned = verdict.relevance();
        Some((*places, differs))
    }

    /// What the parents of a link say (SPEC 4.2).
    pub(super) fn prior(&self, evidence: &Evidence) -> Prior {
        let LearnedParameters { kappa, ahead, .. } = self.parameters;
        let mut prior = Prior::default();
        let (mut sum, mut own) = (0.0, 0.0);
        let parents = evidence.parents.iter().filter_map(|parent| self.page(*parent));
        let parents = parents.map(|page| (page.ahead(evidence.site, ahead), page.relevance));
        // Of what was read back from disk, the one parent that it was first found on.
        let on_disk = evidence.on_disk.map(|relevance| (relevance, relevance));
        for (worth, relevance) in parents.chain(on_disk) {
            sum += worth;
            own += relevance;
            prior.most = prior.most.max(worth);
            prior.count += 1.0;
        }
        let all = (prior.count + kappa).max(f32::MIN_POSITIVE);
        prior.mean = (sum + kappa * self.usual.get()) / all;
        prior.ahead = (sum - own) / all;
        prior
    }

    /// A page links to another one, and both were read.
    pub(super) fn join(&mut self, parent: u32, child: u32) {
        let of =
            self.page(child).filter(|_| parent != child).map(|page| (page.site, page.relevance));
        let place = parent.checked_sub(self.first).map(|place| place as usize);
        let page = place.and_then(|place| self.pages.get_mut(place));
        if let (Some((site, relevance)), Some(page)) = (of, page)
            && page.children.len() < MOST_CHILDREN
        {
            page.children.push(child);
            page.led_to[usize::from(page.site == site)].add(relevance);
        }
    }

    /// Sums up anew what the links of all pages turned out to be.
    fn look_ahead(&mut self) {
        for place in 0..self.pages.len() {
            let parent = &self.pages[place];
            let mut led_to = <[Tally; 2]>::default();
            for child in parent.children.iter().filter_map(|child| self.page(*child)) {
                led_to[usize::from(parent.site == child.site)].add(child.relevance);
            }
            self.pages[place].led_to = led_to;
        }
    }

    /// How much better than usual are pages that mention these words? Rare words count more.
    pub(super) fn mention(&self, words: &[Word]) -> f32 {
        let (usual, pull) = (self.usual.get(), self.parameters.pull);
        let (mut sum, mut weights) = (0.0, 0.0);
        for word in words {
            let (count, relevance) = self.mentions.get(word).copied().unwrap_or_default();
            let weight = 1.0 / (2.0 + count).ln();
            sum += weight * ((relevance + pull * usual) / (count + pull) - usual);
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// Judges all pages anew: with words as rare as they are now, and with the best pages among the examples.
    pub(super) fn judge(&mut self, topic: &RelevanceModel) {
        let profile = self.profile(topic);
        let mut usual = Mean::default();
        for page in &mut self.pages {
            match page.verdict {
                Some(true) => page.relevance = MOST_RELEVANT,
                Some(false) => page.relevance = 0.0,
                None if page.bag.is_empty() => {}
                None => page.relevance = topic.relevance_by(&profile, &page.bag),
            }
            usual.add(page.relevance);
        }
        self.usual = usual;
        self.look_ahead();
        self.count_mentions();
    }

    /// The topic with the best pages and those that a person called good, and without what is bad.
    fn profile(&self, topic: &RelevanceModel) -> Profile {
        let LearnedParameters { feedback, best, most_best, .. } = self.parameters;
        let of_verdict = |good: bool| {
            let heard = self.pages.iter().filter(move |page| page.verdict == Some(good));
            heard.filter(|page| !page.bag.is_empty()).collect::<Vec<&Page>>()
        };
        let (mut examples, bad) = (of_verdict(true), of_verdict(false));
        let kept = self.pages.len().saturating_sub(KEPT);
        let mut order: Vec<&Page> = self.pages.range(kept..).collect();
        let best = ((order.len() as f32 * best) as usize).min(most_best);
        order.retain(|page| page.verdict.is_none());
        order.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
        examples.extend(order.iter().take(best.saturating_sub(examples.len())));
        let share = |of: &[&Page]| feedback / of.len().max(1) as f32;
        let (for_it, against) = (share(&examples), -share(&bad) / 2.0);
        let examples = examples.iter().map(|page| (&page.bag, for_it));
        let all = examples.chain(bad.iter().map(|page| (&page.bag, against)));
        topic.profile_with(all.filter(|_| feedback > 0.0))
    }

    fn count_mentions(&mut self) {
        self.mentions.clear();
        for page in &self.pages {
            mention(&mut self.mentions, &page.bag, page.relevance);
        }
    }

    pub(super) fn save(&self) -> SavedPages<&Page> {
        let old = self.pages.len().saturating_sub(SAVED);
        let without_words = self.pages.iter().take(old).map(|page| (page.url, page.relevance));
        SavedPages {
            without_words: without_words.collect(),
            pages: self.pages.iter().skip(old).collect(),
            first: self.first,
            usual: self.usual,
        }
    }

    pub(super) fn load(&mut self, saved: SavedPages) -> Result<(), String> {
        let SavedPages { without_words, pages, first, usual } = saved;
        let old = without_words.into_iter();
        let old = old.map(|(url, relevance)| Page::new(url, 0, Bag::default(), relevance));
        let pages: VecDeque<Page> = old.chain(pages).collect();
        if pages.len() > MOST_PAGES || pages.iter().any(|page| !page.relevance.is_finite()) {
            return Err("what learned has saved is damaged: its pages cannot be like that".into());
        }
        let numbers = pages.iter().enumerate();
        self.numbers =
            numbers.map(|(place, page)| (page.url, first.wrapping_add(place as u32))).collect();
        (self.pages, self.first, self.usual) = (pages, first, usual);
        self.look_ahead();
        self.count_mentions();
        Ok(())
    }
}

fn mention(mentions: &mut ByWord<(f32, f32)>, page: &Bag, relevance: f32) {
    for (word, _) in page.iter() {
        let (count, sum) = mentions.entry(word).or_default();
        *count += 1.0;
        *sum += relevance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_within_a_site_and_links_out_of_it_are_told_apart() {
        let mut page = Page::new(UrlId::of("page"), 1, Bag::default(), 0.5);
        page.led_to[0].add(0.0);
        page.led_to[1].add(1.0);
        let (out, within) = (page.ahead(2, 1.0), page.ahead(1, 1.0));
        assert_eq!((out, within), (0.25, 0.75));
        assert_eq!(page.ahead(1, 0.0), 0.5, "it is off");
    }
}
