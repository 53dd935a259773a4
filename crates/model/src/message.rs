//! What do agents say to each other? One closed enum of messages and one of replies per community.
//!
//! Messages are plain data, so the same ones travel between tasks and between processes. Every agent's
//! mailbox carries its own message type; the reply type belongs to it (see [`Message`]).

use crate::{
    ArchiveMark, ArchivePlace, BotId, BotRecord, Document, Door, FetchKind, Found, Lang, LangShare,
    Lease, Outcome, Page, SearchRequest, SearchResponse, Term, Tick, UrlId, UrlRecord,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message of one community and the reply that belongs to it.
pub trait Message: Send + 'static {
    /// What comes back.
    type Reply: Send + 'static;
}

/// How one leased URL ended. i-Bot: `Inform(bot_ID, url_ID, http_resp, lang, (URL_1..URL_m))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The URL that was leased.
    pub url_id: UrlId,
    /// What was fetched.
    pub kind: FetchKind,
    /// How it ended.
    pub outcome: Outcome,
    /// `http_resp`: the status, 0 when there was no answer.
    #[serde(default)]
    pub status: u16,
    /// Bytes of the body as received.
    #[serde(default)]
    pub bytes: u64,
    /// Milliseconds from request to the last byte.
    #[serde(default)]
    pub took_ms: u64,
    /// `lang`: languages of the page, largest share first.
    #[serde(default)]
    pub languages: Vec<LangShare>,
    /// Links that may be followed; the target of a redirect.
    #[serde(default)]
    pub links: Vec<Found>,
    /// Words of the page for the relevance model, when the broker asked for them.
    #[serde(default)]
    pub terms: Vec<Term>,
    /// The text, for robots.txt only.
    #[serde(default)]
    pub robots: Option<String>,
    /// For the next conditional request.
    #[serde(default)]
    pub etag: Option<String>,
    /// For the next conditional request.
    #[serde(default)]
    pub last_modified: Option<String>,
    /// SHA-1 of the payload in base 32.
    #[serde(default)]
    pub payload_digest: Option<String>,
    /// Where the copy stands in the bot's archive.
    #[serde(default)]
    pub archived: Option<ArchivePlace>,
    /// Seconds that the server asked us to stay away (`Retry-After`).
    #[serde(default)]
    pub retry_after: Option<u64>,
}

/// What a bot must know before it works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// Its name from now on.
    pub bot_id: BotId,
    /// The User-Agent it must send.
    pub user_agent: String,
    /// Whether reports carry anchors, contexts and terms.
    pub wants_evidence: bool,
    /// Keep and index only pages with some of this language.
    pub store_only_lang: Option<Lang>,
    /// The crawl's clock.
    pub now: Tick,
}

/// To the broker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokerMessage {
    /// i-Bot's `bot_authentification(name, PID)`. The door has proved the sender before this is sent.
    Authenticate {
        /// Name of the bot.
        name: String,
        /// Its process id.
        pid: u32,
        /// The door it came by.
        door: Door,
    },
    /// i-Bot's `give_me_n(N, bot_ID)`.
    GiveMe {
        /// Who asks.
        bot: BotId,
        /// How many URLs.
        n: usize,
    },
    /// i-Bot's URL information, several at once.
    Report {
        /// Who reports.
        bot: BotId,
        /// What ended.
        reports: Vec<Report>,
        /// How far the bot's archive now reaches; acknowledged together with the reports.
        marks: Vec<ArchiveMark>,
    },
    /// Are these still mine, and may I keep them a while longer? Asked before an old lease's page is
    /// archived.
    Renew {
        /// Who asks.
        bot: BotId,
        /// The URLs.
        urls: Vec<UrlId>,
    },
    /// I leave; take back what I hold.
    Leave {
        /// Who leaves.
        bot: BotId,
    },
    /// How far are these archive files acknowledged?
    Marks {
        /// File names.
        files: Vec<String>,
    },
    /// URLs given by a person.
    Seeds {
        /// Absolute addresses.
        urls: Vec<String>,
    },
    /// What do you know of this URL?
    Url {
        /// Absolute address.
        url: String,
    },
    /// How is the crawl?
    Status,
    /// Grant no more leases; finish when the ones out there are back.
    Stop,
}

/// Why the broker refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No bot of this id has authenticated.
    UnknownBot,
    /// The bot was retired.
    Kissed,
    /// The URL was not leased to this bot, or the lease has expired.
    NotYours,
    /// The URL is not known.
    UnknownUrl,
}

