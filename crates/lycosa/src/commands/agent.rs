//! `lycosa agent`: one agent community as a process of its own.

use crate::catch_up::Truth;
use crate::cli::{AgentBot, AgentBroker, AgentCommand, Common};
use crate::commands::{agents, crawl, serve};
use crate::config::{Config, CrawlletMode};
use crate::crew::{self, Crew, Post};
use crate::examples;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::reception;
use crate::{crawllets, folder, output};
use lycosa_bot::RemoteBroker;
use lycosa_broker::urlfrontier::{Metrics, UrlFrontier};
use lycosa_broker::{Plan, http};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_model::{ArchiveMark, Door};
use lycosa_runtime::{Agent, Clock, Exit, Registry, RestartLimit, mailbox, spawn};
use lycosa_store::archive;
use lycosa_store::folder::DataFolder;
use lycosa_store::queues::Queues;
use lycosa_store::records::Records;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How often the broker process looks whether the crawl is finished.
const LOOK: Duration = Duration::from_millis(200);

/// How long the broker stays for its bots to hear that the crawl is finished.
const FAREWELL: Duration = Duration::from_secs(2);

/// Bytes of a secret that we make.
const SECRET_BYTES: usize = 32;

pub(crate) fn run(common: &Common, args: AgentCommand) -> Result<Ending, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let interrupt = Interrupt::watch()?;
    match args {
        AgentCommand::Broker(args) => runtime.block_on(broker(common, *args, &interrupt)),
        AgentCommand::Bot(args) => runtime.block_on(bot(common, args, &interrupt)),
    }
}

async fn broker(
    common: &Common,
    args: AgentBroker,
    interrupt: &Interrupt,
) -> Result<Ending, Failure> {
    let mut config = crawl::base_config(common, args.start.resume)?;
    crawl::apply(&mut config, &args.options)?;
    config.broker.lease = args.lease.unwrap_or(config.broker.lease);
    config.broker.urlfrontier = args.urlfrontier.clone().or(config.broker.urlfrontier.take());
    // Who only keeps frontiers for others leaves our own crawl as it is.
    let only_others = config.broker.urlfrontier.is_some() && args.start.names_nothing();
    let resume = args.start.resume || only_others;
    without_crawllets(&config, &common.data())?;
    let folder = folder::lock(&common.data())?;
    let secret_file = args.secret_file.clone().or(config.broker.secret_file.clone());
    let secret_file = secret_file.unwrap_or_else(|| folder.dir().join("broker.secret"));
    let secret = read_or_make_secret(&secret_file)?;
    let records = Records::open(&folder.broker())?;
    let seeds = if only_others { Vec::new() } else { crawl::gather_seeds(&args.start)? };
    if seeds.is_empty() && !resume {
        return Err(crawl::nowhere());
    }
    config.save(folder.dir())?;
    let known = match &config.crawl.examples {
        Some(list) => examples::read(list, &config, &*crew::open_web(&config)?).await?,
        None => Vec::new(),
    };
    let registry = Registry::default();
    let plan = Plan {
        clock: Clock::start(crew::last_moment(&records)?),
        records: records.clone(),
        settings: lycosa_broker::Settings {
            events: Some(folder.dir().join(lycosa_interface::events::FOLDER)),
            memory: Some(folder.dir().join(agents::MEMORY)),
            ..crew::broker_settings(&config, args.start.trace)
        },
        strategy: config.crawl.strategy().to_owned(),
        setup: config.setup()?,
        relevance: examples::relevance(config.crawl.topic.as_deref(), &known),
        resume,
    };
    let (broker, handle) = crew::spawn_broker(&registry, plan)?;
    let door = reception::control_door(folder.dir(), &config, &registry, &broker)?;
    for (url, why) in crew::sow(&broker, seeds).await? {
        tracing::warn!("seed {url} is left out: {why}");
    }
    let listener = serve::bind(&args.listen, false).await?;
    let address = listener.local_addr()?;
    let mut routes = http::router(broker.clone(), &secret);
    let mut others = None;
    if let Some(address) = &config.broker.urlfrontier {
        let (server, metrics) = urlfrontier(common, address, &records, interrupt).await?;
        routes = routes.merge(http::metrics(metrics));
        others = Some(server);
    }
    drop(records);
    announce(common, &address.to_string(), &secret_file)?;
    let progress = Progress::start(registry.clone(), config.crawl.pages, None, common.quiet);
    let stop = interrupt.clone();
    let server = tokio::spawn(async move {
        http::serve(listener, routes, async move { stop.wait().await }).await
    });
    let status = loop {
        let status = crew::status(&broker).await?;
        // Other crawlers may come at any time.
        if (status.finished && others.is_none()) || interrupt.asked() {
            break status;
        }
        tokio::select! {
            () = interrupt.wait() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    };
    if !interrupt.asked() {
        tokio::time::sleep(FAREWELL).await;
    }
    if let Some(others) = others {
        others.await?;
    }
    server.abort();
    drop((door, broker, progress));
    // The server's clones of the mailbox go with it.
    drop(server.await);
    if let Exit::Failed(why) = handle.join().await {
        return Err(Failure::new(why).hint("nothing acknowledged is lost; go on with --resume"));
    }
    let summary = crawl::Summary::of(status, 0, registry.messages(), Vec::new());
    if common.json {
        output::json(&summary)?;
    } else {
        crawl::describe(&summary);
    }
    let partial = !only_others && (summary.pages == 0 || interrupt.asked());
    Ok(if partial { Ending::Partial } else { Ending::Done })
}

/// Opens the door for other crawlers; it closes when the person at the terminal has enough.
async fn urlfrontier(
    common: &Common,
    address: &str,
    records: &Records,
    interrupt: &Interrupt,
) -> Result<(JoinHandle<()>, Arc<Metrics>), Failure> {
    let listener = serve::bind_flag("--urlfrontier", address, false).await?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!("{address} can be reached from other machines, without any password");
    }
    let queues = Queues::open(records)?;
    let frontier = UrlFrontier::open(queues, &address.to_string(), Arc::new(output::set_level))?;
    let metrics = frontier.metrics();
    let stop = interrupt.clone();
    let server = tokio::spawn(frontier.serve(listener, async move { stop.wait().await }));
    if !common.quiet {
        output::note(format!("other crawlers find their frontier (URLFrontier API) at {address}"));
    }
    Ok((server, metrics))
}

