//! How does an archive write a moment?

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use lycosa_model::Tick;

fn civil(tick: Tick) -> DateTime {
    // A clock beyond the year 9999 is held there: a WARC date has four digits for the year.
    let millis = i64::try_from(tick.0).unwrap_or(i64::MAX);
    let moment = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX);
    Offset::UTC.to_datetime(moment)
}

/// `2026-11-15T08:19:24.363Z`, as WARC/1.1 allows.
pub fn warc_date(tick: Tick) -> String {
    let at = civil(tick);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.millisecond()
    )
}

/// `20261115081924`, as file names and CDXJ lines have it.
pub fn timestamp14(tick: Tick) -> String {
    let at = civil(tick);
    format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// Reads a WARC date (any precision from seconds on) or the 14 digits of an ARC; `None` for anything
/// else and for moments before 1970.
pub fn parse_date(text: &str) -> Option<Tick> {
    let text = text.trim();
    let millis = if text.len() >= 14 && text.bytes().all(|b| b.is_ascii_digit()) {
        let part = |from: usize, to: usize| text[from..to].parse::<i16>().ok();
        let small = |from: usize, to: usize| text[from..to].parse::<i8>().ok();
        let at = DateTime::new(
            part(0, 4)?,
            small(4, 6)?,
            small(6, 8)?,
            small(8, 10)?,
            small(10, 12)?,
            small(12, 14)?,
            0,
        )
        .ok()?;
        Offset::UTC.to_timestamp(at).ok()?.as_millisecond()
    } else {
        text.parse::<Timestamp>().ok()?.as_millisecond()
    };
    u64::try_from(millis).ok().map(Tick)
}
