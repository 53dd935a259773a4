//! Can bots in other processes share one crawl? One broker, several bots, no page twice; a bot that is
//! killed or cannot prove itself harms nobody.

use crate::support::outside::http;
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A broker process, and where its bots find it.
struct Broker {
    running: Running,
    address: String,
    secret: PathBuf,
    trace: PathBuf,
    dir: PathBuf,
}

impl Broker {
    fn start(dir: &Path, settings: &str, arguments: &[&str], seeds: &[String]) -> Broker {
        let (data, config) = (dir.join("broker"), dir.join("config.toml"));
        let trace = dir.join("trace.jsonl");
        std::fs::write(&config, settings).expect("written");
        let mut command = lycosa(["agent", "broker", "--listen", "127.0.0.1:0", "--scope", "any"]);
        command.args(["--json", "--data", text(&data), "--config", text(&config)]);
        command.args(["--trace", text(&trace)]).args(arguments).args(seeds);
        let running = Running::start(command);
        let line = running.notes("the broker waits for bots at http://");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next());
        let address = address.expect("an address").to_owned();
        let secret = data.join("broker.secret");
        Broker { running, address, secret, trace, dir: dir.to_owned() }
    }

    fn bot(&self, name: &str) -> Running {
        let data = self.dir.join(name);
        let mut command = lycosa(["agent", "bot", "--allow-private", "--json", "-q"]);
        command.args(["--broker", &format!("http://{}", self.address), "--name", name]);
        command.args(["--secret-file", text(&self.secret), "--data", text(&data)]);
        Running::start(command)
    }

    /// Pages that this bot has on record so far.
    fn pages_of(&self, name: &str) -> usize {
        let trace = std::fs::read_to_string(&self.trace).unwrap_or_default();
        let agent = format!("\"agent\":\"{name}\"");
        let fetched = |line: &&str| line.contains(&agent) && line.contains("\"fetched\"");
        trace.lines().filter(fetched).count()
    }
}

#[test]
fn two_bots_share_a_crawl_without_overlap() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(21, Shape::demo());
    let broker = Broker::start(dir.path(), IMPATIENT, &["--delay", "10ms"], &web.facts.fronts);
    let bots = ["ada", "bea"].map(|name| (name, broker.bot(name)));
    let told = bots.map(|(name, bot)| (name, bot.finish().exits(0).json()));
    let trace_file = broker.trace.clone();
    let summary = broker.running.finish().exits(0).json();
    assert_eq!(summary["pages"], web.facts.pages.len());
    assert_eq!(summary["overlap"], 0);
    let visits = web.visits();
    for page in &web.facts.pages {
        assert_eq!(visits.get(page), Some(&1), "{page}");
    }
    assert!(web.facts.disallowed.iter().all(|url| !visits.contains_key(url)));
    let trace = Trace::read(&trace_file);
    let fetched = trace.urls("fetched");
    let distinct: BTreeSet<&str> = fetched.iter().copied().collect();
    assert_eq!((fetched.len(), distinct.len()), (web.facts.pages.len(), web.facts.pages.len()));
    // Each has kept in its own folder what it fetched, and nothing else.
    let mut kept = BTreeSet::new();
    for (name, told) in &told {
        let mine = archived(&dir.path().join(name));
        assert!(!mine.pages.is_empty(), "{name} did some work");
        assert_eq!(told["bot"]["pages"], mine.pages.len(), "{told}");
        let rows = trace.0.iter().filter(|row| row["agent"] == *name);
        let own: BTreeSet<&str> = rows.filter_map(|row| row["url"].as_str()).collect();
        assert!(mine.pages.keys().all(|page| own.contains(page.as_str())));
        for page in mine.pages.into_keys() {
            assert!(kept.insert(page.clone()), "{page} is in one archive only");
        }
    }
    assert_eq!(kept.len(), web.facts.pages.len());
}

