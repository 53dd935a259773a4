//! Who is asked, and what runs beside it?

use anyhow::{Context, Result, bail, ensure};
use lycosa_lab::synthetic::{self, Naming, Shape, SyntheticWeb};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Clock ticks per second in `/proc` on every Linux that we know.
const TICKS: f64 = 100.0;
/// How long a crawl may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pages of each site of the polite crawl: more than it reads.
const PAGES_PER_SITE: usize = 300;

/// Runs a command on a data folder until it ends.
pub(crate) fn command(binary: &str, data: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(binary).args(args).args(["-q", "--data"]).arg(data).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code().is_some_and(|code| code < 2), "lycosa {args:?}: {said}");
    Ok(output.stdout)
}

/// The most frequent words of the index.
pub(crate) fn words(binary: &str, data: &Path, count: usize) -> Result<Vec<String>> {
    let told = command(binary, data, &["lexicon", "--json", "--top", &count.to_string()])?;
    let rows: Vec<Value> = serde_json::from_slice(&told)?;
    let words = rows.iter().filter_map(|row| Some(row["word"].as_str()?.to_owned()));
    let words: Vec<String> = words.collect();
    ensure!(!words.is_empty(), "the index has no words");
    Ok(words)
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn start(binary: &str, data: &Path) -> Result<Server> {
        let mut child =
            Child::start(binary, data, &["serve", "--listen", "127.0.0.1:0", "--json"])?;
        let stdout = child.process.stdout.take().context("it has a standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line)?;
        let listen = told["listen"].as_str().context("it tells where it listens")?;
        let address = listen.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Ok(Server { child, address })
    }

    /// CPU-seconds so far.
    pub(crate) fn cpu(&self) -> Result<f64> {
        self.child.cpu()
    }
}

/// A process that is ended when it is dropped, and the web that it crawls.
pub(crate) struct Child {
    process: std::process::Child,
    /// The web that it crawls, if that is here.
    _web: Option<(synthetic::Served, Runtime)>,
}

impl Child {
    pub(crate) fn start(binary: &str, data: &Path, args: &[&str]) -> Result<Child> {
        let mut command = Command::new(binary);
        command.args(args).args(["-q", "--data"]).arg(data);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Ok(Child { process: command.spawn()?, _web: None })
    }

    /// A crawl of sites on loopback with the usual pause between two pages of a site.
    pub(crate) fn polite_crawl(binary: &str, data: &Path, sites: usize) -> Result<Child> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let shape = Shape { sites, pages_per_site: PAGES_PER_SITE, ..Shape::demo() };
        let web = Arc::new(SyntheticWeb::new(3, shape, Naming::Loopback { port }));
        let fronts = web.facts().fronts;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            synthetic::serve(web, listener, std::future::pending())
        })?;
        let mut args = vec!["crawl", "--allow-private", "--no-archive", "--scope", "any"];
        args.extend(fronts.iter().map(String::as_str));
        let mut child = Child::start(binary, data, &args)?;
        child._web = Some((served, runtime));
        Ok(child)
    }

    /// CPU-seconds so far.
    pub(crate) fn cpu(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The name may hold spaces; it ends with the last parenthesis.
        let (_, fields) = stat.rsplit_once(')').context("a line of /proc")?;
        let ticks = fields.split_whitespace().skip(11).take(2);
        Ok(ticks.filter_map(|tick| tick.parse::<f64>().ok()).sum::<f64>() / TICKS)
    }

    /// Waits until the crawl has read some pages.
    pub(crate) fn has_begun(&mut self, binary: &str, data: &Path) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.process.try_wait()? {
                bail!("the crawl ended before it was measured: {status}");
            }
            // Between taking the folder and opening its door a crawl cannot be asked.
            let told = command(binary, data, &["status", "--json"]).unwrap_or_default();
            let status: Value = serde_json::from_slice(&told).unwrap_or_default();
            if status["pages_per_second"].as_f64().is_some_and(|rate| rate > 0.0) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("the crawl did not begin")
    }

    /// Ends a crawl that must not have ended before; gives the pages that it has read.
    pub(crate) fn end(mut self, binary: &str, data: &Path) -> Result<u64> {
        if let Some(status) = self.process.try_wait()? {
            bail!("the crawl ended while it was measured: {status}");
        }
        let told = command(binary, data, &["status", "--json"])?;
        let status: Value = serde_json::from_slice(&told)?;
        command(binary, data, &["steer", "stop"])?;
        self.process.wait()?;
        status["pages"].as_u64().context("a status has pages")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // What cannot be killed has ended.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
