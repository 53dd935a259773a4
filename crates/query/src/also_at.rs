//! Where else does a result stand? At its near-duplicates that were found with it, and at those that the
//! crawl left out of the index because of it.

use lycosa_model::UrlId;
use lycosa_segments::{Copies, Segments, SegmentsError};
use tantivy::{DocAddress, Searcher};

/// Other addresses that are named in one result.
const MAX_ALSO_AT: usize = 10;

/// What is known of copies by now, from what was known before. The search goes on without them if they
/// cannot be read.
pub(crate) fn known_copies(segments: &Segments, before: Option<Copies>) -> Option<Copies> {
    let known = match before {
        Some(copies) => copies.reload().map(|()| Some(copies)),
        None => segments.copies(),
    };
    known.unwrap_or_default()
}

/// The other addresses of a page that was found with these near-duplicates.
pub(crate) fn also_at(
    page: UrlId,
    others: &[DocAddress],
    segments: &Segments,
    searcher: &Searcher,
    copies: Option<&Copies>,
) -> Result<Vec<String>, SegmentsError> {
    let mut urls = Vec::new();
    let mut stand_for = vec![page];
    for other in others.iter().take(MAX_ALSO_AT) {
        if let Some(document) = segments.document(searcher, *other)? {
            stand_for.push(document.url_id);
            urls.push(document.url);
        }
    }
    let Some(copies) = copies else { return Ok(urls) };
    let mut at = 0;
    while let Some(id) = stand_for.get(at).copied().filter(|_| urls.len() < MAX_ALSO_AT) {
        at += 1;
        for (copy, url) in copies.of(id).unwrap_or_default() {
            // What came back since is a result of its own.
            if urls.len() < MAX_ALSO_AT
                && !stand_for.contains(&copy)
                && !segments.has(searcher, copy)?
            {
                urls.push(url);
                // It may have stood for others itself, before.
                stand_for.push(copy);
            }
        }
    }
    Ok(urls)
}
