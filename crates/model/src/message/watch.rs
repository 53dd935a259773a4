//! Between people and the one who keeps watch.

use super::Message;
use crate::Tick;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person wants watched: a query, a page or a site. What is not said has a sensible value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WatchOrder {
    /// What it is called; what it watches if nothing is said.
    pub name: Option<String>,
    /// Words to search the index for.
    pub query: Option<String>,
    /// Address of one page.
    pub page: Option<String>,
    /// Address at which a site, or a part of it, begins.
    pub site: Option<String>,
    /// When it is looked at: `every 6 hours`, `daily 08:00`, `mon,fri 18:30`, or five fields of cron.
    pub schedule: Option<String>,
    /// The time zone of the schedule, as in `Europe/Madrid`; that of the machine if nothing is said.
    pub zone: Option<String>,
    /// Hours in which nobody is told anything, as in `22:00-07:00`; the feed has it all the same.
    pub quiet: Option<String>,
    /// Only pages that have all of these texts.
    pub require: Vec<String>,
    /// Lines with one of these texts are not compared.
    pub ignore: Vec<String>,
    /// Of a page or a site: compare only this part of a page, as in `#price` or `main .offer`.
    pub part: Option<String>,
    /// Only pages of this language.
    pub lang: Option<String>,
    /// Compare all visible text, also navigation and boilerplate.
    pub whole: bool,
    /// Of a query: how many of the best pages.
    pub best: Option<usize>,
    /// Of a query: the least score.
    pub min_score: Option<f32>,
    /// Of a site: pages that are read at most.
    pub pages: Option<u64>,
    /// Of a query: for how many seconds known pages that are due are visited before it is compared.
    pub refresh: Option<u64>,
    /// What is told; new, changed and gone if nothing is said.
    pub tell: Vec<ChangeKind>,
    /// Where a webhook goes.
    pub hook: Option<String>,
    /// Who gets mail.
    pub mail: Vec<String>,
    /// Least seconds between two mails.
    pub mail_every: Option<u64>,
}

/// What is to be otherwise about a watch. What is not said stays as it is; an empty text or list, or 0, takes
/// something away. What is watched stays: another query, page or site is another watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WatchEdit {
    /// What it is called.
    pub name: Option<String>,
    /// When it is looked at.
    pub schedule: Option<String>,
    /// The time zone of the schedule.
    pub zone: Option<String>,
    /// Hours in which nobody is told anything.
    pub quiet: Option<String>,
    /// Only pages that have all of these texts.
    pub require: Option<Vec<String>>,
    /// Lines with one of these texts are not compared.
    pub ignore: Option<Vec<String>>,
    /// Of a page or a site: compare only this part of a page.
    pub part: Option<String>,
    /// Only pages of this language.
    pub lang: Option<String>,
    /// Compare all visible text.
    pub whole: Option<bool>,
    /// Of a query: how many of the best pages.
    pub best: Option<usize>,
    /// Of a query: the least score.
    pub min_score: Option<f32>,
    /// Of a site: pages that are read at most.
    pub pages: Option<u64>,
    /// Of a query: for how many seconds known pages are visited before it is compared.
    pub refresh: Option<u64>,
    /// What is told.
    pub tell: Option<Vec<ChangeKind>>,
    /// Where a webhook goes. Another address has another secret.
    pub hook: Option<String>,
    /// Who gets mail.
    pub mail: Option<Vec<String>>,
    /// Least seconds between two mails.
    pub mail_every: Option<u64>,
}

