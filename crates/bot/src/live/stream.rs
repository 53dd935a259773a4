//! What does a connection consist of? A socket, plain or under TLS, and what is known about it.

use super::fault::InterimFlood;
use super::head::HeadTape;
use hyper_util::client::legacy::connect::{Connected, Connection};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

pub(super) enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// What responses of a connection carry with them.
#[derive(Clone)]
pub(super) struct Wire {
    /// Address of the site; unknown behind a proxy.
    pub(super) peer: Option<IpAddr>,
    /// The last response head; HTTP/2 has none.
    tape: Option<Arc<Mutex<HeadTape>>>,
    /// Bytes that came in since the last answer was whole.
    heard: Arc<AtomicUsize>,
}

impl Wire {
    /// Runs `read` on the last response head.
    pub(super) fn with_head<T>(&self, read: impl FnOnce(Option<&[u8]>) -> T) -> T {
        match &self.tape {
            Some(tape) => read(lock(tape).head()),
            None => read(None),
        }
    }

    /// What came in is an answer, and all that comes from now on belongs to the next.
    pub(super) fn answered(&self) {
        self.heard.store(0, Ordering::Relaxed);
    }

    /// Whether a head of HTTP/2 that was refused may have been one of `max_head` bytes or more. The
    /// library does not say why it refuses one. Packed for the wire, a head has at least 5 of 8 bits
    /// (RFC 7541, appendix B), unless it repeats itself.
    pub(super) fn has_large_head(&self, max_head: usize) -> bool {
        self.tape.is_none() && self.heard.load(Ordering::Relaxed) >= max_head / 2
    }
}

/// A tape is whole between any two statements, so a panic elsewhere does not spoil it.
fn lock(tape: &Mutex<HeadTape>) -> MutexGuard<'_, HeadTape> {
    tape.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection as the pool holds it.
pub(super) struct Stream {
    socket: Socket,
    wire: Wire,
    /// Requests are for a proxy to forward.
    forwarded: bool,
    h2: bool,
}

impl Stream {
    pub(super) fn new(
        socket: Socket,
        peer: Option<IpAddr>,
        forwarded: bool,
        max_head: usize,
    ) -> Stream {
        let h2 = match &socket {
            Socket::Plain(_) => false,
            Socket::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(super::tls::H2),
        };
        let tape = (!h2).then(|| Arc::new(Mutex::new(HeadTape::new(max_head))));
        let wire = Wire { peer, tape, heard: Arc::default() };
        Stream { socket, wire, forwarded, h2 }
    }

    fn hear_write(&self, written: &Poll<io::Result<usize>>) {
        if let (Poll::Ready(Ok(_)), Some(tape)) = (written, &self.wire.tape) {
            lock(tape).on_write();
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.forwarded).extra(self.wire.clone());
        if self.h2 { connected.negotiated_h2() } else { connected }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = match &mut self.socket {
            Socket::Plain(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Socket::Tls(tls) => match Pin::new(tls).poll_read(cx, buf) {
                // Many servers hang up without TLS's goodbye. HTTP knows the length of nearly
                // every body and notices a missing end by itself; the rest is taken as it came.
                Poll::Ready(Err(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                read => read,
            },
        };
        if let Poll::Ready(Ok(())) = read {
            self.wire.heard.fetch_add(buf.filled().len() - before, Ordering::Relaxed);
        }
        if let (Poll::Ready(Ok(())), Some(tape)) = (&read, &self.wire.tape) {
            let mut tape = lock(tape);
            tape.on_read(&buf.filled()[before..]);
            if tape.is_flooded() {
                return Poll::Ready(Err(io::Error::other(InterimFlood)));
            }
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = match &mut self.socket {
            Socket::Plain(tcp) => Pin::new(tcp).poll_write(cx, buf),
            Socket::Tls(tls) => Pin::new(tls).poll_write(cx, buf),
        };
        self.hear_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = match &mut self.socket {
            Socket::Plain(tcp) => Pin::new(tcp).poll_write_vectored(cx, bufs),
            Socket::Tls(tls) => Pin::new(tls).poll_write_vectored(cx, bufs),
        };
        self.hear_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        match &self.socket {
            Socket::Plain(tcp) => tcp.is_write_vectored(),
            Socket::Tls(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Socket::Tls(tls) => Pin::new(tls).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Socket::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}
