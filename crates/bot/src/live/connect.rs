//! How is a connection made? Resolve, check, dial what was checked, then TLS.
//!
//! The check stands between DNS and `connect`, on the very addresses that are dialled. A name that
//! resolves to a public address when asked once and to a private one when asked again (rebinding)
//! gains nothing, because there is no second time.

use super::fault::ConnectFault;
use super::proxy::{Kind, Proxy};
use super::resolve::{self, Resolve};
use super::socks::{self, Login, Target};
use super::stream::{Socket, Stream};
use super::{LiveError, LiveSettings, guard, tls};
use futures_util::stream::{FuturesUnordered, StreamExt};
use http::Uri;
use http::uri::Scheme;
use hyper_util::rt::TokioIo;
use lycosa_frontier::normal;
use lycosa_model::Site;
use rustls::pki_types::{DnsName, ServerName};
use std::collections::HashSet;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower_service::Service;

/// Most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 6;

/// How long an attempt stays alone before the next address is tried beside it (RFC 8305, 8).
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);

/// Makes connections for the pool.
#[derive(Clone)]
pub(super) struct Connector(Arc<Inner>);

struct Inner {
    resolver: Arc<dyn Resolve>,
    tls: TlsConnector,
    /// For the sites whose certificate is not looked at, if there are any.
    lenient: Option<(TlsConnector, HashSet<Site>)>,
    proxy: Option<Proxy>,
    allow_private: bool,
    dns_timeout: Duration,
    connect_timeout: Duration,
    tunnel_timeout: Duration,
    max_head: usize,
}

impl Connector {
    pub(super) fn new(
        settings: &LiveSettings,
        resolver: Arc<dyn Resolve>,
        proxy: Option<Proxy>,
    ) -> Result<Connector, LiveError> {
        let tls = tls::client_config(settings.extra_roots.as_deref())?;
        Ok(Connector(Arc::new(Inner {
            resolver,
            tls: TlsConnector::from(Arc::new(tls)),
            lenient: lenient(settings)?,
            proxy,
            allow_private: settings.allow_private,
            dns_timeout: settings.dns_timeout,
            connect_timeout: settings.connect_timeout,
            tunnel_timeout: settings.first_byte_timeout,
            max_head: settings.max_header_bytes,
        })))
    }
}

fn lenient(settings: &LiveSettings) -> Result<Option<(TlsConnector, HashSet<Site>)>, LiveError> {
    let forgiven = settings.sites.iter().filter(|(_, access)| access.accept_invalid_certificate);
    let sites: HashSet<Site> = forgiven.map(|(site, _)| site.clone()).collect();
    if sites.is_empty() {
        return Ok(None);
    }
    Ok(Some((TlsConnector::from(Arc::new(tls::lenient_config()?)), sites)))
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = ConnectFault;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<Stream>, ConnectFault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectFault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { inner.connect(&uri).await.map(TokioIo::new) })
    }
}

impl Inner {
    async fn connect(&self, uri: &Uri) -> Result<Stream, ConnectFault> {
        let host = uri.host().ok_or(ConnectFault::NoHost)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let secure = uri.scheme() == Some(&Scheme::HTTPS);
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let (tcp, peer) = match &self.proxy {
            None => {
                let tcp = self.dial(host, port, self.allow_private).await?;
                let peer = tcp.peer_addr().map_err(ConnectFault::Dial)?.ip();
                (tcp, Some(peer))
            }
            Some(proxy) => self.through(proxy, host, port, secure).await?,
        };
        let http_proxy = self.proxy.as_ref().is_some_and(Proxy::forwards);
        let socket = if secure { self.secure(host, port, tcp).await? } else { Socket::Plain(tcp) };
        Ok(Stream::new(socket, peer, http_proxy && !secure, self.max_head))
    }

    /// A connection to the site by way of a proxy, and the site's address where it is known.
    async fn through(
        &self,
        proxy: &Proxy,
        host: &str,
        port: u16,
        secure: bool,
    ) -> Result<(TcpStream, Option<IpAddr>), ConnectFault> {
        match &proxy.kind {
            Kind::Http { credentials } => {
                let mut tcp = self.dial_proxy(proxy).await?;
                if secure {
                    let tunnel = Proxy::open_tunnel(&mut tcp, credentials.as_ref(), host, port);
                    within(self.tunnel_timeout, "opening a tunnel", tunnel).await?;
                }
                Ok((tcp, None))
            }
            Kind::Socks { login, resolve_here: false } => {
                let target = host.parse().map_or(Target::Name(host), Target::Address);
                Ok((self.socks(proxy, login.as_ref(), target, port).await?, None))
            }
            Kind::Socks { login, resolve_here: true } => {
                let mut reason = ConnectFault::NoAddress;
                for ip in self.resolve(host, self.allow_private).await? {
                    let target = Target::Address(ip);
                    match self.socks(proxy, login.as_ref(), target, port).await {
                        Ok(tcp) => return Ok((tcp, Some(ip))),
                        // The site cannot be reached there; perhaps at its next address.
                        Err(fault @ ConnectFault::Dial(_)) => reason = fault,
                        Err(fault) => return Err(fault),
                    }
                }
                Err(reason)
            }
        }
    }

