//! Are the pages of a real web left alone by the rules against traps?

use flate2::read::MultiGzDecoder;
use lycosa_frontier::normal::parse;
use lycosa_frontier::traps::{SiteCounters, TrapRule, without_session};
use lycosa_model::Tick;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The middle of 2025.
const NOW: Tick = Tick(1_750_000_000_000);

/// A table of the shared web; `None`, and a line that says so, where it is not.
#[allow(clippy::print_stderr, reason = "the runner of the tests collects these lines")]
fn table(name: &str) -> Option<String> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/web")).join(name);
    let Ok(file) = File::open(path) else {
        eprintln!("skipped: ../shared/web/{name} is not here");
        return None;
    };
    let mut text = String::new();
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    Some(text)
}

#[test]
#[allow(clippy::print_stderr, reason = "whoever changes a rule wants to see what it costs")]
fn real_pages_are_not_refused_in_whatever_order_links_lead_to_them() {
    let (Some(pages), Some(links)) = (table("pages.tsv.gz"), table("links.tsv.gz")) else { return };
    let urls: Vec<&str> = pages.lines().skip(1).filter_map(|row| row.split('\t').nth(1)).collect();
    assert!(urls.len() > 20_000, "the whole web is there");
    let linked = links.lines().filter(|row| !row.starts_with('#')).filter_map(|row| {
        let (_, targets) = row.split_once('\t')?;
        Some(targets.split(',').filter_map(|target| target.parse::<usize>().ok()))
    });
    let order: Vec<usize> = linked.flatten().chain(0..urls.len()).collect();
    let rule = TrapRule::default();
    let mut sites: HashMap<_, SiteCounters> = HashMap::new();
    let mut asked = vec![false; urls.len()];
    let mut refused = Vec::new();
    for id in order {
        if std::mem::replace(&mut asked[id], true) {
            continue;
        }
        let address = parse(urls[id]).expect("a real address");
        assert_eq!(without_session(&address), None, "{}", urls[id]);
        let counters = sites.entry(address.site.clone()).or_default();
        if let Err(trap) = rule.verdict(&address, counters, NOW) {
            eprintln!("{}: {}", trap.name(), urls[id]);
            refused.push(urls[id]);
        }
    }
    assert!(refused.len() * 1000 < urls.len(), "{} of {} refused", refused.len(), urls.len());
}
