//! How do the pages that match divide by site, language and year?
//!
//! What is counted is what a filter finds: a site with the hosts below it, a page under each language that
//! some of it is in. So each row is counted by the list of the filter itself, and columns only tell which rows
//! are worth it.

use crate::bits::Bits;
use crate::date::{year_begins, year_of};
use crate::sight::Sight;
use hashbrown::HashMap;
use lycosa_model::{FacetRow, Facets, Lang};
use lycosa_segments::site_filter;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tantivy::columnar::StrColumn;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, SegmentReader, TERMINATED, Term};

/// Rows of one facet.
const MAX_ROWS: usize = 10;
/// Sites that are counted, those with most pages of their own.
const MAX_SITES: usize = 50;
/// Sites of one segment whose names are read, the most frequent ones.
const MAX_NAMES: usize = 10_000;
/// Languages that are counted; there are fewer than two hundred.
const MAX_LANGUAGES: usize = 256;
/// When fewer pages match than a so-manieth of a list, they are looked up in it one by one.
const FEW: usize = 16;
/// The last year that a filter can name the end of.
const LAST_YEAR: u32 = 9_998;

/// Counts the pages that match, `matching` by segment. Languages are counted among `in_any_language`, and only
/// where `is_asked` says that a filter on one leaves the question as it is.
pub(crate) fn facets(
    sight: Sight<'_>,
    matching: &[Bits],
    in_any_language: &[Bits],
    is_asked: impl Fn(Lang) -> bool,
) -> tantivy::Result<Facets> {
    let languages = languages(sight, is_asked)?;
    Ok(Facets {
        counted: matching.iter().map(Bits::count).sum(),
        sites: rows(sight, sight.fields.site, sites(sight, matching)?, matching)?,
        languages: rows(sight, sight.fields.lang, languages, in_any_language)?,
        years: years(sight, matching)?,
    })
}

/// The values with most pages, each with how many of these pages have it.
fn rows(
    sight: Sight<'_>,
    field: Field,
    values: impl IntoIterator<Item = String>,
    pages: &[Bits],
) -> tantivy::Result<Vec<FacetRow>> {
    let counts: Vec<usize> = pages.iter().map(Bits::count).collect();
    let mut rows = Vec::new();
    for value in values {
        let term = Term::from_field_text(field, &value);
        let mut sum = 0;
        for ((_, segment), (bits, count)) in sight.segments().zip(pages.iter().zip(&counts)) {
            sum += with_term(segment, &term, bits, *count)?;
        }
        if sum > 0 {
            rows.push(FacetRow { value, pages: sum });
        }
    }
    rows.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.value.cmp(&b.value)));
    rows.truncate(MAX_ROWS);
    Ok(rows)
}

/// How many of the documents in `bits`, of which there are `count`, have a term.
fn with_term(
    segment: &SegmentReader,
    term: &Term,
    bits: &Bits,
    count: usize,
) -> tantivy::Result<usize> {
    let inverted = segment.inverted_index(term.field())?;
    let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? else {
        return Ok(0);
    };
    let mut found = 0;
    if count * FEW < postings.doc_freq() as usize {
        for doc in bits.iter() {
            if postings.doc() < doc {
                postings.seek(doc);
            }
            found += usize::from(postings.doc() == doc);
        }
    } else {
        while postings.doc() != TERMINATED {
            found += usize::from(bits.has(postings.doc()));
            postings.advance();
        }
    }
    Ok(found)
}

/// The sites with most pages that match, as filters name them.
fn sites(sight: Sight<'_>, matching: &[Bits]) -> tantivy::Result<BTreeSet<String>> {
    let mut sums: HashMap<String, usize> = HashMap::new();
    for ((_, segment), bits) in sight.segments().zip(matching) {
        let name = segment.schema().get_field_name(sight.fields.host);
        let Some(column): Option<StrColumn> = segment.fast_fields().str(name)? else { continue };
        let mut counts = vec![0_usize; column.num_terms()];
        for number in bits.iter().filter_map(|doc| column.ords().first(doc)) {
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        }
        let mut counts: Vec<(u64, usize)> = (0..).zip(counts).filter(|(_, n)| *n > 0).collect();
        if counts.len() > MAX_NAMES {
            counts.select_nth_unstable_by_key(MAX_NAMES, |(number, n)| (Reverse(*n), *number));
            counts.truncate(MAX_NAMES);
        }
        if let Some(names) = sight.known.of(segment).and_then(|joined| joined.sites()) {
            for (number, pages) in counts {
                if let Some(Some(site)) = names.get(number as usize) {
                    *sums.entry_ref(&**site).or_default() += pages;
                }
            }
            continue;
        }
        let mut name = String::new();
        for (number, pages) in counts {
            if column.ord_to_str(number, &mut name)?
                && let Some(site) = site_filter(&name)
            {
                *sums.entry(site).or_default() += pages;
            }
        }
    }
    let mut sums: Vec<(String, usize)> = sums.into_iter().collect();
    sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(sums.into_iter().take(MAX_SITES).map(|(site, _)| site).collect())
}

/// The languages of the index that can be asked for.
fn languages(
    sight: Sight<'_>,
    is_asked: impl Fn(Lang) -> bool,
) -> tantivy::Result<BTreeSet<String>> {
    let mut codes = BTreeSet::new();
    for (_, segment) in sight.segments() {
        let inverted = segment.inverted_index(sight.fields.lang)?;
        let mut stream = inverted.terms().stream()?;
        while codes.len() < MAX_LANGUAGES && stream.advance() {
            let lang = std::str::from_utf8(stream.key()).ok().and_then(Lang::parse);
            codes.extend(lang.filter(|lang| is_asked(*lang)).map(|lang| lang.to_string()));
        }
    }
    Ok(codes)
}

/// The last years of the pages that match.
fn years(sight: Sight<'_>, matching: &[Bits]) -> tantivy::Result<Vec<FacetRow>> {
    let mut years: BTreeMap<u32, usize> = BTreeMap::new();
    for ((_, segment), bits) in sight.segments().zip(matching) {
        let name = segment.schema().get_field_name(sight.fields.date);
        let column = segment.fast_fields().u64(name)?;
        // Pages of a crawl are mostly of one year: it is looked up when it changes.
        let (mut year, mut span, mut pages) = (0, 0..0, 0);
        for date in bits.iter().filter_map(|doc| column.first(doc)) {
            if !span.contains(&date) {
                *years.entry(year).or_default() += std::mem::take(&mut pages);
                year = year_of(date);
                span = year_begins(year)..year_begins(year + 1);
            }
            pages += 1;
        }
        *years.entry(year).or_default() += pages;
    }
    let rows = years.into_iter().rev().filter(|(year, pages)| *year <= LAST_YEAR && *pages > 0);
    let rows = rows.map(|(year, pages)| FacetRow { value: format!("{year:04}"), pages });
    Ok(rows.take(MAX_ROWS).collect())
}
