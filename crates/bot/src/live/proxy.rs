//! How is a site reached through a forward proxy?
//!
//! An HTTP proxy gets plain requests in absolute form; for TLS it opens a tunnel (`CONNECT`, RFC 9110,
//! 9.3.6) and sees only names and sizes. A SOCKS5 proxy opens a tunnel for everything.
//!
//! Who resolves the names decides what the guard can judge: with `socks5://` we do, and the guard holds
//! as without a proxy; with `http://` and `socks5h://` the proxy does, and only addresses that the URL
//! itself shows are judged here.

use super::LiveError;
use super::fault::ConnectFault;
use super::socks::Login;
use data_encoding::{BASE64, HEXUPPER_PERMISSIVE};
use http::HeaderValue;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// Longest reply to `CONNECT`, in bytes.
const MAX_REPLY: usize = 8 * 1024;

/// Port of a SOCKS proxy whose URL names none (RFC 1928, 3).
const SOCKS_PORT: u16 = 1080;

/// Longest user name and password of SOCKS (RFC 1929).
const MAX_SOCKS_LOGIN: usize = 255;

/// A forward proxy.
#[derive(Clone, Debug)]
pub(super) struct Proxy {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) kind: Kind,
}

/// What a proxy speaks.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Http {
        /// Value of `Proxy-Authorization`.
        credentials: Option<HeaderValue>,
    },
    Socks {
        login: Option<Login>,
        /// Whether names are resolved here, so that the guard can judge their addresses.
        resolve_here: bool,
    },
}

impl Proxy {
    /// Reads `http://`, `socks5://` or `socks5h://`, then `[user:password@]host[:port]`; the port is
    /// 80 or 1080 unless given.
    pub(super) fn from_url(url: &Url) -> Result<Proxy, LiveError> {
        let bad = |reason| LiveError::Proxy { reason };
        let (kind, port) = match url.scheme() {
            "http" => {
                let credentials = credentials(url);
                let credentials = credentials.map_err(|_| bad("its credentials cannot be sent"))?;
                (Kind::Http { credentials }, url.port_or_known_default())
            }
            scheme @ ("socks5" | "socks5h") => {
                let login = login(url).map_err(|()| bad("its credentials are too long"))?;
                let resolve_here = scheme == "socks5";
                (Kind::Socks { login, resolve_here }, url.port().or(Some(SOCKS_PORT)))
            }
            _ => return Err(bad("only http://, socks5:// and socks5h:// proxies are spoken to")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(bad("it names no host"))?;
        Ok(Proxy {
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: port.ok_or(bad("it names no port"))?,
            kind,
        })
    }

    /// Whether plain requests are given to the proxy to forward.
    pub(super) fn forwards(&self) -> bool {
        matches!(self.kind, Kind::Http { .. })
    }

    /// The value of `Proxy-Authorization` for requests that the proxy forwards.
    pub(super) fn forwarding_credentials(&self) -> Option<&HeaderValue> {
        match &self.kind {
            Kind::Http { credentials } => credentials.as_ref(),
            Kind::Socks { .. } => None,
        }
    }

    /// Asks for a tunnel to the site and waits until it is open.
    ///
    /// # Errors
    /// If the proxy breaks off or does not open it.
    pub(super) async fn open_tunnel(
        tcp: &mut TcpStream,
        credentials: Option<&HeaderValue>,
        host: &str,
        port: u16,
    ) -> Result<(), ConnectFault> {
        let site = match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let mut request = format!("CONNECT {site} HTTP/1.1\r\nHost: {site}\r\n").into_bytes();
        if let Some(credentials) = credentials {
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

fn login(url: &Url) -> Result<Option<Login>, ()> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let user = percent_decoded(url.username());
    let password = percent_decoded(url.password().unwrap_or_default());
    let fits = user.len().max(password.len()) <= MAX_SOCKS_LOGIN;
    if fits { Ok(Some(Login { user, password })) } else { Err(()) }
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
