//! `GET /metrics`: agents, queues, outcomes and sites as Prometheus text.

use crate::web::door::Doors;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use lycosa_model::message::CrawlStatus;
use serde_json::Value;
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
        ];
        for (name, kind, help, value) in single {
            self.family(name, kind, help);
            self.sample(name, &[], value as f64);
        }
        self.family("lycosa_outcomes_total", "counter", "Ends of attempts, by outcome.");
        for (outcome, count) in &broker.outcomes {
            self.sample("lycosa_outcomes_total", &[("outcome", outcome)], *count as f64);
        }
        self.family("lycosa_sites", "gauge", "Sites by state.");
        let sites = &broker.sites;
        for (state, count) in
            [("ready", sites.ready), ("resting", sites.resting), ("blocked", sites.blocked)]
        {
            self.sample("lycosa_sites", &[("state", state)], count as f64);
        }
        self.family("lycosa_crawl_seconds", "gauge", "Time worked, on the crawl's clock.");
        self.sample("lycosa_crawl_seconds", &[], broker.seconds);
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
            for agent in agents {
                let label = |field: &str| agent.get(field).and_then(Value::as_str);
                let (Some(agent_name), Some(community)) = (label("name"), label("community"))
                else {
                    continue;
                };
                if let Some(value) = agent.get(field).and_then(Value::as_f64) {
                    let labels = [("agent", agent_name), ("community", community)];
                    self.sample(name, &labels, value);
                }
            }
        }
    }
}

/// A label's value as the text format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::message::BrokerStatus;
    use serde_json::json;

    #[test]
    fn every_line_is_a_comment_or_a_sample_of_a_metric_announced_before() {
        let mut broker = BrokerStatus { pages: 3, ..BrokerStatus::default() };
        broker.outcomes.insert("odd \"one\"\n\\".into(), 2);
        let crawl = CrawlStatus::new(broker, 1, 5);
        let agents = [
            json!({ "name": "bot-1", "community": "bot", "handled": 7, "restarts": 0,
                    "waiting": 1, "capacity": 4 }),
            json!({ "nonsense": true }),
        ];
        let text = text(Some(9), Some(&crawl), &agents);
        let mut announced = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                announced.push(rest.split(' ').next().unwrap_or_default().to_owned());
            } else if !line.starts_with('#') {
                let name = line.split(['{', ' ']).next().unwrap_or_default();
                assert!(announced.iter().any(|known| known == name), "{line}");
                let value = line.rsplit(' ').next().unwrap_or_default();
                assert!(value.parse::<f64>().is_ok(), "{line}");
            }
        }
        assert!(text.contains("lycosa_pages_total 3\n"));
        assert!(text.contains(r#"lycosa_outcomes_total{outcome="odd \"one\"\n\\"} 2"#));
        assert!(text.contains(r#"lycosa_mailbox_waiting{agent="bot-1",community="bot"} 1"#));
    }
}
