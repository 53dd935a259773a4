//! In which order is it measured, so that it takes minutes and nothing disturbs what is measured?
//!
//! Crawls without delay, which tell the time of the processor, run one after the other. Crawlers that only wait
//! for one answer after the other run beside everything else: the slowest of all, one connection for each page
//! at the longest delay, from the beginning. What is left runs two at a time, crawllets last.

use super::harvest::{Cpu, Harvest};
use super::method::Method;
use super::process::{Programs, Terms};
use super::relay::{Relay, Shape};
use super::site::Site;
use super::{BITS_PER_SECOND, Progress, StudyError, failed};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tokio::runtime::Handle;

/// Crawls at a time among those that do more than wait.
const LANES: usize = 2;

/// One crawl to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Its place in the list of sites.
    pub(super) site: usize,
    pub(super) delay_ms: u32,
    pub(super) method: Method,
}

/// One crawl that was done.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) job: Job,
    pub(super) harvest: Harvest,
    /// Bytes to the site and from it.
    pub(super) up: u64,
    pub(super) down: u64,
    /// Of all processes on the side of the site.
    pub(super) site_cpu: Cpu,
}

impl Run {
    pub(super) fn seconds(&self) -> f64 {
        self.harvest.wall_ms / 1_000.0
    }

    pub(super) fn bytes(&self) -> u64 {
        self.up + self.down
    }

    /// Seconds of the processor on both sides.
    pub(super) fn cpu_seconds(&self) -> f64 {
        self.harvest.cpu.and(self.site_cpu).seconds()
    }
}

/// What all crawls share.
pub(super) struct Field<'a> {
    pub(super) programs: &'a Programs,
    pub(super) sites: &'a [Site],
    pub(super) folder: &'a Path,
    pub(super) runtime: Handle,
    pub(super) seed: u64,
}

impl Field<'_> {
    /// Does one crawl, with servers and a line of its own.
    fn run(&self, job: Job, number: usize) -> Result<Run, StudyError> {
        let site = &self.sites[job.site];
        let authority = site.authority();
        let server = self.programs.serve(&site.docroot)?;
        let mut behind = vec![server.address];
        let host = match job.method {
            Method::Crawllet { files, .. } => {
                let terms = Terms {
                    authority: &authority,
                    upstream: server.address,
                    docroot: files.then_some(site.docroot.as_path()),
                    seed: self.seed,
                };
                let host =
                    self.programs.host(&self.folder.join(format!("host-{number}")), &terms)?;
                behind.push(host.address);
                Some(host)
            }
            _ => None,
        };
        let round_trip = Duration::from_millis(job.delay_ms.into());
        let shape = Shape { round_trip, bits_per_second: BITS_PER_SECOND };
        let relay =
            self.runtime.block_on(Relay::open(shape, &behind)).map_err(failed("the line"))?;
        let before = (server.cpu(), host.as_ref().map(|host| host.cpu()));
        let harvest = self.programs.crawl(job.method, &authority, relay.addresses(), self.seed)?;
        // A host that distrusts the folder asks the web server instead, and rightly so; here it must not.
        let files = harvest.files >= harvest.pages.len() as u64;
        if files != matches!(job.method, Method::Crawllet { files: true, .. }) {
            let (read, pages) = (harvest.files, harvest.pages.len());
            let what = format!("{authority}: {read} of {pages} pages came from files");
            return Err(StudyError::Crawllets(format!("{what}, {}", job.method.name())));
        }
        let (up, down) = relay.bytes();
        let mut site_cpu = server.cpu().since(before.0);
        if let (Some(host), Some(before)) = (&host, before.1) {
            site_cpu = site_cpu.and(host.cpu_of_all().since(before));
        }
        Ok(Run { job, harvest, up, down, site_cpu })
    }

    fn tell(&self, job: Job, number: usize, to: &Sender<Result<Run, StudyError>>) {
        if !self.programs.is_stopped() {
            // Nobody listens any more when another crawl failed.
            let _ = to.send(self.run(job, number));
        }
    }
}

/// Does all crawls; the runs are in the order of the jobs.
pub(super) fn all(
    field: &Field<'_>,
    jobs: &[Job],
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Run>, StudyError> {
    let shortest = jobs.iter().map(|job| job.delay_ms).min().unwrap_or_default();
    let longest = jobs.iter().map(|job| job.delay_ms).max().unwrap_or_default();
    let numbered: Vec<(usize, Job)> = jobs.iter().copied().enumerate().collect();
    let is_early =
        |job: &Job| job.method == Method::PerPage && job.delay_ms == longest && longest > shortest;
    let of = |wanted: &dyn Fn(&Job) -> bool| -> Vec<(usize, Job)> {
        numbered.iter().filter(|(_, job)| wanted(job)).copied().collect()
    };
    let early = of(&is_early);
    let alone = of(&|job| job.delay_ms == shortest);
    let waiting = of(&|job| job.delay_ms > shortest && job.method.waits() && !is_early(job));
    let mut others = of(&|job| job.delay_ms > shortest && !job.method.waits());
    let place = |method: Method| Method::ALL.iter().position(|other| *other == method);
    others.sort_by_key(|(number, job)| (place(job.method), *number));

    let (tell, told) = channel();
    let mut runs: Vec<Run> = Vec::new();
    let mut fault = None;
    std::thread::scope(|scope| {
        for (number, job) in early {
            let tell = tell.clone();
            scope.spawn(move || field.tell(job, number, &tell));
        }
        scope.spawn(move || {
            alone.into_iter().for_each(|(number, job)| field.tell(job, number, &tell));
            let next = AtomicUsize::new(0);
            let lane = |tell: &Sender<_>| {
                while let Some((number, job)) = others.get(next.fetch_add(1, Ordering::Relaxed)) {
                    field.tell(*job, *number, tell);
                }
            };
            std::thread::scope(|scope| {
                for (number, job) in waiting {
                    let tell = tell.clone();
                    scope.spawn(move || field.tell(job, number, &tell));
                }
                for _ in 0..LANES {
                    let (tell, lane) = (tell.clone(), &lane);
                    scope.spawn(move || lane(&tell));
                }
            });
        });
        for run in told {
            match run {
                Ok(run) => {
                    let (job, site) = (run.job, &field.sites[run.job.site].name);
                    let what = format!("{site}, {} ms, {}", job.delay_ms, job.method.name());
                    runs.push(run);
                    progress(Progress { what: &what, done: runs.len(), of: jobs.len() });
                }
                Err(error) => {
                    // What fails after the first is only stopped.
                    fault.get_or_insert(error);
                    field.programs.stop();
                }
            }
        }
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    runs.sort_by_key(|run| jobs.iter().position(|job| *job == run.job));
    Ok(runs)
}

/// Whether all crawls of each site brought the same pages with the same content.
pub(super) fn same_pages(sites: &[Site], runs: &[Run]) -> Result<(), StudyError> {
    for (number, site) in sites.iter().enumerate() {
        let mut of_site = runs.iter().filter(|run| run.job.site == number);
        let Some(first) = of_site.next() else { continue };
        for run in of_site {
            if let Some(how) = first.harvest.differs(&run.harvest) {
                return Err(StudyError::Differs(format!(
                    "{}: {} at {} ms and {} at {} ms differ in {how}",
                    site.name,
                    first.job.method.name(),
                    first.job.delay_ms,
                    run.job.method.name(),
                    run.job.delay_ms
                )));
            }
        }
    }
    Ok(())
}
