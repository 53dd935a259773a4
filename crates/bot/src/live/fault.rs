//! Which named outcome does a failure stand for?
//!
//! The connector fails with a type of its own, and hyper's errors have predicates, so that no
//! message text is ever compared.

use lycosa_model::FetchError;
use std::error::Error;
use std::io;
use std::net::IpAddr;
use thiserror::Error;

/// Why there is no connection.
#[derive(Debug, Error)]
pub(super) enum ConnectFault {
    #[error("the URL has no host to connect to")]
    NoHost,
    #[error("the name was not resolved")]
    Resolve(#[source] io::Error),
    #[error("the name has no address")]
    NoAddress,
    #[error("{0} is not a public address")]
    Private(IpAddr),
    #[error("no address accepts connections")]
    Dial(#[source] io::Error),
    #[error("the TLS handshake failed")]
    Tls(#[source] io::Error),
    #[error("the host cannot be named in TLS")]
    TlsName,
    #[error("the proxy broke off")]
    ProxyIo(#[source] io::Error),
    #[error("the proxy did not open a tunnel")]
    ProxyRefused,
    #[error("{0} took too long")]
    Slow(&'static str),
}

impl ConnectFault {
    pub(super) fn outcome(&self) -> FetchError {
        match self {
            ConnectFault::NoHost => FetchError::Protocol,
            ConnectFault::Resolve(_) | ConnectFault::NoAddress => FetchError::Dns,
            ConnectFault::Private(_) => FetchError::PrivateAddress,
            ConnectFault::Dial(_) | ConnectFault::ProxyIo(_) | ConnectFault::ProxyRefused => {
                FetchError::Connect
            }
            ConnectFault::Tls(_) | ConnectFault::TlsName => FetchError::Tls,
            ConnectFault::Slow(_) => FetchError::Timeout,
        }
    }
}

/// The outcome of an error from the pooled client or from a body.
///
/// The innermost cause that has a name decides; whatever else goes wrong on an open connection is
/// a matter of protocol.
pub(super) fn outcome(error: &(dyn Error + 'static)) -> FetchError {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    let named = causes.filter_map(|cause| {
        if let Some(fault) = cause.downcast_ref::<ConnectFault>() {
            return Some(fault.outcome());
        }
        let error = cause.downcast_ref::<hyper::Error>()?;
        if error.is_parse_too_large() {
            Some(FetchError::TooLarge)
        } else if error.is_timeout() {
            Some(FetchError::Timeout)
        } else {
            None
        }
    });
    named.last().unwrap_or(FetchError::Protocol)
}
