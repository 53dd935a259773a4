//! What may this bot fetch now?

use crate::draft::Draft;
use crate::housekeeping::Blame;
use crate::ledger::{Ledger, LedgerError};
use crate::sites::Readiness;
use lycosa_frontier::{Address, normal};
use lycosa_model::message::{BrokerReply, Refusal, Welcome};
use lycosa_model::{
    Absence, BotId, BotRecord, Door, FetchKind, Lease, Outcome, Previous, Site, Tick, UrlId,
    UrlState,
};
use lycosa_store::records::{Entry, Held, StoreError};
use lycosa_strategy::{Choice, Turn};
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// Most URLs in one answer.
const MOST_LEASES: usize = 256;

/// How soon a bot asks again while other bots hold what it waits for.
const POLL: Duration = Duration::from_millis(100);

/// Looks at the queue in one answer. More only happen when whole sites are disallowed or given up and
/// their URLs must be taken out; the bot then asks again at once.
const ROUNDS: usize = 32;

/// A bot never stays away longer, so that silence means trouble.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A site that is ready by then is worth waiting for.
const SOON: Duration = Duration::from_secs(30);

/// Sites with which something else comes before their pages.
#[derive(Default)]
struct First {
    /// Their robots.txt.
    robots: Vec<Site>,
    /// The decision whether a crawllet goes there.
    crawllets: Vec<Site>,
}

