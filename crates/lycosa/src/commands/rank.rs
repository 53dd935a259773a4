//! `lycosa rank`: who is linked to, and by which words?

use crate::cli::Common;
use crate::commands::search;
use crate::failure::{Ending, Failure};
use crate::output;
use std::time::Instant;

pub(crate) fn run(common: &Common) -> Result<Ending, Failure> {
    let began = Instant::now();
    // An index that is not there, or not ours, is told in the words of a search.
    let _index = search::open(&common.data())?;
    let report = lycosa_indexer::find_standing(&common.data())?;
    let seconds = began.elapsed().as_secs_f64();
    if common.json {
        output::json(&serde_json::json!({
            "pages": report.pages,
            "sites": report.sites,
            "links": report.links,
            "linked": report.linked,
            "words": report.words,
            "seconds": seconds,
        }))?;
    } else {
        let counted = |count: usize, what: &str| output::counted(count as u64, what);
        output::line(format!(
            "{} on {}, {} between them; {} linked to, by {} ({seconds:.1} s)",
            counted(report.pages, "page"),
            counted(report.sites, "site"),
            counted(report.links, "link"),
            report.linked,
            counted(report.words, "different word"),
        ));
    }
    Ok(if report.pages == 0 { Ending::Partial } else { Ending::Done })
}
