//! How do requests come in, and answers go out?
//!
//! By CGI, or by our own small server. Both give the same [`Head`], a body to read and a [`Reply`] to write; what
//! is done with them is the business of the door.

pub mod cgi;
pub mod serve;

use std::io;
use std::net::IpAddr;

/// The head of a request, as far as it matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `GET`, `POST`.
    pub method: String,
    /// Path, without query.
    pub path: String,
    /// What follows `?`.
    pub query: String,
    /// Length of the body, if the client says it.
    pub length: Option<u64>,
    /// Address of the client, if known.
    pub address: Option<IpAddr>,
}

/// Where the answer goes.
pub trait Reply {
    /// Begins the answer. `length` is that of the body, if known.
    ///
    /// # Errors
    /// If the client is gone.
    fn begin(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        length: Option<u64>,
    ) -> io::Result<()>;

    /// Sends part of the body, at once.
    ///
    /// # Errors
    /// If the client is gone.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// What follows the number of a status.
pub(crate) fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
