//! Is anything lost or doubled when members of a cluster die?

use crate::support::{ms, s, skipped};
use lycosa_bus::{Bus, Error, Pushed, Work, WorkSettings};
use lycosa_servers::nats::{Cluster, servers};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// The stream behind the queue `w` of the crawl `chaos`.
const STREAM: &str = "lycosa+chaos+w";

/// Longest time without any push that arrives, when the leader dies: an election takes about six seconds.
const LONGEST_GAP: Duration = s(15);

fn patient() -> WorkSettings {
    WorkSettings { ack_wait: s(3), patience: s(40), max_deliver: 20, ..WorkSettings::default() }
}

/// What publishers know of what they pushed.
#[derive(Default)]
struct Log {
    acked: BTreeSet<String>,
    moments: Vec<Instant>,
}

impl Log {
    fn longest_gap(&self) -> Duration {
        let gaps = self.moments.windows(2).map(|two| two[1].duration_since(two[0]));
        gaps.max().unwrap_or_default()
    }
}

/// Pushes until told to stop; what was not acknowledged is a failure.
async fn publish(work: Work, name: usize, log: Arc<Mutex<Log>>, stop: Arc<Mutex<bool>>) {
    for number in 0.. {
        if *stop.lock().unwrap() {
            return;
        }
        let id = format!("{name}-{number}");
        work.push(&id, id.clone()).await.unwrap();
        let mut log = log.lock().unwrap();
        log.acked.insert(id);
        log.moments.push(Instant::now());
    }
}

async fn acked_reach(log: &Mutex<Log>, wanted: usize) {
    let end = Instant::now() + s(60);
    while log.lock().unwrap().acked.len() < wanted {
        assert!(Instant::now() < end, "{} acknowledged", log.lock().unwrap().acked.len());
        tokio::time::sleep(ms(10)).await;
    }
}

/// What the leader says, when there is one.
async fn stream(cluster: &Cluster) -> lycosa_servers::nats::StreamState {
    let end = Instant::now() + s(30);
    loop {
        if let Some(state) = cluster.stream(STREAM) {
            return state;
        }
        assert!(Instant::now() < end, "no leader");
        tokio::time::sleep(ms(50)).await;
    }
}

