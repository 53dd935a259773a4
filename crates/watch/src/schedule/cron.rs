//! What do the five fields of cron say? Minute, hour, day of the month, month, day of the week.

use jiff::civil::Date;

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const LONG_DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Sets of numbers, a bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether a day may be one of the month or one of the week, as cron has it when both are named.
    either: bool,
}

impl Fields {
    /// Reads five fields.
    pub(super) fn parse(text: &str) -> Result<Fields, String> {
        let parts: Vec<&str> = text.split(' ').collect();
        let [minutes, hours, days, months, week] = parts.as_slice() else {
            return Err(format!("`{text}` does not have five fields"));
        };
        Ok(Fields {
            minutes: set(minutes, 0, 59, &[])?,
            hours: set(hours, 0, 23, &[])?,
            days: set(days, 1, 31, &[])?,
            months: set(months, 1, 12, &MONTHS)?,
            weekdays: sundays(set(week, 0, 7, &DAYS)?),
            either: !days.starts_with('*') && !week.starts_with('*'),
        })
    }

    /// These minutes and hours on these days of the week.
    pub(super) fn on_weekdays(minutes: u64, hours: u64, weekdays: u64) -> Fields {
        Fields { minutes, hours, days: u64::MAX, months: u64::MAX, weekdays, either: false }
    }

    /// Whether it is on this day.
    pub(super) fn has_day(&self, date: Date) -> bool {
        let of_month = has(self.days, date.day());
        let of_week = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        let day = if self.either { of_month || of_week } else { of_month && of_week };
        day && has(self.months, date.month())
    }

    /// The hours and minutes of a day, in order.
    pub(super) fn times(&self) -> impl Iterator<Item = (i8, i8)> + '_ {
        let hours = (0..24).filter(|hour| has(self.hours, *hour));
        hours.flat_map(|hour| {
            let minutes = (0..60).filter(|minute| has(self.minutes, *minute));
            minutes.map(move |minute| (hour, minute))
        })
    }
}

fn has(set: u64, number: i8) -> bool {
    set & (1 << number) != 0
}

/// Both 0 and 7 are Sunday.
fn sundays(set: u64) -> u64 {
    if has(set, 7) { set | 1 } else { set }
}

/// `*`, `weekdays`, `mon,fri`, `mon-fri`, `tuesday`.
pub(super) fn weekdays(text: &str) -> Result<u64, String> {
    match text {
        "*" | "day" | "days" | "daily" => Ok(u64::MAX),
        "weekday" | "weekdays" => set("1-5", 0, 7, &DAYS),
        "weekend" | "weekends" => set("0,6", 0, 7, &DAYS),
        _ => {
            let short = |name: &str| {
                let name = name.trim();
                let place = LONG_DAYS.iter().position(|long| name.strip_suffix('s') == Some(long));
                let place = place.or(LONG_DAYS.iter().position(|long| *long == name));
                place.map_or(name, |place| DAYS[place]).to_owned()
            };
            let parts: Vec<String> = text.split(',').map(short).collect();
            // Numbers of days are cron's; here a number would be taken for something else.
            match text.bytes().any(|byte| byte.is_ascii_digit()) {
                true => Err(format!("`{text}` is no day of the week")),
                false => set(&parts.join(","), 0, 7, &DAYS).map(sundays),
            }
        }
    }
}

/// `*`, `*/5`, `1-5`, `10-40/10`, `1,2,7`; names stand for the numbers from the least on.
fn set(text: &str, least: i8, most: i8, names: &[&str]) -> Result<u64, String> {
    let mut bits = 0;
    for part in text.split(',') {
        let wrong = || format!("`{part}` is not between {least} and {most}");
        let number = |text: &str| {
            let name = names.iter().position(|name| *name == text);
            let named = name.and_then(|place| i8::try_from(place).ok()).map(|place| place + least);
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = named.or_else(|| text.parse().ok().filter(|_| plain));
            number.filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
        };
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<usize>().map_err(|_| wrong())?)),
            None => (part, None),
        };
        if step == Some(0) {
            return Err(wrong());
        }
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            // `5/10` goes on to the end, as in other crons.
            None if step.is_some() => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        // `fri-mon` goes over the end of the week.
        let numbers: Vec<i8> = match first <= last {
            true => (first..=last).collect(),
            false if names == DAYS => (first..=6).chain(0..=last).collect(),
            false => return Err(wrong()),
        };
        for number in numbers.into_iter().step_by(step.unwrap_or(1)) {
            bits |= 1 << number;
        }
    }
    Ok(bits)
}
