//! What is set where? One typed configuration: defaults, then the file, then the command line.

mod crawl;
mod crawllets;
mod hunt;
mod render;
mod search;
pub(crate) mod sites;
mod synthetic;
mod watch;

pub(crate) use crawl::Crawl;
pub(crate) use crawllets::{CrawlletMode, Crawllets};
pub(crate) use hunt::{Engine, Hunt};
pub(crate) use render::Render;
pub(crate) use search::{Index, Search};
pub(crate) use synthetic::Synthetic;
pub(crate) use watch::{Security, Watch};

use crate::failure::Failure;
use crate::units::{Size, Span};
use lycosa_bot::decode::DecodeLimit;
use lycosa_bot::live::LiveSettings;
use lycosa_frontier::revisit::RevisitRule;
use lycosa_frontier::traps::TrapRule;
use lycosa_frontier::variants::VariantRule;
use lycosa_page::Limits;
use serde::{Deserialize, Serialize};
use sites::SiteRule;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Who runs this crawler: a web or mail address that site owners can use. Part of the User-Agent.
    pub(crate) contact: Option<String>,
    /// Address at which a process that crawls serves `/metrics`.
    pub(crate) metrics: Option<String>,
    pub(crate) crawl: Crawl,
    pub(crate) hunt: Hunt,
    /// Settings of the strategies, each by its name.
    pub(crate) strategy: lycosa_strategy::Parameters,
    pub(crate) traps: Traps,
    pub(crate) content: Content,
    pub(crate) revisit: Revisit,
    pub(crate) fetch: Fetch,
    pub(crate) render: Render,
    pub(crate) crawllets: Crawllets,
    pub(crate) archive: Archive,
    pub(crate) index: Index,
    pub(crate) search: Search,
    pub(crate) broker: Broker,
    pub(crate) serve: Serve,
    pub(crate) watch: Watch,
    /// What single sites get, by scheme and host.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) sites: BTreeMap<String, SiteRule>,
}

/// Which links lead nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Traps {
    pub(crate) enabled: bool,
    pub(crate) max_path_segments: usize,
    /// How often a segment of a path, or a run of segments, may stand in a row.
    pub(crate) max_repeats: usize,
    pub(crate) max_query_params: usize,
    pub(crate) max_url: Size,
    /// Years into the future that a calendar is followed.
    pub(crate) horizon_years: u32,
    /// Addresses that differ only by a date.
    pub(crate) dates: u32,
    /// Addresses of one path that combine the same few values.
    pub(crate) facets: u32,
    /// Pages in a row that lead to nothing but new pages.
    pub(crate) maze_pages: u32,
    /// Sites of one registrable domain.
    pub(crate) domain_sites: u32,
}

impl Default for Traps {
    fn default() -> Traps {
        let rule = TrapRule::default();
        Traps {
            enabled: rule.enabled,
            max_path_segments: rule.max_path_segments,
            max_repeats: rule.max_repeats,
            max_query_params: rule.max_query_params,
            max_url: Size(rule.max_url_bytes as u64),
            horizon_years: rule.horizon_years,
            dates: rule.dates,
            facets: rule.facets,
            maze_pages: rule.maze_pages,
            domain_sites: rule.domain_sites,
        }
    }
}

/// Which pages are the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Content {
    /// A page that says the same as another is archived as a revisit and indexed once.
    pub(crate) copies: bool,
    /// Ask a site that gives cause once for a page that cannot be there.
    pub(crate) soft_404: bool,
    /// Learn from pairs of addresses which spellings are the same page.
    pub(crate) variants: bool,
    /// Pairs of one kind on one site that must have been equal.
    pub(crate) variant_proof: u32,
    /// Take the parameters of advertisers and mailers off.
    pub(crate) strip_tracking: bool,
    /// Further parameters to take off.
    pub(crate) strip_parameters: Vec<String>,
}

impl Default for Content {
    fn default() -> Content {
        let rule = VariantRule::default();
        Content {
            copies: true,
            soft_404: true,
            variants: rule.enabled,
            variant_proof: rule.proof,
            strip_tracking: rule.strip_tracking,
            strip_parameters: rule.parameters,
        }
    }
}

impl Content {
    pub(crate) fn variants(&self) -> VariantRule {
        VariantRule {
            enabled: self.variants,
            proof: self.variant_proof,
            strip_tracking: self.strip_tracking,
            parameters: self.strip_parameters.clone(),
        }
    }
}

