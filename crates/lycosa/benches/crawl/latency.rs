//! How near does a crawl of many slow sites come to the ceiling? With C exchanges at the same time
//! and an answer after L seconds it is C / L answers a second.

use crate::contest::Server;
use crate::measure;
use anyhow::{Result, bail};
use std::fmt::Write;

/// Sites, each with an address of its own on loopback.
const SITES: usize = 200;
/// Pages of each.
const PAGES: usize = 40;
/// How long an answer takes.
const LATENCY_MS: u64 = 80;
/// Exchanges at the same time: the default, and a hundred.
const CONNECTIONS: [usize; 2] = [32, 100];
/// Share of the ceiling that is aimed at.
const TARGET: f64 = 0.85;

pub(crate) fn run() -> Result<()> {
    let args = ["serve-slow".to_owned(), LATENCY_MS.to_string(), PAGES.to_string()];
    let server = Server::start(&args)?;
    println!(
        "\n{SITES} sites of {PAGES} pages, {LATENCY_MS} ms each answer, one exchange per site"
    );
    println!(
        "{:>11} {:>7} {:>8} {:>9} {:>8} {:>7} {:>7}",
        "connections", "pages", "seconds", "pages/s", "ceiling", "share", "target"
    );
    for connections in CONNECTIONS {
        let dir = tempfile::tempdir()?;
        let mut seeds = String::new();
        for site in 0..SITES {
            writeln!(seeds, "http://127.0.{}.{}:{}/", 1 + site / 100, 1 + site % 100, server.port)?;
        }
        let list = dir.path().join("seeds.txt");
        std::fs::write(&list, seeds)?;
        let command = [
            crate::binary(),
            "crawl",
            "--seeds",
            &list.display().to_string(),
            "--delay",
            "0s",
            "--allow-private",
            "--quiet",
            "--json",
            "--concurrency",
            &connections.to_string(),
            "--data",
            &dir.path().join("data").display().to_string(),
        ]
        .map(str::to_owned);
        server.asked()?;
        measure::run(&command, dir.path(), false)?;
        let asked = server.asked()?;
        if asked.pages.len() != SITES * PAGES {
            bail!("{} of {} pages were found", asked.pages.len(), SITES * PAGES);
        }
        let rate = asked.pages.len() as f64 / asked.seconds;
        let ceiling = connections as f64 * 1000.0 / LATENCY_MS as f64;
        println!(
            "{connections:>11} {:>7} {:>8.1} {rate:>9.0} {ceiling:>8.0} {:>6.1}% {:>6.0}%",
            asked.pages.len(),
            asked.seconds,
            rate / ceiling * 100.0,
            TARGET * 100.0
        );
    }
    Ok(())
}