fn announce(common: &Common, address: &str, secret: &Path) -> Result<(), Failure> {
    let text = format!(
        "the broker waits for bots at http://{address}; start some with:\n  \
         lycosa agent bot --broker http://{address} --secret-file {}",
        secret.display()
    );
    if !common.quiet {
        output::note(text);
    }
    Ok(())
}

/// The shared secret; made, for its owner's eyes only, when there is none.
/// Bots of other processes send no crawllets: the key of this engine stays on one machine, and what a crawllet
/// brought lies with the bot that sent it. Whoever asked for crawllets is told.
fn without_crawllets(config: &Config, data: &Path) -> Result<(), Failure> {
    let what = "bots of other processes send no crawllets";
    match config.crawllets.mode {
        CrawlletMode::Never => Ok(()),
        CrawlletMode::Only => Err(Failure::new(format!("{what}, so nothing would be crawled"))
            .hint("crawl with the bots of one process: lycosa crawl --crawllets only URL")),
        CrawlletMode::Auto => {
            if crawllets::key_path(config, data).exists() {
                output::note(format!("{what}: sites that take them are crawled as all others"));
            }
            Ok(())
        }
    }
}

fn read_or_make_secret(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.exists() {
        return read_secret(path);
    }
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let secret = http::random_secret(SECRET_BYTES)
        .ok_or_else(|| Failure::new("the system has no random numbers"))?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
        .open(path)
        .and_then(|mut file| writeln!(file, "{secret}"))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    Ok(secret.into_bytes())
}

fn read_secret(path: &Path) -> Result<Vec<u8>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::new(format!("cannot read the secret {}: {error}", path.display()))
            .hint("the broker writes it to broker.secret in its data folder")
    })?;
    let secret = text.trim();
    if secret.is_empty() {
        return Err(Failure::new(format!("the secret {} is empty", path.display())));
    }
    Ok(secret.as_bytes().to_vec())
}

