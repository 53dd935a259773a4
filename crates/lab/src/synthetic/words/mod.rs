//! Which words does the synthetic web write with? Six topics, each in English and in Spanish.
//!
//! Everything here is data. A pattern is a sentence with slots (`{who}`, `{place}`, `{year}` ...)
//! that [`super::grammar`] fills; nouns carry their article, so no pattern has to know a gender.

mod astronomy;
mod birds;
mod cooking;
mod football;
mod frames;
mod music;
mod sailing;

pub(super) use frames::{Angle, EN, ES, Frame};

/// Sections of every site.
pub(super) const SECTIONS: usize = 4;
/// Subjects of every topic.
pub(super) const SUBJECTS: usize = 12;
/// Subjects that stand in one section.
pub(super) const SUBJECTS_PER_SECTION: usize = SUBJECTS / SECTIONS;

/// One topic in both languages; sections and subjects of the two run parallel.
pub(super) struct Topic {
    pub(super) en: Edition,
    pub(super) es: Edition,
}

/// One topic in one language: what a site about it is called and what it writes about.
pub(super) struct Edition {
    /// Label of its host name.
    pub(super) host: &'static str,
    pub(super) title: &'static str,
    pub(super) tagline: &'static str,
    pub(super) keywords: &'static str,
    pub(super) sections: [Section; SECTIONS],
    /// Section `n` owns the subjects from `n * SUBJECTS_PER_SECTION`.
    pub(super) subjects: [Subject; SUBJECTS],
    /// Sentences that fit any subject of the topic.
    pub(super) asides: &'static [&'static str],
    /// Items of a list of advice.
    pub(super) tips: &'static [&'static str],
    /// What `{thing}` may be.
    pub(super) things: &'static [&'static str],
    /// Caption, column heads and cell patterns.
    pub(super) table: (&'static str, [&'static str; 3], [&'static str; 3]),
}

/// A section of a site.
pub(super) struct Section {
    pub(super) slug: &'static str,
    pub(super) name: &'static str,
}

/// What an article is about.
pub(super) struct Subject {
    pub(super) slug: &'static str,
    /// As it stands in a title.
    pub(super) name: &'static str,
    /// As it stands inside a sentence, with its article where the language wants one.
    pub(super) the: &'static str,
    /// Sentences that every article about it contains.
    pub(super) facts: [&'static str; 3],
}

const fn section(slug: &'static str, name: &'static str) -> Section {
    Section { slug, name }
}

const fn subject(
    slug: &'static str,
    name: &'static str,
    the: &'static str,
    facts: [&'static str; 3],
) -> Subject {
    Subject { slug, name, the, facts }
}

/// All topics, in the order in which sites take them.
pub(super) static TOPICS: [Topic; 6] = [
    astronomy::ASTRONOMY,
    cooking::COOKING,
    football::FOOTBALL,
    sailing::SAILING,
    music::MUSIC,
    birds::BIRDS,
];
