//! What does an order mean, and is it one that can be kept?

use crate::part::{PART_HINT, Selector};
use crate::schedule::{DEFAULT_SCHEDULE, Quiet, SCHEDULE_HINT, Schedule};
use lycosa_model::Lang;
use lycosa_model::message::{ChangeKind, WatchOrder};
use url::Url;

/// Pages of a query that are watched if nothing is said, and at most.
pub const BEST: usize = 20;
/// Most pages of a query that can be watched.
pub const MOST_BEST: usize = 100;
/// Pages of a site that are read if nothing is said.
pub const PAGES: u64 = 200;
/// Most pages of a site that can be watched.
pub const MOST_PAGES: u64 = 2_000;
/// Texts that a page may have to have, or lines not to.
const MOST_TEXTS: usize = 20;
/// Longest text of an order.
const MOST_LETTERS: usize = 2_000;
/// Longest time for which pages are visited again, in seconds.
const MOST_REFRESH: u64 = 86_400;
/// Longest time between two mails, in seconds.
const MOST_MAIL_EVERY: u64 = 366 * 86_400;
/// Who may get mail.
const MOST_MAIL: usize = 10;

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The best pages of the index for these words.
    Query(String),
    /// One page.
    Page(String),
    /// The pages at and below this address.
    Site(String),
}

impl Subject {
    /// It in words.
    pub fn text(&self) -> &str {
        match self {
            Subject::Query(text) | Subject::Page(text) | Subject::Site(text) => text,
        }
    }
}

/// An order that was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is watched.
    pub subject: Subject,
    /// When.
    pub schedule: Schedule,
    /// When nobody is told anything.
    pub quiet: Option<Quiet>,
    /// What is told.
    pub tell: Vec<ChangeKind>,
    /// Which part of a page counts.
    pub part: Option<Selector>,
    /// Only pages of this language.
    pub lang: Option<Lang>,
    /// How many of the best pages.
    pub best: usize,
    /// How many pages of a site.
    pub pages: u64,
}

/// Why an order cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong.
    pub error: String,
    /// What to do about it.
    pub hint: String,
}

impl Wrong {
    fn new(error: impl Into<String>, hint: impl Into<String>) -> Wrong {
        Wrong { error: error.into(), hint: hint.into() }
    }
}

impl Plan {
    /// Reads an order.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of(order: &WatchOrder) -> Result<Plan, Wrong> {
        let subject = subject(order)?;
        let schedule = order.schedule.as_deref().unwrap_or(DEFAULT_SCHEDULE);
        let schedule =
            Schedule::parse(schedule).map_err(|error| Wrong::new(error, SCHEDULE_HINT))?;
        let quiet = order.quiet.as_deref().map(Quiet::parse).transpose();
        let quiet = quiet.map_err(|error| Wrong::new(error, "write hours as in 22:00-07:00"))?;
        let part = order.part.as_deref().map(Selector::parse).transpose();
        let part = part.map_err(|error| Wrong::new(error, PART_HINT))?;
        let lang =
            match &order.lang {
                None => None,
                Some(text) => Some(Lang::parse(text).ok_or_else(|| {
                    Wrong::new(format!("`{text}` is no language"), "write es or en")
                })?),
            };
        if let Some(hook) = &order.hook {
            let hint = "write https://… or http://…, without user and password";
            let address = web_address(hook).map_err(|error| Wrong::new(error, hint))?;
            if !address.username().is_empty() || address.password().is_some() {
                return Err(Wrong::new("the webhook's address has a user in it", hint));
            }
        }
        bounds(order, &subject)?;
        let mut tell = order.tell.clone();
        if tell.is_empty() {
            tell = vec![ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone];
        }
        let best = order.best.unwrap_or(BEST);
        let pages = order.pages.unwrap_or(PAGES);
        Ok(Plan { subject, schedule, quiet, tell, part, lang, best, pages })
    }
}

