//! Does a site go on for ever here?
//!
//! Some sites have no end: a calendar always has a next month, a shop combines its filters without
//! showing another thing, a broken relative link makes each page lead one folder deeper. The rules here
//! look at addresses, and at where they lead. They are made so that an honest page is refused rarely:
//!
//! - What a path looks like is judged by limits that real pages stay far below.
//! - A calendar is noticed by its count: addresses that are equal but for the date. An article whose
//!   path has a date and a name of its own is a pattern of its own, so archives of any size pass.
//! - A search is noticed by what it asks: addresses of one path that combine the same few values. Each
//!   new value (the next topic of a forum, the next article number) raises what the path may have.
//! - A maze is noticed by what its pages lack: a link back, or an end.
//! - Counts are kept by Misra and Gries' method in a fixed number of slots per site: a count is never
//!   too high, and too low by at most one in [`SLOTS`] of what was counted. So no page is refused because
//!   memory is short, and a trap that is the bulk of a site is always noticed.

mod dates;
mod facets;
mod maze;
mod path;
mod session;
mod slots;

#[cfg(test)]
mod tests;

pub use lycosa_model::{PatternCount, SiteCounters, Trap};
pub use maze::Onward;
pub use session::without_session;
pub use slots::SLOTS;

use crate::normal::Address;
use lycosa_model::Tick;

/// What an address may look like, and how many of one pattern a site may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapRule {
    /// Whether links are judged at all. The budget of a site holds without it.
    pub enabled: bool,
    /// Segments of a path.
    pub max_path_segments: usize,
    /// How often a segment, or a run of segments, may stand in a row.
    pub max_repeats: usize,
    /// Parameters of a query.
    pub max_query_params: usize,
    /// Bytes of an address.
    pub max_url_bytes: usize,
    /// Years into the future that a calendar is followed.
    pub horizon_years: u32,
    /// Addresses that differ only by a date.
    pub dates: u32,
    /// Addresses of one path that combine the same few values; each different value adds
    /// [`FACETS_PER_VALUE`].
    pub facets: u32,
    /// Pages in a row that lead to nothing but new pages, of one folder or site.
    pub maze_pages: u32,
    /// Sites of one registrable domain.
    pub domain_sites: u32,
    /// Pages of one site in one run.
    pub site_pages: Option<u64>,
}

/// Addresses that each different value of a query may bring to its path, in other combinations.
pub const FACETS_PER_VALUE: u32 = 8;

impl Default for TrapRule {
    fn default() -> TrapRule {
        TrapRule {
            enabled: true,
            max_path_segments: 24,
            max_repeats: 2,
            max_query_params: 24,
            max_url_bytes: 2048,
            horizon_years: 2,
            dates: 400,
            facets: 200,
            maze_pages: 500,
            domain_sites: 20_000,
            site_pages: None,
        }
    }
}

impl TrapRule {
    /// Whether an address that was not seen before is worth a visit. When it is, it is counted, so ask
    /// once for each. Session ids are not judged here: see [`without_session`].
    pub fn verdict(
        &self,
        address: &Address,
        counters: &mut SiteCounters,
        now: Tick,
    ) -> Result<(), Trap> {
        if !self.enabled {
            return Ok(());
        }
        self.shape(address)?;
        maze::verdict(&counters.mazes, address, self.maze_pages)?;
        match dates::find(address) {
            Some(dated) if dated.is_beyond(self.horizon_years, now) => Err(Trap::Calendar),
            Some(dated) => dates::count(&mut counters.dates, dated.pattern, self.dates),
            None => facets::count(&mut counters.queries, address, self.facets),
        }
    }

    /// Takes note of where a page leads on its own site. Tells whether the counters should be kept.
    pub fn leads(&self, page: &Address, counters: &mut SiteCounters, links: Onward) -> bool {
        self.enabled && maze::count(&mut counters.mazes, page, links)
    }

    /// Whether an address that waits is worth a visit still.
    pub fn still(&self, address: &Address, counters: &SiteCounters) -> Result<(), Trap> {
        if self.enabled { maze::verdict(&counters.mazes, address, self.maze_pages) } else { Ok(()) }
    }

    /// Whether a domain of which so many sites were met may show another one.
    pub fn another_site(&self, sites: u32) -> Result<(), Trap> {
        match self.enabled && sites >= self.domain_sites {
            true => Err(Trap::ManySites),
            false => Ok(()),
        }
    }

    /// Whether a site of which so many pages were fetched in this run may give another one.
    pub fn budget(&self, pages: u64) -> Result<(), Trap> {
        match self.site_pages {
            Some(most) if pages >= most => Err(Trap::SiteBudget),
            _ => Ok(()),
        }
    }

    fn shape(&self, address: &Address) -> Result<(), Trap> {
        if address.request.len() > self.max_url_bytes {
            return Err(Trap::LongAddress);
        }
        if address.path().split('/').count() - 1 > self.max_path_segments {
            return Err(Trap::DeepPath);
        }
        if path::repeats(address.path(), self.max_repeats) {
            return Err(Trap::RepeatingPath);
        }
        let params = address.query().map_or(0, |query| query.split('&').count());
        if params > self.max_query_params {
            return Err(Trap::ManyParameters);
        }
        Ok(())
    }
}
