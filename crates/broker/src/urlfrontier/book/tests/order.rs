//! Who comes first, and who must wait?

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn a_queue_gives_by_date_and_then_by_arrival() {
    let mut shelf = Shelf::new();
    let base = MORNING.seconds();
    let puts = [("http://a/3", 3), ("http://a/1b", 1), ("http://a/2", 2), ("http://a/1a", 1)];
    shelf.put(puts.map(|(url, at)| put(url, News::Known(base - 10 + at))).to_vec(), MORNING);
    shelf.put(vec![put("http://a/later", News::Known(base + 5))], MORNING);
    let order = shelf.urls(&ask(10, 1), MORNING);
    assert_eq!(order, ["http://a/1b", "http://a/1a", "http://a/2", "http://a/3"]);
    assert_eq!(shelf.urls(&ask(10, 1), after(4_999)), [""; 0]);
    assert_eq!(shelf.urls(&ask(10, 1), after(5_000)), ["http://a/later"]);
}

#[test]
fn the_queue_whose_turn_is_longest_ago_is_next() {
    let mut shelf = Shelf::new();
    let urls = ["http://a/1", "http://b/1", "http://c/1", "http://a/2", "http://b/2", "http://c/2"];
    shelf.put(urls.map(found).to_vec(), MORNING);
    assert_eq!(shelf.urls(&ask(1, 2), MORNING), ["http://a/1", "http://b/1"]);
    // A newcomer waits for those that were there before it.
    shelf.put(vec![found("http://d/1")], MORNING);
    assert_eq!(shelf.urls(&ask(9, 2), after(1_000)), ["http://c/1", "http://c/2", "http://a/2"]);
    assert_eq!(shelf.urls(&ask(9, 2), after(1_000)), ["http://b/2", "http://d/1"]);
}

#[test]
fn a_queue_rests_after_each_serving_and_not_after_an_empty_one() {
    let mut shelf = Shelf::new();
    shelf.put(vec![found("http://a/1"), found("http://a/2")], MORNING);
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://a/1"]);
    assert_eq!(shelf.urls(&ask(9, 0), after(999)), [""; 0]);
    assert_eq!(shelf.urls(&ask(9, 0), after(1_000)), ["http://a/2"]);
    assert_eq!(shelf.urls(&ask(9, 0), after(9_000)), [""; 0]);
    shelf.put(vec![found("http://a/3")], after(9_000));
    assert_eq!(shelf.urls(&ask(9, 0), after(9_000)), ["http://a/3"]);
}

#[test]
fn a_longer_delay_of_one_queue_holds_for_it_alone_and_a_new_default_for_the_rest() {
    let mut shelf = Shelf::new();
    shelf
        .put(["http://a/1", "http://a/2", "http://b/1", "http://b/2"].map(found).to_vec(), MORNING);
    shelf.book().set_delay("c", Some("a"), 30, MORNING).expect("set");
    shelf.book().set_delay("c", Some("unknown"), 30, MORNING).expect("silently nothing");
    shelf.book().set_delay("c", None, 0, MORNING).expect("set");
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://a/1", "http://b/1"]);
    let ask = ask(9, 0);
    assert_eq!(shelf.urls(&ask, MORNING), ["http://b/2"]);
    assert_eq!(shelf.urls(&ask, after(29_999)), [""; 0]);
    assert_eq!(shelf.urls(&ask, after(30_000)), ["http://a/2"]);
}

#[test]
fn a_blocked_queue_gives_nothing_up_to_and_with_that_second() {
    let mut shelf = Shelf::new();
    shelf.put(vec![found("http://a/1"), found("http://b/1")], MORNING);
    shelf.book().block("c", "a", MORNING.seconds() + 5, MORNING).expect("block");
    shelf.book().block("c", "unknown", u64::MAX, MORNING).expect("silently nothing");
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://b/1"]);
    assert_eq!(shelf.urls(&ask(1, 0), after(5_999)), [""; 0]);
    assert_eq!(shelf.urls(&ask(1, 0), after(6_000)), ["http://a/1"]);
    shelf.put(vec![found("http://a/2")], MORNING);
    shelf.book().block("c", "a", u64::MAX, MORNING).expect("block");
    assert_eq!(shelf.urls(&ask(9, 0), after(60_000_000)), ["http://b/1"]);
    shelf.book().block("c", "a", 0, MORNING).expect("free");
    assert_eq!(shelf.urls(&ask(9, 0), after(60_000_000)), ["http://a/1", "http://a/2"]);
}