async fn nothing_is_lost_or_doubled(program: &Path) {
    let mut cluster = Cluster::start_with(program, 3).unwrap();
    let address = cluster.address();
    let log: Arc<Mutex<Log>> = Arc::default();
    let stop = Arc::new(Mutex::new(false));
    let mut publishers = Vec::new();
    for name in 0..4 {
        let work = Bus::open(&address, "chaos").await.unwrap().work("w", patient()).await.unwrap();
        publishers.push(tokio::spawn(publish(work, name, Arc::clone(&log), Arc::clone(&stop))));
    }
    acked_reach(&log, 100).await;
    let state = stream(&cluster).await;
    assert_eq!(state.replicas, 3);

    // A follower dies: nobody notices.
    let follower = (state.leader + 1) % 3;
    let before = log.lock().unwrap().acked.len();
    cluster.kill(follower).unwrap();
    acked_reach(&log, before + 200).await;
    cluster.revive(follower).unwrap();
    cluster.wait_ready().unwrap();
    acked_reach(&log, before + 300).await;

    // The leader dies, whoever it is by now.
    let leader = stream(&cluster).await.leader;
    let before = log.lock().unwrap().acked.len();
    cluster.kill(leader).unwrap();
    acked_reach(&log, before + 300).await;
    *stop.lock().unwrap() = true;
    for publisher in publishers {
        publisher.await.unwrap();
    }
    let log = Arc::into_inner(log).unwrap().into_inner().unwrap();
    let gap = log.longest_gap();
    assert!(gap < LONGEST_GAP, "{gap:?}");
    assert_ne!(stream(&cluster).await.leader, leader);
    assert_eq!(stream(&cluster).await.messages, log.acked.len() as u64);

    // All of it comes out, each once.
    let work = Bus::open(&address, "chaos").await.unwrap().work("w", patient()).await.unwrap();
    let mut came: BTreeMap<String, usize> = BTreeMap::new();
    while came.len() < log.acked.len() {
        let jobs = work.pull(500, s(10)).await.unwrap();
        assert!(!jobs.is_empty(), "{} of {} came", came.len(), log.acked.len());
        let acks = jobs.into_iter().map(|job| {
            assert_eq!(job.bytes(), job.id());
            *came.entry(job.id().to_owned()).or_default() += 1;
            job.ack()
        });
        for ack in futures_util::future::join_all(acks).await {
            ack.unwrap();
        }
    }
    assert!(came.values().all(|times| *times == 1), "{came:?}");
    assert_eq!(came.into_keys().collect::<BTreeSet<_>>(), log.acked);
    assert!(work.pull(1, ms(100)).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_when_a_follower_and_then_the_leader_die() {
    let servers = servers();
    if servers.is_empty() {
        return skipped();
    }
    for (program, _) in servers {
        nothing_is_lost_or_doubled(&program).await;
    }
}

/// The number of the node that a member is connected to.
fn node_of(bus: &Bus) -> usize {
    let state = bus.state();
    let name = state.split(' ').find(|word| word.starts_with('n') && word.len() == 2);
    name.unwrap_or_else(|| panic!("{state}"))[1..].parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_whose_node_dies_goes_on_at_another() {
    let Some(mut cluster) = Cluster::start(3).unwrap() else { return skipped() };
    let address = cluster.address();
    let member = Bus::open(&address, "chaos").await.unwrap();
    let node = node_of(&member);
    // Somebody who stays where they are.
    let other = loop {
        let bus = Bus::open(&address, "chaos").await.unwrap();
        if node_of(&bus) != node {
            break bus;
        }
    };
    let _service = member.serve("echo", "g", |bytes| async move { Ok(bytes) }).await.unwrap();
    let mut news = member.subscribe("news").await.unwrap();
    let work = member.work("w", patient()).await.unwrap();
    work.push("held", "").await.unwrap();
    let held = work.pull(1, s(5)).await.unwrap().pop().unwrap();
    cluster.kill(node).unwrap();

    let end = Instant::now() + s(20);
    loop {
        match other.request("echo", "still there", s(1)).await {
            Ok(answer) => break assert_eq!(answer, "still there"),
            Err(error) => assert!(error.passes() && Instant::now() < end, "{error}"),
        }
        tokio::time::sleep(ms(50)).await;
    }
    assert_ne!(node_of(&member), node);
    other.publish("news", "heard").await.unwrap();
    assert_eq!(news.next().await.unwrap().bytes, "heard");
    // What it held it can still finish, and it can still add.
    held.ack().await.unwrap();
    assert_eq!(work.push("next", "").await.unwrap(), Pushed::Stored);
    assert_eq!(work.push("held", "").await.unwrap(), Pushed::Known);
}

#[test]
fn the_work_of_a_member_that_dies_without_a_word_comes_to_another() {
    let Some(cluster) = Cluster::start(1).unwrap() else { return skipped() };
    let address = cluster.address();
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let settings = WorkSettings { ack_wait: s(1), ..patient() };
    let dying = runtime();
    let held = dying.block_on(async {
        let bus = Bus::open(&address, "chaos").await.unwrap();
        let work = bus.work("w", settings.clone()).await.unwrap();
        for id in ["1", "2", "3"] {
            work.push(id, "").await.unwrap();
        }
        work.pull(2, s(5)).await.unwrap()
    });
    assert_eq!(held.len(), 2);
    // Its tasks and sockets end where they are, as when it is killed.
    dying.shutdown_background();
    runtime().block_on(async {
        let bus = Bus::open(&address, "chaos").await.unwrap();
        let work = bus.work("w", settings).await.unwrap();
        let mut attempts = BTreeMap::new();
        while attempts.len() < 3 {
            for job in work.pull(3, s(5)).await.unwrap() {
                attempts.insert(job.id().to_owned(), job.attempt());
                job.ack().await.unwrap();
            }
        }
        let wanted = [("1", 2), ("2", 2), ("3", 1)];
        assert_eq!(attempts, wanted.map(|(id, n)| (id.to_owned(), n)).into());
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_that_is_gone_is_told_after_the_patience_and_no_sooner() {
    let Some(mut cluster) = Cluster::start(1).unwrap() else { return skipped() };
    let bus = Bus::open(&cluster.address(), "chaos").await.unwrap();
    let settings = WorkSettings { patience: s(4), ..patient() };
    let work = bus.work("w", settings).await.unwrap();
    cluster.kill(0).unwrap();
    let begin = Instant::now();
    let error = work.push("1", "").await.unwrap_err();
    assert!(matches!(error, Error::Disturbed(_)) && error.passes(), "{error:?}");
    assert!(begin.elapsed() > s(2) && begin.elapsed() < s(8), "{:?}", begin.elapsed());
    // It comes back with what it had, and the same push arrives.
    cluster.revive(0).unwrap();
    cluster.wait_ready().unwrap();
    work.push("1", "").await.unwrap();
    let jobs = work.pull(5, s(10)).await.unwrap();
    assert_eq!(jobs.len(), 1);
}