impl Ledger {
    /// i-Bot: `bot_authentification(name, PID)`.
    pub(crate) fn authenticate(
        &mut self,
        name: String,
        pid: u32,
        door: Door,
    ) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        let bot_id = BotId::of(&name, pid);
        let mut draft = Draft::default();
        // Whoever says hello begins anew: what it held before, it has forgotten.
        self.take_back_all(&mut draft, bot_id, Blame::Url, now)?;
        let record = match self.bots.records.get(&bot_id) {
            Some(known) => {
                BotRecord { kissed: None, expired: 0, dlast: now, door, ..known.clone() }
            }
            None => BotRecord {
                name,
                door,
                dinit: now,
                dlast: now,
                requests: 0,
                reported: 0,
                expired: 0,
                kissed: None,
            },
        };
        draft.put_bot(bot_id, &record);
        self.bots.enter(bot_id, record, now);
        self.commit(draft)?;
        let settings = &self.plan.settings;
        Ok(BrokerReply::Welcome(Welcome {
            bot_id,
            user_agent: settings.user_agent.clone(),
            wants_evidence: self.wants_terms(),
            wants_languages: settings.wanted_language.is_some() || settings.trace.is_some(),
            store_only_lang: settings.wanted_language.filter(|_| settings.store_only_lang),
            now,
        }))
    }

    /// Whether the words of pages are read.
    pub(crate) fn wants_terms(&self) -> bool {
        self.strategy.wants_evidence() && self.relevance.has_topic()
    }

    /// Whether the bot lives in our own process.
    pub(crate) fn is_inside(&self, bot: BotId) -> bool {
        self.bots.records.get(&bot).is_some_and(|record| record.door == Door::Inside)
    }

    /// The bot, if it may work.
    pub(crate) fn check(&mut self, bot: BotId) -> Result<&mut BotRecord, Refusal> {
        let record = self.bots.records.get_mut(&bot).ok_or(Refusal::UnknownBot)?;
        if record.kissed.is_some() { Err(Refusal::Kissed) } else { Ok(record) }
    }

    /// i-Bot: `give_me_n(N, bot_ID)`.
    pub(crate) fn give(&mut self, bot: BotId, n: usize) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => {
                record.dlast = now;
                record.requests += 1;
            }
        }
        self.housekeep(now)?;
        // The bot may have been retired a moment ago.
        if let Err(refusal) = self.check(bot) {
            return Ok(BrokerReply::Refused(refusal));
        }
        if self.is_paused() {
            return Ok(self.nothing_now());
        }
        let mut draft = Draft::default();
        let mut leases = Vec::new();
        while let Some(site) = self.sites.alarmed(now) {
            self.strategy.wake(&site);
        }
        for site in self.addresses.next_in_line(&self.plan.settings.addresses, now) {
            self.sites.get(&self.records, &site)?.in_line = false;
            self.strategy.wake(&site);
        }
        let most = n.min(MOST_LEASES).min(self.fair_share(bot, now));
        let sitemap_ready = self.give_sitemaps(&mut draft, bot, most, now, &mut leases)?;
        let probe_ready = self.give_probes(bot, most, now, &mut leases)?;
        let mut rounds = 0;
        while leases.len() < most && rounds < ROUNDS {
            rounds += 1;
            let left =
                (most - leases.len()).min(usize::try_from(self.pages_left()).unwrap_or(most));
            let mut choices = Vec::new();
            let sends = self.sends_crawllets(bot);
            let first = match left {
                0 => First::default(),
                _ => self.choose((left, sends), now, &mut choices)?,
            };
            if choices.is_empty() && first.robots.is_empty() && first.crawllets.is_empty() {
                break;
            }
            for site in first.robots {
                leases.push(self.grant_robots(bot, &site, now)?);
            }
            self.give_crawllets(bot, first.crawllets, now, &mut leases)?;
            for choice in &choices {
                match self.grant_page(&mut draft, bot, choice, now)? {
                    Some(lease) => leases.push(lease),
                    // Disallowed URLs and those of sites given up are taken out without a lease, so
                    // the site is as free as before; perhaps nothing but its sitemaps is left.
                    None => {
                        self.strategy.wake(&choice.site);
                        self.sitemaps.wake(&choice.site);
                    }
                }
            }
            for choice in &choices {
                self.refill(&choice.site)?;
            }
        }
        if let Some(record) = self.bots.records.get(&bot) {
            draft.put_bot(bot, record);
        }
        self.commit(draft)?;
        self.write_events()?;
        let more = (rounds == ROUNDS).then_some(now);
        let others = earlier(sitemap_ready, probe_ready);
        let alarm = earlier(self.sites.first_alarm(), self.addresses.first_alarm());
        let first_ready = more.or(earlier(alarm, others));
        let ask_again_ms = self.ask_again(bot, now, first_ready).as_millis() as u64;
        let finished = leases.is_empty() && self.finished();
        let removed = self.take_removed(bot);
        let copies = self.copies_among(&removed)?;
        let removals = self.fresh.last_removal;
        Ok(BrokerReply::Leases { leases, ask_again_ms, finished, removed, copies, removals })
    }

    /// How many more URLs the bot may hold, so that the sites are shared between all bots that are
    /// there. With one bot there is nothing to share.
    fn fair_share(&self, bot: BotId, now: Tick) -> usize {
        if self.bots.live() < 2 {
            return usize::MAX;
        }
        let here = |record: &BotRecord| now.since(record.dlast) <= 2 * LONGEST_WAIT;
        let bots = self.bots.working().filter(|(_, record)| here(record)).count();
        if bots < 2 {
            return usize::MAX;
        }
        let slots = self.sites.active() * self.plan.settings.site_concurrency as usize;
        slots.div_ceil(bots).max(1).saturating_sub(self.bots.held(bot))
    }

    /// Prolongs leases before their pages are archived, so that no page is archived whose report would
    /// then be refused. Tells for each whether it is still the bot's.
    pub(crate) fn renew(&mut self, bot: BotId, urls: &[UrlId]) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => record.dlast = now,
        }
        self.expire(now)?;
        let mut draft = Draft::default();
        let mut renewed = Vec::with_capacity(urls.len());
        for url in urls {
            let until = now.after(self.plan.settings.lease);
            let granted = self.leases.get_mut(url).filter(|granted| granted.held.bot == bot);
            renewed.push(granted.is_some());
            if let Some(granted) = granted {
                self.lease_ends.remove(&(granted.held.until, *url));
                self.lease_ends.insert((until, *url));
                granted.held.until = until;
                if granted.held.kind == FetchKind::Page {
                    draft.grant(*url, granted.held.clone());
                }
            }
        }
        self.commit(draft)?;
        Ok(BrokerReply::Renewed(renewed))
    }

    /// Lets the strategy choose among the sites that may be asked now. Tells the sites with which
    /// something else comes first.
    fn choose(
        &mut self,
        (k, sends): (usize, bool),
        now: Tick,
        choices: &mut Vec<Choice>,
    ) -> Result<First, StoreError> {
        let First { robots: mut need_robots, crawllets: mut undecided } = First::default();
        let mut failed = None;
        let mut taken: HashMap<Site, u32> = HashMap::new();
        // Requests that this answer adds to those under way at an address.
        let mut begun: HashMap<IpAddr, u32> = HashMap::new();
        let (records, sites, settings) = (&self.records, &mut self.sites, &self.plan.settings);
        let addresses = &mut self.addresses;
        let exclusions = &self.exclusions;
        let mut pages = 0;
        let mut turn = |site: &Site| {
            // A robots.txt takes the place of the page that it is asked for.
            if pages + need_robots.len() + undecided.len() >= k {
                return Turn::Stop;
            }
            // What is left alone is taken out without asking its site for anything.
            if exclusions.covers(site) {
                return Turn::Now;
            }
            let already = taken.get(site).copied().unwrap_or(0);
            let decided;
            let readiness = match sites.get(records, site) {
                Err(error) => {
                    failed = Some(error);
                    return Turn::Stop;
                }
                Ok(state) => {
                    let readiness = match state.readiness(settings, now) {
                        Readiness::Ready if state.is_full(settings, already) => Readiness::Busy,
                        readiness => readiness,
                    };
                    decided = !sends || !state.is_undecided(settings);
                    if let (Readiness::Ready | Readiness::NeedsRobots, Some(address)) =
                        (readiness, state.record.address)
                        && !state.is_harvested()
                    {
                        let more = begun.entry(address).or_default();
                        state.in_line =
                            !addresses.admit(&settings.addresses, address, site, *more, now);
                        if state.in_line {
                            return Turn::Soon;
                        }
                        *more += 1;
                    }
                    readiness
                }
            };
            match readiness {
                Readiness::Ready if !decided => {
                    if !undecided.contains(site) {
                        undecided.push(site.clone());
                    }
                    Turn::Soon
                }
                Readiness::Ready | Readiness::GivenUp => {
                    pages += usize::from(readiness == Readiness::Ready);
                    taken.insert(site.clone(), already + 1);
                    Turn::Now
                }
                Readiness::NeedsRobots => {
                    // A strategy may ask twice; it is leased once.
                    if !need_robots.contains(site) {
                        need_robots.push(site.clone());
                    }
                    Turn::Soon
                }
                Readiness::Resting(until) => {
                    let far = until.since(now).saturating_sub(SOON);
                    // One that rests long is looked at when it is soon, and then when it is ready.
                    let at = if far.is_zero() { until } else { now.after(far) };
                    sites.set_alarm(site, Some(at));
                    if far.is_zero() { Turn::Soon } else { Turn::Later }
                }
                Readiness::Busy => Turn::Soon,
            }
        };
        self.strategy.next(now, k, &mut turn, choices);
        match failed {
            Some(error) => Err(error),
            None => Ok(First { robots: need_robots, crawllets: undecided }),
        }
    }

    pub(crate) fn grant_robots(
        &mut self,
        bot: BotId,
        site: &Site,
        now: Tick,
    ) -> Result<Lease, StoreError> {
        let url = site.robots_url();
        let url_id = robots_id(site);
        let held = self.held(bot, FetchKind::Robots, now);
        let until = held.until;
        // Not written to the store: after a restart the robots.txt is simply asked for again.
        self.hold(url_id, held, site.clone())?;
        Ok(Lease {
            url_id,
            url,
            kind: FetchKind::Robots,
            until,
            last_down: None,
            previous: None,
            crawllet: None,
        })
    }

    fn grant_page(
        &mut self,
        draft: &mut Draft,
        bot: BotId,
        choice: &Choice,
        now: Tick,
    ) -> Result<Option<Lease>, LedgerError> {
        let Some((trail, waiting)) = self.dequeue(draft, choice)? else {
            return Ok(None);
        };
        // Of what is asked for there is a record, from the first time on.
        let record = match draft.peek(&self.records, choice.url)? {
            Some(record) => record.clone(),
            None if waiting.url.is_empty() => return Ok(None),
            None => {
                let record = waiting.record(&trail, self.run.number, choice.spot);
                draft.put_url(choice.url, record.clone());
                record
            }
        };
        let entry = Entry { spot: choice.spot, queued: trail.queued(choice.url) };
        let Ok(address) = normal::parse_near(record.url.clone(), Some(&choice.site)) else {
            return Ok(None);
        };
        if self.exclusions.of_address(&address).is_some() {
            self.set_aside(draft, choice.url, entry, now)?;
            return Ok(None);
        }
        self.meet_sitemaps(draft, &address.site)?;
        let state = self.sites.get(&self.records, &address.site)?;
        let refused = match self.plan.settings.traps.still(&address, &state.counters) {
            Err(trap) if !trail.seed => Some(Outcome::Trap(trap)),
            _ => self.refusal(&address)?,
        };
        if let Some(refused) = refused {
            self.end_unasked(draft, choice.url, refused, now)?;
            return Ok(None);
        }
        let state = self.sites.get(&self.records, &address.site)?;
        if !state.admits(choice.url, &self.plan.settings, now) {
            self.enqueue(draft, &address.site, &entry)?;
            return Ok(None);
        }
        let held = self.held(bot, FetchKind::Page, now);
        let held = Held { score: choice.score, entry: Some(entry), ..held };
        // To whom it is lent is not written there: until the lease ends, the lease tells.
        let lease = Lease {
            url_id: choice.url,
            url: record.url.clone(),
            kind: FetchKind::Page,
            until: held.until,
            last_down: record.dlast,
            // Who looks for a topic wants to read the page, also when it has not changed.
            previous: Some(&record.previous)
                .filter(|previous| **previous != Previous::default() && !self.wants_terms())
                .cloned(),
            crawllet: None,
        };
        self.sites.get(&self.records, &address.site)?.sitemap_turn = true;
        self.sitemaps.wake(&address.site);
        draft.grant(choice.url, held.clone());
        self.hold(choice.url, held, address.site)?;
        // Of a crawl that looks for nothing and has no agents there is nothing to tell.
        let explains = self.wants_terms() || choice.agent.is_some();
        if let Some(granted) = self.leases.get_mut(&choice.url) {
            granted.record = Some(Box::new(record));
            granted.agent = choice.agent.clone();
            let why = if explains { self.strategy.why(choice.url) } else { None };
            granted.why = why.map(Box::new);
        }
        Ok(Some(lease))
    }

    /// Why this address must not be asked for, if so.
    pub(crate) fn refusal(&mut self, address: &Address) -> Result<Option<Outcome>, StoreError> {
        let given_up = self.sites.get(&self.records, &address.site)?.given_up;
        if given_up.is_some() {
            return Ok(given_up);
        }
        let rules = self.rules(&address.site)?;
        let verdict = rules.verdict(&self.plan.settings.robots_agent, &address.request);
        Ok((!verdict.allowed).then_some(Outcome::RobotsDisallowed))
    }

    /// A lease that begins now.
    pub(crate) fn held(&self, bot: BotId, kind: FetchKind, now: Tick) -> Held {
        Held { bot, until: now.after(self.plan.settings.lease), kind, score: 0.0, entry: None }
    }

    /// Ends a URL of which there is no report, and which waits no longer.
    pub(crate) fn end_unasked(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        outcome: Outcome,
        now: Tick,
    ) -> Result<(), StoreError> {
        let mut dropped = false;
        if let Some(record) = draft.url(&self.records, id)? {
            record.outcome = Some(outcome);
            record.state = UrlState::Ended(outcome);
            record.tsstate = now;
            // That the site or we ourselves forbid it is no failure; that nobody answers there is one.
            if !matches!(
                outcome,
                Outcome::RobotsDisallowed | Outcome::Trap(_) | Outcome::NoCrawllet
            ) {
                record.failures = record.failures.saturating_add(1);
                if self.plan.settings.retry.should_drop(record, now) {
                    record.state = UrlState::Dropped;
                    dropped = true;
                }
            }
            record.queued = None;
        }
        if dropped {
            self.absent(draft, None, id, Absence::Failing)?;
        }
        if outcome == Outcome::RobotsDisallowed {
            self.absent(draft, None, id, Absence::Forbidden)?;
        }
        self.count(outcome.name());
        self.strategy.on_fail(id, outcome, Duration::ZERO);
        Ok(())
    }

    fn ask_again(&self, bot: BotId, now: Tick, first_ready: Option<Tick>) -> Duration {
        let mut wait = LONGEST_WAIT;
        for moment in first_ready.into_iter().chain(self.agenda.first()) {
            wait = wait.min(moment.since(now));
        }
        if self.leases.len() > self.bots.held(bot) {
            wait = wait.min(POLL);
        }
        wait.max(Duration::from_millis(1))
    }
}

/// The earlier of two moments, of which either may not come.
pub(crate) fn earlier(one: Option<Tick>, other: Option<Tick>) -> Option<Tick> {
    one.into_iter().chain(other).min()
}

/// A robots.txt is leased under an id of its own, so that it does not meet a page of the same address.
fn robots_id(site: &Site) -> UrlId {
    UrlId::of(&format!("robots:{site}"))
}
