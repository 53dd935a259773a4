//! What does a word count in a page? BM25F: one score over all fields.
//!
//! The occurrences of a word are added over the fields, each times the weight of its field, before they
//! saturate. A sum of one BM25 score per field would count a word that stands in title and text twice
//! over, and let a page win that has one word everywhere over one that has every word once.
//!
//! The text is measured by the average length of texts, every other field by a usual length of its own: a
//! title does not count less because a long text follows it.

use crate::plan::Word;
use crate::sight::{Anchored, Sight};
use lycosa_segments::Fields;
use std::sync::Arc;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

/// How soon repetition stops to count.
const K1: f32 = 1.2;
/// How much the length of a page counts.
const B: f32 = 0.75;
/// What covering the whole question counts, shared by its words, and the most for one word.
const COVERAGE: f32 = 1.5;
const MAX_COVERAGE: f32 = 0.5;
/// How much the length of the small fields counts.
const SMALL_B: f32 = 0.5;

/// A field that words are looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Title,
    Body,
    Headings,
    Description,
    Address,
    /// Anchors of the links that lead here.
    Anchors,
    /// The title from its first to its last word.
    WholeTitle,
    /// The words as they are written, for questions of nothing but stop words.
    Words,
}

impl Part {
    /// Where a usual word is looked for.
    pub(crate) const USUAL: [Part; 6] =
        [Part::Title, Part::Body, Part::Headings, Part::Description, Part::Address, Part::Anchors];

    /// The field of the index, where it is one.
    pub(crate) fn field(self, fields: &Fields) -> Option<Field> {
        Some(match self {
            Part::Title => fields.title,
            Part::Body => fields.body,
            Part::Headings => fields.headings,
            Part::Description => fields.description,
            Part::Address => fields.address,
            Part::Words => fields.words,
            Part::WholeTitle => fields.whole_title,
            Part::Anchors => return None,
        })
    }

    /// What it is called in an explanation.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Title => "title",
            Part::Body => "text",
            Part::Headings => "headings",
            Part::Description => "description",
            Part::Address => "address",
            Part::Anchors => "links to the page",
            Part::WholeTitle => "whole title",
            Part::Words => "words",
        }
    }

    /// What one occurrence counts, beside one in the text.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Part::Body | Part::Words | Part::Anchors | Part::WholeTitle => 1.0,
            Part::Title => 3.0,
            Part::Headings | Part::Description | Part::Address => 0.5,
        }
    }

    /// Words that it usually has; `None` where the length of the page counts.
    fn usual_length(self) -> Option<f32> {
        match self {
            Part::Body | Part::Words | Part::WholeTitle => None,
            Part::Title => Some(8.0),
            Part::Headings => Some(30.0),
            Part::Description => Some(20.0),
            Part::Address => Some(6.0),
            Part::Anchors => Some(10.0),
        }
    }
}

/// How rare a word is: the more pages have it, the less it says.
pub(crate) fn rarity(pages: u64, with: u64) -> f32 {
    let (pages, with) = (pages as f32, with.min(pages) as f32);
    (1.0 + (pages - with + 0.5) / (with + 0.5)).ln()
}

/// What it counts that a page has a word at all, beside its rarity, in a question of so many words. Of few
/// words each is meant; of many, some are only said. (A sum over words that each count the same is the
/// share of the question that a page covers.)
pub(crate) fn coverage(words: usize) -> f32 {
    (COVERAGE / words.max(1) as f32).min(MAX_COVERAGE)
}

/// The most that a word can count in any page.
pub(crate) fn bound(word: &Word) -> f32 {
    word.rarity * (K1 + 1.0) + word.presence
}

/// How long the texts of an index are on average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Average(f32);

impl Average {
    pub(crate) fn of(searcher: &Searcher, fields: &Fields) -> tantivy::Result<Average> {
        let (mut length, mut pages) = (0.0_f64, 0_u64);
        for segment in searcher.segment_readers() {
            length += segment.inverted_index(fields.body)?.total_num_tokens() as f64;
            pages += u64::from(segment.max_doc());
        }
        Ok(Average((length / pages.max(1) as f64).max(1.0) as f32))
    }
}

/// The lengths of the pages of one segment.
pub(crate) struct Lengths {
    body: FieldNormReader,
    small: Vec<(Part, FieldNormReader)>,
    average: f32,
}

impl Lengths {
    pub(crate) fn of(
        segment: &SegmentReader,
        fields: &Fields,
        average: Average,
    ) -> tantivy::Result<Lengths> {
        let mut small = Vec::new();
        for part in [Part::Title, Part::Headings, Part::Description, Part::Address] {
            if let Some(field) = part.field(fields) {
                small.push((part, segment.get_fieldnorms_reader(field)?));
            }
        }
        Ok(Lengths { body: segment.get_fieldnorms_reader(fields.body)?, small, average: average.0 })
    }

    /// What an occurrence in the text is divided by: 1 in one of average length.
    pub(crate) fn page(&self, doc: DocId) -> f32 {
        1.0 - B + B * self.body.fieldnorm(doc) as f32 / self.average
    }

    /// The same for its title.
    pub(crate) fn title(&self, doc: DocId) -> f32 {
        measured(Part::Title, self.small(Part::Title, doc))
    }

    /// How long a small field of a page is.
    fn small(&self, part: Part, doc: DocId) -> f32 {
        let norms = self.small.iter().find(|(known, _)| *known == part);
        norms.map_or(0.0, |(_, norms)| norms.fieldnorm(doc) as f32)
    }
}

/// What an occurrence in a small field of so many words is divided by.
fn measured(part: Part, length: f32) -> f32 {
    1.0 - SMALL_B + SMALL_B * length / part.usual_length().unwrap_or(1.0)
}

