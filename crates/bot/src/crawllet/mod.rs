//! How is a site crawled by a program that is sent there?
//!
//! What comes back is verified as it comes, spooled, and compared with what the site shows to everybody
//! else. Only then is it used: leases of pages are answered from it, and go the way of every other page.

mod answer;
mod archived;
mod audit;
mod courier;
mod errand;
mod relay;
mod seen;
mod spool;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::request::crawllet_path;
pub use courier::{Courier, Letter, Reply, ReplyBody};

pub(crate) use answer::is_made_up;
pub(crate) use audit::{Sample, judge};
pub(crate) use errand::{Came, Errand, Load, Stop, told};
pub(crate) use relay::Relay;
pub(crate) use spool::{Spool, SpoolError};

use crate::decode::DecodeLimit;
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::Record;
use lycosa_crawllet::{engine::Seen, guests};
use lycosa_frontier::normal;
use lycosa_model::{Site, Tick, UrlId};
use lycosa_runtime::Answer;
use ring::rand::{SecureRandom, SystemRandom};
use spool::Harvest;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The folder of harvests in a data folder.
pub const FOLDER: &str = "crawllets";

/// A program that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The module, without a key.
    pub wasm: Arc<[u8]>,
    /// What it is told, in its own words.
    pub params: Vec<u8>,
}

impl Program {
    /// One that is built in.
    pub fn built_in(name: &str) -> Option<Program> {
        let guest = guests::by_name(name)?;
        Some(Program { name: guest.name.into(), wasm: guest.wasm.into(), params: Vec::new() })
    }

    /// Whether it visits known pages again, to tell which have changed.
    pub(crate) fn revisits(&self) -> bool {
        self.name == "changed"
    }
}

/// What is sent, and what may come back.
#[derive(Clone, Debug)]
pub struct CrawlletSettings {
    /// Who we are.
    pub keys: EngineKeys,
    /// What is sent to a site that we know nothing of.
    pub program: Program,
    /// What is sent to one of which we have a harvest already.
    pub again: Program,
    /// What is wished for; 0 is no wish.
    pub wanted: Limits,
    /// Whether records come packed.
    pub compress: bool,
    /// Whether requests are signed (Web Bot Auth).
    pub sign: bool,
    /// Part of the pages that is asked for again; nothing is what the record of the site suggests.
    pub audit_share: Option<f64>,
    /// Where harvests lie.
    pub folder: PathBuf,
    /// Where pages are archived, if they are: of these a crawllet knows what they said.
    pub archive: Option<PathBuf>,
    /// Bytes of one harvest, and of all of them together.
    pub max_spool: u64,
    /// See [`max_spool`](Self::max_spool).
    pub max_spools: u64,
    /// Longest silence of a site while a crawllet runs there.
    pub silence: Duration,
    /// Crawllets that may follow each other at one site.
    pub max_parts: u32,
}

/// Where chance comes from: 32 bytes, never the same.
pub type Chance = Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>;

/// Everything that bots need for crawllets; shared by all of a process.
pub struct Crawllets {
    pub(crate) settings: CrawlletSettings,
    pub(crate) courier: Arc<dyn Courier>,
    chance: Chance,
    harvests: Mutex<HashMap<Site, Arc<Harvest>>>,
    /// How many there are: mostly none, and then a page that is asked for waits for nobody here.
    count: AtomicUsize,
}

impl Crawllets {
    /// Takes over the harvests that an earlier process left, as far as they are still good; the others are
    /// removed.
    pub fn open(settings: CrawlletSettings, courier: Arc<dyn Courier>, now: Tick) -> Crawllets {
        let random = SystemRandom::new();
        let chance = move || {
            let mut bytes = [0; 32];
            random.fill(&mut bytes).ok().map(|()| bytes)
        };
        Crawllets::with_chance(settings, courier, now, Box::new(chance))
    }

    /// The same, with this chance.
    pub fn with_chance(
        settings: CrawlletSettings,
        courier: Arc<dyn Courier>,
        now: Tick,
        chance: Chance,
    ) -> Crawllets {
        let mut harvests = HashMap::new();
        let files = std::fs::read_dir(&settings.folder).into_iter().flatten().flatten();
        for path in files.map(|file| file.path()) {
            if path.extension().is_none_or(|ending| ending != spool::ENDING) {
                continue;
            }
            match Harvest::open(&path, now) {
                Some(harvest) => {
                    harvests.insert(harvest.site.clone(), Arc::new(harvest));
                }
                // Only a harvest that nobody will use again.
                None => drop(std::fs::remove_file(&path)),
            }
        }
        let count = AtomicUsize::new(harvests.len());
        Crawllets { settings, courier, chance, harvests: Mutex::new(harvests), count }
    }

