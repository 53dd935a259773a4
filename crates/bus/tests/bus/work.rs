//! Is work kept, handed out and parked the same on all back ends?

use crate::support::{Place, ms, on_all, s};
use lycosa_bus::{Counts, Error, Pushed, Work, WorkSettings};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

fn quick() -> WorkSettings {
    WorkSettings { ack_wait: ms(700), max_deliver: 3, patience: s(10), ..WorkSettings::default() }
}

/// Waits until a queue has this many; servers take what was acknowledged out a moment later.
async fn counts_become(work: &Work, wanted: Counts) {
    let end = Instant::now() + s(10);
    loop {
        let counts = work.counts().await.unwrap();
        if counts == wanted {
            return;
        }
        assert!(Instant::now() < end, "{counts:?}, not {wanted:?}");
        tokio::time::sleep(ms(20)).await;
    }
}

#[tokio::test]
async fn what_is_pushed_twice_is_there_once_and_leaves_when_it_is_done() {
    on_all(|place: Place| async move {
        let (maker, doer) = (place.join().await, place.join().await);
        let push = maker.work("index", quick()).await.unwrap();
        let pull = doer.work("index", quick()).await.unwrap();
        assert!(pull.pull(5, ms(0)).await.unwrap().is_empty());
        assert_eq!(push.push("a", "1").await.unwrap(), Pushed::Stored);
        assert_eq!(push.push("a", "1").await.unwrap(), Pushed::Known);
        assert_eq!(push.push("b", "2").await.unwrap(), Pushed::Stored);
        counts_become(&push, Counts { waiting: 2, parked: 0 }).await;
        let jobs = pull.pull(5, s(5)).await.unwrap();
        let names: Vec<&str> = jobs.iter().map(|job| job.id()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!((jobs[0].bytes().as_ref(), jobs[0].attempt()), (&b"1"[..], 1));
        // Held, so nobody else gets it.
        assert!(push.pull(5, ms(50)).await.unwrap().is_empty());
        for job in jobs {
            job.ack().await.unwrap();
        }
        counts_become(&push, Counts::default()).await;
        // Its name is known for a while after it is done.
        assert_eq!(push.push("a", "1").await.unwrap(), Pushed::Known);
        assert!(pull.pull(5, ms(900)).await.unwrap().is_empty());
        for bad in ["", "a b", "ä"] {
            assert!(matches!(push.push(bad, "").await, Err(Error::Subject(_))), "{bad}");
        }
    })
    .await;
}

#[tokio::test]
async fn who_waits_for_work_gets_it_when_it_comes() {
    on_all(|place: Place| async move {
        let (maker, doer) = (place.join().await, place.join().await);
        let pull = doer.work("w", quick()).await.unwrap();
        let waiting = tokio::spawn(async move {
            let begin = Instant::now();
            let mut jobs = pull.pull(10, s(20)).await.unwrap();
            let job = jobs.pop().unwrap();
            let id = job.id().to_owned();
            job.ack().await.unwrap();
            (id, begin.elapsed())
        });
        tokio::time::sleep(ms(2500)).await;
        let push = maker.work("w", quick()).await.unwrap();
        push.push("late", "").await.unwrap();
        let (id, took) = waiting.await.unwrap();
        assert_eq!(id, "late");
        assert!(took > ms(2000) && took < s(10), "{took:?}");
    })
    .await;
}

#[tokio::test]
async fn what_is_not_done_by_its_deadline_comes_again_unless_it_is_kept() {
    on_all(|place: Place| async move {
        let (maker, other) = (place.join().await, place.join().await);
        let push = maker.work("w", quick()).await.unwrap();
        let again = other.work("w", quick()).await.unwrap();
        push.push("kept", "").await.unwrap();
        let mut kept = push.pull(1, s(5)).await.unwrap().pop().unwrap();
        push.push("dropped", "").await.unwrap();
        // A worker that vanishes with what it held.
        let lost = place.join().await;
        let held = lost.work("w", quick()).await.unwrap().pull(1, s(5)).await.unwrap();
        assert_eq!(held[0].id(), "dropped");
        drop((held, lost));
        let mut came = None;
        for _ in 0..20 {
            kept.keep().await.unwrap();
            if let Some(job) = again.pull(5, ms(100)).await.unwrap().pop() {
                came = Some(job);
                break;
            }
        }
        let job = came.unwrap();
        assert_eq!((job.id(), job.attempt()), ("dropped", 2));
        job.ack().await.unwrap();
        assert!(kept.deadline() > Instant::now());
        kept.ack().await.unwrap();
        counts_become(&push, Counts::default()).await;
    })
    .await;
}

#[tokio::test]
async fn what_fails_too_often_is_parked_with_its_reason_and_can_be_tried_again() {
    on_all(|place: Place| async move {
        let bus = place.join().await;
        let work = bus.work("w", quick()).await.unwrap();
        work.push("poison", "body").await.unwrap();
        work.push("good", "").await.unwrap();
        for attempt in 1..=3 {
            let wait = s(5);
            let jobs = work.pull(5, wait).await.unwrap();
            for job in jobs {
                if job.id() == "good" {
                    job.ack().await.unwrap();
                    continue;
                }
                assert_eq!(job.attempt(), attempt);
                let begin = Instant::now();
                job.nak(&format!("parser died {attempt}"), ms(300)).await.unwrap();
                if attempt < 3 {
                    assert!(work.pull(5, ms(50)).await.unwrap().is_empty());
                }
                assert!(begin.elapsed() < s(3));
            }
        }
        let parked = work.parked(10).await.unwrap();
        assert_eq!(parked.len(), 1);
        let one = &parked[0];
        assert_eq!((one.id(), one.attempts(), one.reason()), ("poison", 3, "parser died 3"));
        assert_eq!(one.bytes().as_ref(), b"body");
        counts_become(&work, Counts { waiting: 0, parked: 1 }).await;
        assert!(work.pull(5, ms(900)).await.unwrap().is_empty());
        // Looking takes nothing away.
        let one = work.parked(10).await.unwrap().pop().unwrap();
        one.again().await.unwrap();
        assert!(work.parked(10).await.unwrap().is_empty());
        let job = work.pull(1, s(5)).await.unwrap().pop().unwrap();
        assert_eq!((job.id(), job.attempt()), ("poison", 1));
        job.ack().await.unwrap();
        counts_become(&work, Counts::default()).await;
    })
    .await;
}

#[tokio::test]
async fn what_kills_every_worker_is_parked_too_and_can_be_forgotten() {
    on_all(|place: Place| async move {
        let settings = WorkSettings { ack_wait: ms(300), max_deliver: 2, ..quick() };
        let work = place.join().await.work("w", settings).await.unwrap();
        work.push("killer", "").await.unwrap();
        for attempt in 1..=2 {
            let job = work.pull(1, s(5)).await.unwrap().pop().unwrap();
            assert_eq!(job.attempt(), attempt);
        }
        assert!(work.pull(1, s(1)).await.unwrap().is_empty());
        let one = work.parked(10).await.unwrap().pop().unwrap();
        assert_eq!((one.id(), one.attempts()), ("killer", 2));
        assert!(one.reason().contains("2 times"), "{}", one.reason());
        one.forget().await.unwrap();
        counts_become(&work, Counts::default()).await;
    })
    .await;
}

#[tokio::test]
async fn many_workers_share_the_work_and_none_of_it_is_done_twice() {
    on_all(|place: Place| async move {
        let maker = place.join().await;
        let settings = WorkSettings { ack_wait: s(30), ..quick() };
        let work = maker.work("w", settings.clone()).await.unwrap();
        let done: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
        let mut workers = Vec::new();
        for _ in 0..4 {
            let work = place.join().await.work("w", settings.clone()).await.unwrap();
            let done = Arc::clone(&done);
            workers.push(tokio::spawn(async move {
                let mut count = 0;
                loop {
                    let jobs = work.pull(16, ms(1500)).await.unwrap();
                    if jobs.is_empty() {
                        return count;
                    }
                    // Work takes time, in which others take their share.
                    tokio::time::sleep(ms(5)).await;
                    for job in jobs {
                        *done.lock().unwrap().entry(job.id().to_owned()).or_default() += 1;
                        job.ack().await.unwrap();
                        count += 1;
                    }
                }
            }));
        }
        for number in 0..400 {
            work.push(&format!("{number}"), "").await.unwrap();
        }
        let mut counts = Vec::new();
        for worker in workers {
            counts.push(worker.await.unwrap());
        }
        assert_eq!(counts.iter().sum::<usize>(), 400, "{counts:?}");
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        assert!(done.lock().unwrap().values().all(|times| *times == 1));
        counts_become(&work, Counts::default()).await;
    })
    .await;
}

#[tokio::test]
async fn a_full_queue_is_told_and_takes_more_when_there_is_room() {
    on_all(|place: Place| async move {
        let settings = WorkSettings { max_messages: 3, ..quick() };
        let work = place.join().await.work("w", settings).await.unwrap();
        for id in ["1", "2", "3"] {
            work.push(id, "").await.unwrap();
        }
        let full = work.push("4", "").await.unwrap_err();
        assert!(full == Error::Full("w".to_owned()) && full.passes(), "{full:?}");
        work.pull(1, s(5)).await.unwrap().pop().unwrap().ack().await.unwrap();
        counts_become(&work, Counts { waiting: 2, parked: 0 }).await;
        assert_eq!(work.push("4", "").await.unwrap(), Pushed::Stored);
    })
    .await;
}

#[tokio::test]
async fn a_name_is_forgotten_after_a_while() {
    on_all(|place: Place| async move {
        let settings = WorkSettings { dedup: ms(500), ..quick() };
        let work = place.join().await.work("w", settings).await.unwrap();
        assert_eq!(work.push("a", "").await.unwrap(), Pushed::Stored);
        assert_eq!(work.push("a", "").await.unwrap(), Pushed::Known);
        let end = Instant::now() + s(10);
        while work.push("a", "").await.unwrap() == Pushed::Known {
            assert!(Instant::now() < end);
            tokio::time::sleep(ms(100)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn whoever_opens_a_queue_again_can_change_its_settings() {
    on_all(|place: Place| async move {
        let bus = place.join().await;
        let slow = WorkSettings { ack_wait: s(60), ..quick() };
        let before = bus.work("w", slow).await.unwrap();
        before.push("1", "").await.unwrap();
        let after = place.join().await.work("w", quick()).await.unwrap();
        assert_eq!(after.pull(1, s(5)).await.unwrap()[0].attempt(), 1);
        let again = after.pull(1, s(10)).await.unwrap();
        assert_eq!(again[0].attempt(), 2);
    })
    .await;
}
