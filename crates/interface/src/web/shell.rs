//! What do all pages have in common?

use super::asset;
use super::door::Doors;
use super::texts::Texts;
use super::theme::THEMES;
use super::ui::Ui;
use super::visit::Visit;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

/// The frame around a page's own content.
pub(super) struct Shell {
    /// Everything the page says by itself.
    pub(super) t: &'static Texts,
    /// Its language.
    pub(super) ui: Ui,
    /// The language, when the visitor chose it; it then travels along in every link.
    pub(super) chosen: Option<&'static str>,
    /// What the window is called.
    pub(super) title: String,
    /// The installation's name.
    pub(super) name: String,
    /// Links to the same page in each language.
    pub(super) languages: Vec<LanguageLink>,
    /// The address of the home page.
    pub(super) home: String,
    /// The address of the page about the crawler.
    pub(super) about: String,
    /// The address of the stylesheet.
    pub(super) style: String,
    /// The theme that was chosen.
    pub(super) theme: Option<&'static str>,
    /// Links to the other themes: words, address, whether it is this one.
    pub(super) themes: Vec<(&'static str, String, bool)>,
    /// The address of the list of hunts.
    pub(super) hunts: String,
    /// The address of the list of watches.
    pub(super) watches: String,
    /// The version of the program.
    pub(super) version: &'static str,
}

impl Shell {
    /// The address of a script.
    pub(super) fn script(&self, name: &str) -> String {
        asset::script_href(name)
    }
}

/// A link of the language switch.
pub(super) struct LanguageLink {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) href: String,
    pub(super) current: bool,
}

impl Shell {
    /// The frame for a visit. `title` names the page; the home page has none of its own.
    pub(super) fn new(doors: &Doors, visit: &Visit, title: Option<&str>) -> Shell {
        let name = doors.about.name.clone();
        let chosen = visit.form.ui.map(Ui::code);
        let local = |path: &str| match chosen {
            Some(code) => format!("{path}?ui={code}"),
            None => path.to_owned(),
        };
        let languages = Ui::ALL.into_iter().map(|ui| LanguageLink {
            code: ui.code(),
            name: ui.name(),
            href: same_page(visit, ui),
            current: ui == visit.ui,
        });
        Shell {
            t: visit.ui.texts(),
            ui: visit.ui,
            chosen,
            title: title.map_or(name.clone(), |title| format!("{title} · {name}")),
            languages: languages.collect(),
            home: local("/"),
            about: local("/about"),
            hunts: local("/hunts"),
            watches: local("/watches"),
            theme: visit.theme,
            themes: themes(visit),
            style: asset::style_href(),
            version: env!("CARGO_PKG_VERSION"),
            name,
        }
    }
}

/// The page of this visit in another language. Only known paths are linked to, so that a path made up by
/// someone else never becomes a link.
fn same_page(visit: &Visit, ui: Ui) -> String {
    match visit.path.as_str() {
        "/search" => {
            let mut form = visit.form.clone();
            form.ui = Some(ui);
            form.href()
        }
        "/about" => format!("/about?ui={}", ui.code()),
        path => {
            // Where a form was sent to there is nothing to look at; it leads back to where the form was.
            let Some(path) = numbered(path) else { return format!("/?ui={}", ui.code()) };
            let kept = ["view", "url", "with", "from", "q", "lang"];
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            for name in kept {
                if let Some(value) = visit.params.get(name) {
                    query.append_pair(name, value);
                }
            }
            query.append_pair("ui", ui.code());
            format!("{path}?{}", query.finish())
        }
    }
}

/// The ways to the themes and back to this page.
fn themes(visit: &Visit) -> Vec<(&'static str, String, bool)> {
    let back = same_page(visit, visit.ui);
    let choices = [Some(THEMES[0]), Some(THEMES[1]), None];
    let link = |to: Option<&str>| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("to", to.unwrap_or("auto")).append_pair("back", &back);
        format!("/theme?{}", query.finish())
    };
    let words = visit.ui.texts().themes.into_iter();
    words.zip(choices).map(|(words, to)| (words, link(to), to == visit.theme)).collect()
}

/// The list of hunts or watches that an address leads to, or the one of them that it leads to or below.
fn numbered(path: &str) -> Option<&str> {
    if matches!(path, "/hunts" | "/watches") {
        return Some(path);
    }
    let lists = ["/hunts/", "/watches/"];
    let (list, below) = lists.iter().find_map(|list| Some((list, path.strip_prefix(list)?)))?;
    let id = below.split('/').next().unwrap_or_default();
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| &path[..list.len() + id.len()])
}

/// Writes a page.
pub(super) fn respond(status: StatusCode, ui: Ui, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => {
            let headers = [
                (header::VARY, HeaderValue::from_static("Accept-Language, Cookie")),
                (header::CONTENT_LANGUAGE, HeaderValue::from_static(ui.code())),
            ];
            (status, headers, Html(html)).into_response()
        }
        Err(error) => {
            tracing::error!("a page could not be written: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, ui.texts().broken_page).into_response()
        }
    }
}
