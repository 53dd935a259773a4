//! When was it? The forms of dates that pages, feeds and headers write.
//!
//! A date is taken apart into its time of day, its zone and what is left; that is either numbers in the
//! order of ISO 8601, or has the name of a month in it. What is ambiguous (`3/4/2005`) is no date.

use jiff::civil;
use jiff::tz::TimeZone;
use lycosa_model::Tick;

/// Bytes of the longest date that is looked at.
const MOST: usize = 80;

/// Reads ISO 8601 and its kin (`2004`, `2004-12`, `20041223`, `2004-12-23 18:00:15 +0100`), the dates of
/// mail, news and HTTP, those with the name of a month in a large European language, and seconds or
/// milliseconds since 1970. Without a zone it counts as UTC; a wrong day of the week does not matter.
/// Nothing before 1970 is a date.
pub fn parse(text: &str) -> Option<Tick> {
    let text = text.trim();
    if text.len() > MOST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(moment) = since_epoch(text) {
        return Some(moment);
    }
    let (before, clock, after) = match clock_of(text) {
        Some((at, clock, after)) => {
            let before = text[..at].trim_end();
            // The `T` of ISO 8601 belongs to the time.
            (before.strip_suffix(['T', 't']).unwrap_or(before), clock, after)
        }
        None => (text, Clock::default(), ""),
    };
    let day = day_of(before, after, clock.offset.is_some())?;
    let time = civil::Time::new(clock.hour, clock.minute, clock.second, clock.nanos).ok()?;
    let utc = TimeZone::UTC.to_timestamp(day.to_datetime(time)).ok()?;
    let moment = utc.as_millisecond() - i64::from(clock.offset.unwrap_or(0)) * 60_000;
    u64::try_from(moment).ok().map(Tick)
}

/// Seconds (ten digits) or milliseconds (thirteen) since 1970.
fn since_epoch(text: &str) -> Option<Tick> {
    let unit = match text.len() {
        10 => 1_000,
        13 => 1,
        _ => return None,
    };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse::<u64>().ok().map(|count| Tick(count * unit))
}

/// A time of day, with its distance from UTC in minutes.
#[derive(Default)]
struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
    nanos: i32,
    /// `None` where no zone is named.
    offset: Option<i32>,
}

/// The first `h:mm` in the text: where it begins, what it says with all that belongs to it, and the rest.
fn clock_of(text: &str) -> Option<(usize, Clock, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let colon = (1..bytes.len()).find(|at| {
        bytes[*at] == b':' && is_digit(at - 1) && is_digit(at + 1) && is_digit(at + 2)
    })?;
    let start = if colon >= 2 && is_digit(colon - 2) { colon - 2 } else { colon - 1 };
    let mut clock = Clock {
        hour: text[start..colon].parse().ok()?,
        minute: text[colon + 1..colon + 3].parse().ok()?,
        ..Clock::default()
    };
    let mut rest = &text[colon + 3..];
    if let Some((second, after)) = rest.strip_prefix(':').and_then(leading_number) {
        // A leap second is the one before it.
        clock.second = i8::try_from(second.min(60)).ok()?.min(59);
        rest = after;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            let padded = format!("{:0<9}", &fraction[..digits.min(9)]);
            clock.nanos = padded.parse().unwrap_or(0);
            rest = &fraction[digits..];
        }
    }
    rest = take_half_of_day(rest, &mut clock)?;
    rest = take_zone(rest, &mut clock);
    Some((start, clock, rest))
}

/// `am` and `pm`.
fn take_half_of_day<'t>(rest: &'t str, clock: &mut Clock) -> Option<&'t str> {
    let (word, after) = leading_word(rest);
    let noon = match word {
        _ if word.eq_ignore_ascii_case("am") => 0,
        _ if word.eq_ignore_ascii_case("pm") => 12,
        _ => return Some(rest),
    };
    if !(1..=12).contains(&clock.hour) {
        return None;
    }
    clock.hour = clock.hour % 12 + noon;
    Some(after)
}

/// `Z`, `+01:00`, `+0100`, `+01`, `GMT+0100` and the names of some zones; nothing is UTC.
fn take_zone<'t>(rest: &'t str, clock: &mut Clock) -> &'t str {
    let (word, after) = leading_word(rest);
    clock.offset = zone(word);
    let rest = if clock.offset.is_some() { after } else { rest };
    let signed = rest.trim_start();
    let sign = match signed.bytes().next() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return rest,
    };
    let digits: String = signed[1..].chars().filter(|c| *c != ':').take(4).collect();
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = |range| digits.get(range).and_then(|digits: &str| digits.parse::<i32>().ok());
    let (hours, minutes) = match length {
        4 => (number(0..2), number(2..4)),
        2 => (number(0..2), Some(0)),
        _ => return rest,
    };
    match (hours, minutes) {
        (Some(hours @ 0..=14), Some(minutes @ 0..=59)) => {
            clock.offset = Some(sign * (hours * 60 + minutes));
            signed[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ':')
        }
        _ => rest,
    }
}

