//! What is said on the wire? The messages of `urlfrontier.proto`.

use std::collections::BTreeMap;

/// Nothing.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Empty {}

/// Whether only this server is asked.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Local {
    /// Only on this server.
    #[prost(bool, tag = "1")]
    pub local: bool,
}

/// Whether URLs are given out.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Active {
    /// Yes or no.
    #[prost(bool, tag = "1")]
    pub state: bool,
    /// Only on this server.
    #[prost(bool, tag = "2")]
    pub local: bool,
}

/// Yes or no.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Boolean {
    /// Yes or no.
    #[prost(bool, tag = "1")]
    pub state: bool,
}

/// A number.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Long {
    /// The number.
    #[prost(uint64, tag = "1")]
    pub value: u64,
}

/// Some words.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StringList {
    /// The words.
    #[prost(string, repeated, tag = "1")]
    pub values: Vec<String>,
}

/// Which crawl is deleted.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeleteCrawlMessage {
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "1")]
    pub value: String,
    /// Only on this server.
    #[prost(bool, tag = "2")]
    pub local: bool,
}

/// Which part of the list of queues is wanted.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Pagination {
    /// How many to pass over.
    #[prost(uint32, tag = "1")]
    pub start: u32,
    /// How many at most; 0 is 100.
    #[prost(uint32, tag = "2")]
    pub size: u32,
    /// Also queues that give nothing now.
    #[prost(bool, tag = "3")]
    pub include_inactive: bool,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "4")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "5")]
    pub local: bool,
}

/// Keys of queues.
#[derive(Clone, PartialEq, prost::Message)]
pub struct QueueList {
    /// The words.
    #[prost(string, repeated, tag = "1")]
    pub values: Vec<String>,
    /// Not told.
    #[prost(uint64, tag = "2")]
    pub total: u64,
    /// How many to pass over.
    #[prost(uint32, tag = "3")]
    pub start: u32,
    /// How many at most; 0 is 100.
    #[prost(uint32, tag = "4")]
    pub size: u32,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "5")]
    pub crawl_id: String,
}

/// A queue, or without key a crawl.
#[derive(Clone, PartialEq, prost::Message)]
pub struct QueueWithinCrawlParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "2")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "3")]
    pub local: bool,
}

/// The pause of a queue, or without key of all.
#[derive(Clone, PartialEq, prost::Message)]
pub struct QueueDelayParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Seconds.
    #[prost(uint32, tag = "2")]
    pub delay_requestable: u32,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "3")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "4")]
    pub local: bool,
}

/// Until when a queue gives nothing.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BlockQueueParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Seconds since the epoch; 0 is no block.
    #[prost(uint64, tag = "2")]
    pub time: u64,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "3")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "4")]
    pub local: bool,
}

/// After how many completed URLs a queue gives nothing more.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CrawlLimitParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// How many; 0 is no limit.
    #[prost(uint32, tag = "2")]
    pub limit: u32,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "3")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "4")]
    pub local: bool,
}

/// How much is logged.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LogLevelParams {
    /// Which part of the program.
    #[prost(string, tag = "1")]
    pub package: String,
    /// From where on.
    #[prost(enumeration = "Level", tag = "2")]
    pub level: i32,
    /// Only on this server.
    #[prost(bool, tag = "3")]
    pub local: bool,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Level {
    /// Everything.
    Trace = 0,
    /// Much.
    Debug = 1,
    /// What happens.
    Info = 2,
    /// What is odd.
    Warn = 3,
    /// What is wrong.
    Error = 4,
}

/// Numbers of a queue or a crawl.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Stats {
    /// How many at most; 0 is 100.
    #[prost(uint64, tag = "1")]
    pub size: u64,
    /// URLs that are held.
    #[prost(uint32, tag = "2")]
    pub in_process: u32,
    /// Further numbers.
    #[prost(btree_map = "string, uint64", tag = "3")]
    pub counts: BTreeMap<String, u64>,
    /// Queues.
    #[prost(uint64, tag = "4")]
    pub number_of_queues: u64,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "5")]
    pub crawl_id: String,
}

/// No crawl in particular.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AnyCrawlId {}

/// What URLs are asked for.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GetParams {
    /// URLs of one queue; 0 is no limit.
    #[prost(uint32, tag = "1")]
    pub max_urls_per_queue: u32,
    /// Queues; 0 is no limit.
    #[prost(uint32, tag = "2")]
    pub max_queues: u32,
    /// The queue.
    #[prost(string, tag = "3")]
    pub key: String,
    /// Seconds.
    #[prost(uint32, tag = "4")]
    pub delay_requestable: u32,
    /// Which of them.
    #[prost(oneof = "get_params::Item", tags = "5, 6")]
    pub item: Option<get_params::Item>,
}