async fn bot(common: &Common, args: AgentBot, interrupt: &Interrupt) -> Result<Ending, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    crawl::overlay_network(&mut config, &args.network);
    config.render.mode = args.render.unwrap_or(config.render.mode);
    config.archive.write &= !args.no_archive;
    config.index.write &= !args.no_index;
    let secret = match (&args.secret_file, std::env::var("LYCOSA_SECRET")) {
        (Some(path), _) => read_secret(path)?,
        (None, Ok(secret)) if !secret.trim().is_empty() => secret.trim().as_bytes().to_vec(),
        (None, _) => match &config.broker.secret_file {
            Some(path) => read_secret(path)?,
            None => {
                return Err(Failure::new("a bot must prove itself with the broker's secret")
                    .hint("--secret-file FILE, or the variable LYCOSA_SECRET"));
            }
        },
    };
    let name = args.name.clone().unwrap_or_else(|| format!("bot-{}", std::process::id()));
    let data = common.data.clone().unwrap_or_else(|| PathBuf::from(format!("lycosa-data-{name}")));
    let folder = DataFolder::lock(&data)
        .map_err(|error| Failure::from(error).hint("each bot needs a --data folder of its own"))?;
    let registry = Registry::default();
    let (broker, inbox) = mailbox(64);
    let line = {
        let (base, name) = (args.broker.clone(), name.clone());
        move || RemoteBroker::new(&base, &secret, &name)
    };
    let truth = Truth::Marks(recover(line(), &folder, &name).await?, &name);
    let carrier = spawn(
        &registry,
        "broker",
        "broker-line".into(),
        (&broker, inbox),
        RestartLimit::default(),
        line,
    );
    let door = reception::control_door(folder.dir(), &config, &registry, &broker)?;
    let clock = Clock::start(Default::default());
    let mut crew = Crew::assemble(registry.clone(), clock, &config, &folder, Some(&truth)).await?;
    let web = crew::open_web(&config)?;
    let post = Post { name: name.clone(), concurrency: config.crawl.concurrency, door: Door::Http };
    crew.add_bot(&config, &folder, &web, &broker, post)?;
    let progress = Progress::start(registry.clone(), None, None, common.quiet);
    let trouble = crew.wait(interrupt).await;
    let ended = crew.finish(trouble).await?;
    drop((door, broker, progress));
    carrier.join().await;
    match ended.trouble {
        Some(why) => Err(Failure::new(format!("{name}: {why}"))),
        None => {
            tell(common, &registry, &name, ended.documents)?;
            Ok(Ending::Done)
        }
    }
}

fn tell(common: &Common, registry: &Registry, name: &str, indexed: u64) -> Result<(), Failure> {
    let bot = registry.agents().into_iter().find(|view| view.community == "bot");
    let observed = bot.map(|view| view.observed).unwrap_or_default();
    if common.json {
        let facts = serde_json::json!({ "name": name, "indexed": indexed, "bot": observed });
        output::json(&facts)
    } else {
        let pages = output::counted(observed["pages"].as_u64().unwrap_or(0), "page");
        output::line(format!("{name}: {pages}, {indexed} in its index"));
        Ok(())
    }
}

/// Brings this bot's archive to what the broker has acknowledged, and tells how far that is. It asks on
/// a line of its own: on the bot's line the bot says hello.
async fn recover(
    mut broker: RemoteBroker,
    folder: &DataFolder,
    name: &str,
) -> Result<Vec<ArchiveMark>, Failure> {
    let mut files = Vec::new();
    if let Ok(listing) = std::fs::read_dir(folder.archive()) {
        for file in listing {
            files.push(file?.file_name().to_string_lossy().into_owned());
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    // The broker only speaks with bots it knows.
    let hello = BrokerMessage::Authenticate {
        name: name.to_owned(),
        pid: std::process::id(),
        door: Door::Http,
    };
    if let BrokerReply::Broken(why) = broker.handle(hello).await {
        return Err(Failure::new(why));
    }
    let marks = match broker.handle(BrokerMessage::Marks { files }).await {
        BrokerReply::Marks(marks) => marks,
        BrokerReply::Broken(why) => return Err(Failure::new(why)),
        other => return Err(Failure::new(format!("the broker answered out of turn: {other:?}"))),
    };
    let mark_of = |file: &str| marks.iter().find(|mark| mark.file == file).map(|mark| mark.end);
    archive::recover(&folder.archive(), &mark_of)?;
    Ok(marks)
}
