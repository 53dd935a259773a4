use super::*;
use lycosa_model::Door;

const START: Tick = Tick(0);

fn minutes(count: u64) -> Tick {
    START.after(Duration::from_secs(60 * count))
}

fn bot(dlast: Tick) -> BotRecord {
    BotRecord {
        name: "bot-1".to_owned(),
        door: Door::Http,
        dinit: START,
        dlast,
        requests: 1,
        reported: 100,
        expired: 0,
        kissed: None,
    }
}

fn judge(bot: &BotRecord, now: Tick, own_rate: f64, fleet: &Fleet) -> Option<String> {
    verdict(&KissRule::default(), bot, now, own_rate, fleet)
}

#[test]
fn a_bot_that_works_stays() {
    let fleet = Fleet::of(vec![10.0, 10.0, 12.0]);
    assert_eq!(judge(&bot(minutes(10)), minutes(10), 10.0, &fleet), None);
}

#[test]
fn a_silent_bot_is_dismissed() {
    let bot = bot(minutes(1));
    assert_eq!(judge(&bot, minutes(6), 0.0, &Fleet::default()), None);
    let reason = judge(&bot, minutes(7), 0.0, &Fleet::default());
    assert_eq!(reason.as_deref(), Some("silent for 360 s"));
}

#[test]
fn two_expired_leases_in_a_row_are_one_too_many() {
    let mut bot = bot(minutes(1));
    bot.expired = 1;
    assert_eq!(judge(&bot, minutes(1), 1.0, &Fleet::default()), None);
    bot.expired = 2;
    let reason = judge(&bot, minutes(1), 1.0, &Fleet::default());
    assert_eq!(reason.as_deref(), Some("2 leases expired in a row"));
}

#[test]
fn a_bot_below_a_tenth_of_the_median_is_dismissed() {
    let fleet = Fleet::of(vec![0.9, 10.0, 10.0, 11.0]);
    let bot = bot(minutes(5));
    assert_eq!(judge(&bot, minutes(5), 1.0, &fleet), None);
    let reason = judge(&bot, minutes(5), 0.9, &fleet).expect("a reason");
    assert!(reason.starts_with("0.9 pages a minute"), "{reason}");
}

#[test]
fn speed_is_not_judged_in_small_fleets_or_at_the_start() {
    let bot = bot(minutes(1));
    let pair = Fleet::of(vec![0.0, 10.0]);
    assert_eq!(judge(&bot, minutes(5), 0.0, &pair), None);
    let fleet = Fleet::of(vec![0.0, 10.0, 10.0]);
    assert_eq!(judge(&bot, minutes(1), 0.0, &fleet), None);
    assert!(judge(&bot, minutes(2), 0.0, &fleet).is_some());
}

#[test]
fn an_idle_fleet_is_not_a_slow_fleet() {
    let fleet = Fleet::of(vec![0.0, 0.0, 0.0]);
    assert_eq!(judge(&bot(minutes(5)), minutes(5), 0.0, &fleet), None);
}

#[test]
fn nobody_is_kissed_twice() {
    let mut bot = bot(START);
    bot.kissed = Some("silent".to_owned());
    assert_eq!(judge(&bot, minutes(60), 0.0, &Fleet::default()), None);
}

#[test]
fn the_median_is_the_middle_and_the_rate_is_per_minute() {
    assert_eq!(Fleet::of(vec![]), Fleet::default());
    assert_eq!(Fleet::of(vec![3.0, 1.0, 2.0]).median_rate, 2.0);
    assert_eq!(Fleet::of(vec![4.0, 1.0, 2.0, 3.0]).median_rate, 2.5);
    assert_eq!(rate(&bot(START), minutes(10)), 10.0);
    assert_eq!(rate(&bot(START), START), 0.0);
}
