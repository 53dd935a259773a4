//! What does the site's own web server answer?
//!
//! Plain HTTP/1.1 to one address, over one connection that is kept. The host name is the site's, nothing of the
//! crawllet's gets into the head but a path that was checked and the mark of a version; no cookies, no
//! credentials; redirects are answers like others.

use crate::config::Upstream;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// The longest head of an answer.
pub const MAX_HEAD: usize = 64 << 10;

/// The most header lines of an answer.
pub const MAX_HEADERS: usize = 128;

/// The longest mark of a version that is sent along.
pub const MAX_ETAG: usize = 512;

/// Interim answers (1xx) before the one that counts.
const MAX_INTERIM: usize = 8;

/// An answer of the web server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body, in no coding.
    pub body: Vec<u8>,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    /// The server cannot be reached, is too slow, or does not speak HTTP.
    NoAnswer(String),
    /// The body is larger than allowed.
    TooLarge,
}

/// The web server, with the connection to it.
pub struct Web {
    at: Upstream,
    authority: String,
    agent: String,
    max_body: u64,
    timeout: Duration,
    /// Nothing is waited for beyond this.
    until: Option<Instant>,
    line: Option<BufReader<Wire>>,
}

impl Answer {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is meant for one visitor only, or for none: then no crawllet sees it.
    pub fn is_private(&self) -> bool {
        let control = self.headers.iter().filter(|(name, _)| name == "cache-control");
        let mut words = control.flat_map(|(_, value)| value.split(','));
        let closed = words.any(|word| {
            let word = word.split('=').next().unwrap_or_default().trim();
            word.eq_ignore_ascii_case("private") || word.eq_ignore_ascii_case("no-store")
        });
        closed || self.header("set-cookie").is_some() || matches!(self.status, 401 | 403 | 407)
    }
}

impl Web {
    /// The web server at `at` for the site `authority`; `agent` says who asks.
    pub fn new(
        at: Upstream,
        authority: &str,
        agent: &str,
        max_body: u64,
        timeout: Duration,
    ) -> Web {
        let clean = |text: &str| text.chars().filter(|c| !c.is_control()).collect();
        let (authority, agent) = (clean(authority), clean(agent));
        Web { at, authority, agent, max_body, timeout, until: None, line: None }
    }

    /// The same, for a job that ends at that time.
    pub fn until(self, until: Instant) -> Web {
        Web { until: Some(until), ..self }
    }

    /// Asks for `path`, which is a path with query as it stands in a request line; with the mark of a version,
    /// the answer may be 304.
    ///
    /// # Errors
    /// If there is no answer, or too large a one.
    pub fn get(&mut self, path: &str, etag: Option<&str>) -> Result<Answer, Missed> {
        let until = Instant::now() + self.timeout;
        let until = self.until.map_or(until, |end| until.min(end));
        let kept = self.line.is_some();
        match self.attempt(path, etag, until) {
            // A kept connection may have been closed meanwhile: that says nothing about the server.
            Err(Missed::NoAnswer(_)) if kept && Instant::now() < until => {
                self.line = None;
                self.attempt(path, etag, until)
            }
            result => result,
        }
    }

