use super::policy::{Bounds, Census, Policy, Standing};
use super::*;
use proptest::prelude::*;

const DAY: u64 = 86_400;

fn day(number: u64) -> Tick {
    Tick(number * DAY * 1000)
}

fn told(days: f64, change: Change) -> Observation {
    Observation { seconds: (days * DAY as f64) as u32, change }
}

fn visit(history: &mut History, at: Tick, changed: bool) {
    looked(history, &Look { at, changed, last_modified: None });
}

#[test]
fn a_page_that_changes_at_every_look_changes_fast_and_one_that_never_does_slowly() {
    let daily = |change| rate::estimate(&[told(1.0, change); 12]);
    assert!(daily(Change::Some) > 3.0, "{}", daily(Change::Some));
    assert!(daily(Change::None) < 0.2, "{}", daily(Change::None));
    // Twelve quiet looks are one long one.
    let once = rate::estimate(&[told(12.0, Change::None)]);
    assert!((once - daily(Change::None)).abs() < 1e-6);
}

#[test]
fn nothing_known_gives_the_rate_of_the_imaginary_looks() {
    // exp(D/2) - 1 = 1.
    assert!((rate::estimate(&[]) - 2.0 * 2.0_f64.ln()).abs() < 1e-6);
}

#[test]
fn the_rate_of_a_poisson_page_is_found() {
    // Every third look of a day finds a change: -ln(2/3) = 0.405 changes per day.
    let looks: Vec<_> =
        (0..600).map(|n| told(1.0, if n % 3 == 0 { Change::Some } else { Change::None })).collect();
    assert!((rate::estimate(&looks) - 0.405).abs() < 0.01, "{}", rate::estimate(&looks));
}

#[test]
fn last_modified_tells_more_than_the_interval() {
    let vague = rate::estimate(&[told(10.0, Change::Some)]);
    let exact = rate::estimate(&[told(9.5, Change::AtStart)]);
    assert!(exact < vague, "{exact} {vague}");
    let mut history = History::default();
    let at = day(100);
    looked(&mut history, &Look { at, changed: true, last_modified: Some(day(70)) });
    assert_eq!(history.observations, [told(30.0, Change::AtStart)]);
    assert_eq!(history.changed, None, "nobody saw it change");
}

#[test]
fn a_server_that_dates_every_answer_now_tells_nothing() {
    let mut history = History::default();
    let at = day(3);
    looked(&mut history, &Look { at, changed: true, last_modified: Some(at) });
    assert_eq!(history.observations, []);
}

#[test]
fn quiet_looks_are_joined_and_the_oldest_are_forgotten() {
    let mut history = History::default();
    for n in 0..100 {
        visit(&mut history, day(n), n % 4 == 0);
    }
    assert!(history.observations.len() <= MAX_OBSERVATIONS);
    assert!(history.observations.contains(&told(3.0, Change::None)));
    assert_eq!(history.visits, 100);
    assert_eq!(history.changed, Some(day(96)));
}

#[test]
fn a_page_is_gone_only_when_it_was_missed_again_after_a_while() {
    let rule = RevisitRule::default();
    let mut history = History::default();
    visit(&mut history, day(1), true);
    assert!(!rule.missed(&mut history, day(2), false));
    assert!(!rule.missed(&mut history, day(2), false), "twice in a moment is once");
    assert!(rule.missed(&mut history, day(3), false));
    visit(&mut history, day(4), false);
    assert_eq!((history.missing, history.missing_since), (0, None), "it is back");
    assert!(rule.missed(&mut history, day(5), true), "410 is said for good");
}

#[test]
fn a_missing_page_is_asked_for_soon_and_then_less_often() {
    let rule = RevisitRule::default();
    let policy = census(&[page(0.001, 1.0)]).policy(1.0, rule.bounds());
    let mut history = History::default();
    visit(&mut history, day(10), false);
    let id = UrlId::of("http://a.test/");
    rule.missed(&mut history, day(11), false);
    let soon = rule.due(&policy, id, &page(0.001, 1.0), &history);
    assert_eq!(soon, day(11).after(rule.gone_after));
    for _ in 0..30 {
        rule.missed(&mut history, day(11), false);
    }
    let late = rule.due(&policy, id, &page(0.001, 1.0), &history);
    assert!(late > soon && late <= day(11).after(rule.max_interval));
}

#[test]
fn an_announced_change_brings_a_page_forward() {
    let rule = RevisitRule::default();
    let standing = page(0.01, 5.0);
    let policy = census(&[standing; 10]).policy(1.0, rule.bounds());
    let mut history = History::default();
    visit(&mut history, day(10), true);
    let id = UrlId::of("http://a.test/");
    let before = rule.due(&policy, id, &standing, &history);
    history.announced = Some(day(9));
    assert_eq!(rule.due(&policy, id, &standing, &history), before, "our copy is newer");
    history.announced = Some(day(10).after(Duration::from_secs(1)));
    let soon = rule.due(&policy, id, &standing, &history);
    let interval = |at: Tick| at.since(day(10)).as_secs_f64();
    assert!(interval(soon) < 0.15 * interval(before), "{soon:?} {before:?}");
    // A site that cries wolf is believed less and less.
    history.false_announcements = 9;
    let later = rule.due(&policy, id, &standing, &history);
    assert!(later > soon && later <= before);
}

#[test]
fn a_site_that_keeps_its_word_is_believed_until_it_does_not() {
    let mut history = History::default();
    visit(&mut history, day(0), true);
    for n in 1..=2 {
        history.announced = Some(day(n * 10 - 1));
        visit(&mut history, day(n * 10), true);
    }
    assert!(is_announced(&history));
    visit(&mut history, day(30), true);
    assert!(!is_announced(&history), "it changed in silence");
}

