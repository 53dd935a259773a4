//! How does a URL get into the frontier?

use crate::draft::Draft;
use crate::exclusions::by_hand;
use crate::ledger::{Ledger, LedgerError};
use crate::links::Known;
use lycosa_frontier::{Address, normal};
use lycosa_model::message::BrokerReply;
use lycosa_model::{BotId, Origin, Outcome, Spot, Tick, UrlId, UrlState};
use lycosa_store::records::{Root, StoreError, Trail};
use lycosa_strategy::LinkEvidence;

/// What became of a URL that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It waits in the frontier now.
    Queued,
    /// The run has met it before.
    Known,
    /// It leads into a trap, its site has had its share, or it is left alone. It may be without record.
    Refused,
}

/// What is on record of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// This run has met it.
    Met,
    /// It failed for so long that nobody asks any more.
    Dropped,
    /// An earlier run has met it.
    Earlier,
    /// Nothing.
    New,
}

/// Where and how a URL was seen.
pub(crate) struct Sighting<'a> {
    pub(crate) origin: Origin,
    pub(crate) via: Option<UrlId>,
    pub(crate) bot: Option<BotId>,
    pub(crate) depth: u32,
    pub(crate) redirects: u8,
    pub(crate) parent_relevance: f32,
    pub(crate) wanted_language: bool,
    /// Whether a person gave it, or gave what redirects to it.
    pub(crate) seed: bool,
    pub(crate) anchor: &'a str,
    pub(crate) context: &'a str,
    pub(crate) tag_path: &'a str,
}

impl Sighting<'_> {
    pub(crate) fn seed() -> Sighting<'static> {
        Sighting {
            origin: Origin::Seed,
            via: None,
            bot: None,
            depth: 0,
            redirects: 0,
            parent_relevance: 0.0,
            wanted_language: false,
            seed: true,
            anchor: "",
            context: "",
            tag_path: "",
        }
    }

    /// What is remembered of it while the URL waits.
    pub(crate) fn trail(&self, at: Tick) -> Trail {
        Trail {
            origin: self.origin,
            via: self.via,
            bot: self.bot,
            at,
            depth: self.depth,
            redirects: self.redirects,
            parent_relevance: self.parent_relevance,
            wanted_language: self.wanted_language,
            seed: self.seed,
        }
    }
}

impl Ledger {
    /// Takes URLs from a person. Each widens the scope to what it stands for.
    pub(crate) fn seeds(&mut self, urls: Vec<String>) -> Result<BrokerReply, LedgerError> {
        let mut draft = Draft::default();
        let mut refused = Vec::new();
        let mut queued = 0;
        for url in urls {
            match normal::parse(&url) {
                Err(why) => refused.push((url, why.to_string())),
                Ok(address) if self.exclusions.of_address(&address).is_some() => {
                    let by = self.exclusions.of_address(&address).unwrap_or_default();
                    refused.push((url, by_hand(by)));
                }
                Ok(address) => {
                    self.scope.extend(&address);
                    // What stands for the scope is read with every start, so it holds no more than it must.
                    if !self.cover.admits(&address) {
                        self.cover.extend(&address);
                        draft.put_root(Root::Seed(address.request.clone()));
                    }
                    let seen = self.see(&mut draft, &address, &Sighting::seed(), Known::Perhaps)?;
                    queued += usize::from(seen == Seen::Queued);
                }
            }
        }
        self.commit(draft)?;
        Ok(BrokerReply::Offered { queued, refused })
    }

    /// Takes note of a URL: queues it unless this run has met it before or it leads into a trap. Of one that
    /// is known to be met or new, nothing is read. Tells what became of it.
    pub(crate) fn see(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        sighting: &Sighting<'_>,
        known: Known,
    ) -> Result<Seen, StoreError> {
        let standing = match known {
            Known::Met => Standing::Met,
            // Unless it was met a moment ago.
            Known::New if !self.sieve.has_lately(address.id.fingerprint()) => Standing::New,
            Known::New | Known::Perhaps => self.standing(draft, address.id)?,
        };
        let known = match standing {
            Standing::Met => true,
            // A person who names a dropped URL asks for another attempt.
            Standing::Dropped => sighting.origin != Origin::Seed,
            Standing::Earlier | Standing::New => false,
        };
        if !known && self.exclusions.of_address(address).is_some() {
            // It leaves no trace, so that it is new when it is found again.
            self.left_alone(Outcome::Excluded.name(), 1);
            return Ok(Seen::Refused);
        }
        if !known && !self.admit(draft, address, sighting, standing)? {
            return Ok(Seen::Refused);
        }
        let evidence = LinkEvidence {
            url: address.id,
            address: &address.request,
            site: &address.site,
            known,
            seed: sighting.seed,
            via: sighting.via,
            parent_relevance: sighting.parent_relevance,
            wanted_language: sighting.wanted_language,
            depth: sighting.depth,
            anchor: sighting.anchor,
            context: sighting.context,
            tag_path: sighting.tag_path,
            topic: &self.relevance,
        };
        self.strategy.on_link(&evidence);
        if known {
            return Ok(Seen::Known);
        }
        self.sieve.add(address.id.fingerprint(), 1);
        let trail = sighting.trail(self.now());
        let place = draft.place(&mut self.run, &trail);
        let spot = Spot { rank: self.strategy.rank(&evidence), place };
        self.enter_site(draft, &address.site)?;
        if standing != Standing::New
            && let Some(record) = draft.url(&self.records, address.id)?
        {
            record.queued = Some(spot);
            record.run = self.run.number;
            record.depth = sighting.depth;
            record.redirects = sighting.redirects;
            record.via = sighting.via;
        }
        self.enqueue_new(draft, address, spot, &trail)?;
        Ok(Seen::Queued)
    }

    fn standing(&mut self, draft: &mut Draft, id: UrlId) -> Result<Standing, StoreError> {
        if self.sieve.has(id.fingerprint())? {
            return Ok(Standing::Met);
        }
        Ok(match draft.peek(&self.records, id)? {
            // An earlier run may have left it unasked.
            None if self.inlinks.has(id.fingerprint())? => Standing::Earlier,
            None => Standing::New,
            // It is visited again.
            Some(record) if record.run == self.run.number => Standing::Met,
            Some(record) if record.state == UrlState::Dropped => Standing::Dropped,
            Some(_) => Standing::Earlier,
        })
    }

    /// Whether a URL that is new to this run may be queued.
    fn admit(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        sighting: &Sighting<'_>,
        standing: Standing,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        match standing {
            Standing::Met => {}
            Standing::Dropped => {
                if let Some(record) = draft.url(&self.records, address.id)? {
                    record.state = UrlState::Waiting(Origin::Seed);
                    record.tsstate = now;
                }
            }
            Standing::Earlier => return Ok(!self.has_had_its_share(&address.site)?),
            Standing::New => {
                if self.is_trapped(draft, address, sighting, now)? {
                    return Ok(false);
                }
                self.run.known += 1;
                if matches!(sighting.origin, Origin::Seed | Origin::Sitemap) {
                    // No page links here yet, but it is known; see [`Ledger::sift`].
                    self.inlinks.add(address.id.fingerprint(), 0);
                }
            }
        }
        Ok(true)
    }
}
