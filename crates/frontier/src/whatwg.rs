//! What does the URL standard make of a text, where the parser that we use makes something else?
//!
//! The `url` crate reads nearly every address as the WHATWG standard does, and as browsers do. Two
//! things differ, and are mended here:
//!
//! - A reference with three or more slashes in front names a host, as one with two does; the crate takes
//!   the host to be missing.
//! - A host in ASCII is taken as it is, also when one of its labels begins with `xn--` and is no
//!   Punycode; the crate refuses it. No [`Url`] can have such a host, so there it goes by another name:
//!   each `xn--` is replaced by a [stand-in](STAND_IN) that makes a label too long for any name server.
//!   [`read`] puts it in and [`written`] takes it out.
//!
//! So whoever reads an address with [`read`] takes its text from [`written`] and its host from
//! [`host`], never from the `Url` itself.

use crate::percent;
use std::borrow::Cow;
use std::net::Ipv4Addr;
use url::{EncodingOverride, ParseError, Position, Url};

#[cfg(test)]
mod tests;

/// What a label in Punycode begins with.
const PUNYCODE: &str = "xn--";

/// What such a label begins with in a [`Url`] that cannot have it. A label of 64 octets is one more than
/// DNS allows, so no host that answers is mistaken for another. The hyphens keep it from being taken for
/// usual.
const STAND_IN: &str = "as--it-is-written-although-it-is-no-punycode-that-can-be-decoded";

/// Reads an address, on a base if there is one. `encode` is how a query is encoded when not as UTF-8.
///
/// # Errors
/// If the standard says that it is none.
pub fn read(
    base: Option<&Url>,
    encode: EncodingOverride<'_>,
    text: &str,
) -> Result<Url, ParseError> {
    let options = Url::options().base_url(base).encoding_override(encode);
    let two_slashes = base.filter(|base| is_web(base)).and_then(|_| with_two_slashes(text));
    let text = two_slashes.as_deref().unwrap_or(text);
    match options.parse(text) {
        Err(ParseError::IdnaError) => match with_stand_ins(text) {
            Some(text) => options.parse(&text),
            None => Err(ParseError::IdnaError),
        },
        read => read,
    }
}

/// The text of an address from [`read`].
pub fn written(url: &Url) -> Cow<'_, str> {
    restored(url.as_str(), url[..Position::BeforePath].len())
}

/// Scheme and authority of an address from [`read`].
pub fn origin(url: &Url) -> Cow<'_, str> {
    let origin = &url[..Position::BeforePath];
    restored(origin, origin.len())
}

/// The host of an address from [`read`], without port.
pub fn host(url: &Url) -> Option<Cow<'_, str>> {
    url.host_str().map(|host| restored(host, host.len()))
}

/// Whether a host is a name, and not the number of a machine. (What the standard can read as an IPv4
/// address it writes as one.)
pub fn is_name(host: &str) -> bool {
    !host.starts_with('[') && host.parse::<Ipv4Addr>().is_err()
}

/// Whether it is an http(s) address.
pub fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The text with the host's own name; the host ends before `end`.
fn restored(text: &str, end: usize) -> Cow<'_, str> {
    let (head, tail) = text.split_at(end);
    if !head.contains(STAND_IN) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(head.replace(STAND_IN, PUNYCODE) + tail)
}

/// The text with two slashes where it begins with more.
fn with_two_slashes(text: &str) -> Option<String> {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let rest = text.trim_start_matches(['/', '\\']);
    (text.len() - rest.len() > 2).then(|| format!("//{rest}"))
}

/// The text with stand-ins in its host, and without credentials; `None` when the host is not all ASCII
/// or has a character that no host may have. Only for a text of which the parser did not like the host.
fn with_stand_ins(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    let after = |scheme: &str| {
        text.split_at_checked(scheme.len()).filter(|(head, _)| head.eq_ignore_ascii_case(scheme))
    };
    let (scheme, rest) = after("https:").or_else(|| after("http:")).unwrap_or(("", &text));
    let rest = rest.trim_start_matches(['/', '\\']);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = authority.rsplit('@').next()?;
    let (host, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    let host = decoded(host)?;
    let labels: Vec<Cow<'_, str>> = host
        .split('.')
        .map(|label| match label.strip_prefix(PUNYCODE) {
            Some(rest) => Cow::Owned(format!("{STAND_IN}{rest}")),
            None => Cow::Borrowed(label),
        })
        .collect();
    Some(format!("{scheme}//{}{port}{rest}", labels.join(".")))
}

/// A host in lower case, without percent-encoding, when it is ASCII that a host may have.
fn decoded(host: &str) -> Option<String> {
    let mut out = String::with_capacity(host.len());
    let mut rest = host.as_bytes();
    while let [first, tail @ ..] = rest {
        let octet = percent::triplet(rest);
        rest = if octet.is_some() { &tail[2..] } else { tail };
        let byte = octet.unwrap_or(*first);
        let forbidden = !byte.is_ascii_graphic() || br"#/:<>?@[\]^|%".contains(&byte);
        if forbidden {
            return None;
        }
        out.push(char::from(byte.to_ascii_lowercase()));
    }
    Some(out)
}
