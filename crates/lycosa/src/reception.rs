//! Who answers people and programs? Query agents and the interface agents before them, for the search
//! page and at the control door of a crawl.

use crate::failure::Failure;
use lycosa_interface::control::{self, ControlDoor};
use lycosa_interface::{Crawl, Desk};
use lycosa_model::message::{BrokerMessage, InterfaceMessage, QueryMessage};
use lycosa_query::Query;
use lycosa_runtime::{Handle, Mailbox, Registry, mailbox, spawn_pool};
use std::path::Path;
use std::time::Duration;

/// Questions that may wait for a query agent.
const QUERY_MAILBOX: usize = 256;

/// Query agents at the control door. It has one thread, and more of them would only wait for each other.
const DOOR_QUERIES: usize = 1;

/// Starts query agents and interface agents on the present runtime. They leave when the last clone of
/// the mailbox is gone.
pub(crate) fn open(
    registry: &Registry,
    data: &Path,
    queries: usize,
    crawl: Crawl,
    crawl_patience: Duration,
) -> (Mailbox<InterfaceMessage>, Vec<Handle>) {
    let (query, inbox) = mailbox::<QueryMessage>(QUERY_MAILBOX);
    let folder = data.to_owned();
    let build = move |_| Query::new(folder.clone());
    let mut handles = spawn_pool(registry, "query", queries, (&query, inbox), build);
    let desk = Desk { query, registry: registry.clone(), crawl, crawl_patience };
    let (interface, agents) = lycosa_interface::open(desk);
    handles.extend(agents);
    (interface, handles)
}

/// Opens the control door of the crawl that works on this folder, with agents of its own to answer.
pub(crate) fn control_door(
    data: &Path,
    registry: &Registry,
    broker: &Mailbox<BrokerMessage>,
) -> Result<ControlDoor, Failure> {
    let crawl = Crawl::Here(broker.clone());
    let staff = || open(registry, data, DOOR_QUERIES, crawl, control::BROKER_PATIENCE).0;
    Ok(control::listen(data, staff)?)
}
