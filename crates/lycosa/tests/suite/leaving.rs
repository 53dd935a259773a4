//! Do pages that are gone leave the index, whoever is killed on the way, and when?

use crate::support::site::{Answer, Site};
use crate::support::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Pages of the site beside its front page.
const PAGES: usize = 24;

/// A site whose pages can be taken away.
struct Fading {
    site: Site,
    gone: Arc<Mutex<BTreeSet<String>>>,
}

impl Fading {
    fn serve() -> Fading {
        let gone = Arc::<Mutex<BTreeSet<String>>>::default();
        let missing = Arc::clone(&gone);
        let site = Site::serve(move |_, path| match path {
            "/robots.txt" => Answer::missing(),
            path if missing.lock().expect("whole").contains(path) => {
                Answer { status: 410, ..Answer::html("gone") }
            }
            "/" => {
                let links = (0..PAGES).map(|n| format!("<a href=/page-{n}>{n}</a> "));
                Answer::html(format!("<title>front</title><p>{}", links.collect::<String>()))
            }
            path => {
                // Each in words of its own, or they would be one page that says `not found`.
                let number = path.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
                let word = word(number);
                Answer::html(format!("<title>{word}</title><p>{}", format!("{word} ").repeat(12)))
            }
        });
        Fading { site, gone }
    }

    fn front(&self) -> String {
        format!("http://{}/", self.site.address)
    }

    /// From now on these pages are gone.
    fn take(&self, pages: impl Iterator<Item = usize>) {
        self.gone.lock().expect("whole").extend(pages.map(|n| format!("/page-{n}")));
    }

    /// What is still there.
    fn left(&self) -> Vec<String> {
        let gone = self.gone.lock().expect("whole");
        let pages = (0..PAGES).map(|n| format!("/page-{n}")).filter(|path| !gone.contains(path));
        let all: BTreeSet<String> = std::iter::once("/".to_owned()).chain(pages).collect();
        all.iter().map(|path| format!("http://{}{path}", self.site.address)).collect()
    }
}

/// A word of its own for each number.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 5] = ["ra", "te", "mi", "so", "lu"];
    let digits = [number / 25, number / 5 % 5, number % 5];
    digits.map(|digit| SYLLABLES[digit % 5]).concat()
}

fn indexed(data: &Path) -> Vec<String> {
    exported("jsonl", data).into_keys().collect()
}

/// Waits until so many pages were reported to be gone.
fn until_gone(trace: &Path, count: usize) {
    until("pages that are gone", || {
        let text = std::fs::read_to_string(trace).unwrap_or_default();
        // The last line may not be whole yet.
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        (rows.filter(|row| row["status"] == 410).count() >= count).then_some(())
    });
}

#[test]
fn a_crawl_that_is_killed_loses_no_removal() {
    let dir = tempfile::tempdir().expect("a folder");
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let config = dir.path().join("config.toml");
    std::fs::write(&config, IMPATIENT).expect("written");
    let fading = Fading::serve();
    let crawl = |arguments: &[&str]| {
        let mut command = lycosa(["crawl", "-q", "--json", "--allow-private", "--delay", "5ms"]);
        command.args(["--data", text(&data), "--config", text(&config), "--trace", text(&trace)]);
        command.args(arguments);
        Running::start(command)
    };
    crawl(&[&fading.front()]).finish().exits(0);
    assert_eq!(indexed(&data), fading.left());
    for round in 0..3 {
        fading.take((0..6).map(|n| round * 6 + n));
        std::fs::remove_file(&trace).expect("the one of the last crawl");
        let running = crawl(&[&fading.front()]);
        // Those of the rounds before are asked for first.
        until_gone(&trace, round * 6 + 1 + round);
        running.kill();
    }
    crawl(&[&fading.front()]).finish().exits(0);
    assert_eq!(indexed(&data), fading.left());
}

/// A broker, and a bot with an index of its own.
struct Pair {
    dir: PathBuf,
    trace: PathBuf,
}

impl Pair {
    fn broker(&self, arguments: &[&str]) -> (Running, String) {
        let (data, config) = (self.dir.join("broker"), self.dir.join("config.toml"));
        std::fs::write(&config, IMPATIENT).expect("written");
        let mut command = lycosa(["agent", "broker", "--json", "--delay", "5ms", "--lease", "2s"]);
        command.args(["--data", text(&data), "--config", text(&config)]);
        command.args(["--trace", text(&self.trace)]).args(arguments);
        let running = Running::start(command);
        let line = running.notes("the broker waits for bots at http://");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next());
        (running, address.expect("an address").to_owned())
    }

    fn bot(&self, address: &str) -> Running {
        let mut command = lycosa(["agent", "bot", "--allow-private", "--json", "-q"]);
        command.args(["--broker", &format!("http://{address}"), "--name", "ada"]);
        let secret = self.dir.join("broker").join("broker.secret");
        command.args(["--secret-file", text(&secret), "--data", text(&self.index())]);
        Running::start(command)
    }

    fn index(&self) -> PathBuf {
        self.dir.join("ada")
    }

    /// Crawls to the end.
    fn crawl(&self, front: &str) {
        let (broker, address) = self.broker(&["--listen", "127.0.0.1:0", front]);
        self.bot(&address).finish().exits(0);
        broker.finish().exits(0);
    }
}

#[test]
fn a_bot_that_is_killed_hears_again_what_its_index_must_be_rid_of() {
    let dir = tempfile::tempdir().expect("a folder");
    let pair = Pair { dir: dir.path().to_owned(), trace: dir.path().join("trace.jsonl") };
    let fading = Fading::serve();
    pair.crawl(&fading.front());
    assert_eq!(indexed(&pair.index()), fading.left());
    fading.take(0..12);
    let (broker, address) = pair.broker(&["--listen", "127.0.0.1:0", &fading.front()]);
    // It is killed with removals that its index has not committed: it waits two seconds with that.
    for count in [2, 5] {
        let bot = pair.bot(&address);
        until_gone(&pair.trace, count);
        bot.kill();
    }
    pair.bot(&address).finish().exits(0);
    broker.finish().exits(0);
    assert_eq!(indexed(&pair.index()), fading.left());
}

#[test]
fn a_broker_that_is_killed_tells_its_bots_later_what_has_left() {
    let dir = tempfile::tempdir().expect("a folder");
    let pair = Pair { dir: dir.path().to_owned(), trace: dir.path().join("trace.jsonl") };
    let fading = Fading::serve();
    pair.crawl(&fading.front());
    fading.take(0..12);
    let (broker, address) = pair.broker(&["--listen", "127.0.0.1:0", &fading.front()]);
    let bot = pair.bot(&address);
    until_gone(&pair.trace, 3);
    broker.kill();
    // At the same address, or the bot would look for it in vain.
    let (broker, _) = pair.broker(&["--resume", "--listen", &address]);
    bot.finish().exits(0);
    broker.finish().exits(0);
    assert_eq!(indexed(&pair.index()), fading.left());
    // Nothing is told twice to an index that knows it, and nothing is lost when all is well.
    fading.take(12..16);
    pair.crawl(&fading.front());
    assert_eq!(indexed(&pair.index()), fading.left());
}
