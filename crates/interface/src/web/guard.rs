//! Who may do what?
//!
//! One layer around all routes decides it, so that no page and no endpoint can forget to ask.
//!
//! | who | reads | changes something |
//! |---|---|---|
//! | anybody, on a server for this machine | yes | no |
//! | anybody, on a server that others can reach | only what [`OPEN`] lists | no |
//! | whoever may read | | what only the own browser keeps ([`OWN`]), from the same origin |
//! | a program with `Authorization: Bearer TOKEN` | yes | yes |
//! | one of our pages, by the cookie of its session | yes | yes, from the same origin |
//!
//! On a server for this machine our pages bring the cookie with them. Elsewhere, and behind a proxy, a person
//! signs in with the token. The cookie is derived from the token and cannot be turned back into it.
//!
//! **A page with a form** needs no script: it has a field `<input type="hidden" name="form_token"
//! value="{{ … }}">` with the value of [`form_token`], and its handler takes [`Fields`]. What a form sends
//! has been checked before the handler sees it. A script of our own pages sends JSON instead and needs no such
//! field. [`may_change`] tells whether a form is worth showing.

mod limiter;
mod refusal;
mod session;
mod signin;
mod texts;

pub use session::Token;
pub(super) use signin::{leave, page as sign_in_page, sign_in};
pub(super) use texts::{EN, ES, GuardTexts};

use super::door::Doors;
use super::form::Params;
use super::listener::Client;
use super::visit::Visit;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, Method, Version, header, request::Parts};
use axum::middleware::Next;
use axum::response::Response;
use limiter::Limiter;
use refusal::Refused;
use session::{Keys, Session};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use url::form_urlencoded;

/// Bytes of a body at most.
pub const MAX_BODY: usize = 1 << 20;
/// How long a body may take to arrive.
const BODY_PATIENCE: Duration = Duration::from_secs(30);
/// The field of a form that proves that the form is ours.
pub(super) const FORM_TOKEN: &str = "form_token";

/// What anybody may ask anywhere: signs of life, what pages need to be drawn, and the way in.
pub(super) const OPEN: [&str; 10] = [
    super::asset::KEY_DIRECTORY,
    "/healthz",
    "/readyz",
    "/robots.txt",
    "/favicon.svg",
    "/favicon.ico",
    "/style.css",
    "/assets/",
    "/signin",
    "/theme",
];

/// What changes nothing here, but a cookie of whoever asks.
const OWN: &str = "/preferences";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED: [&str; 3] = ["forwarded", "x-forwarded-for", "x-forwarded-host"];

/// Who can reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nobody but this machine: it listens on loopback.
    ThisMachine,
    /// Others too.
    Others,
    /// Whoever wants to; there is nothing but metrics.
    Metrics,
}

/// On what terms a server serves.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Who can reach it.
    pub reach: Reach,
    /// Further names under which a proxy leads to it; only asked on a server for this machine, which
    /// otherwise answers to its own names alone.
    pub hosts: Vec<String>,
    /// Requests per second that one address may send over time; nothing for the usual.
    pub requests_per_second: Option<u32>,
    /// Requests that it may send at once; nothing for the usual.
    pub burst: Option<u32>,
}

impl Terms {
    /// The usual ones.
    pub fn new(reach: Reach) -> Terms {
        Terms { reach, hosts: Vec::new(), requests_per_second: None, burst: None }
    }
}

/// Decides who may do what.
pub struct Guard {
    terms: Terms,
    keys: Keys,
    limiter: Limiter,
}

impl Guard {
    /// A guard that knows this token.
    pub fn new(token: &Token, terms: Terms) -> Guard {
        let limiter = Limiter::new(terms.requests_per_second, terms.burst);
        Guard { terms, keys: Keys::new(token), limiter }
    }

