//! `lycosa crawllet`: the key of this engine, what a site offers, and one site now.

use crate::cli::{Common, Crawllet, Keygen, Probe, RunCrawllet};
use crate::commands::crawl::{self, Job};
use crate::config::{Config, CrawlletMode};
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::{crawllets, crew, output};
use lycosa_bot::crawllet::crawllet_path;
use lycosa_bot::live::LiveWeb;
use lycosa_crawllet::descriptor::{Admit, Descriptor, MAX_DESCRIPTOR_BYTES, WELL_KNOWN};
use lycosa_frontier::{Robots, normal, robots};
use lycosa_model::{CrawlletStatus, CrawlletUse, Headers, Site};
use lycosa_runtime::{Ask, Web};
use serde::Serialize;
use std::time::Duration;

/// Bytes of the front page that a probe takes; only its headers are of interest.
const FRONT_PAGE: usize = 1 << 10;

/// Time for one request of a probe.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(common: &Common, command: Crawllet) -> Result<Ending, Failure> {
    match command {
        Crawllet::Keygen(args) => keygen(common, &args),
        Crawllet::Probe(args) => probe(common, &args),
        Crawllet::Run(args) => send(common, args),
    }
}

#[derive(Serialize)]
struct Key {
    file: String,
    domain: String,
    ed25519: String,
    thumbprint: String,
}

fn keygen(common: &Common, args: &Keygen) -> Result<Ending, Failure> {
    let config = Config::load(common.config.as_deref())?;
    let path = args.out.clone().unwrap_or_else(|| crawllets::key_path(&config, &common.data()));
    let keys = crawllets::make_key(&path, &args.domain)?;
    let key = Key {
        file: path.display().to_string(),
        domain: keys.domain().to_owned(),
        ed25519: keys.ed25519_text(),
        thumbprint: keys.thumbprint(),
    };
    if common.json {
        output::json(&key)?;
        return Ok(Ending::Done);
    }
    output::line(format!("The key is in {}; keep it to yourself", key.file));
    output::line(format!("domain      {}", key.domain));
    output::line(format!("public key  {}", key.ed25519));
    output::line(format!("thumbprint  {}", key.thumbprint));
    output::line(format!(
        "A site lets this engine in with: crawllet-host init --allow {}={}",
        key.domain, key.ed25519
    ));
    Ok(Ending::Done)
}

/// What a site offers.
#[derive(Debug, Serialize)]
struct Offer {
    site: String,
    /// Whether its robots.txt says so.
    announced: bool,
    /// Whether its front page says so (`Link: …; rel="crawllet"`), where robots.txt is silent.
    linked: bool,
    /// Whether it takes crawllets.
    supported: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<Descriptor>,
}

fn probe(common: &Common, args: &Probe) -> Result<Ending, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    crawl::overlay_network(&mut config, &args.network);
    let site = site_of(&args.site)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let offer = runtime.block_on(async {
        let web = LiveWeb::new(&crew::live_settings(&config)?)?;
        Ok::<_, Failure>(look(&web, &site, &config.user_agent()).await)
    })?;
    let ending = if offer.supported { Ending::Done } else { Ending::Partial };
    if common.json {
        output::json(&offer)?;
    } else {
        describe(&offer);
    }
    Ok(ending)
}

/// The site of an address, as people type it.
fn site_of(text: &str) -> Result<Site, Failure> {
    let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let address = normal::parse(&url).map_err(|error| {
        Failure::new(format!("`{text}` is no site: {error}")).hint("write https://example.org")
    })?;
    Ok(address.site)
}

async fn look(web: &dyn Web, site: &Site, user_agent: &str) -> Offer {
    let get = |url: String, max_body: usize| {
        let mut headers = Headers::default();
        headers.push("User-Agent", user_agent.to_owned());
        let ask = Ask { url, headers, max_body: max_body as u64, cut: true, timeout: PATIENCE };
        web.get(ask)
    };
    let rules = match get(site.robots_url(), robots::MAX_ROBOTS_BYTES).await {
        Ok(answer) if answer.status == 200 => Robots::parse(&answer.body),
        _ => Robots::default(),
    };
    let linked = match rules.crawllet() {
        Some(_) => None,
        None => get(format!("{site}/"), FRONT_PAGE)
            .await
            .ok()
            .and_then(|answer| crawllet_path(&format!("{site}/"), &answer.headers)),
    };
    let path = rules.crawllet().or(linked.as_deref()).unwrap_or(WELL_KNOWN);
    let mut offer = Offer {
        site: site.to_string(),
        announced: rules.crawllet().is_some(),
        linked: linked.is_some(),
        supported: false,
        why_not: None,
        descriptor: None,
    };
    let answer = get(format!("{site}{path}"), MAX_DESCRIPTOR_BYTES).await;
    let read = match answer {
        Ok(answer) if answer.status == 200 => {
            Descriptor::parse(&answer.body).map_err(|fault| fault.to_string())
        }
        Ok(answer) => Err(format!("{path} answers with status {}", answer.status)),
        Err(why) => Err(lycosa_model::Outcome::Failed(why).explain().to_owned()),
    };
    match read {
        Ok(found) if found.authority != site.authority() => {
            offer.why_not = Some(format!("it speaks for another site: {}", found.authority));
            offer.descriptor = Some(found);
        }
        Ok(found) => (offer.supported, offer.descriptor) = (true, Some(found)),
        Err(why) => offer.why_not = Some(why),
    }
    offer
}

