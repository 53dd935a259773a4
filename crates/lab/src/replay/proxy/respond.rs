//! How does an archived answer become one of the proxy?

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use lycosa_model::Headers;
use lycosa_runtime::Answer;

/// Headers that were about the connection to the site (RFC 9110, section 7.6.1), the length, which is
/// counted anew, and two that would send the client to a site that is not here.
const DROPPED: [&str; 12] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "alt-svc",
    "strict-transport-security",
];

/// Tells a program that an answer is the proxy's own, because there is no capture.
const CAPTURED: HeaderName = HeaderName::from_static("x-lycosa-captured");

pub(super) fn answer(answer: Answer, head_only: bool) -> Response<Full<Bytes>> {
    let status =
        StatusCode::from_u16(answer.status).ok().filter(|status| !status.is_informational());
    let Some(status) = status else {
        let why = format!("the archive has status {}", answer.status);
        return text(StatusCode::BAD_GATEWAY, &why);
    };
    let mut headers = end_to_end(&answer.headers);
    let captured = HeaderValue::from_static(if answer.captured { "yes" } else { "no" });
    headers.insert(CAPTURED, captured);
    let empty = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let mut response = Response::new(Full::default());
    if !empty {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(answer.body.len()));
        if !head_only {
            *response.body_mut() = Full::new(answer.body);
        }
    }
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// A short answer of the proxy's own.
pub(super) fn text(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{why}\n"))));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

pub(super) fn not_allowed() -> Response<Full<Bytes>> {
    let why = "an archive answers GET and HEAD only";
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, why);
    let allow = HeaderValue::from_static("GET, HEAD");
    response.headers_mut().insert(ALLOW, allow);
    response
}

/// The request's headers as the archive reads them.
pub(super) fn headers_of(request: &Request<Incoming>) -> Headers {
    let mut headers = Headers::default();
    for (name, value) in request.headers() {
        headers.push(name.as_str(), Bytes::copy_from_slice(value.as_bytes()));
    }
    headers
}

fn end_to_end(stored: &Headers) -> HeaderMap {
    let named: Vec<String> = stored
        .all("connection")
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut headers = HeaderMap::new();
    for header in &stored.0 {
        let name = header.name.to_ascii_lowercase();
        if DROPPED.contains(&name.as_str()) || named.contains(&name) {
            continue;
        }
        // Archives hold names and values that no server may send; these are left out.
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(&header.value))
        {
            headers.append(name, value);
        }
    }
    headers
}
