//! How is a site reached through a forward proxy?
//!
//! Plain requests are sent to the proxy in absolute form; for TLS the proxy opens a tunnel
//! (`CONNECT`, RFC 9110, 9.3.6) and sees only names and sizes.

use super::LiveError;
use super::fault::ConnectFault;
use data_encoding::{BASE64, HEXUPPER_PERMISSIVE};
use http::HeaderValue;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// Longest reply to `CONNECT`, in bytes.
const MAX_REPLY: usize = 8 * 1024;

/// A forward proxy.
#[derive(Clone, Debug)]
pub(super) struct Proxy {
    pub(super) host: String,
    pub(super) port: u16,
    /// Value of `Proxy-Authorization`.
    pub(super) credentials: Option<HeaderValue>,
}

impl Proxy {
    /// Reads `http://[user:password@]host[:port]`; the port is 80 unless given.
    pub(super) fn from_url(url: &Url) -> Result<Proxy, LiveError> {
        let bad = |reason| LiveError::Proxy { reason };
        if url.scheme() != "http" {
            return Err(bad("only http:// proxies are spoken to"));
        }
        let host = url.host_str().ok_or(bad("it names no host"))?;
        Ok(Proxy {
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: url.port_or_known_default().ok_or(bad("it names no port"))?,
            credentials: credentials(url).map_err(|_| bad("its credentials cannot be sent"))?,
        })
    }

    /// Asks for a tunnel to the site and waits until it is open.
    pub(super) async fn open_tunnel(
        &self,
        tcp: &mut TcpStream,
        host: &str,
        port: u16,
    ) -> Result<(), ConnectFault> {
        let site = match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let mut request = format!("CONNECT {site} HTTP/1.1\r\nHost: {site}\r\n").into_bytes();
        if let Some(credentials) = &self.credentials {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(credentials.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        tcp.write_all(&request).await.map_err(ConnectFault::ProxyIo)?;
        let reply = read_reply(tcp).await.map_err(ConnectFault::ProxyIo)?;
        if is_success(&reply) { Ok(()) } else { Err(ConnectFault::ProxyRefused) }
    }
}

/// Reads one response head. The site speaks only after we did, so nothing may follow the head.
async fn read_reply(tcp: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut reply = Vec::with_capacity(512);
    while !reply.ends_with(b"\r\n\r\n") {
        let room = (MAX_REPLY - reply.len()) as u64;
        if (&mut *tcp).take(room).read_buf(&mut reply).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(reply)
}

fn is_success(reply: &[u8]) -> bool {
    reply.starts_with(b"HTTP/1.")
        && reply.get(8..10) == Some(b" 2")
        && reply.get(10..12).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
}

fn credentials(url: &Url) -> Result<Option<HeaderValue>, http::header::InvalidHeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let mut plain = percent_decoded(url.username());
    plain.push(b':');
    plain.extend(percent_decoded(url.password().unwrap_or_default()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64.encode(&plain)))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// Undoes the percent-encoding that URL parsing puts on user names and passwords.
fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let byte = match (first, tail.first_chunk::<2>()) {
            (b'%', Some(digits)) => HEXUPPER_PERMISSIVE.decode(digits).ok(),
            _ => None,
        };
        match byte {
            Some(byte) => {
                decoded.extend(byte);
                rest = &tail[2..];
            }
            None => {
                decoded.push(*first);
                rest = tail;
            }
        }
    }
    decoded
}
