//! When are two addresses one URL?
//!
//! An address has two forms. The *request* form is what goes on the wire: the WHATWG serialisation
//! without fragment and without credentials. The *normal* form is only compared and hashed, never
//! requested: crawlers that request what they normalised lose pages. It is the request form with
//!
//! - the dots at the end of the host removed,
//! - percent-encoding in upper case, and unreserved octets (letters, digits, `-._~`) decoded,
//! - an empty query (`?` with nothing after it) removed.
//!
//! What the WHATWG parser already did is in both: scheme and host in lower case, default port gone, dot
//! segments (also `%2e`) resolved, an empty path written `/`, IPv4 in dotted decimal, IDNA as Punycode.
//! Nothing else is touched. Paths keep their case and their slashes, queries keep their order and all
//! their parameters, `www.` stays, `http` and `https` differ: to fold any of these loses pages on some
//! site, and near-duplicates are found by content, not by guessing.

use crate::{percent, usual, whatwg};
use lycosa_model::{Site, UrlId};
use std::ops::Range;
use url::Url;

#[cfg(test)]
mod tests;

/// The longest address that is looked at, in bytes: before parsing and in its request form.
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Why a text is no address that can be crawled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Longer than [`MAX_URL_BYTES`].
    #[error("the address has {0} bytes, more than {MAX_URL_BYTES}")]
    TooLong(usize),
    /// No scheme, and nothing to resolve it against.
    #[error("the address is relative: it needs http:// or https:// in front")]
    Relative,
    /// A scheme other than http and https.
    #[error("the scheme `{0}` is not http or https")]
    Scheme(String),
    /// No host.
    #[error("the address has no host")]
    NoHost,
    /// The WHATWG parser refused it.
    #[error("{0}")]
    Malformed(url::ParseError),
    /// The base of a relative address is no address itself.
    #[error("the base address is unusable: {0}")]
    Base(url::ParseError),
}

impl From<url::ParseError> for UrlError {
    fn from(error: url::ParseError) -> UrlError {
        match error {
            url::ParseError::RelativeUrlWithoutBase => UrlError::Relative,
            url::ParseError::EmptyHost => UrlError::NoHost,
            other => UrlError::Malformed(other),
        }
    }
}

/// An http(s) address in both forms, with the names that follow from it.
#[derive(Clone, Debug)]
pub struct Address {
    /// As it should be requested: WHATWG serialisation, no fragment, no credentials.
    pub request: String,
    /// As it is compared, where that is not the request form.
    normal: Option<Box<str>>,
    /// Digest of the normal form.
    pub id: UrlId,
    /// Scheme and authority of the normal form: the unit of politeness.
    pub site: Site,
    /// Where the path of the request form begins, and where it ends.
    path: Range<usize>,
}

impl PartialEq for Address {
    fn eq(&self, other: &Address) -> bool {
        self.request == other.request
    }
}

impl Eq for Address {}

impl Address {
    /// As it is compared. See the module's documentation.
    pub fn normal(&self) -> &str {
        self.normal.as_deref().unwrap_or(&self.request)
    }

    /// Path and query of the request form, as robots rules and HTTP/1.1 see it.
    pub fn path_and_query(&self) -> &str {
        &self.request[self.path.start..]
    }

    /// Path of the request form.
    pub fn path(&self) -> &str {
        &self.request[self.path.clone()]
    }

    /// Scheme and authority of the request form.
    pub fn origin(&self) -> &str {
        &self.request[..self.path.start]
    }

    /// Query of the request form.
    pub fn query(&self) -> Option<&str> {
        self.request.get(self.path.end + 1..)
    }

    /// The address on the same site with this path and query.
    ///
    /// # Errors
    /// If it gets too long.
    pub fn with(&self, path: &str, query: Option<&str>) -> Result<Address, UrlError> {
        let mark = if query.is_some() { "?" } else { "" };
        parse(&format!("{}{path}{mark}{}", self.origin(), query.unwrap_or_default()))
    }

    /// An address that is in both forms already.
    fn usual(text: String, path: Range<usize>, near: Option<&Site>) -> Address {
        Address {
            normal: None,
            id: UrlId::of(&text),
            site: site_of(&text[..path.start], near),
            request: text,
            path,
        }
    }

    fn of(mut url: Url) -> Result<Address, UrlError> {
        if !whatwg::is_web(&url) {
            return Err(UrlError::Scheme(url.scheme().to_owned()));
        }
        url.set_fragment(None);
        // These fail only for URLs without host, which http(s) URLs are not.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let request = whatwg::written(&url).into_owned();
        within_limit(&request)?;

        let normal = normal_form(&url);
        let site = Site::of_usual(&whatwg::origin(&normal));
        let text = whatwg::written(&normal);
        let id = UrlId::of(&text);
        let path_at = whatwg::origin(&url).len();
        let path = path_at..path_at + url.path().len();
        let normal = (normal != url).then(|| text.into());
        Ok(Address { request, normal, id, site, path })
    }
}

/// Reads an absolute http(s) address. White space around it and line breaks in it are ignored, as in
/// the WHATWG standard.
pub fn parse(text: &str) -> Result<Address, UrlError> {
    parse_near(text.to_owned(), None)
}

/// As [`parse`], of a text that is no longer needed and probably on the same site as another address:
/// then both share its name, and nothing is allocated.
pub fn parse_near(text: String, near: Option<&Site>) -> Result<Address, UrlError> {
    within_limit(&text)?;
    match usual::split(&text, near) {
        Some(path) => Ok(Address::usual(text, path, near)),
        None => Address::of(whatwg::read(None, None, &text)?),
    }
}

fn site_of(text: &str, near: Option<&Site>) -> Site {
    match near {
        Some(site) if site.as_str() == text => site.clone(),
        _ => Site::of_usual(text),
    }
}

/// Reads an address as it stands in a page whose address (or `<base>`) is `base`.
pub fn resolve(base: &str, text: &str) -> Result<Address, UrlError> {
    within_limit(base)?;
    within_limit(text)?;
    let base = whatwg::read(None, None, base).map_err(UrlError::Base)?;
    Address::of(whatwg::read(Some(&base), None, text)?)
}

fn within_limit(text: &str) -> Result<(), UrlError> {
    match text.len() {
        0..=MAX_URL_BYTES => Ok(()),
        len => Err(UrlError::TooLong(len)),
    }
}

fn normal_form(request: &Url) -> Url {
    let mut url = request.clone();
    if let Some(host) = url.host_str().filter(|host| host.ends_with('.')) {
        let bare = host.trim_end_matches('.').to_owned();
        // A host of dots only stays what it is; it names nothing anyway.
        if !bare.is_empty() {
            let _ = url.set_host(Some(&bare));
        }
    }
    let path = percent::normalise(url.path());
    if path != url.path() {
        url.set_path(&path);
    }
    match url.query() {
        None => {}
        Some("") => url.set_query(None),
        Some(query) => {
            let normal = percent::normalise(query);
            if normal != query {
                url.set_query(Some(&normal));
            }
        }
    }
    url
}
