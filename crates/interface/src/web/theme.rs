//! Light, dark, or as the system has it? A choice is kept in a cookie, which says nothing else.

use super::visit::Visit;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};

/// The themes that can be chosen; without a choice it is that of the system.
pub(super) const THEMES: [&str; 2] = ["light", "dark"];

const COOKIE: &str = "theme";

/// The choice in a Cookie header.
pub(super) fn chosen(cookies: &str) -> Option<&'static str> {
    let mut pairs = cookies.split(';').filter_map(|pair| pair.split_once('='));
    let value = pairs.find(|(name, _)| name.trim() == COOKIE)?.1.trim();
    THEMES.into_iter().find(|theme| *theme == value)
}

/// `GET /theme?to=&back=`: keeps a choice, or forgets it, and leads back.
pub(super) async fn choose(visit: Visit) -> Response {
    let to = THEMES.into_iter().find(|theme| visit.params.get("to") == Some(theme));
    // Only to a page of this server.
    let back = visit.params.get("back").filter(|back| is_ours(back)).unwrap_or("/");
    let cookie = match to {
        Some(theme) => {
            format!("{COOKIE}={theme}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly")
        }
        None => format!("{COOKIE}=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly"),
    };
    let mut response = Redirect::to(back).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn is_ours(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next() == Some(b'/')
        && !matches!(bytes.next(), Some(b'/' | b'\\'))
        && path.bytes().all(|byte| byte.is_ascii_graphic())
}
