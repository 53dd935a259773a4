//! What does the owner of the site allow, and to whom?
//!
//! `crawllet.toml` in the folder of the host: typed, with units, unknown keys refused. What is not written has the
//! default below.

use crate::fault::{About, Trouble};
use crate::units::{Size, Span};
use lycosa_crawllet::limits::Limits;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the file.
pub const FILE: &str = "crawllet.toml";

/// The largest body that can be set, so that a page always fits into a record.
pub const MOST_BODY: u64 = 16 << 20;

/// Everything in `crawllet.toml`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the site, with its port if it is not the usual one: what engines ask for.
    pub authority: String,
    /// Scheme under which the public sees the site.
    #[serde(default = "https")]
    pub scheme: String,
    /// The web server, from here: `http://127.0.0.1:80` or `unix:/run/web.sock`.
    pub upstream: String,
    /// Where sessions, counters and the log are kept; the user of the web server writes there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<PathBuf>,
    /// Any engine that proves who it is may come.
    #[serde(default)]
    pub open: bool,
    /// Any engine may come whose domain lists its key (Web Bot Auth).
    #[serde(default)]
    pub web_bot_auth: bool,
    /// How to reach the owner.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub contact: String,
    /// Path prefixes that crawllets may ask for.
    #[serde(default = "everything")]
    pub scope: Vec<String>,
    /// Path prefixes that they may not.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Pause between two pages. Without it that of robots.txt, else none: the requests are local.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// The largest page that is handed over.
    #[serde(default = "max_body")]
    pub max_body: Size,
    /// The longest time for one page.
    #[serde(default = "page_timeout")]
    pub page_timeout: Span,
    /// `serve` takes the client's address from the last entry of `X-Forwarded-For`: set it behind a proxy only.
    #[serde(default)]
    pub behind_proxy: bool,
    /// What one crawllet may use.
    #[serde(default)]
    pub limits: Grant,
    /// What all may use together.
    #[serde(default)]
    pub quota: Quota,
    /// How keys of engines are looked up.
    #[serde(default)]
    pub directory: Directory,
    /// The short-cut to files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Files>,
    /// Engines that may come.
    #[serde(default, rename = "engine")]
    pub engines: Vec<Engine>,
}

/// What one crawllet may use.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grant {
    /// Time of the processor.
    pub cpu: Span,
    /// Memory.
    pub memory: Size,
    /// Bytes sent back.
    pub output: Size,
    /// Pages asked for.
    pub pages: u32,
    /// Time of the clock.
    pub wall: Span,
    /// Size of the module.
    pub module: Size,
}

/// What all may use together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// Crawllets at one time.
    pub jobs: u32,
    /// Crawllets of one engine in a day.
    pub jobs_per_engine_and_day: u32,
    /// Crawllets in a day.
    pub jobs_per_day: u32,
    /// Time of the processor in a day.
    pub cpu_per_day: Span,
    /// First messages from one address in a minute.
    pub hellos_per_minute: u32,
    /// Connections of `serve` at one time.
    pub connections: u32,
}

/// How keys of engines are looked up at their domains.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Directory {
    /// Certificates (PEM) to trust besides the public ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<PathBuf>,
    /// Domains may lead to private addresses, as within a company. Off, since whoever says hello names the domain.
    pub private: bool,
}

/// The short-cut: pages that are plain files are read instead of asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// The folder that the web server shows as `/`.
    pub docroot: PathBuf,
    /// Path prefixes for which it holds.
    #[serde(default = "everything")]
    pub prefixes: Vec<String>,
    /// Endings of names that are files and never programs.
    #[serde(default = "extensions")]
    pub extensions: Vec<String>,
    /// The file that stands for a folder.
    #[serde(default = "index")]
    pub index: String,
}

/// An engine that may come.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its domain.
    pub domain: String,
    /// Its Ed25519 public key, base64url.
    pub key: String,
    /// Its product token in robots.txt.
    #[serde(default = "token")]
    pub token: String,
}

/// Where the web server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upstream {
    /// An address; names are not looked up.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

fn https() -> String {
    "https".to_owned()
}

fn everything() -> Vec<String> {
    vec!["/".to_owned()]
}

fn max_body() -> Size {
    Size(8 << 20)
}

fn page_timeout() -> Span {
    Span(Duration::from_secs(20))
}

fn index() -> String {
    "index.html".to_owned()
}

/// The product token of an engine of which nothing else is known.
pub(crate) fn token() -> String {
    "lycosa".to_owned()
}

fn extensions() -> Vec<String> {
    let all = [
        "html", "htm", "txt", "xml", "css", "md", "pdf", "png", "jpg", "jpeg", "gif", "svg", "webp",
    ];
    all.map(str::to_owned).to_vec()
}

