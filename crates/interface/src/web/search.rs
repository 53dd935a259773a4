//! How are results shown?

mod result;
mod sites;
mod texts;

pub(super) use result::date as day;
pub(super) use texts::{EN, ES, SiteTexts};

use super::api::searxng;
use super::door::Doors;
use super::error;
use super::feed;
use super::form::{Form, MAX_PAGE, MAX_QUERY, Note, PAGE_SIZE};
use super::guard;
use super::language;
use super::preferences;
use super::shell::{Shell, respond};
use super::ui::Ui;
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use lycosa_model::{FacetRow, Lang, Preferences, SearchRequest, SearchResponse};
use result::ResultView;
use sites::SitesView;
use std::sync::Arc;

/// Sites offered as filters.
const MAX_SITES: usize = 5;
/// Languages offered as filters.
const MAX_LANGUAGES: usize = 8;
/// Years offered as filters.
const MAX_YEARS: usize = 6;
/// Numbered pages offered on either side of the present one.
const PAGES_AROUND: usize = 3;

/// A choice among several, of which one is in force.
struct Choice {
    words: String,
    /// How many pages there are with it.
    pages: Option<String>,
    href: String,
    current: bool,
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    shell: Shell,
    form: Form,
    notes: Vec<String>,
    /// How many were found, and how fast.
    found: String,
    /// Address and words of a better spelling.
    suggestion: Option<(String, String)>,
    languages: Vec<Choice>,
    sites: Vec<Choice>,
    years: Vec<Choice>,
    /// What the visitor wants of sites, where there is something.
    chosen_sites: Option<SitesView>,
    /// What proves that a form is of this session; empty without one.
    form_token: String,
    /// The feed of this search.
    feed: String,
    results: Vec<ResultView>,
    /// Number of the first result on this page.
    first: usize,
    nothing: Option<Nothing>,
    previous: Option<String>,
    next: Option<String>,
    pages: Vec<Choice>,
}

/// What to say instead of results.
enum Nothing {
    /// Nothing was asked.
    NotAsked,
    /// Nothing matches; without the filters something might.
    NotFound { title: String, unfiltered: Option<String> },
    /// There are results, but not this far.
    PastEnd { first_page: String },
}

/// `GET /search`
pub(super) async fn page(
    State(doors): State<Arc<Doors>>,
    headers: HeaderMap,
    visit: Visit,
) -> Response {
    if let Some(form) = visit.params.get("format").and_then(feed::Form::parse) {
        return feed::answer(&doors, &visit, &headers, form).await.into_response();
    }
    if visit.params.get("format") == Some("json") {
        return searxng::answer(&doors, &visit).await.into_response();
    }
    let wanted = preferences::together(&visit.form.preferences, &visit.kept);
    let response = if visit.form.query.is_empty() {
        SearchResponse::default()
    } else {
        let preferences = wanted.clone();
        match doors.search(SearchRequest { preferences, ..visit.form.request() }).await {
            Ok(response) => response,
            Err(refusal) => return error::unavailable(&doors, &visit, refusal.why),
        }
    };
    let (form, ui, t) = (&visit.form, visit.ui, visit.ui.texts());
    let title = match form.query.as_str() {
        "" => t.search.to_owned(),
        query => (t.results_title)(query),
    };
    let total = response.total;
    let facets = response.facets.clone().unwrap_or_default();
    let page = SearchPage {
        shell: Shell::new(&doors, &visit, Some(&title)),
        notes: notes(form, &response, ui),
        found: found_text(form, &response, ui),
        suggestion: suggestion(form, response.suggestion.as_deref()),
        languages: language_choices(form, &facets.languages, ui),
        sites: site_choices(form, &facets.sites, ui),
        years: year_choices(form, &facets.years, ui),
        first: (form.page - 1) * PAGE_SIZE + 1,
        nothing: nothing(form, &response, ui),
        previous: (form.page > 1).then(|| page_href(form, form.page - 1)),
        next: (form.page < last_page(total)).then(|| page_href(form, form.page + 1)),
        pages: page_choices(form, total),
        chosen_sites: SitesView::new(&wanted, response.blocked, form, ui),
        form_token: guard::form_token(&visit).to_owned(),
        feed: form.with(|form| form.preferences = wanted.clone()),
        results: shown(&response, form, &wanted, ui),
        form: form.clone(),
    };
    respond(StatusCode::OK, ui, &page)
}

fn shown(response: &SearchResponse, form: &Form, wanted: &Preferences, ui: Ui) -> Vec<ResultView> {
    response.results.iter().map(|hit| ResultView::new(hit, form, wanted, ui)).collect()
}

fn note_text(note: Note, ui: Ui) -> String {
    let t = ui.texts();
    match note {
        Note::QueryCut => (t.query_cut)(MAX_QUERY),
        Note::NoSuchLanguage => t.no_such_language.into(),
        Note::NoSuchSite => t.no_such_site.into(),
        Note::OddPreference => t.sites.odd.into(),
        Note::TooManyPreferences => (t.sites.too_many)(Preferences::MOST),
    }
}

fn notes(form: &Form, response: &SearchResponse, ui: Ui) -> Vec<String> {
    let of_query = response.notes.iter().map(|note| (ui.texts().query_note)(*note).to_owned());
    form.notes.iter().map(|note| note_text(*note, ui)).chain(of_query).collect()
}

