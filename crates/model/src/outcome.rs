//! How did an attempt end? Outcomes are data: a 404 or a refusal is an answer, not an error.

use crate::{TlsFault, Trap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why no usable response came back.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FetchError {
    /// The name has no address.
    Dns,
    /// Nobody answers at the address.
    Connect,
    /// The TLS handshake or the certificate failed.
    Tls(TlsFault),
    /// A limit of time ran out.
    Timeout,
    /// The peer broke HTTP or cut the connection.
    Protocol,
    /// The address is private, loopback, link-local or a metadata service, and that was not allowed.
    PrivateAddress,
    /// Bytes come more slowly than allowed.
    TooSlow,
    /// The head has more bytes or lines than allowed, or never ends.
    HeadTooLarge,
    /// The body is larger than allowed.
    TooLarge,
    /// The body decompresses to more than allowed.
    Bomb,
    /// The content coding is unknown or broken.
    Encoding,
    /// The filter could not read the page.
    Filter,
}

/// The named end of an attempt on a URL, or of the decision not to attempt it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A 2xx response with its body.
    Fetched,
    /// 304: the copy we have is still right.
    NotModified,
    /// A 3xx response; the target is reported as a link.
    Redirect,
    /// A 4xx response.
    ClientError,
    /// A 5xx response.
    ServerError,
    /// Any other status.
    OddStatus,
    /// robots.txt forbids it.
    RobotsDisallowed,
    /// robots.txt could not be read (5xx, timeout), which means disallow.
    RobotsUnreachable,
    /// A chain of redirects was longer than allowed.
    RedirectLimit,
    /// No response.
    Failed(FetchError),
    /// A page, but the one by which its site says that there is no such page.
    SoftNotFound,
    /// A page, but the same as at another address.
    SameAs,
    /// Not worth asking for.
    Trap(Trap),
    /// A person wants it left alone.
    Excluded,
    /// Its site takes no crawllets, and the crawl is to ask no other sites.
    NoCrawllet,
}

impl Outcome {
    /// The outcome that an HTTP status stands for.
    pub fn of_status(status: u16) -> Outcome {
        match status {
            200..=299 => Outcome::Fetched,
            304 => Outcome::NotModified,
            301..=303 | 307 | 308 => Outcome::Redirect,
            400..=499 => Outcome::ClientError,
            500..=599 => Outcome::ServerError,
            _ => Outcome::OddStatus,
        }
    }

    /// Whether asking again later may help.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Outcome::ServerError
                | Outcome::RobotsUnreachable
                // Until the person thinks better of it.
                | Outcome::Excluded
                // Until the crawl, or the site, does it another way.
                | Outcome::NoCrawllet
                | Outcome::Failed(
                    FetchError::Dns
                        | FetchError::Connect
                        | FetchError::Timeout
                        | FetchError::Protocol
                        | FetchError::Tls(_)
                )
        )
    }

    /// Whether a copy of the page is now known to be right.
    pub fn is_success(self) -> bool {
        matches!(self, Outcome::Fetched | Outcome::NotModified)
    }

    /// One phrase for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Outcome::Fetched => "it was fetched",
            Outcome::NotModified => "it has not changed since the last visit",
            Outcome::Redirect => "it leads to another address",
            Outcome::ClientError => "the server says there is no such page for us",
            Outcome::ServerError => "the server failed on it",
            Outcome::OddStatus => "the server answered with a status that makes no sense here",
            Outcome::RobotsDisallowed => "robots.txt forbids it",
            Outcome::RobotsUnreachable => {
                "robots.txt of its site cannot be read, which forbids all"
            }
            Outcome::RedirectLimit => "too many redirects led to it",
            Outcome::Failed(FetchError::Dns) => "the name of its site has no address (dns_failed)",
            Outcome::Failed(FetchError::Connect) => {
                "nobody answers at its address (connect_failed)"
            }
            Outcome::Failed(FetchError::Tls(fault)) => fault.explain(),
            Outcome::Failed(FetchError::Timeout) => "it took too long (timeout)",
            Outcome::Failed(FetchError::Protocol) => "the server broke HTTP (protocol_error)",
            Outcome::Failed(FetchError::PrivateAddress) => {
                "its address is private or loopback (private_address); --allow-private allows it"
            }
            Outcome::Failed(FetchError::TooSlow) => "it came more slowly than allowed (too_slow)",
            Outcome::Failed(FetchError::HeadTooLarge) => {
                "the head of the answer is larger than allowed (head_too_large)"
            }
            Outcome::Failed(FetchError::TooLarge) => "it is larger than allowed (too_large)",
            Outcome::Failed(FetchError::Bomb) => {
                "it decompresses to more than allowed (decompression_bomb)"
            }
            Outcome::Failed(FetchError::Encoding) => {
                "its content coding cannot be undone (bad_encoding)"
            }
            Outcome::Failed(FetchError::Filter) => "the filter failed on it (filter_failed)",
            Outcome::SoftNotFound => {
                "its site answers so for pages that never were, with status 200 (soft_404)"
            }
            Outcome::SameAs => "it is the same page as at another address (same_as)",
            Outcome::Trap(trap) => trap.explain(),
            Outcome::Excluded => "it is excluded by hand (excluded)",
            Outcome::NoCrawllet => {
                "its site takes no crawllets, and --crawllets only leaves such sites (no_crawllet)"
            }
        }
    }

    /// The name in traces, metrics and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Fetched => "fetched",
            Outcome::NotModified => "not_modified",
            Outcome::Redirect => "redirect",
            Outcome::ClientError => "client_error",
            Outcome::ServerError => "server_error",
            Outcome::OddStatus => "odd_status",
            Outcome::RobotsDisallowed => "robots_disallowed",
            Outcome::RobotsUnreachable => "robots_unreachable",
            Outcome::RedirectLimit => "redirect_limit",
            Outcome::Failed(FetchError::Dns) => "dns_failed",
            Outcome::Failed(FetchError::Connect) => "connect_failed",
            Outcome::Failed(FetchError::Tls(_)) => "tls_failed",
            Outcome::Failed(FetchError::Timeout) => "timeout",
            Outcome::Failed(FetchError::Protocol) => "protocol_error",
            Outcome::Failed(FetchError::PrivateAddress) => "private_address",
            Outcome::Failed(FetchError::TooSlow) => "too_slow",
            Outcome::Failed(FetchError::HeadTooLarge) => "head_too_large",
            Outcome::Failed(FetchError::TooLarge) => "too_large",
            Outcome::Failed(FetchError::Bomb) => "decompression_bomb",
            Outcome::Failed(FetchError::Encoding) => "bad_encoding",
            Outcome::Failed(FetchError::Filter) => "filter_failed",
            Outcome::SoftNotFound => "soft_404",
            Outcome::SameAs => "same_as",
            Outcome::Trap(trap) => trap.name(),
            Outcome::Excluded => "excluded",
            Outcome::NoCrawllet => "no_crawllet",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
