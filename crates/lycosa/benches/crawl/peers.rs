//! Who takes part? The plain loop, ourselves in three forms, and other crawlers where installed.

use crate::CONNECTIONS;
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// One crawler.
pub(crate) struct Runner {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Largest cost that is aimed at, as a multiple of the plain loop.
    pub(crate) target: Option<f64>,
    command: fn(url: &str, dir: &Path) -> Result<Vec<String>>,
    /// A command that succeeds where the crawler is installed.
    probe: Option<[&'static str; 2]>,
}

impl Runner {
    /// The command that crawls the site of `url`; what it needs is put into `dir`.
    pub(crate) fn command(&self, url: &str, dir: &Path) -> Result<Vec<String>> {
        (self.command)(url, dir)
    }

    pub(crate) fn is_installed(&self) -> bool {
        self.probe.is_none_or(|[program, argument]| {
            let mut probe = Command::new(program);
            let probe = probe.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
            probe.is_ok_and(|status| status.success())
        })
    }
}

/// All of them; the first is what the others are measured by.
pub(crate) const RUNNERS: [Runner; 6] = [
    Runner {
        name: "scan",
        about: "plain fetch-and-scan loop",
        target: None,
        command: |url, _| {
            let own = std::env::current_exe()?;
            Ok(vec![own.display().to_string(), "scan".into(), url.into()])
        },
        probe: None,
    },
    Runner {
        name: "core",
        about: "lycosa --no-archive --no-index",
        target: Some(3.5),
        command: |url, dir| lycosa(url, dir, &["--no-archive", "--no-index"]),
        probe: None,
    },
    Runner {
        name: "archive",
        about: "lycosa --no-index",
        target: Some(12.0),
        command: |url, dir| lycosa(url, dir, &["--no-index"]),
        probe: None,
    },
    Runner {
        name: "all",
        about: "lycosa",
        target: Some(16.0),
        command: |url, dir| lycosa(url, dir, &[]),
        probe: None,
    },
    Runner {
        name: "wget2",
        about: "wget2 -r, links of <a> only",
        target: None,
        command: |url, _| {
            let threads = format!("--max-threads={CONNECTIONS}");
            let fixed = ["wget2", "-q", "-r", "-l", "inf", "-nH", "--delete-after", "--robots=off"];
            let own = ["--follow-tags=a/href", "--no-http2", "--no-compression", "--tries=1"];
            let words = fixed.into_iter().chain(own).map(str::to_owned);
            Ok(words.chain([threads, url.to_owned()]).collect())
        },
        probe: Some(["wget2", "--version"]),
    },
    Runner {
        name: "scrapy",
        about: "Scrapy with its LinkExtractor",
        target: None,
        command: |url, dir| {
            let path = dir.join("spider.py");
            fs::write(&path, SPIDER.replace("URL", url))?;
            // By its own program, which knows its Python.
            Ok(vec!["scrapy".into(), "runspider".into(), path.display().to_string()])
        },
        probe: Some(["scrapy", "version"]),
    },
];

/// A crawl without pauses, by the settings that anybody can set.
pub(crate) fn lycosa(url: &str, dir: &Path, options: &[&str]) -> Result<Vec<String>> {
    let config = dir.join("bench.toml");
    fs::write(&config, format!("[crawl]\nsite_concurrency = {CONNECTIONS}\n"))?;
    let (config, data) = (config.display().to_string(), dir.join("data").display().to_string());
    let connections = CONNECTIONS.to_string();
    let own = [
        crate::binary(),
        "crawl",
        url,
        "--delay",
        "0s",
        "--allow-private",
        "--quiet",
        "--json",
        "--concurrency",
        &connections,
        "--config",
        &config,
        "--data",
        &data,
    ];
    Ok(own.into_iter().chain(options.iter().copied()).map(str::to_owned).collect())
}

const SPIDER: &str = r#"
import scrapy
from urllib.parse import urlsplit
from scrapy.linkextractors import LinkExtractor

class Spider(scrapy.Spider):
    name = "bench"
    start_urls = ["URL"]
    allowed_domains = [urlsplit("URL").hostname]
    custom_settings = {
        "CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 32, "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7", "HTTPERROR_ALLOW_ALL": True,
    }
    links = LinkExtractor(tags=("a",), deny_extensions=[])

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse) or response.status != 200:
            return
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)
"#;
