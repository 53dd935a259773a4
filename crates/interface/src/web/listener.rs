//! How many clients may be connected, and how long may one of them do nothing?

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

/// Connections open at one time; more wait in the backlog of the socket.
pub const MAX_CONNECTIONS: usize = 512;
/// A connection on which nothing moves for this long is closed, so that slow or silent clients cannot
/// use them all up.
pub const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// A listener that keeps to [`MAX_CONNECTIONS`] and [`IDLE_LIMIT`].
pub(super) struct Bounded {
    listener: TcpListener,
    slots: Arc<Semaphore>,
}

impl Bounded {
    pub(super) fn new(listener: TcpListener) -> Bounded {
        Bounded { listener, slots: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

impl axum::serve::Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed, so this waits for a slot and nothing else.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        // The inherent `accept` gives errors back; this one waits out a lack of file handles.
        let (stream, from) = axum::serve::Listener::accept(&mut self.listener).await;
        (Connection::new(stream, slot), from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Who is connected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client(pub(super) SocketAddr);

impl Connected<IncomingStream<'_, Bounded>> for Client {
    fn connect_info(stream: IncomingStream<'_, Bounded>) -> Client {
        Client(*stream.remote_addr())
    }
}

/// One client.
pub(super) struct Connection {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn new(stream: TcpStream, slot: Option<OwnedSemaphorePermit>) -> Connection {
        Connection { stream, idle: Box::pin(tokio::time::sleep(IDLE_LIMIT)), _slot: slot }
    }

    /// Passes on what the socket says: progress starts the idle time anew, and waiting ends with it.
    fn watch<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.idle.as_mut().reset(Instant::now() + IDLE_LIMIT);
            return poll;
        }
        ready!(self.idle.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.watch(cx, poll)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
