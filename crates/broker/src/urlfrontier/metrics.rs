//! What happens at this door, in numbers? By the names that the boards of URLFrontier know.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper ends of the classes of latency, in seconds.
const CLASSES: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counters of the door since it was opened.
#[derive(Debug, Default)]
pub struct Metrics {
    pub(super) get_calls: AtomicU64,
    pub(super) got: AtomicU64,
    pub(super) put_calls: AtomicU64,
    pub(super) batch_calls: AtomicU64,
    pub(super) put: AtomicU64,
    pub(super) discovered: AtomicU64,
    pub(super) known: AtomicU64,
    pub(super) ignored: AtomicU64,
    pub(super) completed: AtomicU64,
    latency: Latency,
}

#[derive(Debug, Default)]
struct Latency {
    classes: [AtomicU64; CLASSES.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

/// Adds to a counter.
pub(super) fn add(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Relaxed);
}

impl Metrics {
    /// Counts how long an answer to `GetURLs` took.
    pub(super) fn took(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        for (class, end) in self.latency.classes.iter().zip(CLASSES) {
            if seconds <= end {
                add(class, 1);
            }
        }
        add(&self.latency.count, 1);
        add(&self.latency.micros, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// The counters as Prometheus text.
    pub fn text(&self) -> String {
        let mut page = String::new();
        let single = [
            ("frontier_getURLs_calls_total", "Calls of GetURLs.", &self.get_calls),
            ("frontier_getURLs_total", "URLs given out.", &self.got),
            ("frontier_putURLs_calls_total", "Calls of PutURLs.", &self.put_calls),
            ("frontier_putDiscovered_calls_total", "Calls of PutDiscovered.", &self.batch_calls),
            ("frontier_putURLs_total", "URLs put.", &self.put),
            ("frontier_putURLs_ignored_total", "URLs skipped.", &self.ignored),
            ("frontier_putURLs_completed_total", "URLs done for ever.", &self.completed),
        ];
        // Writing to a string cannot fail.
        for (name, help, counter) in single {
            family(&mut page, name, "counter", help);
            let _ = writeln!(page, "{name} {}", counter.load(Relaxed));
        }
        let name = "frontier_putURLs_discovered_total";
        family(&mut page, name, "counter", "URLs put, by whether they were just discovered.");
        for (label, counter) in [("true", &self.discovered), ("false", &self.known)] {
            let _ = writeln!(page, "{name}{{discovered=\"{label}\"}} {}", counter.load(Relaxed));
        }
        self.latency.write(&mut page);
        page
    }
}

impl Latency {
    fn write(&self, page: &mut String) {
        let name = "frontier_getURLs_latency_seconds";
        family(page, name, "histogram", "Time to answer GetURLs.");
        // Read first, so that no class holds more than all.
        let classes = self.classes.each_ref().map(|class| class.load(Relaxed));
        let count = self.count.load(Relaxed);
        for (end, class) in CLASSES.iter().zip(classes) {
            let _ = writeln!(page, "{name}_bucket{{le=\"{end}\"}} {class}");
        }
        let _ = writeln!(page, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(page, "{name}_sum {}", self.micros.load(Relaxed) as f64 / 1e6);
        let _ = writeln!(page, "{name}_count {count}");
    }
}

fn family(page: &mut String, name: &str, kind: &str, help: &str) {
    let _ = write!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_in_its_class_and_all_above() {
        let metrics = Metrics::default();
        metrics.took(Duration::from_millis(7));
        metrics.took(Duration::from_secs(9));
        add(&metrics.discovered, 3);
        let text = metrics.text();
        for line in [
            "frontier_getURLs_latency_seconds_bucket{le=\"0.005\"} 0",
            "frontier_getURLs_latency_seconds_bucket{le=\"0.01\"} 1",
            "frontier_getURLs_latency_seconds_bucket{le=\"5\"} 1",
            "frontier_getURLs_latency_seconds_bucket{le=\"+Inf\"} 2",
            "frontier_getURLs_latency_seconds_sum 9.007",
            "frontier_putURLs_discovered_total{discovered=\"true\"} 3",
            "frontier_putURLs_completed_total 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
