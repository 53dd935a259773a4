//! `lycosa status`: how the crawl is, running or not.

use crate::cli::Common;
use crate::commands::crawl::describe_tls;
use crate::commands::crawllet;
use crate::failure::{Ending, Failure};
use crate::{folder, output};
use lycosa_interface::control::{self, ControlError};
use lycosa_model::CrawlletStatus;
use lycosa_model::message::{BrokerStatus, CrawlStatus, InterfaceMessage, InterfaceReply};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use std::collections::BTreeMap;

/// Rows of a list of sites or addresses.
const SHOWN: usize = 5;

/// Rows of a list of counts.
const SHOWN_COUNTS: usize = 20;

pub(crate) fn run(common: &Common) -> Result<Ending, Failure> {
    let (status, running) = match control::ask(&common.data(), &InterfaceMessage::Status) {
        Ok(InterfaceReply::Status(Some(status))) => (*status, true),
        Ok(_) => return Err(Failure::new("the running crawl answered something else")),
        Err(ControlError::NotRunning) => (at_rest(common)?, false),
        Err(error) => return Err(error.into()),
    };
    if common.json {
        let mut value = serde_json::to_value(&status)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("running".into(), running.into());
        }
        output::json(&value)?;
        return Ok(Ending::Done);
    }
    describe(&status, running);
    Ok(Ending::Done)
}

fn describe(status: &CrawlStatus, running: bool) {
    let broker = &status.broker;
    output::line(if running { "a crawl is running" } else { "no crawl is running" });
    output::line(format!(
        "{} fetched, {} known, {} waiting ({} to be tried again), {} leased",
        output::counted(broker.pages, "page"),
        output::counted(broker.known, "URL"),
        broker.queued,
        broker.retrying,
        broker.leased
    ));
    if running {
        describe_work(status);
    }
    list("outcomes", &broker.outcomes);
    list("media types", &broker.media);
    list("links left alone", &broker.left);
    if !broker.troubles.is_empty() {
        output::line("most frequent failures");
    }
    for row in broker.troubles.iter().take(SHOWN) {
        output::line(format!(
            "  {:20} {:>8}  {}: {}",
            row.outcome, row.count, row.site, row.reason
        ));
    }
    if let Some(revisit) = &broker.revisit {
        output::line(format!(
            "keeping pages fresh: {} visited, {} changed, {} wait for their turn, about {:.0} % fresh",
            revisit.visited,
            revisit.changed,
            revisit.scheduled,
            100.0 * revisit.freshness
        ));
    }
    if let Some(crawllets) = &broker.crawllets {
        crawllet::tell(crawllets);
    }
    if !broker.fetching.is_empty() {
        output::line("being fetched");
    }
    for row in broker.fetching.iter().take(SHOWN) {
        output::line(format!("  {:>6.1} s  {}", row.seconds, row.url));
    }
    describe_tls(&broker.tls);
}

/// What only a crawl that runs has.
fn describe_work(status: &CrawlStatus) {
    let broker = &status.broker;
    output::line(format!(
        "sites: {} ready, {} resting, {} blocked",
        broker.sites.ready, broker.sites.resting, broker.sites.blocked
    ));
    let cpu = status.cpu.map_or(String::new(), |share| format!(", {:.0} % CPU", share * 100.0));
    output::line(format!(
        "{}, {:.1} pages/s and {} now, {:.1} pages/s over all{cpu}",
        output::counted(status.agents as u64, "agent"),
        broker.pace.pages_per_second,
        rate(broker.pace.bytes_per_second),
        status.pages_per_second,
    ));
    output::line(format!("limited by {}", broker.limited_by));
    if let Some(waits) = &status.waits {
        let shares = [
            ("leases", waits.lease),
            ("network", waits.network),
            ("filter", waits.filter + waits.work),
            ("archive", waits.archive),
            ("broker", waits.broker),
            ("index", waits.index),
        ];
        let shares: Vec<String> = shares
            .iter()
            .filter(|(_, share)| *share >= 0.01)
            .map(|(name, share)| format!("{name} {:.0} %", share * 100.0))
            .collect();
        output::line(format!("connections wait for: {}", shares.join(", ")));
    }
}

/// Bytes per second as a person reads them.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    match bytes_per_second {
        rate if rate >= 1e6 => format!("{:.1} MB/s", rate / 1e6),
        rate => format!("{:.0} kB/s", rate / 1e3),
    }
}

fn list(title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    output::line(title);
    let mut rows: Vec<(&String, &u64)> = counts.iter().collect();
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
    for (name, count) in rows.into_iter().take(SHOWN_COUNTS) {
        output::line(format!("  {name:20} {count:>8}"));
    }
}

/// What the store says when nobody works on it.
fn at_rest(common: &Common) -> Result<CrawlStatus, Failure> {
    let records = open_records(common)?;
    let run = records.run()?.unwrap_or_default();
    let status = run.status(run.clock);
    // What was leased when the crawl stopped waits as well.
    let queued = status.queued + records.leases().count() as u64;
    let answered = records.answered(run.number)?;
    let mut crawllets = CrawlletStatus { answered, ..CrawlletStatus::default() };
    for row in records.crawllets() {
        let (site, record) = row?;
        if record.run == run.number {
            crawllets.note(site.as_str(), record.refused.is_none(), &record);
        }
    }
    let broker = BrokerStatus {
        crawllets: (crawllets != CrawlletStatus::default()).then_some(crawllets),
        queued,
        limited_by: "nothing: no crawl is running".into(),
        finished: queued == 0,
        ..status
    };
    Ok(CrawlStatus::new(broker, 0, 0))
}

/// Opens the records of a data folder that nobody works on.
pub(crate) fn open_records(common: &Common) -> Result<OpenRecords, Failure> {
    let dir = common.data();
    if !dir.join("broker").exists() {
        return Err(Failure::new(format!("there is no crawl in {}", dir.display()))
            .hint("is --data right? A crawl begins with: lycosa crawl URL"));
    }
    let folder = folder::lock(&dir)?;
    let records = Records::open(&folder.broker())?;
    Ok(OpenRecords { records, _folder: folder })
}

/// Records, and the lock that makes them ours.
pub(crate) struct OpenRecords {
    records: Records,
    _folder: DataFolder,
}

impl std::ops::Deref for OpenRecords {
    type Target = Records;

    fn deref(&self) -> &Records {
        &self.records
    }
}
