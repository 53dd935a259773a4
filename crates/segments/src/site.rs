//! Under which names is the site of a page found?

use lycosa_frontier::whatwg;
use url::Url;

/// The terms of a page's site: its host, every domain above it, and the host with its port when that is
/// not the default. Nothing stands above a numeric address.
pub(crate) fn site_terms(url: &Url) -> Vec<String> {
    let Some(host) = whatwg::host(url) else {
        return Vec::new();
    };
    let site = with_port(host.trim_end_matches('.'), url.port());
    std::iter::successors(Some(&*site), |site| site_above(site)).map(str::to_owned).collect()
}

/// The site whose filter finds the pages of this one, too: the host for one with its port, the domain above a
/// host. Nothing stands above a numeric address.
pub fn site_above(site: &str) -> Option<&str> {
    match site.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(host),
        _ => site.split_once('.').filter(|_| whatwg::is_name(site)).map(|(_, above)| above),
    }
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
    whatwg::host(url).map_or_else(String::new, |host| with_port(&host, url.port()))
}

fn with_port(host: &str, port: Option<u16>) -> String {
    port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
