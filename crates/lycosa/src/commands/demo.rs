//! `lycosa demo`: the whole journey on a web that the program makes up itself.

use crate::cli::{Common, Demo};
use crate::commands::crawl::{self, Job};
use crate::commands::{search, serve};
use crate::config::Config;
use crate::crew;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::token::TokenFile;
use crate::units::Span;
use crate::{folder, output};
use lycosa_frontier::ScopeKind;
use lycosa_lab::synthetic::{self, EXAMPLE_SEARCHES, Naming, Shape, SyntheticWeb};
use lycosa_model::{Lang, SearchRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Results shown for each example search.
const SHOWN: usize = 3;

/// Between two pages of a site, in hunts of the demo.
const PACE: Duration = Duration::from_millis(200);

/// Bots of the demo.
const BOTS: usize = 2;

pub(crate) fn run(common: &Common, args: &Demo) -> Result<Ending, Failure> {
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(demo(common, args, &interrupt))
}

async fn demo(common: &Common, args: &Demo, interrupt: &Interrupt) -> Result<Ending, Failure> {
    let listen = args.listen.as_deref().filter(|_| args.web_only);
    let listener = serve::bind(listen.unwrap_or("127.0.0.1:8420"), listen.is_none()).await?;
    let port = listener.local_addr()?.port();
    let web = Arc::new(SyntheticWeb::new(args.seed, Shape::demo(), Naming::Loopback { port }));
    let stop = interrupt.clone();
    let served = synthetic::serve(Arc::clone(&web), listener, async move { stop.wait().await })?;
    if args.web_only {
        return web_only(common, &web, served).await;
    }
    say(
        common,
        &format!(
            "A made-up web of {} sites and {} pages in English and Spanish is served at \
         http://localhost:{port}/",
            web.fronts().len(),
            web.expected_pages()
        ),
    );
    let data = common.data.clone().unwrap_or_else(|| PathBuf::from("lycosa-data-demo"));
    clear(&data)?;
    let job =
        Job { seeds: web.fronts(), quiet: common.quiet, ..Job::new(config(common)?, data.clone()) };
    say(common, &format!("{BOTS} bots, a broker, filters and an indexer crawl it ..."));
    let summary = {
        let folder = folder::lock(&data)?;
        let fetcher = crew::open_web(&job.config)?;
        crawl::crawl_web(job, &folder, fetcher, interrupt).await?
    };
    if common.json {
        output::json(&summary)?;
    } else {
        crawl::describe(&summary);
        searches(&data)?;
    }
    if interrupt.asked() {
        return Ok(Ending::Partial);
    }
    if args.no_serve {
        return Ok(Ending::Done);
    }
    let listen = args.listen.as_deref();
    let listener = serve::bind(listen.unwrap_or("127.0.0.1:8080"), listen.is_none()).await?;
    let config = hunting_config(common)?;
    let token = TokenFile::open(&config, &data)?;
    output::note(format!(
        "\nThe search page is at http://{0}/, and hunts are started at http://{0}/hunts  (Ctrl-C ends)",
        listener.local_addr()?
    ));
    serve::announce(listener.local_addr()?, &token);
    serve::serve(listener, &token, &data, &config, interrupt).await?;
    served.join().await;
    Ok(Ending::Done)
}

async fn web_only(
    common: &Common,
    web: &SyntheticWeb,
    served: synthetic::Served,
) -> Result<Ending, Failure> {
    if common.json {
        let facts = serde_json::json!({ "fronts": web.fronts(), "pages": web.expected_pages() });
        output::json(&facts)?;
    } else {
        output::line(format!("{} pages; begin with:", web.expected_pages()));
        for front in web.fronts() {
            output::line(front);
        }
    }
    served.join().await;
    Ok(Ending::Done)
}

fn config(common: &Common) -> Result<Config, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.crawl.agents = Some(BOTS);
    config.crawl.scope = ScopeKind::Any;
    // It is our own web, on this machine.
    config.crawl.delay = Span(Duration::ZERO);
    config.fetch.allow_private = true;
    // One of its pages is broken on purpose and stays so.
    config.crawl.retry = Span(Duration::from_millis(100));
    config.crawl.replay.clear();
    config.crawl.synthetic = None;
    Ok(config)
}

/// For hunts that a person starts on the made-up web: slow enough to watch.
fn hunting_config(common: &Common) -> Result<Config, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.crawl.delay = Span(PACE);
    config.fetch.allow_private = true;
    Ok(config)
}

/// The demo begins anew each time. Only a folder that a demo or crawl made is removed.
fn clear(data: &Path) -> Result<(), Failure> {
    if !data.exists() {
        return Ok(());
    }
    if !data.join("lock").exists() {
        return Err(Failure::new(format!("{} is not a folder of lycosa's", data.display()))
            .hint("choose another with --data"));
    }
    let held = folder::lock(data)?;
    std::fs::remove_dir_all(data)
        .map_err(|error| Failure::new(format!("cannot clear {}: {error}", data.display())))?;
    drop(held);
    Ok(())
}

/// Three example searches, as a person would ask them.
fn searches(data: &Path) -> Result<(), Failure> {
    let searcher = search::open(data)?;
    for (query, lang) in EXAMPLE_SEARCHES {
        let lang = lang.and_then(Lang::parse);
        let request =
            SearchRequest { query: query.into(), limit: SHOWN, lang, ..SearchRequest::default() };
        let flag = lang.map(|lang| format!(" --lang {lang}")).unwrap_or_default();
        output::line(format!(
            "\n$ lycosa search --data {} \"{query}\"{flag} --limit {SHOWN}",
            data.display()
        ));
        search::show(&searcher.search(&request)?);
    }
    Ok(())
}

fn say(common: &Common, text: &str) {
    if !common.quiet {
        output::note(text);
    }
}
