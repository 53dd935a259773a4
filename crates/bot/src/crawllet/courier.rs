//! Who carries a crawllet to a site, and what comes back?

use bytes::Bytes;
use futures_util::Stream;
use lycosa_model::{FetchError, Headers};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// One POST. Redirects are not followed.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Absolute http(s) address.
    pub url: String,
    /// Headers beyond those that the connection needs.
    pub headers: Headers,
    /// What is sent.
    pub body: Bytes,
    /// Time until the answer begins.
    pub patience: Duration,
    /// Longest silence inside the answer.
    pub silence: Duration,
}

/// An answer that is read as it comes.
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Its body, in pieces.
    pub body: ReplyBody,
}

/// The pieces of a body; an error is the last of them.
pub type ReplyBody = Pin<Box<dyn Stream<Item = Result<Bytes, FetchError>> + Send>>;

/// Carries letters.
pub trait Courier: Send + Sync + 'static {
    /// Carries one.
    fn post<'a>(
        &'a self,
        letter: Letter,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, FetchError>> + Send + 'a>>;
}
