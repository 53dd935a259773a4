//! Is an address a day of a calendar?

use super::slots::{digest, slot};
use crate::normal::Address;
use lycosa_model::{PatternCount, Tick, Trap};
use std::borrow::Cow;

/// Years behind the horizon in which a date is refused. A calendar goes from month to month, so it cannot
/// get past them; numbers that look like years further ahead are numbers.
const BAND: i64 = 100;
/// The year in which clocks begin.
const FIRST_YEAR: i64 = 1970;
/// Milliseconds in a year.
const YEAR_MS: u64 = 31_556_952_000;
/// What may stand behind a date that is all there is to say.
const VIEWS: [&str; 8] = ["index", "default", "day", "week", "month", "list", "agenda", "today"];
/// Parameters that hold a year, when another one holds the month.
const YEAR_KEYS: [&str; 5] = ["year", "yr", "y", "ano", "jahr"];
/// Parameters that hold a month.
const MONTH_KEYS: [&str; 6] = ["month", "mon", "mo", "m", "mes", "monat"];
/// Parameters that hold seconds since 1970.
const CLOCK_KEYS: [&str; 6] = ["time", "date", "day", "ts", "timestamp", "cal_d"];

/// An address with a date in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dated {
    /// Digest of the address with a blank for the date.
    pub(super) pattern: u64,
    /// The year, where the date is all that the address is about and is certainly one.
    year: Option<i64>,
}

impl Dated {
    /// Whether a calendar has run ahead of its readers. There is no such limit for the past: newspapers and
    /// archives have days of any year, and a calendar that leads back ends by its count.
    pub(super) fn is_beyond(&self, horizon: u32, now: Tick) -> bool {
        let present = FIRST_YEAR + (now.0 / YEAR_MS) as i64;
        let last = present + i64::from(horizon);
        let ahead = last + 1..=last + BAND;
        self.year.is_some_and(|year| ahead.contains(&year))
    }
}

/// Counts an address among those that differ only by the date, unless there are `most`.
pub(super) fn count(slots: &mut Vec<PatternCount>, pattern: u64, most: u32) -> Result<(), Trap> {
    let Some(slot) = slot(slots, pattern) else {
        return Ok(());
    };
    if slot.count >= most {
        return Err(Trap::Calendar);
    }
    slot.count += 1;
    Ok(())
}

/// The date in an address, if there is one.
pub(super) fn find(address: &Address) -> Option<Dated> {
    let path = in_path(address.path());
    let query = address.query().and_then(in_query);
    if path.is_none() && query.is_none() {
        return None;
    }
    let year = query.as_ref().map_or(path.as_ref().and_then(|found| found.1), |found| found.1);
    let path = path.map_or(Cow::Borrowed(address.path()), |found| Cow::Owned(found.0));
    let query =
        query.map_or(Cow::Borrowed(address.query().unwrap_or("")), |found| Cow::Owned(found.0));
    Some(Dated { pattern: digest(&format!("{path}?{query}")), year })
}

/// The path with a blank for its first date; with the year, when nothing else follows.
fn in_path(path: &str) -> Option<(String, Option<i64>)> {
    let segments: Vec<&str> = path.split('/').collect();
    (0..segments.len()).find_map(|at| {
        let (date, width) = over_segments(&segments[at..])?;
        let behind = &segments[at + width..];
        let bare = behind.iter().all(|text| text.is_empty() || VIEWS.contains(&stem(text)));
        let pattern = format!("{}/*/{}", segments[..at].join("/"), behind.join("/"));
        Some((pattern, date.year.filter(|_| bare)))
    })
}

/// A date at the beginning of these segments, and over how many of them.
fn over_segments(segments: &[&str]) -> Option<(Date, usize)> {
    let first = segments.first()?;
    if let Some(date) = in_text(stem(first)) {
        return Some((date, 1));
    }
    let year = number(first, 4..=4).filter(|year| (1000..3000).contains(year))?;
    let month = segments.get(1).copied().map(stem)?;
    number(month, 1..=2).filter(|month| (1..=12).contains(month))?;
    let day = segments.get(2).and_then(|text| number(stem(text), 1..=2));
    let day = day.filter(|day| (1..=31).contains(day));
    Some((Date { year: Some(year) }, if day.is_some() { 3 } else { 2 }))
}