impl Default for Grant {
    fn default() -> Grant {
        Grant {
            cpu: Span(Duration::from_secs(10)),
            memory: Size(64 << 20),
            output: Size(256 << 20),
            pages: 5_000,
            wall: Span(Duration::from_secs(300)),
            module: Size(1 << 20),
        }
    }
}

impl Grant {
    /// As the protocol says it.
    pub fn limits(&self) -> Limits {
        let whole = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Limits {
            cpu_ms: u64::try_from(self.cpu.0.as_millis()).unwrap_or(u64::MAX),
            fuel: 0,
            mem_mib: whole(self.memory.0 >> 20),
            out_mib: whole(self.output.0 >> 20),
            pages: self.pages,
            wall_s: whole(self.wall.0.as_secs()),
            module_kib: whole(self.module.0 >> 10),
        }
    }
}

impl Default for Quota {
    fn default() -> Quota {
        Quota {
            jobs: 1,
            jobs_per_engine_and_day: 50,
            jobs_per_day: 200,
            cpu_per_day: Span(Duration::from_secs(1800)),
            hellos_per_minute: 10,
            connections: 64,
        }
    }
}

impl Config {
    /// Reads and checks `crawllet.toml` in `folder`.
    ///
    /// # Errors
    /// With the line that is wrong.
    pub fn read(folder: &Path) -> Result<Config, Trouble> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).about(format!("reading {}", path.display()))?;
        Config::parse(&text).map_err(|what| {
            let hint = "the guide lists all keys; `crawllet-host init` writes a file to start from";
            Trouble::new(format!("{}: {what}", path.display()), hint)
        })
    }

    /// Reads and checks the text of a `crawllet.toml`.
    ///
    /// # Errors
    /// With what is wrong, in one line.
    pub fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
            });
            format!("line {line}: {}", error.message())
        })?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        self.upstream()?;
        if !["http", "https"].contains(&self.scheme.as_str()) {
            return Err("scheme is http or https".to_owned());
        }
        if self.authority.is_empty() || self.authority.contains(['/', '@', ' ', '\r', '\n']) {
            return Err("authority is a host name, with a port where needed".to_owned());
        }
        let folders = self.files.as_ref().map(|files| files.prefixes.as_slice());
        let prefixes = self.scope.iter().chain(&self.deny).chain(folders.unwrap_or_default());
        for prefix in prefixes {
            if !prefix.starts_with('/') || prefix.contains(['?', '#', '\\', ' ']) {
                return Err(format!("`{prefix}` is no path prefix: it begins with /"));
            }
        }
        if self.max_body.0 == 0 || self.max_body.0 > MOST_BODY {
            return Err(format!("max_body is at most {}", Size(MOST_BODY)));
        }
        let limits = self.limits.limits();
        let all = [limits.mem_mib, limits.out_mib, limits.pages, limits.wall_s, limits.module_kib];
        if limits.cpu_ms == 0 || all.contains(&0) {
            return Err("no limit of [limits] can be zero".to_owned());
        }
        if self.quota.jobs == 0 || self.quota.connections == 0 {
            return Err("jobs and connections of [quota] are at least 1".to_owned());
        }
        if self.limits.memory.0 > crate::sandbox::child::MAX_MEMORY {
            return Err(format!("memory is at most {}", Size(crate::sandbox::child::MAX_MEMORY)));
        }
        Ok(())
    }

    /// Where the web server is.
    ///
    /// # Errors
    /// If it is no address: names would have to be looked up, and a crawllet goes to one place only.
    pub fn upstream(&self) -> Result<Upstream, String> {
        if let Some(path) = self.upstream.strip_prefix("unix:") {
            return Ok(Upstream::Unix(PathBuf::from(path)));
        }
        let wrong = || {
            let text = &self.upstream;
            format!("upstream `{text}` is neither http://ADDRESS[:PORT] nor unix:PATH")
        };
        let rest = self.upstream.strip_prefix("http://").ok_or_else(wrong)?;
        let rest = rest.trim_end_matches('/');
        let rest = match rest.strip_prefix("localhost") {
            Some(port) => format!("127.0.0.1{port}"),
            None => rest.to_owned(),
        };
        let bare = || rest.parse::<IpAddr>().map(|address| SocketAddr::new(address, 80));
        rest.parse().or_else(|_| bare()).map(Upstream::Tcp).map_err(|_| wrong())
    }

    /// Where sessions, counters and the log are kept.
    pub fn state(&self, folder: &Path) -> PathBuf {
        self.state.clone().unwrap_or_else(|| folder.join("state"))
    }

    /// The site as its visitors write it.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }
}

#[cfg(test)]
mod tests;
