//! What can be typed about watches?

use super::parse_lang;
use crate::units::Span;
use clap::{Args, Subcommand};
use lycosa_model::Lang;
use lycosa_model::message::{ChangeKind, WatchEdit, WatchOrder};

#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:\n  \
    lycosa watch add \"wolf spider\" --schedule \"daily 08:00\"\n  \
    lycosa watch add --page https://example.org/prices --hook https://example.net/hook\n  \
    lycosa watch run\n  \
    lycosa watch feed 1 > feed.atom\n\n\
    lycosa serve looks at watches when they are due; without a server, let cron start `lycosa watch run`.")]
pub(crate) enum Watch {
    /// Watch a query, a page or a site
    Add(Box<WatchAdd>),
    /// What is watched?
    List,
    /// One watch with its last changes, and who was told
    Show {
        /// Its number
        id: u64,
    },
    /// Keep watch otherwise: what is not named stays, "" or 0 takes something away
    Edit(Box<WatchChange>),
    /// Watch it no more
    Remove {
        /// Their numbers
        #[arg(required = true, value_name = "ID")]
        ids: Vec<u64>,
    },
    /// Look at watches that are due, or at those named, and tell what is new
    Run(WatchRun),
    /// Let it rest
    Pause {
        /// Its number
        id: u64,
    },
    /// Go on after pause, also with a webhook or mail that was switched off
    Resume {
        /// Its number
        id: u64,
    },
    /// Give its webhook a new secret; the old one signs as well for a day
    Rotate {
        /// Its number
        id: u64,
    },
    /// Try again to tell what was given up
    Retry {
        /// Its number
        id: u64,
        /// One delivery, by the id that `show` tells; all if none is named
        delivery: Option<String>,
    },
    /// Its Atom feed, on standard output
    Feed {
        /// Its number
        id: u64,
        /// Address of the server at which readers find it
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
        server: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    lycosa watch add \"wolf spider\" --lang en --best 50 --schedule \"every 6 hours\"\n  \
    lycosa watch add --page https://example.org/prices --ignore \"visitors today\"\n  \
    lycosa watch add --site https://example.org/news/ --require heron --pages 300 \\\n    \
    --schedule \"weekdays 07:30\" --zone Europe/Madrid --quiet-hours 22:00-07:00\n  \
    lycosa watch add --page https://example.org/ --hook https://example.net/hook --mail me@example.org\n\n\
    The first time is the baseline: nothing is told of it.")]
pub(crate) struct WatchAdd {
    /// Words to search the index for; pages that have all of them count
    #[arg(value_name = "QUERY", conflicts_with_all = ["page", "site"])]
    pub(crate) query: Option<String>,
    /// Watch one page
    #[arg(long, value_name = "URL", conflicts_with = "site")]
    pub(crate) page: Option<String>,
    /// Watch a site, or what is below an address
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
    /// What to call it
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// When to look: "every 6 hours", "daily 08:00", "mon,fri 18:30", or cron
    #[arg(long, value_name = "WHEN")]
    pub(crate) schedule: Option<String>,
    /// Time zone of the schedule; the machine's if none is named
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// Hours in which no webhook and no mail is sent, as in 22:00-07:00
    #[arg(long, value_name = "FROM-TO")]
    pub(crate) quiet_hours: Option<String>,
    /// Only pages with this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) require: Vec<String>,
    /// Do not compare lines with this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) ignore: Vec<String>,
    /// Of a page or a site: compare only this part, as in "#price" or "main .offer"
    #[arg(long, value_name = "PART")]
    pub(crate) part: Option<String>,
    /// Only pages of this language
    #[arg(long, value_name = "LANG", value_parser = parse_lang)]
    pub(crate) lang: Option<Lang>,
    /// Compare all visible text, also navigation and boilerplate
    #[arg(long)]
    pub(crate) whole: bool,
    /// Of a query: how many of the best pages
    #[arg(long, value_name = "N")]
    pub(crate) best: Option<usize>,
    /// Of a query: the least score, as `search` tells it
    #[arg(long, value_name = "SCORE")]
    pub(crate) min_score: Option<f32>,
    /// Of a site: pages at most
    #[arg(long, value_name = "N")]
    pub(crate) pages: Option<u64>,
    /// Of a query: visit known pages that are due for so long before comparing, as in 10m
    #[arg(long, value_name = "DUR")]
    pub(crate) refresh: Option<Span>,
    /// What to tell: new, changed, gone, error (all but error if nothing is said)
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    pub(crate) tell: Vec<ChangeKind>,
    /// Send a signed webhook there (Standard Webhooks)
    #[arg(long, value_name = "URL")]
    pub(crate) hook: Option<String>,
    /// Send mail there
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) mail: Vec<String>,
    /// Least time between two mails, as in 1d
    #[arg(long, value_name = "DUR", requires = "mail")]
    pub(crate) mail_every: Option<Span>,
    /// Let the webhook lead to a private or loopback address
    #[arg(long)]
    pub(crate) allow_private: bool,
}

