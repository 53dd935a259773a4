//! How does it look? The paper's Figures 4, 5 and 6: time by distance, bytes, and processors.

use super::measure::Run;
use super::method::Method;
use super::site::Site;
use crate::studies::plot::{Axis, Bar, BarGroup, Drawing, Figure, Join, Panel, Series, bars};

const MB: f64 = 1e6;

/// Time by the clock at each distance.
pub(super) fn time(sites: &[Site], delays: &[u32], runs: &[Run]) -> Drawing {
    let panel = |(number, site): (usize, &Site)| {
        let series = |method: &Method| {
            let of = runs.iter().filter(|run| (run.job.site, run.job.method) == (number, *method));
            let points = of.map(|run| (f64::from(run.job.delay_ms), run.seconds()));
            Series::new(method.name(), Join::Line, points)
        };
        let ticks: Vec<f64> = delays.iter().map(|delay| f64::from(*delay)).collect();
        Panel {
            title: title(site),
            x: Axis::linear("round trip (ms)").at(&ticks),
            y: Axis::log("time of the whole crawl (s)"),
            series: Method::ALL.iter().map(series).collect(),
        }
    };
    let title = "Figure 4: time to get all pages of a site, by distance (10 Mbit/s)";
    let panels = sites.iter().enumerate().map(panel).collect();
    Figure { title: title.into(), columns: 2, panels }.draw()
}

fn title(site: &Site) -> String {
    format!("{}: {} pages of {:.1} kB", site.name, site.pages, site.mean_bytes() / 1_000.0)
}

fn groups(
    sites: &[Site],
    runs: &[Run],
    delay_ms: u32,
    parts: impl Fn(&Run) -> Vec<f64>,
) -> Vec<BarGroup> {
    let group = |(number, site): (usize, &Site)| {
        let of = runs.iter().filter(|run| (run.job.site, run.job.delay_ms) == (number, delay_ms));
        let bar = |run: &Run| Bar { name: run.job.method.name().into(), parts: parts(run) };
        BarGroup { name: title(site), bars: of.map(bar).collect() }
    };
    sites.iter().enumerate().map(group).collect()
}

/// Bytes over the line, at one distance: they hardly depend on it.
pub(super) fn bytes(sites: &[Site], runs: &[Run], delay_ms: u32) -> Drawing {
    let parts = |run: &Run| vec![run.up as f64 / MB, run.down as f64 / MB];
    bars(
        "Figure 5: bytes that it takes to get all pages of a site",
        "bytes over the line (MB)",
        &["to the site", "from the site"],
        &groups(sites, runs, delay_ms, parts),
    )
}

/// Time of the processors, at one distance.
pub(super) fn processors(sites: &[Site], runs: &[Run], delay_ms: u32) -> Drawing {
    let parts = |run: &Run| {
        let (engine, site) = (run.harvest.cpu, run.site_cpu);
        let ms = [engine.user_ms, engine.system_ms, site.user_ms, site.system_ms];
        ms.map(|ms| ms as f64 / 1_000.0).to_vec()
    };
    bars(
        "Figure 6: time of the processors that it takes to get all pages of a site",
        "time of the processors (s)",
        &["engine, user", "engine, system", "site, user", "site, system"],
        &groups(sites, runs, delay_ms, parts),
    )
}