impl Refusal {
    /// One sentence for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Refusal::UnknownBot => "this bot_id has not authenticated; send authenticate first",
            Refusal::Kissed => "this bot was retired; authenticate again to go on",
            Refusal::NotYours => "this URL was not leased to this bot, or the lease has expired",
            Refusal::UnknownUrl => "the broker does not know this URL",
        }
    }
}

/// From the broker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokerReply {
    /// To `Authenticate`.
    Welcome(Welcome),
    /// To `GiveMe`.
    Leases {
        /// What may be fetched now; may be empty.
        leases: Vec<Lease>,
        /// When it makes sense to ask again, in milliseconds.
        ask_again_ms: u64,
        /// No more will come.
        finished: bool,
    },
    /// To `Report`: one entry per report, in order. Everything accepted is durable.
    Acks(Vec<Result<(), Refusal>>),
    /// To `Renew`: one entry per URL, in order.
    Renewed(Vec<bool>),
    /// To `Marks`.
    Marks(Vec<ArchiveMark>),
    /// To `Seeds`.
    Offered {
        /// Queued.
        queued: usize,
        /// Refused, with the reason.
        refused: Vec<(String, String)>,
    },
    /// To `Url`.
    Url(Option<Box<UrlView>>),
    /// To `Status`.
    Status(Box<BrokerStatus>),
    /// To `Stop` and `Leave`.
    Done,
    /// To anything the sender may not do.
    Refused(Refusal),
    /// The store failed; the crawl cannot go on.
    Broken(String),
}

impl Message for BrokerMessage {
    type Reply = BrokerReply;
}

/// What the broker knows of one URL, with the reason for its state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UrlView {
    /// The id.
    pub url_id: UrlId,
    /// The normal form that the id is the digest of.
    pub normal: String,
    /// The record.
    pub record: UrlRecord,
    /// Address of the page it was found on.
    pub via: Option<String>,
    /// Who holds it now.
    pub leased_to: Option<BotId>,
    /// Why it was or was not fetched, in words.
    pub reason: String,
    /// Why the strategy places it where it is.
    pub explain: Vec<String>,
}

/// Sites by what they are doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteCounts {
    /// May be asked now.
    pub ready: usize,
    /// Must not be asked yet, or are being asked.
    pub resting: usize,
    /// Disallow everything or do not answer.
    pub blocked: usize,
}

/// The crawl in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrokerStatus {
    /// Pages fetched with a body in this run.
    pub pages: u64,
    /// Distinct URLs among them.
    pub distinct: u64,
    /// URLs fetched more often than once in this run.
    pub overlap: u64,
    /// Pages kept in the archive in this run.
    pub stored: u64,
    /// Attempts that ended without a page.
    pub errors: u64,
    /// Bytes of bodies as received.
    pub bytes: u64,
    /// URLs known.
    pub known: u64,
    /// URLs waiting in the frontier.
    pub queued: u64,
    /// URLs leased now.
    pub leased: u64,
    /// Sites by state.
    pub sites: SiteCounts,
    /// Outcomes of this run.
    pub outcomes: BTreeMap<String, u64>,
    /// Seconds on the crawl's clock since the run began.
    pub seconds: f64,
    /// Name of the strategy.
    pub strategy: String,
    /// What keeps the crawl from being faster.
    pub limited_by: String,
    /// Whether nothing is left to do.
    pub finished: bool,
    /// Bots, by id.
    pub bots: Vec<(BotId, BotRecord)>,
}

/// To a bot.
#[derive(Clone, Debug)]
pub enum BotMessage {
    /// Finish what is under way and leave.
    Stop,
}

impl Message for BotMessage {
    type Reply = ();
}

/// To a filter.
#[derive(Clone, Debug)]
pub enum FilterMessage {
    /// Read this page.
    Read(Arc<Page>),
}

/// From a filter.
#[derive(Clone, Debug)]
pub enum FilterReply {
    /// The page as a document.
    Document(Box<Document>),
    /// The body is not text that we can read; links and text are empty.
    NotText {
        /// The media type it claims or shows.
        media_type: String,
    },
}

impl Message for FilterMessage {
    type Reply = FilterReply;
}

/// A document on its way into the index.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The document.
    pub document: Document,
    /// Name of the agent that fetched it.
    pub agent: String,
    /// When it was fetched.
    pub fetched: Tick,
    /// The name by which the source knows the document, where it has one beside the address.
    pub id: Option<String>,
}

