//! Who is told how a crawl is while nobody serves a search page? Whoever asks for `/metrics`.

use crate::config::Config;
use crate::failure::Failure;
use crate::{reception, token};
use lycosa_interface::web::{self, Doors, Reach};
use lycosa_model::message::InterfaceMessage;
use lycosa_runtime::Mailbox;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// An open metrics door, on a thread with a clock of its own: a replay's clock is not the world's.
/// Dropping it closes the door.
pub(crate) struct MetricsDoor {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl MetricsDoor {
    /// Opens the door at this address; the agents behind `interface` answer at it.
    pub(crate) fn open(
        address: &str,
        config: &Config,
        interface: Mailbox<InterfaceMessage>,
    ) -> Result<MetricsDoor, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new(format!("cannot serve metrics at {address}: {error}"))
                .hint("choose another address with --metrics HOST:PORT")
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let guard = Arc::new(token::for_nobody(Reach::Metrics)?);
        let doors =
            Doors { interface, runs: Arc::default(), about: reception::about(config), guard };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread =
            std::thread::Builder::new().name("lycosa-metrics".into()).spawn(move || {
                let served = runtime.block_on(async {
                    let listener = tokio::net::TcpListener::from_std(listener)?;
                    let ended = async {
                        // Both ways of ending mean the same: the sender is gone.
                        drop(stopped.await);
                    };
                    web::serve_metrics(listener, doors, ended).await
                });
                if let Err(error) = served {
                    tracing::error!("metrics are not served any more: {error}");
                }
            })?;
        Ok(MetricsDoor { stop: Some(stop), thread: Some(thread), address })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsDoor {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that serves metrics panicked");
        }
    }
}
