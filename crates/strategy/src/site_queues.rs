//! Which URL of which site is first? A queue per site, and the sites in the order of their first URL.
//!
//! Only sites that may be asked are looked at: one that may not is set aside until somebody wakes it, so
//! the cost of a choice does not grow with the number of sites that rest.

use crate::{Choice, Turn};
use lycosa_model::{Site, Spot, UrlId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a site is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    #[default]
    Awake,
    /// Set aside for a moment.
    Soon,
    /// Set aside for longer.
    Later,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    urls: BTreeMap<Spot, UrlId>,
    standing: Standing,
    /// What had been given in all when this site gave last, or began to wait.
    since: u64,
}

/// A site that is passed over so often, though it may be asked, is then asked before all others. Ranks
/// decide as long as there are places for everybody; with fewer places than sites, a huge site of high
/// rank takes its share and not all of them.
const PASSED_OVER: u64 = 64;

/// Queues by site under one order: the smallest spot is first. Spots are unique, so the order depends
/// on nothing but what was put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteQueues {
    queues: HashMap<Site, Queue>,
    /// The first spot of every queue of a site that is awake.
    heads: BTreeMap<Spot, Site>,
    /// The same for the sites that were set aside for a moment.
    soon: BTreeMap<Spot, Site>,
    /// The sites that are awake, those first that wait longest.
    patient: BTreeSet<(u64, Site)>,
    /// URLs given so far.
    given: u64,
    /// Whether nobody waits for ever.
    fair: bool,
    len: usize,
}

/// A URL that was taken out.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) url: UrlId,
    pub(crate) site: Site,
    pub(crate) spot: Spot,
}

impl Taken {
    pub(crate) fn chosen(&self, score: f32) -> Choice {
        Choice { url: self.url, site: self.site.clone(), spot: self.spot, score, agent: None }
    }
}

/// How a look at the queues ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// As many as were asked for, or nobody may be asked any more.
    Enough,
    /// No site that is awake has a URL that may be taken.
    Exhausted,
}

