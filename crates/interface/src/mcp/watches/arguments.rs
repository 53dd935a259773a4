//! What may be said to the tools for watches?

use lycosa_model::message::ChangeKind;
use schemars::JsonSchema;
use serde::Deserialize;

/// Of `watch_create`: one of `query`, `page` and `site`, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    /// Watch the best pages of the index for these words.
    #[serde(default)]
    pub(super) query: Option<String>,
    /// Watch one page: its address.
    #[serde(default)]
    pub(super) page: Option<String>,
    /// Watch the pages at and below this address.
    #[serde(default)]
    pub(super) site: Option<String>,
    /// What it is called; what it watches without.
    #[serde(default)]
    pub(super) name: Option<String>,
    /// `every 6 hours`, `daily 08:00`, `mon,fri 18:30`, or five fields of cron.
    #[serde(default)]
    pub(super) schedule: Option<String>,
    /// The time zone of the schedule, as in `Europe/Madrid`.
    #[serde(default)]
    pub(super) timezone: Option<String>,
    /// Hours in which nobody is told anything, as in `22:00-07:00`.
    #[serde(default)]
    pub(super) quiet_hours: Option<String>,
    /// Only pages that have all of these texts.
    #[serde(default)]
    pub(super) require: Vec<String>,
    /// Lines with one of these texts are not compared.
    #[serde(default)]
    pub(super) ignore: Vec<String>,
    /// Of a page or a site: compare only this part, as in `#price` or `main .offer`.
    #[serde(default)]
    pub(super) part: Option<String>,
    /// Only pages of this language, as in `es`.
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// Compare all visible text, also navigation and boilerplate.
    #[serde(default)]
    pub(super) whole: Option<bool>,
    /// Of a query: how many of the best pages, from 1 to 100; 20 without.
    #[serde(default)]
    pub(super) max_results: Option<usize>,
    /// Of a query: the least score.
    #[serde(default)]
    pub(super) min_score: Option<f32>,
    /// Of a site: pages at most, from 1 to 2,000; 200 without.
    #[serde(default)]
    pub(super) max_pages: Option<u64>,
    /// What is told: `new`, `changed`, `gone`, `error`; all but `error` without.
    #[serde(default)]
    pub(super) notify: Vec<ChangeKind>,
    /// Address to which changes are sent (Standard Webhooks).
    #[serde(default)]
    pub(super) webhook: Option<String>,
    /// Who gets mail, where the server can send some.
    #[serde(default)]
    pub(super) email: Vec<String>,
}

/// Of `watch_list`: nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {}

/// Of `watch_get` and `watch_delete`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    /// The watch.
    pub(super) watch_id: u64,
}

/// Of `watch_update`: what is not said stays as it is; an empty text or list, or 0, takes something away.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Update {
    /// The watch.
    pub(super) watch_id: u64,
    /// Whether it rests. Without, it stays as it is.
    #[serde(default)]
    pub(super) paused: Option<bool>,
    /// What it is called.
    #[serde(default)]
    pub(super) name: Option<String>,
    /// `every 6 hours`, `daily 08:00`, `mon,fri 18:30`, or five fields of cron.
    #[serde(default)]
    pub(super) schedule: Option<String>,
    /// The time zone of the schedule.
    #[serde(default)]
    pub(super) timezone: Option<String>,
    /// Hours in which nobody is told anything.
    #[serde(default)]
    pub(super) quiet_hours: Option<String>,
    /// Only pages that have all of these texts.
    #[serde(default)]
    pub(super) require: Option<Vec<String>>,
    /// Lines with one of these texts are not compared.
    #[serde(default)]
    pub(super) ignore: Option<Vec<String>>,
    /// Of a page or a site: compare only this part.
    #[serde(default)]
    pub(super) part: Option<String>,
    /// Only pages of this language.
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// Compare all visible text.
    #[serde(default)]
    pub(super) whole: Option<bool>,
    /// Of a query: how many of the best pages.
    #[serde(default)]
    pub(super) max_results: Option<usize>,
    /// Of a query: the least score.
    #[serde(default)]
    pub(super) min_score: Option<f32>,
    /// Of a site: pages at most.
    #[serde(default)]
    pub(super) max_pages: Option<u64>,
    /// What is told: `new`, `changed`, `gone`, `error`.
    #[serde(default)]
    pub(super) notify: Option<Vec<ChangeKind>>,
    /// Address to which changes are sent; another one has another secret.
    #[serde(default)]
    pub(super) webhook: Option<String>,
    /// Who gets mail.
    #[serde(default)]
    pub(super) email: Option<Vec<String>>,
}

/// Of `watch_run`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// The watch, which must not rest.
    pub(super) watch_id: u64,
    /// Seconds to wait until it was looked at, from 0 to 60; 20 without.
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

/// Of `watch_checks`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Checks {
    /// The watch.
    pub(super) watch_id: u64,
    /// Only changes with a number above this one.
    #[serde(default)]
    pub(super) since: Option<u64>,
    /// Changes at most, from 1 to 100; 20 without.
    #[serde(default)]
    pub(super) max_results: Option<usize>,
    /// Where to go on: next_cursor of the last answer.
    #[serde(default)]
    pub(super) cursor: Option<usize>,
}
