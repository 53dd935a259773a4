//! What does the robots.txt of a site say? Parsed when first needed, and kept while there is room.

use crate::ledger::Ledger;
use lycosa_frontier::Robots;
use lycosa_model::{Site, SiteRobots};
use lycosa_store::records::StoreError;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Memory for parsed rules, in bytes of the files they were read from.
const MOST_BYTES: usize = 16 << 20;

/// What even an empty file costs.
const COST: usize = 256;

struct Kept {
    rules: Arc<Robots>,
    bytes: usize,
    used: u64,
}

/// The rules that were used last.
#[derive(Default)]
pub(crate) struct RuleCache {
    kept: HashMap<Site, Kept>,
    order: BTreeMap<u64, Site>,
    bytes: usize,
    clock: u64,
}

impl RuleCache {
    fn get(&mut self, site: &Site) -> Option<Arc<Robots>> {
        let kept = self.kept.get_mut(site)?;
        self.clock += 1;
        if let Some(name) = self.order.remove(&kept.used) {
            self.order.insert(self.clock, name);
        }
        kept.used = self.clock;
        Some(kept.rules.clone())
    }

    /// Keeps the rules of a site instead of those that were kept before.
    pub(crate) fn put(&mut self, site: &Site, text: &str) -> Arc<Robots> {
        self.remove(site);
        let rules = Arc::new(Robots::parse(text.as_bytes()));
        let bytes = text.len() + COST;
        self.clock += 1;
        self.bytes += bytes;
        self.order.insert(self.clock, site.clone());
        self.kept.insert(site.clone(), Kept { rules: rules.clone(), bytes, used: self.clock });
        while self.bytes > MOST_BYTES
            && let Some((_, oldest)) = self.order.pop_first()
            && let Some(gone) = self.kept.remove(&oldest)
        {
            self.bytes -= gone.bytes;
        }
        rules
    }

    fn remove(&mut self, site: &Site) {
        if let Some(gone) = self.kept.remove(site) {
            self.order.remove(&gone.used);
            self.bytes -= gone.bytes;
        }
    }
}

impl Ledger {
    /// The rules in force; everything is allowed where there is no file.
    pub(crate) fn rules(&mut self, site: &Site) -> Result<Arc<Robots>, StoreError> {
        if self.sites.get(&self.records, site)?.record.robots != SiteRobots::Known {
            return Ok(self.no_rules.clone());
        }
        if let Some(rules) = self.rules.get(site) {
            return Ok(rules);
        }
        let text = self.records.robots(site)?.unwrap_or_default();
        Ok(self.rules.put(site, &text))
    }

    pub(crate) fn crawl_delay(&mut self, site: &Site) -> Result<Option<Duration>, StoreError> {
        Ok(self.rules(site)?.crawl_delay(&self.plan.settings.robots_agent))
    }
}
