//! What is kept, and what is counted?

use super::*;

#[test]
fn a_url_is_discovered_once_and_known_as_often_as_one_says() {
    let mut shelf = Shelf::new();
    let both = vec![found("http://a/"), found("http://a/")];
    assert_eq!(shelf.put(both, MORNING), [Verdict::Taken, Verdict::Skipped]);
    assert_eq!(shelf.put(vec![found("http://a/")], MORNING), [Verdict::Skipped]);
    let known = vec![put("http://a/", News::Known(7)), put("http://a/", News::Known(0))];
    assert_eq!(shelf.put(known, MORNING), [Verdict::Taken, Verdict::Taken]);
    let summary = shelf.summary(None, MORNING);
    assert_eq!((summary.active, summary.completed), (0, 1));
    assert_eq!(shelf.put(vec![found("http://a/")], MORNING), [Verdict::Skipped], "done is known");
    assert_eq!(shelf.urls(&ask(0, 0), after(9_000_000)), [""; 0]);
    shelf.put(vec![put("http://a/", News::Known(MORNING.seconds()))], MORNING);
    let summary = shelf.summary(None, MORNING);
    assert_eq!((summary.active, summary.completed), (1, 0), "it was taken up again");
    assert_eq!(shelf.urls(&ask(0, 0), MORNING), ["http://a/"]);
}

#[test]
fn a_lease_ends_with_a_report_or_with_its_time_and_the_url_returns_to_its_place() {
    let mut shelf = Shelf::new();
    let at = MORNING.seconds();
    let puts = [("http://a/1", at - 9), ("http://a/2", at - 8), ("http://a/3", at - 7)];
    shelf.put(puts.map(|(url, date)| put(url, News::Known(date))).to_vec(), MORNING);
    assert_eq!(shelf.urls(&ask(2, 1), MORNING), ["http://a/1", "http://a/2"]);
    assert_eq!(shelf.summary(Some("a"), MORNING).held, 2);
    shelf.put(vec![put("http://a/2", News::Known(at + 1_000))], after(10));
    assert_eq!(shelf.summary(Some("a"), after(59_999)).held, 1);
    assert_eq!(shelf.summary(Some("a"), after(60_000)).held, 0);
    assert_eq!(shelf.urls(&ask(9, 1), after(60_000)), ["http://a/1", "http://a/3"]);
    assert_eq!(
        shelf.urls(&ask(9, 1), after(1_000_000)),
        ["http://a/1", "http://a/3", "http://a/2"]
    );
}

#[test]
fn everything_survives_a_restart() {
    let mut shelf = Shelf::new();
    shelf
        .put(["a", "b", "d", "e"].map(|host| found(&format!("http://{host}/1"))).to_vec(), MORNING);
    shelf
        .put(["a", "b", "d", "e"].map(|host| found(&format!("http://{host}/2"))).to_vec(), MORNING);
    shelf.put(vec![put("http://d/0", News::Known(0))], MORNING);
    shelf.book().set_delay("c", Some("a"), 100, MORNING).expect("set");
    shelf.book().block("c", "b", MORNING.seconds() + 50, MORNING).expect("block");
    assert!(shelf.book().set_limit("c", "d", 1, MORNING).expect("limit"));
    assert!(!shelf.book().set_limit("c", "unknown", 1, MORNING).expect("no queue"));
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://a/1", "http://e/1"]);
    shelf.book().set_active(false).expect("set");
    shelf.reopen(after(2_000));
    assert!(!shelf.book().active());
    assert_eq!(shelf.urls(&ask(0, 0), after(3_000)), [""; 0]);
    shelf.book().set_active(true).expect("set");
    assert_eq!(shelf.urls(&ask(0, 0), after(3_000)), ["http://e/2"]);
    assert_eq!(shelf.urls(&ask(0, 0), after(51_000)), ["http://b/1", "http://b/2"]);
    assert_eq!(shelf.urls(&ask(0, 0), after(62_000)), ["http://e/1"], "its lease has ended");
    let last = shelf.urls(&ask(0, 0), after(100_000));
    let wanted = ["http://a/1", "http://a/2", "http://e/2"];
    assert_eq!(last, wanted, "a after its delay, e after its lease; d has reached its limit");
    shelf.book().set_limit("c", "d", 0, MORNING).expect("limit");
    let last = shelf.give(&ask(0, 0), after(100_000));
    assert_eq!(last.len(), 2);
    assert_eq!(last[0].metadata, [("from".to_owned(), vec!["http://d/1".to_owned()])]);
}

#[test]
fn a_deleted_queue_is_gone_at_once_and_comes_back_empty() {
    let mut shelf = Shelf::new();
    shelf.put(["http://a/1", "http://a/2", "http://b/1"].map(found).to_vec(), MORNING);
    shelf.put(vec![put("http://a/3", News::Known(0))], MORNING);
    shelf.book().block("c", "a", u64::MAX, MORNING).expect("block");
    assert_eq!(shelf.book().delete_queue("c", "a").expect("delete"), 3);
    assert_eq!(shelf.book().delete_queue("c", "a").expect("delete"), 0);
    assert_eq!(shelf.put(vec![found("http://a/1")], MORNING), [Verdict::Taken]);
    assert_eq!(shelf.urls(&ask(0, 0), MORNING), ["http://b/1", "http://a/1"]);
    shelf.reopen(MORNING);
    let mut steps = 0;
    while shelf.book().sweep().expect("sweep") {
        steps += 1;
        assert!(steps < 100, "it ends");
    }
    assert_eq!(shelf.summary(Some("a"), MORNING).active, 1);
    assert_eq!(shelf.book().delete_crawl("c").expect("delete"), 2);
    assert_eq!(shelf.book().crawls(), [""; 0]);
}

#[test]
fn queues_are_listed_by_key_and_only_those_that_may_give_unless_all_are_wanted() {
    let mut shelf = Shelf::new();
    shelf.put(["http://b/", "http://a/", "http://d/"].map(found).to_vec(), MORNING);
    shelf.put(vec![put("http://e/", News::Known(0))], MORNING);
    shelf.book().block("c", "b", MORNING.seconds(), MORNING).expect("block");
    let page = |start, size, inactive| QueuePage { start, size, inactive };
    assert_eq!(shelf.book().keys("c", page(0, 9, false), MORNING), ["a", "d"]);
    assert_eq!(shelf.book().keys("c", page(0, 9, false), after(1_000)), ["a", "b", "d"]);
    assert_eq!(shelf.book().keys("c", page(1, 2, true), MORNING), ["b", "d"]);
    assert_eq!(shelf.book().keys("other", page(0, 9, true), MORNING), [""; 0]);
}

#[test]
fn a_purge_takes_the_old_and_leaves_the_counts_right() {
    let mut shelf = Shelf::new();
    shelf.put(["http://a/1", "http://a/2"].map(found).to_vec(), MORNING);
    shelf.put(vec![put("http://a/3", News::Known(0))], MORNING);
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://a/1"]);
    shelf.put(vec![found("http://a/4")], after(10_000));
    let urls = [1, 2, 3, 4, 5].map(|number| format!("http://a/{number}"));
    let queue = shelf.book().found("c", Some("a"), None, 1)[0].queue;
    let purged = shelf.book().purge(queue, &urls, MORNING.seconds() + 1, after(20_000));
    assert_eq!(purged.expect("purge"), 3);
    let summary = shelf.summary(None, after(20_000));
    assert_eq!((summary.active, summary.held, summary.completed), (1, 0, 0));
    assert_eq!(shelf.urls(&ask(0, 0), after(20_000)), ["http://a/4"]);
}
