//! Which part of an address is a session id?
//!
//! A visitor who comes for the first time has none, so every page can be asked for without it. (Where
//! the site then answers with a redirect to an address that has one, that redirect is followed.)

use crate::normal::Address;

/// Fewer characters are no session id but a number of something.
const SHORTEST: usize = 16;

/// Parameters that are always session ids when their value looks like one.
const NAMES: [&str; 12] = [
    "jsessionid",
    "phpsessid",
    "phpsession",
    "sid",
    "sessid",
    "sessionid",
    "session_id",
    "session",
    "oscsid",
    "xtcsid",
    "zenid",
    "sess",
];

/// What the names of ASP's session ids begin with.
const ASP: &str = "aspsessionid";

/// The address without its session id; `None` when it has none.
pub fn without_session(address: &Address) -> Option<Address> {
    // What no session id can be without: nearly every address is let go here, without the full parser.
    let marked = address.path().bytes().fold(false, |marked, b| marked | (b == b';') | (b == b'('));
    if !marked && !address.query().is_some_and(has_session) {
        return None;
    }
    let path = plain_path(address.path());
    let query = address.query().map(plain_query);
    if path == address.path() && query.as_deref() == address.query() {
        return None;
    }
    address.with(&path, query.as_deref().filter(|query| !query.is_empty())).ok()
}

/// Without `;jsessionid=…` at the end of a segment and the folder `(S(…))` of ASP.NET.
fn plain_path(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !is_aspnet_folder(segment));
    let plain = segments.map(|segment| match segment.split_once(';') {
        Some((name, matrix)) if matrix.contains('=') => {
            let kept: Vec<&str> = matrix.split(';').filter(|part| !is_session(part)).collect();
            if kept.is_empty() { name.to_owned() } else { format!("{name};{}", kept.join(";")) }
        }
        _ => segment.to_owned(),
    });
    plain.collect::<Vec<_>>().join("/")
}

/// ColdFusion's id has two halves, each of which means nothing alone.
const HALVES: [&str; 2] = ["cfid", "cftoken"];

fn has_halves(query: &str) -> bool {
    let has = |name: &str| query.split('&').any(|part| key(part).eq_ignore_ascii_case(name));
    HALVES.iter().all(|name| has(name))
}

fn has_session(query: &str) -> bool {
    query.split('&').any(is_session) || has_halves(query)
}

fn plain_query(query: &str) -> String {
    let coldfusion = has_halves(query);
    let is_half = |part: &str| HALVES.iter().any(|name| key(part).eq_ignore_ascii_case(name));
    let kept = query.split('&').filter(|part| !(is_session(part) || coldfusion && is_half(part)));
    kept.collect::<Vec<_>>().join("&")
}

fn key(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(key, _)| key)
}

fn is_session(parameter: &str) -> bool {
    let Some((key, value)) = parameter.split_once('=') else {
        return false;
    };
    // Most values are too short, which is seen at once.
    value.len() >= SHORTEST && is_named(key) && looks_like_id(value)
}

fn is_named(key: &str) -> bool {
    let begins = key.get(..ASP.len()).is_some_and(|head| head.eq_ignore_ascii_case(ASP));
    begins || NAMES.iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// Long, without words: letters and digits, of both kinds unless the letters are those of ASP.
fn looks_like_id(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!,*".contains(&byte);
    let upper = value.bytes().all(|byte| byte.is_ascii_uppercase());
    value.len() >= SHORTEST
        && value.bytes().all(plain)
        && (upper || value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// `(S(…))` or `(…)` around 24 letters and digits.
fn is_aspnet_folder(segment: &str) -> bool {
    let Some(inner) = segment.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return false;
    };
    let marked = inner.get(1..).and_then(|text| text.strip_prefix('(')?.strip_suffix(')'));
    let id = marked.unwrap_or(inner);
    id.len() == 24 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