    /// Whether a request may pass, and as whose.
    fn judge(&self, parts: &Parts, from: IpAddr) -> Result<Caller, Refused> {
        let changes = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        let headers = &parts.headers;
        if self.terms.reach == Reach::Metrics {
            return if changes { Err(Refused::SignIn) } else { Ok(Caller::default()) };
        }
        if changes && is_from_elsewhere(headers) {
            return Err(Refused::AnotherSite);
        }
        if is_open(parts.uri.path()) || has_own_key(parts) {
            return Ok(Caller { session: self.session(headers), ..Caller::default() });
        }
        // A proxy that says nothing of itself mostly speaks HTTP/1.0.
        let is_direct = parts.version != Version::HTTP_10 && !headers.contains_key(header::VIA);
        let is_here = is_direct
            && is_local(headers)
            && FORWARDED.iter().all(|name| !headers.contains_key(*name));
        if self.terms.reach == Reach::ThisMachine && !is_local(headers) && !self.answers_to(headers)
        {
            return Err(Refused::AnotherSite);
        }
        if let Some(token) = bearer(headers) {
            self.check_token(token, from)?;
            return Ok(Caller { program: true, ..Caller::default() });
        }
        let session = self.session(headers);
        match (session, self.terms.reach) {
            (Some(_), _) if changes && !says_where_from(headers) => Err(Refused::AnotherSite),
            (Some(session), _) => Ok(Caller { session: Some(session), ..Caller::default() }),
            (None, Reach::ThisMachine) if changes && parts.uri.path() == OWN => {
                // Without a session there is no proof in a form, so a browser must say where it was.
                says_where_from(headers).then(Caller::default).ok_or(Refused::AnotherSite)
            }
            (None, _) if changes => Err(Refused::SignIn),
            (None, Reach::ThisMachine) if is_here => {
                let session = self.keys.begin();
                Ok(Caller { fresh: session.is_some(), session, program: false })
            }
            (None, Reach::ThisMachine) => Ok(Caller::default()),
            (None, _) => Err(Refused::SignIn),
        }
    }

    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|text| text.to_str().ok());
        let mut pairs =
            cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(name, value)| {
            let ours = name.trim() == self.keys.cookie_name();
            ours.then(|| self.keys.read(value.trim())).flatten()
        })
    }

    /// Compares a token with ours; whoever is wrong too often waits.
    fn check_token(&self, token: &str, from: IpAddr) -> Result<(), Refused> {
        // Whoever has it is never kept waiting for those who guess, as behind a proxy all have one address.
        if self.keys.is_token(token) {
            return Ok(());
        }
        // Programs of this machine share one address, and the pace is enough against their mistakes.
        if self.terms.reach == Reach::Others {
            self.limiter.may_try(from).map_err(Refused::TooManyTries)?;
            self.limiter.tried(from, false);
        }
        Err(Refused::WrongToken)
    }

    fn answers_to(&self, headers: &HeaderMap) -> bool {
        let name = host_name(headers);
        !name.is_empty() && self.terms.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }

    /// Whether the body of a request that changes something is what it should be.
    fn judge_body(&self, parts: &Parts, caller: &Caller, body: &[u8]) -> Result<(), Refused> {
        let kind = text(&parts.headers, header::CONTENT_TYPE);
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_form = kind == "application/x-www-form-urlencoded";
        let is_json = kind == "application/json" || (kind.is_empty() && body.is_empty());
        if is_open(parts.uri.path()) || has_own_key(parts) {
            return Ok(());
        }
        if parts.uri.path().starts_with("/api/") && !is_json {
            return Err(Refused::NoJson);
        }
        match &caller.session {
            Some(_) if is_json => Ok(()),
            Some(session) if is_form => {
                let mut fields = form_urlencoded::parse(body);
                let proof = fields.find(|(name, _)| name == FORM_TOKEN);
                let proved =
                    proof.is_some_and(|(_, proof)| self.keys.is_form_token(session, &proof));
                if proved { Ok(()) } else { Err(Refused::OldForm) }
            }
            Some(_) => Err(Refused::NoJson),
            None => Ok(()),
        }
    }
}

/// Who asks, once that was judged.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    /// The session of one of our pages.
    session: Option<Session>,
    /// Whether the session has just begun, and its cookie is not known to the browser yet.
    fresh: bool,
    /// Whether it is a program that has the token.
    program: bool,
}

impl Caller {
    /// Whether it may change something.
    pub(super) fn may_change(&self) -> bool {
        self.program || self.session.is_some()
    }
}

/// The hidden value of a form on a page for this visit; empty for whoever may change nothing.
#[allow(dead_code, reason = "for pages with forms")]
pub(super) fn form_token(visit: &Visit) -> &str {
    visit.caller.session.as_ref().map_or("", Session::form_token)
}

