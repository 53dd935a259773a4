//! How do the pages that match divide by site, language and year?

use crate::bits::Bits;
use crate::date::{year_begins, year_of};
use lycosa_model::{FacetRow, Facets};
use lycosa_segments::{Fields, UNKNOWN_LANGUAGE};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use tantivy::columnar::StrColumn;
use tantivy::{Searcher, SegmentReader};

/// Rows of one facet.
const MAX_ROWS: usize = 10;
/// Values of one segment whose names are read, the most frequent ones.
const MAX_NAMES: usize = 50;
/// Pages of one question that are counted.
const MAX_COUNTED: usize = 200_000;

/// Counts the pages that match, `matching` by segment.
pub(crate) fn facets(
    searcher: &Searcher,
    fields: &Fields,
    matching: &[Bits],
) -> tantivy::Result<Facets> {
    let name = |field| searcher.schema().get_field_name(field);
    let (host, lang, date) = (name(fields.host), name(fields.main_lang), name(fields.date));
    let (mut sites, mut languages) = (BTreeMap::new(), BTreeMap::new());
    let mut years: BTreeMap<u32, usize> = BTreeMap::new();
    let mut counted = 0;
    for (segment, bits) in searcher.segment_readers().iter().zip(matching) {
        let left = MAX_COUNTED - counted;
        names(segment, host, bits, left, &mut sites)?;
        names(segment, lang, bits, left, &mut languages)?;
        let column = segment.fast_fields().u64(date)?;
        // Pages of a crawl are mostly of one year: it is looked up when it changes.
        let (mut year, mut span) = (0, 0..0);
        for doc in bits.iter().take(left) {
            counted += 1;
            let Some(date) = column.first(doc) else { continue };
            if !span.contains(&date) {
                year = year_of(date);
                span = year_begins(year)..year_begins(year + 1);
            }
            *years.entry(year).or_default() += 1;
        }
    }
    languages.remove(UNKNOWN_LANGUAGE);
    let years = years.into_iter().rev().take(MAX_ROWS);
    let years = years.map(|(year, pages)| FacetRow { value: format!("{year:04}"), pages });
    Ok(Facets { counted, sites: rows(sites), languages: rows(languages), years: years.collect() })
}

/// Adds how often each text of a column comes.
fn names(
    segment: &SegmentReader,
    field: &str,
    bits: &Bits,
    most: usize,
    sum: &mut BTreeMap<String, usize>,
) -> tantivy::Result<()> {
    let Some(column): Option<StrColumn> = segment.fast_fields().str(field)? else {
        return Ok(());
    };
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for doc in bits.iter().take(most) {
        if let Some(number) = column.ords().first(doc) {
            *counts.entry(number).or_default() += 1;
        }
    }
    let mut counts: Vec<(u64, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(number, pages)| (Reverse(*pages), *number));
    for (number, pages) in counts.into_iter().take(MAX_NAMES) {
        let mut name = String::new();
        if column.ord_to_str(number, &mut name)? {
            *sum.entry(name).or_default() += pages;
        }
    }
    Ok(())
}

fn rows(counts: BTreeMap<String, usize>) -> Vec<FacetRow> {
    let mut rows: Vec<FacetRow> =
        counts.into_iter().map(|(value, pages)| FacetRow { value, pages }).collect();
    rows.sort_by_key(|row| Reverse(row.pages));
    rows.truncate(MAX_ROWS);
    rows
}