/// To the indexer.
#[derive(Clone, Debug)]
pub enum IndexerMessage {
    /// Put these in, replacing older ones of the same url_id; the marks say how far each archive file
    /// is indexed once they are committed.
    Add {
        /// Documents.
        entries: Vec<Entry>,
        /// Progress in the archive.
        marks: Vec<ArchiveMark>,
    },
    /// Make everything durable and visible.
    Commit,
}

/// From the indexer.
#[derive(Clone, Debug)]
pub enum IndexerReply {
    /// Taken; durable after the next commit.
    Taken,
    /// Durable and visible.
    Committed {
        /// Documents in the index.
        documents: u64,
    },
    /// The index cannot be written.
    Broken(String),
}

impl Message for IndexerMessage {
    type Reply = IndexerReply;
}

/// To a query agent.
#[derive(Clone, Debug)]
pub enum QueryMessage {
    /// Search.
    Search(SearchRequest),
    /// Documents and occurrences of these words.
    Lexicon(Vec<String>),
    /// How many documents are in the index?
    Size,
}

/// One row of the lexicon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LexiconRow {
    /// The word as asked.
    pub word: String,
    /// The word as the lexicon has it.
    pub folded: String,
    /// Documents with it.
    pub documents: u64,
    /// Occurrences in all documents.
    pub occurrences: u64,
}

/// From a query agent.
#[derive(Clone, Debug)]
pub enum QueryReply {
    /// To `Search`.
    Found(SearchResponse),
    /// To `Lexicon`.
    Lexicon(Vec<LexiconRow>),
    /// To `Size`: documents in the index; 0 as long as there is none.
    Size(u64),
    /// The index cannot be read.
    Broken(String),
}

impl Message for QueryMessage {
    type Reply = QueryReply;
}

/// To an interface agent: everything that people and programs may ask. On the control door's wire:
/// `{"ask":"status"}`, `{"ask":"url","url":"…"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum InterfaceMessage {
    /// Search.
    Search(SearchRequest),
    /// Documents and occurrences of these words.
    Lexicon {
        /// The words.
        words: Vec<String>,
    },
    /// How many documents are in the index?
    Size,
    /// How is the crawl?
    Status,
    /// Who is alive, and what is it doing?
    Agents,
    /// What is known of this URL?
    Url {
        /// Absolute address.
        url: String,
    },
    /// Grant no more leases, and end when the ones out there are back.
    Stop,
}

/// From an interface agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceReply {
    /// To `Search`.
    Found(SearchResponse),
    /// To `Lexicon`.
    Lexicon(Vec<LexiconRow>),
    /// To `Size`.
    Size(u64),
    /// To `Status`; nothing when no crawl runs.
    Status(Option<Box<CrawlStatus>>),
    /// To `Agents`: one object per agent (name, community, state, counts, observed), in order of birth;
    /// those of a crawl in another process last.
    Agents(Vec<serde_json::Value>),
    /// To `Url`; nothing when the broker does not know it.
    Url(Option<Box<UrlView>>),
    /// To `Stop`: the broker has taken notice.
    Stopping,
    /// There is no answer to this.
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
        /// The kind of trouble.
        why: Unanswered,
    },
}

impl Message for InterfaceMessage {
    type Reply = InterfaceReply;
}

/// Why an interface agent has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// What holds the answer cannot be read.
    Broken,
    /// The agent that was asked failed on it, and so did the second one, if one could be asked.
    Failed,
    /// Nobody had time for it.
    Slow,
    /// Those who could answer have left.
    Gone,
    /// No crawl runs that could be asked.
    NoCrawl,
    /// This is no question that can be answered.
    NotUnderstood,
}

/// The crawl in numbers: what the broker counts, and how many agents work on it. Its JSON has the
/// fields of `lycosa status --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CrawlStatus {
    /// What the broker counts.
    #[serde(flatten)]
    pub broker: BrokerStatus,
    /// Agents that have not ended.
    pub agents: usize,
    /// Messages that all agents have handled.
    pub messages: u64,
    /// Pages per second of the crawl's clock, over the whole run.
    pub pages_per_second: f64,
}

impl CrawlStatus {
    /// Joins the broker's numbers with those of the agents around it.
    pub fn new(broker: BrokerStatus, agents: usize, messages: u64) -> CrawlStatus {
        // A run that has hardly begun has no rate; JSON could not carry an infinite one.
        let begun = broker.seconds > 0.001;
        let pages_per_second = if begun { broker.pages as f64 / broker.seconds } else { 0.0 };
        CrawlStatus { broker, agents, messages, pages_per_second }
    }
}