    fn attempt(
        &mut self,
        path: &str,
        etag: Option<&str>,
        until: Instant,
    ) -> Result<Answer, Missed> {
        let broken = |error: io::Error| Missed::NoAnswer(error.to_string());
        let mut line = match self.line.take() {
            Some(line) => line,
            None => {
                BufReader::with_capacity(32 << 10, Wire::connect(&self.at, until).map_err(broken)?)
            }
        };
        line.get_mut().until = until;
        let mut head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nAccept: */*\r\nAccept-Encoding: identity\r\n",
            self.authority, self.agent
        );
        if let Some(etag) = etag {
            head.push_str(&format!("If-None-Match: {etag}\r\n"));
        }
        head.push_str("\r\n");
        line.get_mut().write_all(head.as_bytes()).map_err(broken)?;

        let (status, headers) = read_head(&mut line).map_err(broken)?;
        let mut answer = Answer { status, headers, body: Vec::new() };
        let (body, whole) = read_body(&mut line, &answer, self.max_body)?;
        answer.body = body;
        let coded = answer.header("content-encoding").is_some_and(|coding| {
            !coding.trim().is_empty() && !coding.trim().eq_ignore_ascii_case("identity")
        });
        if coded {
            return Err(Missed::NoAnswer("a coded body where none was asked for".to_owned()));
        }
        let closes = answer
            .header("connection")
            .is_some_and(|value| value.to_ascii_lowercase().contains("close"));
        if whole && !closes {
            self.line = Some(line);
        }
        Ok(answer)
    }
}

fn nonsense(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

type Head = (u16, Vec<(String, String)>);

fn read_head(line: &mut BufReader<Wire>) -> io::Result<Head> {
    for _ in 0..=MAX_INTERIM {
        let bytes = head_bytes(line, MAX_HEAD)?;
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(&bytes).map_err(|_| nonsense("the answer is not HTTP"))?;
        let (Some(status), true) = (response.code, parsed.is_complete()) else {
            return Err(nonsense("the answer is not HTTP"));
        };
        if (100..200).contains(&status) {
            continue;
        }
        let mut headers: Vec<(String, String)> = response
            .headers
            .iter()
            .map(|h| (h.name.to_ascii_lowercase(), String::from_utf8_lossy(h.value).into_owned()))
            .collect();
        if response.version == Some(0) {
            headers.push(("connection".to_owned(), "close".to_owned()));
        }
        return Ok((status, headers));
    }
    Err(nonsense("too many interim answers"))
}

/// The bytes of a head, with its empty line. Also for requests.
pub(crate) fn head_bytes(from: &mut dyn BufRead, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let room = most.saturating_sub(bytes.len());
        let before = bytes.len();
        let read = from.take(room as u64).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            let empty = bytes.is_empty();
            let kind =
                if empty { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::InvalidData };
            return Err(io::Error::new(kind, "the head is cut short or too long"));
        }
        let line = bytes.get(before..).unwrap_or_default();
        if line == b"\r\n" || line == b"\n" {
            // Empty lines before a head are allowed, and meaningless.
            if before == 0 {
                bytes.clear();
                continue;
            }
            return Ok(bytes);
        }
    }
}

/// The body, and whether the connection can be used again.
fn read_body(
    line: &mut BufReader<Wire>,
    answer: &Answer,
    most: u64,
) -> Result<(Vec<u8>, bool), Missed> {
    let broken = |error: io::Error| Missed::NoAnswer(error.to_string());
    if matches!(answer.status, 204 | 304) {
        return Ok((Vec::new(), true));
    }
    let chunked = answer
        .header("transfer-encoding")
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("chunked"));
    let mut body = Vec::new();
    if chunked {
        let mut chunks = Chunks::new(line, most + 1);
        chunks.read_to_end(&mut body).map_err(broken)?;
        let whole = chunks.is_done();
        if body.len() as u64 > most {
            return Err(Missed::TooLarge);
        }
        return if whole {
            Ok((body, true))
        } else {
            Err(Missed::NoAnswer("cut short".to_owned()))
        };
    }
    let length = answer.header("content-length").map(|text| text.trim().parse::<u64>());
    match length {
        Some(Ok(length)) if length > most => Err(Missed::TooLarge),
        Some(Ok(length)) => {
            line.take(length).read_to_end(&mut body).map_err(broken)?;
            if body.len() as u64 == length {
                Ok((body, true))
            } else {
                Err(Missed::NoAnswer("cut short".to_owned()))
            }
        }
        Some(Err(_)) => Err(Missed::NoAnswer("a length that is no number".to_owned())),
        None => {
            line.take(most + 1).read_to_end(&mut body).map_err(broken)?;
            if body.len() as u64 > most { Err(Missed::TooLarge) } else { Ok((body, false)) }
        }
    }
}

/// A body in chunks, up to a limit. Also for requests.
pub(crate) struct Chunks<'a> {
    from: &'a mut dyn BufRead,
    /// Left of the chunk.
    left: u64,
    /// Left of the limit.
    most: u64,
    started: bool,
    done: bool,
}

/// The longest line between chunks, and the most lines after the last.
const MAX_CHUNK_LINE: u64 = 1 << 10;
const MAX_TRAILERS: usize = 32;

impl<'a> Chunks<'a> {
    pub(crate) fn new(from: &'a mut dyn BufRead, most: u64) -> Chunks<'a> {
        Chunks { from, left: 0, most, started: false, done: false }
    }

    /// Whether the last chunk was seen.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.from.take(MAX_CHUNK_LINE).read_line(&mut line)?;
        if line.ends_with('\n') { Ok(line) } else { Err(nonsense("a chunk is cut short")) }
    }

    fn next_chunk(&mut self) -> io::Result<()> {
        if self.started && !self.line()?.trim().is_empty() {
            return Err(nonsense("a chunk is longer than it says"));
        }
        self.started = true;
        let line = self.line()?;
        let size = line.split(';').next().unwrap_or_default().trim();
        self.left = u64::from_str_radix(size, 16).map_err(|_| nonsense("a chunk without size"))?;
        if self.left == 0 {
            for _ in 0..MAX_TRAILERS {
                if self.line()?.trim().is_empty() {
                    self.done = true;
                    return Ok(());
                }
            }
            return Err(nonsense("too many lines after the last chunk"));
        }
        Ok(())
    }
}

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done || self.most == 0 || buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            self.next_chunk()?;
            if self.done {
                return Ok(0);
            }
        }
        let most = self.left.min(self.most).min(buffer.len() as u64);
        let room = usize::try_from(most).unwrap_or(buffer.len());
        let read = self.from.read(buffer.get_mut(..room).unwrap_or_default())?;
        if read == 0 {
            return Err(nonsense("a chunk is cut short"));
        }
        self.left -= read as u64;
        self.most -= read as u64;
        Ok(read)
    }
}

/// A connection with a deadline for all that is read and written.
pub(crate) struct Wire {
    stream: Stream,
    pub(crate) until: Instant,
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Wire {
    /// Connects, in the time there is.
    pub(crate) fn connect(at: &Upstream, until: Instant) -> io::Result<Wire> {
        let stream = match at {
            Upstream::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, left(until)?)?;
                stream.set_nodelay(true)?;
                Stream::Tcp(stream)
            }
            Upstream::Unix(path) => Stream::Unix(UnixStream::connect(path)?),
        };
        Ok(Wire { stream, until })
    }

    /// A connection that was accepted.
    pub(crate) fn accepted(stream: TcpStream, until: Instant) -> Wire {
        Wire { stream: Stream::Tcp(stream), until }
    }
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Runs out as what it is, and not as "would block".
fn timed(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = Some(left(self.until)?);
        match &mut self.stream {
            Stream::Tcp(stream) => stream.set_read_timeout(left).and_then(|()| stream.read(buffer)),
            Stream::Unix(stream) => {
                stream.set_read_timeout(left).and_then(|()| stream.read(buffer))
            }
        }
        .map_err(timed)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = Some(left(self.until)?);
        match &mut self.stream {
            Stream::Tcp(stream) => {
                stream.set_write_timeout(left).and_then(|()| stream.write(bytes))
            }
            Stream::Unix(stream) => {
                stream.set_write_timeout(left).and_then(|()| stream.write(bytes))
            }
        }
        .map_err(timed)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
