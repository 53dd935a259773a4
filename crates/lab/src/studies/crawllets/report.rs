//! How is it told? Claims first, then what was measured, and how.

use super::claims::{Claim, Runs, claims, lead, leads};
use super::measure::Run;
use super::method::{MANY, Method, SEVERAL};
use super::plots;
use super::site::Site;
use super::{BITS_PER_SECOND, STUDY};
use crate::studies::Outcome;
use crate::studies::table::Table;
use std::fmt::Write as _;
use std::time::Duration;

/// A lead below this is none: the conventional crawler has caught up.
const CAUGHT_UP: f64 = 1.5;

pub(super) fn outcome(sites: &[Site], delays: &[u32], runs: &[Run], took: Duration) -> Outcome {
    let all = Runs { sites, runs };
    let shortest = delays.first().copied().unwrap_or_default();
    let longest = delays.last().copied().unwrap_or_default();
    let claims = claims(&all, shortest, longest);
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    figures(&mut outcome, &all, &claims, shortest);
    if !sites.iter().any(|site| site.is_real) {
        let what = "no real site: install a Debian package with HTML documentation, as postgresql-doc-15, or name a \
                    folder with --site";
        outcome.warnings.push(what.into());
    }
    if cfg!(debug_assertions) {
        let what =
            "this program was built without optimization: processors look slower than they are";
        outcome.warnings.push(what.into());
    }
    let verdicts = verdicts(&claims);
    let modern = modern(&all, delays, longest);
    let times = times(&all, delays);
    let costs = costs(&all, shortest, longest);
    outcome.text = format!(
        "{verdicts}\n{modern}\nSeconds of a whole crawl:\n{}\nBytes (at {longest} ms) and processors (at {shortest} \
         ms):\n{}",
        times.plain(),
        costs.plain()
    );
    let report = Report { all: &all, delays, verdicts: &verdicts, modern: &modern, took };
    outcome.file(format!("{STUDY}.md"), report.markdown(&times, &costs, &outcome.warnings));
    outcome.file(format!("{STUDY}.csv"), every(&all).csv());
    outcome.plot(&format!("{STUDY}-time"), &plots::time(sites, delays, runs));
    outcome.plot(&format!("{STUDY}-bytes"), &plots::bytes(sites, runs, longest));
    outcome.plot(&format!("{STUDY}-processors"), &plots::processors(sites, runs, shortest));
    outcome
}

fn figures(outcome: &mut Outcome, all: &Runs<'_>, claims: &[Claim], shortest: u32) {
    outcome.figure("sites", all.sites.len());
    for (number, site) in all.sites.iter().enumerate() {
        let name = &site.name;
        outcome.figure(format!("{name}.files"), site.pages);
        outcome.figure(format!("{name}.mean_bytes"), site.mean_bytes().round());
        outcome.figure(format!("{name}.gzip_share"), site.gzip_bytes as f64 / site.bytes as f64);
        outcome.figure(format!("{name}.text_share"), site.text_bytes as f64 / site.bytes as f64);
        if let Some(first) = all.runs.iter().find(|run| run.job.site == number) {
            outcome.figure(format!("{name}.pages"), first.harvest.pages.len());
            outcome.figure(format!("{name}.outgoing_links"), first.harvest.out_links);
        }
    }
    for run in all.runs {
        let (site, delay) = (&all.sites[run.job.site].name, run.job.delay_ms);
        let name = format!("{site}.{delay}ms.{}", run.job.method.key());
        outcome.figure(format!("{name}.seconds"), run.seconds());
        outcome.figure(format!("{name}.bytes_up"), run.up);
        outcome.figure(format!("{name}.bytes_down"), run.down);
        if delay == shortest {
            outcome.figure(format!("{name}.cpu_seconds"), run.cpu_seconds());
        }
    }
    for claim in claims {
        outcome.figure(format!("claims.{}", claim.key), claim.holds);
        outcome.figure(format!("claims.{}.worst", claim.key), claim.worst.ratio);
        outcome.figure(format!("claims.{}.best", claim.key), claim.best.ratio);
    }
    // The study ends with an error where it is not so.
    outcome.figure("claims.same_pages", true);
}

