//! What bounds a fetch?

use super::SiteAccess;
use lycosa_model::Site;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;
use url::Url;

/// The HTTP/1 parser needs at least this much room for a head.
pub(super) const MIN_HEADER_BYTES: usize = 8 * 1024;

/// Bounds and choices of the live web. The whole exchange is bounded by the ask's own timeout
/// besides, and the body by its `max_body`.
#[derive(Clone, Debug)]
pub struct LiveSettings {
    /// Time to resolve a name. Default 10 s.
    pub dns_timeout: Duration,
    /// Time for each address to accept the connection, and again for the TLS handshake.
    /// Default 10 s.
    pub connect_timeout: Duration,
    /// Time from the connection to the end of the response headers. Default 20 s.
    pub first_byte_timeout: Duration,
    /// Longest silence inside a body. Default 20 s.
    pub idle_read_timeout: Duration,
    /// Least bytes per second of a body, on average over [`rate_window`](Self::rate_window).
    /// Default 256; 0 lets any drip go on to the end of its time.
    pub min_rate: u64,
    /// How long a body may be slow before it is judged. Default 10 s.
    pub rate_window: Duration,
    /// Largest response head, in bytes; values under 8 KiB count as 8 KiB. Default 64 KiB.
    pub max_header_bytes: usize,
    /// Most header lines in a response. Default 256.
    pub max_headers: usize,
    /// Idle connections kept for a site. Default 2; 0 turns keep-alive off.
    pub max_idle_per_site: usize,
    /// How long an idle connection is kept. Default 20 s: longer than the usual delay between two
    /// visits to a site, and short enough for sites that are done with.
    pub idle_timeout: Duration,
    /// Whether private, loopback, link-local and metadata addresses may be asked. Default no.
    pub allow_private: bool,
    /// PEM file of certificates to trust besides Mozilla's roots. Default none.
    pub extra_roots: Option<PathBuf>,
    /// Forward proxy: `http://`, `socks5://` or `socks5h://`, then `[user:password@]host[:port]`.
    /// Default none.
    ///
    /// With `socks5://` names are resolved here, and the guard holds as without a proxy. With the
    /// others the proxy resolves them, so the guard can refuse only what the URL itself shows: literal
    /// addresses and `localhost`. Such a proxy, if it can reach private networks, must guard them.
    pub proxy: Option<Url>,
    /// What single sites get: credentials, and leniency with their certificates. Default none.
    pub sites: HashMap<Site, SiteAccess>,
}

impl Default for LiveSettings {
    fn default() -> LiveSettings {
        LiveSettings {
            dns_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(20),
            idle_read_timeout: Duration::from_secs(20),
            min_rate: 256,
            rate_window: Duration::from_secs(10),
            max_header_bytes: 64 * 1024,
            max_headers: 256,
            max_idle_per_site: 2,
            idle_timeout: Duration::from_secs(20),
            allow_private: false,
            extra_roots: None,
            proxy: None,
            sites: HashMap::new(),
        }
    }
}

/// Why the live web cannot be set up.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The file of extra root certificates is of no use.
    #[error("{}: {reason}", path.display())]
    Roots {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The proxy cannot be used.
    #[error("the proxy cannot be used: {reason}")]
    Proxy {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls {
        /// What the TLS library said.
        source: rustls::Error,
    },
}