    async fn socks(
        &self,
        proxy: &Proxy,
        login: Option<&Login>,
        target: Target<'_>,
        port: u16,
    ) -> Result<TcpStream, ConnectFault> {
        let mut tcp = self.dial_proxy(proxy).await?;
        let tunnel = socks::connect(&mut tcp, login, target, port);
        within(self.tunnel_timeout, "opening a tunnel", tunnel).await?;
        Ok(tcp)
    }

    /// The proxy is the user's choice and may well be on this machine.
    async fn dial_proxy(&self, proxy: &Proxy) -> Result<TcpStream, ConnectFault> {
        let dialled = self.dial(&proxy.host, proxy.port, true).await;
        dialled.map_err(|fault| match fault {
            ConnectFault::Dial(error) => ConnectFault::ProxyIo(error),
            fault => fault,
        })
    }

    /// The addresses of a host that may be dialled.
    async fn resolve(&self, host: &str, allow_private: bool) -> Result<Vec<IpAddr>, ConnectFault> {
        let resolving = async {
            let found = resolve::addresses(self.resolver.as_ref(), host).await;
            found.map_err(ConnectFault::Resolve)
        };
        let found = within(self.dns_timeout, "resolving the name", resolving).await?;
        checked(&found, allow_private)
    }

    async fn dial(
        &self,
        host: &str,
        port: u16,
        allow_private: bool,
    ) -> Result<TcpStream, ConnectFault> {
        let checked = self.resolve(host, allow_private).await?;
        let addresses = checked.into_iter().map(|ip| SocketAddr::new(ip, port));
        let tcp = dial_first(addresses.collect(), self.connect_timeout).await?;
        tcp.set_nodelay(true).map_err(ConnectFault::Dial)?;
        Ok(tcp)
    }

    async fn secure(&self, host: &str, port: u16, tcp: TcpStream) -> Result<Socket, ConnectFault> {
        let name = tls_name(host).ok_or(ConnectFault::TlsName)?;
        let connector = match &self.lenient {
            Some((lenient, sites))
                if site(host, port).is_some_and(|site| sites.contains(&site)) =>
            {
                lenient
            }
            _ => &self.tls,
        };
        let handshake = async {
            let tls = connector.connect(name, tcp).await;
            tls.map_err(ConnectFault::Tls)
        };
        let tls = within(self.connect_timeout, "the TLS handshake", handshake).await?;
        Ok(Socket::Tls(Box::new(tls)))
    }
}

/// The https site at this host and port.
fn site(host: &str, port: u16) -> Option<Site> {
    let authority = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    normal::parse(&format!("https://{authority}:{port}/")).ok().map(|address| address.site)
}

/// The addresses that may be dialled, in order. Private ones are left out; if no other is there,
/// the first of them is the reason.
pub(super) fn checked(found: &[IpAddr], allow_private: bool) -> Result<Vec<IpAddr>, ConnectFault> {
    let may = |ip: &&IpAddr| allow_private || guard::is_public(**ip);
    let checked: Vec<IpAddr> = found.iter().filter(may).take(MAX_ADDRESSES).copied().collect();
    match (checked.is_empty(), found.first()) {
        (false, _) => Ok(checked),
        (true, Some(&private)) => Err(ConnectFault::Private(private)),
        (true, None) => Err(ConnectFault::NoAddress),
    }
}

/// The first of the addresses that answers. Each has `limit` of time; the next is tried as soon as
/// one fails, or beside it when it keeps silent for a while.
async fn dial_first(
    addresses: Vec<SocketAddr>,
    limit: Duration,
) -> Result<TcpStream, ConnectFault> {
    let mut waiting = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    let mut reason = ConnectFault::NoAddress;
    loop {
        if let Some(address) = waiting.next() {
            attempts.push(timeout(limit, TcpStream::connect(address)));
        }
        let patience = if waiting.len() > 0 { NEXT_ADDRESS_AFTER } else { limit };
        match timeout(patience, attempts.next()).await {
            Ok(Some(Ok(Ok(tcp)))) => return Ok(tcp),
            Ok(Some(Ok(Err(error)))) => reason = ConnectFault::Dial(error),
            Ok(Some(Err(_))) => reason = ConnectFault::Slow("connecting"),
            Ok(None) => return Err(reason),
            Err(_) => {}
        }
    }
}

/// The name to ask for in TLS (SNI) and to find in the certificate. A final dot, which DNS knows
/// and certificates do not, is dropped.
fn tls_name(host: &str) -> Option<ServerName<'static>> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Some(ServerName::IpAddress(ip.into()));
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_owned();
    DnsName::try_from(name).ok().map(ServerName::DnsName)
}

/// The future, or a timeout named after what was being done.
async fn within<T>(
    limit: Duration,
    what: &'static str,
    work: impl Future<Output = Result<T, ConnectFault>>,
) -> Result<T, ConnectFault> {
    timeout(limit, work).await.map_err(|_| ConnectFault::Slow(what))?
}
