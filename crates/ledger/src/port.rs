//! What may be asked of a frontier?

use crate::{
    Blob, Completed, Completion, DomainDone, DomainKey, Found, Grant, Held, Lease, LedgerError,
    Owner, PageKey, Sighting, Stage, Stats, Sweep, Swept, UrlEntry,
};
use async_trait::async_trait;
use lycosa_model::{BotId, BotRecord};
use std::time::Duration;

/// The frontier that all agents of a crawl share.
///
/// What returns `Ok` has happened, and the death of any process does not undo it. After an error nobody knows
/// whether it happened: everything may be asked again.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Takes in what was found, and tells of each whether it was new. Of one that is there twice the first may be
    /// new, and their links are added.
    async fn offer(&self, found: &[Found]) -> Result<Vec<bool>, LedgerError>;

    /// Gives domains that may be asked now to a bot, those that have waited longest first, each with the first
    /// URLs that wait there. A domain that shares its network address with one on lease is left out.
    async fn lease(&self, lease: &Lease) -> Result<Vec<Grant>, LedgerError>;

    /// Writes down what came of leases. Nothing is written about a domain whose lease does not hold any more.
    async fn complete(&self, completion: &Completion) -> Result<Completed, LedgerError>;

    /// Lets leases hold for `ttl` from now on, and returns those that cannot be renewed. One that ran out can, as
    /// long as nobody else was given the domain and no sweep found it.
    async fn renew(&self, held: &[Held], ttl: Duration) -> Result<Vec<DomainKey>, LedgerError>;

    /// Gives leases back without a word about their pages, which wait on; returns those that were lost.
    async fn release(&self, held: &[Held], rest: Duration) -> Result<Vec<DomainKey>, LedgerError> {
        let domains = held.iter().map(|held| DomainDone::giving_back(*held, rest)).collect();
        let completion = Completion { domains, blobs: Vec::new() };
        Ok(self.complete(&completion).await?.lost)
    }

    /// Who has a domain now.
    async fn owner_of(&self, domain: DomainKey) -> Result<Option<Owner>, LedgerError>;

    /// What is known of a URL.
    async fn url(&self, key: PageKey) -> Result<Option<UrlEntry>, LedgerError>;

    /// Notes that a bot was heard of.
    async fn bot_seen(&self, bot: BotId, sighting: &Sighting) -> Result<(), LedgerError>;

    /// What is known of a bot.
    async fn bot(&self, bot: BotId) -> Result<Option<BotRecord>, LedgerError>;

    /// All bots that were ever heard of, by id.
    async fn bots(&self) -> Result<Vec<(BotId, BotRecord)>, LedgerError>;

    /// Notes that work on pages is done, and what comes next: another stage, or nothing. Pages without work stay
    /// so. Returns how many there were.
    async fn advance(&self, pages: &[PageKey], next: Option<Stage>) -> Result<u64, LedgerError>;

    /// An object of the archive.
    async fn blob(&self, key: &str) -> Result<Option<Blob>, LedgerError>;

    /// Looks for what is stuck: leases that ran out, URLs whose time came, work that nothing is heard of. Any
    /// number of agents may sweep; each thing is found by one.
    async fn sweep(&self, sweep: &Sweep) -> Result<Swept, LedgerError>;

    /// How much there is. It counts what waits row by row: for people, not for every second.
    async fn stats(&self) -> Result<Stats, LedgerError>;

    /// Makes all that was acknowledged survive a power failure. A database does that by itself.
    async fn sync(&self) -> Result<(), LedgerError>;
}
