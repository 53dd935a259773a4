//! Do the words of the question stand together in the page?
//!
//! Looked at for the best pages only, because places of words are costly to read. Of each two neighbours
//! in the question it is counted how close they come, and how often one follows the other as it does in the
//! question; both saturate and weigh as the commoner of the two words.

use crate::bm25f::{Lengths, Part, saturated};
use crate::plan::{Plan, Word};
use crate::sight::Sight;
use lycosa_segments::Fields;
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, SegmentReader, TERMINATED, Term};

/// What two words that are near each other count, beside a word alone.
const NEAR: f32 = 0.3;
/// What two words that follow each other as in the question count more.
const SEQUENCE: f32 = 0.2;
/// Words between which two are near at all.
const WINDOW: u32 = 8;
/// Words of a question whose neighbours are looked at.
const MAX_WORDS: usize = 16;
/// Places of a word in one field that are looked at.
const MAX_PLACES: usize = 1_000;

/// What nearness adds to the score of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Nearness {
    /// For words that are close to each other.
    pub(crate) near: f32,
    /// For words that follow each other as in the question.
    pub(crate) sequence: f32,
}

/// The nearness of the words in each of these pages, in the order they are given in.
pub(crate) fn nearness(
    plan: &Plan,
    sight: Sight<'_>,
    pages: &[DocAddress],
) -> tantivy::Result<Vec<Nearness>> {
    let mut all = vec![Nearness::default(); pages.len()];
    let words: Vec<&Word> =
        plan.words.iter().filter(|word| word.parts.contains(&Part::Body)).take(MAX_WORDS).collect();
    if words.len() < 2 {
        return Ok(all);
    }
    let fields = sight.fields;
    for (number, segment) in sight.segments() {
        let mut here: Vec<usize> =
            (0..pages.len()).filter(|place| pages[*place].segment_ord == number).collect();
        if here.is_empty() {
            continue;
        }
        here.sort_by_key(|place| pages[*place].doc_id);
        let lengths = Lengths::of(segment, fields, sight.average)?;
        let mut readers = Vec::new();
        for word in &words {
            readers.push(Places::of(word, segment, fields)?);
        }
        for place in here {
            let doc = pages[place].doc_id;
            let lengths = [lengths.title(doc), lengths.page(doc)];
            all[place] = of_page(&words, &mut readers, doc, lengths);
        }
    }
    Ok(all)
}

fn of_page(words: &[&Word], readers: &mut [Places], doc: u32, lengths: [f32; 2]) -> Nearness {
    for reader in readers.iter_mut() {
        reader.read(doc);
    }
    let mut sum = Nearness::default();
    for (pair, reader) in words.windows(2).zip(readers.windows(2)) {
        let ([a, b], [first, second]) = (pair, reader) else { continue };
        let apart = b.at.saturating_sub(a.at).max(1) as u32;
        let rarity = a.rarity.min(b.rarity);
        let (mut near, mut sequence) = (0.0, 0.0);
        for (field, weight) in
            [Part::Title.weight() / lengths[0], 1.0 / lengths[1]].into_iter().enumerate()
        {
            let (close, follow) = count(&first.places[field], &second.places[field], apart);
            near += weight * close;
            sequence += weight * follow;
        }
        sum.near += NEAR * saturated(rarity, near);
        sum.sequence += SEQUENCE * saturated(rarity, sequence);
    }
    sum
}

/// How close two words come, and how often the second follows the first at the distance `apart`. Each
/// place of the first counts with the nearest of the second.
fn count(first: &[u32], second: &[u32], apart: u32) -> (f32, f32) {
    let (mut close, mut follow) = (0.0, 0.0);
    for place in first {
        let next = second.partition_point(|other| other < place);
        let neighbours = [next.checked_sub(1), Some(next)];
        let nearest = neighbours
            .iter()
            .flatten()
            .filter_map(|i| second.get(*i))
            .map(|other| other.abs_diff(*place))
            .filter(|distance| *distance > 0)
            .min();
        if let Some(distance) = nearest.filter(|distance| *distance <= WINDOW) {
            close += 1.0 / (distance * distance) as f32;
        }
        if second.binary_search(&(place + apart)).is_ok() {
            follow += 1.0;
        }
    }
    (close, follow)
}

/// Where a word stands in the pages of a segment.
struct Places {
    /// Lists in title (0) and text (1).
    lists: Vec<(usize, tantivy::postings::SegmentPostings)>,
    /// The places in the present page.
    places: [Vec<u32>; 2],
    buffer: Vec<u32>,
}

impl Places {
    fn of(word: &Word, segment: &SegmentReader, fields: &Fields) -> tantivy::Result<Places> {
        let mut lists = Vec::new();
        for (number, field) in [fields.title, fields.body].into_iter().enumerate() {
            let inverted = segment.inverted_index(field)?;
            for form in &word.forms {
                let term = Term::from_field_text(field, form);
                let postings =
                    inverted.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?;
                lists.extend(postings.map(|postings| (number, postings)));
            }
        }
        Ok(Places { lists, places: Default::default(), buffer: Vec::new() })
    }

    /// Reads the places in a document; documents come in rising order.
    fn read(&mut self, doc: u32) {
        self.places.iter_mut().for_each(Vec::clear);
        for (field, list) in &mut self.lists {
            if list.doc() < doc && list.seek(doc) == TERMINATED {
                continue;
            }
            if list.doc() == doc {
                list.positions(&mut self.buffer);
                self.places[*field].extend(self.buffer.iter().take(MAX_PLACES));
            }
        }
        self.places.iter_mut().for_each(|places| places.sort_unstable());
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn the_nearest_counts_and_the_order_counts_apart() {
        assert_eq!(count(&[5], &[6], 1), (1.0, 1.0));
        assert_eq!(count(&[6], &[5], 1), (1.0, 0.0), "the other way round");
        assert_eq!(count(&[5], &[7, 40], 2), (0.25, 1.0), "a stop word between");
        assert_eq!(count(&[5], &[14], 1), (0.0, 0.0), "too far");
        assert_eq!(count(&[1, 10], &[2, 11], 1), (2.0, 2.0));
        assert_eq!(count(&[3], &[3], 1), (0.0, 0.0), "one word is not near itself");
        assert_eq!(count(&[], &[3], 1), (0.0, 0.0));
    }
}
