//! What does a crawl say at its end?

use crate::cli::Common;
use crate::commands::crawllet;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_model::message::{BrokerMessage, BrokerReply, BrokerStatus, RevisitStatus};
use lycosa_model::{CrawlletStatus, Outcome, Phase, Prey, TlsFault};
use lycosa_runtime::Mailbox;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Seeds in the table of reasons.
const SHOWN_SEEDS: usize = 20;

/// The result of a crawl, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) pages: u64,
    pub(crate) distinct: u64,
    pub(crate) indexed: u64,
    pub(crate) stored: u64,
    pub(crate) errors: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    pub(crate) strategy: String,
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Sites with which TLS failed, and why; the first of them only.
    pub(crate) tls: BTreeMap<String, TlsFault>,
    pub(crate) messages: u64,
    pub(crate) overlap: u64,
    pub(crate) known: u64,
    pub(crate) queued: u64,
    pub(crate) finished: bool,
    /// What it was doing when it ended.
    #[serde(skip)]
    pub(crate) state: Phase,
    /// What it left alone by then.
    #[serde(skip)]
    pub(crate) excluded: Vec<String>,
    /// Of a crawl that kept an index fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revisit: Option<RevisitStatus>,
    /// What crawllets did, where they may be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawllets: Option<CrawlletStatus>,
    /// Seeds that gave no page, with the reason.
    pub(crate) seeds: Vec<SeedFault>,
    /// The best pages of a crawl that looked for something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) results: Vec<Prey>,
}

/// A seed that gave no page.
#[derive(Debug, Serialize)]
pub(crate) struct SeedFault {
    pub(crate) url: String,
    pub(crate) reason: String,
}

impl Summary {
    pub(crate) fn of(
        status: BrokerStatus,
        indexed: u64,
        messages: u64,
        seeds: Vec<SeedFault>,
    ) -> Summary {
        Summary {
            pages: status.pages,
            distinct: status.distinct,
            indexed,
            stored: status.stored,
            errors: status.errors,
            bytes: status.bytes,
            seconds: status.seconds,
            strategy: status.strategy,
            outcomes: status.outcomes,
            tls: status.tls,
            messages,
            crawllets: status.crawllets,
            overlap: status.overlap,
            known: status.known,
            queued: status.queued,
            finished: status.finished,
            state: status.state,
            excluded: status.excluded,
            revisit: status.revisit,
            seeds,
            results: Vec::new(),
        }
    }
}

/// Whether a page that was fetched before is as it was: a crawl that finds only such pages has found
/// what it came for.
pub(super) fn confirmed(outcomes: &BTreeMap<String, u64>) -> bool {
    outcomes.contains_key(Outcome::NotModified.name())
}

/// Lists the sites with which TLS failed.
pub(crate) fn describe_tls(sites: &BTreeMap<String, TlsFault>) {
    if sites.is_empty() {
        return;
    }
    output::line("TLS failed with:");
    for (site, fault) in sites {
        output::line(format!("  {site}  {fault}"));
    }
}

/// Why each seed gave nothing.
pub(super) async fn seed_faults(
    broker: &Mailbox<BrokerMessage>,
    seeds: &[String],
    refused: Vec<(String, String)>,
) -> Result<Vec<SeedFault>, Failure> {
    let mut faults = Vec::new();
    for url in seeds.iter().take(SHOWN_SEEDS) {
        let known = refused.iter().find(|(refused, _)| refused == url);
        let reason = match known {
            Some((_, reason)) => reason.clone(),
            None => match broker.ask(BrokerMessage::Url { url: url.clone() }).await? {
                BrokerReply::Url(Some(view)) => view.reason,
                _ => "not tried".into(),
            },
        };
        faults.push(SeedFault { url: url.clone(), reason });
    }
    Ok(faults)
}

pub(super) fn tell(
    common: &Common,
    data: &Path,
    summary: &Summary,
    interrupted: bool,
) -> Result<Ending, Failure> {
    if common.json {
        output::json(summary)?;
    } else {
        describe(summary);
        if interrupted {
            output::note(format!(
                "stopped; go on with: lycosa crawl --resume --data {}",
                data.display()
            ));
        } else if summary.pages == 0 && summary.outcomes.is_empty() && summary.seeds.is_empty() {
            // Also a run that was killed before its seeds were on record.
            output::note(format!(
                "nothing waits in {}; begin again: lycosa crawl URL --data {0}",
                data.display()
            ));
        } else if summary.indexed > 0 && !common.quiet {
            output::note(format!("now try: lycosa search --data {} WORDS", data.display()));
        }
    }
    // That nothing was due is no failure.
    let nothing = summary.pages == 0 && !confirmed(&summary.outcomes) && summary.revisit.is_none();
    if nothing || interrupted {
        return Ok(Ending::Partial);
    }
    Ok(Ending::Done)
}

pub(crate) fn describe(summary: &Summary) {
    output::line(format!(
        "{} fetched ({:.1} MB) in {:.1} s, {} stored, {} in the index",
        output::counted(summary.pages, "page"),
        summary.bytes as f64 / 1e6,
        summary.seconds,
        summary.stored,
        summary.indexed,
    ));
    let outcomes: Vec<String> =
        summary.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if !outcomes.is_empty() {
        output::line(format!("outcomes: {}", outcomes.join(", ")));
    }
    if let Some(crawllets) = &summary.crawllets {
        crawllet::tell(crawllets);
    }
    if let Some(revisit) = &summary.revisit {
        output::line(format!(
            "revisit: {} due, {}, {} changed, {} unchanged; about {:.0} % fresh at {:.0} visits a day",
            revisit.due,
            output::counted(revisit.visited, "visit"),
            revisit.changed,
            revisit.unchanged,
            100.0 * revisit.freshness,
            revisit.visits_per_day,
        ));
    }
    if summary.queued > 0 {
        let verb = if summary.queued == 1 { "is" } else { "are" };
        output::line(format!("{} {verb} still waiting", output::counted(summary.queued, "URL")));
    }
    describe_tls(&summary.tls);
    if !summary.seeds.is_empty() {
        output::line("seeds that gave no page:");
        let width = summary.seeds.iter().map(|seed| seed.url.len()).max().unwrap_or(0).min(60);
        for seed in &summary.seeds {
            output::line(format!("  {:width$}  {}", seed.url, seed.reason));
        }
    }
}
