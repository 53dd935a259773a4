//! What does a site get that others do not? Credentials, and leniency with its certificate.
//!
//! Both come from the configuration and belong to one site: scheme, host and port. The header is put on
//! a request here, below everything that archives or logs requests, so that it can be in neither; and
//! since a redirect is a request of its own, it never travels to another site.

use data_encoding::BASE64;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use thiserror::Error;

/// A header that proves who asks.
#[derive(Clone)]
pub struct Credential {
    pub(super) name: HeaderName,
    pub(super) value: HeaderValue,
}

/// Why a credential cannot be sent.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CredentialError {
    /// RFC 7617: the first colon ends the user name.
    #[error("a user name must not hold a colon")]
    Colon,
    /// Not a header, or one that belongs to the connection.
    #[error("it makes no header that can be sent")]
    Header,
}

impl Credential {
    /// Basic authentication (RFC 7617).
    ///
    /// # Errors
    /// If the user name holds a colon.
    pub fn basic(user: &str, password: &str) -> Result<Credential, CredentialError> {
        if user.contains(':') {
            return Err(CredentialError::Colon);
        }
        let plain = BASE64.encode(format!("{user}:{password}").as_bytes());
        Credential::new(AUTHORIZATION, &format!("Basic {plain}"))
    }

    /// A bearer token (RFC 6750).
    ///
    /// # Errors
    /// If the token cannot stand in a header.
    pub fn bearer(token: &str) -> Result<Credential, CredentialError> {
        Credential::new(AUTHORIZATION, &format!("Bearer {token}"))
    }

    /// Any header, as in `X-Api-Key: secret`.
    ///
    /// # Errors
    /// If this is no header, or one that belongs to the connection.
    pub fn header(line: &str) -> Result<Credential, CredentialError> {
        let (name, value) = line.split_once(':').ok_or(CredentialError::Header)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes());
        let name = name.map_err(|_| CredentialError::Header)?;
        if super::CONNECTION_HEADERS.contains(&name) {
            return Err(CredentialError::Header);
        }
        Credential::new(name, value.trim())
    }

    fn new(name: HeaderName, value: &str) -> Result<Credential, CredentialError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| CredentialError::Header)?;
        value.set_sensitive(true);
        Ok(Credential { name, value })
    }
}

/// Names the header and hides its value.
impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credential({})", self.name)
    }
}

/// What one site gets.
#[derive(Clone, Debug, Default)]
pub struct SiteAccess {
    /// Sent with every request to the site.
    pub credential: Option<Credential>,
    /// Whether a certificate that is expired, self-signed or for another name will do.
    pub accept_invalid_certificate: bool,
}
