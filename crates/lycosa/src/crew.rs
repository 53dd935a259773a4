//! Who works together? The composition root: which agents there are, and who can speak with whom.

mod asking;
mod ranking;

pub(crate) use asking::{pause, results, sow, sow_named, status};

use crate::catch_up::{self, Truth};
use crate::config::{Config, sites};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use lycosa_bot::crawllet::Crawllets;
use lycosa_bot::decode::DecodeLimit;
use lycosa_bot::live::{LiveSettings, LiveWeb};
use lycosa_bot::{Bot, JobSettings, RenderError, RenderSettings, Renderer, Tools};
use lycosa_broker::{AddressRule, Broker, Plan, Settings};
use lycosa_filter::Filter;
use lycosa_frontier::kiss::KissRule;
use lycosa_frontier::politeness::Manners;
use lycosa_frontier::retry::RetryRule;
use lycosa_frontier::traps::TrapRule;
use lycosa_indexer::Indexer;
use lycosa_lab::replay::Replay;
use lycosa_model::message::{
    BotMessage, BrokerMessage, FilterMessage, IndexerMessage, IndexerReply,
};
use lycosa_model::{Door, Follow, REMOVALS, Render, Tick};
use lycosa_page::Limits;
use lycosa_runtime::{
    Clock, Exit, Handle, Mailbox, Registry, RestartLimit, Web, mailbox, spawn, spawn_pool,
};
use lycosa_store::archive::{Writer, WriterSettings};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Messages that may wait at the broker.
const BROKER_MAILBOX: usize = 256;
/// Pages that may wait for a filter.
const FILTER_MAILBOX: usize = 64;
/// Groups of documents that may wait for the indexer.
const INDEXER_MAILBOX: usize = 16;
/// Commands that may wait for a bot.
const BOT_MAILBOX: usize = 4;
/// Elements inside each other that a page may be set to have at most.
const MAX_DOM_DEPTH: usize = 1_024;
/// The product token by which robots.txt names us.
pub(crate) const ROBOTS_AGENT: &str = "lycosa";

/// The web that a crawl asks: live, made up or replayed.
pub(crate) fn open_web(config: &Config) -> Result<Arc<dyn Web>, Failure> {
    if let Some(synthetic) = config.crawl.synthetic {
        return Ok(Arc::new(synthetic.web()));
    }
    if config.crawl.replay.is_empty() {
        return Ok(Arc::new(LiveWeb::new(&live_settings(config)?)?));
    }
    Ok(Arc::new(Replay::open(&config.crawl.replay, &|_| {})?))
}

/// How the live web is asked.
pub(crate) fn live_settings(config: &Config) -> Result<LiveSettings, Failure> {
    let proxy = match &config.fetch.proxy {
        None => None,
        // The text is not repeated, since it may hold a password.
        Some(text) => Some(text.parse().map_err(|error| {
            Failure::new(format!("the proxy is no address: {error}"))
                .hint("write http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT")
        })?),
    };
    let fetch = &config.fetch;
    let defaults = LiveSettings::default();
    Ok(LiveSettings {
        // A connection that is used all the time is not closed in between.
        max_idle_per_site: defaults.max_idle_per_site.max(config.crawl.site_concurrency as usize),
        dns_timeout: fetch.dns_timeout.0,
        connect_timeout: fetch.connect_timeout.0,
        first_byte_timeout: fetch.head_timeout.0,
        idle_read_timeout: fetch.silence.0,
        min_rate: fetch.min_rate.0,
        rate_window: fetch.rate_window.0,
        max_header_bytes: usize::try_from(fetch.max_head.0).unwrap_or(usize::MAX),
        max_headers: fetch.max_head_lines,
        allow_private: fetch.allow_private,
        extra_roots: fetch.extra_roots.clone(),
        proxy,
        sites: sites::access(&config.sites)?,
        ..defaults
    })
}

/// The runtime on which a crawl lives: without a network one thread whose clock is virtual.
pub(crate) fn runtime(config: &Config) -> Result<tokio::runtime::Runtime, Failure> {
    if config.crawl.offline() {
        Ok(Clock::replay_runtime()?)
    } else {
        Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
    }
}

