//! Which named outcome does a failure stand for?
//!
//! The connector fails with a type of its own, and hyper's errors have predicates, so that no
//! message text is ever compared.

use lycosa_model::{FetchError, TlsFault};
use rustls::{AlertDescription, CertificateError};
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
            ConnectFault::Tls(error) => {
                FetchError::Tls(tls_cause(error).map_or(TlsFault::Aborted, tls_fault))
            }
            ConnectFault::TlsName => FetchError::Tls(TlsFault::WrongName),
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
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            if is_flood(error) {
                return Some(FetchError::HeadTooLarge);
            }
            return tls_cause(error).map(|cause| FetchError::Tls(tls_fault(cause)));
        }
        let error = cause.downcast_ref::<hyper::Error>()?;
        if error.is_parse_too_large() {
            Some(FetchError::HeadTooLarge)
        } else if error.is_timeout() {
            Some(FetchError::Timeout)
        } else {
            None
        }
    });
    named.last().unwrap_or(FetchError::Protocol)
}

/// A server sends interim responses (1xx) and no end of them.
#[derive(Debug, Error)]
#[error("more interim responses than allowed")]
pub(super) struct InterimFlood;

fn is_flood(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<InterimFlood>())
}

/// What the TLS library said, if it was the one that failed.
fn tls_cause(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref::<rustls::Error>()
}

/// The fault by which a failure of TLS is known.
fn tls_fault(error: &rustls::Error) -> TlsFault {
    match error {
        rustls::Error::InvalidCertificate(error) => match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                TlsFault::Expired
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                TlsFault::NotYetValid
            }
            CertificateError::UnknownIssuer => TlsFault::UnknownIssuer,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                TlsFault::WrongName
            }
            CertificateError::Revoked => TlsFault::Revoked,
            _ => TlsFault::BadCertificate,
        },
        rustls::Error::NoCertificatesPresented => TlsFault::BadCertificate,
        rustls::Error::AlertReceived(
            AlertDescription::ProtocolVersion
            | AlertDescription::HandshakeFailure
            | AlertDescription::InsufficientSecurity
            | AlertDescription::NoApplicationProtocol,
        )
        | rustls::Error::PeerIncompatible(_)
        | rustls::Error::NoApplicationProtocol => TlsFault::NothingInCommon,
        rustls::Error::AlertReceived(_) => TlsFault::Refused,
        _ => TlsFault::NotTls,
    }
}
