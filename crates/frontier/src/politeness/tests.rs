use super::*;
use lycosa_model::FetchError;

const NOW: Tick = Tick(1_000_000);

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn good() -> Visit {
    Visit {
        finished: NOW,
        took: Duration::from_millis(100),
        outcome: Outcome::Fetched,
        status: 200,
        failures_in_row: 0,
        retry_after: None,
    }
}

fn pause(manners: &Manners, crawl_delay: Option<Duration>, visit: &Visit) -> Duration {
    next_ok(manners, crawl_delay, visit).since(NOW)
}

#[test]
fn the_delay_counts_from_the_end_of_the_request() {
    assert_eq!(pause(&Manners::default(), None, &good()), secs(1));
}

#[test]
fn a_slow_server_is_given_more_time_up_to_a_limit() {
    let slow = |seconds| Visit { took: secs(seconds), ..good() };
    assert_eq!(pause(&Manners::default(), None, &slow(2)), secs(8));
    assert_eq!(pause(&Manners::default(), None, &slow(100)), secs(30));
    let own = Manners::with_delay(secs(60));
    assert_eq!(pause(&own, None, &slow(100)), secs(60));
}

#[test]
fn a_crawl_delay_of_any_length_is_honoured() {
    assert_eq!(pause(&Manners::default(), Some(secs(3600)), &good()), secs(3600));
    assert_eq!(pause(&Manners::default(), Some(Duration::ZERO), &good()), secs(1));
    let none = Manners::with_delay(Duration::ZERO);
    assert_eq!(pause(&none, Some(secs(5)), &good()), secs(5));
}

#[test]
fn ones_own_web_may_be_crawled_without_delay() {
    let none = Manners::with_delay(Duration::ZERO);
    let slow = Visit { took: secs(3), ..good() };
    assert_eq!(pause(&none, None, &slow), Duration::ZERO);
}

#[test]
fn retry_after_is_honoured_for_a_day_at_most() {
    let busy = |seconds| Visit {
        outcome: Outcome::ServerError,
        status: 503,
        failures_in_row: 4,
        retry_after: Some(secs(seconds)),
        ..good()
    };
    assert_eq!(pause(&Manners::default(), None, &busy(7)), secs(7));
    assert_eq!(pause(&Manners::default(), None, &busy(0)), secs(1));
    assert_eq!(pause(&Manners::default(), None, &busy(u64::MAX)), MAX_BACK_OFF);
}

#[test]
fn too_many_requests_backs_off_at_once_and_doubles() {
    let busy = |failures_in_row| Visit {
        outcome: Outcome::ClientError,
        status: 429,
        failures_in_row,
        ..good()
    };
    let pauses: Vec<u64> = [0, 1, 2, 3, 11, 12, u32::MAX]
        .map(|failures| pause(&Manners::default(), None, &busy(failures)).as_secs())
        .to_vec();
    assert_eq!(pauses, [60, 60, 120, 240, 61_440, 86_400, 86_400]);
}

#[test]
fn single_failures_do_not_stop_a_site_but_a_row_of_them_does() {
    let lost = |failures_in_row| Visit {
        outcome: Outcome::Failed(FetchError::Timeout),
        status: 0,
        failures_in_row,
        ..good()
    };
    let pauses: Vec<u64> = [1, 2, 3, 4, 5]
        .map(|failures| pause(&Manners::default(), None, &lost(failures)).as_secs())
        .to_vec();
    assert_eq!(pauses, [1, 1, 60, 120, 240]);
}

#[test]
fn a_missing_page_is_no_trouble() {
    let missing =
        Visit { outcome: Outcome::ClientError, status: 404, failures_in_row: 9, ..good() };
    assert_eq!(pause(&Manners::default(), None, &missing), secs(1));
}
