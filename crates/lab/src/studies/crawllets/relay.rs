//! What does distance cost? A line between crawler and site that delays and shapes, in user space.
//!
//! Half of the round trip is spent each way; a new connection carries nothing before one round trip has passed,
//! as TCP's handshake demands. All connections of a relay share one line, with a speed of its own in each
//! direction. Bytes are those of the connections, without the heads of packets. There is no loss and no slow
//! start: both would cost many short connections more than few long ones.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// Bytes that travel together.
const CHUNK: usize = 8 * 1024;
/// Chunks of one connection that are under way in one direction; then its sender waits.
const UNDER_WAY: usize = 128;
/// The runtime wakes up at whole milliseconds after a time, so half of one is taken off it.
const HALF_TICK: Duration = Duration::from_micros(500);

/// What a line is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) round_trip: Duration,
    /// In each direction.
    pub(super) bits_per_second: f64,
}

/// One direction of a line.
#[derive(Debug)]
struct Lane {
    /// When all that was sent has left.
    free: Mutex<Instant>,
    bytes: AtomicU64,
}

impl Lane {
    fn new() -> Lane {
        Lane { free: Mutex::new(Instant::now()), bytes: AtomicU64::new(0) }
    }

    /// When these bytes have left that are there now, if none may leave before `earliest`.
    fn send(&self, bytes: usize, earliest: Instant, shape: Shape) -> Instant {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let takes = Duration::from_secs_f64(bytes as f64 * 8.0 / shape.bits_per_second);
        // Nobody panics while holding it; if so, its time is as good as any.
        let mut free = self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *free = (*free).max(earliest) + takes;
        *free
    }
}

#[derive(Debug)]
struct Line {
    shape: Shape,
    up: Lane,
    down: Lane,
}

/// A line to some servers. It ends when this goes away.
pub(super) struct Relay {
    addresses: Vec<SocketAddr>,
    line: Arc<Line>,
    accepting: Vec<AbortHandle>,
}

impl Relay {
    /// Opens a line to these servers, each behind an address of its own.
    pub(super) async fn open(shape: Shape, servers: &[SocketAddr]) -> io::Result<Relay> {
        let line = Arc::new(Line { shape, up: Lane::new(), down: Lane::new() });
        let mut relay = Relay { addresses: Vec::new(), line, accepting: Vec::new() };
        for server in servers {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            relay.addresses.push(listener.local_addr()?);
            let accepting = tokio::spawn(accept(listener, *server, relay.line.clone()));
            relay.accepting.push(accepting.abort_handle());
        }
        Ok(relay)
    }

    /// Where the servers are seen from afar, in their order.
    pub(super) fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Bytes to the servers and from them so far.
    pub(super) fn bytes(&self) -> (u64, u64) {
        let of = |lane: &Lane| lane.bytes.load(Ordering::Relaxed);
        (of(&self.line.up), of(&self.line.down))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.iter().for_each(AbortHandle::abort);
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, line: Arc<Line>) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A client that is gone already wants nothing more.
                let Ok((client, _)) = accepted else { continue };
                open.spawn(connection(client, server, line.clone()));
            }
            Some(_) = open.join_next() => {}
        }
    }
}

async fn connection(client: TcpStream, server: SocketAddr, line: Arc<Line>) -> io::Result<()> {
    let accepted = Instant::now();
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let open = accepted + line.shape.round_trip;
    let shape = line.shape;
    tokio::join!(
        carry(from_client, to_server, &line.up, shape, open),
        carry(from_server, to_client, &line.down, shape, accepted),
    );
    Ok(())
}

/// Carries one direction of a connection to its end, which arrives as late as everything else.
async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    lane: &Lane,
    shape: Shape,
    open: Instant,
) {
    let (entrance, mut exit) = mpsc::channel::<(Instant, Vec<u8>)>(UNDER_WAY);
    let enter = async move {
        let mut buffer = vec![0; CHUNK];
        loop {
            // A connection that breaks ends, for the other side.
            let length = from.read(&mut buffer).await.unwrap_or(0);
            let left = lane.send(length, Instant::now().max(open), shape);
            let arrives = left + shape.round_trip / 2;
            let sent = entrance.send((arrives, buffer[..length].to_vec())).await;
            if length == 0 || sent.is_err() {
                return;
            }
        }
    };
    let leave = async move {
        while let Some((arrives, bytes)) = exit.recv().await {
            tokio::time::sleep_until(arrives - HALF_TICK).await;
            let written = match bytes.is_empty() {
                true => to.shutdown().await,
                false => to.write_all(&bytes).await,
            };
            if written.is_err() {
                return;
            }
        }
    };
    tokio::join!(enter, leave);
}

#[cfg(test)]
mod tests;
