//! How is the web asked? The port that the live fetcher and the replayed archive both serve.

use bytes::Bytes;
use lycosa_model::{FetchError, Headers};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

/// One GET request. Redirects are not followed: each hop is a lease of its own.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Absolute http(s) address.
    pub url: String,
    /// Headers beyond those that the connection needs (`Host`).
    pub headers: Headers,
    /// Largest body as received.
    pub max_body: u64,
    /// Whether a larger body is cut there. Otherwise it is refused (`FetchError::TooLarge`).
    pub cut: bool,
    /// Time for the whole exchange.
    pub timeout: Duration,
}

/// One response, its body as received (content coding still on, transfer coding off).
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// `1.0`, `1.1` or `2`.
    pub version: &'static str,
    /// Headers as received.
    pub headers: Headers,
    /// Body.
    pub body: Bytes,
    /// Address of the peer.
    pub ip: Option<IpAddr>,
    /// Whether the body goes on and was cut, as [`Ask::cut`] allows.
    pub cut: bool,
    /// From request to the last byte.
    pub took: Duration,
    /// Whether this is an answer of the web. A replay that has no capture answers 404 of its own,
    /// which must not be archived.
    pub captured: bool,
}

impl Answer {
    /// The answer as it was asked for: a body that is larger is cut or refused.
    ///
    /// # Errors
    /// [`FetchError::TooLarge`], unless [`Ask::cut`] is set.
    pub fn within(mut self, ask: &Ask) -> Result<Answer, FetchError> {
        if self.body.len() as u64 <= ask.max_body {
            return Ok(self);
        }
        if !ask.cut {
            return Err(FetchError::TooLarge);
        }
        self.body.truncate(usize::try_from(ask.max_body).unwrap_or(usize::MAX));
        self.cut = true;
        Ok(self)
    }
}

/// The web, live or replayed.
pub trait Web: Send + Sync + 'static {
    /// Asks once.
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>>;
}
