//! When is a watch looked at? `every 6 hours`, `daily 08:00`, `mon,wed,fri 18:30`, or five fields of cron.

mod cron;
mod quiet;
#[cfg(test)]
mod tests;

pub use quiet::Quiet;

use cron::Fields;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use lycosa_model::Tick;
use std::time::Duration;

/// The schedule of a watch for which none is named.
pub const DEFAULT_SCHEDULE: &str = "every 6 hours";

/// Nobody is looked at more often.
pub const SHORTEST: Duration = Duration::from_secs(60);

/// Nobody is looked at more seldom: what is written as longer is a mistake.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// How far ahead a day is looked for: a leap day comes within eight years, also around 2100.
const HORIZON_DAYS: usize = 8 * 366 + 2;

/// What to write, for somebody who wrote something else.
pub const SCHEDULE_HINT: &str = "write `every 6 hours`, `daily 08:00`, `weekdays 18:30`, \
                                 `mon,fri 07:15` or cron as in `0 8 * * 1-5`";

/// When something is done again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    text: String,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rule {
    /// So long after the last time.
    Every(Duration),
    /// At these minutes of these days.
    At(Box<Fields>),
}

impl Schedule {
    /// Reads a schedule.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Schedule, String> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let rule = match text.strip_prefix("every ") {
            Some(rest) => every(rest)?,
            None => match text.as_str() {
                "hourly" => Rule::Every(Duration::from_secs(3_600)),
                "daily" => at_times("*", "08:00")?,
                "weekly" => at_times("mon", "08:00")?,
                other => named(other)?,
            },
        };
        if let Rule::Every(span) = &rule
            && !(SHORTEST..=LONGEST).contains(span)
        {
            return Err(format!("`{text}` is shorter than a minute or longer than a year"));
        }
        let schedule = Schedule { text, rule };
        // The 30th of February is no day.
        if schedule.next(Tick(0), &TimeZone::UTC).is_none() {
            return Err(format!("`{}` never comes", schedule.text));
        }
        Ok(schedule)
    }

    /// The first moment after this one at which it is time again.
    pub fn next(&self, after: Tick, zone: &TimeZone) -> Option<Tick> {
        match &self.rule {
            Rule::Every(span) => Some(after.after(*span)),
            Rule::At(fields) => next_at(fields, after, zone),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// `6 hours`, `hour`, `30m`, `day at 08:00`.
fn every(rest: &str) -> Result<Rule, String> {
    if let Some((days, time)) = rest.split_once(" at ") {
        let days = if days == "day" { "*" } else { days };
        return at_times(days, time);
    }
    if let Ok(days) = cron::weekdays(rest) {
        return at(days, "08:00");
    }
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let number: u64 = match number {
        "" => 1,
        digits => digits.parse().map_err(|_| format!("`{digits}` is too much"))?,
    };
    let seconds = match unit.trim() {
        "s" | "second" | "seconds" => 1,
        "m" | "min" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3_600,
        "d" | "day" | "days" => 86_400,
        "w" | "week" | "weeks" => 604_800,
        _ => return Err(format!("`every {rest}` is no schedule")),
    };
    Ok(Rule::Every(Duration::from_secs(number.saturating_mul(seconds))))
}

/// `daily 08:00`, `mon,fri 18:30`, `08:00`, cron.
fn named(text: &str) -> Result<Rule, String> {
    let parts: Vec<&str> = text.split(' ').collect();
    match parts.as_slice() {
        [time] if time.contains(':') => at_times("*", time),
        ["daily", time] | ["daily", "at", time] => at_times("*", time),
        [days, time] | [days, "at", time] | ["weekly", days, time] if time.contains(':') => {
            at_times(days, time)
        }
        [days] if cron::weekdays(days).is_ok() => at_times(days, "08:00"),
        [_, _, _, _, _] => Ok(Rule::At(Box::new(Fields::parse(text)?))),
        _ => Err(format!("`{text}` is no schedule")),
    }
}

fn at_times(days: &str, time: &str) -> Result<Rule, String> {
    at(cron::weekdays(days)?, time)
}

fn at(weekdays: u64, time: &str) -> Result<Rule, String> {
    let time = clock(time)?;
    let minutes = 1 << time.minute();
    Ok(Rule::At(Box::new(Fields::on_weekdays(minutes, 1 << time.hour(), weekdays))))
}

/// A time of the day, as in `8:00`.
pub(crate) fn clock(text: &str) -> Result<Time, String> {
    let wrong = || format!("`{text}` is no time of the day");
    let (hour, minute) = text.trim().split_once(':').ok_or_else(wrong)?;
    let number = |digits: &str| {
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<i8>().ok().filter(|_| plain)
    };
    let (hour, minute) = (number(hour).ok_or_else(wrong)?, number(minute).ok_or_else(wrong)?);
    Time::new(hour, minute, 0, 0).map_err(|_| wrong())
}

/// The moment of a tick.
pub(crate) fn moment(tick: Tick) -> Option<Timestamp> {
    Timestamp::from_millisecond(i64::try_from(tick.0).ok()?).ok()
}

/// A time of a day in a zone. A time that a day does not have, because clocks are put forward, is as much later.
pub(crate) fn tick_of(date: Date, time: Time, zone: &TimeZone) -> Option<Tick> {
    let zoned = date.to_datetime(time).to_zoned(zone.clone()).ok()?;
    u64::try_from(zoned.timestamp().as_millisecond()).ok().map(Tick)
}

fn next_at(fields: &Fields, after: Tick, zone: &TimeZone) -> Option<Tick> {
    let now = moment(after)?.to_zoned(zone.clone());
    let mut date = now.date();
    for _ in 0..HORIZON_DAYS {
        if fields.has_day(date) {
            let found = fields.times().find_map(|(hour, minute)| {
                let time = Time::new(hour, minute, 0, 0).ok()?;
                tick_of(date, time, zone).filter(|tick| *tick > after)
            });
            if found.is_some() {
                return found;
            }
        }
        date = date.checked_add(1.day()).ok()?;
    }
    None
}
