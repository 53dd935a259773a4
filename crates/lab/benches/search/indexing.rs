//! How quickly do texts get into the index?

use crate::Failure;
use crate::peer::Peer;
use lycosa_knowledge::analysis::words;
use lycosa_lab::studies::cpu;
use lycosa_model::message::Entry;
use lycosa_query::Searcher;
use lycosa_segments::{CommitNote, Segments, WriterSettings};
use std::collections::BTreeSet;
use std::path::Path;

/// Words whose pages are counted in both indexes.
const PROBES: usize = 200;
/// Share of them that must stand in as many pages by both.
const AGREEING: f64 = 0.95;

/// CPU-seconds of all threads that some work takes.
fn seconds(work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let began = cpu::of_process();
    work()?;
    Ok((cpu::of_process() - began).as_secs_f64())
}

/// Takes all pages into our index and commits.
pub(crate) fn ours(data: &Path, pages: Vec<Entry>) -> Result<(), Failure> {
    let mut writer = Segments::create_or_open(data)?.writer(WriterSettings::default())?;
    for page in pages {
        writer.put(page)?;
    }
    writer.commit(&CommitNote::new(Default::default()))?;
    Ok(())
}

pub(crate) fn run(pages: &[Entry], rounds: usize) -> Result<(), Failure> {
    let bytes: usize = pages.iter().map(|page| page.document.text.len()).sum();
    let size = bytes as f64 / 1e6;
    println!("indexing {} pages, {size:.1} MB of visible text", pages.len());
    let mut best = [f64::INFINITY; 3];
    for round in 0..rounds {
        let folders = [tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?];
        let copies = pages.to_vec();
        let lycosa = seconds(|| ours(folders[0].path(), copies))?;
        let peer = Peer::create(folders[1].path(), pages, true)?;
        let tantivy = seconds(|| Ok(peer.fill(pages)?))?;
        let bare = Peer::create(folders[2].path(), pages, false)?;
        let without = seconds(|| Ok(bare.fill(pages)?))?;
        if round == 0 {
            gate(folders[0].path(), &peer, pages)?;
        }
        for (best, time) in best.iter_mut().zip([lycosa, tantivy, without]) {
            *best = best.min(time);
        }
        println!(
            "  round {}: lycosa {lycosa:.2}, tantivy {tantivy:.2}, without lexicon {without:.2} CPU-s",
            round + 1
        );
    }
    let [lycosa, tantivy, without] = best;
    println!("best of {rounds}, MB of text per CPU-second:");
    println!("  lycosa                     {:7.2}", size / lycosa);
    println!(
        "  tantivy, the same fields   {:7.2}  lycosa has {:.2} of it",
        size / tantivy,
        tantivy / lycosa
    );
    println!(
        "  tantivy without a lexicon  {:7.2}  lycosa has {:.2} of it",
        size / without,
        without / lycosa
    );
    Ok(())
}

/// Both hold all pages, and words stand in as many of them.
fn gate(data: &Path, peer: &Peer, pages: &[Entry]) -> Result<(), Failure> {
    let (ours, theirs) = (Searcher::open(data)?, peer.searcher()?);
    let distinct: BTreeSet<_> = pages.iter().map(|page| page.document.url_id).collect();
    let counts = [ours.documents()?, theirs.num_docs()];
    if counts != [distinct.len() as u64; 2] {
        return Err(format!("gate: {} pages, but {counts:?} in the indexes", distinct.len()).into());
    }
    let step = (pages.len() / PROBES).max(1);
    let is_plain = |word: &&str| {
        (5..=12).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase())
    };
    let probes: BTreeSet<String> = pages
        .iter()
        .step_by(step)
        .filter_map(|page| words(&page.document.text).filter(is_plain).nth(7).map(str::to_owned))
        .collect();
    let probes: Vec<String> = probes.into_iter().collect();
    let mut agreeing = 0;
    for (row, word) in ours.lexicon(&probes)?.iter().zip(&probes) {
        let (here, there) = (row.documents, peer.pages_with(&theirs, word)?);
        agreeing += usize::from(here.abs_diff(there) * 100 <= here.max(there));
    }
    println!(
        "gate: {} pages in both; {agreeing} of {} words stand in as many pages, within 1 %",
        counts[0],
        probes.len()
    );
    match (agreeing as f64) < AGREEING * probes.len() as f64 {
        true => Err("gate: the indexes do not hold the same words".into()),
        false => Ok(()),
    }
}
