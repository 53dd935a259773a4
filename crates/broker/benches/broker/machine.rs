//! What does the machine say: time on its processors, memory, disk?

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Set in the process that runs on one core.
const MARK: &str = "LYCOSA_BENCH_PINNED";

/// What processor time is counted in: a hundred ticks a second, on every Linux there is.
const TICK: Duration = Duration::from_millis(10);

/// Threads that do nothing for so long have nothing to do.
const QUIET: Duration = Duration::from_millis(300);

/// Runs this program again on one core, if that can be done; tells whether it was.
pub(crate) fn pinned(core: Option<&str>) -> Result<bool, String> {
    if std::env::var_os(MARK).is_some() {
        return Ok(false);
    }
    let Some(core) = core.map(str::to_owned).or_else(last_core) else {
        return Ok(false);
    };
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("taskset")
        .args(["-c", &core])
        .arg(program)
        .args(std::env::args().skip(1))
        .env(MARK, "1")
        .status();
    match run {
        Ok(status) if status.success() => Ok(true),
        Ok(status) => Err(format!("the bench on core {core} ended with {status}")),
        Err(_) => {
            eprintln!("taskset is not here: the bench runs on all cores");
            Ok(false)
        }
    }
}

/// The last core that this process may use.
fn last_core() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    list.trim().rsplit([',', '-']).next().map(str::to_owned)
}

/// CPU time between two moments, of all threads, without what the calling thread does in pauses.
#[derive(Default)]
pub(crate) struct Stopwatch {
    began: Duration,
    began_here: Duration,
    paused: Duration,
    pause: Duration,
}

/// CPU time that something took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    /// Of all threads.
    pub(crate) all: Duration,
    /// Of the threads that write and merge files beside the broker.
    pub(crate) beside: Duration,
}

impl Stopwatch {
    pub(crate) fn start(&mut self) {
        let (began, began_here) = (all_threads(), this_thread());
        *self = Stopwatch { began, began_here, ..Stopwatch::default() };
    }

    pub(crate) fn pause(&mut self) {
        self.pause = this_thread();
    }

    pub(crate) fn go_on(&mut self) {
        self.paused += this_thread().saturating_sub(self.pause);
    }

    /// Waits until no other thread does anything, and stops.
    pub(crate) fn finish(&mut self) -> Spent {
        let mut spent = self.stop();
        loop {
            std::thread::sleep(QUIET);
            let now = self.stop();
            if now.beside.saturating_sub(spent.beside) < TICK {
                return now;
            }
            spent = now;
        }
    }

    pub(crate) fn stop(&mut self) -> Spent {
        let all = all_threads().saturating_sub(self.began);
        let here = this_thread().saturating_sub(self.began_here);
        Spent { all: all.saturating_sub(self.paused), beside: all.saturating_sub(here) }
    }
}

/// Nanoseconds on a processor, as the scheduler counts them.
fn schedstat(path: &Path) -> Option<Duration> {
    let text = fs::read_to_string(path).ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

fn this_thread() -> Duration {
    schedstat(Path::new("/proc/thread-self/schedstat")).unwrap_or_default()
}

/// User and system time of the process, also of threads that have ended.
fn all_threads() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 =
        fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    TICK * u32::try_from(ticks).unwrap_or(u32::MAX)
}

/// Anonymous memory of the process.
pub(crate) fn anonymous_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

/// Bytes of all files in a folder and below it.
pub(crate) fn disk_bytes(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => disk_bytes(&entry.path()),
            // Blocks, not lengths: a journal is as long as it may become.
            Ok(data) => std::os::unix::fs::MetadataExt::blocks(&data) * 512,
            Err(_) => 0,
        })
        .sum()
}
