//! Between bots and the broker: i-Bot's protocol, and what people ask the broker.

use super::{BrokerStatus, Message, UrlView};
use crate::{
    AgentView, ArchiveMark, ArchivePlace, BotId, Care, CrawlletReport, Door, FetchKind,
    Fingerprint, Found, Lang, LangShare, Lease, Outcome, Prey, Tended, Term, Tick, UrlId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

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
    /// Links that may be followed; the target of a redirect; the pages that a sitemap names.
    #[serde(default)]
    pub links: Vec<Found>,
    /// The further sitemaps that a sitemap index names, or the feeds that a page names.
    #[serde(default)]
    pub sitemaps: Vec<String>,
    /// Title of the page, when the broker asked for its words.
    #[serde(default)]
    pub title: String,
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
    /// Whether the archive has the payload now, here or from elsewhere.
    #[serde(default)]
    pub kept: bool,
    /// Whether an index gets what is in the page, as far as it belongs there.
    #[serde(default)]
    pub indexed: bool,
    /// Whether nobody looked at what the page says. Otherwise one without a fingerprint has no text.
    #[serde(default)]
    pub unread: bool,
    /// Seconds that the server asked us to stay away (`Retry-After`).
    #[serde(default)]
    pub retry_after: Option<u64>,
    /// When the server says that the page changed last.
    #[serde(default)]
    pub modified: Option<Tick>,
    /// What the page says, when it has text that goes into the index.
    #[serde(default)]
    pub fingerprint: Option<Fingerprint>,
    /// The address that the page names as its own (`rel=canonical`, `Content-Location`).
    #[serde(default)]
    pub canonical: Option<String>,
    /// Whether it is a feed.
    #[serde(default)]
    pub is_feed: bool,
    /// The network address that answered; unknown through a proxy.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// Media type of the answer, in lower case and without parameters.
    #[serde(default)]
    pub media: Option<String>,
    /// Whether it was answered from the harvest of a crawllet, so that the site was not asked.
    #[serde(default)]
    pub harvested: bool,
    /// Where the page says that crawllets may be sent to its site (`Link: …; rel="crawllet"`): a path there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawllet_path: Option<String>,
    /// How a crawllet went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawllet: Option<Box<CrawlletReport>>,
}

/// A page that was fetched, before it is archived: is it new?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The URL that was leased.
    pub url_id: UrlId,
    /// SHA-1 of the payload in base 32.
    #[serde(default)]
    pub payload_digest: Option<String>,
    /// See [`Report::fingerprint`].
    #[serde(default)]
    pub fingerprint: Option<Fingerprint>,
    /// See [`Report::canonical`].
    #[serde(default)]
    pub canonical: Option<String>,
}

/// A page that is not in the index because another says the same, or nearly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyOf {
    /// The page.
    pub url_id: UrlId,
    /// Its address.
    pub url: String,
    /// The page that stands for it in the index.
    pub of: UrlId,
}

/// What the broker makes of a [`Finding`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// Whether it belongs into the index. Not when another address stands for it, nor when it only says
    /// that there is no such page.
    pub index: bool,
    /// The archive has these bytes from another address: archive the page as a revisit of that.
    pub revisit: Option<Original>,
}

/// A page in the archive that has its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// The address.
    pub url: String,
    /// When it was fetched.
    pub fetched: Tick,
}

impl Report {
    /// A report of this outcome that tells nothing else.
    pub fn new(url_id: UrlId, kind: FetchKind, outcome: Outcome) -> Report {
        Report {
            url_id,
            kind,
            outcome,
            status: 0,
            bytes: 0,
            took_ms: 0,
            languages: Vec::new(),
            links: Vec::new(),
            sitemaps: Vec::new(),
            title: String::new(),
            terms: Vec::new(),
            robots: None,
            etag: None,
            last_modified: None,
            payload_digest: None,
            archived: None,
            kept: false,
            indexed: false,
            unread: false,
            retry_after: None,
            modified: None,
            fingerprint: None,
            canonical: None,
            is_feed: false,
            address: None,
            media: None,
            harvested: false,
            crawllet_path: None,
            crawllet: None,
        }
    }
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
    /// Whether reports carry languages.
    pub wants_languages: bool,
    /// Keep and index only pages with some of this language.
    pub store_only_lang: Option<Lang>,
    /// The crawl's clock.
    pub now: Tick,
}

