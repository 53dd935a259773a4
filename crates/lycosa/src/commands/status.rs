//! `lycosa status`: how the crawl is, running or not.

use crate::cli::Common;
use crate::commands::crawl::describe_tls;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_interface::control::{self, ControlError};
use lycosa_model::message::{BrokerStatus, CrawlStatus, InterfaceMessage, InterfaceReply};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;

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
    let broker = &status.broker;
    output::line(if running { "a crawl is running" } else { "no crawl is running" });
    output::line(format!(
        "{} pages fetched, {} URLs known, {} waiting, {} leased",
        broker.pages, broker.known, broker.queued, broker.leased
    ));
    if running {
        output::line(format!(
            "sites: {} ready, {} resting, {} blocked",
            broker.sites.ready, broker.sites.resting, broker.sites.blocked
        ));
        output::line(format!(
            "{} agents, {:.1} pages/s, limited by {}",
            status.agents, status.pages_per_second, broker.limited_by
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
    for (name, count) in &broker.outcomes {
        output::line(format!("  {name:20} {count:>8}"));
    }
    describe_tls(&broker.tls);
    Ok(Ending::Done)
}

/// What the store says when nobody works on it.
fn at_rest(common: &Common) -> Result<CrawlStatus, Failure> {
    let records = open_records(common)?;
    let run = records.run()?.unwrap_or_default();
    let status = run.status(run.clock);
    // What was leased when the crawl stopped waits as well.
    let queued = status.queued + records.leases().count() as u64;
    let broker = BrokerStatus {
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
    let folder = DataFolder::lock(&dir)?;
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