/// The pages that have a word in one field.
enum List {
    Stored(Box<SegmentPostings>),
    Anchors {
        pages: Arc<[Anchored]>,
        /// The one that is reached.
        at: usize,
    },
}

impl List {
    fn doc(&self) -> DocId {
        match self {
            List::Stored(postings) => postings.doc(),
            List::Anchors { pages, at } => pages.get(*at).map_or(TERMINATED, |page| page.0),
        }
    }

    fn advance(&mut self) {
        match self {
            List::Stored(postings) => {
                postings.advance();
            }
            List::Anchors { at, .. } => *at += 1,
        }
    }

    fn seek(&mut self, doc: DocId) {
        match self {
            List::Stored(postings) => {
                postings.seek(doc);
            }
            List::Anchors { pages, at } => {
                *at += pages.get(*at..).unwrap_or_default().partition_point(|page| page.0 < doc);
            }
        }
    }

    fn size(&self) -> u64 {
        match self {
            List::Stored(postings) => u64::from(postings.doc_freq()),
            List::Anchors { pages, .. } => pages.len() as u64,
        }
    }

    /// Occurrences in the present document, weighed and measured. `page` is [`Lengths::page`] of it.
    fn weighed(&self, part: Part, lengths: &Lengths, page: f32) -> f32 {
        let (count, length) = match self {
            List::Stored(postings) => (
                postings.term_freq() as f32,
                part.usual_length().map(|_| lengths.small(part, postings.doc())),
            ),
            List::Anchors { pages, at } => {
                let page = pages.get(*at).copied().unwrap_or_default();
                (f32::from(page.1), Some(f32::from(page.2)))
            }
        };
        part.weight() * count / length.map_or(page, |length| measured(part, length))
    }
}

/// Where a word stands in a segment: one list for each form in each field.
pub(crate) struct Lists {
    lists: Vec<(Part, List)>,
    rarity: f32,
    presence: f32,
    /// The document that all lists have reached.
    doc: DocId,
    /// Documents in the lists together.
    pub(crate) size: u64,
}

impl Lists {
    pub(crate) fn of(
        word: &Word,
        sight: Sight<'_>,
        number: u32,
        segment: &SegmentReader,
    ) -> tantivy::Result<Lists> {
        let mut lists = Vec::new();
        if let Some(title) = &word.whole_title {
            let inverted = segment.inverted_index(title.field())?;
            let postings = inverted.read_postings(title, IndexRecordOption::Basic)?;
            lists.extend(postings.map(|found| (Part::WholeTitle, List::Stored(Box::new(found)))));
        }
        for part in word.parts {
            let Some(field) = part.field(sight.fields) else {
                let anchors = word.anchors_in(number).filter(|pages| !pages.is_empty());
                let anchors =
                    anchors.map(|pages| List::Anchors { pages: Arc::clone(pages), at: 0 });
                lists.extend(anchors.map(|list| (*part, list)));
                continue;
            };
            let inverted = segment.inverted_index(field)?;
            for form in &word.forms {
                let term = Term::from_field_text(field, form);
                let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
                lists.extend(postings.map(|postings| (*part, List::Stored(Box::new(postings)))));
            }
        }
        let size = lists.iter().map(|(_, list)| list.size()).sum();
        let doc = first(&lists);
        Ok(Lists { lists, rarity: word.rarity, presence: word.presence, doc, size })
    }

    /// The first document with the word from where the lists are.
    pub(crate) fn doc(&self) -> DocId {
        self.doc
    }

    /// Goes to the next document with the word.
    pub(crate) fn advance(&mut self) {
        for (_, list) in &mut self.lists {
            if list.doc() == self.doc {
                list.advance();
            }
        }
        self.doc = first(&self.lists);
    }

    /// Goes to a document, or to the first behind it with the word.
    pub(crate) fn seek(&mut self, doc: DocId) {
        if self.doc >= doc {
            return;
        }
        for (_, list) in &mut self.lists {
            if list.doc() < doc {
                list.seek(doc);
            }
        }
        self.doc = first(&self.lists);
    }

    /// What the word counts in the document that the lists are at. `page` is [`Lengths::page`] of it.
    pub(crate) fn score(&self, lengths: &Lengths, page: f32) -> f32 {
        let mut sum = 0.0;
        for (part, list) in &self.lists {
            if list.doc() == self.doc {
                sum += list.weighed(*part, lengths, page);
            }
        }
        saturated(self.rarity, sum) + self.presence
    }

    /// The same without what the presence of the word counts, told by field.
    pub(crate) fn shares(&self, lengths: &Lengths, page: f32) -> Vec<(Part, f32)> {
        let mut shares: Vec<(Part, f32)> = Vec::new();
        for (part, list) in self.lists.iter().filter(|(_, list)| list.doc() == self.doc) {
            let count = list.weighed(*part, lengths, page);
            match shares.iter_mut().find(|(known, _)| known == part) {
                Some((_, sum)) => *sum += count,
                None => shares.push((*part, count)),
            }
        }
        let sum: f32 = shares.iter().map(|(_, count)| count).sum();
        let score = saturated(self.rarity, sum);
        for (_, count) in &mut shares {
            *count *= score / sum;
        }
        shares
    }
}

fn first(lists: &[(Part, List)]) -> DocId {
    lists.iter().map(|(_, list)| list.doc()).min().unwrap_or(TERMINATED)
}

/// What a count of occurrences is worth: the more there are, the less one more counts.
pub(crate) fn saturated(rarity: f32, count: f32) -> f32 {
    rarity * (K1 + 1.0) * count / (K1 + count)
}
