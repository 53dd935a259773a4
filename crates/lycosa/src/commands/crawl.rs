//! `lycosa crawl`: crawls, archives, indexes.

mod summary;

pub(crate) use summary::{Summary, describe, describe_tls};

use crate::catch_up::Truth;
use crate::cli::{Common, Crawl, CrawlOptions, NetworkOptions, Start};
use crate::commands::agents;
use crate::config::{self, Config};
use crate::crew::{self, Crew, Post};
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::{catch_up, crawllets, examples, folder, hunts, output, reception, tui};

use lycosa_bot::crawllet::Crawllets;
use lycosa_broker::Plan;
use lycosa_frontier::ScopeKind;
use lycosa_model::message::BrokerStatus;
use lycosa_model::{Door, Phase, Prey};
use lycosa_runtime::{Clock, Exit, Registry, Web};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use lycosa_strategy::Setup;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use summary::{SeedFault, confirmed, seed_faults, tell};

/// Results that a crawl ends with.
const RESULTS: usize = 100;

/// A crawl that is about to begin.
pub(crate) struct Job {
    pub(crate) config: Config,
    pub(crate) data: PathBuf,
    pub(crate) seeds: Vec<String>,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) resume: bool,
    /// Visit known pages again by schedule.
    pub(crate) revisit: bool,
    pub(crate) quiet: bool,
    /// Pages to begin with that search engines named, each with its engine.
    pub(crate) named: Vec<(String, String)>,
    /// Whether the best pages are shown as they are found.
    pub(crate) live: bool,
    /// Whether it is watched full-screen.
    pub(crate) tui: bool,
    /// What it takes to send crawllets, where that is not what the configuration says.
    pub(crate) crawllets: Option<Arc<Crawllets>>,
    /// Told the number of the run when it has begun; tells whether it shall begin with a pause.
    pub(crate) begun: Option<Box<dyn FnOnce(u32) -> Phase + Send>>,
}

impl Job {
    /// Whether nobody has said where it begins.
    fn begins_nowhere(&self) -> bool {
        self.seeds.is_empty() && self.named.is_empty() && !self.resume
    }

    /// A new crawl without seeds.
    pub(crate) fn new(config: Config, data: PathBuf) -> Job {
        Job {
            config,
            data,
            seeds: Vec::new(),
            trace: None,
            resume: false,
            revisit: false,
            quiet: false,
            named: Vec::new(),
            live: false,
            tui: false,
            crawllets: None,
            begun: None,
        }
    }
}

pub(crate) fn run(common: &Common, args: Crawl) -> Result<Ending, Failure> {
    let job = plan(common, args)?;
    let data = job.data.clone();
    let interrupt = Interrupt::watch()?;
    let runtime = crew::runtime(&job.config)?;
    let summary = runtime.block_on(async {
        let mut job = job;
        if let Some(topic) = job.config.crawl.topic.as_ref().filter(|_| job.begins_nowhere()) {
            let looked = hunts::look_for_seeds(topic, &job.config, &job.data);
            let named = interrupt.or(looked).await.ok_or_else(stopped_early)??;
            job.named = hunts::with_finders(&named.seeds);
        }
        crawl(job, &interrupt).await
    })?;
    tell(common, &data, &summary, interrupt.asked())
}

/// Puts configuration, command line and, for `--resume`, the last run together.
pub(crate) fn plan(common: &Common, args: Crawl) -> Result<Job, Failure> {
    let data = common.data();
    let mut args = args;
    let tui = args.view.wanted();
    if tui {
        tui::check(common.quiet)?;
    }
    // Whoever keeps pages fresh goes on with the crawl that found them.
    args.start.resume |= args.revisit;
    let mut config = base_config(common, args.start.resume)?;
    if args.revisit {
        // Limits of the crawl that found the pages are not those of keeping them fresh.
        (config.crawl.pages, config.crawl.time) = (None, None);
    }
    config.revisit.rate = args.revisit_rate.or(config.revisit.rate);
    apply(&mut config, &args.options)?;
    if !args.replay.is_empty() {
        config.crawl.replay = args.replay.iter().map(|path| absolute(path)).collect();
    }
    let mut start = args.start;
    if let Some(synthetic) = args.synthetic {
        config.crawl.synthetic = Some(synthetic);
        if start.urls.is_empty() && start.seeds.is_none() && !start.resume {
            // All of it is meant, and the first front page leads everywhere.
            start.urls.extend(synthetic.front());
            config.crawl.scope = args.options.scope.unwrap_or(ScopeKind::Any);
        }
    }
    config.archive.write &= !args.no_archive;
    config.index.write &= !args.no_index;
    let seeds = gather_seeds(&start)?;
    if seeds.is_empty() && !start.resume && config.crawl.topic.is_none() {
        return Err(nowhere());
    }
    let Start { trace, resume, .. } = start;
    if resume && !data.join("broker").exists() {
        return Err(Failure::new(format!("there is no crawl to resume in {}", data.display()))
            .hint("is --data right?"));
    }
    let revisit = args.revisit;
    let quiet = common.quiet;
    Ok(Job { seeds, trace, resume, revisit, quiet, tui, ..Job::new(config, data) })
}