impl WatchEdit {
    /// The order as it is to be.
    pub fn of(self, order: &WatchOrder) -> WatchOrder {
        fn number<T: Default + PartialEq>(new: Option<T>, old: Option<T>) -> Option<T> {
            new.map_or(old, |new| Some(new).filter(|new| *new != T::default()))
        }
        let text = |new: Option<String>, old: &Option<String>| match new {
            Some(new) => Some(new.trim().to_owned()).filter(|new| !new.is_empty()),
            None => old.clone(),
        };
        let texts = |new: Option<Vec<String>>, old: &[String]| match new {
            Some(new) => new.into_iter().filter(|text| !text.trim().is_empty()).collect(),
            None => old.to_vec(),
        };
        let mail = texts(self.mail, &order.mail);
        let mail_every = number(self.mail_every, order.mail_every).filter(|_| !mail.is_empty());
        WatchOrder {
            name: text(self.name, &order.name),
            query: order.query.clone(),
            page: order.page.clone(),
            site: order.site.clone(),
            schedule: text(self.schedule, &order.schedule),
            zone: text(self.zone, &order.zone),
            quiet: text(self.quiet, &order.quiet),
            require: texts(self.require, &order.require),
            ignore: texts(self.ignore, &order.ignore),
            part: text(self.part, &order.part),
            lang: text(self.lang, &order.lang),
            whole: self.whole.unwrap_or(order.whole),
            best: number(self.best, order.best),
            min_score: number(self.min_score, order.min_score),
            pages: number(self.pages, order.pages),
            refresh: number(self.refresh, order.refresh),
            tell: self.tell.unwrap_or_else(|| order.tell.clone()),
            hook: text(self.hook, &order.hook),
            mail,
            mail_every,
        }
    }
}

/// What has happened to a page.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    New,
    /// It says something else.
    Changed,
    /// It is not there any more.
    Gone,
    /// It cannot be read.
    Error,
}

impl ChangeKind {
    /// The name in feeds, hooks and JSON.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::New => "new",
            ChangeKind::Changed => "changed",
            ChangeKind::Gone => "gone",
            ChangeKind::Error => "error",
        }
    }

    /// The kind of this name.
    pub fn parse(text: &str) -> Option<ChangeKind> {
        let all = [ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone, ChangeKind::Error];
        all.into_iter().find(|kind| kind.name() == text)
    }
}

/// What became of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PieceKind {
    /// It is as it was.
    Same,
    /// It was there.
    Removed,
    /// It is there now.
    Added,
    /// Text that is as it was and is left out.
    Gap,
}

/// A piece of the difference between two texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Piece {
    /// What became of it.
    pub kind: PieceKind,
    /// The text; nothing in a gap.
    pub text: String,
}

/// One change that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchEntry {
    /// Counts from 1 in each watch, and names this change for ever.
    pub number: u64,
    /// What has happened.
    pub change: ChangeKind,
    /// The page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// When it was found.
    pub at: Tick,
    /// The beginning of the text.
    #[serde(default)]
    pub text: String,
    /// What is different.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<Piece>,
    /// The score, of a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// The agent that found the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// One time that a watch was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchCheck {
    /// When it ended.
    pub at: Tick,
    /// Whether it was the first, of which nothing is told.
    pub baseline: bool,
    /// Pages that were looked at.
    pub pages: usize,
    /// What was found, by kind.
    pub new: usize,
    /// Pages that say something else.
    pub changed: usize,
    /// Pages that are not there any more.
    pub gone: usize,
    /// Pages that could not be read.
    pub errors: usize,
    /// Why nothing could be compared, or what is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether nothing could be compared.
    #[serde(default)]
    pub failed: bool,
}

/// How the telling of somebody is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It will be tried, or tried again.
    #[default]
    Waiting,
    /// It was taken.
    Delivered,
    /// It was given up.
    Dead,
}

/// What somebody is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryView {
    /// The `webhook-id`, or the name of the mail.
    pub id: String,
    /// `webhook` or `mail`.
    pub channel: String,
    /// How it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was made.
    pub made: Tick,
    /// When it is tried next, while it waits.
    pub next: Tick,
    /// How the last attempt ended.
    pub last: String,
    /// Changes that it tells of.
    pub entries: Vec<u64>,
}

