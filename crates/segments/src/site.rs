//! Under which names is the site of a page found?

use url::{Host, Url};

/// The terms of a page's site: its host, every domain above it, and the host with its port when that is
/// not the default. Nothing stands above a numeric address.
pub(crate) fn site_terms(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let Some(host) = url.host() else {
        return Vec::new();
    };
    let mut terms = Vec::new();
    let name = host.to_string();
    if let Some(port) = url.port() {
        terms.push(format!("{name}:{port}"));
    }
    match host {
        Host::Domain(domain) => {
            let mut rest = domain.trim_end_matches('.');
            terms.push(rest.to_owned());
            while let Some((_, above)) = rest.split_once('.') {
                terms.push(above.to_owned());
                rest = above;
            }
        }
        Host::Ipv4(_) | Host::Ipv6(_) => terms.push(name),
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
    let url = Url::parse(&format!("http://{rest}")).ok()?;
    let host = url.host()?.to_string();
    let host = host.trim_end_matches('.').to_owned();
    match url.port() {
        Some(port) if port != 443 => Some(format!("{host}:{port}")),
        _ => Some(host),
    }
}

/// The name of a page's site as a person reads it: the host, with its port if that is not the default.
/// Empty for what is no URL.
pub fn site_name(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return String::new();
    };
    match (url.host(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_string(),
        (None, _) => String::new(),
    }
}
