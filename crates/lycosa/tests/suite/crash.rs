//! Does a kill lose anything? A crawl is killed at random moments and resumed until it is done; then
//! every page must be in the archive once, in the index once, and nothing in the files may be torn.

use crate::support::data::{check_cdxj, lines_in};
use crate::support::*;
use lycosa_lab::synthetic::{Facts, Naming, Shape};
use lycosa_runtime::dice;
use rand::RngExt;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A crawl that is killed again and again.
struct Victim {
    archive: PathBuf,
    data: PathBuf,
    trace: PathBuf,
    arguments: Vec<String>,
}

/// When to pull the plug: when so many further attempts are on record or so much time has passed,
/// whichever comes first, and then a moment later.
struct Moment {
    attempts: usize,
    patience: Duration,
    then: Duration,
}

impl Victim {
    fn new(archive: &Path, dir: &Path, arguments: &[&str]) -> Victim {
        Victim {
            archive: archive.to_owned(),
            data: dir.join("data"),
            trace: dir.join("trace.jsonl"),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        }
    }

    fn start(&self, seeds: &[&str]) -> Running {
        let mut command = lycosa(["crawl", "--json", "-q", "--replay", text(&self.archive)]);
        command.args(["--data", text(&self.data), "--trace", text(&self.trace)]);
        command.args(&self.arguments).args(seeds);
        // A process that was killed before it had written anything leaves nothing to resume.
        if self.data.join("broker").exists() {
            command.arg("--resume");
        }
        Running::start(command)
    }

    /// Runs until the moment has come, and kills. Tells whether the crawl was still at work.
    fn kill_at(&self, moment: Moment, seeds: &[&str]) -> bool {
        let before = lines_in(&self.trace);
        let mut running = self.start(seeds);
        let begun = Instant::now();
        until("progress, or the end", || {
            let progress = lines_in(&self.trace) >= before + moment.attempts;
            let over = begun.elapsed() >= moment.patience || !running.is_alive();
            (progress || over).then_some(())
        });
        let begun = Instant::now();
        until("the moment", || (begun.elapsed() >= moment.then).then_some(()));
        let alive = running.is_alive();
        running.kill();
        alive
    }

    /// Kills the crawl so often at moments of these dice, then lets it finish.
    fn kill_and_finish(&self, seed: u64, kills: usize, pages: usize, seeds: &[&str]) -> Ran {
        let mut dice = dice(seed, "crash");
        // All of them together must not reach the end.
        let most = pages / (2 * kills);
        for kill in 0..kills {
            // Half of the kills fall while pages come in, half may fall into the first steps of a start.
            let patience = if kill % 2 == 0 {
                DEADLINE
            } else {
                Duration::from_millis(dice.random_range(0..200))
            };
            let moment = Moment {
                attempts: dice.random_range(1..=most),
                patience,
                then: Duration::from_micros(dice.random_range(0..10_000)),
            };
            assert!(self.kill_at(moment, seeds), "kill {kill} came while the crawl was at work");
        }
        self.start(seeds).finish().exits(0)
    }

    /// Asserts that nothing is lost, doubled or torn.
    fn check(&self, expected: &BTreeSet<String>, facts: Option<&Facts>) {
        let kept = archived(&self.data);
        let doubled: Vec<_> = kept.pages.iter().filter(|(_, copies)| **copies != 1).collect();
        assert!(doubled.is_empty(), "in the archive more than once: {doubled:?}");
        let kept: BTreeSet<String> = kept.pages.into_keys().collect();
        assert_eq!(&kept, expected, "pages in the archive");
        if let Some(facts) = facts {
            data::check_indexed(&self.data, facts);
        } else {
            let indexed: BTreeSet<String> = exported("jsonl", &self.data).into_keys().collect();
            assert_eq!(&indexed, expected, "pages in the index");
        }
        let trace = Trace::read(&self.trace);
        let fetched = trace.urls("fetched");
        let distinct: BTreeSet<&str> = fetched.iter().copied().collect();
        assert_eq!(fetched.len(), distinct.len(), "no page is acknowledged twice");
        let numbers: Vec<u64> = trace.0.iter().filter_map(|row| row["n"].as_u64()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "attempts are counted on: {numbers:?}");
        assert!(check_cdxj(&self.data) >= expected.len());
        outside::warcio_accepts(&self.data);
    }
}

