//! What did somebody type into a form about a watch?
//!
//! It is kept as it was typed, so that a form that was refused comes back as it was sent.

use super::Wrong;
use crate::web::guard::Fields;
use crate::web::ui::Ui;
use crate::web::visit::Visit;
use lycosa_model::message::{ChangeKind, WatchEdit, WatchOrder};
use std::str::FromStr;

/// Lines of a field that are read.
const MOST_LINES: usize = 100;
/// When it is looked at if nobody says otherwise.
const USUAL_SCHEDULE: &str = "every 6 hours";
/// What is told if nobody says otherwise.
const USUAL_KINDS: [ChangeKind; 3] = [ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone];
/// What can be watched, by its name in forms and addresses.
pub(super) const SUBJECTS: [&str; 3] = ["query", "page", "site"];

/// A form about a watch.
#[derive(Clone, Debug, Default)]
pub(super) struct Typed {
    pub(super) kind: String,
    pub(super) what: String,
    pub(super) name: String,
    pub(super) schedule: String,
    pub(super) zone: String,
    pub(super) quiet: String,
    pub(super) require: String,
    pub(super) ignore: String,
    pub(super) part: String,
    pub(super) lang: String,
    pub(super) whole: bool,
    pub(super) best: String,
    pub(super) min_score: String,
    pub(super) pages: String,
    pub(super) refresh: String,
    pub(super) tell: Vec<ChangeKind>,
    pub(super) hook: String,
    pub(super) mail: String,
    pub(super) mail_every: String,
}

impl Typed {
    /// An empty form, or one with what an address says: `/watches?q=…&lang=…`, or `?page=` or `?site=`.
    pub(super) fn fresh(visit: &Visit) -> Typed {
        let said = |kind: &str| match kind {
            "query" => Some(asked(visit)).filter(|query| !query.is_empty()),
            // A search has parameters of these names, too.
            _ if !visit.form.query.is_empty() => None,
            kind => visit.params.get(kind).map(str::to_owned),
        };
        let found = SUBJECTS.into_iter().find_map(|kind| Some((kind, said(kind)?)));
        let (kind, what) = found.unwrap_or((SUBJECTS[0], String::new()));
        Typed {
            kind: kind.to_owned(),
            what,
            schedule: USUAL_SCHEDULE.to_owned(),
            lang: visit.form.lang.map(|lang| lang.to_string()).unwrap_or_default(),
            tell: USUAL_KINDS.to_vec(),
            ..Typed::default()
        }
    }

    /// What a form sent.
    pub(super) fn of(fields: &Fields) -> Typed {
        let text = |name: &str| fields.0.get(name).unwrap_or_default().to_owned();
        let told = fields.0.0.iter().filter(|(name, _)| name == "tell");
        Typed {
            kind: text("kind"),
            what: text("what"),
            name: text("name"),
            schedule: text("schedule"),
            zone: text("zone"),
            quiet: text("quiet"),
            require: text("require"),
            ignore: text("ignore"),
            part: text("part"),
            lang: text("lang"),
            whole: fields.0.flag("whole"),
            best: text("best"),
            min_score: text("min_score"),
            pages: text("pages"),
            refresh: text("refresh"),
            tell: told.filter_map(|(_, kind)| ChangeKind::parse(kind)).collect(),
            hook: text("hook"),
            mail: text("mail"),
            mail_every: text("mail_every"),
        }
    }

