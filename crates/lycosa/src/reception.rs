//! Who answers people and programs? Query agents and the interface agents before them, for the search
//! page and at the control door of a crawl.

use crate::config::Config;
use crate::crew::ROBOTS_AGENT;
use crate::failure::Failure;
use crate::metrics::MetricsDoor;
use lycosa_interface::control::{self, ControlDoor};
use lycosa_interface::web::About;
use lycosa_interface::{Crawl, Desk};
use lycosa_knowledge::embedding::Embedding;
use lycosa_model::message::{
    BrokerMessage, HuntMessage, InterfaceMessage, QueryMessage, WatchMessage,
};
use lycosa_query::{Open, Query};
use lycosa_runtime::{Handle, Mailbox, Registry, mailbox, spawn_pool};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Questions that may wait for a query agent.
const QUERY_MAILBOX: usize = 256;

/// Query agents at the control door. It has one thread, and more of them would only wait for each other.
const DOOR_QUERIES: usize = 1;

/// Starts query agents, which know a model of embeddings or not, and interface agents on the present
/// runtime. They leave when the last clone of
/// the mailbox is gone.
pub(crate) fn open(
    registry: &Registry,
    data: &Path,
    queries: usize,
    crawl: Crawl,
    crawl_patience: Duration,
    embedding: Option<Arc<Embedding>>,
    (hunts, watches): (Option<Mailbox<HuntMessage>>, Option<Mailbox<WatchMessage>>),
) -> (Mailbox<InterfaceMessage>, Vec<Handle>) {
    let (query, inbox) = mailbox::<QueryMessage>(QUERY_MAILBOX);
    let folder = data.to_owned();
    let open = Open::default();
    let build = move |_| {
        let agent = Query::new(folder.clone()).with_embedding(embedding.clone());
        agent.sharing(open.clone())
    };
    let mut handles = spawn_pool(registry, "query", queries, (&query, inbox), build);
    let desk = Desk { query, registry: registry.clone(), crawl, crawl_patience, hunts, watches };
    let (interface, agents) = lycosa_interface::open(desk);
    handles.extend(agents);
    (interface, handles)
}

/// What the web pages say of us.
pub(crate) fn about(config: &Config) -> About {
    About {
        name: "Lycosa".into(),
        user_agent: config.user_agent(),
        robots_name: ROBOTS_AGENT.into(),
        contact: config.contact.clone(),
        key_directory: None,
    }
}

/// The doors at which a process that crawls answers.
pub(crate) struct ProcessDoors {
    /// Closed first: its agents hold a clone of the broker's mailbox.
    _control: ControlDoor,
    metrics: Option<MetricsDoor>,
}

impl ProcessDoors {
    /// Where metrics are served, if they are.
    pub(crate) fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(MetricsDoor::address)
    }
}

/// Opens the control door of the crawl that works on this folder, with agents of its own to answer, and
/// the metrics door if one is configured.
pub(crate) fn control_door(
    data: &Path,
    config: &Config,
    registry: &Registry,
    broker: &Mailbox<BrokerMessage>,
) -> Result<ProcessDoors, Failure> {
    let crawl = Crawl::Here(broker.clone());
    let mut interface = None;
    let staff = || {
        let (mailbox, _) =
            open(registry, data, DOOR_QUERIES, crawl, control::BROKER_PATIENCE, None, (None, None));
        interface = Some(mailbox.clone());
        mailbox
    };
    let control = control::listen(data, staff)?;
    let metrics = match (&config.metrics, interface) {
        (Some(address), Some(interface)) => Some(MetricsDoor::open(address, config, interface)?),
        _ => None,
    };
    Ok(ProcessDoors { _control: control, metrics })
}
