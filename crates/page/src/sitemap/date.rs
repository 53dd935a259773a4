//! When is it from? The date forms of sitemaps and feeds.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::rfc2822};
use lycosa_model::Tick;

/// Reads a W3C date (`2004`, `2004-12`, `2004-12-23`, `2004-12-23T18:00:15+00:00`) or a mail date
/// (`Thu, 05 Jan 2017 13:34:51 +0100`). Without a time zone the first counts as UTC; the second is no
/// date. Nothing before 1970 is one.
pub(super) fn parse(text: &str) -> Option<Tick> {
    /// Longer than every date.
    const MOST: usize = 64;
    let text = text.trim();
    if text.is_empty() || text.len() > MOST {
        return None;
    }
    let moment = w3c(text).or_else(|| mail(text))?;
    u64::try_from(moment.as_millisecond()).ok().map(Tick)
}

fn w3c(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let full = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    let local = full
        .parse::<DateTime>()
        .or_else(|_| full.parse::<Date>().map(|date| date.to_datetime(jiff::civil::Time::MIN)))
        .ok()?;
    TimeZone::UTC.to_timestamp(local).ok()
}

fn mail(text: &str) -> Option<Timestamp> {
    // The day of the week may be wrong; the date counts.
    let parser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    parser.parse_timestamp(text).ok()
}
