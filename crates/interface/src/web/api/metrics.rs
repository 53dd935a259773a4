//! `GET /metrics`: agents, queues, outcomes and sites as Prometheus text.

use crate::web::door::Doors;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use lycosa_model::CrawlletStatus;
use lycosa_model::message::CrawlStatus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The media type of the text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(in crate::web) async fn endpoint(State(doors): State<Arc<Doors>>) -> impl IntoResponse {
    let (documents, crawl, agents) =
        tokio::join!(doors.documents(), doors.crawl_status(), doors.agents());
    ([(header::CONTENT_TYPE, TEXT)], text(documents, crawl.as_ref(), &agents))
}

/// The whole page.
fn text(documents: Option<u64>, crawl: Option<&CrawlStatus>, agents: &[Value]) -> String {
    let mut page = Page::default();
    if let Some(documents) = documents {
        page.family("lycosa_index_documents", "gauge", "Documents in the index.");
        page.sample("lycosa_index_documents", &[], documents as f64);
    }
    page.family("lycosa_crawl_running", "gauge", "Whether a crawl runs.");
    let running = crawl.is_some_and(|crawl| !crawl.broker.finished);
    page.sample("lycosa_crawl_running", &[], f64::from(u8::from(running)));
    if let Some(crawl) = crawl {
        page.crawl(crawl);
    }
    page.agents(agents);
    page.rendering(agents);
    page.hunts(agents);
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    /// Begins a metric: what it is called, what it is and what it counts.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let _ = match labels.is_empty() {
            true => writeln!(self.0, "{name} {value}"),
            false => writeln!(self.0, "{name}{{{}}} {value}", labels.join(",")),
        };
    }

    fn crawl(&mut self, crawl: &CrawlStatus) {
        let broker = &crawl.broker;
        let single = [
            ("lycosa_pages_total", "counter", "Pages fetched in this run.", broker.pages),
            ("lycosa_bytes_total", "counter", "Bytes of bodies as received.", broker.bytes),
            ("lycosa_errors_total", "counter", "Attempts without a page.", broker.errors),
            ("lycosa_stored_total", "counter", "Pages kept in the archive.", broker.stored),
            ("lycosa_urls_known", "gauge", "URLs on record.", broker.known),
            ("lycosa_urls_queued", "gauge", "URLs waiting in the frontier.", broker.queued),
            ("lycosa_urls_leased", "gauge", "URLs leased now.", broker.leased),
            ("lycosa_addresses_in_use", "gauge", "Addresses that are kept to.", broker.addresses),
        ];
        for (name, kind, help, value) in single {
            self.family(name, kind, help);
            self.sample(name, &[], value as f64);
        }
        self.by_name(
            "lycosa_outcomes_total",
            "Ends of attempts, by outcome.",
            "outcome",
            &broker.outcomes,
        );
        self.by_name("lycosa_media_total", "Pages by media type.", "media", &broker.media);
        let left = "Links that were seen and not taken into the crawl, by reason.";
        self.by_name("lycosa_links_left_total", left, "reason", &broker.left);
        if let Some(crawllets) = &broker.crawllets {
            self.crawllets(crawllets);
        }
        self.queues(crawl);
        self.sites(crawl);
        self.pace(crawl);
    }

    fn crawllets(&mut self, crawllets: &CrawlletStatus) {
        let single = [
            ("lycosa_crawllet_sites_total", "Sites that crawllets were sent to.", crawllets.sites),
            ("lycosa_crawllet_refusals_total", "Sites that take none.", crawllets.without),
            ("lycosa_crawllet_distrusted_total", "Sites that lied.", crawllets.distrusted),
            ("lycosa_crawllet_records_total", "Records that came.", crawllets.records),
            ("lycosa_crawllet_pages_total", "Pages answered from them.", crawllets.answered),
            ("lycosa_crawllet_bytes_total", "Bytes over the network.", crawllets.bytes),
        ];
        for (name, help, value) in single {
            self.family(name, "counter", help);
            self.sample(name, &[], value as f64);
        }
        let pages = (crawllets.granted_pages as f64, crawllets.used_pages as f64);
        let seconds = |ms: u64| ms as f64 / 1_000.0;
        let cpu = (seconds(crawllets.granted_cpu_ms), seconds(crawllets.used_cpu_ms));
        let limits = [
            ("lycosa_crawllet_limit_pages_total", "Pages granted by sites, and asked for.", pages),
            ("lycosa_crawllet_limit_cpu_seconds_total", "CPU granted by sites, and used.", cpu),
        ];
        for (name, help, (granted, used)) in limits {
            self.family(name, "counter", help);
            self.sample(name, &[("what", "granted")], granted);
            self.sample(name, &[("what", "used")], used);
        }
        let help = "Crawllets by reason of their end.";
        self.by_name("lycosa_crawllet_ends_total", help, "reason", &crawllets.reasons);
    }

    /// A counter with one sample per name.
    fn by_name(&mut self, name: &str, help: &str, label: &str, counts: &BTreeMap<String, u64>) {
        self.family(name, "counter", help);
        for (key, count) in counts {
            self.sample(name, &[(label, key)], *count as f64);
        }
    }

    /// The queues of the broker; those of the agents are their mailboxes.
    fn queues(&mut self, crawl: &CrawlStatus) {
        let broker = &crawl.broker;
        self.family("lycosa_queue", "gauge", "What waits in the broker, by queue.");
        for (queue, count) in [
            ("frontier", broker.queued.saturating_sub(broker.retrying)),
            ("retries", broker.retrying),
            ("leases", broker.leased),
            ("sitemaps", broker.sitemaps),
        ] {
            self.sample("lycosa_queue", &[("queue", queue)], count as f64);
        }
        self.family("lycosa_oldest_lease_seconds", "gauge", "Age of the oldest lease.");
        let oldest = broker.fetching.iter().map(|row| row.seconds).fold(0.0, f64::max);
        self.sample("lycosa_oldest_lease_seconds", &[], oldest);
    }

    fn sites(&mut self, crawl: &CrawlStatus) {
        let broker = &crawl.broker;
        self.family("lycosa_sites", "gauge", "Sites by state.");
        let sites = &broker.sites;
        for (state, count) in
            [("ready", sites.ready), ("resting", sites.resting), ("blocked", sites.blocked)]
        {
            self.sample("lycosa_sites", &[("state", state)], count as f64);
        }
        self.family("lycosa_top_site_waiting", "gauge", "URLs that wait, of the largest sites.");
        for row in &broker.top_sites {
            let labels = [("site", row.site.as_str()), ("state", row.state.as_str())];
            self.sample("lycosa_top_site_waiting", &labels, row.waiting as f64);
        }
        self.family("lycosa_top_site_pages", "gauge", "Pages fetched, of the largest sites.");
        for row in &broker.top_sites {
            self.sample("lycosa_top_site_pages", &[("site", &row.site)], row.pages as f64);
        }
        self.family("lycosa_site_troubles", "gauge", "The most frequent failures, by site.");
        for row in &broker.troubles {
            let labels = [("site", row.site.as_str()), ("outcome", row.outcome.as_str())];
            self.sample("lycosa_site_troubles", &labels, row.count as f64);
        }
    }

    /// How fast it is, and why not faster.
    fn pace(&mut self, crawl: &CrawlStatus) {
        let broker = &crawl.broker;
        self.family("lycosa_crawl_seconds", "gauge", "Time worked, on the crawl's clock.");
        self.sample("lycosa_crawl_seconds", &[], broker.seconds);
        let rates = [
            ("lycosa_pages_per_second", "Over the last seconds.", broker.pace.pages_per_second),
            ("lycosa_bytes_per_second", "Over the last seconds.", broker.pace.bytes_per_second),
            ("lycosa_store_share", "Time that the broker writes.", broker.pace.store_share),
        ];
        for (name, help, value) in rates {
            self.family(name, "gauge", help);
            self.sample(name, &[], value);
        }
        if let Some(cpu) = crawl.cpu {
            self.family("lycosa_cpu_share", "gauge", "Share of the cores that are busy.");
            self.sample("lycosa_cpu_share", &[], cpu);
        }
        if let Some(waits) = &crawl.waits {
            self.family("lycosa_bot_share", "gauge", "What the places of the bots wait for.");
            for (reason, share) in [
                ("lease", waits.lease),
                ("network", waits.network),
                ("filter", waits.filter),
                ("work", waits.work),
                ("archive", waits.archive),
                ("broker", waits.broker),
                ("index", waits.index),
            ] {
                self.sample("lycosa_bot_share", &[("waits_for", reason)], share);
            }
        }
        self.family("lycosa_limited_by", "gauge", "What keeps the crawl from being faster.");
        let reason = broker.limited_by.split(':').next().unwrap_or_default();
        self.sample("lycosa_limited_by", &[("reason", reason)], 1.0);
    }

    fn agents(&mut self, agents: &[Value]) {
        let metrics = [
            ("lycosa_agent_messages_total", "counter", "Messages handled.", "handled"),
            ("lycosa_agent_restarts_total", "counter", "Restarts after a panic.", "restarts"),
            ("lycosa_mailbox_waiting", "gauge", "Messages waiting.", "waiting"),
            ("lycosa_mailbox_capacity", "gauge", "Messages that may wait.", "capacity"),
        ];
        for (name, kind, help, field) in metrics {
            self.family(name, kind, help);
            for (labels, agent) in agents.iter().filter_map(labelled) {
                if let Some(value) = agent.get(field).and_then(Value::as_f64) {
                    self.sample(name, &labels, value);
                }
            }
        }
        self.observed(agents);
    }

    fn observed(&mut self, agents: &[Value]) {
        let name = "lycosa_agent_observed";
        self.family(name, "gauge", "The numbers that agents show of themselves, by field.");
        for (labels, agent) in agents.iter().filter_map(labelled) {
            let Some(Value::Object(fields)) = agent.get("observed") else { continue };
            for (field, value) in fields {
                if let Some(value) = value.as_f64() {
                    let labels = [&labels[..], &[("field", field.as_str())]].concat();
                    self.sample(name, &labels, value);
                }
            }
        }
    }

    /// Pages that are looked at in a browser; nothing where nobody has one.
    /// The hunts that are not over, as their manager shows them.
    fn hunts(&mut self, agents: &[Value]) {
        let manager = agents.iter().find(|agent| agent["name"] == "hunts");
        let Some(observed) = manager.map(|manager| &manager["observed"]) else { return };
        self.family("lycosa_hunts_open", "gauge", "Hunts that run, wait or are paused.");
        self.sample("lycosa_hunts_open", &[], observed["open"].as_f64().unwrap_or_default());
        self.family("lycosa_hunts_at_work", "gauge", "Hunts whose turn it is.");
        let at_work = f64::from(u8::from(!observed["at_work"].is_null()));
        self.sample("lycosa_hunts_at_work", &[], at_work);
    }

    fn rendering(&mut self, agents: &[Value]) {
        let browsers = browsers(agents);
        if browsers.is_empty() {
            return;
        }
        let metrics = [
            ("lycosa_browsers", "gauge", "Browsers that run.", "running"),
            ("lycosa_browser_starts_total", "counter", "Browsers started.", "starts"),
            ("lycosa_browser_busy", "gauge", "Pages that are looked at now.", "busy"),
            ("lycosa_browser_tabs", "gauge", "Pages at the same time, at most.", "tabs"),
            ("lycosa_rendering_seconds_total", "counter", "Time of pages in browsers.", "seconds"),
        ];
        for (name, kind, help, field) in metrics {
            self.family(name, kind, help);
            for (process, browser) in &browsers {
                if let Some(value) = browser[field].as_f64() {
                    self.sample(name, &[("process", process)], value);
                }
            }
        }
        let name = "lycosa_rendering_total";
        self.family(name, "counter", "Pages that should be rendered, by what became of them.");
        for (process, browser) in &browsers {
            for (end, count) in browser["ends"].as_object().into_iter().flatten() {
                if let Some(count) = count.as_f64() {
                    self.sample(name, &[("process", process), ("end", end)], count);
                }
            }
            let still = agents.iter().filter_map(labelled).filter(|agent| agent.0[2].1 == *process);
            let still =
                still.filter_map(|agent| agent.1.pointer("/observed/still")?.as_u64()).sum::<u64>();
            self.sample(name, &[("process", process), ("end", "still")], still as f64);
        }
    }
}

