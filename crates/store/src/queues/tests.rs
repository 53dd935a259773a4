use super::*;
use std::path::Path;

fn open(dir: &Path) -> Queues {
    Queues::open(&Records::open(dir).expect("records")).expect("queues")
}

fn row(at: u64, arrival: u64) -> UrlRow {
    let metadata = vec![("depth".to_owned(), vec!["1".to_owned(), "2".to_owned()])];
    UrlRow { created: 7, place: Place::Due { at, arrival }, metadata }
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let dir = tempfile::tempdir().expect("temp dir");
    let record =
        QueueRecord { active: 2, delay: Some(5), ..QueueRecord::new("c".into(), "k".into(), 3) };
    let counters = Counters { active: false, next_queue: 9, ..Counters::default() };
    {
        let queues = open(dir.path());
        assert_eq!(queues.counters().expect("read"), Counters::default());
        let mut change = queues.change();
        change.put_queue(8, &record);
        change.put_counters(&counters);
        change.put_url(8, "http://a.test/", &row(20, 1));
        change.put_due(8, 20, 1, "http://a.test/");
        change.put_held(8, 99_000, 2, "http://b.test/");
        change.commit().expect("commit");
    }
    let queues = open(dir.path());
    assert_eq!(queues.counters().expect("read"), counters);
    let all: Vec<_> = queues.queues().map(|row| row.expect("read")).collect();
    assert_eq!(all, [(8, record)]);
    assert_eq!(queues.url(8, "http://a.test/").expect("read"), Some(row(20, 1)));
    assert_eq!(queues.url(9, "http://a.test/").expect("read"), None);
    let due: Vec<_> = queues.due(8, (0, 0)).map(|row| row.expect("read")).collect();
    assert_eq!(due, [(20, 1, "http://a.test/".to_owned())]);
    let held: Vec<_> = queues.held(8, 0).map(|row| row.expect("read")).collect();
    assert_eq!(held, [(99_000, 2, "http://b.test/".to_owned())]);
}

#[test]
fn a_queue_is_read_by_date_then_arrival_and_never_into_the_next_queue() {
    let dir = tempfile::tempdir().expect("temp dir");
    let queues = open(dir.path());
    let mut change = queues.change();
    for (queue, at, arrival) in [(1, 300, 1), (1, 2, 9), (1, 2, 8), (2, 1, 0), (u64::MAX, 5, 5)] {
        change.put_due(queue, at, arrival, "x");
    }
    change.commit().expect("commit");
    let order = |queue, from| -> Vec<(u64, u64)> {
        let rows = queues.due(queue, from).map(|row| row.expect("read"));
        rows.map(|(at, arrival, _)| (at, arrival)).collect()
    };
    assert_eq!(order(1, (0, 0)), [(2, 8), (2, 9), (300, 1)]);
    assert_eq!(order(1, (2, 9)), [(2, 9), (300, 1)]);
    assert_eq!(order(u64::MAX, (0, 0)), [(5, 5)]);
}

#[test]
fn a_deleted_queue_is_swept_to_the_last_row_and_its_neighbours_stay() {
    let dir = tempfile::tempdir().expect("temp dir");
    let queues = open(dir.path());
    let mut change = queues.change();
    for number in 0..25 {
        for queue in [4, 5] {
            let url = format!("http://a.test/{number}");
            change.put_url(queue, &url, &row(1, number));
            change.put_due(queue, 1, number, &url);
        }
        change.put_held(5, 1, number, "x");
    }
    change.remove_queue(5);
    change.commit().expect("commit");
    assert_eq!(queues.gone().expect("read"), [5]);
    let mut sweep = Sweep::of(5);
    let mut steps = 0;
    while !sweep.step(&queues, 10).expect("sweep") {
        steps += 1;
        assert!(steps < 100, "it ends");
    }
    assert_eq!(queues.gone().expect("read"), [0; 0]);
    assert_eq!((queues.urls(5).count(), queues.due(5, (0, 0)).count()), (0, 0));
    assert_eq!(queues.held(5, 0).count(), 0);
    assert_eq!((queues.urls(4).count(), queues.due(4, (0, 0)).count()), (25, 25));
}
