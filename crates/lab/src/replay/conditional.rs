//! Does the asker already have it? `If-None-Match` and `If-Modified-Since` against an archived answer
//! (RFC 9110, section 13).

use jiff::Timestamp;
use lycosa_model::Headers;

/// What a 304 repeats of the answer it stands for.
const KEPT: [&str; 7] =
    ["cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"];

/// Whether the request says that the asker has this very answer.
pub(super) fn not_modified(request: &Headers, answer: &Headers) -> bool {
    // A tag, when there is one, is asked instead of the date.
    let mut tags = request.all("if-none-match").peekable();
    if tags.peek().is_some() {
        let Some(tag) = answer.get("etag").map(opaque) else {
            return false;
        };
        return tags
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .any(|wanted| wanted == "*" || opaque(wanted) == tag);
    }
    let (Some(since), Some(modified)) =
        (request.get("if-modified-since"), answer.get("last-modified"))
    else {
        return false;
    };
    if since == modified {
        return true;
    }
    match (http_date(since), http_date(modified)) {
        (Some(since), Some(modified)) => modified <= since,
        _ => false,
    }
}

/// The headers of the 304.
pub(super) fn headers_of_304(answer: &Headers) -> Headers {
    let kept = answer.0.iter().filter(|header| {
        let name = header.name.to_ascii_lowercase();
        KEPT.contains(&name.as_str())
    });
    Headers(kept.cloned().collect())
}

/// Tags are compared weakly.
fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn http_date(text: &str) -> Option<Timestamp> {
    let zoned = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
    Some(zoned.timestamp())
}