/// The first agent of each process that shows a browser, which all bots of the process share.
fn browsers(agents: &[Value]) -> BTreeMap<&str, &Value> {
    let mut browsers = BTreeMap::new();
    for (labels, agent) in agents.iter().filter_map(labelled) {
        if let Some(browser) = agent.pointer("/observed/browser") {
            browsers.entry(labels[2].1).or_insert(browser);
        }
    }
    browsers
}

/// An agent with the labels that tell it from all others: two processes may use one name.
fn labelled(agent: &Value) -> Option<([(&str, &str); 3], &Value)> {
    let label = |field: &str| agent.get(field).and_then(Value::as_str);
    let process = label("process").unwrap_or("this");
    let labels =
        [("agent", label("name")?), ("community", label("community")?), ("process", process)];
    Some((labels, agent))
}

/// A label's value as the text format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::message::{BrokerStatus, SiteTrouble, TopSite, Waits};
    use serde_json::json;
    use std::collections::HashSet;

    fn crawl() -> CrawlStatus {
        let mut broker =
            BrokerStatus { pages: 3, queued: 9, retrying: 2, ..BrokerStatus::default() };
        broker.outcomes.insert("odd \"one\"\n\\".into(), 2);
        broker.media.insert("text/html".into(), 3);
        broker.left.insert("out_of_scope".into(), 7);
        broker.limited_by = "network: 80 % of the connections wait".into();
        broker.top_sites.push(TopSite {
            site: "http://a.test".into(),
            pages: 3,
            waiting: 5,
            state: "resting".into(),
            address: None,
        });
        broker.troubles.push(SiteTrouble {
            site: "http://b.test".into(),
            outcome: "timeout".into(),
            reason: "it took too long".into(),
            count: 4,
        });
        let mut crawl = CrawlStatus::new(broker, 1, 5);
        crawl.cpu = Some(0.25);
        crawl.waits = Some(Waits { network: 0.8, ..Waits::default() });
        crawl
    }

    fn agents() -> [Value; 4] {
        let bot = json!({ "name": "bot-1", "community": "bot", "handled": 7, "restarts": 0,
                          "waiting": 1, "capacity": 4, "observed": { "bytes": 12, "last": "x",
                          "still": 4, "browser": { "running": 1, "starts": 2, "busy": 1, "tabs": 2,
                          "seconds": 1.5, "ends": { "rendered": 3, "crashed": 1 } } } });
        let mut elsewhere = bot.clone();
        elsewhere["process"] = "crawl".into();
        let mut second = bot.clone();
        second["name"] = "bot-2".into();
        [bot, elsewhere, second, json!({ "nonsense": true })]
    }

    #[test]
    fn every_line_is_a_comment_or_a_sample_of_a_metric_announced_before_and_no_sample_comes_twice()
    {
        let text = text(Some(9), Some(&crawl()), &agents());
        let mut announced = Vec::new();
        let mut samples = HashSet::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let name = rest.split(' ').next().unwrap_or_default().to_owned();
                assert!(!announced.contains(&name), "{name} is announced twice");
                announced.push(name);
            } else if !line.starts_with('#') {
                let name = line.split(['{', ' ']).next().unwrap_or_default();
                assert_eq!(announced.last().map(String::as_str), Some(name), "{line}");
                let (sample, value) = line.rsplit_once(' ').unwrap_or_default();
                assert!(value.parse::<f64>().is_ok(), "{line}");
                assert!(samples.insert(sample.to_owned()), "{sample} comes twice");
            }
        }
    }

    #[test]
    fn queues_outcomes_sites_and_reasons_are_told() {
        let text = text(Some(9), Some(&crawl()), &agents());
        for line in [
            "lycosa_index_documents 9",
            "lycosa_pages_total 3",
            r#"lycosa_outcomes_total{outcome="odd \"one\"\n\\"} 2"#,
            r#"lycosa_media_total{media="text/html"} 3"#,
            r#"lycosa_links_left_total{reason="out_of_scope"} 7"#,
            r#"lycosa_queue{queue="frontier"} 7"#,
            r#"lycosa_queue{queue="retries"} 2"#,
            r#"lycosa_top_site_waiting{site="http://a.test",state="resting"} 5"#,
            r#"lycosa_site_troubles{site="http://b.test",outcome="timeout"} 4"#,
            r#"lycosa_bot_share{waits_for="network"} 0.8"#,
            r#"lycosa_limited_by{reason="network"} 1"#,
            "lycosa_cpu_share 0.25",
            r#"lycosa_mailbox_waiting{agent="bot-1",community="bot",process="this"} 1"#,
            r#"lycosa_mailbox_capacity{agent="bot-1",community="bot",process="crawl"} 4"#,
            r#"lycosa_browsers{process="this"} 1"#,
            r#"lycosa_browser_busy{process="crawl"} 1"#,
            r#"lycosa_rendering_seconds_total{process="this"} 1.5"#,
            r#"lycosa_rendering_total{process="this",end="rendered"} 3"#,
            r#"lycosa_rendering_total{process="crawl",end="crashed"} 1"#,
            r#"lycosa_rendering_total{process="this",end="still"} 8"#,
            r#"lycosa_agent_observed{agent="bot-1",community="bot",process="this",field="bytes"} 12"#,
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line} is not in:\n{text}");
        }
        assert!(!text.contains("field=\"last\""), "words are no numbers");
        let text = super::text(Some(9), Some(&crawl()), &[]);
        assert!(!text.contains("lycosa_browsers"), "nobody renders");
    }
}
