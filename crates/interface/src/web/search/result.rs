//! How is one result shown?

use super::sites::SiteView;
use crate::web::clean::{self, Address, MAX_TITLE, Snippet};
use crate::web::form::Form;
use crate::web::language;
use crate::web::ui::Ui;
use jiff::{Timestamp, tz::TimeZone};
use lycosa_model::{Explain, Hit, Preferences, Tick};

/// Near-duplicates listed by address; the rest is counted.
const MAX_ALSO: usize = 5;
/// Characters of an agent's name that are shown.
const MAX_AGENT: usize = 40;
/// Addends of a score that are shown, and how deep they go.
const MAX_REASONS: usize = 60;
const MAX_DEPTH: usize = 3;

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
    /// What it is the date of, then for machines and for people.
    pub(super) date: Option<(&'static str, String, String)>,
    pub(super) agent: Option<String>,
    /// What was kept of it.
    pub(super) cached: Option<String>,
    /// A search in this site alone, and its words, unless this is one.
    pub(super) more: Option<(String, String)>,
    /// What can be done about its site.
    pub(super) site: Option<SiteView>,
    /// Where in its text the words stand.
    pub(super) bar: Option<Bar>,
    /// Why the score is what it is: depth, value and words of each part.
    pub(super) why: Vec<Reason>,
    pub(super) also_words: String,
    pub(super) also: Vec<Address>,
    pub(super) also_rest: Option<String>,
}

impl ResultView {
    pub(super) fn new(hit: &Hit, form: &Form, wanted: &Preferences, ui: Ui) -> ResultView {
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
            cached: address.is_some().then(|| form.cached(&hit.url)),
            href: address.map(|address| address.href),
            snippet: Snippet::new(&hit.snippet),
            lang: hit.lang.map(|lang| (lang.to_string(), language::name(lang, ui))),
            date: date(hit.date, ui).map(|(machine, human)| {
                let label = if hit.date == hit.fetched { t.fetched } else { t.dated };
                (label, machine, human)
            }),
            agent: Some(agent).filter(|agent| !agent.is_empty()),
            more: elsewhere.then(|| {
                let href = form.with(|form| form.site = Some(hit.site.clone()));
                (href, (t.more_from_site)(hit.more_from_site as u64))
            }),
            site: SiteView::new(&hit.site, wanted, ui),
            bar: Bar::new(&hit.positions, ui),
            why: hit.explain.as_ref().map_or(Vec::new(), |explain| reasons(explain, ui)),
            also_words: (t.also_at)(also.len()),
            also_rest: (rest > 0).then(|| (t.and_more)(rest)),
            also: also.into_iter().take(MAX_ALSO).collect(),
        }
    }
}

/// A row of columns that show where in a text the words of the query stand: the more of them, the higher.
pub(super) struct Bar {
    /// Left edge, top edge and height of each column.
    pub(super) columns: Vec<(usize, usize, usize)>,
    pub(super) width: usize,
    pub(super) height: usize,
    /// The same in words.
    pub(super) words: String,
}

impl Bar {
    /// Pixels from one column to the next, and of the highest one.
    const STEP: usize = 4;
    const HEIGHT: usize = 12;

    /// Nothing where no word stands.
    fn new(positions: &[u8], ui: Ui) -> Option<Bar> {
        let cells = positions.iter().take(Hit::CELLS).enumerate();
        let some: Vec<(usize, u8)> =
            cells.filter(|(_, count)| **count > 0).map(|(cell, count)| (cell, *count)).collect();
        if some.is_empty() {
            return None;
        }
        let thirds =
            [0, 1, 2].map(|third| some.iter().any(|(cell, _)| cell * 3 / Hit::CELLS == third));
        let column = |(cell, count): (usize, u8)| {
            let height = match count {
                1 => 6,
                2 => 9,
                _ => Bar::HEIGHT,
            };
            (cell * Bar::STEP, Bar::HEIGHT - height, height)
        };
        Some(Bar {
            columns: some.into_iter().map(column).collect(),
            width: Hit::CELLS * Bar::STEP,
            height: Bar::HEIGHT,
            words: (ui.texts().sites.positions)(thirds),
        })
    }
}

/// One addend of a score.
pub(super) struct Reason {
    /// How deep it stands below the whole, from 0.
    pub(super) depth: usize,
    pub(super) value: String,
    pub(super) words: String,
}

/// The addends of a score, each above those it is made of.
fn reasons(explain: &Explain, ui: Ui) -> Vec<Reason> {
    fn walk(explain: &Explain, depth: usize, ui: Ui, out: &mut Vec<Reason>) {
        if out.len() >= MAX_REASONS || depth > MAX_DEPTH {
            return;
        }
        let words = clean::line(&explain.what, MAX_TITLE);
        out.push(Reason { depth, value: ui.measure(f64::from(explain.value)), words });
        explain.parts.iter().for_each(|part| walk(part, depth + 1, ui, out));
    }
    let mut out = Vec::new();
    walk(explain, 0, ui, &mut out);
    out
}

/// The day in UTC; `None` for the epoch itself, which stands for "unknown".
pub(in crate::web) fn date(tick: Tick, ui: Ui) -> Option<(String, String)> {
    let millis = i64::try_from(tick.0).ok().filter(|millis| *millis > 0)?;
    let day = Timestamp::from_millisecond(millis).ok()?.to_zoned(TimeZone::UTC).date();
    let month = ui.texts().months.get(usize::try_from(day.month() - 1).ok()?)?;
    Some((day.to_string(), (ui.texts().date)(day.day(), month, day.year())))
}