impl SiteQueues {
    /// Empty queues; when they are `fair`, no site that may be asked is passed over for ever.
    pub(crate) fn new(fair: bool) -> SiteQueues {
        SiteQueues { fair, ..SiteQueues::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first spot of the sites that were set aside for a moment.
    pub(crate) fn first_soon(&self) -> Option<Spot> {
        self.soon.keys().next().copied()
    }

    /// Queues a URL.
    pub(crate) fn push(&mut self, site: &Site, url: UrlId, spot: Spot) {
        if !self.queues.contains_key(site) {
            self.queues.insert(site.clone(), Queue { since: self.given, ..Queue::default() });
        }
        self.change(site, |queue| queue.urls.insert(spot, url).is_none());
    }

    /// The first URL of a site.
    pub(crate) fn first_of(&self, site: &Site) -> Option<(Spot, UrlId)> {
        let (spot, url) = self.queues.get(site)?.urls.first_key_value()?;
        Some((*spot, *url))
    }

    /// Forgets all but the first `keep` URLs of a site; tells the last spot that is left.
    pub(crate) fn trim(&mut self, site: &Site, keep: usize) -> Option<Spot> {
        self.change(site, |queue| {
            while queue.urls.len() > keep {
                queue.urls.pop_last();
            }
            true
        });
        self.queues.get(site).and_then(|queue| queue.urls.keys().next_back().copied())
    }

    /// Takes a URL out of the queue of its site.
    pub(crate) fn remove(&mut self, site: &Site, spot: Spot) {
        self.change(site, |queue| queue.urls.remove(&spot).is_some());
    }

    /// Lets a URL stand elsewhere in the queue of its site.
    pub(crate) fn shift(&mut self, site: &Site, from: Spot, to: Spot) {
        self.change(site, |queue| match queue.urls.remove(&from) {
            Some(url) => queue.urls.insert(to, url).is_none(),
            None => false,
        });
    }

    /// The first URL of the sites that are awake.
    pub(crate) fn peek(&self) -> Option<UrlId> {
        let (spot, site) = self.heads.first_key_value()?;
        self.queues.get(site)?.urls.get(spot).copied()
    }

    /// Looks at a site again.
    pub(crate) fn wake(&mut self, site: &Site) {
        self.stand(site, Standing::Awake);
    }

    fn stand(&mut self, site: &Site, standing: Standing) {
        let given = self.given;
        self.change(site, |queue| {
            let moved = queue.standing != standing;
            queue.standing = standing;
            if moved {
                queue.since = given;
            }
            moved
        });
    }

    /// Changes the queue of a site and enters it anew among the heads if something has changed.
    fn change(&mut self, site: &Site, change: impl FnOnce(&mut Queue) -> bool) {
        let Some(queue) = self.queues.get_mut(site) else { return };
        let (head, standing, len) =
            (queue.urls.keys().next().copied(), queue.standing, queue.urls.len());
        let since = queue.since;
        if !change(queue) {
            return;
        }
        self.len = self.len + queue.urls.len() - len;
        let after = queue.urls.keys().next().copied();
        if (head, standing) == (after, queue.standing) {
            return;
        }
        let (now, waits_since) = (queue.standing, queue.since);
        if head.is_some() && standing == Standing::Awake {
            self.patient.remove(&(since, site.clone()));
        }
        if after.is_some() && now == Standing::Awake {
            self.patient.insert((waits_since, site.clone()));
        }
        if let Some(head) = head
            && let Some(list) = self.list(standing)
        {
            list.remove(&head);
        }
        match after {
            None => drop(self.queues.remove(site)),
            Some(spot) => {
                if let Some(list) = self.list(now) {
                    list.insert(spot, site.clone());
                }
            }
        }
    }

    fn list(&mut self, standing: Standing) -> Option<&mut BTreeMap<Spot, Site>> {
        match standing {
            Standing::Awake => Some(&mut self.heads),
            Standing::Soon => Some(&mut self.soon),
            Standing::Later => None,
        }
    }

    /// Takes up to `k` URLs in order, as long as `may` holds for their spots. Sites take turns: each
    /// gives one before any gives another. A site whose turn is not now is set aside.
    pub(crate) fn take(
        &mut self,
        k: usize,
        may: impl Fn(Spot) -> bool,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Taken>,
    ) -> Look {
        let end = out.len() + k;
        loop {
            let round = self.round(end, &may, turn, out);
            match round {
                Some(0) => return Look::Exhausted,
                Some(_) if out.len() < end => {}
                Some(_) | None => return Look::Enough,
            }
        }
    }

    /// Whose turn it would be: the first in the order, or whoever was passed over too often.
    fn first(&self, may: &impl Fn(Spot) -> bool) -> Option<(Spot, Site)> {
        let longest = self
            .patient
            .first()
            .filter(|(since, _)| self.fair && self.given.saturating_sub(*since) >= PASSED_OVER);
        if let Some((_, site)) = longest
            && let Some(spot) = self.queues.get(site).and_then(|queue| queue.urls.keys().next())
            && may(*spot)
        {
            return Some((*spot, site.clone()));
        }
        let (spot, site) = self.heads.first_key_value()?;
        may(*spot).then(|| (*spot, site.clone()))
    }

    /// One URL of each site that may be asked; tells how many, or nothing when all was ended.
    fn round(
        &mut self,
        end: usize,
        may: &impl Fn(Spot) -> bool,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Taken>,
    ) -> Option<usize> {
        let mut gave = Vec::new();
        let mut ended = false;
        // Who gave is out of the list until the round is over, so the first is always the next to ask.
        while out.len() < end {
            let Some((spot, site)) = self.first(may) else { break };
            match turn(&site) {
                Turn::Now => {
                    self.heads.remove(&spot);
                    if let Some(queue) = self.queues.get_mut(&site)
                        && let Some(url) = queue.urls.remove(&spot)
                    {
                        self.len -= 1;
                        self.given += 1;
                        self.patient.remove(&(queue.since, site.clone()));
                        queue.since = self.given;
                        out.push(Taken { url, site: site.clone(), spot });
                    }
                    gave.push(site);
                }
                Turn::Soon => self.stand(&site, Standing::Soon),
                Turn::Later => self.stand(&site, Standing::Later),
                Turn::Stop => {
                    ended = true;
                    break;
                }
            }
        }
        let count = gave.len();
        for site in gave {
            let head = self
                .queues
                .get(&site)
                .and_then(|queue| Some((*queue.urls.keys().next()?, queue.since)));
            match head {
                Some((spot, since)) => {
                    self.patient.insert((since, site.clone()));
                    self.heads.insert(spot, site);
                }
                None => drop(self.queues.remove(&site)),
            }
        }
        (!ended).then_some(count)
    }
}
