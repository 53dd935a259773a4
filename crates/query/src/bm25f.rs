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
use std::sync::{Arc, LazyLock};
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

    /// The small fields, in an order of their own.
    const SMALL: [Part; 4] = [Part::Title, Part::Headings, Part::Description, Part::Address];

    /// The place among them; `None` where the length of the page counts, or that of its anchors.
    fn small(self) -> Option<usize> {
        Part::SMALL.iter().position(|part| *part == self)
    }

    /// Words that it usually has.
    fn usual_length(self) -> f32 {
        match self {
            Part::Body | Part::Words | Part::WholeTitle => 1.0,
            Part::Title => 8.0,
            Part::Headings => 30.0,
            Part::Description => 20.0,
            Part::Address => 6.0,
            Part::Anchors => 10.0,
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

/// What an occurrence is divided by in a field of each of the 256 lengths that the index tells apart.
type Measures = [f32; 256];

fn measures(measured: impl Fn(f32) -> f32) -> Measures {
    std::array::from_fn(|id| measured(FieldNormReader::id_to_fieldnorm(id as u8) as f32))
}

static SMALL: LazyLock<[Measures; 4]> =
    LazyLock::new(|| Part::SMALL.map(|part| measures(|length| measured(part, length))));

/// The lengths of the pages of one segment.
pub(crate) struct Lengths {
    body: FieldNormReader,
    bodies: Measures,
    small: [FieldNormReader; 4],
}

impl Lengths {
    pub(crate) fn of(
        segment: &SegmentReader,
        fields: &Fields,
        average: Average,
    ) -> tantivy::Result<Lengths> {
        let norms = |field| segment.get_fieldnorms_reader(field);
        let small = [fields.title, fields.headings, fields.description, fields.address];
        let [title, headings, description, address] = small.map(norms);
        Ok(Lengths {
            body: norms(fields.body)?,
            bodies: measures(|length| 1.0 - B + B * length / average.0),
            small: [title?, headings?, description?, address?],
        })
    }

    /// What an occurrence in the text is divided by: 1 in one of average length.
    pub(crate) fn page(&self, doc: DocId) -> f32 {
        self.bodies[usize::from(self.body.fieldnorm_id(doc))]
    }

    /// The same for its title.
    pub(crate) fn title(&self, doc: DocId) -> f32 {
        self.small(0, doc)
    }

    /// The same for a small field, by its place.
    fn small(&self, place: usize, doc: DocId) -> f32 {
        SMALL[place][usize::from(self.small[place].fieldnorm_id(doc))]
    }
}

/// What an occurrence in a small field of so many words is divided by.
fn measured(part: Part, length: f32) -> f32 {
    1.0 - SMALL_B + SMALL_B * length / part.usual_length()
}

/// The pages that have a word in one field.
struct List {
    part: Part,
    /// The place of the field among the small ones.
    small: Option<usize>,
    pages: Pages,
}

enum Pages {
    Stored(Box<SegmentPostings>),
    Anchors {
        pages: Arc<[Anchored]>,
        /// The one that is reached.
        at: usize,
    },
}

impl List {
    fn stored(part: Part, postings: SegmentPostings) -> List {
        List { part, small: part.small(), pages: Pages::Stored(Box::new(postings)) }
    }

    fn doc(&self) -> DocId {
        match &self.pages {
            Pages::Stored(postings) => postings.doc(),
            Pages::Anchors { pages, at } => pages.get(*at).map_or(TERMINATED, |page| page.0),
        }
    }

    /// Goes to the next document, and says which it is.
    fn advance(&mut self) -> DocId {
        match &mut self.pages {
            Pages::Stored(postings) => postings.advance(),
            Pages::Anchors { at, .. } => {
                *at += 1;
                self.doc()
            }
        }
    }

    /// Goes to a document or to the first behind it, and says which it is.
    fn seek(&mut self, doc: DocId) -> DocId {
        match &mut self.pages {
            Pages::Stored(postings) => postings.seek(doc),
            Pages::Anchors { pages, at } => {
                *at += pages.get(*at..).unwrap_or_default().partition_point(|page| page.0 < doc);
                self.doc()
            }
        }
    }

    fn size(&self) -> u64 {
        match &self.pages {
            Pages::Stored(postings) => u64::from(postings.doc_freq()),
            Pages::Anchors { pages, .. } => pages.len() as u64,
        }
    }

    /// Occurrences in the present document `doc`, weighed and measured. `page` is [`Lengths::page`] of it.
    fn weighed(&self, doc: DocId, lengths: &Lengths, page: f32) -> f32 {
        let (count, measure) = match &self.pages {
            Pages::Stored(postings) => {
                let measure = self.small.map_or(page, |place| lengths.small(place, doc));
                (postings.term_freq() as f32, measure)
            }
            Pages::Anchors { pages, at } => {
                let (_, count, length) = pages.get(*at).copied().unwrap_or_default();
                (f32::from(count), measured(Part::Anchors, f32::from(length)))
            }
        };
        self.part.weight() * count / measure
    }
}

/// Where a word stands in a segment: one list for each form in each field.
pub(crate) struct Lists {
    lists: Vec<List>,
    /// Where each of them is.
    docs: Vec<DocId>,
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
            lists.extend(postings.map(|postings| List::stored(Part::WholeTitle, postings)));
        }
        for part in word.parts {
            let Some(field) = part.field(sight.fields) else {
                let anchors = word.anchors_in(number).filter(|pages| !pages.is_empty());
                lists.extend(anchors.map(|pages| {
                    let pages = Pages::Anchors { pages: Arc::clone(pages), at: 0 };
                    List { part: *part, small: None, pages }
                }));
                continue;
            };
            let inverted = segment.inverted_index(field)?;
            for form in &word.forms {
                let term = Term::from_field_text(field, form);
                let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
                lists.extend(postings.map(|postings| List::stored(*part, postings)));
            }
        }
        let size = lists.iter().map(List::size).sum();
        let docs: Vec<DocId> = lists.iter().map(List::doc).collect();
        let doc = first(&docs);
        Ok(Lists { lists, docs, rarity: word.rarity, presence: word.presence, doc, size })
    }

    /// The first document with the word from where the lists are.
    pub(crate) fn doc(&self) -> DocId {
        self.doc
    }

    /// Goes to the next document with the word.
    pub(crate) fn advance(&mut self) {
        for (doc, list) in self.docs.iter_mut().zip(&mut self.lists) {
            if *doc == self.doc {
                *doc = list.advance();
            }
        }
        self.doc = first(&self.docs);
    }

    /// Goes to a document, or to the first behind it with the word.
    pub(crate) fn seek(&mut self, target: DocId) {
        if self.doc >= target {
            return;
        }
        for (doc, list) in self.docs.iter_mut().zip(&mut self.lists) {
            if *doc < target {
                *doc = list.seek(target);
            }
        }
        self.doc = first(&self.docs);
    }

    /// The lists that have the document which is reached.
    fn here(&self) -> impl Iterator<Item = &List> {
        let here = self.lists.iter().zip(&self.docs).filter(|(_, doc)| **doc == self.doc);
        here.map(|(list, _)| list)
    }

    /// What the word counts in the document that the lists are at. `page` is [`Lengths::page`] of it.
    pub(crate) fn score(&self, lengths: &Lengths, page: f32) -> f32 {
        let sum = self.here().map(|list| list.weighed(self.doc, lengths, page)).sum();
        saturated(self.rarity, sum) + self.presence
    }

    /// The same without what the presence of the word counts, told by field.
    pub(crate) fn shares(&self, lengths: &Lengths, page: f32) -> Vec<(Part, f32)> {
        let mut shares: Vec<(Part, f32)> = Vec::new();
        for list in self.here() {
            let count = list.weighed(self.doc, lengths, page);
            match shares.iter_mut().find(|(known, _)| *known == list.part) {
                Some((_, sum)) => *sum += count,
                None => shares.push((list.part, count)),
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

fn first(docs: &[DocId]) -> DocId {
    docs.iter().copied().min().unwrap_or(TERMINATED)
}

/// What a count of occurrences is worth: the more there are, the less one more counts.
pub(crate) fn saturated(rarity: f32, count: f32) -> f32 {
    rarity * (K1 + 1.0) * count / (K1 + count)
}