/// How pages are kept fresh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Revisit {
    /// Visits per day at most; without it, as many as visit each page once per `cycle` on average.
    pub(crate) rate: Option<u64>,
    pub(crate) cycle: Span,
    pub(crate) min_interval: Span,
    pub(crate) max_interval: Span,
    /// Answers in a row that say that a page is not there, before it leaves the index.
    pub(crate) gone_answers: u32,
    /// Time that must lie between the first and the last of them.
    pub(crate) gone_after: Span,
    /// How often feeds are read again, and sitemaps.
    pub(crate) feeds: Span,
    pub(crate) sitemaps: Span,
}

impl Default for Revisit {
    fn default() -> Revisit {
        let rule = RevisitRule::default();
        Revisit {
            rate: None,
            cycle: Span(rule.cycle),
            min_interval: Span(rule.min_interval),
            max_interval: Span(rule.max_interval),
            gone_answers: rule.gone_answers,
            gone_after: Span(rule.gone_after),
            feeds: Span(rule.feeds),
            sitemaps: Span(rule.sitemaps),
        }
    }
}

impl Revisit {
    pub(crate) fn rule(&self) -> RevisitRule {
        RevisitRule {
            visits_per_day: self.rate.map(|rate| rate as f64),
            cycle: self.cycle.0,
            min_interval: self.min_interval.0,
            max_interval: self.max_interval.0,
            gone_answers: self.gone_answers,
            gone_after: self.gone_after.0,
            feeds: self.feeds.0,
            sitemaps: self.sitemaps.0,
        }
    }
}

/// How to ask the web.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fetch {
    pub(crate) timeout: Span,
    pub(crate) connect_timeout: Span,
    pub(crate) dns_timeout: Span,
    /// From the connection to the end of the response headers.
    pub(crate) head_timeout: Span,
    /// Longest silence inside a body.
    pub(crate) silence: Span,
    /// Least bytes per second of a body.
    pub(crate) min_rate: Size,
    /// Over which `min_rate` is averaged; nobody is judged before.
    pub(crate) rate_window: Span,
    pub(crate) max_head: Size,
    pub(crate) max_head_lines: usize,
    pub(crate) max_body: Size,
    pub(crate) max_decoded_body: Size,
    /// Largest ratio of a body after decompression to the body as received.
    pub(crate) max_ratio: u64,
    /// Elements inside each other that are read as such.
    pub(crate) max_dom_depth: usize,
    pub(crate) allow_private: bool,
    pub(crate) proxy: Option<String>,
    /// PEM file with further certificate authorities.
    pub(crate) extra_roots: Option<PathBuf>,
}

impl Default for Fetch {
    fn default() -> Fetch {
        let live = LiveSettings::default();
        Fetch {
            timeout: Span(Duration::from_secs(60)),
            connect_timeout: Span(live.connect_timeout),
            dns_timeout: Span(live.dns_timeout),
            head_timeout: Span(live.first_byte_timeout),
            silence: Span(live.idle_read_timeout),
            min_rate: Size(live.min_rate),
            rate_window: Span(live.rate_window),
            max_head: Size(live.max_header_bytes as u64),
            max_head_lines: live.max_headers,
            max_body: Size(16 << 20),
            max_decoded_body: Size(64 << 20),
            max_ratio: DecodeLimit::default().max_ratio,
            max_dom_depth: Limits::default().max_depth,
            allow_private: false,
            proxy: None,
            extra_roots: None,
        }
    }
}

/// The web archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Archive {
    pub(crate) write: bool,
    /// A new file is begun when one has reached this size.
    pub(crate) rotate: Size,
    /// gzip level, 1 to 9.
    pub(crate) level: u32,
    /// Archive pages that ask not to be kept as well.
    pub(crate) ignore_noarchive: bool,
}

impl Default for Archive {
    fn default() -> Archive {
        Archive {
            write: true,
            rotate: Size(1 << 30),
            level: lycosa_store::archive::DEFAULT_LEVEL,
            ignore_noarchive: false,
        }
    }
}

/// The broker and its bots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Broker {
    /// How long a bot may keep a URL without reporting it.
    pub(crate) lease: Span,
    /// A bot that is silent for so long is retired.
    pub(crate) silent: Span,
    /// File with the secret that bots in other processes sign with.
    pub(crate) secret_file: Option<PathBuf>,
    /// Address for other crawlers, by the URLFrontier API.
    pub(crate) urlfrontier: Option<String>,
}

