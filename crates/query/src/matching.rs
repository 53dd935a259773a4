//! Which pages of a segment match? Every condition becomes a set of documents.

use crate::bits::Bits;
use crate::plan::{Plan, Want, Word};
use crate::sight::Sight;
use std::ops::Range;
use tantivy::query::{EnableScoring, PhraseQuery, Query};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocSet, SegmentReader, TERMINATED, Term};

/// The documents of one segment that match.
pub(crate) struct Matches {
    /// Those with everything that is asked for.
    pub(crate) every: Bits,
    /// Those with some of it, and with all that is required.
    pub(crate) any: Bits,
    /// The same, where a word that some languages drop is enough.
    pub(crate) half: Bits,
    /// How many would have everything if there were no filters.
    pub(crate) unfiltered: usize,
    /// How many of `every`, `any` and `half` were left out because their sites are blocked.
    pub(crate) blocked: [usize; 3],
}

/// Finds the pages of one segment that match a plan.
pub(crate) fn matches(
    plan: &Plan,
    sight: Sight<'_>,
    number: u32,
    segment: &SegmentReader,
) -> tantivy::Result<Matches> {
    let matcher = Matcher { words: &plan.words, sight, number, segment };
    let alive = matcher.alive();
    let mut filtered = alive.clone();
    for filter in &plan.filters {
        filtered.and(&matcher.bits(filter)?);
    }
    let (mut every, mut any) = (alive.clone(), filtered.clone());
    let mut some = Bits::none(segment.max_doc());
    let mut some_half = Bits::none(segment.max_doc());
    let required = plan.clauses.iter().any(|clause| clause.required);
    for clause in &plan.clauses {
        let mut bits = matcher.bits(&clause.want)?;
        if clause.required {
            any.and(&bits);
        } else {
            let some = if clause.excused.is_empty() { &mut some } else { &mut some_half };
            some.or(&bits);
        }
        if !clause.excused.is_empty() {
            bits.or(&matcher.terms(&clause.excused)?);
        }
        every.and(&bits);
    }
    // A page whose title is the question has every word of it, whatever language it was analysed in.
    let mut titled = matcher.titled()?;
    titled.and(&alive);
    every.or(&titled);
    let unfiltered = every.count();
    every.and(&filtered);
    // Without a word that all pages would have, what is required decides.
    let mut half = any.clone();
    if !plan.clauses.is_empty() && !required {
        any.and(&some);
        some_half.or(&some);
        half.and(&some_half);
    }
    titled.and(&filtered);
    any.or(&titled);
    half.or(&titled);
    // Blocked sites are left out last, so that it can be told how much that was.
    let blocked = match plan.preferred.blocked(number) {
        Some(blocked) => [&mut every, &mut any, &mut half].map(|bits| bits.take_out(blocked)),
        None => [0; 3],
    };
    Ok(Matches { every, any, half, unfiltered, blocked })
}

struct Matcher<'a> {
    words: &'a [Word],
    sight: Sight<'a>,
    number: u32,
    segment: &'a SegmentReader,
}

impl Matcher<'_> {
    fn none(&self) -> Bits {
        Bits::none(self.segment.max_doc())
    }

    fn alive(&self) -> Bits {
        let mut bits = Bits::all(self.segment.max_doc());
        if self.segment.has_deletes() {
            let deleted = |doc: &u32| self.segment.is_deleted(*doc);
            (0..self.segment.max_doc()).filter(deleted).for_each(|doc| bits.remove(doc));
        }
        bits
    }

    /// The documents whose whole title is the question, those that are deleted among them.
    fn titled(&self) -> tantivy::Result<Bits> {
        let mut bits = self.none();
        for title in self.words.iter().filter_map(|word| word.whole_title.as_ref()) {
            self.add(title, &mut bits)?;
        }
        Ok(bits)
    }

    fn bits(&self, want: &Want) -> tantivy::Result<Bits> {
        Ok(match want {
            Want::Word(word) => {
                let mut bits = self.none();
                let Some(word) = self.words.get(*word) else { return Ok(bits) };
                for part in word.parts {
                    let Some(field) = part.field(self.sight.fields) else {
                        let anchors = word.anchors_in(self.number);
                        anchors.flat_map(|pages| &**pages).for_each(|(doc, ..)| bits.add(*doc));
                        continue;
                    };
                    for form in &word.forms {
                        self.add(&Term::from_field_text(field, form), &mut bits)?;
                    }
                }
                bits
            }
            Want::Terms(terms) => self.terms(terms)?,
            Want::Sequence(fields, variants) => {
                let mut bits = self.none();
                for field in fields {
                    for forms in variants {
                        self.sequence(*field, forms, &mut bits)?;
                    }
                }
                bits
            }
            Want::Dates(range) => self.dates(range)?,
            Want::All(wants) => {
                let mut bits = Bits::all(self.segment.max_doc());
                for want in wants {
                    bits.and(&self.bits(want)?);
                }
                bits
            }
            Want::Any(wants) => {
                let mut bits = self.none();
                for want in wants {
                    bits.or(&self.bits(want)?);
                }
                bits
            }
            Want::Not(want) => {
                let mut bits = self.bits(want)?;
                bits.invert();
                bits
            }
        })
    }

    fn terms(&self, terms: &[Term]) -> tantivy::Result<Bits> {
        let mut bits = self.none();
        for term in terms {
            self.add(term, &mut bits)?;
        }
        Ok(bits)
    }

    fn add(&self, term: &Term, bits: &mut Bits) -> tantivy::Result<()> {
        add_documents(self.segment, term, bits)
    }

    fn sequence(
        &self,
        field: Field,
        forms: &[(usize, String)],
        bits: &mut Bits,
    ) -> tantivy::Result<()> {
        if let [(_, form)] = forms {
            return self.add(&Term::from_field_text(field, form), bits);
        }
        let terms = forms.iter().map(|(at, form)| (*at, Term::from_field_text(field, form)));
        let query = PhraseQuery::new_with_offset(terms.collect());
        let weight = query.weight(EnableScoring::disabled_from_searcher(self.sight.searcher))?;
        fill(weight.scorer(self.segment, 1.0)?, bits);
        Ok(())
    }

    fn dates(&self, range: &Range<u64>) -> tantivy::Result<Bits> {
        let mut bits = self.none();
        let name = self.segment.schema().get_field_name(self.sight.fields.date);
        let column = self.segment.fast_fields().u64(name)?;
        for doc in 0..self.segment.max_doc() {
            if column.first(doc).is_some_and(|date| range.contains(&date)) {
                bits.add(doc);
            }
        }
        Ok(bits)
    }
}

/// Adds the documents of a segment that have a term, those that are deleted among them.
pub(crate) fn add_documents(
    segment: &SegmentReader,
    term: &Term,
    bits: &mut Bits,
) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(term.field())?;
    if let Some(postings) = inverted.read_postings(term, IndexRecordOption::Basic)? {
        fill(postings, bits);
    }
    Ok(())
}

/// Adds every document that is left in a list.
fn fill(mut documents: impl DocSet, bits: &mut Bits) {
    let mut buffer = [0; COLLECT_BLOCK_BUFFER_LEN];
    while documents.doc() != TERMINATED {
        let count = documents.fill_buffer(&mut buffer);
        buffer[..count].iter().for_each(|doc| bits.add(*doc));
        if count < buffer.len() {
            break;
        }
    }
}
