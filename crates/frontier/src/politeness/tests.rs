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
    next_ok(manners, crawl_delay, visit, Trouble::default(), 0).0.since(NOW)
}

/// The pauses after a row of visits to one site, and the trouble at its end.
fn pauses(visits: &[Visit], salt: u64) -> (Vec<Duration>, Trouble) {
    let mut trouble = Trouble::default();
    let mut pauses = Vec::new();
    for visit in visits {
        let (until, after) = next_ok(&Manners::default(), None, visit, trouble, salt);
        pauses.push(until.since(NOW));
        trouble = after;
    }
    (pauses, trouble)
}

fn busy() -> Visit {
    Visit { outcome: Outcome::ServerError, status: 503, failures_in_row: 1, ..good() }
}

/// Whether the pause is what the step says, or up to a tenth more.
fn is_about(pause: Duration, seconds: u64) -> bool {
    (secs(seconds)..=secs(seconds) * 11 / 10).contains(&pause)
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
    let denied = Visit { outcome: Outcome::ClientError, status: 429, ..busy() };
    let (found, trouble) = pauses(&vec![denied; 14], 7);
    let expected = [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720, 61_440];
    for (pause, seconds) in found.iter().zip(expected.into_iter().chain([86_400; 3])) {
        assert!(is_about(*pause, seconds), "{pause:?} is not about {seconds} s");
    }
    assert_eq!(trouble, Trouble { step: MAX_STEP, calm: 0 });
}

#[test]
fn single_failures_do_not_stop_a_site_but_a_row_of_them_does() {
    let lost = |failures_in_row| Visit {
        outcome: Outcome::Failed(FetchError::Timeout),
        status: 0,
        failures_in_row,
        ..good()
    };
    let (found, _) = pauses(&[1, 2, 3, 4, 5].map(lost), 7);
    assert_eq!(found[..2], [secs(1), secs(1)]);
    for (pause, seconds) in found[2..].iter().zip([60, 120, 240]) {
        assert!(is_about(*pause, seconds), "{pause:?} is not about {seconds} s");
    }
}

#[test]
fn a_back_off_is_forgiven_step_by_step_and_not_with_the_first_good_answer() {
    let (_, trouble) = pauses(&[busy(), busy(), busy(), good()], 7);
    assert_eq!(trouble, Trouble { step: 3, calm: 1 });
    // Trouble that returns goes on where it was, and the good answers before it are not saved up.
    let (until, trouble) = next_ok(&Manners::default(), None, &busy(), trouble, 7);
    assert!(is_about(until.since(NOW), 480));
    assert_eq!(trouble, Trouble { step: 4, calm: 0 });
    let answers = usize::from(FORGIVING_ANSWERS);
    let calm = [vec![busy(); 3], vec![good(); answers], vec![busy()]].concat();
    let (found, _) = pauses(&calm, 7);
    assert!(is_about(*found.last().expect("some"), 240), "one step was forgiven");
    let long_calm = [vec![busy(); 3], vec![good(); 3 * answers], vec![busy()]].concat();
    let (found, _) = pauses(&long_calm, 7);
    assert!(is_about(*found.last().expect("some"), 60), "all was forgiven");
    assert!(
        found[3..3 + answers].iter().all(|pause| *pause == secs(1)),
        "good answers wait for us"
    );
}

#[test]
fn sites_that_fail_together_do_not_come_back_together_but_each_by_its_own_rule() {
    let pause = |name: &str| {
        let url = format!("http://{name}.test/").parse().expect("a URL");
        let site = Site::of(&url).expect("a site");
        pauses(&[busy()], salt(&site)).0[0]
    };
    let names: Vec<String> = (0..50).map(|number| format!("site-{number}")).collect();
    let mut found: Vec<Duration> = names.iter().map(|name| pause(name)).collect();
    assert_eq!(found, names.iter().map(|name| pause(name)).collect::<Vec<_>>());
    assert!(found.iter().all(|pause| is_about(*pause, 60)));
    found.sort();
    found.dedup();
    assert!(found.len() > 40, "{found:?}");
    assert!(found[found.len() - 1] - found[0] > secs(5), "they spread over the tenth: {found:?}");
}

#[test]
fn a_server_that_is_quick_again_is_asked_as_often_as_before() {
    let slow = Visit { took: secs(5), ..good() };
    let (found, _) = pauses(&[good(), slow, good()], 7);
    assert_eq!(found, [secs(1), secs(20), secs(1)]);
}

#[test]
fn a_missing_page_is_no_trouble() {
    let missing =
        Visit { outcome: Outcome::ClientError, status: 404, failures_in_row: 9, ..good() };
    assert_eq!(pause(&Manners::default(), None, &missing), secs(1));
}
