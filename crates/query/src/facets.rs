//! How do the pages that match divide by site, language and year?
//!
//! What is counted is what a filter finds: a site with the hosts below it, a page under each language that
//! some of it is in.

use crate::bits::Bits;
use crate::sight::Sight;
use lycosa_model::{FacetRow, Facets, Lang};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, SegmentReader, TERMINATED, Term};

/// Rows of one facet.
const MAX_ROWS: usize = 10;
/// Sites that are counted, those with most pages of their own.
const MAX_SITES: usize = 50;
/// Languages that are counted; there are fewer than two hundred.
const MAX_LANGUAGES: usize = 256;
/// When fewer pages match than a so-manieth of a list, they are looked up in it one by one.
const FEW: usize = 16;
/// The last year that a filter can name the end of.
const LAST_YEAR: u16 = 9_998;

/// Counts the pages that match, `matching` by segment. Languages are counted among `in_any_language`, and only
/// where `is_asked` says that a filter on one leaves the question as it is.
pub(crate) fn facets(
    sight: Sight<'_>,
    matching: &[Bits],
    in_any_language: &[Bits],
    is_asked: impl Fn(Lang) -> bool,
) -> tantivy::Result<Facets> {
    let (sites, years) = origins(sight, matching);
    Ok(Facets {
        counted: matching.iter().map(Bits::count).sum(),
        sites: site_rows(sight, &sites),
        languages: language_rows(sight, in_any_language, is_asked)?,
        years: year_rows(years),
    })
}

/// How many of the pages are of each site, by its number, and of each year.
fn origins(sight: Sight<'_>, matching: &[Bits]) -> (Vec<usize>, BTreeMap<u16, usize>) {
    let mut sites = vec![0; sight.known.sites().read().len()];
    let mut years: BTreeMap<u16, usize> = BTreeMap::new();
    for ((_, segment), bits) in sight.segments().zip(matching) {
        let Some(joined) = sight.known.of(segment) else { continue };
        // Pages of a crawl are mostly of one year: it is looked up when it changes.
        let (mut last, mut pages) = (0, 0);
        for doc in bits.iter() {
            let (site, year) = joined.origin(doc);
            if let Some(sum) = sites.get_mut(site as usize) {
                *sum += 1;
            }
            if year != last {
                *years.entry(last).or_default() += std::mem::take(&mut pages);
                last = year;
            }
            pages += 1;
        }
        *years.entry(last).or_default() += pages;
    }
    (sites, years)
}

/// The sites with most pages, from how many pages are of each.
fn site_rows(sight: Sight<'_>, own: &[usize]) -> Vec<FacetRow> {
    let names = sight.known.sites().read();
    let mut with_below = vec![0; own.len()];
    let mut found = Vec::new();
    for (site, pages) in (0_u32..).zip(own).filter(|(_, pages)| **pages > 0) {
        found.push((Reverse(*pages), site));
        for site in names.found_by(site) {
            if let Some(sum) = with_below.get_mut(site as usize) {
                *sum += pages;
            }
        }
    }
    if found.len() > MAX_SITES {
        let key = |(pages, site): &(Reverse<usize>, u32)| (*pages, names.name(*site));
        found.select_nth_unstable_by(MAX_SITES, |a, b| key(a).cmp(&key(b)));
        found.truncate(MAX_SITES);
    }
    let row = |site: u32| FacetRow {
        value: names.name(site).to_owned(),
        pages: with_below.get(site as usize).copied().unwrap_or_default(),
    };
    most(found.into_iter().map(|(_, site)| row(site)).collect())
}

/// The languages with most pages.
fn language_rows(
    sight: Sight<'_>,
    pages: &[Bits],
    is_asked: impl Fn(Lang) -> bool,
) -> tantivy::Result<Vec<FacetRow>> {
    let counts: Vec<usize> = pages.iter().map(Bits::count).collect();
    let mut rows = Vec::new();
    for value in languages(sight, is_asked)? {
        let term = Term::from_field_text(sight.fields.lang, &value);
        let mut sum = 0;
        for ((_, segment), (bits, count)) in sight.segments().zip(pages.iter().zip(&counts)) {
            sum += with_term(segment, &term, bits, *count)?;
        }
        if sum > 0 {
            rows.push(FacetRow { value, pages: sum });
        }
    }
    Ok(most(rows))
}

/// The rows with most pages.
fn most(mut rows: Vec<FacetRow>) -> Vec<FacetRow> {
    rows.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.value.cmp(&b.value)));
    rows.truncate(MAX_ROWS);
    rows
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

/// The last years.
fn year_rows(years: BTreeMap<u16, usize>) -> Vec<FacetRow> {
    let rows = years.into_iter().rev();
    let rows = rows.filter(|(year, pages)| (1..=LAST_YEAR).contains(year) && *pages > 0);
    let rows = rows.map(|(year, pages)| FacetRow { value: format!("{year:04}"), pages });
    rows.take(MAX_ROWS).collect()
}