/// How much a run may still do. What is not named stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Budget {
    /// Pages, those that were fetched already among them.
    pub pages: Option<u64>,
    /// Seconds on the crawl's clock since it began.
    pub seconds: Option<u64>,
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
    /// Are these pages new? Asked before they are archived.
    Judge {
        /// Who asks.
        bot: BotId,
        /// Pages that were fetched.
        findings: Vec<Finding>,
    },
    /// Are these still mine, and may I keep them a while longer? Asked before an old lease's page is
    /// archived.
    Renew {
        /// Who asks.
        bot: BotId,
        /// The URLs.
        urls: Vec<UrlId>,
    },
    /// May these be asked for, by the robots.txt of their sites? What a page embeds is no lease of its
    /// own, but the rules hold for it.
    May {
        /// Who asks.
        bot: BotId,
        /// The addresses.
        urls: Vec<String>,
    },
    /// Which pages have left the index? For bots with an index of their own, which the list outlives.
    Removals {
        /// Who asks.
        bot: BotId,
        /// How far in the list the index is; nothing has the place 0.
        after: u64,
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
    /// URLs that search engines named, to begin with.
    Named {
        /// Absolute addresses, each with the name of the engine.
        seeds: Vec<(String, String)>,
    },
    /// What do you know of this URL?
    Url {
        /// Absolute address.
        url: String,
    },
    /// How is the crawl?
    Status,
    /// What was found so far, the most relevant first?
    Results {
        /// Rows at most.
        limit: usize,
    },
    /// How are the agents of the strategy?
    Population,
    /// A person says whether a page that was read is what is wanted.
    Verdict {
        /// Absolute address.
        url: String,
        /// Whether it is.
        good: bool,
    },
    /// Change the limits of the run.
    Limit(Budget),
    /// Leave these alone from now on: hosts, beginnings of addresses, patterns.
    Exclude {
        /// All of them, or none when one is no exclusion.
        patterns: Vec<String>,
    },
    /// Do not leave these alone any more.
    Include {
        /// All of them, or none when one is not excluded.
        patterns: Vec<String>,
    },
    /// A person feeds or stops an agent of the strategy.
    Tend {
        /// Its name.
        agent: String,
        /// What is to be done.
        how: Care,
    },
    /// Grant no more leases until `GoOn`; time that passes meanwhile does not count.
    Pause,
    /// Go on after `Pause`.
    GoOn,
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
    /// The page was not read in this run, or the run looks for nothing.
    NotRead,
}

impl Refusal {
    /// One sentence for a person.
    pub fn explain(self) -> &'static str {
        match self {
            Refusal::UnknownBot => "this bot_id has not authenticated; send authenticate first",
            Refusal::Kissed => "this bot was retired; authenticate again to go on",
            Refusal::NotYours => "this URL was not leased to this bot, or the lease has expired",
            Refusal::UnknownUrl => "the broker does not know this URL",
            Refusal::NotRead => "this page was not read in this run, or the run has no topic",
        }
    }
}

/// From the broker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokerReply {
    /// To `May`: in the order asked.
    May(Vec<bool>),
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
        /// Pages that must leave the index, for a bot that shares it with the broker.
        #[serde(default)]
        removed: Vec<UrlId>,
        /// Those of them that others stand for.
        #[serde(default)]
        copies: Vec<CopyOf>,
        /// How long the list of pages that have left is now: see `Removals`.
        #[serde(default)]
        removals: u64,
    },
    /// To `Removals`: the next of them.
    Removals {
        /// Pages that must leave the index.
        urls: Vec<UrlId>,
        /// Those of them that others stand for.
        #[serde(default)]
        copies: Vec<CopyOf>,
        /// How far in the list that is.
        to: u64,
    },
    /// To `Report`: one entry per report, in order. Everything accepted is durable.
    Acks(Vec<Result<(), Refusal>>),
    /// To `Judge`: one entry per finding, in order.
    Opinions(Vec<Opinion>),
    /// To `Renew`: one entry per URL, in order.
    Renewed(Vec<bool>),
    /// To `Marks`.
    Marks(Vec<ArchiveMark>),
    /// To `Seeds` and `Named`.
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
    /// To `Results`.
    Results(Vec<Prey>),
    /// To `Population`.
    Population(Vec<AgentView>),
    /// To `Tend`.
    Tended(Tended),
    /// To `Stop`, `Pause`, `GoOn`, `Limit`, `Exclude`, `Include`, `Verdict` and `Leave`.
    Done,
    /// To what a person wants and cannot have.
    Declined {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
    /// To anything the sender may not do.
    Refused(Refusal),
    /// The store failed; the crawl cannot go on.
    Broken(String),
}

impl Message for BrokerMessage {
    type Reply = BrokerReply;
}
