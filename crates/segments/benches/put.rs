//! What does it cost to read a page and to put it into the index? Reads the HTML of some folders, puts
//! every page into an index, and tells the CPU time of both, of all threads. Compare only figures of one
//! run.
//!
//! `cargo xtask bench put -- DIR...`
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot read its folder has nothing to measure"
)]

use lycosa_model::message::{Entry, Parts};
use lycosa_model::{Document, Tick, UrlId};
use lycosa_page::{Input, Limits, Reading, read};
use lycosa_segments::{CommitNote, Segments, WriterSettings};
use std::path::Path;

/// Rounds; the best one counts, as the least disturbed.
const ROUNDS: usize = 3;

fn collect(folder: &Path, pages: &mut Vec<(String, Vec<u8>)>) {
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.is_dir() {
            collect(&file, pages);
        } else if file.extension().is_some_and(|ext| ext == "html") {
            pages.push((
                format!("http://bench.test{}", file.display()),
                std::fs::read(&file).unwrap(),
            ));
        }
    }
}

fn parse(url: &str, body: &[u8]) -> Option<Document> {
    // As a crawl reads it.
    let input = Input::new(UrlId::of(url), url, body).for_parts(Parts::INDEX);
    match read(&input, &Limits::default()) {
        Reading::Document(document) => Some(*document),
        Reading::NotText { .. } => None,
    }
}

/// CPU-seconds of this process so far, in hundredths.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The name, which may hold anything, ends with the last parenthesis.
    let fields = stat.rsplit_once(") ").unwrap().1.split(' ').skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

fn main() {
    let mut pages = Vec::new();
    for folder in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")) {
        collect(Path::new(&folder), &mut pages);
    }
    pages.sort();
    let bytes: usize = pages.iter().map(|(_, body)| body.len()).sum();
    let mut best = [f64::INFINITY; 2];
    let mut documents = 0;
    for _ in 0..ROUNDS {
        let began = cpu();
        let read: Vec<Document> = pages.iter().filter_map(|(url, body)| parse(url, body)).collect();
        let between = cpu();
        let data = tempfile::tempdir().unwrap();
        let segments = Segments::create_or_open(data.path()).unwrap();
        let mut writer = segments.writer(WriterSettings::default()).unwrap();
        documents = read.len() as u64;
        for document in read {
            let entry = Entry { document, agent: String::new(), fetched: Tick(0), id: None };
            writer.put(entry).unwrap();
        }
        let note = CommitNote::new([].into());
        assert_eq!(writer.commit(&note).unwrap(), documents, "pages in the index");
        for (best, time) in best.iter_mut().zip([between - began, cpu() - between]) {
            *best = best.min(time);
        }
    }
    let [reading, putting] = best.map(|seconds| seconds * 1e6 / documents.max(1) as f64);
    let size = bytes as f64 / 1e6;
    println!(
        "{documents} pages, {size:.1} MB; microseconds a page: read {reading:.0}, put {putting:.0}"
    );
}
