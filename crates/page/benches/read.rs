//! What does reading a page cost? Reads made-up articles again and again and tells megabytes and pages
//! per second of one thread. Run it on a quiet machine, and compare only figures of one run.
//!
//! `cargo xtask bench read`
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use lycosa_model::UrlId;
use lycosa_model::message::Parts;
use lycosa_page::{Input, Limits, Reading, read};
use std::fmt::Write;
use std::time::Instant;

/// Pages per round.
const PAGES: usize = 200;

/// Rounds; the best one counts, as the least disturbed.
const ROUNDS: usize = 5;

/// An article with navigation around it; pages differ by their number.
fn article(number: usize) -> String {
    let mut page = format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Notes {number}</title></head>\
         <body><nav>"
    );
    for link in 0..30 {
        let _ = write!(page, "<a href=\"/section/{link}\">Section {link}</a> ");
    }
    page.push_str("</nav><article><h1>Notes</h1>");
    for paragraph in 0..40 {
        let _ = write!(
            page,
            "<p>In year {number} the keeper of the lighthouse wrote about gulls, tides &amp; weather, \
             and about <a href=\"/note/{paragraph}?of={number}\">note {paragraph}</a>, which nobody \
             had read before the winter came.</p>"
        );
    }
    page.push_str("</article><footer>The end.</footer></body></html>");
    page
}

fn main() {
    let pages: Vec<String> = (0..PAGES).map(article).collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    for (name, limits) in [("pages", Limits::default()), ("all links", Limits::with_resources())] {
        let mut best = f64::INFINITY;
        let mut links = 0;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            links = pages.iter().map(|page| count_links(page, &limits)).sum();
            best = best.min(began.elapsed().as_secs_f64());
        }
        // Every page has the same 70 distinct links, or the bench measured something else.
        assert_eq!(links, PAGES * 70, "links found");
        println!(
            "{name}: {:.1} MB/s, {:.0} pages/s, {links} links",
            bytes as f64 / 1e6 / best,
            PAGES as f64 / best
        );
    }
}

fn count_links(page: &str, limits: &Limits) -> usize {
    let url = "http://bench.test/";
    // All that a crawl or an export may want; what only inspection asks for is no part of it.
    let parts = Parts { facts: false, ..Parts::ALL };
    match read(&Input::new(UrlId::of(url), url, page.as_bytes()).for_parts(parts), limits) {
        Reading::Document(document) => document.links.len(),
        Reading::NotText { .. } => 0,
    }
}