    fn harvests(&self) -> MutexGuard<'_, HashMap<Site, Arc<Harvest>>> {
        self.harvests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is anything to look for.
    fn has_any(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Bytes nobody could foresee.
    pub(crate) fn fresh(&self) -> Option<[u8; 32]> {
        (self.chance)()
    }

    /// Begins to keep what comes from a site.
    pub(crate) fn begin(&self, site: &Site) -> Result<Spool, SpoolError> {
        let taken: u64 = self.harvests().values().map(|harvest| harvest.bytes).sum();
        let room = self.settings.max_spools.saturating_sub(taken);
        if room == 0 {
            return Err(SpoolError::Full);
        }
        Ok(Spool::begin(&self.settings.folder, site, self.settings.max_spool.min(room))?)
    }

    /// Lets leases be answered from what came. What is known of its pages is kept for the next visit.
    pub(crate) fn keep(&self, site: &Site, mut spool: Spool, now: Tick) -> std::io::Result<()> {
        seen::write(&self.settings.folder, site, &mut spool);
        let harvest = spool.seal(now)?;
        let mut harvests = self.harvests();
        harvests.insert(site.clone(), Arc::new(harvest));
        self.count.store(harvests.len(), Ordering::Release);
        Ok(())
    }

    /// What we have of a site: its pages with their digests, by whichever way they came. Where there is an
    /// archive, it has the last word: a page that is not there must come whole, whoever has seen it.
    pub(crate) fn seen(&self, site: &Site, limit: &DecodeLimit) -> Vec<Seen> {
        let harvested = seen::read(&self.settings.folder, site);
        let Some(archive) = &self.settings.archive else { return harvested };
        let mut harvested: HashMap<String, Seen> =
            harvested.into_iter().map(|page| (page.path.clone(), page)).collect();
        let copies = archived::read(archive, site, limit).into_iter();
        let known = copies.filter_map(|(path, copy)| match copy {
            archived::Copy::Whole(page) => Some(page),
            archived::Copy::MadeUp => harvested.remove(&path),
        });
        known.collect()
    }

    /// Forgets the harvest of a site.
    pub(crate) fn forget_harvest(&self, site: &Site) {
        let mut harvests = self.harvests();
        if let Some(harvest) = harvests.remove(site) {
            harvest.remove();
        }
        self.count.store(harvests.len(), Ordering::Release);
    }

    /// The same, and which pages there were.
    pub(crate) fn forget(&self, site: &Site) {
        self.forget_harvest(site);
        seen::remove(&self.settings.folder, site);
    }

    fn harvest_of(&self, site: &Site, now: Tick) -> Option<Arc<Harvest>> {
        let mut harvests = self.harvests();
        let harvest = Arc::clone(harvests.get(site)?);
        if harvest.is_empty() || !harvest.is_fresh(now) {
            harvest.remove();
            harvests.remove(site);
            self.count.store(harvests.len(), Ordering::Release);
            return None;
        }
        Some(harvest)
    }

    /// What is left of the harvest of a site, an earlier process' perhaps.
    pub(crate) fn left(&self, site: &Site, now: Tick) -> Vec<UrlId> {
        self.harvest_of(site, now).map(|harvest| harvest.left()).unwrap_or_default()
    }

    /// The answer to a lease, if a crawllet brought it. `has_copy` says that `as before` is a good answer.
    pub(crate) fn answer(&self, url: &str, has_copy: bool, now: Tick) -> Option<Answer> {
        if !self.has_any() {
            return None;
        }
        let address = normal::parse(url).ok()?;
        let record = self.harvest_of(&address.site, now)?.take(address.id)?;
        answer::answer(record, has_copy)
    }

    /// The harvest of a site of which something is asked for that is not in it.
    pub(crate) fn gate(&self, url: &str, now: Tick) -> Option<Gate> {
        if !self.has_any() {
            return None;
        }
        let address = normal::parse(url).ok()?;
        self.harvest_of(&address.site, now).map(Gate)
    }
}

/// What a record says, as an answer of the web.
pub(crate) fn answer_of(record: Record) -> Option<Answer> {
    answer::answer(record, false)
}

/// What an audit compares.
pub(crate) mod audited {
    use super::answer::Summary;
    pub(crate) use super::audit::{Copy, Seen, is_summary_of, look_of};
    use lycosa_crawllet::record::{Kind, Record};

    /// Whether a record is what such a record should be: a page with its bytes, or something in its place.
    pub(crate) fn is_sound(record: &Record) -> bool {
        record.kind != Kind::Page || record.is_whole() || Summary::read(&record.body).is_some()
    }

    /// What stands in place of a page.
    pub(crate) fn summary_of(record: &Record) -> Option<String> {
        if record.kind != Kind::Page || record.is_whole() {
            return None;
        }
        let summary = Summary::read(&record.body)?;
        Some(format!("{} {}", summary.title, summary.text))
    }
}

/// Whoever goes through asks a site alone.
pub(crate) struct Gate(Arc<Harvest>);

impl Gate {
    pub(crate) async fn pass(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.gate.lock().await
    }
}
