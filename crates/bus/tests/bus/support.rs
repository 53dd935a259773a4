//! Where do the members of a test meet?

use lycosa_bus::{Bus, Hub};
use lycosa_servers::nats::{Cluster, servers};
use std::time::Duration;

/// A bus that members can join.
#[derive(Clone)]
pub(crate) enum Place {
    Local(Hub),
    Nats(String),
}

impl Place {
    pub(crate) async fn join(&self) -> Bus {
        self.join_crawl("test").await
    }

    pub(crate) async fn join_crawl(&self, crawl: &str) -> Bus {
        match self {
            Place::Local(hub) => Bus::local(hub, crawl).await.unwrap(),
            Place::Nats(address) => Bus::open(address, crawl).await.unwrap(),
        }
    }
}

/// Says that there is no server on this machine.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn skipped() {
    eprintln!("skipped: no nats-server on this machine");
}

/// Runs a case on the bus of a process, and on a server of each version that this machine has.
pub(crate) async fn on_all<F: Future<Output = ()>>(case: impl Fn(Place) -> F) {
    case(Place::Local(Hub::default())).await;
    let servers = servers();
    if servers.is_empty() {
        skipped();
    }
    for (program, _) in servers {
        let cluster = Cluster::start_with(&program, 1).unwrap();
        case(Place::Nats(cluster.address())).await;
    }
}

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
