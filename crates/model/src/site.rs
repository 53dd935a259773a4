//! What is a site? Scheme and authority: the unit of politeness.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use url::Url;

/// Scheme and authority of a URL, as in `https://example.org` or `http://example.org:8080`.
/// Default ports are left out, so two spellings of one origin are one site.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Site(Arc<str>);

impl Site {
    /// The site of an http(s) URL; `None` for every other scheme and for a URL without host.
    pub fn of(url: &Url) -> Option<Site> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let host = url.host_str().filter(|host| !host.is_empty())?;
        let text = match url.port() {
            Some(port) => format!("{}://{host}:{port}", url.scheme()),
            None => format!("{}://{host}", url.scheme()),
        };
        Some(Site(text.into()))
    }

    /// The site whose text form this is. Only for what a parser wrote, or would write: see
    /// [`as_str`](Site::as_str).
    pub fn of_usual(text: &str) -> Site {
        Site(text.into())
    }

    /// The text form, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host name, with its port if that is not the default.
    pub fn authority(&self) -> &str {
        self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest)
    }

    /// The host name, without scheme and port.
    pub fn host(&self) -> &str {
        let authority = self.authority();
        if authority.starts_with('[') {
            return authority.split_inclusive(']').next().unwrap_or(authority);
        }
        authority.split(':').next().unwrap_or(authority)
    }

    /// Where this site keeps its robots.txt.
    pub fn robots_url(&self) -> String {
        format!("{}/robots.txt", self.0)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({})", self.0)
    }
}
