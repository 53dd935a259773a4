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

use crate::{percent, usual};
use lycosa_model::{Site, UrlId};
use std::ops::Range;
use std::sync::OnceLock;
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
    /// Made when somebody asks for it.
    url: OnceLock<Box<Url>>,
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

    /// The request form, parsed.
    ///
    /// # Panics
    /// Never: the request form is what the parser wrote, or would write.
    pub fn url(&self) -> &Url {
        self.url.get_or_init(|| match Url::parse(&self.request) {
            Ok(url) => Box::new(url),
            Err(error) => unreachable!("{} was parsed before: {error}", self.request),
        })
    }

    /// Path and query of the request form, as robots rules and HTTP/1.1 see it.
    pub fn path_and_query(&self) -> &str {
        &self.request[self.path.start..]
    }

    /// Path of the request form.
    pub fn path(&self) -> &str {
        &self.request[self.path.clone()]
    }

    /// Query of the request form.
    pub fn query(&self) -> Option<&str> {
        self.request.get(self.path.end + 1..)
    }

    /// An address that is in both forms already.
    fn usual(text: String, path: Range<usize>, near: Option<&Site>) -> Address {
        Address {
            normal: None,
            id: UrlId::of(&text),
            site: site_of(&text[..path.start], near),
            request: text,
            path,
            url: OnceLock::new(),
        }
    }

    fn of(mut url: Url) -> Result<Address, UrlError> {
        if !is_web(&url) {
            return Err(UrlError::Scheme(url.scheme().to_owned()));
        }
        url.set_fragment(None);
        // These fail only for URLs without host, which http(s) URLs are not.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        within_limit(url.as_str())?;

        let normal = normal_form(&url);
        let site = Site::of(&normal).ok_or(UrlError::NoHost)?;
        let id = UrlId::of(normal.as_str());
        let normal = (normal != url).then(|| String::from(normal).into_boxed_str());
        let path_at = url[..url::Position::BeforePath].len();
        let path = path_at..path_at + url.path().len();
        let request = url.as_str().to_owned();
        Ok(Address { request, normal, id, site, path, url: Box::new(url).into() })
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
        None => Address::of(Url::parse(&text)?),
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
    let base = Url::parse(base).map_err(UrlError::Base)?;
    let url = match after_extra_slashes(text).filter(|_| is_web(&base)) {
        Some(rest) => base.join(&format!("//{rest}"))?,
        None => base.join(text)?,
    };
    Address::of(url)
}

/// What follows three or more slashes. The standard says that on the web they mean two, so a host
/// follows; the parser that we use takes the host to be missing.
fn after_extra_slashes(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let rest = text.trim_start_matches(['/', '\\']);
    (text.len() - rest.len() > 2).then_some(rest)
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
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