/// What the broker decides by.
pub(crate) fn broker_settings(config: &Config, trace: Option<PathBuf>) -> Settings {
    let crawl = &config.crawl;
    Settings {
        manners: Manners::with_delay(crawl.delay.0),
        retry: RetryRule {
            attempts: crawl.attempts.max(1),
            first: crawl.retry.0,
            ..RetryRule::default()
        },
        kiss: KissRule { silent: config.broker.silent.0, ..KissRule::default() },
        addresses: address_rule(config),
        lease: config.broker.lease.0,
        site_concurrency: crawl.site_concurrency,
        scope: crawl.scope,
        exclude: crawl.exclude.clone(),
        max_pages: crawl.pages,
        max_time: crawl.time.map(|span| span.0),
        max_depth: crawl.depth,
        max_redirects: crawl.max_redirects,
        traps: trap_rule(config),
        revisit: config.revisit.rule(),
        variants: config.content.variants(),
        copies: config.content.copies,
        soft_404: config.content.soft_404,
        sitemaps: crawl.sitemaps,
        wanted_language: crawl.lang,
        store_only_lang: crawl.store_only_lang,
        user_agent: config.user_agent(),
        robots_agent: ROBOTS_AGENT.into(),
        trace,
        ..Settings::default()
    }
}

/// What the sites of one network address share. A web of one's own, which is crawled without delay, and
/// one that is not there at all are bound by what is set explicitly.
fn address_rule(config: &Config) -> AddressRule {
    let crawl = &config.crawl;
    let usual = match crawl.delay.0.is_zero() {
        true => AddressRule::OFF,
        false => AddressRule::default(),
    };
    if !crawl.replay.is_empty() || crawl.synthetic.is_some() {
        return AddressRule::OFF;
    }
    AddressRule {
        concurrency: crawl.address_concurrency.unwrap_or(usual.concurrency),
        delay: crawl.address_delay.map_or(usual.delay.min(crawl.delay.0), |span| span.0),
    }
}

/// Which links lead nowhere, and how many pages one site may have.
fn trap_rule(config: &Config) -> TrapRule {
    let traps = &config.traps;
    TrapRule {
        enabled: traps.enabled,
        max_path_segments: traps.max_path_segments,
        max_repeats: traps.max_repeats,
        max_query_params: traps.max_query_params,
        max_url_bytes: usize::try_from(traps.max_url.0).unwrap_or(usize::MAX),
        horizon_years: traps.horizon_years,
        dates: traps.dates,
        facets: traps.facets,
        maze_pages: traps.maze_pages,
        domain_sites: traps.domain_sites,
        site_pages: config.crawl.site_pages,
    }
}

/// What a fetch may cost.
pub(crate) fn job_settings(config: &Config) -> JobSettings {
    JobSettings {
        max_body: config.fetch.max_body.0,
        timeout: config.fetch.timeout.0,
        decode: decode_limit(config),
        follow: config.crawl.follow,
        follow_nofollow: config.crawl.follow_nofollow,
        archive: config.archive.write,
        ignore_noarchive: config.archive.ignore_noarchive,
        archive_level: config.archive.level,
        ..JobSettings::default()
    }
}

/// The browser, if pages are rendered.
fn start_renderer(config: &Config) -> Result<Option<Arc<Renderer>>, Failure> {
    let render = &config.render;
    if render.mode == Render::Never {
        return Ok(None);
    }
    let settings = RenderSettings {
        mode: render.mode,
        chromium: render.chromium.clone(),
        user_agent: config.user_agent(),
        tabs: render.tabs,
        timeout: render.timeout.0,
        patience: render.patience.0,
        clicks: render.clicks,
        requests: render.requests,
        max_bytes: render.max_bytes.0,
        memory: render.memory.0,
        inline: config.crawl.offline(),
    };
    Renderer::start(settings).map(|renderer| Some(Arc::new(renderer))).map_err(|error| {
        let hint = match &error {
            RenderError::Missing(_) => {
                "install Chromium (Debian: apt install chromium), or set `chromium` under [render]"
            }
            RenderError::Start(_) => "does it start by itself? else crawl with --render never",
        };
        Failure::new(error.to_string()).hint(hint)
    })
}

/// How far a body may unfold.
pub(crate) fn decode_limit(config: &Config) -> DecodeLimit {
    DecodeLimit {
        max_bytes: config.fetch.max_decoded_body.0,
        max_ratio: config.fetch.max_ratio.max(1),
        ..DecodeLimit::default()
    }
}