/// A watch as it is now, without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchView {
    /// Its number.
    pub id: u64,
    /// What it is called.
    pub name: String,
    /// What was wanted.
    pub order: WatchOrder,
    /// The schedule in words.
    pub schedule: String,
    /// Whether it rests.
    pub paused: bool,
    /// Whether it is being looked at now, by whoever was asked.
    #[serde(default)]
    pub looking: bool,
    /// Whether it knows what was there to begin with.
    pub baseline: bool,
    /// When it was made.
    pub made: Tick,
    /// When it is looked at next.
    pub due: Option<Tick>,
    /// Pages that it knows.
    pub pages: usize,
    /// Changes that it has told of so far.
    #[serde(default)]
    pub changes: u64,
    /// Deliveries that wait for an attempt.
    #[serde(default)]
    pub waiting: usize,
    /// Deliveries that were given up.
    #[serde(default)]
    pub given_up: usize,
    /// Pages that could not be read when it was last looked at, and why.
    #[serde(default)]
    pub failing: Vec<(String, String)>,
    /// Why its webhook is off, if it is.
    #[serde(default)]
    pub hook_off: Option<String>,
    /// Why its mail is off, if it is.
    #[serde(default)]
    pub mail_off: Option<String>,
    /// Where its feed is, on the server.
    pub feed: String,
    /// The last times that it was looked at, the latest first.
    pub checks: Vec<WatchCheck>,
    /// The last changes, the latest first.
    pub entries: Vec<WatchEntry>,
    /// What is being told, or was given up or taken lately; the latest first.
    pub deliveries: Vec<DeliveryView>,
}

/// The feed of a watch, for somebody who may know its token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchFeed {
    /// The number of the watch.
    pub id: u64,
    /// What it is called.
    pub name: String,
    /// Where the feed is on the server, with its token.
    pub feed: String,
}

/// To the one who keeps watch. On the wire: `{"do":"list"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum WatchMessage {
    /// Watch this.
    Add(Box<WatchOrder>),
    /// What is watched?
    List,
    /// How is this one?
    Show {
        /// Its number.
        id: u64,
    },
    /// Go on watching it, but otherwise.
    Edit {
        /// Its number.
        id: u64,
        /// What is to be otherwise.
        edit: Box<WatchEdit>,
    },
    /// Watch it no more, and forget it.
    Remove {
        /// Its number.
        id: u64,
    },
    /// Look at it now.
    Run {
        /// Its number.
        id: u64,
    },
    /// Rest.
    Pause {
        /// Its number.
        id: u64,
    },
    /// Go on after `Pause`, also with a webhook or mail that was switched off.
    GoOn {
        /// Its number.
        id: u64,
    },
    /// Give its webhook a new secret.
    Rotate {
        /// Its number.
        id: u64,
    },
    /// Try again to tell what was given up.
    Retry {
        /// Its number.
        id: u64,
        /// One of them; all if nothing is said.
        delivery: Option<String>,
    },
    /// Where are the feeds, for somebody who may know their tokens?
    Feeds {
        /// Of one watch; of all if nothing is said.
        id: Option<u64>,
    },
    /// Its feed, for somebody who may look at everything, or who has its token.
    Feed {
        /// Its number.
        id: u64,
        /// The token of the feed; nothing if whoever asks may look at everything.
        token: Option<String>,
        /// The address at which the server was asked, as in `http://127.0.0.1:8080`.
        server: String,
    },
    /// No more mail, from somebody who has the token.
    Unsubscribe {
        /// Its number.
        id: u64,
        /// The token of the feed.
        token: String,
    },
}

/// From the one who keeps watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchReply {
    /// To `Add`.
    Added {
        /// Its number.
        id: u64,
        /// Where its feed is, with its token.
        feed: String,
        /// The secret of its webhook, which is told only now.
        secret: Option<String>,
    },
    /// To `List`, by number; without entries and deliveries.
    List(Vec<WatchView>),
    /// To `Show`.
    Watch(Box<WatchView>),
    /// To `Rotate`: the new secret, which is told only now.
    Secret(String),
    /// To `Edit`.
    Edited {
        /// The secret of its webhook, if that has a new one, which is told only now.
        secret: Option<String>,
    },
    /// To `Feeds`, by number.
    Feeds(Vec<WatchFeed>),
    /// To `Feed`: Atom.
    Feed(String),
    /// To the others.
    Done,
    /// There is no watch of this number, or not for whoever asks.
    Unknown,
    /// It cannot be done.
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
}

impl Message for WatchMessage {
    type Reply = WatchReply;
}