/// Minutes from UTC of a zone's name: those of RFC 822 and of Europe.
fn zone(name: &str) -> Option<i32> {
    let hours = match name.to_ascii_uppercase().as_str() {
        "Z" | "UT" | "UTC" | "GMT" | "WET" => 0,
        "CET" | "BST" | "WEST" => 1,
        "CEST" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return None,
    };
    Some(hours * 60)
}

/// The number at the beginning, of one or two digits, and what follows.
fn leading_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=2).contains(&digits) {
        return None;
    }
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// The letters at the beginning, behind white space, and what follows.
fn leading_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    text.split_at(letters)
}

/// The day in what stands before the time of day; the year may stand behind it, as in `asctime`. A year
/// of two digits is believed only `in_full`: in the dates of mail and news, with a zone.
fn day_of(before: &str, after: &str, in_full: bool) -> Option<civil::Date> {
    let parts: Vec<&str> =
        before.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let month = parts.iter().rposition(|part| month(part).is_some());
    match month {
        Some(place) => named_day(&parts, place, after, in_full),
        None => numbered_day(before, &parts),
    }
}

/// `2004`, `2004-12`, `2004-12-23`, `20041223`, `23.12.2004`.
fn numbered_day(text: &str, parts: &[&str]) -> Option<civil::Date> {
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !parts.iter().all(is_number) || text.starts_with('-') {
        return None;
    }
    let (year, month, day) = match parts {
        [all] if all.len() == 8 => (&all[..4], &all[4..6], &all[6..]),
        [year] if year.len() == 4 && text.len() == 4 => (*year, "1", "1"),
        [year, month] if year.len() == 4 => (*year, *month, "1"),
        [year, month, day] if year.len() == 4 => (*year, *month, *day),
        [day, month, year] if year.len() == 4 && text.contains('.') => (*year, *month, *day),
        // Which is the month shows only when the other cannot be one.
        [one, two, year] if year.len() == 4 => {
            match (one.parse::<u8>().ok()? > 12, two.parse::<u8>().ok()? > 12) {
                (true, false) => (*year, *two, *one),
                (false, true) => (*year, *one, *two),
                _ => return None,
            }
        }
        _ => return None,
    };
    civil::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// `23 Dec 2004`, `Dec 23rd, 2004`, `23-Dec-04`, `23 de diciembre de 2004`, `Dec 23 18:00:15 2004`.
fn named_day(parts: &[&str], place: usize, after: &str, in_full: bool) -> Option<civil::Date> {
    let month = month(parts[place])?;
    let behind = after.split(|c: char| !c.is_ascii_digit()).find(|part| part.len() == 4);
    let mut day = None;
    let mut year = None;
    for (index, part) in parts.iter().enumerate() {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = part.split_at(digits);
        match digits {
            4 if suffix.is_empty() && year.is_none() => year = number.parse::<i16>().ok(),
            1 | 2 if day.is_none() && matches!(suffix, "" | "st" | "nd" | "rd" | "th") => {
                day = number.parse::<i8>().ok();
            }
            // The years of news: 70 is 1970 and 69 is 2069.
            2 if suffix.is_empty() && year.is_none() && index > place && in_full => {
                year = number
                    .parse::<i16>()
                    .ok()
                    .map(|short| short + if short < 70 { 2000 } else { 1900 });
            }
            _ => {}
        }
    }
    let year = year.or_else(|| behind.and_then(|part| part.parse().ok()))?;
    civil::Date::new(year, month, day?).ok()
}

/// Names of the months in English, Spanish, French, German, Portuguese, Italian and Catalan.
const MONTHS: [&[&str]; 12] = [
    &["january", "enero", "janvier", "januar", "janeiro", "gennaio", "gener", "jänner"],
    &["february", "febrero", "février", "februar", "fevereiro", "febbraio", "febrer"],
    &["march", "marzo", "mars", "märz", "março", "març"],
    &["april", "abril", "avril", "aprile"],
    &["may", "mayo", "mai", "maio", "maggio", "maig"],
    &["june", "junio", "juin", "juni", "junho", "giugno", "juny"],
    &["july", "julio", "juillet", "juli", "julho", "luglio", "juliol"],
    &["august", "agosto", "août", "agost"],
    &["september", "septiembre", "setiembre", "septembre", "setembro", "settembre"],
    &["october", "octubre", "octobre", "oktober", "outubro", "ottobre"],
    &["november", "noviembre", "novembre", "novembro"],
    &["december", "diciembre", "décembre", "dezember", "dezembro", "dicembre", "desembre"],
];

/// The month of a name or of its first letters, three at least.
fn month(word: &str) -> Option<i8> {
    if word.chars().count() < 3 || word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let word = word.to_lowercase();
    let place = MONTHS.iter().position(|names| names.iter().any(|name| name.starts_with(&word)))?;
    i8::try_from(place + 1).ok()
}

#[cfg(test)]
mod tests;