fn demo_web(dir: &Path) -> (PathBuf, Facts) {
    kept_web(11, Shape::demo(), Naming::plain(), dir)
}

#[test]
fn a_crawl_that_is_killed_twenty_times_ends_with_every_page_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, facts) = demo_web(dir.path());
    let victim = Victim::new(&archive, dir.path(), &["--scope", "any", "--delay", "1s"]);
    let pages = facts.pages.len();
    let summary = victim.kill_and_finish(1, 20, pages, &[&facts.fronts[0]]).json();
    assert_eq!(summary["finished"], true);
    victim.check(&facts.pages.iter().cloned().collect(), Some(&facts));
}

#[test]
fn a_killed_crawl_without_an_archive_has_every_page_in_its_index() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, facts) = demo_web(dir.path());
    let options = ["--scope", "any", "--delay", "1s", "--no-archive"];
    let victim = Victim::new(&archive, dir.path(), &options);
    let pages = facts.pages.len();
    let summary = victim.kill_and_finish(3, 5, pages, &[&facts.fronts[0]]).json();
    assert_eq!((&summary["finished"], &summary["pages"]), (&true.into(), &pages.into()));
    data::check_indexed(&victim.data, &facts);
}

#[test]
fn three_bots_that_are_killed_together_lose_nothing_either() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, facts) = demo_web(dir.path());
    let options = ["--scope", "any", "--agents", "3", "--strategy", "best-first"];
    let victim = Victim::new(&archive, dir.path(), &options);
    let pages = facts.pages.len();
    victim.kill_and_finish(2, 15, pages, &[&facts.fronts[0]]);
    victim.check(&facts.pages.iter().cloned().collect(), Some(&facts));
}

#[test]
fn small_archive_files_are_cut_and_gone_on_with() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, facts) = demo_web(dir.path());
    let config = dir.path().join("config.toml");
    std::fs::write(&config, "[crawl]\nscope = \"any\"\n[archive]\nrotate = \"64KiB\"\n")
        .expect("written");
    let victim = Victim::new(&archive, dir.path(), &["--config", text(&config)]);
    let pages = facts.pages.len();
    victim.kill_and_finish(3, 15, pages, &[&facts.fronts[0]]);
    assert!(data::archive_files(&victim.data, ".warc.gz").len() > 5, "it was rotated");
    victim.check(&facts.pages.iter().cloned().collect(), Some(&facts));
}

#[test]
fn a_killed_crawl_of_a_large_archive_stops_at_its_page_limit() {
    let Some(schools) = shared("web/schools.warc.gz") else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let options = ["--strategy", "breadth-first", "--pages", "400"];
    let victim = Victim::new(&schools, dir.path(), &options);
    let seed = "http://schools.test/wiki/Sport";
    let summary = victim.kill_and_finish(4, 10, 400, &[seed]).json();
    assert_eq!((&summary["pages"], &summary["distinct"]), (&400.into(), &400.into()));
    // The trace names the pages, except for lines that a kill kept from being written.
    let kept: BTreeSet<String> = archived(&victim.data).pages.into_keys().collect();
    assert_eq!(kept.len(), 400);
    victim.check(&kept, None);
}

#[test]
fn pages_that_a_power_failure_took_from_the_archive_are_fetched_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, facts) = demo_web(dir.path());
    let victim = Victim::new(&archive, dir.path(), &["--scope", "any"]);
    victim.start(&[&facts.fronts[0]]).finish().exits(0);
    // Acknowledged, but never on the disk.
    let file = data::archive_files(&victim.data, ".warc.gz").pop().expect("a file");
    let length = std::fs::metadata(&file).expect("a size").len();
    let torn = std::fs::OpenOptions::new().write(true).open(&file).expect("to be torn");
    torn.set_len(length / 2).expect("torn");
    let summary = victim.start(&[]).finish().exits(0).json();
    assert_eq!(summary["finished"], true);
    let kept = archived(&victim.data);
    assert!(kept.pages.values().all(|copies| *copies == 1), "none twice");
    let kept: BTreeSet<String> = kept.pages.into_keys().collect();
    assert_eq!(kept, facts.pages.iter().cloned().collect(), "none lost");
    data::check_indexed(&victim.data, &facts);
    outside::warcio_accepts(&victim.data);
}