/// Starts the broker over a store.
pub(crate) fn spawn_broker(
    registry: &Registry,
    plan: Plan,
) -> Result<(Mailbox<BrokerMessage>, Handle), Failure> {
    let (mailbox, inbox) = mailbox(BROKER_MAILBOX);
    let first = Broker::open(plan.clone(), false);
    if let Some(why) = first.failure() {
        return Err(Failure::new(why));
    }
    let mut first = Some(first);
    let build = move || first.take().unwrap_or_else(|| Broker::open(plan.clone(), true));
    let limit = RestartLimit { restarts: 10, period: Duration::from_secs(60) };
    let handle = spawn(registry, "broker", "broker-1".into(), (&mailbox, inbox), limit, build);
    Ok((mailbox, handle))
}

/// Everything that a bot hands its pages to, and the bots themselves.
pub(crate) struct Crew {
    pub(crate) registry: Registry,
    pub(crate) clock: Clock,
    filter: Mailbox<FilterMessage>,
    filters: Vec<Handle>,
    renderer: Option<Arc<Renderer>>,
    /// What it takes to send crawllets, if they are sent.
    pub(crate) crawllets: Option<Arc<Crawllets>>,
    pub(crate) indexer: Option<Mailbox<IndexerMessage>>,
    indexers: Vec<Handle>,
    /// The data folder, where pages are indexed.
    dir: Option<PathBuf>,
    bots: Vec<(Mailbox<BotMessage>, Handle)>,
    writers: Vec<Arc<Mutex<Writer>>>,
    /// How far in the broker's list of pages that have left it the index is.
    removals: u64,
}

/// How the bots ended.
pub(crate) struct Ended {
    /// Documents in the index.
    pub(crate) documents: u64,
    /// What went wrong, if something did.
    pub(crate) trouble: Option<String>,
}

impl Crew {
    /// Starts filters and, if pages are indexed, the indexer, which first takes in what it missed.
    pub(crate) async fn assemble(
        registry: Registry,
        clock: Clock,
        config: &Config,
        folder: &DataFolder,
        truth: Option<&Truth<'_>>,
    ) -> Result<Crew, Failure> {
        let renderer = start_renderer(config)?;
        let (filter, inbox) = mailbox(FILTER_MAILBOX);
        // A replay has one thread; more filters would only wait for each other.
        let count = if config.crawl.offline() { 1 } else { cores() };
        // What nobody follows need not be looked for.
        let limits = match config.crawl.follow {
            Follow::Pages => Limits::default(),
            Follow::All => Limits::with_resources(),
        };
        let limits =
            Limits { max_depth: config.fetch.max_dom_depth.clamp(1, MAX_DOM_DEPTH), ..limits };
        let filters =
            spawn_pool(&registry, "filter", count, (&filter, inbox), move |_| Filter::new(limits));
        let mut crew = Crew {
            registry,
            clock,
            filter,
            filters,
            renderer,
            crawllets: None,
            indexer: None,
            indexers: Vec::new(),
            dir: None,
            bots: Vec::new(),
            writers: Vec::new(),
            removals: 0,
        };
        if config.index.write {
            let is_new = catch_up::is_new_index(folder.dir());
            let marks = crew.start_indexer(folder.dir())?;
            if let (Some(truth), Some(indexer)) = (truth, &crew.indexer) {
                let (archive, limit) = (folder.archive(), decode_limit(config));
                let count = catch_up::index(truth, &archive, &marks, indexer, &limit).await?;
                if count > 0 {
                    tracing::info!("indexed {count} pages that the last run had archived");
                }
                if let Truth::Records(records) = truth {
                    catch_up::name_copies(records, indexer, is_new).await?;
                    catch_up::remove(records, indexer).await?;
                }
            }
        }
        Ok(crew)
    }

    fn start_indexer(&mut self, dir: &Path) -> Result<Vec<lycosa_model::ArchiveMark>, Failure> {
        let (indexer, marks) = Indexer::open(dir, lycosa_indexer::Settings::default())?;
        let (mailbox, inbox) = mailbox(INDEXER_MAILBOX);
        let handle = spawn(
            &self.registry,
            "indexer",
            "indexer-1".into(),
            (&mailbox, inbox),
            RestartLimit::default(),
            move || indexer.clone(),
        );
        let removals = marks.iter().find(|mark| mark.file == REMOVALS);
        self.removals = removals.map_or(0, |mark| mark.end);
        self.indexer = Some(mailbox);
        self.dir = Some(dir.to_owned());
        self.indexers.push(handle);
        Ok(marks)
    }