impl WatchAdd {
    /// The order that was typed.
    pub(crate) fn order(self) -> WatchOrder {
        WatchOrder {
            name: self.name,
            query: self.query,
            page: self.page,
            site: self.site,
            schedule: self.schedule,
            zone: self.zone,
            quiet: self.quiet_hours,
            require: self.require,
            ignore: self.ignore,
            part: self.part,
            lang: self.lang.map(|lang| lang.to_string()),
            whole: self.whole,
            best: self.best,
            min_score: self.min_score,
            pages: self.pages,
            refresh: self.refresh.map(|span| span.0.as_secs().max(1)),
            tell: self.tell,
            hook: self.hook,
            mail: self.mail,
            mail_every: self.mail_every.map(|span| span.0.as_secs()),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    lycosa watch edit 1 --schedule \"daily 08:00\"\n  \
    lycosa watch edit 1 --hook https://example.net/other\n  \
    lycosa watch edit 1 --hook \"\" --min-score 0\n\n\
    Where other pages or texts count than before, the next time is a new baseline: nothing is told of it.")]
pub(crate) struct WatchChange {
    /// Its number
    pub(crate) id: u64,
    /// What to call it
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// When to look
    #[arg(long, value_name = "WHEN")]
    schedule: Option<String>,
    /// Time zone of the schedule
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// Hours in which no webhook and no mail is sent, as in 22:00-07:00
    #[arg(long, value_name = "FROM-TO")]
    quiet_hours: Option<String>,
    /// Only pages with this text
    #[arg(long, value_name = "TEXT")]
    require: Option<Vec<String>>,
    /// Do not compare lines with this text
    #[arg(long, value_name = "TEXT")]
    ignore: Option<Vec<String>>,
    /// Of a page or a site: compare only this part
    #[arg(long, value_name = "PART")]
    part: Option<String>,
    /// Only pages of this language
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    /// Compare all visible text, or only the main text
    #[arg(long, value_name = "BOOL")]
    whole: Option<bool>,
    /// Of a query: how many of the best pages
    #[arg(long, value_name = "N")]
    best: Option<usize>,
    /// Of a query: the least score
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f32>,
    /// Of a site: pages that are read at most
    #[arg(long, value_name = "N")]
    pages: Option<u64>,
    /// Of a query: visit known pages that are due for so long before comparing
    #[arg(long, value_name = "DUR")]
    refresh: Option<Span>,
    /// What to tell: new, changed, gone, error
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    tell: Option<Vec<ChangeKind>>,
    /// Send a signed webhook there; another address has another secret
    #[arg(long, value_name = "URL")]
    hook: Option<String>,
    /// Send mail there
    #[arg(long, value_name = "ADDRESS")]
    mail: Option<Vec<String>>,
    /// Least time between two mails
    #[arg(long, value_name = "DUR")]
    mail_every: Option<Span>,
    /// Let the webhook lead to a private or loopback address
    #[arg(long)]
    pub(crate) allow_private: bool,
}

impl WatchChange {
    /// What is to be otherwise.
    pub(crate) fn edit(self) -> WatchEdit {
        WatchEdit {
            name: self.name,
            schedule: self.schedule,
            zone: self.zone,
            quiet: self.quiet_hours,
            require: self.require,
            ignore: self.ignore,
            part: self.part,
            lang: self.lang,
            whole: self.whole,
            best: self.best,
            min_score: self.min_score,
            pages: self.pages,
            refresh: self.refresh.map(|span| span.0.as_secs()),
            tell: self.tell,
            hook: self.hook,
            mail: self.mail,
            mail_every: self.mail_every.map(|span| span.0.as_secs()),
        }
    }
}

fn parse_kind(text: &str) -> Result<ChangeKind, String> {
    ChangeKind::parse(text).ok_or_else(|| "write new, changed, gone or error".to_owned())
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  lycosa watch run\n  lycosa watch run 1 --dry-run\n  \
    lycosa watch run --all --json")]
pub(crate) struct WatchRun {
    /// These, whether they are due or not
    #[arg(value_name = "ID", conflicts_with = "all")]
    pub(crate) ids: Vec<u64>,
    /// All, whether they are due or not
    #[arg(long)]
    pub(crate) all: bool,
    /// Only tell what would be found; nothing is kept, nobody is told
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Allow private and loopback addresses, of pages and of webhooks
    #[arg(long)]
    pub(crate) allow_private: bool,
}
