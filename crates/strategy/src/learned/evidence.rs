//! What is known of a link that waits?

use super::pages::Prior;
use crate::{LinkEvidence, words};
use lycosa_knowledge::Word;
use lycosa_model::Site;
use serde::{Deserialize, Serialize};

/// Parents of a link that count; a few dozen say what there is to say.
const MOST_PARENTS: usize = 64;

/// Words of each kind that are kept of a link.
const MOST_WORDS: usize = 16;

/// A feature: where its weight is, and its value.
pub(super) type Feature = (u32, f32);

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Evidence {
    /// Numbers of the pages that link to it.
    pub(super) parents: Vec<u32>,
    /// The relevance of another one, if that is all that the disk says.
    pub(super) on_disk: Option<f32>,
    /// Words of its anchors.
    pub(super) anchor: Vec<Word>,
    /// Words around them.
    pub(super) context: Vec<Word>,
    /// Words of its address.
    address: Vec<Word>,
    /// How close the best anchor is to the topic, and on average what stands around the anchors.
    pub(super) anchor_similarity: f32,
    context_similarity: f32,
    address_similarity: f32,
    pub(super) site: u32,
    pub(super) folder: u32,
    pub(super) tag_path: u32,
}

/// Kinds of features, so that the same word means something else in an anchor and in an address.
#[derive(Clone, Copy)]
enum Kind {
    Site = 1,
    Folder,
    TagPath,
    Bias,
    Mean,
    Most,
    Count,
    AnchorSimilarity,
    ContextSimilarity,
    AddressSimilarity,
    Anchor,
    Context,
    Address,
    Ending,
}

fn cell(kind: Kind, value: u32) -> u32 {
    let mixed = (u64::from(value) | ((kind as u64) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

fn cell_of(kind: Kind, text: &str) -> u32 {
    cell(kind, Word::of(text).0)
}

/// The number of a site.
pub(super) fn site(site: &Site) -> u32 {
    cell_of(Kind::Site, site.as_str())
}

impl Evidence {
    /// What is known when only the page is that it was found on, if that.
    pub(super) fn of_disk(relevance: Option<f32>) -> Evidence {
        Evidence { on_disk: relevance, ..Evidence::default() }
    }

    /// What an address alone says.
    pub(super) fn new(link: &LinkEvidence<'_>) -> Evidence {
        let mut address = words::of_address(link.address);
        address.truncate(MOST_WORDS);
        let path = link.address.split(['?', '#']).next().unwrap_or("");
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Evidence {
            address_similarity: link.topic.similarity(&words::bag(&address)),
            address,
            site: site(link.site),
            folder: cell_of(Kind::Folder, folder),
            tag_path: cell_of(Kind::TagPath, link.tag_path),
            ..Evidence::default()
        }
    }

    /// Adds what another page says.
    pub(super) fn add(&mut self, link: &LinkEvidence<'_>, parent: Option<u32>) {
        self.parents.extend(parent.filter(|_| self.parents.len() < MOST_PARENTS));
        let (anchor, context) = (words::of_text(link.anchor), words::of_text(link.context));
        let similarity = link.topic.similarity(&words::bag(&anchor));
        self.anchor_similarity = self.anchor_similarity.max(similarity);
        let similarity = link.topic.similarity(&words::bag(&context));
        let count = self.parents.len().max(1) as f32;
        self.context_similarity += (similarity - self.context_similarity) / count;
        join(&mut self.anchor, anchor);
        join(&mut self.context, context);
    }

    /// What speaks for a redirect speaks for where it leads.
    pub(super) fn inherit(&mut self, from: Evidence) {
        for parent in from.parents {
            if self.parents.len() < MOST_PARENTS && !self.parents.contains(&parent) {
                self.parents.push(parent);
            }
        }
        self.anchor_similarity = self.anchor_similarity.max(from.anchor_similarity);
        self.context_similarity = self.context_similarity.max(from.context_similarity);
        join(&mut self.anchor, from.anchor);
        join(&mut self.context, from.context);
        self.tag_path = from.tag_path;
    }

    /// Its site, its folder and where in pages it stands.
    pub(super) fn places(&self) -> [u32; 3] {
        [self.site, self.folder, self.tag_path]
    }

    /// What the linear model sees.
    pub(super) fn features(&self, prior: Prior) -> Vec<Feature> {
        let mut features = vec![
            (cell(Kind::Bias, 0), 1.0),
            (cell(Kind::Mean, 0), prior.mean),
            (cell(Kind::Most, 0), prior.most),
            (cell(Kind::Count, 0), (1.0 + prior.count).ln() / 4.0),
            (cell(Kind::AnchorSimilarity, 0), self.anchor_similarity),
            (cell(Kind::ContextSimilarity, 0), self.context_similarity),
            (cell(Kind::AddressSimilarity, 0), self.address_similarity),
        ];
        spread(&mut features, Kind::Anchor, &self.anchor);
        spread(&mut features, Kind::Address, &self.address);
        spread(&mut features, Kind::Context, &self.context);
        features
    }

    /// What an address says about whether there is a page.
    pub(super) fn address_features(&self) -> Vec<Feature> {
        let mut features = vec![(self.site, 0.5), (self.folder, 0.5), (self.tag_path, 0.5)];
        spread(&mut features, Kind::Address, &self.address);
        if let Some(last) = self.address.last() {
            features.push((cell(Kind::Ending, last.0), 0.5));
        }
        features
    }
}

/// Words that together weigh a half, however many there are.
fn spread(features: &mut Vec<Feature>, kind: Kind, words: &[Word]) {
    let value = 0.5 / (words.len().max(1) as f32).sqrt();
    features.extend(words.iter().map(|word| (cell(kind, word.0), value)));
}

/// Adds words that are not there yet.
fn join(into: &mut Vec<Word>, words: Vec<Word>) {
    for word in words {
        if into.len() < MOST_WORDS && !into.contains(&word) {
            into.push(word);
        }
    }
}
