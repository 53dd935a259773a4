use super::*;
use lycosa_model::Origin;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn record(failures: u32, dinit: Tick, dlast: Option<Tick>) -> UrlRecord {
    UrlRecord {
        dlast,
        failures,
        ..UrlRecord::new("http://example.org/".to_owned(), Origin::Seed, dinit)
    }
}

#[test]
fn each_wait_is_longer_until_the_attempts_are_used_up() {
    let rule = RetryRule::default();
    let now = Tick(1_000);
    assert_eq!(rule.next_try(0, now), Some(now));
    assert_eq!(rule.next_try(1, now), Some(Tick(6_000)));
    assert_eq!(rule.next_try(2, now), Some(Tick(21_000)));
    assert_eq!(rule.next_try(3, now), None);
}

#[test]
fn a_rule_without_end_does_not_overflow() {
    let rule = RetryRule { attempts: u32::MAX, ..RetryRule::default() };
    assert!(rule.next_try(1_000_000, Tick(1)).is_some_and(|at| at > Tick(1)));
}

#[test]
fn a_url_is_dropped_when_it_fails_often_and_long() {
    let rule = RetryRule::default();
    let start = Tick(1_000);
    let late = start.after(7 * DAY);
    assert!(rule.should_drop(&record(5, start, None), late));
    assert!(!rule.should_drop(&record(4, start, None), late));
    assert!(!rule.should_drop(&record(5, start, None), start.after(6 * DAY)));
}

#[test]
fn a_good_download_starts_the_time_again() {
    let rule = RetryRule::default();
    let start = Tick(1_000);
    let seen = record(9, start, Some(start.after(20 * DAY)));
    assert!(!rule.should_drop(&seen, start.after(21 * DAY)));
    assert!(rule.should_drop(&seen, start.after(27 * DAY)));
}
