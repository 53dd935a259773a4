//! Which addresses does a name have?

use super::guard;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::pin::Pin;

/// What a resolver comes back with: addresses in the order in which to try them.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// The port to DNS.
///
/// An implementation need not judge what it finds: the connector checks every address against the
/// guard and connects to none but those it checked.
pub trait Resolve: Send + Sync + 'static {
    /// The addresses of a name. No address, or an error, means that the name cannot be reached.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The resolver of the operating system, which also reads `/etc/hosts`. It keeps no cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The addresses of the host of a URL: a literal is itself, some names are known without asking
/// (RFC 6761), the rest is the resolver's.
pub(super) async fn addresses(resolver: &dyn Resolve, host: &str) -> io::Result<Vec<IpAddr>> {
    if let Ok(literal) = host.parse::<IpAddr>() {
        return Ok(vec![literal]);
    }
    if guard::is_localhost(host) {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    if guard::is_nowhere(host) {
        return Err(io::ErrorKind::NotFound.into());
    }
    resolver.resolve(host).await
}
