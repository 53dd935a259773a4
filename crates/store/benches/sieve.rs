//! What does new-or-known cost? Fills a sieve, asks it, and tells CPU time per fingerprint with the work
//! of all threads included, memory, disk, and the time of a new start. CPU time and not wall time,
//! so that a busy machine does not matter much.
//!
//! `cargo xtask bench sieve` or `cargo xtask bench sieve -- 10 30` (millions of entries)
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use lycosa_store::records::Records;
use lycosa_store::tally::{Kind, Tally};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Links that come together, as from some twenty pages.
const BATCH: usize = 1_000;

/// Lookups of each kind.
const LOOKUPS: usize = 10_000_000;

/// Lookups prepared at a time.
const PORTION: usize = 250_000;

/// CPU time is told in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Asks this program to open what another process of it left.
const AGAIN: &str = "again";

/// A generator of numbers that anybody can repeat (splitmix64).
struct Dice(u64);

impl Dice {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        fingerprint(self.0)
    }

    fn part(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A uniform fingerprint for each number.
fn fingerprint(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The entry with this number; the numbers of entries are 1, 2, 3 and so on.
fn entry(number: u64) -> u64 {
    fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Which known entry is asked for.
#[derive(Clone, Copy)]
enum Choice {
    /// Each as often as any other: the worst case.
    Uniform,
    /// Each in proportion to one over its rank (Zipf): much more like links.
    Skewed,
}

impl Choice {
    fn of(self, known: u64, dice: &mut Dice) -> u64 {
        match self {
            Choice::Uniform => dice.number() % known + 1,
            Choice::Skewed => ((known as f64).powf(dice.part()) as u64).clamp(1, known),
        }
    }
}

/// CPU seconds of this process so far, all threads.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / TICKS_PER_SECOND
}

/// Anonymous memory of this process in bytes.
fn anonymous() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or_default() * 1024.0
}

struct Bench {
    records: Records,
    sieve: Tally,
    /// Entries so far.
    known: u64,
    dice: Dice,
    batch: Vec<u64>,
    answers: Vec<bool>,
}

impl Bench {
    fn seal(&mut self) {
        let mut change = self.records.change();
        self.sieve.seal(&mut change).expect("seal");
        change.commit().expect("commit");
        self.sieve.settle().expect("settle");
    }

    /// Asks for `lookups` fingerprints of which one in `every` is new and added; nanoseconds for each.
    fn ask(&mut self, lookups: usize, every: usize, choice: Choice) -> f64 {
        let mut asked = 0;
        let mut cpu = 0.0;
        // The numbers are made beforehand, in portions, so that only the sieve is measured.
        while asked < lookups {
            let portion = (lookups - asked).min(PORTION);
            let before = self.known;
            let numbers: Vec<u64> = (0..portion)
                .map(|i| match i % every {
                    0 if every <= portion => {
                        self.known += 1;
                        entry(self.known)
                    }
                    _ => entry(choice.of(before, &mut self.dice)),
                })
                .collect();
            let began = cpu_seconds();
            let mut new = 0;
            for batch in numbers.chunks(BATCH) {
                self.batch.clear();
                self.batch.extend_from_slice(batch);
                self.sieve.has_all(&self.batch, &mut self.answers).expect("ask");
                for (one, known) in self.batch.iter().zip(&self.answers) {
                    if !known {
                        self.sieve.add(*one, 1);
                        new += 1;
                    }
                }
                self.seal();
            }
            cpu += cpu_seconds() - began;
            assert_eq!(new, self.known - before, "every new one is new, every known one known");
            asked += portion;
        }
        cpu / lookups as f64 * 1e9
    }
}

fn measure(entries: u64) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let before = anonymous();
    let sieve = records.tally(Kind::Sieve).expect("open");
    let (batch, answers) = (Vec::new(), Vec::new());
    let mut bench = Bench { records, sieve, known: 0, dice: Dice(7), batch, answers };

    println!("{} million entries", entries / 1_000_000);
    let began = Instant::now();
    let ns = bench.ask(entries as usize, 1, Choice::Uniform);
    let wall = began.elapsed().as_secs_f64();
    println!("  new, asked and added         {ns:6.0} ns CPU each ({wall:.1} s wall in all)");
    for (name, every, choice) in [
        ("known, uniform", usize::MAX, Choice::Uniform),
        ("known, skewed", usize::MAX, Choice::Skewed),
        ("nine in ten known, uniform", 10, Choice::Uniform),
        ("nine in ten known, skewed", 10, Choice::Skewed),
    ] {
        let ns = bench.ask(LOOKUPS, every, choice);
        println!("  {name:<28} {ns:6.0} ns CPU each");
    }
    let (known, disk) = (bench.known, bench.sieve.disk_bytes() as f64);
    println!(
        "  now {known} entries: {:.2} bytes of disk each, {:.2} bytes of memory each by its own account; \
         with the records' engine {:.2} anonymous",
        disk / known as f64,
        bench.sieve.memory_bytes() as f64 / known as f64,
        (anonymous() - before) / known as f64,
    );
    drop(bench);
    // A process of its own, whose memory holds nothing else.
    let mut again = Command::new(std::env::current_exe().expect("this program"));
    let again = again.arg(AGAIN).arg(dir.path()).arg(known.to_string()).status();
    assert!(again.expect("start again").success(), "the new start failed");
}

/// Opens a sieve that another process left, asks it, and tells what that took.
fn open_again(dir: &Path, known: u64) {
    let began = Instant::now();
    let records = Records::open(dir).expect("open");
    let records_wall = began.elapsed().as_secs_f64();
    let before = anonymous();
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let sieve = records.tally(Kind::Sieve).expect("open");
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    assert_eq!(sieve.len(), known, "nothing is lost");
    let (batch, answers) = (Vec::new(), Vec::new());
    let mut bench = Bench { records, sieve, known, dice: Dice(8), batch, answers };
    bench.ask(LOOKUPS, usize::MAX, Choice::Uniform);
    println!(
        "  a new process opened it in {wall:.3} s wall, {cpu:.2} s CPU (and the records in \
         {records_wall:.3} s wall), and has {:.2} bytes anonymous for each entry after {LOOKUPS} lookups",
        (anonymous() - before) / known as f64,
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [again, dir, known, ..] = &args[..]
        && again == AGAIN
    {
        return open_again(Path::new(dir), known.parse().expect("a number"));
    }
    let millions: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let millions = if millions.is_empty() { vec![10, 30] } else { millions };
    millions.iter().for_each(|millions| measure(millions * 1_000_000));
}