/// Parts of [`GetParams`].
pub mod get_params {
    /// One of these.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Item {
        /// All crawls.
        #[prost(message, tag = "5")]
        Any(super::AnyCrawlId),
        /// This crawl; blank is `DEFAULT`.
        #[prost(string, tag = "6")]
        CrawlId(String),
    }
}

/// What is said of a URL.
#[derive(Clone, PartialEq, prost::Message)]
pub struct UrlInfo {
    /// The address.
    #[prost(string, tag = "1")]
    pub url: String,
    /// The queue.
    #[prost(string, tag = "2")]
    pub key: String,
    /// To be remembered with it.
    #[prost(btree_map = "string, message", tag = "3")]
    pub metadata: BTreeMap<String, StringList>,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "4")]
    pub crawl_id: String,
}

/// A URL that was visited.
#[derive(Clone, PartialEq, prost::Message)]
pub struct KnownUrlItem {
    /// The URL.
    #[prost(message, optional, tag = "1")]
    pub info: Option<UrlInfo>,
    /// Wanted again from this second on; 0 is never.
    #[prost(uint64, tag = "2")]
    pub refetchable_from_date: u64,
}

/// A URL that was found.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DiscoveredUrlItem {
    /// The URL.
    #[prost(message, optional, tag = "1")]
    pub info: Option<UrlInfo>,
}

/// What a crawler knows of a URL.
#[derive(Clone, PartialEq, prost::Message)]
pub struct UrlItem {
    /// Which of them.
    #[prost(oneof = "url_item::Item", tags = "1, 2")]
    pub item: Option<url_item::Item>,
    /// By what it is acknowledged.
    #[prost(string, tag = "3")]
    pub id: String,
    /// When it was first put here, in seconds since the epoch.
    #[prost(uint64, tag = "4")]
    pub creation_date: u64,
}

/// Parts of [`UrlItem`].
pub mod url_item {
    /// One of these.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Item {
        /// It was found.
        #[prost(message, tag = "1")]
        Discovered(super::DiscoveredUrlItem),
        /// It was visited.
        #[prost(message, tag = "2")]
        Known(super::KnownUrlItem),
    }
}

/// What became of a URL.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AckMessage {
    /// By what it is acknowledged.
    #[prost(string, tag = "1")]
    pub id: String,
    /// What became of it.
    #[prost(enumeration = "Status", tag = "2")]
    pub status: i32,
}

/// What became of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Status {
    /// Taken; durable.
    Ok = 0,
    /// Known already, or not to be taken; do not send it again.
    Skipped = 1,
    /// Not taken; send it again.
    Fail = 2,
}

/// URLs that were found.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DiscoveredBatch {
    /// By what it is acknowledged.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The URLs.
    #[prost(message, repeated, tag = "2")]
    pub items: Vec<UrlInfo>,
}

/// What became of each URL of a batch.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BatchAck {
    /// By what it is acknowledged.
    #[prost(string, tag = "1")]
    pub id: String,
    /// One for each, in order.
    #[prost(enumeration = "Status", repeated, tag = "2")]
    pub statuses: Vec<i32>,
}

/// Which URL is asked about.
#[derive(Clone, PartialEq, prost::Message)]
pub struct UrlStatusRequest {
    /// The address.
    #[prost(string, tag = "1")]
    pub url: String,
    /// The queue.
    #[prost(string, tag = "2")]
    pub key: String,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "3")]
    pub crawl_id: String,
}

/// Which URLs are listed.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ListUrlParams {
    /// How many to pass over.
    #[prost(uint32, tag = "1")]
    pub start: u32,
    /// How many at most; 0 is 100.
    #[prost(uint32, tag = "2")]
    pub size: u32,
    /// The queue.
    #[prost(string, tag = "3")]
    pub key: String,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "4")]
    pub crawl_id: String,
    /// Only on this server.
    #[prost(bool, tag = "5")]
    pub local: bool,
    /// Only URLs that contain this.
    #[prost(string, optional, tag = "6")]
    pub filter: Option<String>,
    /// Whether `A` is `a` there.
    #[prost(bool, optional, tag = "7")]
    pub ignore_case: Option<bool>,
}

/// Which URLs are counted.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CountUrlParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "2")]
    pub crawl_id: String,
    /// Only URLs that contain this.
    #[prost(string, optional, tag = "3")]
    pub filter: Option<String>,
    /// Whether `A` is `a` there.
    #[prost(bool, optional, tag = "4")]
    pub ignore_case: Option<bool>,
    /// Only on this server.
    #[prost(bool, optional, tag = "5")]
    pub local: Option<bool>,
}

/// Which URLs are forgotten.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PurgeUrlParams {
    /// The queue.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The crawl; blank is `DEFAULT`.
    #[prost(string, tag = "2")]
    pub crawl_id: String,
    /// Only what is older.
    #[prost(uint32, tag = "3")]
    pub days: u32,
}