fn verdicts(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims {
        let verdict = if claim.holds { "holds" } else { "does not hold" };
        let (worst, best, unit) = (&claim.worst, &claim.best, claim.unit);
        let _ = writeln!(
            text,
            "- {}: {verdict}; at worst {:.2} {unit} ({}), at best {:.2} ({}).",
            claim.text, worst.ratio, worst.place, best.ratio, best.place
        );
    }
    text += "- all crawls of a site bring the same pages with the same SHA-256: holds.\n";
    text
}

/// Where the modern conventional crawler catches up, in words.
fn modern(all: &Runs<'_>, delays: &[u32], longest: u32) -> String {
    let mut text = String::new();
    for (method, count) in [(Method::Http2, SEVERAL), (Method::Http2Many, MANY)] {
        let _ = write!(
            text,
            "Beside HTTP/2 and gzip with {count} requests at a time, the fastest crawllet is "
        );
        let leads: Vec<String> = delays
            .iter()
            .filter_map(|delay| {
                let (least, most) = lead(all, *delay, method)?;
                let caught = match (least < CAUGHT_UP, most < CAUGHT_UP) {
                    (_, true) => " (caught up on every site)".to_owned(),
                    (true, false) => format!(" (caught up on {})", caught_up(all, *delay, method)),
                    _ => String::new(),
                };
                Some(format!("{least:.1} to {most:.1} times as fast at {delay} ms{caught}"))
            })
            .collect();
        let _ = writeln!(text, "{}.", leads.join(", "));
    }
    let saved = all.cases(longest, Method::is_packed_crawllet, |run| {
        let gzip = all.of(run.job.site, longest, Method::Http2)?;
        Some(gzip.bytes() as f64 / run.bytes() as f64)
    });
    if let (Some(least), Some(most)) = (saved.first(), saved.last()) {
        let _ = writeln!(
            text,
            "Per-page gzip needs {:.2} to {:.2} times the bytes of a compressed crawllet.",
            least.ratio, most.ratio
        );
    }
    text
}

/// The names of the sites on which no crawllet is much faster than this conventional crawler.
fn caught_up(all: &Runs<'_>, delay: u32, method: Method) -> String {
    let leads = leads(all, delay, method).into_iter().filter(|(_, lead)| *lead < CAUGHT_UP);
    leads.map(|(site, _)| all.sites[site].name.as_str()).collect::<Vec<_>>().join(" and ")
}

fn times(all: &Runs<'_>, delays: &[u32]) -> Table {
    let mut head = vec!["method".to_owned()];
    for site in all.sites {
        head.extend(delays.iter().map(|delay| format!("{} {delay} ms", site.name)));
    }
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for method in Method::ALL {
        let mut row = vec![method.name().to_owned()];
        for site in 0..all.sites.len() {
            let cell = |delay: &u32| match all.of(site, *delay, method) {
                Some(run) => format!("{:.2}", run.seconds()),
                None => String::new(),
            };
            row.extend(delays.iter().map(cell));
        }
        table.row(row);
    }
    table
}

fn costs(all: &Runs<'_>, shortest: u32, longest: u32) -> Table {
    let mut head = vec!["method".to_owned()];
    for site in all.sites {
        head.extend([format!("{} MB", site.name), format!("{} CPU s", site.name)]);
    }
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for method in Method::ALL {
        let mut row = vec![method.name().to_owned()];
        for site in 0..all.sites.len() {
            let bytes = all.of(site, longest, method).map(|run| run.bytes() as f64 / 1e6);
            let cpu = all.of(site, shortest, method).map(Run::cpu_seconds);
            let cell =
                |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
            row.extend([cell(bytes), cell(cpu)]);
        }
        table.row(row);
    }
    table
}

/// Every crawl in a line.
fn every(all: &Runs<'_>) -> Table {
    let mut table = Table::new(&[
        "site",
        "delay_ms",
        "method",
        "seconds",
        "bytes_up",
        "bytes_down",
        "requests",
        "pages",
        "outgoing_links",
        "engine_user_ms",
        "engine_system_ms",
        "site_user_ms",
        "site_system_ms",
    ]);
    for run in all.runs {
        let (harvest, site) = (&run.harvest, &all.sites[run.job.site].name);
        let mut row = vec![site.clone(), run.job.delay_ms.to_string(), run.job.method.key().into()];
        row.push(format!("{:.3}", run.seconds()));
        let counts = [
            run.up,
            run.down,
            harvest.requests,
            harvest.pages.len() as u64,
            harvest.out_links as u64,
            harvest.cpu.user_ms,
            harvest.cpu.system_ms,
            run.site_cpu.user_ms,
            run.site_cpu.system_ms,
        ];
        row.extend(counts.map(|count| count.to_string()));
        table.row(row);
    }
    table
}

