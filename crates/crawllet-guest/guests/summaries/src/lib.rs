//! What do the pages of a site say, in a few bytes each?
//!
//! A page comes as a summary: title, visible text up to a limit, the language that it claims, its most
//! frequent words and a fingerprint. The record names all its links with their words. The digest is
//! still that of the page, so the engine can tell later whether it changed. Other files and errors are
//! told as links alone, without their bodies.
//!
//! Parameters, all of which may be missing: `{1: longest text in bytes}`.

mod words;

use crawllet_sdk::cbor::{Malformed, Reader, Writer};
use crawllet_sdk::{Crawllet, Take, Visit, Wants};

/// Longest text, unless the job says otherwise.
const TEXT: usize = 16 << 10;
/// Longest text that a job may ask for.
const MAX_TEXT: u64 = 1 << 20;
/// Words that are counted in a summary.
const TERMS: usize = 64;

/// The guest, and how long a text may be.
#[derive(Debug)]
pub struct Summaries {
    most: usize,
}

impl Default for Summaries {
    fn default() -> Summaries {
        Summaries { most: TEXT }
    }
}

/// The summary of a page, as CBOR: `{1: title, 2: text, 3: language, 4: simhash, 5: [[term, count], ...],
/// 6: description, 7: what meta robots says}`.
fn summary(visit: &Visit<'_>, page: &crawllet_sdk::html::Page, most: usize) -> Vec<u8> {
    let header = visit.meta.header("content-language").unwrap_or("");
    let language = if page.language.is_empty() { header } else { &page.language };
    let told = words::of(&page.title, &page.text, TERMS);
    let mut end = page.text.len().min(most);
    while !page.text.is_char_boundary(end) {
        end -= 1;
    }
    let mut writer = Writer::new();
    writer.map(7).uint(1).text(&page.title).uint(2).text(&page.text[..end]);
    writer.uint(3).text(language).uint(4).uint(told.simhash).uint(5).array(told.terms.len());
    for (term, count) in &told.terms {
        writer.array(2).text(term).uint(u64::from(*count));
    }
    writer.uint(6).text(&page.description).uint(7).text(&page.robots_meta);
    writer.finish()
}

impl Crawllet for Summaries {
    fn start(&mut self, params: &[u8]) -> Result<(), Malformed> {
        if params.is_empty() {
            return Ok(());
        }
        Reader::new(params).map(|key, reader| {
            match key {
                1 => self.most = reader.uint()?.min(MAX_TEXT) as usize,
                _ => reader.skip()?,
            }
            Ok(())
        })
    }

    fn wants(&self) -> Wants {
        Wants { anchors: true, text: true, resources: false }
    }

    fn take(&mut self, visit: &Visit<'_>) -> Take {
        match (visit.meta.status, visit.page) {
            (404 | 410, _) => Take::Gone,
            (200, Some(page)) => Take::Instead(summary(visit, page, self.most)),
            _ => Take::LinkOnly,
        }
    }
}

/// Crawls.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn clp_run() -> i32 {
    crawllet_sdk::run(&mut Summaries::default())
}

#[cfg(test)]
mod tests;