#[test]
fn a_queue_with_as_much_in_process_as_one_asks_for_is_passed_over() {
    let mut shelf = Shelf::new();
    shelf.put(["http://a/1", "http://a/2", "http://a/3"].map(found).to_vec(), MORNING);
    assert_eq!(shelf.urls(&ask(1, 0), MORNING), ["http://a/1"]);
    assert_eq!(shelf.urls(&ask(1, 0), after(2_000)), [""; 0]);
    // Somebody who takes more may.
    assert_eq!(shelf.urls(&ask(2, 0), after(3_000)), ["http://a/2", "http://a/3"]);
    assert_eq!(shelf.urls(&ask(2, 0), after(5_000)), [""; 0]);
    shelf.put(vec![put("http://a/1", News::Known(0)), found("http://a/4")], after(5_000));
    assert_eq!(shelf.urls(&ask(2, 0), after(5_000)), [""; 0], "two are still held");
    shelf.put(vec![put("http://a/2", News::Known(0))], after(6_000));
    assert_eq!(shelf.urls(&ask(2, 0), after(6_000)), ["http://a/4"]);
}

#[test]
fn any_crawl_means_all_of_them_in_turn() {
    let mut shelf = Shelf::new();
    let of = |crawl: &str, url: &str| Put { crawl: crawl.into(), ..found(url) };
    shelf.put(vec![of("x", "http://a/"), of("y", "http://a/"), of("x", "http://b/")], MORNING);
    let any = Ask { crawls: Which::Any, ..ask(1, 2) };
    let names = |given: Vec<Given>| -> Vec<String> {
        given.iter().map(|given| format!("{} {}", given.crawl, given.url)).collect()
    };
    assert_eq!(names(shelf.give(&any, MORNING)), ["x http://a/", "y http://a/"]);
    assert_eq!(names(shelf.give(&any, MORNING)), ["x http://b/"]);
    assert_eq!(shelf.book().crawls(), ["x", "y"]);
}

#[test]
fn a_long_answer_comes_in_parts_and_serves_no_queue_twice() {
    let mut shelf = Shelf::new();
    let urls = (0..3_000).map(|number| found(&format!("http://h{}/{number}", number % 1_500)));
    shelf.put(urls.collect(), MORNING);
    shelf.book().set_delay("c", None, 0, MORNING).expect("set");
    let all = shelf.urls(&ask(1, 0), MORNING);
    assert_eq!(all.len(), 1_500);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 1_500);
    assert_eq!(shelf.urls(&ask(0, 0), MORNING).len(), 1_500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever is put and taken in whatever order: no URL is held twice, none is lost, and the numbers
    /// are those of the store, also after a restart.
    #[test]
    fn nothing_is_lost_and_nothing_is_given_twice(
        steps in prop::collection::vec((0u8..5, 0u8..4, 0u8..12, 1u64..40), 1..60)
    ) {
        let mut shelf = Shelf::new();
        let mut now = MORNING;
        let mut held: std::collections::HashMap<String, u64> = Default::default();
        let mut alive = BTreeSet::new();
        let mut done = BTreeSet::new();
        for (what, host, page, wait) in steps {
            let url = format!("http://h{host}/{page}");
            now = Moment(now.0 + wait * 500);
            held.retain(|_, until| *until > now.0);
            match what {
                0 => {
                    let fate = shelf.put(vec![found(&url)], now);
                    let new = !alive.contains(&url) && !done.contains(&url);
                    prop_assert_eq!(fate, [if new { Verdict::Taken } else { Verdict::Skipped }]);
                    if new {
                        alive.insert(url);
                    }
                }
                1 | 2 => {
                    let date = if what == 1 { now.seconds() + u64::from(page) } else { 0 };
                    shelf.put(vec![found(&url), put(&url, News::Known(date))], now);
                    held.remove(&url);
                    let (to, from) = if what == 1 { (&mut alive, &mut done) } else { (&mut done, &mut alive) };
                    from.remove(&url);
                    to.insert(url);
                }
                3 if page < 3 => shelf.reopen(now),
                _ => {
                    let ask = Ask { lease: wait * 300, ..ask(u32::from(page), u32::from(host)) };
                    for url in shelf.urls(&ask, now) {
                        prop_assert!(alive.contains(&url), "{} was done or never there", url);
                        let twice = held.insert(url.clone(), now.0 + wait * 300);
                        prop_assert!(twice.is_none(), "{} was given twice", url);
                    }
                }
            }
            let summary = shelf.summary(None, now);
            prop_assert_eq!(summary.active, alive.len() as u64);
            prop_assert_eq!(summary.completed, done.len() as u64);
            prop_assert_eq!(summary.held, held.len() as u64);
        }
        // At the end of all leases and dates everything alive can be had.
        let end = Moment(now.0 + 1_000_000);
        let last: BTreeSet<String> = shelf.urls(&ask(0, 0), end).into_iter().collect();
        prop_assert_eq!(last, alive);
    }
}
