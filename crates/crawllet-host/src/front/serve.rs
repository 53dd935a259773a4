//! How do we serve without a web server in between, or behind one that only forwards?
//!
//! HTTP/1.1, one thread for a connection, a fixed number of connections. A connection has little time for its
//! head and its body, and any time for its answer as long as the client takes it.

use super::{Head, Reply, phrase};
use crate::budget::Stop;
use crate::fault::{About, Trouble};
use crate::host::Hosts;
use crate::site::web::{Chunks, Wire, head_bytes};
use std::io::{self, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The longest head of a request.
const MAX_HEAD: usize = 16 << 10;

/// Header lines of a request.
const MAX_HEADERS: usize = 64;

/// Requests over one connection.
const MAX_REQUESTS: usize = 100;

/// Time for a head, also for the next one.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Time for a body.
const BODY_TIME: Duration = Duration::from_secs(60);

/// Time in which the client must take what is sent.
const SEND_TIME: Duration = Duration::from_secs(30);

/// How long a new connection waits for a place.
const QUEUE_TIME: Duration = Duration::from_secs(2);

/// How long running jobs may take to say that the host ends.
const END_TIME: Duration = Duration::from_secs(5);

/// Places for connections.
struct Places {
    taken: Mutex<usize>,
    freed: Condvar,
    most: usize,
}

impl Places {
    fn take(self: &Arc<Places>) -> Option<Place> {
        let until = Instant::now() + QUEUE_TIME;
        let mut taken = self.taken.lock().ok()?;
        while *taken >= self.most {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            taken = self.freed.wait_timeout(taken, left).ok()?.0;
        }
        *taken += 1;
        Some(Place(self.clone()))
    }

    fn is_empty(&self) -> bool {
        self.taken.lock().is_ok_and(|taken| *taken == 0)
    }
}

/// One place; free again when this goes away.
struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Ok(mut taken) = self.0.taken.lock() {
            *taken -= 1;
        }
        self.0.freed.notify_all();
    }
}

/// Serves at `listen` until told to stop. `ready` is told the address.
///
/// # Errors
/// If the address cannot be had.
pub fn main(
    hosts: Arc<Hosts>,
    listen: &str,
    stop: &Arc<Stop>,
    ready: impl FnOnce(std::net::SocketAddr),
) -> Result<(), Trouble> {
    let listener = TcpListener::bind(listen).about(format!("listening at {listen}"))?;
    let address = listener.local_addr().about("listening")?;
    let most = hosts.host().config.quota.connections as usize;
    let places = Arc::new(Places { taken: Mutex::new(0), freed: Condvar::new(), most });
    ready(address);
    let accepting = {
        let (places, stop) = (places.clone(), stop.clone());
        move || accept(&listener, &hosts, &places, &stop)
    };
    std::thread::Builder::new().spawn(accepting).about("starting a thread")?;
    while !stop.wait(Duration::from_secs(3600)) {}
    // Jobs hear the same word; give them time to say so.
    let until = Instant::now() + END_TIME;
    while !places.is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn accept(listener: &TcpListener, hosts: &Arc<Hosts>, places: &Arc<Places>, stop: &Arc<Stop>) {
    static REFUSING: AtomicUsize = AtomicUsize::new(0);
    for stream in listener.incoming() {
        if stop.is_said() {
            return;
        }
        // Out of files, or the client is gone already.
        let Ok(stream) = stream else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Some(place) = places.take() else {
            REFUSING.fetch_add(1, Ordering::Relaxed);
            let _ = busy(stream);
            continue;
        };
        let hosts = hosts.clone();
        let serving = move || {
            let _place = place;
            // What goes wrong on a connection is the end of it, and of nothing else.
            let _ = connection(stream, &hosts);
        };
        // Without a thread the connection is dropped, and its place is free.
        let _ = std::thread::Builder::new().stack_size(512 << 10).spawn(serving);
    }
}

fn busy(mut stream: TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_millis(100)))?;
    stream.write_all(
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 5\r\nConnection: close\r\n\r\nbusy\n",
    )
}