/// The query with blanks for its dates, and the year of one.
fn in_query(query: &str) -> Option<(String, Option<i64>)> {
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
        .map(|(key, value)| (key.to_ascii_lowercase(), value.into_owned()))
        .collect();
    let is_month = |(key, value): &(String, String)| {
        MONTH_KEYS.contains(&key.as_str())
            && number(value, 1..=2).is_some_and(|month| (0..=12).contains(&month))
    };
    let has_month = pairs.iter().any(is_month);
    let mut found: Option<Date> = None;
    let mut pattern = String::new();
    for pair in &pairs {
        let (key, value) = pair;
        let date = in_text(value).or_else(|| {
            let year = YEAR_KEYS.contains(&key.as_str()) && has_month;
            if year { number(value, 4..=4).map(|year| Date { year: Some(year) }) } else { None }
        });
        let date = date.or_else(|| CLOCK_KEYS.contains(&key.as_str()).then(|| clock(value))?);
        let part_of_date = is_month(pair) || (has_month && matches!(key.as_str(), "day" | "d"));
        let shown = if date.is_some() || part_of_date { "*" } else { value.as_str() };
        pattern.push_str(key);
        pattern.push('=');
        pattern.push_str(shown);
        pattern.push('&');
        found = found.or(date);
    }
    found.map(|date| (pattern, date.year))
}

/// A date; with its year, unless it may as well be another number.
#[derive(Clone, Copy)]
struct Date {
    year: Option<i64>,
}

/// `2024-05`, `2024-05-12`, `12.05.2024`, `05/2024`, `20240512`, `2024-W19`, also with a time of day.
fn in_text(text: &str) -> Option<Date> {
    let text = text.split(['T', ' ']).next().unwrap_or(text);
    if let Some(compact) = number(text, 8..=8) {
        let (year, month, day) = (compact / 10_000, compact / 100 % 100, compact % 100);
        let plausible = (1900..2100).contains(&year) && is_day(month, day);
        return plausible.then_some(Date { year: None });
    }
    let separator = text.chars().find(|char| "-_./".contains(*char))?;
    let mut fields = text.splitn(4, separator);
    let (first, second, third) = (fields.next()?, fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    if let (Some(year), None, Some(week)) = (number(first, 4..=4), third, second.strip_prefix('W'))
    {
        return number(week, 1..=2).map(|_| Date { year: Some(year) });
    }
    let third = third.map(|text| number(text, 1..=4).ok_or(())).transpose().ok()?;
    let (year, month, day) = match (first.len(), number(first, 1..=4)?, number(second, 1..=4)?) {
        (4, year, month) => (year, month, third.unwrap_or(1)),
        (_, day, month) if third.is_some_and(|year| year >= 1000) && month <= 12 => {
            (third?, month, day)
        }
        (_, month, day) if third.is_some_and(|year| year >= 1000) => (third?, month, day),
        (_, month, year) if third.is_none() && year >= 1000 && separator != '.' => (year, month, 1),
        _ => return None,
    };
    let plausible = (1000..3000).contains(&year) && is_day(month, day);
    plausible.then_some(Date { year: Some(year) })
}

/// Seconds since 1970, from 2001 on.
fn clock(text: &str) -> Option<Date> {
    let seconds = number(text, 10..=10)?;
    let year = FIRST_YEAR + seconds / (YEAR_MS as i64 / 1000);
    Some(Date { year: Some(year) })
}

fn is_day(month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// A name without its extension.
fn stem(segment: &str) -> &str {
    match segment.rsplit_once('.') {
        Some((stem, extension)) if extension.bytes().all(|byte| byte.is_ascii_alphabetic()) => stem,
        _ => segment,
    }
}

/// A number of so many digits.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let plain = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
