//! The words of Lycosa as types, and the closed message enum of each agent.
//!
//! Nothing here does I/O, nothing here is async, and nothing here decides anything: the crates that
//! do depend on this one, so that two rooms can only mean the same thing by the same word.

mod acl;
mod content;
mod crawllet;
mod deed;
mod document;
mod event;
mod facts;
mod find;
mod id;
mod lease;
mod link;
pub mod message;
mod outcome;
mod page;
mod place;
mod preference;
mod record;
mod search;
mod site;
mod spot;
mod tick;
mod tls;
mod trap;

pub use acl::{AbilitySum, AclMessage, Performative, Protocol, ScoredUrl, TeamAgent, TeamContent};
pub use content::{Absence, Change, Fingerprint, History, Observation};
pub use crawllet::{
    CrawlletLimits, CrawlletOrder, CrawlletRecord, CrawlletReport, CrawlletStatus, CrawlletTrust,
    CrawlletUse, HARVEST_FRESH, Weight,
};
pub use deed::{AgentEvent, AgentView, Care, Deed, Part, Tended, Why};
pub use document::{Document, Lang, LangShare, RobotsMeta, Term};
pub use event::{Attempt, Event, Happening};
pub use facts::{Alternate, Facts, Feed, Paragraph, Thing};
pub use find::{Find, Phase, Prey};
pub use id::{BotId, TextDigest, UrlId, hex16, parse_hex16};
pub use lease::{FetchKind, Lease, Previous};
pub use link::{Follow, Found, Link, LinkKind, Render};
pub use outcome::{FetchError, Outcome};
pub use page::{Header, Headers, Page};
pub use place::{ArchiveMark, ArchivePlace, REMOVALS};
pub use preference::{Preference, Preferences};
pub use record::{BotRecord, Door, Origin, SiteRecord, SiteRobots, Trouble, UrlRecord, UrlState};
pub use search::{
    Explain, FacetRow, Facets, Hit, QueryNote, SearchRequest, SearchResponse, StoredPage,
};
pub use site::Site;
pub use spot::{Rank, Spot};
pub use tick::Tick;
pub use tls::TlsFault;
pub use trap::{NotFound, PatternCount, SiteCounters, Trap, Variant, VariantCount};
