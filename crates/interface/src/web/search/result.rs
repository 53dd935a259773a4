//! How is one result shown?

use crate::web::clean::{self, Address, MAX_TITLE, Snippet};
use crate::web::form::Form;
use crate::web::language;
use crate::web::ui::Ui;
use jiff::{Timestamp, tz::TimeZone};
use lycosa_model::{Hit, Tick};

/// Near-duplicates listed by address; the rest is counted.
const MAX_ALSO: usize = 5;
/// Characters of an agent's name that are shown.
const MAX_AGENT: usize = 40;

/// One result, with nothing in it that a template could not write as text.
pub(super) struct ResultView {
    /// Where the title leads; `None` when the address must not be clicked on.
    pub(super) href: Option<String>,
    pub(super) title: String,
    pub(super) host: String,
    pub(super) parts: Vec<String>,
    pub(super) snippet: Snippet,
    /// Code and name.
    pub(super) lang: Option<(String, String)>,
    /// For machines and for people.
    pub(super) date: Option<(String, String)>,
    pub(super) agent: Option<String>,
    /// A search in this site alone, unless this is one.
    pub(super) more: Option<String>,
    pub(super) also_words: String,
    pub(super) also: Vec<Address>,
    pub(super) also_rest: Option<String>,
}

impl ResultView {
    pub(super) fn new(hit: &Hit, form: &Form, ui: Ui) -> ResultView {
        let t = ui.texts();
        let address = Address::new(&hit.url);
        let title = match clean::line(&hit.title, MAX_TITLE) {
            title if title.is_empty() => clean::line(&hit.url, MAX_TITLE),
            title => title,
        };
        let also: Vec<Address> = hit.also_at.iter().filter_map(|url| Address::new(url)).collect();
        let rest = also.len().saturating_sub(MAX_ALSO);
        let agent = clean::line(&hit.agent, MAX_AGENT);
        let elsewhere = form.site.as_deref() != Some(hit.site.as_str()) && !hit.site.is_empty();
        ResultView {
            title,
            host: address.as_ref().map_or(clean::line(&hit.site, MAX_TITLE), |a| a.host.clone()),
            parts: address.as_ref().map_or(Vec::new(), |address| address.parts.clone()),
            href: address.map(|address| address.href),
            snippet: Snippet::new(&hit.snippet),
            lang: hit.lang.map(|lang| (lang.to_string(), language::name(lang, ui))),
            date: date(hit.fetched, ui),
            agent: Some(agent).filter(|agent| !agent.is_empty()),
            more: elsewhere.then(|| form.with(|form| form.site = Some(hit.site.clone()))),
            also_words: (t.also_at)(also.len()),
            also_rest: (rest > 0).then(|| (t.and_more)(rest)),
            also: also.into_iter().take(MAX_ALSO).collect(),
        }
    }
}

/// The day in UTC; `None` for the epoch itself, which stands for "unknown".
fn date(tick: Tick, ui: Ui) -> Option<(String, String)> {
    let millis = i64::try_from(tick.0).ok().filter(|millis| *millis > 0)?;
    let day = Timestamp::from_millisecond(millis).ok()?.to_zoned(TimeZone::UTC).date();
    let month = ui.texts().months.get(usize::try_from(day.month() - 1).ok()?)?;
    Some((day.to_string(), (ui.texts().date)(day.day(), month, day.year())))
}
