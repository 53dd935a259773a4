//! Who runs beside the study? The web server, the host of crawllets and each crawl are processes of their own, so
//! that the kernel tells what each of them costs.

use super::harvest::{Cpu, Harvest};
use super::method::Method;
use super::{StudyError, failed, uploaded};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest last words of a process that are told.
const MAX_WORDS: u64 = 4 * 1024;
/// The largest harvest as text.
const MAX_HARVEST: u64 = 64 << 20;
/// How long the host may take to bury its sandbox after the last record.
const BURIAL: Duration = Duration::from_secs(2);

/// A server that runs. It ends when this goes away.
pub(super) struct Server {
    child: Child,
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// Held open: a server may have more to say.
    _words: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a program that tells its address in its first line, after `http://`.
    fn start(mut command: Command, what: &str) -> Result<Server, StudyError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed(what))?;
        let stdout = child.stdout.take().ok_or_else(|| StudyError::Crawllets(what.into()))?;
        let mut words = BufReader::new(stdout);
        let mut line = String::new();
        let _ = (&mut words).take(MAX_WORDS).read_line(&mut line);
        let address = line.rsplit_once("http://").and_then(|(_, rest)| rest.trim().parse().ok());
        match address {
            Some(address) => Ok(Server { child, address, _words: words }),
            None => {
                let _ = child.kill();
                Err(StudyError::Crawllets(format!("{what} does not start: {}", last_words(child))))
            }
        }
    }

    /// What it has used so far, with its children that ended.
    pub(super) fn cpu(&self) -> Cpu {
        Cpu::of(&self.child.id().to_string())
    }

    /// The same, after all its children have ended; a sandbox counts only then.
    pub(super) fn cpu_of_all(&self) -> Cpu {
        let until = Instant::now() + BURIAL;
        while self.has_children() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.cpu()
    }

    fn has_children(&self) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let mut tasks = tasks.into_iter().flatten().flatten();
        let children = |task: &Path| std::fs::read_to_string(task.join("children"));
        tasks.any(|task| children(&task.path()).is_ok_and(|list| !list.trim().is_empty()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a process that failed said on standard error.
fn last_words(child: Child) -> String {
    let said = child.wait_with_output().map(|output| output.stderr).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    said.chars().take(MAX_WORDS as usize).collect::<String>().trim().to_owned()
}

/// The programs of the study.
pub(super) struct Programs {
    /// This one.
    pub(super) lycosa: PathBuf,
    /// The one that a site owner installs.
    pub(super) host: PathBuf,
    /// Crawls end when theirs is closed, also when the study is killed.
    leashes: Mutex<Vec<ChildStdin>>,
    stopped: AtomicBool,
    /// Where the first host was set up.
    first: Mutex<Option<PathBuf>>,
}

fn copy(from: &Path, to: &Path) -> Result<(), StudyError> {
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder).map_err(failed("the folder of a host"))?;
    std::fs::copy(from, to).map(drop).map_err(failed("copying what a host keeps"))
}

impl Programs {
    pub(super) fn new(lycosa: &Path, host: &Path) -> Programs {
        let (lycosa, host) = (lycosa.to_owned(), host.to_owned());
        let (leashes, first) = (Mutex::default(), Mutex::default());
        Programs { lycosa, host, leashes, stopped: AtomicBool::new(false), first }
    }

    /// Ends all crawls, and lets none begin.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.leashes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// A web server for a folder.
    pub(super) fn serve(&self, docroot: &Path) -> Result<Server, StudyError> {
        let mut command = Command::new(&self.lycosa);
        command.args(["lab", "part", "serve", "--docroot"]).arg(docroot);
        Server::start(command, "the web server")
    }

    /// Sets up a host in `folder`. An owner does that once, and so does the study: the others are copies of the first.
    fn set_up(&self, folder: &Path) -> Result<(), StudyError> {
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(from) = first.as_ref() else {
            let made = Command::new(&self.host)
                .args(["init", "--authority", "site.test", "--dir"])
                .arg(folder)
                .output()
                .map_err(failed("crawllet-host init"))?;
            if !made.status.success() {
                let said = String::from_utf8_lossy(&made.stderr);
                return Err(StudyError::Crawllets(format!("crawllet-host init: {}", said.trim())));
            }
            *first = Some(folder.to_owned());
            return Ok(());
        };
        copy(&from.join("keys.json"), &folder.join("keys.json"))?;
        let compiled = Path::new("state").join("compiled");
        let kept = std::fs::read_dir(from.join(&compiled)).map_err(failed("compiled modules"))?;
        for entry in kept.flatten() {
            copy(&entry.path(), &folder.join(&compiled).join(entry.file_name()))?;
        }
        Ok(())
    }

    /// A host before a web server, with its settings in `folder`.
    pub(super) fn host(&self, folder: &Path, terms: &Terms<'_>) -> Result<Server, StudyError> {
        self.set_up(folder)?;
        let settings = folder.join("crawllet.toml");
        std::fs::write(&settings, terms.settings()?).map_err(failed("crawllet.toml"))?;
        let mut command = Command::new(&self.host);
        command.args(["serve", "--listen", "127.0.0.1:0", "--dir"]).arg(folder);
        Server::start(command, "crawllet-host serve")
    }

    /// One crawl, in a process of its own.
    pub(super) fn crawl(
        &self,
        method: Method,
        authority: &str,
        addresses: &[SocketAddr],
        seed: u64,
    ) -> Result<Harvest, StudyError> {
        let mut command = Command::new(&self.lycosa);
        command.args(["lab", "part", "crawl", "--method", method.key(), "--authority", authority]);
        command.args(["--seed", &seed.to_string()]);
        for (option, address) in ["--site", "--host"].iter().zip(addresses) {
            command.args([option, address.to_string().as_str()]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed("a crawl"))?;
        let mut leashes = self.leashes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !self.is_stopped() {
            leashes.extend(child.stdin.take());
        }
        drop(leashes);
        drop(child.stdin.take());
        let mut text = String::new();
        if let Some(stdout) = child.stdout.take() {
            let read = stdout.take(MAX_HARVEST).read_to_string(&mut text);
            read.map_err(failed("a crawl"))?;
        }
        match serde_json::from_str(&text) {
            Ok(harvest) => {
                let _ = child.wait();
                Ok(harvest)
            }
            Err(_) => {
                let said = last_words(child);
                Err(StudyError::Crawllets(format!("{authority}, {}: {said}", method.name())))
            }
        }
    }
}

/// What a host is told about its site.
pub(super) struct Terms<'a> {
    pub(super) authority: &'a str,
    pub(super) upstream: SocketAddr,
    /// The folder of the site, if files may be read.
    pub(super) docroot: Option<&'a Path>,
    pub(super) seed: u64,
}

impl Terms<'_> {
    /// As much as a site of the study needs; the owner's defaults are tighter.
    fn settings(&self) -> Result<String, StudyError> {
        let keys = uploaded::keys(self.seed);
        let key = keys.map_err(|fault| StudyError::Crawllets(fault.to_string()))?.ed25519_text();
        let mut text = format!(
            "authority = {:?}\nscheme = \"http\"\nupstream = \"http://{}\"\n\n\
             [limits]\ncpu = \"300s\"\nmemory = \"64MiB\"\noutput = \"1GiB\"\npages = 50000\nwall = \"600s\"\n\
             module = \"1MiB\"\n",
            self.authority, self.upstream
        );
        if let Some(docroot) = self.docroot {
            let docroot = docroot.display().to_string();
            text += &format!("\n[files]\ndocroot = {docroot:?}\nprefixes = [\"/\"]\n");
        }
        let domain = uploaded::DOMAIN;
        text += &format!("\n[[engine]]\ndomain = {domain:?}\nkey = {key:?}\ntoken = \"lycosa\"\n");
        Ok(text)
    }
}
