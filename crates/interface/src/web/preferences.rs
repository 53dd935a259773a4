//! Which sites does the visitor want more of, less of, or not at all?
//!
//! Addresses say it (`raise=`, `lower=`, `block=`, as often as needed), and a cookie of the visitor keeps it, in the
//! same words. What an address says of a site comes before what is kept. Nothing of it is known here, so
//! whoever may read may change it; that a form of ours asked for it, the guard has seen to.

use super::door::Doors;
use super::error;
use super::form::{Form, Params, host};
use super::guard::{self, Fields};
use super::visit::Visit;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lycosa_model::{Preference, Preferences};
use std::sync::Arc;
use url::form_urlencoded::{self, Serializer};

const COOKIE: &str = "sites";
/// Bytes of the cookie's value: browsers keep 4,096 with its name and attributes.
const MAX_COOKIE: usize = 3_800;
/// Preferences that are looked at in one address or cookie; the rest is left out.
const MAX_READ: usize = 4 * Preferences::MOST;

/// Preferences as they were read.
#[derive(Default)]
pub(super) struct Read {
    pub(super) preferences: Preferences,
    /// Whether one of them names no site.
    pub(super) odd: bool,
    /// Whether there were too many.
    pub(super) too_many: bool,
}

impl Read {
    /// Reads the parameters that are preferences. Of one site the last word holds.
    pub(super) fn of<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Read {
        let mut read = Read::default();
        let wanted = pairs.filter_map(|(name, site)| Some((named(name)?, site.trim())));
        for (number, (preference, site)) in wanted.filter(|(_, site)| !site.is_empty()).enumerate()
        {
            if number == MAX_READ {
                read.too_many = true;
                break;
            }
            match host(site) {
                Some(site) => read.too_many |= !read.preferences.set(&site, preference),
                None => read.odd = true,
            }
        }
        read
    }
}

fn named(name: &str) -> Option<Preference> {
    Preference::ALL.into_iter().find(|preference| preference.name() == name)
}

/// Writes preferences as parameters.
pub(super) fn write<T: form_urlencoded::Target>(
    preferences: &Preferences,
    out: &mut Serializer<'_, T>,
) {
    for (site, preference) in preferences.iter() {
        out.append_pair(preference.name(), site);
    }
}

/// What is kept in a Cookie header. What cannot be read is left out.
pub(super) fn kept(cookies: &str) -> Option<Preferences> {
    let mut pairs = cookies.split(';').filter_map(|pair| pair.split_once('='));
    let value = pairs.find(|(name, _)| name.trim() == COOKIE)?.1.trim();
    let pairs: Vec<_> = form_urlencoded::parse(value.as_bytes()).take(MAX_READ).collect();
    Some(Read::of(pairs.iter().map(|(name, site)| (&**name, &**site))).preferences)
}

/// What an address says, and what is kept of other sites, as far as there is room.
pub(super) fn together(said: &Preferences, kept: &Preferences) -> Preferences {
    let mut all = said.clone();
    for (site, preference) in kept.iter().filter(|(site, _)| said.of(site).is_none()) {
        all.set(site, preference);
    }
    all
}

/// `POST /preferences`: `raise`, `lower` or `block` a site, `forget` it or `forget_all`; then `back` to a search.
pub(super) async fn change(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
    headers: HeaderMap,
    Fields(fields): Fields,
) -> Response {
    let t = &visit.ui.texts().sites;
    let mut form = searched(fields.get("back").unwrap_or_default());
    let mut kept = visit.kept.clone();
    let mut room = true;
    for (name, site) in fields.0.iter().take(MAX_READ) {
        if name == "forget_all" {
            (kept, form.preferences) = Default::default();
        }
        let preference = named(name);
        if preference.is_none() && name != "forget" {
            continue;
        }
        let Some(site) = host(site) else {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return error::plain(&doors, &visit, status, t.no_site_title, t.no_site);
        };
        // What the address says would hide what was chosen now.
        form.preferences.forget(&site);
        kept.forget(&site);
        room &= preference.is_none_or(|preference| kept.set(&site, preference));
    }
    let mut value = Serializer::new(String::new());
    write(&kept, &mut value);
    let value = value.finish();
    if !room || value.len() > MAX_COOKIE {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return error::plain(&doors, &visit, status, t.no_room_title, t.no_room);
    }
    let age = if kept.is_empty() { 0 } else { 31_536_000 };
    let secure = if guard::is_secure(&headers) { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={value}; Path=/; Max-Age={age}; SameSite=Lax; HttpOnly{secure}");
    let mut response = Redirect::to(&format!("{}#sites", form.href())).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The search of an address of ours. Only what it says of the search is used, so that it leads nowhere else.
fn searched(back: &str) -> Form {
    let query = back.strip_prefix("/search?").unwrap_or_default();
    let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
    Form::new(&Params(pairs.collect()))
}
