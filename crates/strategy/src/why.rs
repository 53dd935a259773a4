//! What is a score made of? Named parts, from which the sentences for people are made, too.

use crate::Explanation;
use lycosa_model::{Part, UrlId, Why};

/// What the other parts of a score are multiplied with.
pub(crate) const LIKELY: &str = "likely to answer";
/// The same in a team: an anchor says how much the parents count.
pub(crate) const ANCHOR: &str = "anchor";
/// What a person named.
pub(crate) const SEED_PART: &str = "seed";

pub(crate) fn part(name: &'static str, value: f32) -> Part {
    Part { name: name.into(), value }
}

/// Why, when parts are all that there is to say.
pub(crate) fn of(parts: Vec<Part>) -> Why {
    Why { parts, ..Why::default() }
}

/// One sentence for each part.
pub(crate) fn sentences(parts: &[Part]) -> Explanation {
    let sentence = |part: &Part| match part.name == LIKELY || part.name == ANCHOR {
        true => format!("x {:.3} {}", part.value, part.name),
        false => format!("{:+.3} {}", part.value, part.name),
    };
    parts.iter().map(sentence).collect()
}

/// The scores of what was named last, until something else is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named(Vec<(UrlId, f32)>);

impl Named {
    /// Something else is about to be named.
    pub(crate) fn begin(&mut self) {
        self.0.clear();
    }

    pub(crate) fn note(&mut self, url: UrlId, score: f32) {
        self.0.push((url, score));
    }

    pub(crate) fn score(&self, url: UrlId) -> Option<f32> {
        self.0.iter().rev().find(|(named, _)| *named == url).map(|(_, score)| *score)
    }
}
