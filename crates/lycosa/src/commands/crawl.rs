//! `lycosa crawl`: crawls, archives, indexes.

use crate::catch_up::Truth;
use crate::cli::{Common, Crawl, CrawlOptions, NetworkOptions, Start};
use crate::commands::agents;
use crate::config::{self, Config};
use crate::crew::{self, Crew, Post};
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::{catch_up, examples, folder, output, reception};
use lycosa_broker::Plan;
use lycosa_frontier::ScopeKind;
use lycosa_model::message::{BrokerMessage, BrokerReply, BrokerStatus, RevisitStatus};
use lycosa_model::{Door, Outcome, TlsFault};
use lycosa_runtime::{Clock, Exit, Mailbox, Registry, Web};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use lycosa_strategy::Setup;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seeds in the table of reasons.
const SHOWN_SEEDS: usize = 20;

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
}

/// The result of a crawl, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) pages: u64,
    pub(crate) distinct: u64,
    pub(crate) indexed: u64,
    pub(crate) stored: u64,
    pub(crate) errors: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    pub(crate) strategy: String,
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Sites with which TLS failed, and why; the first of them only.
    pub(crate) tls: BTreeMap<String, TlsFault>,
    pub(crate) messages: u64,
    pub(crate) overlap: u64,
    pub(crate) known: u64,
    pub(crate) queued: u64,
    pub(crate) finished: bool,
    /// Of a crawl that kept an index fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revisit: Option<RevisitStatus>,
    /// Seeds that gave no page, with the reason.
    pub(crate) seeds: Vec<SeedFault>,
}

/// A seed that gave no page.
#[derive(Debug, Serialize)]
pub(crate) struct SeedFault {
    pub(crate) url: String,
    pub(crate) reason: String,
}

pub(crate) fn run(common: &Common, args: Crawl) -> Result<Ending, Failure> {
    let job = plan(common, args)?;
    let data = job.data.clone();
    let interrupt = Interrupt::watch()?;
    let runtime = crew::runtime(&job.config)?;
    let summary = runtime.block_on(crawl(job, &interrupt))?;
    tell(common, &data, &summary, interrupt.asked())
}

/// Puts configuration, command line and, for `--resume`, the last run together.
fn plan(common: &Common, args: Crawl) -> Result<Job, Failure> {
    let data = common.data();
    let mut args = args;
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
    let Start { trace, resume, .. } = start;
    if resume && !data.join("broker").exists() {
        return Err(Failure::new(format!("there is no crawl to resume in {}", data.display()))
            .hint("is --data right?"));
    }
    let revisit = args.revisit;
    Ok(Job { config, data, seeds, trace, resume, revisit, quiet: common.quiet })
}

