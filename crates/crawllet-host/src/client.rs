//! How does an engine's request look from outside? A small HTTP/1.1 client for `check` and for tests.
//!
//! One connection for a request; bodies are read as they come, which is what `check` wants to see.

use crate::config::Upstream;
use crate::site::web::{Chunks, MAX_HEAD, MAX_HEADERS, Wire, head_bytes};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where requests go.
#[derive(Debug, Clone)]
pub struct Client {
    tls: bool,
    host: String,
    port: u16,
    timeout: Duration,
    /// Certificates that are trusted besides the public ones.
    trusted: Vec<CertificateDer<'static>>,
    /// Time for everything together.
    whole: Option<Duration>,
    /// Where it is instead of where its name leads.
    at: Option<SocketAddr>,
}

/// A request's answer, whose body is still to come.
pub struct Response {
    /// Its status.
    pub status: u16,
    length: Option<u64>,
    chunked: bool,
    from: BufReader<Box<dyn Line>>,
}

trait Line: Read + Write {}

impl<T: Read + Write> Line for T {}

impl Client {
    /// For `http://HOST[:PORT]` or `https://HOST[:PORT]`. `timeout` is that of each read.
    ///
    /// # Errors
    /// If it is no such address.
    pub fn new(url: &str, timeout: Duration) -> Result<Client, String> {
        let wrong = || format!("`{url}` is no address; write https://HOST or http://HOST:PORT");
        let (tls, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(wrong()),
        };
        let authority = rest.trim_end_matches('/');
        let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']'))
        {
            Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
            None => (authority, if tls { 443 } else { 80 }),
        };
        if host.is_empty() || host.contains(['/', '@']) {
            return Err(wrong());
        }
        let (host, trusted) = (host.to_owned(), Vec::new());
        Ok(Client { tls, host, port, timeout, trusted, whole: None, at: None })
    }

    /// The same, and the certificates of a PEM file are trusted too: those of an authority of one's own, or one that
    /// signed itself.
    ///
    /// # Errors
    /// If there is no certificate in it.
    pub fn trusting(mut self, pem: &[u8]) -> Result<Client, String> {
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        self.trusted = found.map_err(|error| format!("no certificate in PEM: {error}"))?;
        if self.trusted.is_empty() { Err("no certificate in PEM".to_owned()) } else { Ok(self) }
    }

    /// The same, connecting to this address whatever the name leads to.
    pub fn at(self, address: SocketAddr) -> Client {
        Client { at: Some(address), ..self }
    }

    fn connect(&self, address: &SocketAddr) -> io::Result<Box<dyn Line>> {
        if let Some(whole) = self.whole {
            let at = Upstream::Tcp(*address);
            return Ok(Box::new(Wire::connect(&at, Instant::now() + whole)?));
        }
        let stream = TcpStream::connect_timeout(address, self.timeout)?;
        stream.set_read_timeout(Some(self.timeout))?;
        stream.set_write_timeout(Some(self.timeout))?;
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }

    /// The same, with a time for a whole request and its answer, and not only for each read.
    pub fn within(self, whole: Duration) -> Client {
        Client { whole: Some(whole), ..self }
    }

    /// Sends a request and reads the head of the answer.
    ///
    /// # Errors
    /// If the server cannot be reached, or does not speak HTTP.
    pub fn send(&self, method: &str, path: &str, body: &[u8]) -> io::Result<Response> {
        let name = self.host.trim_matches(['[', ']']);
        let address = match self.at {
            Some(address) => address,
            None => {
                let address = (name, self.port).to_socket_addrs()?.next();
                address.ok_or_else(|| io::Error::other("the host has no address"))?
            }
        };
        let stream = self.connect(&address)?;
        let mut line = if self.tls { tls(name, stream, &self.trusted)? } else { stream };
        let usual = if self.tls { 443 } else { 80 };
        let port = if self.port == usual { String::new() } else { format!(":{}", self.port) };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}{port}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.host,
            lycosa_crawllet::wire::CONTENT_TYPE,
            body.len()
        );
        line.write_all(head.as_bytes())?;
        // Who refuses a body may answer before it is all there, and close: the answer counts.
        let sent = line.write_all(body).and_then(|()| line.flush());
        let mut from = BufReader::new(line);
        let bytes = match (head_bytes(&mut from, MAX_HEAD), sent) {
            (Ok(bytes), _) => bytes,
            (Err(_), Err(error)) | (Err(error), Ok(())) => return Err(error),
        };
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let no_http = || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP");
        response.parse(&bytes).map_err(|_| no_http())?;
        let header = |name: &str| {
            let found = response.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name));
            found.map(|h| String::from_utf8_lossy(h.value).trim().to_ascii_lowercase())
        };
        Ok(Response {
            status: response.code.ok_or_else(no_http)?,
            length: header("content-length").and_then(|length| length.parse().ok()),
            chunked: header("transfer-encoding").as_deref() == Some("chunked"),
            from,
        })
    }
}

fn tls(
    name: &str,
    stream: Box<dyn Line>,
    trusted: &[CertificateDer<'static>],
) -> io::Result<Box<dyn Line>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in trusted {
        roots.add(certificate.clone()).map_err(io::Error::other)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
    let session = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    Ok(Box::new(StreamOwned::new(session, stream)))
}

impl Response {
    /// Hands over the body as it comes, up to `most` bytes; the rest is not read.
    ///
    /// # Errors
    /// If it breaks off, or `take` fails.
    pub fn each(
        mut self,
        most: u64,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        let mut copy = |from: &mut dyn Read| loop {
            let length = from.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            take(buffer.get(..length).unwrap_or_default())?;
        };
        if self.chunked {
            return copy(&mut Chunks::new(&mut self.from, most));
        }
        copy(&mut self.from.take(self.length.unwrap_or(u64::MAX).min(most)))
    }

    /// The body, up to `most` bytes.
    ///
    /// # Errors
    /// If it breaks off.
    pub fn body(self, most: u64) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        self.each(most, &mut |bytes| {
            body.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(body)
    }
}