#[test]
fn listings_and_linked_pages_are_worth_more_and_deep_ones_less() {
    assert!(importance(0, 0, true) > importance(0, 0, false));
    assert!(importance(10, 2, false) > importance(1, 2, false));
    assert!(importance(10, 1, false) > importance(10, 5, false));
}

#[test]
fn moments_are_spread_by_the_id_alone() {
    let rule = RevisitRule::default();
    let policy = census(&[page(0.5, 1.0)]).policy(1.0, rule.bounds());
    let history = History { visited: day(1), visits: 1, ..History::default() };
    let due = |n: u32| rule.due(&policy, UrlId::of(&n.to_string()), &page(0.5, 1.0), &history);
    let moments: std::collections::BTreeSet<Tick> = (0..50).map(due).collect();
    assert!(moments.len() > 45);
    assert_eq!(due(7), due(7));
    let (first, last) = (
        day(1).after(Duration::from_secs(DAY * 9 / 10)),
        day(1).after(Duration::from_secs(DAY * 11 / 10)),
    );
    assert!(moments.iter().all(|at| (first..=last).contains(at)), "{moments:?}");
}

fn page(rate: f64, weight: f64) -> Standing {
    Standing { rate, weight, announced: false }
}

fn census(pages: &[Standing]) -> Census {
    let mut census = Census::default();
    pages.iter().for_each(|page| census.add(page));
    census
}

const WIDE: Bounds = Bounds { least: 0.0, most: 1e6 };

fn spent(policy: &Policy, pages: &[Standing]) -> f64 {
    let announced =
        |page: &Standing| if page.announced { policy.chance(page) * page.rate } else { 0.0 };
    pages.iter().map(|page| policy.visits(page) + announced(page)).sum()
}

fn standing() -> impl Strategy<Value = Standing> {
    (-4.0..1.0_f64, -2.0..2.0_f64, any::<bool>()).prop_map(|(rate, weight, announced)| Standing {
        rate: 10_f64.powf(rate).clamp(rate::MIN_RATE, rate::MAX_RATE),
        weight: 10_f64.powf(weight),
        announced,
    })
}

proptest! {
    #[test]
    fn the_budget_is_kept_and_used(
        pages in prop::collection::vec(standing(), 1..200),
        share in 0.01..2.0_f64,
    ) {
        let budget = share * pages.len() as f64;
        let policy = census(&pages).policy(budget, WIDE);
        let spent = spent(&policy, &pages);
        // Classes are half as wide as their distance, so the sum over classes is near the sum over pages.
        prop_assert!(spent <= budget * 1.1, "{spent} of {budget}");
        // Pages whose changes are announced can only take as many visits as they change.
        if pages.iter().any(|page| !page.announced) {
            prop_assert!(spent >= budget * 0.9, "{spent} of {budget}");
        }
    }

    #[test]
    fn who_is_worth_more_or_changes_more_is_visited_no_less(
        pages in prop::collection::vec(standing(), 1..50),
        budget in 0.1..100.0_f64,
        one in standing(),
    ) {
        let policy = census(&pages).policy(budget, Bounds { least: 0.01, most: 24.0 });
        let one = Standing { announced: false, ..one };
        let visits = policy.visits(&one);
        prop_assert!(visits.is_finite() && (0.0..=24.0).contains(&visits));
        let (dearer, faster) = (
            Standing { weight: one.weight * 2.0, ..one },
            Standing { rate: one.rate * 2.0, ..one },
        );
        prop_assert!(policy.visits(&dearer) >= visits);
        prop_assert!(policy.visits(&faster) >= visits * 0.999_999);
    }

    #[test]
    fn more_budget_never_means_fewer_visits(
        pages in prop::collection::vec(standing(), 1..50),
        budget in 0.1..100.0_f64,
    ) {
        let census = census(&pages);
        let (less, more) = (census.policy(budget, WIDE), census.policy(budget * 1.5, WIDE));
        for page in &pages {
            prop_assert!(more.visits(page) >= less.visits(page) * 0.999);
        }
        prop_assert!(census.freshness(&more) >= census.freshness(&less) - 1e-9);
    }

    #[test]
    fn nothing_is_ever_no_number(
        seconds in prop::collection::vec((any::<u32>(), 0..3_u8), 0..40),
        rate in any::<f64>(), weight in any::<f64>(), budget in any::<f64>(),
        least in any::<f64>(), most in any::<f64>(),
    ) {
        let looks: Vec<_> = seconds.iter().map(|(seconds, kind)| Observation {
            seconds: *seconds,
            change: [Change::None, Change::Some, Change::AtStart][usize::from(*kind)],
        }).collect();
        let found = rate::estimate(&looks);
        prop_assert!((rate::MIN_RATE..=rate::MAX_RATE).contains(&found));
        for announced in [true, false] {
            let one = Standing { rate, weight, announced };
            let census = census(&[one, page(1.0, 1.0)]);
            let policy = census.policy(budget, Bounds { least, most });
            prop_assert!(!policy.visits(&one).is_nan() && policy.visits(&one) >= 0.0);
            prop_assert!((0.0..=1.0).contains(&policy.chance(&one)));
            prop_assert!((0.0..=1.0).contains(&census.freshness(&policy)));
            let history = History { visited: day(5), visits: 1, ..History::default() };
            let due = RevisitRule::default().due(&policy, UrlId([7; 16]), &one, &history);
            prop_assert!(due >= day(5));
        }
    }
}
