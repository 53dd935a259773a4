//! Which of the URLs that wait does the strategy see?
//!
//! All of them lie in the store, by site and spot. The strategy is shown a window of each site: its
//! first few. What is behind the edge of the window stays on disk until the window runs low, so memory
//! does not grow with the frontier and the order is the same as if everything were shown.

use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::Address;
use lycosa_model::{Rank, Site, Spot, UrlId, UrlRecord};
use lycosa_store::records::{Entry, Line, Queued, StoreError, Trail, Waiting};
use lycosa_strategy::{Choice, LinkEvidence};

/// URLs of all sites together that a strategy is shown, as far as each site still has a few.
const MOST_SHOWN: usize = 1 << 19;

/// URLs of one site that are shown however many sites there are.
const FEWEST_SHOWN: usize = 4;

/// The URLs of one site that wait.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The number of the site in the store, once it has one.
    number: Option<u32>,
    /// All that wait in the frontier.
    waiting: u64,
    /// Those that the strategy is shown.
    shown: usize,
    /// The last spot that was shown: all that wait before it are shown too.
    edge: Option<Spot>,
    /// Whether some that wait are not shown. They are behind the edge.
    more: bool,
}

impl Window {
    /// The queue of a site as the store has it; none of it is shown.
    pub(crate) fn of(line: Line, run: u32) -> Window {
        let waiting = if line.run == run { line.waiting } else { 0 };
        Window { number: Some(line.number), waiting, more: waiting > 0, ..Window::default() }
    }

    /// The queue as the store should have it, of which the strategy knows the first URL.
    pub(crate) fn line(&self, run: u32, first: Option<(Spot, UrlId)>) -> Option<Line> {
        self.number.map(|number| Line { number, run, waiting: self.waiting, first })
    }

    /// The number of the site in the store, if it has one.
    pub(crate) fn number(&self) -> Option<u32> {
        self.number
    }

    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// One more waits. Tells whether it is to be shown; a window with room for `most` is not full.
    fn admit(&mut self, spot: Spot, most: usize) -> bool {
        self.waiting += 1;
        let show = self.edge.is_some_and(|edge| spot < edge) || (!self.more && self.shown < most);
        if show {
            self.shown += 1;
            self.edge = self.edge.max(Some(spot));
        } else {
            self.more = true;
        }
        show
    }

    /// The first of all that wait is shown, and nothing else yet.
    fn show_first(&mut self, spot: Spot) {
        (self.shown, self.edge, self.more) = (1, Some(spot), self.waiting > 1);
    }

    /// One that was shown waits no longer.
    fn take(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        self.shown = self.shown.saturating_sub(1);
        if self.waiting == 0 {
            (self.edge, self.more) = (None, false);
        }
    }
}

impl Ledger {
    /// URLs of one site that the strategy is shown: never fewer than it may take in one look.
    fn window(&self) -> usize {
        match self.strategy.window() {
            None => usize::MAX,
            Some(most) => {
                let share = MOST_SHOWN / self.sites.active().max(1);
                most.min(share.max(FEWEST_SHOWN)).max(self.concurrency())
            }
        }
    }

    fn concurrency(&self) -> usize {
        self.plan.settings.site_concurrency as usize
    }

    /// Puts a URL that has a record into the frontier.
    pub(crate) fn enqueue(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        entry: &Entry,
    ) -> Result<(), StoreError> {
        let number = self.line_up(site, entry.queued.url_id, entry.spot)?;
        draft.put_back((&self.records, self.run.number), (site, number), entry)
    }

    /// Puts a URL that was just found into the frontier.
    pub(crate) fn enqueue_new(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        spot: Spot,
        trail: &Trail,
    ) -> Result<(), StoreError> {
        let number = self.line_up(&address.site, address.id, spot)?;
        draft.enqueue((&address.site, number), spot, trail, (address.id, &address.request));
        Ok(())
    }

    /// Lets a URL wait at a spot of its site, and shows it to the strategy if its turn may be near. Tells
    /// the number of the site.
    fn line_up(&mut self, site: &Site, url: UrlId, spot: Spot) -> Result<u32, StoreError> {
        let most = self.window();
        let next_site = &mut self.run.next_site;
        let (number, show) = self.sites.work(&self.records, site, |state| {
            let number = *state.window.number.get_or_insert_with(|| {
                *next_site += 1;
                *next_site
            });
            (number, state.window.admit(spot, most))
        })?;
        self.run.waiting += 1;
        if show {
            self.strategy.offer(site, url, spot);
            self.narrow(site, most)?;
        }
        Ok(number)
    }

