//! What does a page say, how does it change, and is it still there?

use crate::{TextDigest, Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a page says in a few bytes, so that pages can be compared without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// Digest of the visible text with white space folded.
    pub text: TextDigest,
    /// See [`Document::simhash`](crate::Document::simhash).
    pub simhash: u64,
    /// Digest of title and main text without numbers and without the words of the page's own address:
    /// equal for two pages that only repeat what they were asked for.
    pub shape: u64,
    /// Digest of the title; 0 when nobody made it.
    #[serde(default)]
    pub title: u64,
    /// Simhash over the lines of the visible text, lists and menus included; 0 when nobody made it.
    #[serde(default)]
    pub lines: u64,
    /// Words of the main text.
    pub words: u32,
    /// Whether the title says that there is no such page.
    pub says_missing: bool,
}

/// What one interval between two looks at a page told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Length of the interval.
    pub seconds: u32,
    /// What happened in it.
    pub change: Change,
}

/// What happened to a page between two looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Nothing.
    None,
    /// It changed, once or more, nobody knows when.
    Some,
    /// It changed at the very beginning of the interval, and then no more.
    AtStart,
}

/// Why a page that was in the index, or could have been, is not in it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// The server said so again and again: there is no such page for us.
    Gone,
    /// It leads to another address.
    Moved,
    /// robots.txt forbids it.
    Forbidden,
    /// It is the page by which its site says that there is no such page.
    SoftNotFound,
    /// Another address stands for it.
    Copy,
    /// It has no text any more, none of the wanted language, or asks not to be indexed.
    NoText,
    /// It failed for so long that it was dropped.
    Failing,
}

impl Absence {
    /// The name in counts and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Absence::Gone => "left_gone",
            Absence::Moved => "left_moved",
            Absence::Forbidden => "left_forbidden",
            Absence::SoftNotFound => "left_soft_404",
            Absence::Copy => "left_copy",
            Absence::NoText => "left_no_text",
            Absence::Failing => "left_failing",
        }
    }

    /// One phrase for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Absence::Gone => "the server said several times that it is not there any more",
            Absence::Moved => "it leads to another address now",
            Absence::Forbidden => "robots.txt forbids it now",
            Absence::SoftNotFound => "it is the page by which its site says `not found`",
            Absence::Copy => "another address with the same content stands for it",
            Absence::NoText => "it has no text that is wanted any more, or asks not to be indexed",
            Absence::Failing => "it failed for too long",
        }
    }
}

/// What is remembered of a page that was fetched, beside its record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// The last look that told whether it had changed.
    pub visited: Tick,
    /// Such looks.
    pub visits: u32,
    /// The last change that was noticed.
    pub changed: Option<Tick>,
    /// What the last looks told, oldest first; see [`Observation`].
    pub observations: Vec<Observation>,
    /// What it says; none when it has no text.
    pub fingerprint: Option<Fingerprint>,
    /// The address that stands for it in the index, when that is another one.
    pub same_as: Option<UrlId>,
    /// Answers in a row that say it is not there.
    pub missing: u32,
    /// The first of them.
    pub missing_since: Option<Tick>,
    /// Whether it is in the index, as far as the broker knows.
    pub indexed: bool,
    /// Why it is not in the index.
    pub absent: Option<Absence>,
    /// When a sitemap or a feed says that it changed last.
    pub announced: Option<Tick>,
    /// Changes that had been announced when they were noticed.
    pub announced_changes: u32,
    /// Announcements after which nothing had changed.
    pub false_announcements: u32,
    /// Changes that had not, although the page is one of those that a sitemap or feed dates.
    pub silent_changes: u32,
    /// Whether it is a list of news (a feed, a sitemap).
    pub is_feed: bool,
    /// When it is to be visited again, in a crawl that keeps an index fresh.
    pub due: Option<Tick>,
}
