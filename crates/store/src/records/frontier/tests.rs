use super::*;
use crate::records::{Change, Queued};

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

/// Puts URLs into one row of a site.
fn enqueue(change: &mut Change<'_>, run: u32, number: u32, entries: &[Entry]) {
    let mut bundle = Bundle::again(&entries[0].queued);
    for entry in entries {
        let url = format!("http://a.test/{}", entry.spot.place);
        bundle.put(entry.spot.place, entry.queued.url_id, &url);
    }
    change.put_bundle(run, number, entries[0].spot, &bundle);
}

fn spots(rows: impl Iterator<Item = Result<(Spot, UrlId), StoreError>>) -> Vec<(u64, u64)> {
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
        for (run, number) in [(1, 5), (1, 6), (2, 5)] {
            enqueue(&mut change, run, number, &[entry(rank, place)]);
        }
    }
    let empty = Bundle::again(&entry(0, 300).queued);
    change.put_bundle(1, 5, Spot { rank: Rank(0), place: 300 }, &empty);
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
fn those_of_one_row_are_read_one_by_one() {
    let (_dir, records) = store();
    let mut change = records.change();
    enqueue(&mut change, 1, 5, &[entry(0, 16), entry(0, 17), entry(0, 23)]);
    enqueue(&mut change, 1, 5, &[entry(0, 24)]);
    enqueue(&mut change, 1, 5, &[entry(1, 18)]);
    change.commit().expect("commit");
    let behind = |place| Some(Spot { rank: Rank(0), place });
    let rest = [(0, 17), (0, 23), (0, 24), (1, 18)];
    assert_eq!(spots(records.waiting(1, 5, behind(16))), rest);
    assert_eq!(spots(records.waiting(1, 5, behind(17))), rest[1..]);
    assert_eq!(spots(records.waiting(1, 5, behind(22))), rest[1..]);
    assert_eq!(spots(records.waiting(1, 5, behind(23))), rest[2..]);
    assert_eq!(spots(records.waiting(1, 5, behind(31))), rest[3..]);
    let bundle = records.bundle(1, 5, Spot { rank: Rank(0), place: 20 }).expect("read");
    assert_eq!(bundle.expect("there").take(23).expect("there").url, "http://a.test/23");
}

#[test]
fn what_waits_without_a_record_is_found() {
    let (_dir, records) = store();
    let mut change = records.change();
    enqueue(&mut change, 1, 5, &[entry(0, 16), entry(0, 17)]);
    let mut again = Bundle::again(&entry(0, 24).queued);
    again.put(24, UrlId::of("24"), "");
    change.put_bundle(1, 5, entry(0, 24).spot, &again);
    let asked = UrlRecord::new("http://a.test/16".into(), lycosa_model::Origin::Seed, Tick(1));
    change.put_url(UrlId::of("16"), &asked);
    change.commit().expect("commit");
    let found = |number, name| records.unasked(1, number, UrlId::of(name)).expect("read");
    assert_eq!(found(5, "17").expect("waits").url, "http://a.test/17");
    assert_eq!(found(5, "17").and_then(|record| record.queued), Some(entry(0, 17).spot));
    assert_eq!((found(5, "24"), found(6, "17")), (None, None));
    let all: Vec<_> = records.all_unasked().map(|row| row.expect("read").1.url).collect();
    assert_eq!(all, ["http://a.test/17"], "the others have records");
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
        enqueue(&mut change, 1, 1, &[entry(0, 8 * place)]);
        enqueue(&mut change, 2, 1, &[entry(0, 8 * place)]);
    }
    change.postpone(1, Tick(1), &entry(0, 1));
    change.put_root(1, 0, &Root::Seed("http://a.test/".into()));
    change.put_root(2, 0, &Root::Joined("http://b.test/".into()));
    change.commit().expect("commit");
    let (mut steps, mut left) = (0, Vec::new());
    loop {
        let stale = records.stale(2, 4).expect("read");
        if stale.is_empty() {
            break;
        }
        for row in stale.unasked() {
            let (_, record) = row.expect("read");
            assert_eq!(record.run, 1);
            left.push(record.url);
        }
        let mut change = records.change();
        change.remove_stale(&stale);
        change.commit().expect("commit");
        steps += 1;
    }
    assert_eq!(left, (0..10).map(|n| format!("http://a.test/{}", 8 * n)).collect::<Vec<_>>());
    assert_eq!(steps, 3);
    assert_eq!((records.frontier(1).count(), records.frontier(2).count()), (0, 10));
    assert_eq!((records.agenda(1, None).count(), records.roots(1).expect("read").len()), (0, 0));
    assert_eq!(records.roots(2).expect("read").len(), 1);
}
