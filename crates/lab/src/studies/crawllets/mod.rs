//! What is saved by sending the crawler to the site, and does a modern conventional crawler catch up?
//!
//! Figures 4, 5 and 6 of the paper on crawllets: time, bytes and processors, for three generated sites and a real
//! one, at several distances.

mod claims;
mod conventional;
mod harvest;
mod measure;
mod method;
mod page;
mod plots;
mod process;
mod prose;
mod relay;
mod report;
mod server;
mod site;
mod uploaded;

use super::{Outcome, Progress, StudyError};
use harvest::{Cpu, Harvest};
use measure::{Field, Job};
use method::Method;
use process::Programs;
pub use server::serve_site;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Name of the study.
const STUDY: &str = "crawllets";
/// Speed of the line in each direction.
const BITS_PER_SECOND: f64 = 10e6;
/// Delays of a round trip in milliseconds, unless others are given.
pub const DELAYS_MS: [u32; 3] = [0, 20, 80];
/// The longest time for one crawl.
const LONGEST: Duration = Duration::from_secs(1_800);
/// The program that a site owner installs.
const HOST: &str = "crawllet-host";
/// Where it is, if not beside this program.
const HOST_VARIABLE: &str = "CRAWLLET_HOST";

/// What the study is done with.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    /// The program that has `lab part`: this one.
    pub lycosa: &'a Path,
    /// The host of crawllets.
    pub host: &'a Path,
    /// Folder of a real site; without it the documentation of a Debian package, if there is some.
    pub site: Option<&'a Path>,
    /// How many of the pages of the generated sites, in percent.
    pub percent: u32,
    /// Round trips in milliseconds.
    pub delays_ms: &'a [u32],
    /// Of whatever is drawn.
    pub seed: u64,
}

fn failed(what: &str) -> impl FnOnce(std::io::Error) -> StudyError {
    let what = what.to_owned();
    move |error| StudyError::Crawllets(format!("{what}: {error}"))
}

/// Finds the host: the one that is named, else that of `CRAWLLET_HOST`, else the one beside `lycosa`.
///
/// # Errors
/// When there is none.
pub fn find_host(named: Option<&Path>, lycosa: &Path) -> Result<PathBuf, StudyError> {
    let named =
        named.map(Path::to_owned).or_else(|| std::env::var_os(HOST_VARIABLE).map(PathBuf::from));
    let path = named.unwrap_or_else(|| lycosa.with_file_name(HOST));
    if path.is_file() { Ok(path) } else { Err(StudyError::NoHost(path)) }
}

/// Crawls all sites in all ways.
///
/// # Errors
/// When a part does not run, and when two crawls of one site bring different pages.
pub fn run(
    ground: &Ground<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let began = Instant::now();
    let folder = tempfile::tempdir().map_err(StudyError::Temporary)?;
    let mut sites = Vec::new();
    for (number, recipe) in site::RECIPES.iter().enumerate() {
        progress(Progress { what: "making sites", done: number, of: site::RECIPES.len() });
        sites.push(site::generate(recipe, ground.percent, folder.path(), ground.seed)?);
    }
    if let Some(source) = ground.site.map(Path::to_owned).or_else(site::documentation) {
        sites.push(site::copy(&source, folder.path())?);
    }
    let mut delays: Vec<u32> = ground.delays_ms.to_vec();
    delays.sort_unstable();
    delays.dedup();
    let mut jobs = Vec::new();
    for site in 0..sites.len() {
        for delay_ms in &delays {
            let job = |method| Job { site, delay_ms: *delay_ms, method };
            jobs.extend(Method::ALL.map(job));
        }
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(StudyError::Temporary)?;
    let programs = Programs::new(ground.lycosa, ground.host);
    let field = Field {
        programs: &programs,
        sites: &sites,
        folder: folder.path(),
        runtime: runtime.handle().clone(),
        seed: ground.seed,
    };
    let runs = measure::all(&field, &jobs, progress)?;
    measure::same_pages(&sites, &runs)?;
    runtime.shutdown_background();
    Ok(report::outcome(&sites, &delays, &runs, began.elapsed()))
}

/// One crawl of the study, which is a process of its own.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The key of a way of crawling.
    pub method: &'a str,
    /// The site's name.
    pub authority: &'a str,
    /// Where it answers.
    pub site: SocketAddr,
    /// Where its host of crawllets answers, if it is asked.
    pub host: Option<SocketAddr>,
    /// Gives the engine's keys.
    pub seed: u64,
}

/// Does one crawl, and tells it as JSON. Ends when standard input does.
///
/// # Errors
/// With what went wrong.
pub fn crawl_part(part: &Part<'_>) -> Result<String, StudyError> {
    let wrong = |what: String| StudyError::Crawllets(what);
    let method = Method::by_key(part.method).ok_or_else(|| wrong("no such method".into()))?;
    // One thread: what several would cost in locks is no part of the question.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed("a runtime"))?;
    let keys = uploaded::keys(part.seed).map_err(|fault| wrong(fault.to_string()))?;
    let crawl = async {
        match (method.lines(), method, part.host) {
            (Some(lines), ..) => conventional::crawl(part.site, part.authority, lines).await,
            (None, Method::Crawllet { packed, .. }, Some(host)) => {
                uploaded::crawl(part.site, host, part.authority, packed, &keys).await
            }
            _ => Err("no host to send a crawllet to".into()),
        }
    };
    let harvest: Result<Harvest, StudyError> = runtime.block_on(async {
        let (before, began) = (Cpu::of("self"), Instant::now());
        let harvest = tokio::select! {
            crawled = tokio::time::timeout(LONGEST, crawl) => crawled,
            _ = input_ends() => return Err(wrong("the study has ended".into())),
        };
        let took = began.elapsed();
        let harvest = harvest.map_err(|_| wrong("it takes too long".into()))?;
        let harvest = harvest.map_err(|error| wrong(explain(&*error)))?;
        let cpu = Cpu::of("self").since(before);
        Ok(Harvest { wall_ms: took.as_secs_f64() * 1_000.0, cpu, ..harvest })
    });
    serde_json::to_string(&harvest?).map_err(|error| wrong(error.to_string()))
}

/// An error with its causes, in one line.
fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

/// Ready when standard input ends: whoever started this process is gone, or wants it to end.
fn input_ends() -> oneshot::Receiver<()> {
    let (tell, ended) = oneshot::channel();
    std::thread::spawn(move || {
        // Whatever goes wrong there is an end as well.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = tell.send(());
    });
    ended
}