#[test]
fn the_leases_of_a_killed_bot_come_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(22, Shape::demo());
    let settings = format!("{IMPATIENT}[broker]\nsilent = \"4s\"\n");
    let arguments = ["--delay", "30ms", "--lease", "2s"];
    let broker = Broker::start(dir.path(), &settings, &arguments, &web.facts.fronts);
    let (victim, survivor) = (broker.bot("ada"), broker.bot("bea"));
    until("both at work", || {
        (broker.pages_of("ada") >= 20 && broker.pages_of("bea") >= 20).then_some(())
    });
    victim.kill();
    survivor.finish().exits(0);
    let trace_file = broker.trace.clone();
    let summary = broker.running.finish().exits(0).json();
    assert_eq!(summary["finished"], true);
    let trace = Trace::read(&trace_file);
    let fetched = trace.urls("fetched");
    let distinct: BTreeSet<&str> = fetched.iter().copied().collect();
    assert_eq!(distinct, web.facts.pages.iter().map(String::as_str).collect());
    assert_eq!(fetched.len(), distinct.len(), "no page is acknowledged twice");
    // What the victim had asked for and not reported may be asked for once more, by the survivor.
    let visits = web.visits();
    assert!(web.facts.pages.iter().all(|page| visits[page] <= 2));
    let again = web.facts.pages.iter().filter(|page| visits[*page] == 2).count();
    assert!(again <= 64, "{again} pages were asked for twice");
}

#[test]
fn a_bot_that_was_killed_comes_back_to_its_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(23, Shape::demo());
    let arguments = ["--delay", "30ms", "--lease", "2s"];
    let broker = Broker::start(dir.path(), IMPATIENT, &arguments, &web.facts.fronts);
    let bot = broker.bot("ada");
    until("it works", || (broker.pages_of("ada") >= 30).then_some(()));
    bot.kill();
    broker.bot("ada").finish().exits(0);
    let summary = broker.running.finish().exits(0).json();
    assert_eq!(summary["pages"], web.facts.pages.len());
    let kept = archived(&dir.path().join("ada"));
    let doubled: Vec<_> = kept.pages.iter().filter(|(_, copies)| **copies != 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    assert!(kept.pages.keys().eq(web.facts.pages.iter().collect::<BTreeSet<_>>()));
    outside::warcio_accepts(&dir.path().join("ada"));
    data::check_indexed(&dir.path().join("ada"), &web.facts);
}

#[test]
fn a_killed_broker_goes_on_with_its_bots() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(24, Shape::demo());
    let arguments = ["--delay", "30ms", "--lease", "2s"];
    let broker = Broker::start(dir.path(), IMPATIENT, &arguments, &web.facts.fronts);
    let bot = broker.bot("ada");
    until("it works", || (broker.pages_of("ada") >= 30).then_some(()));
    let Broker { running, address, .. } = broker;
    running.kill();
    // At the same address, or the bot would look for it in vain.
    let arguments = ["--delay", "0s", "--lease", "2s", "--resume", "--listen", &address];
    let broker = Broker::resume(dir.path(), &arguments);
    let ran = bot.finish();
    let summary = broker.finish().exits(0).json();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(summary["pages"], web.facts.pages.len());
}

impl Broker {
    /// The broker of this folder once more.
    fn resume(dir: &Path, arguments: &[&str]) -> Running {
        let (data, config) = (dir.join("broker"), dir.join("config.toml"));
        let mut command = lycosa(["agent", "broker", "--scope", "any", "--json"]);
        command.args(["--data", text(&data), "--config", text(&config)]).args(arguments);
        let running = Running::start(command);
        running.notes("the broker waits for bots");
        running
    }
}

#[test]
fn a_bot_that_cannot_prove_itself_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(25, Shape { sites: 1, ..Shape::demo() });
    let mut broker = Broker::start(dir.path(), "", &[], &web.facts.fronts);
    let right = std::fs::read_to_string(&broker.secret).expect("a secret");
    assert!(right.trim().len() >= 32, "long enough not to be guessed");
    let wrong = dir.path().join("wrong.secret");
    std::fs::write(&wrong, "not the secret\n").expect("written");
    broker.secret = wrong;
    broker.bot("eve").finish().fails_with(&["eve", "refused", "signature"], "");
    broker.secret = dir.path().join("none.secret");
    broker.bot("eve").finish().fails_with(&["none.secret"], "broker.secret");
    for body in ["{}", r#"{"name":"eve","pid":1}"#] {
        let answer = http(&broker.address, "POST", "/broker/v1/authenticate", body);
        assert_eq!(answer.status, 401, "{}", answer.body);
        let told: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert!(told["error"].is_string() && told["hint"].is_string(), "{told}");
    }
    assert_eq!(http(&broker.address, "POST", "/broker/v1/report", "[]").status, 401);
    assert_eq!(http(&broker.address, "POST", "/broker/v1/nonsense", "").status, 401);
    assert_eq!(web.total(), 0, "nobody was given anything");
    broker.running.signal("INT");
    broker.running.finish().exits(1);
}
