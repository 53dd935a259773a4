//! How far is it? A line that is drawn anew while the crawl runs, from what the agents show of
//! themselves.

use crate::commands::hunt;
use crate::commands::status::rate;
use crate::output::counted;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use lycosa_interface::{control, limited_by, waits};
use lycosa_model::Prey;
use lycosa_model::message::{BrokerStatus, InterfaceMessage, InterfaceReply, Pace, SiteCounts};
use lycosa_runtime::Registry;
use serde::Deserialize;
use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Drawn so often on a terminal.
const FRAME: Duration = Duration::from_millis(100);

/// Written so often where there is no terminal.
const REPORT: Duration = Duration::from_secs(10);

/// The display, on a thread of its own: a replay's clock is not the world's.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows the crawl of this registry until it is dropped, and with `live` the best pages of the crawl on
    /// that data folder; nothing when it shall be quiet.
    pub(crate) fn start(
        registry: Registry,
        pages: Option<u64>,
        live: Option<PathBuf>,
        quiet: bool,
    ) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let work = move || show(&registry, pages, live.map(Live::new), &flag);
        let thread = (!quiet).then(|| std::thread::spawn(work));
        Progress { stop, thread }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A display that failed is no reason to stop.
            drop(thread.join());
        }
    }
}

fn show(registry: &Registry, pages: Option<u64>, mut live: Option<Live>, stop: &AtomicBool) {
    let terminal = std::io::stderr().is_terminal();
    let all = MultiProgress::with_draw_target(match terminal {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    });
    let bar = all.add(match pages {
        Some(pages) => ProgressBar::new(pages),
        None => ProgressBar::no_length(),
    });
    let template = match pages {
        Some(_) => "{spinner} [{bar:30}] {pos}/{len} pages  {msg}",
        None => "{spinner} {pos} pages  {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    let mut reported = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let (position, message) = observe(registry);
        bar.set_position(position);
        bar.set_message(message.clone());
        if let Some(live) = &mut live {
            live.look(terminal.then_some(&all));
        }
        bar.tick();
        if !terminal && reported.elapsed() >= REPORT {
            reported = Instant::now();
            crate::output::note(format!("{}  {message}", counted(position, "page")));
        }
        std::thread::park_timeout(FRAME);
    }
    bar.finish_and_clear();
    if let Some(live) = live {
        live.rows.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Best pages that are shown while a hunt runs.
const SHOWN: usize = 10;

/// How often they are asked for, and how long the crawl has to answer.
const LIVE: Duration = Duration::from_millis(500);

/// The best pages of a hunt as they are found: a table on a terminal, elsewhere a line for each page that
/// comes among them.
struct Live {
    data: PathBuf,
    prey: Vec<Prey>,
    told: HashSet<String>,
    rows: Vec<ProgressBar>,
    due: Instant,
}

impl Live {
    fn new(data: PathBuf) -> Live {
        let due = Instant::now();
        Live { data, prey: Vec::new(), told: HashSet::new(), rows: Vec::new(), due }
    }

    /// Shows them: as rows below all others on a terminal.
    fn look(&mut self, terminal: Option<&MultiProgress>) {
        if Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + LIVE;
        let ask = InterfaceMessage::Results { limit: SHOWN };
        // Before it has begun and after its end nobody answers.
        if let Ok(InterfaceReply::Results(prey)) = control::ask_within(&self.data, &ask, LIVE) {
            self.prey = prey;
        }
        for (place, prey) in self.prey.iter().enumerate() {
            let row = hunt::row(prey);
            match terminal {
                None if self.told.insert(prey.url.clone()) => {
                    crate::output::note(format!("{row}  {}", prey.url));
                }
                None => {}
                Some(all) => {
                    if self.rows.len() == place {
                        let bar = all.add(ProgressBar::no_length());
                        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                            bar.set_style(style);
                        }
                        self.rows.push(bar);
                    }
                    self.rows[place].set_message(row);
                }
            }
        }
    }
}

/// How many pages there are, and the rest of the line.
fn observe(registry: &Registry) -> (u64, String) {
    let views = registry.agents();
    let seen = |community: &str, field: &str| -> u64 {
        views
            .iter()
            .filter(|view| view.community == community)
            .filter_map(|view| view.observed.get(field)?.as_u64())
            .sum()
    };
    let pages = seen("broker", "pages").max(seen("bot", "pages"));
    let broker = views.iter().find(|view| view.community == "broker");
    let glance: Glance = broker
        .and_then(|view| serde_json::from_value(view.observed.clone()).ok())
        .unwrap_or_default();
    let mut message = format!(
        "{:.0}/s  {}  {:.1} MB  {} queued  {} fetching  {} indexed",
        glance.pace.pages_per_second,
        rate(glance.pace.bytes_per_second),
        seen("bot", "bytes") as f64 / 1e6,
        seen("broker", "queued"),
        seen("bot", "fetching"),
        seen("indexer", "documents"),
    );
    let scheduled = seen("broker", "scheduled");
    if scheduled > 0 {
        let fresh = seen("broker", "fresh_percent");
        message += &format!("  {scheduled} to revisit, {fresh} % fresh");
    }
    if !glance.limited_by.is_empty() {
        let status = BrokerStatus {
            limited_by: glance.limited_by,
            pace: glance.pace,
            ..BrokerStatus::default()
        };
        let why = limited_by(&status, waits(&views).as_ref(), registry.cpu());
        let why = why.split(':').next().unwrap_or_default().to_owned();
        let sites = glance.sites;
        message += &format!(
            "  sites {} ready {} resting {} blocked  limited by {why}",
            sites.ready, sites.resting, sites.blocked
        );
    }
    if let Some(trouble) = glance.trouble {
        message += &format!("  most failures: {trouble}");
    }
    (pages, message)
}

/// What the broker shows of itself for those who only look.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Glance {
    pace: Pace,
    sites: SiteCounts,
    limited_by: String,
    trouble: Option<String>,
}
