//! What can be set about `learned`?

use serde::{Deserialize, Serialize};

/// Settings of the learned scorer. One set for every topic and every web.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LearnedParameters {
    /// How many pages of usual relevance every link counts as having among its parents.
    pub kappa: f32,
    /// What an anchor is worth that is made of the words of the topic.
    pub anchor: f32,
    /// What it is worth that pages which mention the words of a link are better than usual.
    pub mention: f32,
    /// What it is worth that pages of a site, of a folder or at a tag path are better than usual.
    pub place: f32,
    /// How many usual pages stand against what is known of a word, a site, a folder or a path.
    pub pull: f32,
    /// Look ahead: what a link of a page is worth is the mean of the pages that it leads to and that were read,
    /// within its site or out of it, as if there were so many more as relevant as the page itself; 0 turns it off.
    pub ahead: f32,
    /// Rate at which the linear model of relevance learns; 0 turns it off. It is trusted as far as it was right.
    /// That of answers always learns.
    pub rate: f32,
    /// Most that the linear model may add or take away. With more it learns to repeat the judgements of the
    /// relevance model, also where those are wrong.
    pub most: f32,
    /// Earlier pages that are learned again with each page.
    pub replays: usize,
    /// Pages after which everything is judged anew, and the share of the pages read after which it is, if
    /// that is more.
    pub review: u32,
    /// See `review`: 8 stands for an eighth.
    pub review_share: u32,
    /// How much the best pages together count against the examples.
    pub feedback: f32,
    /// The share of pages that are the best.
    pub best: f32,
    /// Pages that are the best, at most.
    pub most_best: usize,
    /// The share of choices that are left to chance at the beginning.
    pub explore: f32,
    /// Pages after which that share is half.
    pub explore_half: f32,
}

impl Default for LearnedParameters {
    fn default() -> Self {
        LearnedParameters {
            kappa: 2.0,
            anchor: 1.0,
            mention: 1.0,
            place: 1.0,
            pull: 4.0,
            ahead: 8.0,
            rate: 0.05,
            most: 0.1,
            replays: 4,
            review: 20,
            review_share: 8,
            feedback: 0.5,
            best: 0.1,
            most_best: 50,
            explore: 0.01,
            explore_half: 100.0,
        }
    }
}
