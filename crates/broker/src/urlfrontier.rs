//! How do other crawlers keep their frontier here? The URLFrontier API of crawler-commons over gRPC.
//!
//! Their URLs live in queues of their own, by crawl and key, beside the records of Lycosa's crawl: the
//! two never mix. [`book`] decides, [`desk`] lets one at a time decide, [`door`], [`streams`] and
//! [`listing`] say what each call means, [`routes`] finds it, and this file listens. Everything that was
//! acknowledged, and every delay, block, limit and lease, is in the store. See `docs/guide/urlfrontier.md`.

mod book;
pub mod client;
mod desk;
mod door;
pub mod dump;
mod listing;
pub mod messages;
mod metrics;
mod names;
mod routes;
mod streams;
#[cfg(test)]
mod tests;

pub use door::SetLevel;
pub use metrics::Metrics;

use desk::Desk;
use door::Door;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use lycosa_store::queues::Queues;
use lycosa_store::records::StoreError;
use std::convert::Infallible;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// The port of URLFrontier.
pub const PORT: u16 = 7071;

/// Connections at once; further ones wait to be accepted.
const CONNECTIONS: usize = 256;

/// Calls at once on one connection.
const STREAMS: u32 = 256;

/// Bytes that a client may send on one stream before they are read.
const STREAM_WINDOW: u32 = 256 << 10;

/// Bytes that a client may send on one connection before they are read. It is more than all its streams
/// may send: HTTP/2 ends a connection on which too many small frames wait, how many following from this
/// window, and clients send a frame for each URL.
const CONNECTION_WINDOW: u32 = 128 << 20;

/// Bytes of one answer that wait for the network.
const SEND_BUFFER: usize = 256 << 10;

/// Most bytes of the headers of a call.
const HEADERS: u32 = 16 << 10;

/// How often a silent client is asked whether it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// How long it may take to answer that.
const KEEP_ALIVE_PATIENCE: Duration = Duration::from_secs(20);

/// How long open calls may go on when the server closes.
const FAREWELL: Duration = Duration::from_secs(1);

/// The server.
pub struct UrlFrontier {
    door: Door,
    thread: JoinHandle<()>,
}

impl UrlFrontier {
    /// Opens the queues of a store. `node` is the address that clients reach the server by.
    pub fn open(store: Queues, node: &str, set_level: SetLevel) -> Result<UrlFrontier, StoreError> {
        let (desk, thread) = Desk::open(store)?;
        Ok(UrlFrontier { door: Door::new(desk, Arc::default(), set_level, node), thread })
    }

    /// What happens here, in numbers.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.door.metrics.clone()
    }

    /// Serves until `stop` is ready. Everything that was acknowledged is in the store then.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let (closing, closed) = watch::channel(false);
        let accept = async {
            loop {
                let Ok(place) = places.clone().acquire_owned().await else { return };
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (door, closed) = (self.door.clone(), closed.clone());
                        tokio::spawn(async move {
                            let _place = place;
                            connection(stream, door, closed).await;
                        });
                    }
                    Err(error) => {
                        tracing::warn!("urlfrontier: cannot accept a connection: {error}");
                        // Too many open files, most likely: some will be closed.
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
            }
        };
        tokio::select! {
            () = accept => {}
            () = stop => {}
        }
        closing.send_replace(true);
        drop(closed);
        drop(tokio::time::timeout(FAREWELL * 2, closing.closed()).await);
        // With the last way to it the thread ends.
        drop(self.door);
        drop(tokio::task::spawn_blocking(move || self.thread.join()).await);
    }
}

async fn connection(stream: TcpStream, door: Door, mut closed: watch::Receiver<bool>) {
    // Acknowledgements are small and somebody waits for them.
    drop(stream.set_nodelay(true));
    let answer = service_fn(move |request| {
        let door = door.clone();
        async move { Ok::<_, Infallible>(routes::answer(door, request).await) }
    });
    let mut server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    server
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(STREAMS)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(HEADERS)
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE_PATIENCE);
    let mut serving = std::pin::pin!(server.serve_connection(TokioIo::new(stream), answer));
    let ended = tokio::select! {
        ended = serving.as_mut() => Some(ended),
        _ = closed.wait_for(|closed| *closed) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            serving.as_mut().graceful_shutdown();
            match tokio::time::timeout(FAREWELL, serving).await {
                Ok(ended) => ended,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!("urlfrontier: a connection ended: {error}");
    }
}
