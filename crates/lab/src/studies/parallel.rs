//! How does a study use the machine? Jobs on two threads, results in the order of the jobs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Threads that work at the same time.
const THREADS: usize = 2;

/// Does all jobs; `progress` is told how many are done, and of how many. Results depend on nothing but the
/// jobs.
pub(crate) fn in_parallel<Job: Sync, Done: Send>(
    jobs: &[Job],
    work: impl Fn(&Job) -> Done + Sync,
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, Done)> = std::thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        for _ in 0..THREADS {
            let (tell, next, work) = (tell.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    if tell.send((number, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        let count = |(count, done)| {
            progress(count + 1, jobs.len());
            done
        };
        told.iter().enumerate().map(count).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, done)| done).collect()
}