/// The configuration that was named; for `--resume` without one, that of the last run.
pub(crate) fn base_config(common: &Common, resume: bool) -> Result<Config, Failure> {
    let saved = common.data().join("lycosa.toml");
    match &common.config {
        None if resume && saved.exists() => {
            let mut config = Config::read(&saved)?;
            config::sites::check_complete(&config)?;
            // The run itself knows what it leaves alone by now.
            config.crawl.exclude.clear();
            Ok(config)
        }
        path => Config::load(path.as_deref()),
    }
}

/// Lets the command line speak last.
pub(crate) fn apply(config: &mut Config, options: &CrawlOptions) -> Result<(), Failure> {
    let setup = Setup { parameters: config.strategy.clone(), ..Setup::default() };
    let crawl = &mut config.crawl;
    if let Some(strategy) = &options.strategy {
        crawl.strategy = Some(strategy.clone());
    }
    if let Err(unknown) = lycosa_strategy::by_name(crawl.strategy(), &setup) {
        return Err(Failure::new(unknown.to_string()).hint(unknown.hint));
    }
    crawl.topic = options.topic.clone().or(crawl.topic.take());
    crawl.examples = options.examples.as_deref().map(absolute).or(crawl.examples.take());
    crawl.agents = options.agents.or(crawl.agents).map(|agents| agents.max(1));
    crawl.check_agents()?;
    crawl.pages = options.pages.or(crawl.pages);
    crawl.site_pages = options.site_pages.or(crawl.site_pages);
    crawl.time = options.time.or(crawl.time);
    crawl.depth = options.depth.or(crawl.depth);
    crawl.scope = options.scope.unwrap_or(crawl.scope);
    crawl.exclude.extend(options.exclude.iter().cloned());
    crawl.check_exclusions()?;
    crawl.follow = options.follow.unwrap_or(crawl.follow);
    crawl.lang = options.lang.or(crawl.lang);
    crawl.store_only_lang |= options.store_only_lang;
    crawl.delay = options.delay.unwrap_or(crawl.delay);
    config.render.mode = options.render.unwrap_or(config.render.mode);
    config.crawllets.mode = options.crawllets.unwrap_or(config.crawllets.mode);
    if crawl.store_only_lang && crawl.lang.is_none() {
        return Err(Failure::new("--store-only-lang needs a language").hint("add --lang es"));
    }
    overlay_network(config, &options.network);
    Ok(())
}

/// Puts the flags that crawls and bots of other processes share over a configuration.
pub(crate) fn overlay_network(config: &mut Config, options: &NetworkOptions) {
    let concurrency = options.concurrency.unwrap_or(config.crawl.concurrency);
    config.crawl.concurrency = concurrency.max(1);
    config.fetch.allow_private |= options.allow_private;
    config.fetch.proxy = options.proxy.clone().or(config.fetch.proxy.take());
    config.metrics = options.metrics.clone().or(config.metrics.take());
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What to say when it was stopped before it began.
pub(crate) fn stopped_early() -> Failure {
    Failure::new("it was stopped before it began").hint("start it again")
}

/// What to say to someone who names no place to begin.
pub(crate) fn nowhere() -> Failure {
    Failure::new("there is nowhere to begin").hint(
        "name a URL, or --seeds FILE, or --topic TEXT to ask search engines, or go on with --resume",
    )
}

/// Seeds from the command line and from a file.
pub(crate) fn gather_seeds(start: &Start) -> Result<Vec<String>, Failure> {
    let mut seeds = start.urls.clone();
    if let Some(path) = &start.seeds {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::new(format!("cannot read the seeds {}: {error}", path.display()))
                .hint("--seeds names a text file with one URL a line")
        })?;
        let lines = text.lines().map(str::trim);
        seeds.extend(
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into),
        );
    }
    for seed in &mut seeds {
        // `example.org` is what people type.
        if !seed.contains("://") && seed.contains('.') {
            *seed = format!("https://{seed}");
        }
    }
    Ok(seeds)
}

/// A crawl from lock to summary.
pub(crate) async fn crawl(job: Job, interrupt: &Interrupt) -> Result<Summary, Failure> {
    let folder = folder::lock(&job.data)?;
    // Opened first: an archive that cannot be read should leave no trace in the folder.
    let web = crew::open_web(&job.config)?;
    crawl_web(job, &folder, web, interrupt).await
}