fn connection(stream: TcpStream, hosts: &Hosts) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let peer = stream.peer_addr()?.ip();
    let until = Instant::now() + HEAD_TIME;
    let writer = Wire::accepted(stream.try_clone()?, until);
    let mut from = BufReader::with_capacity(32 << 10, Wire::accepted(stream, until));
    let mut reply = Answer { to: writer, chunked: false, http_10: false, begun: false, keep: true };
    for _ in 0..MAX_REQUESTS {
        from.get_mut().until = Instant::now() + HEAD_TIME;
        let bytes = match head_bytes(&mut from, MAX_HEAD) {
            Ok(bytes) => bytes,
            // The client went away between two requests, as it may.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return crate::door::plain(&mut reply, 431, "the head is too long");
            }
            Err(error) => return Err(error),
        };
        let Some(request) = Request::parse(&bytes, peer, hosts.host().config.behind_proxy) else {
            reply.keep = false;
            return crate::door::plain(&mut reply, 400, "not HTTP/1.1");
        };
        reply.http_10 = request.http_10;
        reply.keep = !request.close;
        reply.begun = false;
        from.get_mut().until = Instant::now() + BODY_TIME;
        if request.expects {
            reply.to.until = Instant::now() + SEND_TIME;
            reply.to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let host = hosts.host();
        let whole = if request.chunked {
            let mut body = Chunks::new(&mut from, u64::MAX);
            crate::door::handle(&host, &request.head, &mut body, &mut reply)?;
            body.is_done()
        } else {
            let mut body = (&mut from).take(request.head.length.unwrap_or(0));
            crate::door::handle(&host, &request.head, &mut body, &mut reply)?;
            body.limit() == 0
        };
        reply.finish()?;
        // A body that nobody read is in the way of the next request.
        if !reply.keep || !whole {
            return Ok(());
        }
    }
    Ok(())
}

struct Request {
    head: Head,
    chunked: bool,
    close: bool,
    expects: bool,
    http_10: bool,
}

impl Request {
    fn parse(bytes: &[u8], peer: IpAddr, behind_proxy: bool) -> Option<Request> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        if !request.parse(bytes).ok()?.is_complete() {
            return None;
        }
        let all = |name: &'static str| {
            let named = request.headers.iter().filter(move |h| h.name.eq_ignore_ascii_case(name));
            named.map(|h| String::from_utf8_lossy(h.value).trim().to_owned())
        };
        let target = request.path?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let http_10 = request.version == Some(0);
        let connection = all("connection").next().unwrap_or_default().to_ascii_lowercase();
        let lengths: Vec<String> = all("content-length").collect();
        let length = match lengths.as_slice() {
            [] => None,
            [one] => Some(one.parse().ok()?),
            // Two lengths are a trick.
            _ => return None,
        };
        let codings: Vec<String> = all("transfer-encoding").collect();
        let chunked = match codings.as_slice() {
            [] => false,
            [one] if one.eq_ignore_ascii_case("chunked") && length.is_none() => true,
            _ => return None,
        };
        // The last entry is the proxy's own; those before are what the client says.
        let forwarded = all("x-forwarded-for").next_back().unwrap_or_default();
        let forwarded = forwarded.rsplit(',').next().and_then(|entry| entry.trim().parse().ok());
        let address = if behind_proxy { forwarded.or(Some(peer)) } else { Some(peer) };
        let head = Head {
            method: request.method?.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            length,
            address,
        };
        let close = http_10 || connection.contains("close");
        let expects = all("expect").any(|value| value.eq_ignore_ascii_case("100-continue"));
        Some(Request { head, chunked, close, expects, http_10 })
    }
}

struct Answer {
    to: Wire,
    chunked: bool,
    http_10: bool,
    begun: bool,
    keep: bool,
}

impl Answer {
    fn finish(&mut self) -> io::Result<()> {
        if self.begun && self.chunked {
            self.to.until = Instant::now() + SEND_TIME;
            self.to.write_all(b"0\r\n\r\n")?;
        }
        Ok(())
    }
}

impl Reply for Answer {
    fn begin(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        length: Option<u64>,
    ) -> io::Result<()> {
        self.begun = true;
        self.chunked = length.is_none() && !self.http_10;
        let mut head = format!("HTTP/1.1 {status} {}\r\n", phrase(status));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match length {
            Some(length) => head.push_str(&format!("Content-Length: {length}\r\n")),
            None if self.chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
            None => self.keep = false,
        }
        if !self.keep {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        self.to.until = Instant::now() + SEND_TIME;
        self.to.write_all(head.as_bytes())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.to.until = Instant::now() + SEND_TIME;
        if !self.chunked {
            return self.to.write_all(bytes);
        }
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.to.write_all(&chunk)
    }
}