/// An address of the web.
fn web_address(text: &str) -> Result<Url, String> {
    let parsed = Url::parse(text.trim());
    let url = parsed.map_err(|error| format!("`{text}` is no address: {error}"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        other => Err(format!("`{text}` is no address of the web but of {other}")),
    }
}

fn subject(order: &WatchOrder) -> Result<Subject, Wrong> {
    let hint = "give one of query, page and site";
    let said = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let address = |text: String| {
        let written = if text.contains("://") { text } else { format!("https://{text}") };
        let url = web_address(&written);
        let url = url.map_err(|error| Wrong::new(error, "write https://… or http://…"))?;
        Ok(String::from(url))
    };
    match (said(&order.query), said(&order.page), said(&order.site)) {
        (Some(query), None, None) => Ok(Subject::Query(query)),
        (None, Some(page), None) => Ok(Subject::Page(address(page)?)),
        (None, None, Some(site)) => Ok(Subject::Site(address(site)?)),
        (None, None, None) => Err(Wrong::new("there is nothing to watch", hint)),
        _ => Err(Wrong::new("a watch is for a query, a page or a site, not for several", hint)),
    }
}

fn bounds(order: &WatchOrder, subject: &Subject) -> Result<(), Wrong> {
    let texts = order.require.iter().chain(&order.ignore).chain(&order.mail).chain(&order.name);
    if subject.text().len() > MOST_LETTERS || texts.clone().any(|text| text.len() > MOST_LETTERS) {
        let hint = format!("at most {MOST_LETTERS} letters");
        return Err(Wrong::new("one of the texts is too long", hint));
    }
    if order.require.iter().chain(&order.ignore).any(|text| text.trim().is_empty()) {
        return Err(Wrong::new("a text to require or to ignore is empty", "leave it out"));
    }
    if order.require.len() > MOST_TEXTS || order.ignore.len() > MOST_TEXTS {
        return Err(Wrong::new("too many texts", format!("at most {MOST_TEXTS} of each kind")));
    }
    if order.mail.len() > MOST_MAIL {
        return Err(Wrong::new("too many addresses for mail", format!("at most {MOST_MAIL}")));
    }
    let is_query = matches!(subject, Subject::Query(_));
    let only =
        |what: &str, kind: &str| Err(Wrong::new(format!("{what} is for a {kind}"), "leave it out"));
    match order {
        WatchOrder { best: Some(best), .. } if !(1..=MOST_BEST).contains(best) => Err(Wrong::new(
            format!("the best {best} cannot be watched"),
            format!("1 to {MOST_BEST}"),
        )),
        WatchOrder { pages: Some(pages), .. } if !(1..=MOST_PAGES).contains(pages) => Err(
            Wrong::new(format!("{pages} pages cannot be watched"), format!("1 to {MOST_PAGES}")),
        ),
        WatchOrder { min_score: Some(score), .. } if !score.is_finite() => {
            Err(Wrong::new("the least score is no number", "leave it out"))
        }
        WatchOrder { best: Some(_), .. } if !is_query => only("`best`", "query"),
        WatchOrder { min_score: Some(_), .. } if !is_query => only("a least score", "query"),
        WatchOrder { part: Some(_), .. } if is_query => only("a part", "page or a site"),
        WatchOrder { refresh: Some(_), .. } if !is_query => only("`refresh`", "query"),
        WatchOrder { pages: Some(_), .. } if !matches!(subject, Subject::Site(_)) => {
            only("a number of pages", "site")
        }
        WatchOrder { refresh: Some(MOST_REFRESH..), .. } => {
            Err(Wrong::new("pages would be visited for too long", "less than a day"))
        }
        WatchOrder { mail_every: Some(MOST_MAIL_EVERY..), .. } => {
            Err(Wrong::new("there would never be mail", "less than a year"))
        }
        WatchOrder { mail_every: Some(_), mail, .. } if mail.is_empty() => {
            Err(Wrong::new("nobody gets mail", "name somebody with `mail`"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(json: &str) -> WatchOrder {
        serde_json::from_str(json).expect("an order")
    }

    #[test]
    fn an_order_says_what_and_the_rest_has_a_sensible_value() {
        let plan = Plan::of(&order(r#"{"query":" wolf spider "}"#)).expect("a plan");
        assert_eq!(plan.subject, Subject::Query("wolf spider".into()));
        assert_eq!((plan.schedule.text(), plan.best), ("every 6 hours", 20));
        assert_eq!(plan.tell, [ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone]);
        let plan = Plan::of(&order(r#"{"page":"example.org/a"}"#)).expect("a plan");
        assert_eq!(plan.subject, Subject::Page("https://example.org/a".into()));
    }

    #[test]
    fn an_order_that_cannot_be_kept_is_refused_with_a_hint() {
        for (json, what) in [
            ("{}", "nothing to watch"),
            (r#"{"query":"  "}"#, "nothing to watch"),
            (r#"{"query":"a","site":"https://b.test"}"#, "not for several"),
            (r#"{"page":"file:///etc/passwd"}"#, "no address of the web"),
            (r#"{"page":"javascript://x.test/"}"#, "no address of the web"),
            (r#"{"query":"a","schedule":"sometimes"}"#, "sometimes"),
            (r#"{"query":"a","quiet":"always"}"#, "always"),
            (r#"{"query":"a","lang":"klingon"}"#, "klingon"),
            (r#"{"query":"a","hook":"ftp://b.test/"}"#, "no address of the web"),
            (r#"{"query":"a","hook":"https://me:pw@b.test/"}"#, "user in it"),
            (r#"{"query":"a","best":0}"#, "best 0"),
            (r##"{"query":"a","part":"#b"}"##, "for a page"),
            (r#"{"page":"https://b.test","part":"a > b"}"#, "no part"),
            (r#"{"query":"a","pages":5}"#, "for a site"),
            (r#"{"page":"https://b.test","best":5}"#, "for a query"),
            (r#"{"query":"a","ignore":[" "]}"#, "is empty"),
            (r#"{"query":"a","refresh":18446744073709551615}"#, "too long"),
            (
                r#"{"query":"a","mail":["b@c.test"],"mail_every":18446744073709551615}"#,
                "never be mail",
            ),
            (r#"{"query":"a","mail_every":60}"#, "nobody gets mail"),
        ] {
            let wrong = Plan::of(&order(json)).expect_err(json);
            assert!(wrong.error.contains(what), "{json}: {}", wrong.error);
            assert!(!wrong.hint.is_empty(), "{json}");
        }
    }
}
