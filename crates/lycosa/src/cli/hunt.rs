//! How is a hunt started and steered?

use super::{Crawl, Tui};
use crate::units::Span;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    after_help = "It begins where you say, or where the index of the data folder and the search engines of the \
    configuration\n([[hunt.engines]]) lead. InfoSpiders hunt unless you name another strategy; `learned` finds more per \
    page.\nWhile it runs, `lycosa steer` pauses it, stops it and tells it which pages are good, and `lycosa agents` \
    shows the spiders.\n\nExamples:\n  \
    lycosa hunt \"wolf spider habitat\" --pages 300\n  \
    lycosa hunt \"wolf spider\" https://example.org --strategy learned --time 5m\n  \
    lycosa hunt \"wolf spider\" https://example.org --tui\n  \
    lycosa hunt \"araña lobo\" --lang es --config engines.toml\n  \
    lycosa hunt --resume"
)]
pub(crate) struct Hunt {
    /// What to look for, in words
    #[arg(value_name = "QUERY", required_unless_present_any = ["resume", "examples"])]
    pub(crate) query: Option<String>,
    /// Results that are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) crawl: Crawl,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  lycosa hunts\n  lycosa hunts 3\n  lycosa hunts 3 --json\n  lycosa hunts 3 --tui"
)]
pub(crate) struct Hunts {
    /// The number of one hunt, to see its results
    #[arg(value_name = "ID")]
    #[arg(required_if_eq("tui", "true"))]
    pub(crate) id: Option<u64>,
    #[command(flatten)]
    pub(crate) view: Tui,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  lycosa steer pause\n  lycosa steer go-on\n  \
    lycosa steer good https://example.org/wolf-spiders\n  \
    lycosa steer limit --pages 2000\n  lycosa steer exclude shop.example.org \"*/print/*\"\n  \
    lycosa steer feed Ada\n  lycosa steer results\n  lycosa steer stop")]
pub(crate) struct Steer {
    #[command(subcommand)]
    pub(crate) what: SteerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SteerCommand {
    /// Begin nothing new until go-on; time that passes meanwhile does not count
    Pause,
    /// Go on after pause
    GoOn,
    /// End when what is under way has come to its end
    Stop,
    /// These pages are what is wanted: look for more like them
    Good {
        /// Pages that the crawl has read
        #[arg(required = true, value_name = "URL")]
        urls: Vec<String>,
    },
    /// These pages are not what is wanted
    Bad {
        /// Pages that the crawl has read
        #[arg(required = true, value_name = "URL")]
        urls: Vec<String>,
    },
    /// Leave these alone from now on; what waits there is set aside
    Exclude {
        /// Hosts (example.org), beginnings of addresses (example.org/shop/), patterns (*/print/*)
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
    },
    /// Leave these alone no more; what was set aside waits again
    Include {
        /// As they were excluded; `lycosa status --json` lists them
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
    },
    /// Feed an agent: energy for a spider, a clone of a walker, links for a crawler of a team
    Feed {
        /// Its name, as `lycosa agents` has it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// End an agent; what it was on its way to is not lost
    StopAgent {
        /// Its name, as `lycosa agents` has it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Change the limits
    #[command(group = clap::ArgGroup::new("limit").required(true).multiple(true))]
    Limit {
        /// Pages, those that were fetched already among them
        #[arg(long, value_name = "N", group = "limit")]
        pages: Option<u64>,
        /// Time since it began, as in 10m
        #[arg(long, value_name = "DUR", group = "limit")]
        time: Option<Span>,
    },
    /// What was found so far, the most relevant first
    Results {
        /// Rows
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: usize,
    },
}