/// Whether this visitor may change something, so that a form is worth showing.
#[allow(dead_code, reason = "for pages with forms")]
pub(super) fn may_change(visit: &Visit) -> bool {
    visit.caller.may_change()
}

/// What a form of one of our pages sent. That it is ours was judged before.
pub(super) struct Fields(pub(super) Params);

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Fields, Response> {
        use axum::response::IntoResponse;
        let body =
            Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        let pairs = form_urlencoded::parse(&body).into_owned();
        Ok(Fields(Params(pairs.filter(|(name, _)| name != FORM_TOKEN).collect())))
    }
}

/// The layer around all routes.
pub(super) async fn watch(
    State(doors): State<Arc<Doors>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let guard = &doors.guard;
    let from = client(&parts);
    let judged = match guard.limiter.take(from) {
        Ok(()) => guard.judge(&parts, from),
        Err(wait) => Err(Refused::TooFast(wait)),
    };
    let caller = match judged {
        Ok(caller) => caller,
        Err(refused) => return refusal::answer(&doors, &parts, refused),
    };
    let body = match parts.method {
        Method::GET | Method::HEAD | Method::OPTIONS => body,
        _ => match read(body).await {
            Ok(bytes) => match guard.judge_body(&parts, &caller, &bytes) {
                Ok(()) => Body::from(bytes),
                Err(refused) => return refusal::answer(&doors, &parts, refused),
            },
            Err(refused) => return refusal::answer(&doors, &parts, refused),
        },
    };
    let cookie = caller.session.as_ref().filter(|_| caller.fresh);
    let cookie = cookie.map(|session| guard.keys.cookie(session, is_secure(&parts.headers)));
    parts.extensions.insert(caller);
    let mut response = next.run(Request::from_parts(parts, body)).await;
    let is_page = text(response.headers(), header::CONTENT_TYPE).starts_with("text/html");
    if let Some(cookie) = cookie.filter(|_| is_page) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

async fn read(body: Body) -> Result<Bytes, Refused> {
    match tokio::time::timeout(BODY_PATIENCE, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Refused::TooLarge),
        Err(_) => Err(Refused::TooSlow),
    }
}

/// The address of whoever is connected; a request that came by no connection is one of this process.
fn client(parts: &Parts) -> IpAddr {
    let client = parts.extensions.get::<ConnectInfo<Client>>();
    client.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(Client(address))| address.ip())
}

fn is_open(path: &str) -> bool {
    OPEN.iter().any(|open| match open.strip_suffix('/') {
        Some(_) => path.starts_with(open),
        None => path == *open,
    })
}

/// Whether a request brings a key for the one thing that it asks for: the feed of a watch, or the end of its mail.
/// Whether the key fits, the watch knows.
fn has_own_key(parts: &Parts) -> bool {
    let below = parts.uri.path().strip_prefix("/watches/").and_then(|path| path.split_once('/'));
    let is_of_a_watch = below.is_some_and(|(_, what)| what == "feed.atom" || what == "unsubscribe");
    let query = parts.uri.query().unwrap_or_default();
    is_of_a_watch && form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "token")
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, header::AUTHORIZATION).split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The name in the Host header, without its port.
fn host_name(headers: &HeaderMap) -> &str {
    let host = text(headers, header::HOST);
    match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    }
}

/// Whether the request names this machine as its own user would. What is for this machine alone is not for a
/// name that somebody else has let lead here.
fn is_local(headers: &HeaderMap) -> bool {
    let name = host_name(headers);
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether a browser says that a page of somebody else sent this.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = text(headers, FETCH_SITE);
    let origin = text(headers, header::ORIGIN);
    let named = origin.split_once("://").map_or(origin, |(_, authority)| authority);
    let other_site = !site.is_empty() && site != "same-origin" && site != "none";
    let other_origin = !origin.is_empty() && named != text(headers, header::HOST);
    other_site || other_origin
}

/// Whether a browser says at all where this comes from.
fn says_where_from(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_SITE) || headers.contains_key(header::ORIGIN)
}

/// Whether a proxy in front speaks TLS with the browser.
pub(super) fn is_secure(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https")
}
