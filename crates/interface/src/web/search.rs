//! How are results shown?

mod result;

use super::door::Doors;
use super::error;
use super::form::{Form, MAX_PAGE, MAX_QUERY, Note, PAGE_SIZE};
use super::language;
use super::shell::{Shell, respond};
use super::ui::Ui;
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lycosa_model::{Hit, Lang, SearchResponse};
use result::ResultView;
use std::sync::Arc;

/// Sites offered as filters.
const MAX_SITES: usize = 5;
/// Languages offered as filters.
const MAX_LANGUAGES: usize = 8;
/// Numbered pages offered on either side of the present one.
const PAGES_AROUND: usize = 3;

/// A choice among several, of which one is in force.
struct Choice {
    words: String,
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
pub(super) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let response = if visit.form.query.is_empty() {
        SearchResponse::default()
    } else {
        match doors.search(visit.form.request()).await {
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
    let page = SearchPage {
        shell: Shell::new(&doors, &visit, Some(&title)),
        notes: form.notes.iter().map(|note| note_text(*note, ui)).collect(),
        found: found_text(form, total, response.took_ms, ui),
        suggestion: suggestion(form, response.suggestion.as_deref()),
        languages: language_choices(form, &response.results, ui),
        sites: site_choices(form, &response.results, ui),
        first: (form.page - 1) * PAGE_SIZE + 1,
        nothing: nothing(form, &response, ui),
        previous: (form.page > 1).then(|| page_href(form, form.page - 1)),
        next: (form.page < last_page(total)).then(|| page_href(form, form.page + 1)),
        pages: page_choices(form, total),
        results: response.results.iter().map(|hit| ResultView::new(hit, form, ui)).collect(),
        form: form.clone(),
    };
    respond(StatusCode::OK, ui, &page)
}

fn note_text(note: Note, ui: Ui) -> String {
    let t = ui.texts();
    match note {
        Note::QueryCut => (t.query_cut)(MAX_QUERY),
        Note::NoSuchLanguage => t.no_such_language.into(),
        Note::NoSuchSite => t.no_such_site.into(),
    }
}

fn found_text(form: &Form, total: usize, took_ms: f64, ui: Ui) -> String {
    let t = ui.texts();
    let found = (t.found)(total as u64, took_ms);
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

/// Any language, the languages of the pages, those of the results, and the one in force.
fn language_choices(form: &Form, hits: &[Hit], ui: Ui) -> Vec<Choice> {
    let mut langs = vec![Lang::EN, Lang::ES];
    for lang in form.lang.into_iter().chain(hits.iter().filter_map(|hit| hit.lang)) {
        if !langs.contains(&lang) && langs.len() < MAX_LANGUAGES {
            langs.push(lang);
        }
    }
    let any = Choice {
        words: ui.texts().any_language.into(),
        href: form.with(|form| form.lang = None),
        current: form.lang.is_none(),
    };
    let each = langs.into_iter().map(|lang| Choice {
        words: language::name(lang, ui),
        href: form.with(|form| form.lang = Some(lang)),
        current: form.lang == Some(lang),
    });
    std::iter::once(any).chain(each).collect()
}

/// All sites, the one in force, and the sites of these results.
fn site_choices(form: &Form, hits: &[Hit], ui: Ui) -> Vec<Choice> {
    let mut sites: Vec<&str> = form.site.as_deref().into_iter().collect();
    for hit in hits {
        if !sites.contains(&hit.site.as_str()) && !hit.site.is_empty() && sites.len() < MAX_SITES {
            sites.push(&hit.site);
        }
    }
    let all = Choice {
        words: ui.texts().any_site.into(),
        href: form.with(|form| form.site = None),
        current: form.site.is_none(),
    };
    let each = sites.into_iter().map(|site| Choice {
        words: super::clean::line(site, 40),
        href: form.with(|form| form.site = Some(site.to_owned())),
        current: form.site.as_deref() == Some(site),
    });
    std::iter::once(all).chain(each).collect()
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
            href: page_href(form, page),
            current: page == form.page,
        })
        .collect()
}