    /// Starts one bot.
    pub(crate) fn add_bot(
        &mut self,
        config: &Config,
        folder: &DataFolder,
        web: &Arc<dyn Web>,
        broker: &Mailbox<BrokerMessage>,
        post: Post,
    ) -> Result<(), Failure> {
        let archive = if config.archive.write {
            let settings = WriterSettings {
                rotate_bytes: config.archive.rotate.0,
                user_agent: config.user_agent(),
                operator: config.contact.clone().unwrap_or_default(),
                level: config.archive.level,
                ..WriterSettings::default()
            };
            let writer = Writer::open(&folder.archive(), &post.name, settings)?;
            let writer = Arc::new(Mutex::new(writer));
            self.writers.push(Arc::clone(&writer));
            Some(writer)
        } else {
            None
        };
        let (mailbox, inbox) = mailbox(BOT_MAILBOX);
        let (broker, filter, indexer) = (broker.clone(), self.filter.clone(), self.indexer.clone());
        let (web, clock, settings) = (Arc::clone(web), self.clock, job_settings(config));
        let (name, renderer) = (post.name.clone(), self.renderer.clone());
        let crawllets = self.crawllets.clone();
        let removals = (post.door == Door::Http).then_some(self.removals);
        let build = move || {
            Bot::new(Tools {
                broker: broker.clone(),
                filter: filter.clone(),
                indexer: indexer.clone(),
                removals,
                web: Arc::clone(&web),
                renderer: renderer.clone(),
                crawllets: crawllets.clone(),
                clock,
                archive: archive.clone(),
                settings: settings.clone(),
                concurrency: post.concurrency.max(1),
                name: post.name.clone(),
                door: post.door,
            })
        };
        let limit = RestartLimit { restarts: 10, period: Duration::from_secs(60) };
        let handle = spawn(&self.registry, "bot", name, (&mailbox, inbox), limit, build);
        self.bots.push((mailbox, handle));
        Ok(())
    }

    /// Waits for the bots; tells them to leave when the person at the terminal asks for it.
    pub(crate) async fn wait(&mut self, interrupt: &Interrupt) -> Option<String> {
        let mut trouble = None;
        let (boxes, handles): (Vec<_>, Vec<_>) = self.bots.drain(..).unzip();
        let all = async {
            let mut exits = Vec::new();
            for handle in handles {
                exits.push(handle.join().await);
            }
            exits
        };
        tokio::pin!(all);
        let exits = tokio::select! {
            biased;
            exits = &mut all => exits,
            () = interrupt.wait() => {
                for mailbox in &boxes {
                    // A bot that has left already needs no telling.
                    let _ = mailbox.tell(BotMessage::Stop).await;
                }
                all.await
            }
        };
        for exit in exits {
            if let Exit::Failed(why) = exit {
                trouble.get_or_insert(why);
            }
        }
        trouble
    }

    /// Ends filters and indexer; everything taken is committed.
    pub(crate) async fn finish(self, trouble: Option<String>) -> Result<Ended, Failure> {
        let Crew { filter, filters, indexer, indexers, writers, dir, .. } = self;
        let mut ended = Ended { documents: 0, trouble };
        if let Some(indexer) = &indexer {
            match indexer.ask(IndexerMessage::Commit).await {
                Ok(IndexerReply::Committed { documents }) => ended.documents = documents,
                Ok(IndexerReply::Broken(why)) => {
                    ended.trouble.get_or_insert(why);
                }
                Ok(IndexerReply::Taken) => {}
                Err(error) => {
                    ended.trouble.get_or_insert(error.to_string());
                }
            }
        }
        drop((filter, indexer));
        for handle in filters.into_iter().chain(indexers) {
            if let Exit::Failed(why) = handle.join().await {
                ended.trouble.get_or_insert(why);
            }
        }
        for writer in writers {
            let mut writer = writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Err(error) = writer.finish() {
                ended.trouble.get_or_insert(error.to_string());
            }
        }
        ranking::rank_links(dir.filter(|_| ended.trouble.is_none()), ended.documents);
        Ok(ended)
    }
}

/// Name, size and door of a bot.
pub(crate) struct Post {
    pub(crate) name: String,
    pub(crate) concurrency: usize,
    pub(crate) door: Door,
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// The moment before which the clock of a crawl on this store must not start.
pub(crate) fn last_moment(records: &Records) -> Result<Tick, Failure> {
    Ok(records.run()?.map(|run| run.clock).unwrap_or_default())
}

#[cfg(test)]
mod tests;
