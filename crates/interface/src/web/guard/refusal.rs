//! What is said to whoever may not pass?

use super::text;
use crate::web::api::Fault;
use crate::web::door::Doors;
use crate::web::error;
use crate::web::visit::Visit;
use axum::http::{HeaderValue, Method, StatusCode, header, request::Parts};
use axum::response::{IntoResponse, Redirect, Response};
use std::time::Duration;
use url::form_urlencoded;

/// Why a request may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The address asks too fast, and may ask again after this.
    TooFast(Duration),
    /// The address was wrong too often, and may try again after this.
    TooManyTries(Duration),
    /// A page of somebody else sent it, or it names somebody else's host.
    AnotherSite,
    /// Whoever asks has not shown the token.
    SignIn,
    /// The token is another one.
    WrongToken,
    /// The form is not of this session.
    OldForm,
    /// The body is of another kind.
    NoJson,
    /// The body is too large.
    TooLarge,
    /// The body did not arrive in time.
    TooSlow,
}

impl Refused {
    fn status(self) -> StatusCode {
        match self {
            Refused::TooFast(_) | Refused::TooManyTries(_) => StatusCode::TOO_MANY_REQUESTS,
            Refused::AnotherSite | Refused::OldForm => StatusCode::FORBIDDEN,
            Refused::SignIn | Refused::WrongToken => StatusCode::UNAUTHORIZED,
            Refused::NoJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refused::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refused::TooSlow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    fn fault(self) -> Fault {
        let (error, hint) = match self {
            Refused::TooFast(_) => ("too many requests", "wait as long as Retry-After says"),
            Refused::TooManyTries(_) => {
                ("too many wrong tokens", "wait as long as Retry-After says")
            }
            Refused::AnotherSite => {
                ("this request comes from another site", "use the pages of this server")
            }
            Refused::SignIn => (
                "this needs the token of the server",
                "send Authorization: Bearer TOKEN; the token is in the file `token` of the data folder",
            ),
            Refused::WrongToken => {
                ("this is not the token of the server", "see the file `token` of the data folder")
            }
            Refused::OldForm => ("this form is too old", "load its page again"),
            Refused::NoJson => ("this is no JSON", "send Content-Type: application/json"),
            Refused::TooLarge => ("the body is too large", "send 1 MiB at most"),
            Refused::TooSlow => ("the body did not arrive in time", "send it again"),
        };
        Fault::new(self.status(), error, hint)
    }

    fn wait(self) -> Option<u64> {
        match self {
            Refused::TooFast(wait) | Refused::TooManyTries(wait) => {
                Some(wait.as_secs_f64().ceil().max(1.0) as u64)
            }
            _ => None,
        }
    }
}

/// A page for people, JSON for programs.
pub(super) fn answer(doors: &Doors, parts: &Parts, refused: Refused) -> Response {
    let path = parts.uri.path();
    let for_people = text(&parts.headers, header::ACCEPT).contains("text/html")
        && !["/api/", "/mcp", "/metrics"].iter().any(|start| path.starts_with(start));
    let mut response = match refused {
        Refused::SignIn if for_people && parts.method == Method::GET => {
            let asked = parts.uri.path_and_query().map_or(path, |asked| asked.as_str());
            let mut query = form_urlencoded::Serializer::new(String::new());
            let query = query.append_pair("next", asked).finish();
            Redirect::to(&format!("/signin?{query}")).into_response()
        }
        _ if for_people => {
            let visit = Visit::of(parts);
            let (title, message) = visit.ui.texts().guard.refused(refused);
            error::plain(doors, &visit, refused.status(), title, message)
        }
        _ => refused.fault().into_response(),
    };
    let headers = response.headers_mut();
    if refused.status() == StatusCode::UNAUTHORIZED {
        headers
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"lycosa\""));
    }
    if let Some(wait) = refused.wait() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    response
}