struct Report<'a> {
    all: &'a Runs<'a>,
    delays: &'a [u32],
    verdicts: &'a str,
    modern: &'a str,
    took: Duration,
}

impl Report<'_> {
    fn markdown(&self, times: &Table, costs: &Table, warnings: &[String]) -> String {
        let mut text = String::from("# Is it worth sending the crawler to the site?\n\n");
        let delays: Vec<String> = self.delays.iter().map(u32::to_string).collect();
        let _ = writeln!(
            text,
            "Figures 4 to 6 of the paper on crawllets, anew: {} sites, round trips of {} ms, {} Mbit/s each way. \
             The study took {:.0} s.\n",
            self.all.sites.len(),
            delays.join(", "),
            BITS_PER_SECOND / 1e6,
            self.took.as_secs_f64()
        );
        let _ = writeln!(text, "## Claims\n\n{}", self.verdicts);
        for warning in warnings {
            let _ = writeln!(text, "Note: {warning}.\n");
        }
        let _ =
            writeln!(text, "## Does the modern conventional crawler catch up?\n\n{}", self.modern);
        let _ = writeln!(text, "## Time of a whole crawl, in seconds\n\n{}", times.markdown());
        let _ = writeln!(
            text,
            "## Bytes over the line at {} ms, and time of the processors on both sides at {} ms\n\n{}",
            self.delays.last().copied().unwrap_or_default(),
            self.delays.first().copied().unwrap_or_default(),
            costs.markdown()
        );
        let _ = writeln!(text, "## The sites\n\n{}", self.sites().markdown());
        text += HOW;
        text
    }

    fn sites(&self) -> Table {
        let mut table = Table::new(&[
            "site",
            "",
            "pages found",
            "mean bytes",
            "outgoing links",
            "visible text",
            "gzip, each page",
        ]);
        for (number, site) in self.all.sites.iter().enumerate() {
            let harvest = self.all.runs.iter().find(|run| run.job.site == number);
            let of = |of: &dyn Fn(&Run) -> usize| harvest.map_or(0, of).to_string();
            let percent =
                |part: u64| format!("{:.0} %", 100.0 * part as f64 / site.bytes.max(1) as f64);
            table.row(vec![
                site.name.clone(),
                if site.is_real { "real" } else { "generated" }.into(),
                of(&|run| run.harvest.pages.len()),
                format!("{:.0}", site.mean_bytes()),
                of(&|run| run.harvest.out_links),
                percent(site.text_bytes),
                percent(site.gzip_bytes),
            ]);
        }
        table
    }
}

/// What a reader must know to judge the figures.
const HOW: &str = "## How it was measured\n\n\
- Generated sites have the pages, sizes and outgoing links of the paper's Table 1. Their text is drawn word by word by \
Zipf's law from 12,000 invented words, each page with words of its own; around it stand the same menu, head and foot on \
every page, lists and tables. The table above tells how well a page packs; hold it against the real site.\n\
- The line is a relay in user space: half of the round trip each way, one round trip before a new connection carries \
anything, one speed for all connections together. No loss, no slow start, no TLS, no heads of packets: each of these would \
cost many short connections more.\n\
- Conventional crawlers ask for robots.txt and then for every page that a link leads to; links are found by our own reader of \
pages. Compressed pages are gzip (level 6), one by one.\n\
- Crawllets are the `pages` guest in `crawllet-host`, before the same web server; the engine checks every record, and \
trusts the links in it instead of reading pages again. Audits are left out: they are a fixed number of ordinary fetches.\n\
- Web server, host and crawler are processes of their own, new for each crawl. Time of the processors is the kernel's, in \
steps of 10 ms, from crawls at the shortest delay, which run one at a time; the only ones beside them are those that wait for one \
page after the other at the longest. Other crawls run up to two at a time, beside those that only wait.\n";