impl Default for Broker {
    fn default() -> Broker {
        Broker {
            lease: Span(Duration::from_secs(120)),
            silent: Span(Duration::from_secs(300)),
            secret_file: None,
            urlfrontier: None,
        }
    }
}

/// The search page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Serve {
    pub(crate) listen: String,
    /// File with the token that whoever changes something needs.
    pub(crate) token_file: Option<PathBuf>,
    /// Names under which a proxy leads to a server that listens on loopback.
    pub(crate) hosts: Vec<String>,
    /// Requests of one address, over time and at once.
    pub(crate) requests_per_second: Option<u32>,
    pub(crate) burst: Option<u32>,
}

impl Default for Serve {
    fn default() -> Serve {
        Serve {
            listen: "127.0.0.1:8080".into(),
            token_file: None,
            hosts: Vec::new(),
            requests_per_second: None,
            burst: None,
        }
    }
}

impl Config {
    /// Reads a file. Unknown keys are refused.
    pub(crate) fn read(path: &Path) -> Result<Config, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::new(format!("cannot read the config {}: {error}", path.display()))
                .hint("--config names a TOML file; see docs/guide/configuration.md")
        })?;
        toml::from_str(&text).map_err(|error| {
            let what = error.message().lines().next().unwrap_or_default().to_owned();
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            let failure = Failure::new(format!("{}:{line}: {what}", path.display()));
            match nearest_key(&what) {
                Some(key) => failure.hint(format!("did you mean `{key}`?")),
                None => failure.hint("see docs/guide/configuration.md for all keys"),
            }
        })
    }

    /// The file that was named, else the defaults.
    pub(crate) fn load(path: Option<&Path>) -> Result<Config, Failure> {
        path.map_or_else(|| Ok(Config::default()), Config::read)
    }

    /// Keeps the configuration of this run beside its data, without secrets.
    pub(crate) fn save(&self, dir: &Path) -> Result<(), Failure> {
        let path = dir.join("lycosa.toml");
        let text = toml::to_string_pretty(&sites::without_secrets(self))
            .map_err(|error| Failure::new(format!("cannot write the configuration: {error}")))?;
        let text = format!("# The configuration of the last run.\n{text}");
        std::fs::write(&path, text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }

    /// What our bots say they are.
    pub(crate) fn user_agent(&self) -> String {
        let product = concat!("lycosa/", env!("CARGO_PKG_VERSION"));
        match &self.contact {
            Some(contact) => format!("{product} (+{contact})"),
            None => product.into(),
        }
    }
}

/// The expected key that is nearest to the unknown one, out of serde's own message.
fn nearest_key(message: &str) -> Option<String> {
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next().filter(|_| message.starts_with("unknown field"))?;
    names
        .map(|name| (distance(unknown, name), name))
        .filter(|(distance, _)| *distance <= 3)
        .min()
        .map(|(_, name)| name.to_owned())
}

/// Letters to change, add or remove (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let here = (corner + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = here;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, Failure> {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("lycosa.toml");
        std::fs::write(&path, text).expect("write");
        Config::read(&path)
    }

    #[test]
    fn values_have_units_and_the_rest_keeps_its_default() {
        let config =
            read("contact = \"https://me.test\"\n[crawl]\ndelay = \"250ms\"").expect("good");
        assert_eq!(config.crawl.delay.0, Duration::from_millis(250));
        assert_eq!(config.fetch, Fetch::default());
        assert!(config.user_agent().ends_with("(+https://me.test)"));
    }

    #[test]
    fn an_unknown_key_is_refused_with_line_and_suggestion() {
        let failure = read("[crawl]\n\ndelai = \"1s\"").expect_err("unknown");
        assert!(failure.to_string().contains("lycosa.toml:3: unknown field `delai`"), "{failure}");
        assert_eq!(failure.hint_text(), Some("did you mean `delay`?"));
        assert!(read("[crawl]\ndelay = 5").is_err(), "a number has no unit");
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let dir = tempfile::tempdir().expect("temp dir");
        let mut config = Config::default();
        config.crawl.pages = Some(10);
        config.crawl.lang = Some(lycosa_model::Lang::ES);
        config.fetch.proxy = Some("http://proxy.test".into());
        config.save(dir.path()).expect("save");
        assert_eq!(Config::read(&dir.path().join("lycosa.toml")).expect("read"), config);
    }
}
