//! Under which name was a host registered? The public suffix and one label more.

use std::net::Ipv4Addr;

#[cfg(test)]
mod tests;

/// The registrable domain of a host: `news.example.co.uk` gives `example.co.uk`.
///
/// Hosts that belong to nobody else map to themselves: IP addresses, single labels such as
/// `localhost`, and public suffixes (`co.uk`, `github.io`). A dot at the end is ignored. The private
/// part of the Public Suffix List counts, so two people's pages on `github.io` are two domains.
pub fn registrable_domain(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return host;
    }
    // The list is in lower case. Only lengths are taken from the copy, so the caller's text is returned.
    let length = if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        psl::domain_str(&host.to_ascii_lowercase()).map(str::len)
    } else {
        psl::domain_str(host).map(str::len)
    };
    // Of a text that is no host the list may tell another length than it has.
    length.and_then(|length| host.get(host.len().checked_sub(length)?..)).unwrap_or(host)
}
