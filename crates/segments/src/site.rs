//! Under which names is the site of a page found?

use lycosa_frontier::whatwg;
use url::Url;

/// The terms of a page's site: its host, every domain above it, and the host with its port when that is
/// not the default. Nothing stands above a numeric address.
pub(crate) fn site_terms(url: &Url) -> Vec<String> {
    let Some(host) = whatwg::host(url) else {
        return Vec::new();
    };
    let mut terms = Vec::new();
    if let Some(port) = url.port() {
        terms.push(format!("{host}:{port}"));
    }
    if whatwg::is_name(&host) {
        let mut rest = host.trim_end_matches('.');
        terms.push(rest.to_owned());
        while let Some((_, above)) = rest.split_once('.') {
            terms.push(above.to_owned());
            rest = above;
        }
    } else {
        terms.push(host.into_owned());
    }
    terms
}

/// The term that a filter on a site looks for, from what a person writes: `Example.org`,
/// `*.example.org`, `https://example.org/page`, `localhost:8080` or `españa.es`. `None` when it cannot
/// be the name of a site.
pub fn site_filter(written: &str) -> Option<String> {
    let written = written.trim();
    let rest = written.split_once("://").map_or(written, |(_, rest)| rest);
    let rest = rest.trim_start_matches("*.").trim_start_matches('.');
    // The scheme must not swallow a port: neither 80 nor 443 is ever in a term.
    let url = whatwg::read(None, None, &format!("http://{rest}")).ok()?;
    let host = whatwg::host(&url)?;
    let host = host.trim_end_matches('.').to_owned();
    match url.port() {
        Some(port) if port != 443 => Some(format!("{host}:{port}")),
        _ => Some(host),
    }
}

/// The name of a page's site as a person reads it: the host, with its port if that is not the default.
/// Empty for what is no URL.
pub fn site_name(url: &str) -> String {
    whatwg::read(None, None, url).map_or_else(|_| String::new(), |url| site_of(&url))
}

/// The same of an address that has been read.
pub(crate) fn site_of(url: &Url) -> String {
    match (whatwg::host(url), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.into_owned(),
        (None, _) => String::new(),
    }
}
