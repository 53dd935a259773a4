//! Who asks, and in which language?

use super::form::{Form, Params};
use super::guard::Caller;
use super::preferences;
use super::theme;
use super::ui::Ui;
use axum::extract::{FromRequestParts, Query};
use axum::http::{header, request::Parts};
use lycosa_model::Preferences;
use std::convert::Infallible;

/// One request as the pages see it.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// The path that was asked for.
    pub(super) path: String,
    /// The parameters.
    pub(super) params: Params,
    /// The search in them; without words on pages that are no search.
    pub(super) form: Form,
    /// The language to answer in: the chosen one, else the best accepted one.
    pub(super) ui: Ui,
    /// The theme that was chosen.
    pub(super) theme: Option<&'static str>,
    /// What the visitor keeps of sites.
    pub(super) kept: Preferences,
    /// What the guard knows of whoever asks.
    pub(super) caller: Caller,
}

impl Visit {
    /// The visit that a request is.
    pub(super) fn of(parts: &Parts) -> Visit {
        // Bytes that are not UTF-8 become replacement characters; no query string is an error.
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let params = Params(pairs.map(|Query(pairs)| pairs).unwrap_or_default());
        let form = Form::new(&params);
        let accepted = parts.headers.get_all(header::ACCEPT_LANGUAGE).iter();
        let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
        let ui = form.ui.unwrap_or_else(|| Ui::accepted(&accepted.join(",")));
        let cookies = parts.headers.get_all(header::COOKIE).iter();
        let cookies: Vec<&str> = cookies.filter_map(|value| value.to_str().ok()).collect();
        let theme = cookies.iter().find_map(|cookies| theme::chosen(cookies));
        let kept =
            cookies.iter().find_map(|cookies| preferences::kept(cookies)).unwrap_or_default();
        let caller = parts.extensions.get::<Caller>().cloned().unwrap_or_default();
        Visit { path: parts.uri.path().to_owned(), params, form, ui, theme, kept, caller }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Visit, Infallible> {
        Ok(Visit::of(parts))
    }
}