    /// A form that would say what is so already.
    pub(super) fn showing(order: &WatchOrder, schedule: &str) -> Typed {
        fn shown<T: ToString>(value: &Option<T>) -> String {
            value.as_ref().map(T::to_string).unwrap_or_default()
        }
        let minutes = |seconds: Option<u64>| shown(&seconds.map(|seconds| seconds.div_ceil(60)));
        let subjects = [&order.query, &order.page, &order.site];
        let mut named = SUBJECTS.into_iter().zip(subjects);
        let (kind, what) = named.find(|(_, what)| what.is_some()).unwrap_or(("", &None));
        Typed {
            kind: kind.to_owned(),
            what: shown(what),
            name: shown(&order.name),
            schedule: schedule.to_owned(),
            zone: shown(&order.zone),
            quiet: shown(&order.quiet),
            require: order.require.join("\n"),
            ignore: order.ignore.join("\n"),
            part: shown(&order.part),
            lang: shown(&order.lang),
            whole: order.whole,
            best: shown(&order.best),
            min_score: shown(&order.min_score),
            pages: shown(&order.pages),
            refresh: minutes(order.refresh),
            tell: if order.tell.is_empty() { USUAL_KINDS.to_vec() } else { order.tell.clone() },
            hook: shown(&order.hook),
            mail: order.mail.join("\n"),
            mail_every: minutes(order.mail_every),
        }
    }

    /// Whether it is about a query, a page or a site. A new one may become any of them.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }

    /// Whether this kind of change is told.
    pub(super) fn tells(&self, kind: &ChangeKind) -> bool {
        self.tell.contains(kind)
    }

    /// Whether filters are set, so that they should be seen.
    pub(super) fn has_filters(&self) -> bool {
        let texts = [&self.require, &self.ignore, &self.part, &self.lang, &self.best];
        let more = [&self.min_score, &self.pages, &self.refresh];
        self.whole || texts.into_iter().chain(more).any(|text| !text.is_empty())
    }

    /// Whether somebody is told by another way than the feed.
    pub(super) fn has_receivers(&self) -> bool {
        !self.hook.is_empty() || !self.mail.is_empty()
    }

    /// What is to be otherwise. All fields of the form are there, so what is empty is to be nothing.
    pub(super) fn edit(&self, ui: Ui) -> Result<WatchEdit, Wrong> {
        let text = |text: &str| Some(text.to_owned());
        let is_usual = self.tell == USUAL_KINDS;
        let seconds =
            |typed: &str| number::<u64>(ui, typed).map(|minutes| minutes.saturating_mul(60));
        Ok(WatchEdit {
            name: text(&self.name),
            schedule: text(&self.schedule),
            zone: text(&self.zone),
            quiet: text(&self.quiet),
            require: Some(lines(&self.require)),
            ignore: Some(lines(&self.ignore)),
            part: text(&self.part),
            lang: text(&self.lang),
            whole: Some(self.whole),
            best: Some(number(ui, &self.best)?),
            min_score: Some(number(ui, &self.min_score)?),
            pages: Some(number(ui, &self.pages)?),
            refresh: Some(seconds(&self.refresh)?),
            tell: Some(if is_usual { Vec::new() } else { self.tell.clone() }),
            hook: text(&self.hook),
            mail: Some(lines(&self.mail)),
            mail_every: Some(seconds(&self.mail_every)?),
        })
    }

    /// The order of a new watch.
    pub(super) fn order(&self, ui: Ui) -> Result<WatchOrder, Wrong> {
        let what = |kind: &str| self.is(kind).then(|| self.what.clone());
        let bare = WatchOrder {
            query: what("query"),
            page: what("page"),
            site: what("site"),
            ..WatchOrder::default()
        };
        Ok(self.edit(ui)?.of(&bare))
    }
}

/// The words of a search with its site, as one query.
fn asked(visit: &Visit) -> String {
    match &visit.form.site {
        Some(site) if !visit.form.query.is_empty() => format!("{} site:{site}", visit.form.query),
        _ => visit.form.query.clone(),
    }
}

fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(MOST_LINES).map(str::to_owned).collect()
}

/// A number; nothing typed is the one that takes a setting away.
fn number<T: FromStr + Default>(ui: Ui, typed: &str) -> Result<T, Wrong> {
    if typed.is_empty() {
        return Ok(T::default());
    }
    // As in `0,5`, which is how people write it where the pages speak Spanish.
    typed.replace(',', ".").parse().map_err(|_| {
        let t = &ui.texts().watch;
        Wrong { error: (t.no_number)(typed), hint: t.no_number_hint.to_owned(), lang: ui.code() }
    })
}
