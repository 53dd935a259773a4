//! Which claims hold? Each is a ratio with a bound, and its worst case decides.

use super::measure::Run;
use super::method::Method;
use super::site::Site;

/// A claim, with the worst and the best case of its ratio.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) key: &'static str,
    pub(super) text: String,
    pub(super) holds: bool,
    /// What the ratio counts.
    pub(super) unit: &'static str,
    pub(super) worst: Case,
    pub(super) best: Case,
}

/// One case of a claim.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) ratio: f64,
    pub(super) place: String,
}

/// All runs, by site, delay and method.
pub(super) struct Runs<'a> {
    pub(super) sites: &'a [Site],
    pub(super) runs: &'a [Run],
}

impl Runs<'_> {
    pub(super) fn of(&self, site: usize, delay_ms: u32, method: Method) -> Option<&Run> {
        let is = |run: &&Run| {
            (run.job.site, run.job.delay_ms, run.job.method) == (site, delay_ms, method)
        };
        self.runs.iter().find(is)
    }

    /// `ratio` of all crawllets that are wanted, on all sites, lowest first.
    pub(super) fn cases(
        &self,
        delay_ms: u32,
        wanted: impl Fn(Method) -> bool,
        ratio: impl Fn(&Run) -> Option<f64>,
    ) -> Vec<Case> {
        let crawllets = self.runs.iter().filter(|run| {
            run.job.delay_ms == delay_ms && run.job.method.is_crawllet() && wanted(run.job.method)
        });
        let mut cases: Vec<Case> = crawllets
            .filter_map(|run| {
                let site = &self.sites[run.job.site].name;
                let place = format!("{site}, {}", run.job.method.name());
                Some(Case { ratio: ratio(run)?, place })
            })
            .collect();
        cases.sort_by(|one, two| one.ratio.total_cmp(&two.ratio));
        cases
    }

    /// What one method takes for what the crawllet of this run takes.
    fn against(&self, run: &Run, method: Method, of: impl Fn(&Run) -> f64) -> Option<f64> {
        let other = self.of(run.job.site, run.job.delay_ms, method)?;
        Some(of(other) / of(run).max(f64::MIN_POSITIVE))
    }
}

/// The claims, at the longest delay; that about processors at the shortest.
pub(super) fn claims(runs: &Runs<'_>, shortest: u32, longest: u32) -> Vec<Claim> {
    let packed = Method::is_packed_crawllet;
    let bytes = |run: &Run| run.bytes() as f64;
    let mut claims = Vec::new();
    let mut claim =
        |key, text: String, unit, cases: Vec<Case>, holds: &dyn Fn(f64) -> bool, low: bool| {
            let (Some(first), Some(last)) = (cases.first(), cases.last()) else { return };
            let (worst, best) = if low { (first, last) } else { (last, first) };
            let holds = holds(worst.ratio);
            claims.push(Claim { key, text, holds, unit, worst: worst.clone(), best: best.clone() });
        };
    claim(
        "faster_than_per_page",
        format!(
            "every crawllet is at least 10 times faster than one connection per page at {longest} ms"
        ),
        "times faster",
        runs.cases(longest, |_| true, |run| runs.against(run, Method::PerPage, Run::seconds)),
        &|ratio| ratio >= 10.0,
        true,
    );
    claim(
        "packed_faster_than_keep_alive",
        format!(
            "compressed ones are at least 3 times faster than keep-alive with 6 connections at {longest} ms"
        ),
        "times faster",
        runs.cases(longest, packed, |run| {
            runs.against(run, Method::KeepAliveSeveral, Run::seconds)
        }),
        &|ratio| ratio >= 3.0,
        true,
    );
    claim(
        "packed_fewer_bytes",
        "compressed ones need at least 80 % fewer bytes than a conventional crawl without gzip"
            .into(),
        "% fewer",
        runs.cases(longest, packed, |run| {
            // The one that needs least.
            let of = |method| runs.against(run, method, bytes);
            let least = of(Method::PerPage)?.min(of(Method::KeepAlive)?);
            Some(100.0 - 100.0 / least)
        }),
        &|percent| percent >= 80.0,
        true,
    );
    claim(
        "packed_fewer_bytes_than_gzip",
        "and fewer bytes than HTTP/2 with gzip on each page".into(),
        "% fewer",
        runs.cases(longest, packed, |run| {
            Some(100.0 - 100.0 / runs.against(run, Method::Http2, bytes)?)
        }),
        &|percent| percent > 0.0,
        true,
    );
    claim(
        "processors",
        format!(
            "both sides together need no more of the processors than one connection per page ({shortest} ms)"
        ),
        "of its time",
        runs.cases(
            shortest,
            |_| true,
            |run| {
                // A crawl that is too short to be counted says nothing.
                let share = 1.0 / runs.against(run, Method::PerPage, Run::cpu_seconds)?;
                share.is_finite().then_some(share)
            },
        ),
        &|share| share <= 1.0,
        false,
    );
    claims
}

/// How many times faster the fastest crawllet of each site is than a method: the least and the most.
pub(super) fn lead(runs: &Runs<'_>, delay_ms: u32, method: Method) -> Option<(f64, f64)> {
    let ratios: Vec<f64> = leads(runs, delay_ms, method).iter().map(|(_, lead)| *lead).collect();
    ratios.iter().copied().reduce(f64::min).zip(ratios.iter().copied().reduce(f64::max))
}

/// The same for each site, by number.
pub(super) fn leads(runs: &Runs<'_>, delay_ms: u32, method: Method) -> Vec<(usize, f64)> {
    let of_site = |site: usize| {
        let crawllets = Method::ALL.into_iter().filter(|method| method.is_crawllet());
        let times =
            crawllets.filter_map(|crawllet| Some(runs.of(site, delay_ms, crawllet)?.seconds()));
        let best = times.reduce(f64::min)?;
        let theirs = runs.of(site, delay_ms, method)?.seconds();
        Some((site, theirs / best.max(f64::MIN_POSITIVE)))
    };
    (0..runs.sites.len()).filter_map(of_site).collect()
}