/// A crawl of any web.
pub(crate) async fn crawl_web(
    mut job: Job,
    folder: &DataFolder,
    web: Arc<dyn Web>,
    interrupt: &Interrupt,
) -> Result<Summary, Failure> {
    let config = &job.config;
    let records = Records::open(&folder.broker())?;
    catch_up::recover_archive(&records, &folder.archive())?;
    config.save(folder.dir())?;
    warn_about_contact(config);
    let clock = Clock::start(crew::last_moment(&records)?);
    let registry = Registry::default();
    let live = job.live.then(|| folder.dir().to_owned());
    let view = job.tui.then(|| watch(&job, interrupt)).transpose()?;
    let quiet = job.quiet || job.tui;
    let progress = Progress::start(registry.clone(), config.crawl.pages, live, quiet);
    let known = match &config.crawl.examples {
        Some(list) => {
            let read = examples::read(list, config, &*web);
            interrupt.or(read).await.ok_or_else(stopped_early)??
        }
        None => Vec::new(),
    };
    let mut crew =
        Crew::assemble(registry.clone(), clock, config, folder, Some(&Truth::Records(&records)))
            .await?;
    if config.index.write {
        catch_up::begin_indexing(&records, folder.dir())?;
    }
    crew.crawllets = match job.crawllets.take() {
        Some(given) => Some(given),
        None => crawllets::open(config, folder.dir(), clock.now())?,
    };
    let stored = records.clone();
    let plan = Plan {
        records,
        clock,
        settings: lycosa_broker::Settings {
            revisiting: job.revisit,
            events: Some(folder.dir().join(lycosa_interface::events::FOLDER)),
            every_event: job.tui,
            memory: Some(folder.dir().join(agents::MEMORY)),
            crawllets: crew.crawllets.as_ref().map(|_| config.crawllets.rule()),
            ..crew::broker_settings(config, job.trace.clone())
        },
        strategy: config.crawl.strategy().to_owned(),
        setup: config.setup()?,
        relevance: examples::relevance(config.crawl.topic.as_deref(), &known),
        resume: job.resume,
    };
    let looks_for_something = plan.relevance.has_topic() && config.crawl.reads_words();
    let (broker, broker_handle) = crew::spawn_broker(&registry, plan)?;
    let door = reception::control_door(folder.dir(), config, &registry, &broker)?;
    if let Some(address) = door.metrics().filter(|_| !job.quiet) {
        output::note(format!("metrics are at http://{address}/metrics"));
    }
    let mut refused = crew::sow(&broker, job.seeds.clone()).await?;
    refused.extend(crew::sow_named(&broker, job.named.clone()).await?);
    job.seeds.extend(job.named.iter().map(|(url, _)| url.clone()));
    if let (Some(begun), Some(run)) = (job.begun.take(), stored.run()?)
        && begun(run.number) == Phase::Paused
    {
        crew::pause(&broker).await?;
    }
    let bots = config.crawl.bots();
    for number in 1..=bots {
        let post = Post {
            name: format!("bot-{number}"),
            concurrency: config.crawl.concurrency.div_ceil(bots),
            door: Door::Inside,
        };
        crew.add_bot(config, folder, &web, &broker, post)?;
    }
    let trouble = crew.wait(interrupt).await;
    let status = crew::status(&broker).await;
    let results = crew::results(&broker, RESULTS).await.unwrap_or_default();
    if looks_for_something {
        note_no_relevance(&status, &results);
    }
    let seeds = match &status {
        Ok(status) if status.pages == 0 && !confirmed(&status.outcomes) => {
            seed_faults(&broker, &job.seeds, refused).await?
        }
        _ => refused.into_iter().map(|(url, reason)| SeedFault { url, reason }).collect(),
    };
    if let Some(indexer) = &crew.indexer {
        catch_up::remove(&stored, indexer).await?;
    }
    let indexes = crew.indexer.is_some();
    let ended = crew.finish(trouble).await?;
    if indexes && ended.trouble.is_none() {
        catch_up::indexed_all(&stored)?;
    }
    drop((door, broker));
    let exit = broker_handle.join().await;
    drop((progress, view));
    let messages = registry.messages();
    match (ended.trouble, exit) {
        (Some(why), _) | (None, Exit::Failed(why)) => Err(Failure::new(why).hint(format!(
            "nothing acknowledged is lost; go on with: lycosa crawl --resume --data {}",
            folder.dir().display()
        ))),
        (None, Exit::Finished) => {
            Ok(Summary { results, ..Summary::of(status?, ended.documents, messages, seeds) })
        }
    }
}

/// Shows a crawl full-screen.
fn watch(job: &Job, interrupt: &Interrupt) -> std::io::Result<tui::View> {
    let begins = || job.seeds.first().cloned().unwrap_or_default();
    let query = job.config.crawl.topic.clone().unwrap_or_else(begins);
    let pages = job.config.crawl.pages;
    let about = tui::About { query, pages, results: Vec::new(), own: true };
    tui::View::start(&job.data, about, interrupt.clone())
}

/// Tells when a crawl that looked for something has found nothing that has to do with it.
fn note_no_relevance(status: &Result<BrokerStatus, Failure>, results: &[Prey]) {
    let pages = status.as_ref().map_or(0, |status| status.pages);
    if pages > 0 && results.is_empty() {
        tracing::warn!(
            "none of {} has a word of the topic; other words, examples or seeds may help",
            output::counted(pages, "page")
        );
    }
}

fn warn_about_contact(config: &Config) {
    if config.contact.is_none() && !config.crawl.offline() && !config.fetch.allow_private {
        tracing::warn!(
            "no contact is configured; set `contact = \"https://…\"` so that site owners can reach you"
        );
    }
}
