//! `lycosa export graph`: the links between the pages of the index.

use super::Stop;
use crate::cli::{Export, LatticeForm};
use crate::failure::Failure;
use lycosa_interface::graph::{Column, Form, GraphWriter};
use lycosa_segments::{Segments, SegmentsError};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

const PAGES: &[Column] = &[("url", false), ("lang", false)];
const LINKS: &[Column] = &[("anchor", false)];

/// Writes it; tells how many pages it has. Links to pages that are not in the index are left out.
pub(super) fn write(data: &Path, args: &Export, out: &mut dyn Write) -> Result<u64, Stop> {
    let form = match args.format {
        LatticeForm::Gexf => Form::Gexf,
        _ => Form::GraphMl,
    };
    let failed = |error: SegmentsError| {
        let hint = error.hint();
        Failure::from(error).hint(hint)
    };
    let segments = Segments::open(data).map_err(failed)?;
    let searcher = segments.reader().map_err(failed)?.searcher();
    let mut graph = GraphWriter::begin(out, form, PAGES, LINKS)?;
    let mut known = HashSet::new();
    let mut written = Ok(());
    segments
        .for_each_linked(&searcher, |page| {
            if written.is_ok() && known.insert(page.tie) {
                let lang = page.lang.map(|lang| lang.to_string()).unwrap_or_default();
                written = graph.page(&name(page.tie), page.url, &[page.url, &lang]);
            }
        })
        .map_err(failed)?;
    written?;
    let mut written: io::Result<()> = Ok(());
    segments
        .for_each_linked(&searcher, |page| {
            let from = name(page.tie);
            for link in page.links().filter(|link| known.contains(&link.target)) {
                if written.is_ok() {
                    written = graph.link(&from, &name(link.target), &[link.anchor]);
                }
            }
        })
        .map_err(failed)?;
    written?;
    graph.end()?;
    Ok(known.len() as u64)
}

fn name(tie: u64) -> String {
    format!("{tie:016x}")
}