    /// Takes the last URLs out of a window that has grown to twice its size.
    fn narrow(&mut self, site: &Site, most: usize) -> Result<(), StoreError> {
        let window = &mut self.sites.get(&self.records, site)?.window;
        if window.shown / 2 >= most
            && let Some(edge) = self.strategy.trim(site, most)
        {
            (window.shown, window.edge, window.more) = (most, Some(edge), true);
        }
        Ok(())
    }

    /// Takes what the strategy chose out of the frontier. None when it was not there.
    pub(crate) fn dequeue(
        &mut self,
        draft: &mut Draft,
        choice: &Choice,
    ) -> Result<Option<(Trail, Waiting)>, StoreError> {
        let number = self.sites.work(&self.records, &choice.site, |state| {
            state.window.take();
            state.window.number
        })?;
        self.run.waiting = self.run.waiting.saturating_sub(1);
        let Some(number) = number else { return Ok(None) };
        draft.dequeue((&self.records, self.run.number), (&choice.site, number), choice.spot)
    }

    /// The record that a URL without one would have, if it waits.
    pub(crate) fn unasked(&mut self, address: &Address) -> Result<Option<UrlRecord>, StoreError> {
        let met = self.sieve.has(address.id.fingerprint())?;
        let number = self.sites.get(&self.records, &address.site)?.window.number;
        match number.filter(|_| met) {
            Some(number) => self.records.unasked(self.run.number, number, address.id),
            None => Ok(None),
        }
    }

    /// Shows the strategy the next URLs of a site whose window has run low. Must not be called while
    /// URLs are being queued that are not in the store yet.
    pub(crate) fn refill(&mut self, site: &Site) -> Result<(), StoreError> {
        let most = self.window();
        self.show(site, self.low(most), most)
    }

    /// A window in which fewer are shown has run low.
    fn low(&self, most: usize) -> usize {
        (most / 4).max(self.concurrency())
    }

    /// Shows the next URLs of a site until there are `most`, where fewer than `low` are shown.
    fn show(&mut self, site: &Site, low: usize, most: usize) -> Result<(), StoreError> {
        let window = &mut self.sites.get(&self.records, site)?.window;
        let Some(number) = window.number.filter(|_| window.more && window.shown < low) else {
            return Ok(());
        };
        let room = most.saturating_sub(window.shown);
        loop {
            for row in self.records.waiting(self.run.number, number, window.edge).take(room) {
                let (spot, url) = row?;
                self.strategy.offer(site, url, spot);
                window.shown += 1;
                window.edge = Some(spot);
            }
            // Nothing is behind the edge, and nothing is shown: perhaps the edge is wrong.
            if window.shown > 0 || window.edge.take().is_none() {
                break;
            }
        }
        window.more = (window.shown as u64) < window.waiting;
        if window.shown == 0 && window.more {
            tracing::warn!(%site, "{} URLs that should wait are not there", window.waiting);
            self.run.waiting = self.run.waiting.saturating_sub(window.waiting);
            self.sites.work(&self.records, site, |state| {
                state.window.waiting = 0;
                state.window.take();
            })?;
            self.sitemaps.wake(site);
        }
        Ok(())
    }

    /// Takes over the queues of all sites, and shows the strategy the first of each.
    pub(crate) fn restore_lines(&mut self) -> Result<(), LedgerError> {
        let run = self.run.number;
        let mut sites = Vec::new();
        self.run.waiting = 0;
        // Where no site gives two in one look, the first of each is enough: when it is taken, its window has
        // run low and is read. To read all windows now would take long when there are many sites.
        let one_at_a_time = self.concurrency() == 1 && self.strategy.window().is_some();
        for row in self.records.lines() {
            let (site, line) = row?;
            let mut window = Window::of(line, run);
            if window.waiting == 0 {
                continue;
            }
            self.run.waiting += window.waiting;
            match line.first.filter(|_| one_at_a_time) {
                Some((spot, url)) => {
                    window.show_first(spot);
                    self.strategy.offer(&site, url, spot);
                    self.sites.restore(&site, window);
                }
                None => {
                    self.sites.restore(&site, window);
                    sites.push(site);
                }
            }
        }
        // A window that has just not run low is soon read; the rest of it can wait until it is used.
        let low = self.low(self.window());
        for site in &sites {
            self.show(site, low, low)?;
        }
        Ok(())
    }

    /// The rank of a URL by what is on record of the link that it was found by.
    pub(crate) fn rank_of(&self, site: &Site, queued: &Queued) -> Rank {
        self.strategy.rank(&LinkEvidence {
            url: queued.url_id,
            address: "",
            site,
            known: false,
            seed: queued.seed,
            via: None,
            parent_relevance: queued.parent_relevance,
            wanted_language: queued.wanted_language,
            depth: queued.depth,
            anchor: "",
            context: "",
            tag_path: "",
            topic: &self.relevance,
        })
    }
}