/// The configuration that was named; for `--resume` without one, that of the last run.
pub(crate) fn base_config(common: &Common, resume: bool) -> Result<Config, Failure> {
    let saved = common.data().join("lycosa.toml");
    match &common.config {
        None if resume && saved.exists() => {
            let config = Config::read(&saved)?;
            config::sites::check_complete(&config)?;
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
    crawl.agents = options.agents.unwrap_or(crawl.agents).max(1);
    crawl.pages = options.pages.or(crawl.pages);
    crawl.site_pages = options.site_pages.or(crawl.site_pages);
    crawl.time = options.time.or(crawl.time);
    crawl.depth = options.depth.or(crawl.depth);
    crawl.scope = options.scope.unwrap_or(crawl.scope);
    crawl.follow = options.follow.unwrap_or(crawl.follow);
    crawl.lang = options.lang.or(crawl.lang);
    crawl.store_only_lang |= options.store_only_lang;
    crawl.delay = options.delay.unwrap_or(crawl.delay);
    config.render.mode = options.render.unwrap_or(config.render.mode);
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

/// Seeds from the command line and from a file; there must be some unless a crawl is resumed.
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
    if seeds.is_empty() && !start.resume {
        return Err(Failure::new("there is nowhere to begin")
            .hint("name a URL, or --seeds FILE, or go on with --resume"));
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
    job: Job,
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
    let progress = Progress::start(registry.clone(), config.crawl.pages, job.quiet);
    let known = match &config.crawl.examples {
        Some(list) => examples::read(list, config, &*web).await?,
        None => Vec::new(),
    };
    let mut crew =
        Crew::assemble(registry.clone(), clock, config, folder, Some(&Truth::Records(&records)))
            .await?;
    if config.index.write {
        catch_up::begin_indexing(&records, folder.dir())?;
    }
    let stored = records.clone();
    let plan = Plan {
        records,
        clock,
        settings: lycosa_broker::Settings {
            revisiting: job.revisit,
            diary: Some(folder.dir().join(agents::DIARY)),
            ..crew::broker_settings(config, job.trace.clone())
        },
        strategy: config.crawl.strategy().to_owned(),
        setup: config.setup()?,
        relevance: examples::relevance(config.crawl.topic.as_deref(), &known),
        resume: job.resume,
    };
    let (broker, broker_handle) = crew::spawn_broker(&registry, plan)?;
    let door = reception::control_door(folder.dir(), config, &registry, &broker)?;
    if let Some(address) = door.metrics().filter(|_| !job.quiet) {
        output::note(format!("metrics are at http://{address}/metrics"));
    }
    let refused = crew::sow(&broker, job.seeds.clone()).await?;
    for number in 1..=config.crawl.agents {
        let post = Post {
            name: format!("bot-{number}"),
            concurrency: config.crawl.concurrency.div_ceil(config.crawl.agents),
            door: Door::Inside,
        };
        crew.add_bot(config, folder, &web, &broker, post)?;
    }
    let trouble = crew.wait(interrupt).await;
    let status = crew::status(&broker).await;
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
    drop(progress);
    let messages = registry.messages();
    match (ended.trouble, exit) {
        (Some(why), _) | (None, Exit::Failed(why)) => Err(Failure::new(why).hint(format!(
            "nothing acknowledged is lost; go on with: lycosa crawl --resume --data {}",
            folder.dir().display()
        ))),
        (None, Exit::Finished) => Ok(Summary::of(status?, ended.documents, messages, seeds)),
    }
}

fn warn_about_contact(config: &Config) {
    if config.contact.is_none() && !config.crawl.offline() && !config.fetch.allow_private {
        tracing::warn!(
            "no contact is configured; set `contact = \"https://…\"` so that site owners can reach you"
        );
    }
}

impl Summary {
    pub(crate) fn of(
        status: BrokerStatus,
        indexed: u64,
        messages: u64,
        seeds: Vec<SeedFault>,
    ) -> Summary {
        Summary {
            pages: status.pages,
            distinct: status.distinct,
            indexed,
            stored: status.stored,
            errors: status.errors,
            bytes: status.bytes,
            seconds: status.seconds,
            strategy: status.strategy,
            outcomes: status.outcomes,
            tls: status.tls,
            messages,
            overlap: status.overlap,
            known: status.known,
            queued: status.queued,
            finished: status.finished,
            revisit: status.revisit,
            seeds,
        }
    }
}

/// Whether a page that was fetched before is as it was: a crawl that finds only such pages has found
/// what it came for.
fn confirmed(outcomes: &BTreeMap<String, u64>) -> bool {
    outcomes.contains_key(Outcome::NotModified.name())
}

/// Lists the sites with which TLS failed.
pub(crate) fn describe_tls(sites: &BTreeMap<String, TlsFault>) {
    if sites.is_empty() {
        return;
    }
    output::line("TLS failed with:");
    for (site, fault) in sites {
        output::line(format!("  {site}  {fault}"));
    }
}

/// Why each seed gave nothing.
async fn seed_faults(
    broker: &Mailbox<BrokerMessage>,
    seeds: &[String],
    refused: Vec<(String, String)>,
) -> Result<Vec<SeedFault>, Failure> {
    let mut faults = Vec::new();
    for url in seeds.iter().take(SHOWN_SEEDS) {
        let known = refused.iter().find(|(refused, _)| refused == url);
        let reason = match known {
            Some((_, reason)) => reason.clone(),
            None => match broker.ask(BrokerMessage::Url { url: url.clone() }).await? {
                BrokerReply::Url(Some(view)) => view.reason,
                _ => "not tried".into(),
            },
        };
        faults.push(SeedFault { url: url.clone(), reason });
    }
    Ok(faults)
}

fn tell(
    common: &Common,
    data: &Path,
    summary: &Summary,
    interrupted: bool,
) -> Result<Ending, Failure> {
    if common.json {
        output::json(summary)?;
    } else {
        describe(summary);
        if interrupted {
            output::note(format!(
                "stopped; go on with: lycosa crawl --resume --data {}",
                data.display()
            ));
        } else if summary.pages == 0 && summary.outcomes.is_empty() && summary.seeds.is_empty() {
            // Also a run that was killed before its seeds were on record.
            output::note(format!(
                "nothing waits in {}; begin again: lycosa crawl URL --data {0}",
                data.display()
            ));
        } else if summary.indexed > 0 && !common.quiet {
            output::note(format!("now try: lycosa search --data {} WORDS", data.display()));
        }
    }
    // That nothing was due is no failure.
    let nothing = summary.pages == 0 && !confirmed(&summary.outcomes) && summary.revisit.is_none();
    if nothing || interrupted {
        return Ok(Ending::Partial);
    }
    Ok(Ending::Done)
}

pub(crate) fn describe(summary: &Summary) {
    output::line(format!(
        "{} fetched ({:.1} MB) in {:.1} s, {} stored, {} in the index",
        output::counted(summary.pages, "page"),
        summary.bytes as f64 / 1e6,
        summary.seconds,
        summary.stored,
        summary.indexed,
    ));
    let outcomes: Vec<String> =
        summary.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if !outcomes.is_empty() {
        output::line(format!("outcomes: {}", outcomes.join(", ")));
    }
    if let Some(revisit) = &summary.revisit {
        output::line(format!(
            "revisit: {} due, {}, {} changed, {} unchanged; about {:.0} % fresh at {:.0} visits a day",
            revisit.due,
            output::counted(revisit.visited, "visit"),
            revisit.changed,
            revisit.unchanged,
            100.0 * revisit.freshness,
            revisit.visits_per_day,
        ));
    }
    if summary.queued > 0 {
        let verb = if summary.queued == 1 { "is" } else { "are" };
        output::line(format!("{} {verb} still waiting", output::counted(summary.queued, "URL")));
    }
    describe_tls(&summary.tls);
    if !summary.seeds.is_empty() {
        output::line("seeds that gave no page:");
        let width = summary.seeds.iter().map(|seed| seed.url.len()).max().unwrap_or(0).min(60);
        for seed in &summary.seeds {
            output::line(format!("  {:width$}  {}", seed.url, seed.reason));
        }
    }
}
