use super::*;
use proptest::prelude::*;

fn at(text: &str, zone: &TimeZone) -> Tick {
    let date: jiff::civil::DateTime = text.parse().expect("a date");
    let zoned = date.to_zoned(zone.clone()).expect("a moment");
    Tick(zoned.timestamp().as_millisecond() as u64)
}

fn next(schedule: &str, after: &str) -> String {
    let schedule = Schedule::parse(schedule).expect(schedule);
    let tick = schedule.next(at(after, &TimeZone::UTC), &TimeZone::UTC).expect("a moment");
    moment(tick).expect("a moment").to_zoned(TimeZone::UTC).datetime().to_string()
}

#[test]
fn schedules_are_read_as_people_write_them() {
    // The 16th of November 2026 is a Monday.
    for (schedule, expected) in [
        ("every 6 hours", "2026-11-16T15:30:00"),
        ("Every  30 minutes", "2026-11-16T10:00:00"),
        ("every hour", "2026-11-16T10:30:00"),
        ("every 2d", "2026-11-18T09:30:00"),
        ("hourly", "2026-11-16T10:30:00"),
        ("daily 08:00", "2026-11-17T08:00:00"),
        ("daily at 9:45", "2026-11-16T09:45:00"),
        ("daily", "2026-11-17T08:00:00"),
        ("18:30", "2026-11-16T18:30:00"),
        ("every day at 7:00", "2026-11-17T07:00:00"),
        ("weekdays 09:30", "2026-11-17T09:30:00"),
        ("weekends 10:00", "2026-11-21T10:00:00"),
        ("wed,fri 18:30", "2026-11-18T18:30:00"),
        ("Mondays 09:00", "2026-11-23T09:00:00"),
        ("every tuesday at 06:15", "2026-11-17T06:15:00"),
        ("fri-mon 09:00", "2026-11-20T09:00:00"),
        ("weekly", "2026-11-23T08:00:00"),
        ("*/15 * * * *", "2026-11-16T09:45:00"),
        ("0 8 * * 1-5", "2026-11-17T08:00:00"),
        ("5,35 9-11 * * *", "2026-11-16T09:35:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00"),
        ("0 0 1 * 7", "2026-11-22T00:00:00"),
        ("0 12 * jan mon", "2027-01-04T12:00:00"),
    ] {
        assert_eq!(next(schedule, "2026-11-16T09:30:00"), expected, "{schedule}");
    }
}

#[test]
fn what_is_no_schedule_is_refused() {
    for text in [
        "",
        "sometimes",
        "every",
        "every blue moon",
        "every 5 seconds",
        "every 0 hours",
        "daily 25:00",
        "daily 8",
        "mon,moonday 08:00",
        "60 * * * *",
        "* * * * 8",
        "*/0 * * * *",
        "0 0 30 2 *",
        "1 2 3 4",
        "every 99999999999999999999 days",
        "every 400 days",
        "5 08:00",
        "-1:30",
        "+8:00",
    ] {
        assert!(Schedule::parse(text).is_err(), "{text}");
    }
}

#[test]
fn clocks_that_are_put_forward_or_back_do_no_harm() {
    let Ok(madrid) = TimeZone::get("Europe/Madrid") else {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        return in_madrid(&zone);
    };
    in_madrid(&madrid);
}

fn in_madrid(zone: &TimeZone) {
    let schedule = Schedule::parse("daily 02:30").expect("a schedule");
    // There is no 02:30 on the 29th of March 2026, and two of them on the 25th of October.
    let spring = schedule.next(at("2026-03-28T12:00:00", zone), zone).expect("a moment");
    assert_eq!(spring, at("2026-03-29T03:30:00", zone));
    let first = schedule.next(at("2026-10-24T12:00:00", zone), zone).expect("a moment");
    let second = schedule.next(first, zone).expect("a moment");
    assert_eq!(second, at("2026-10-26T02:30:00", zone));
}

#[test]
fn quiet_hours_go_over_midnight() {
    let zone = TimeZone::UTC;
    let quiet = Quiet::parse("22:00-07:00").expect("hours");
    let until = |text: &str| quiet.until(at(text, &zone), &zone);
    assert_eq!(until("2026-11-16T21:59:59"), None);
    assert_eq!(until("2026-11-16T22:00:00"), Some(at("2026-11-17T07:00:00", &zone)));
    assert_eq!(until("2026-11-17T06:59:59"), Some(at("2026-11-17T07:00:00", &zone)));
    assert_eq!(until("2026-11-17T07:00:00"), None);
    let noon = Quiet::parse("12:00-13:30").expect("hours");
    let end = noon.until(at("2026-11-16T13:00:00", &zone), &zone);
    assert_eq!(end, Some(at("2026-11-16T13:30:00", &zone)));
    for text in ["22:00", "7-8", "08:00-08:00", "a-b", "25:00-26:00"] {
        assert!(Quiet::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_schedule_that_comes_later_or_none(text in "[a-z0-9*/,: -]{0,24}", after in 0u64..4_000_000_000_000) {
        if let Ok(schedule) = Schedule::parse(&text) {
            let next = schedule.next(Tick(after), &TimeZone::UTC);
            prop_assert!(next.is_none_or(|next| next > Tick(after)));
        }
    }
}
