use super::*;
use lycosa_model::UrlId;

fn entry(rank: u64, place: u64) -> Entry {
    let queued = Queued {
        url_id: UrlId::of(&place.to_string()),
        depth: 1,
        parent_relevance: 0.0,
        wanted_language: true,
        seed: false,
    };
    Entry { spot: Spot { rank: Rank(rank), place }, queued }
}

fn spots(rows: impl Iterator<Item = Result<(Spot, Queued), StoreError>>) -> Vec<(u64, u64)> {
    rows.map(|row| row.expect("read").0).map(|spot| (spot.rank.0, spot.place)).collect()
}

fn store() -> (tempfile::TempDir, Records) {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    (dir, records)
}

#[test]
fn the_urls_of_a_site_lie_by_rank_and_place_apart_from_those_of_its_neighbours() {
    let (_dir, records) = store();
    let mut change = records.change();
    for (rank, place) in [(0, 300), (1, 2), (0, 70_000), (u64::MAX, u64::MAX)] {
        change.enqueue(1, 5, &entry(rank, place));
        change.enqueue(1, 6, &entry(rank, place));
        change.enqueue(2, 5, &entry(rank, place));
    }
    change.dequeue(1, 5, Spot { rank: Rank(0), place: 300 });
    change.commit().expect("commit");
    let last = (u64::MAX, u64::MAX);
    assert_eq!(spots(records.waiting(1, 5, None)), [(0, 70_000), (1, 2), last]);
    let behind = Some(Spot { rank: Rank(0), place: 70_000 });
    assert_eq!(spots(records.waiting(1, 5, behind)), [(1, 2), last]);
    assert_eq!(spots(records.waiting(1, 4, None)), []);
    assert_eq!(spots(records.waiting(1, 6, behind)), [(1, 2), last]);
    assert_eq!(records.frontier(1).count(), 7);
}

#[test]
fn the_agenda_lies_by_moment() {
    let (_dir, records) = store();
    let mut change = records.change();
    for (at, place) in [(70_000, 1), (5, 9), (5, 2)] {
        change.postpone(1, Tick(at), &entry(0, place));
    }
    change.postpone(2, Tick(1), &entry(0, 7));
    change.commit().expect("commit");
    let moments = |behind| -> Vec<(u64, u64)> {
        let rows = records.agenda(1, behind).map(|row| row.expect("read"));
        rows.map(|(at, entry)| (at.0, entry.spot.place)).collect()
    };
    assert_eq!(moments(None), [(5, 2), (5, 9), (70_000, 1)]);
    assert_eq!(moments(Some((Tick(5), 2))), [(5, 9), (70_000, 1)]);
}

#[test]
fn what_earlier_runs_left_behind_is_removed_in_steps_and_nothing_else() {
    let (_dir, records) = store();
    let mut change = records.change();
    for place in 0..10 {
        change.enqueue(1, 1, &entry(0, place));
        change.enqueue(2, 1, &entry(0, place));
    }
    change.postpone(1, Tick(1), &entry(0, 1));
    change.put_root(1, 0, &Root::Seed("http://a.test/".into()));
    change.put_root(2, 0, &Root::Joined("http://b.test/".into()));
    change.commit().expect("commit");
    let mut steps = 0;
    loop {
        let stale = records.stale(2, 4).expect("read");
        if stale.is_empty() {
            break;
        }
        let mut change = records.change();
        change.remove_stale(&stale);
        change.commit().expect("commit");
        steps += 1;
    }
    assert_eq!(steps, 3);
    assert_eq!((records.frontier(1).count(), records.frontier(2).count()), (0, 10));
    assert_eq!((records.agenda(1, None).count(), records.roots(1).expect("read").len()), (0, 0));
    assert_eq!(records.roots(2).expect("read").len(), 1);
}