fn found_text(form: &Form, response: &SearchResponse, ui: Ui) -> String {
    let t = ui.texts();
    let mut found = (t.found)(response.total as u64, response.took_ms);
    if response.complete < response.total {
        found = format!("{found}, {}", (t.complete)(response.complete as u64));
    }
    match form.page {
        1 => found,
        page => format!("{found}, {}", (t.on_page)(page)),
    }
}

fn suggestion(form: &Form, better: Option<&str>) -> Option<(String, String)> {
    let better = better.filter(|better| !better.is_empty() && *better != form.query)?;
    Some((form.with(|form| better.clone_into(&mut form.query)), better.to_owned()))
}

fn nothing(form: &Form, response: &SearchResponse, ui: Ui) -> Option<Nothing> {
    if form.query.is_empty() {
        return Some(Nothing::NotAsked);
    }
    if !response.results.is_empty() {
        return None;
    }
    if response.total > 0 {
        return Some(Nothing::PastEnd { first_page: form.with(|_| {}) });
    }
    let filtered = form.lang.is_some() || form.site.is_some();
    Some(Nothing::NotFound {
        title: (ui.texts().nothing_title)(&form.query),
        unfiltered: filtered.then(|| form.with(|form| (form.lang, form.site) = (None, None))),
    })
}

/// Any language, those of the pages that match, and the one in force.
fn language_choices(form: &Form, rows: &[FacetRow], ui: Ui) -> Vec<Choice> {
    let mut choices = vec![Choice {
        words: ui.texts().any_language.into(),
        pages: None,
        href: form.with(|form| form.lang = None),
        current: form.lang.is_none(),
    }];
    let counted = rows.iter().filter_map(|row| Some((Lang::parse(&row.value)?, row.pages)));
    let counted: Vec<(Lang, usize)> = counted.take(MAX_LANGUAGES).collect();
    let chosen = form.lang.filter(|lang| counted.iter().all(|(known, _)| known != lang));
    let all = chosen.map(|lang| (lang, None));
    for (lang, pages) in all.into_iter().chain(counted.iter().map(|(l, n)| (*l, Some(*n)))) {
        choices.push(Choice {
            words: language::name(lang, ui),
            pages: pages.map(|pages| ui.count(pages as u64)),
            href: form.with(|form| form.lang = Some(lang)),
            current: form.lang == Some(lang),
        });
    }
    choices
}

/// All sites, the one in force, and those with most of the pages that match.
fn site_choices(form: &Form, rows: &[FacetRow], ui: Ui) -> Vec<Choice> {
    let mut choices = vec![Choice {
        words: ui.texts().any_site.into(),
        pages: None,
        href: form.with(|form| form.site = None),
        current: form.site.is_none(),
    }];
    let counted = rows.iter().filter(|row| !row.value.is_empty()).take(MAX_SITES);
    let counted: Vec<(&str, Option<usize>)> =
        counted.map(|row| (row.value.as_str(), Some(row.pages))).collect();
    let chosen = form.site.as_deref().filter(|site| counted.iter().all(|(known, _)| known != site));
    for (site, pages) in chosen.map(|site| (site, None)).into_iter().chain(counted) {
        choices.push(Choice {
            words: super::clean::line(site, 40),
            pages: pages.map(|pages| ui.count(pages as u64)),
            href: form.with(|form| form.site = Some(site.to_owned())),
            current: form.site.as_deref() == Some(site),
        });
    }
    choices
}

/// The years of the pages that match, where there are several. Each is the same query with two more
/// conditions, unless that were so long that it would be cut.
fn year_choices(form: &Form, rows: &[FacetRow], ui: Ui) -> Vec<Choice> {
    const CONDITIONS: usize = "after:2024 before:2025 ".len();
    if rows.len() < 2 || form.query.chars().count() + CONDITIONS > MAX_QUERY {
        return Vec::new();
    }
    let years =
        rows.iter().take(MAX_YEARS).filter_map(|row| Some((row, row.value.parse::<u32>().ok()?)));
    let choice = |(row, year): (&FacetRow, u32)| Choice {
        words: row.value.clone(),
        pages: Some(ui.count(row.pages as u64)),
        href: form.with(|form| {
            // In front: behind an open quote or an OR they would mean something else.
            form.query = format!("after:{year} before:{} {}", year + 1, form.query);
        }),
        current: false,
    };
    years.map(choice).collect()
}

fn last_page(total: usize) -> usize {
    total.div_ceil(PAGE_SIZE).clamp(1, MAX_PAGE)
}

fn page_href(form: &Form, page: usize) -> String {
    form.with(|form| form.page = page)
}

fn page_choices(form: &Form, total: usize) -> Vec<Choice> {
    let last = last_page(total);
    let from = form.page.saturating_sub(PAGES_AROUND).max(1);
    let to = (form.page + PAGES_AROUND).min(last);
    if last == 1 || from > to {
        return Vec::new();
    }
    (from..=to)
        .map(|page| Choice {
            words: page.to_string(),
            pages: None,
            href: page_href(form, page),
            current: page == form.page,
        })
        .collect()
}
