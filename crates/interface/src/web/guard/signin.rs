//! How does a person show the token?

use super::refusal::{Refused, answer};
use super::{FORM_TOKEN, Fields, client, is_secure};
use crate::web::door::Doors;
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "signin.html")]
struct SignInPage {
    shell: Shell,
    /// Where to go then.
    next: String,
    /// Whether the last try was wrong.
    wrong: bool,
    /// Name and value of the field that signs out, for whoever is in.
    inside: Option<(&'static str, String)>,
}

/// `GET /signin`
pub(in crate::web) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    shown(&doors, &visit, visit.params.get("next"), false)
}

/// `POST /signin`
pub(in crate::web) async fn sign_in(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let Fields(fields) = match Fields::from_request(request, &doors).await {
        Ok(fields) => fields,
        Err(response) => return response,
    };
    let guard = &doors.guard;
    let token = fields.get("token").unwrap_or_default();
    match guard.check_token(token, client(&parts)) {
        Ok(()) => {}
        Err(Refused::WrongToken) => return shown(&doors, &visit, fields.get("next"), true),
        Err(refused) => return answer(&doors, &parts, refused),
    }
    let Some(session) = guard.keys.begin() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut response = Redirect::to(&local(fields.get("next"))).into_response();
    let cookie = guard.keys.cookie(&session, is_secure(&parts.headers));
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// `POST /signout`
pub(in crate::web) async fn leave(State(doors): State<Arc<Doors>>) -> Response {
    let mut response = Redirect::to("/signin").into_response();
    response.headers_mut().append(header::SET_COOKIE, doors.guard.keys.no_cookie());
    response
}

fn shown(doors: &Doors, visit: &Visit, next: Option<&str>, wrong: bool) -> Response {
    let session = visit.caller.session.as_ref().filter(|_| !wrong);
    let page = SignInPage {
        shell: Shell::new(doors, visit, Some(visit.ui.texts().guard.sign_in)),
        next: local(next),
        wrong,
        inside: session.map(|session| (FORM_TOKEN, session.form_token().to_owned())),
    };
    let status = if wrong { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    respond(status, visit.ui, &page)
}

/// An address of this server; whatever else stood there leads home.
fn local(next: Option<&str>) -> String {
    let ours = |next: &&str| {
        next.starts_with('/')
            && !next.starts_with("//")
            && !next.contains(['\\', '\r', '\n', '\t'])
            && HeaderValue::from_str(next).is_ok()
    };
    next.filter(ours).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_led_away() {
        assert_eq!(local(Some("/search?q=a%20b")), "/search?q=a%20b");
        for away in ["https://evil.test/", "//evil.test/", "/\\evil.test", "/\t/evil.test", ""] {
            assert_eq!(local(Some(away)), "/", "{away}");
        }
    }
}