fn describe(offer: &Offer) {
    let takes = if offer.supported { "takes crawllets" } else { "takes no crawllets" };
    let says = match (offer.announced, offer.linked) {
        (true, _) => "its robots.txt says so",
        (false, true) => "its front page says so",
        (false, false) => "neither its robots.txt nor its front page says so",
    };
    output::line(format!("{} {takes} ({says})", offer.site));
    if let Some(why) = &offer.why_not {
        output::line(format!("  {why}"));
    }
    let Some(found) = &offer.descriptor else { return };
    let admits = match found.admit {
        Admit::Allowlist => "engines that its owner listed",
        Admit::WebBotAuth => "engines whose domain lists their key",
        Admit::Open => "every engine",
    };
    let limits = &found.limits;
    output::line(format!("  admits    {admits}"));
    output::line(format!(
        "  grants    {} pages, {} MiB back, {} s, {} ms CPU, {} MiB memory, module of {} KiB",
        limits.pages,
        limits.out_mib,
        limits.wall_s,
        limits.cpu_ms,
        limits.mem_mib,
        limits.module_kib
    ));
    output::line(format!("  scope     {}", found.scope.join(" ")));
    if !found.deny.is_empty() {
        output::line(format!("  without   {}", found.deny.join(" ")));
    }
    let files = if found.fs { "some files are read from its disk" } else { "over HTTP only" };
    output::line(format!("  reads     {files}"));
    if let Some(contact) = &found.contact {
        output::line(format!("  contact   {contact}"));
    }
}

/// A crawl of one site by crawllets alone: what they bring is archived and indexed as everything else.
fn send(common: &Common, args: RunCrawllet) -> Result<Ending, Failure> {
    let site = site_of(&args.site)?;
    let mut config = Config::load(common.config.as_deref())?;
    crawl::overlay_network(&mut config, &args.network);
    config.crawllets.mode = CrawlletMode::Only;
    config.crawllets.guest = args.guest.unwrap_or(config.crawllets.guest);
    config.crawl.pages = args.pages.or(config.crawl.pages);
    let interrupt = Interrupt::watch()?;
    let runtime = crew::runtime(&config)?;
    let job =
        Job { seeds: vec![format!("{site}/")], quiet: true, ..Job::new(config, common.data()) };
    let summary = runtime.block_on(crawl::crawl(job, &interrupt))?;
    let crawllets = summary.crawllets.unwrap_or_default();
    if common.json {
        output::json(&crawllets)?;
    } else {
        tell(&crawllets);
    }
    let answered = crawllets.answered;
    Ok(if answered > 0 { Ending::Done } else { Ending::Partial })
}

/// What crawllets did.
pub(crate) fn tell(crawllets: &CrawlletStatus) {
    if crawllets.sites + crawllets.without == 0 {
        return;
    }
    let used = match crawllets.answered {
        0 => String::new(),
        pages => format!(", {pages} used"),
    };
    output::line(format!(
        "crawllets: {} with one, {} without, {} distrusted; {} brought{used}, {} bytes",
        output::counted(crawllets.sites, "site"),
        crawllets.without,
        crawllets.distrusted,
        output::counted(crawllets.records, "record"),
        crawllets.bytes
    ));
    for (site, last) in &crawllets.last {
        output::line(format!("  {site}: {}", line_of(last)));
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

fn line_of(last: &CrawlletUse) -> String {
    format!(
        "{} ended {} after {} ({}); granted {} pages, {} s, {:.1} s CPU; used {} pages, {:.1} s CPU; {} bytes in {:.1} s; {} looked at, {} false",
        last.guest,
        last.reason,
        output::counted(last.records, "record"),
        output::counted(last.parts.into(), "part"),
        last.granted.pages,
        last.granted.wall_s,
        seconds(last.granted.cpu_ms),
        last.used.pages,
        seconds(last.used.cpu_ms),
        last.bytes,
        seconds(last.took_ms),
        last.audited,
        last.falsified,
    )
}
