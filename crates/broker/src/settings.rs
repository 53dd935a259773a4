//! What may the crawl do, and how much of it?

use crate::addresses::AddressRule;
use lycosa_frontier::ScopeKind;
use lycosa_frontier::kiss::KissRule;
use lycosa_frontier::politeness::Manners;
use lycosa_frontier::retry::RetryRule;
use lycosa_frontier::revisit::RevisitRule;
use lycosa_frontier::traps::TrapRule;
use lycosa_frontier::variants::VariantRule;
use lycosa_model::Lang;
use std::path::PathBuf;
use std::time::Duration;

/// Whether and when crawllets are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlletRule {
    /// Leave sites that take none.
    pub only: bool,
    /// A site that does not say that it takes them is asked when more of its URLs wait than this.
    pub probe_over: u64,
    /// How long it is believed when it says no.
    pub negative_ttl: Duration,
    /// The same of a site whose robots.txt says yes.
    pub announced_ttl: Duration,
    /// How long nothing is taken of a site that an audit found wrong.
    pub distrust: Duration,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Default for CrawlletRule {
    fn default() -> CrawlletRule {
        CrawlletRule {
            only: false,
            probe_over: 20,
            negative_ttl: DAY * 30,
            announced_ttl: DAY,
            distrust: DAY * 30,
        }
    }
}

/// Everything the broker decides by.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pauses between requests to one site.
    pub manners: Manners,
    /// When a page that failed is tried again, and when it is dropped.
    pub retry: RetryRule,
    /// The same for robots.txt, which holds up a whole site.
    pub robots_retry: RetryRule,
    /// When a bot is retired.
    pub kiss: KissRule,
    /// How long a bot may keep a URL without reporting it.
    pub lease: Duration,
    /// Failures in a row, lost leases among them, after which a URL whose lease was lost once more is
    /// not handed out again in this run: whatever it does to bots, it must not hold up the crawl.
    pub lost_leases: u32,
    /// Limits that all sites of one network address share.
    pub addresses: AddressRule,
    /// URLs of one site that may be leased at the same time.
    pub site_concurrency: u32,
    /// Attempts in a row without any answer after which a site is given up for this run.
    pub site_failures: u32,
    /// How long a robots.txt is believed (RFC 9309: at most a day).
    pub robots_ttl: Duration,
    /// Where links may lead.
    pub scope: ScopeKind,
    /// What is left alone, beside what the run itself remembers; see [`lycosa_frontier::exclusions`].
    pub exclude: Vec<String>,
    /// Stop after so many pages.
    pub max_pages: Option<u64>,
    /// Stop after so much time on the crawl's clock.
    pub max_time: Option<Duration>,
    /// Do not go further from the seeds than this.
    pub max_depth: Option<u32>,
    /// Longest chain of redirects.
    pub max_redirects: u8,
    /// Links read from one page; the rest is counted and left.
    pub max_links: usize,
    /// Which links lead nowhere, and how many pages one site may have.
    pub traps: TrapRule,
    /// How pages are kept fresh, and when they are gone.
    pub revisit: RevisitRule,
    /// Whether known pages are visited again by schedule. Such a crawl goes on with the last run.
    pub revisiting: bool,
    /// Which addresses are taken for the same page, and on what proof.
    pub variants: VariantRule,
    /// Whether a page that says the same as another stands for itself no more.
    pub copies: bool,
    /// Whether a site that gives cause is asked once for a page that cannot be there.
    pub soft_404: bool,
    /// Whether the sitemaps that robots.txt names are read.
    pub sitemaps: bool,
    /// Whether and when crawllets are sent; none are without it.
    pub crawllets: Option<CrawlletRule>,
    /// Sitemaps of one site that are read in a run.
    pub max_sitemaps: usize,
    /// How far a sitemap may be from robots.txt: indexes and redirects on the way.
    pub max_sitemap_nesting: u8,
    /// Pages that are taken from one sitemap.
    pub max_sitemap_entries: usize,
    /// i-Bot's language focus: links found on pages with some of it come first.
    pub wanted_language: Option<Lang>,
    /// Keep and index only pages with some of the wanted language.
    pub store_only_lang: bool,
    /// What bots say they are.
    pub user_agent: String,
    /// The product token that robots.txt names us by.
    pub robots_agent: String,
    /// Where the trace goes.
    pub trace: Option<PathBuf>,
    /// The folder in which what happens in the run is written down.
    pub events: Option<PathBuf>,
    /// Whether it is also written down when nobody looks for anything.
    pub every_event: bool,
    /// Where what the strategy has learned is kept.
    pub memory: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            manners: Manners::default(),
            retry: RetryRule::default(),
            robots_retry: RetryRule {
                attempts: 3,
                first: Duration::from_secs(2),
                factor: 3,
                ..RetryRule::default()
            },
            kiss: KissRule::default(),
            lease: Duration::from_secs(120),
            lost_leases: 5,
            addresses: AddressRule::default(),
            site_concurrency: 1,
            site_failures: 8,
            robots_ttl: Duration::from_secs(24 * 60 * 60),
            scope: ScopeKind::Site,
            exclude: Vec::new(),
            max_pages: None,
            max_time: None,
            max_depth: None,
            max_redirects: 10,
            max_links: 5_000,
            traps: TrapRule::default(),
            revisit: RevisitRule::default(),
            revisiting: false,
            variants: VariantRule::default(),
            copies: true,
            soft_404: true,
            sitemaps: true,
            crawllets: None,
            max_sitemaps: 500,
            max_sitemap_nesting: 3,
            max_sitemap_entries: 50_000,
            wanted_language: None,
            store_only_lang: false,
            user_agent: "lycosa".into(),
            robots_agent: "lycosa".into(),
            trace: None,
            events: None,
            every_event: false,
            memory: None,
        }
    }
}
