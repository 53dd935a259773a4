//! Why was a link not worth following? Names for what has no end, and what is counted to notice it.

use crate::Fingerprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place where a site goes on for ever without showing anything new, or a limit that keeps one site
/// from taking the whole crawl.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trap {
    /// The path repeats itself, as relative links on an error page make it do.
    RepeatingPath,
    /// The path has too many segments.
    DeepPath,
    /// The address is too long.
    LongAddress,
    /// The query has too many parameters.
    ManyParameters,
    /// The address carries a session id; without it, it is another address of the same page.
    Session,
    /// A calendar: a date far in the future, or too many dates in one place.
    Calendar,
    /// A search that combines the same few values again and again.
    Facets,
    /// The address carries parameters that change nothing: those of advertisers, and those that have
    /// proved so on this site.
    IdleParameters,
    /// The address has proved, on this site, to be another spelling of a known one.
    Variant,
    /// The pages of its folder lead to nothing but new pages, for hundreds of pages.
    Maze,
    /// The domain of the site has shown too many sites.
    ManySites,
    /// The site has had its share of pages.
    SiteBudget,
}

impl Trap {
    /// All of them.
    pub const ALL: [Trap; 12] = [
        Trap::RepeatingPath,
        Trap::DeepPath,
        Trap::LongAddress,
        Trap::ManyParameters,
        Trap::Session,
        Trap::Calendar,
        Trap::Facets,
        Trap::IdleParameters,
        Trap::Variant,
        Trap::Maze,
        Trap::ManySites,
        Trap::SiteBudget,
    ];

    /// The name in summaries, records and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Trap::RepeatingPath => "trap_repeating_path",
            Trap::DeepPath => "trap_too_deep_path",
            Trap::LongAddress => "trap_long_address",
            Trap::ManyParameters => "trap_many_parameters",
            Trap::Session => "trap_session",
            Trap::Calendar => "trap_calendar",
            Trap::Facets => "trap_facets",
            Trap::IdleParameters => "idle_parameters",
            Trap::Variant => "variant",
            Trap::Maze => "trap_maze",
            Trap::ManySites => "trap_many_sites",
            Trap::SiteBudget => "site_budget",
        }
    }

    /// One phrase for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Trap::RepeatingPath => "its path repeats itself (trap_repeating_path)",
            Trap::DeepPath => "its path has too many segments (trap_too_deep_path)",
            Trap::LongAddress => "its address is too long (trap_long_address)",
            Trap::ManyParameters => "its query has too many parameters (trap_many_parameters)",
            Trap::Session => {
                "it carries a session id; the address without it is taken instead (trap_session)"
            }
            Trap::Calendar => {
                "it looks like a day of an endless calendar: its date lies far ahead, or its place \
                 has shown too many dates (trap_calendar)"
            }
            Trap::Facets => {
                "it only combines what other addresses of its path have asked for already \
                 (trap_facets)"
            }
            Trap::IdleParameters => {
                "it carries parameters that change nothing; the address without them is taken \
                 instead (idle_parameters)"
            }
            Trap::Variant => {
                "on this site such addresses have proved to be the same page as a known one (variant)"
            }
            Trap::Maze => {
                "it is in a part of its site that is made up for crawlers: hundreds of pages in a row lead \
                 to nothing but further new ones (trap_maze)"
            }
            Trap::ManySites => {
                "its domain has shown as many sites as are followed of one domain (trap_many_sites)"
            }
            Trap::SiteBudget => {
                "its site has had as many pages as one site may have in a run (site_budget)"
            }
        }
    }
}

/// Addresses of one pattern, such as all that differ only by a date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternCount {
    /// Digest of the pattern.
    pub pattern: u64,
    /// Addresses admitted. Never more than there were; fewer when many patterns compete for room.
    pub count: u32,
    /// Registers that estimate how many different values these addresses carried.
    pub values: Vec<u8>,
}

/// What is counted of a site to notice traps and budgets. A few KiB at most, whatever the site does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteCounters {
    /// The run that [`SiteCounters::pages_before`] belongs to.
    pub run: u32,
    /// Pages that had been fetched from the site when that run came to it.
    pub pages_before: u64,
    /// Addresses that differ only by a date.
    pub dates: Vec<PatternCount>,
    /// Addresses that differ only by their queries.
    pub queries: Vec<PatternCount>,
    /// Pages in a row that lead to nothing but new pages, by part of the site.
    pub mazes: Vec<PatternCount>,
    /// Pairs of addresses that may have been one page.
    pub variants: Vec<VariantCount>,
    /// What the site answers for pages that never were.
    pub not_found: NotFound,
    /// Other sites of the domain that were met; counted with the site of the domain's own name.
    pub others: u32,
}

/// What makes the difference between two addresses that may be one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// `www.` before the host.
    Www,
    /// A slash at the end.
    Slash,
    /// The name of the page that stands for its folder.
    Index,
    /// A parameter, by the digest of its name.
    Parameter(u64),
}

/// How often addresses of one kind of variant were the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantCount {
    /// The kind.
    pub variant: Variant,
    /// Pairs of the same content.
    pub equal: u32,
    /// Pairs of different content.
    pub different: u32,
}

/// What a site answers when it is asked for a page that never was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotFound {
    /// It was not asked.
    #[default]
    Unknown,
    /// An error, as it should be, or nothing that can be compared.
    Honest,
    /// A page with status 200 that says this.
    Page(Fingerprint),
}

impl SiteCounters {
    /// Begins a run on a site of which `pages` have been fetched. Tells whether it was not begun before.
    pub fn enter(&mut self, run: u32, pages: u64) -> bool {
        let new = self.run != run;
        if new {
            (self.run, self.pages_before) = (run, pages);
        }
        new
    }

    /// Whether no run has come to the site yet.
    pub fn is_new(&self) -> bool {
        self.run == 0
    }

    /// Whether any addresses have been counted.
    pub fn has_patterns(&self) -> bool {
        !(self.dates.is_empty() && self.queries.is_empty())
    }

    /// A number that changes when an address is counted.
    pub fn weight(&self) -> u64 {
        let all = self.dates.iter().chain(&self.queries);
        all.map(|pattern| pattern.pattern.wrapping_add(u64::from(pattern.count)))
            .fold(0, |sum, one| sum.wrapping_mul(31).wrapping_add(one))
    }

    /// Pages fetched in the present run, of `pages` in all.
    pub fn pages(&self, run: u32, pages: u64) -> u64 {
        if self.run == run { pages.saturating_sub(self.pages_before) } else { 0 }
    }
}
