//! Which moment is a date, and which year is a moment in?

use lycosa_model::Tick;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// The first moment of a year, a month or a day: `2024`, `2024-05`, `2024-05-17`, also with slashes or dots.
pub(crate) fn date(text: &str) -> Option<Tick> {
    let mut parts = text.split(['-', '/', '.']);
    let (year, month, day) = (parts.next()?, parts.next(), parts.next());
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let number = |part: Option<&str>, most: i64| -> Option<i64> {
        let Some(part) = part else { return Some(1) };
        let plain = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse().ok())?.filter(|number| (1..=most).contains(number))
    };
    let year: i64 = year.parse().ok().filter(|year| *year >= 0)?;
    let (month, day) = (number(month, 12)?, number(day, 31)?);
    let days = days_from_epoch(year, month, day);
    // 30 February is no day: it lies behind the month.
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    if days >= days_from_epoch(next.0, next.1, 1) {
        return None;
    }
    Some(Tick(ticks(days)))
}

/// The first moment of a year.
pub(crate) fn year_begins(year: u32) -> u64 {
    ticks(days_from_epoch(i64::from(year), 1, 1))
}

/// The year that a moment is in.
pub(crate) fn year_of(moment: u64) -> u32 {
    let days = moment / DAY;
    // Years are 365.2425 days on average, so a guess is at most one too far.
    let guess = 1970 + (days * 10_000 / 3_652_425) as u32;
    if year_begins(guess + 1) <= moment {
        guess + 1
    } else if year_begins(guess) > moment {
        guess - 1
    } else {
        guess
    }
}

/// Before 1970 there is no tick: the beginning of time stands for it.
fn ticks(days: i64) -> u64 {
    u64::try_from(days).unwrap_or(0) * DAY
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, by counting years from March on.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * since_march + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_years_months_and_days() {
        let days = |text| date(text).map(|tick| tick.0 / DAY);
        assert_eq!(days("1970"), Some(0));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2024-2-29"), Some(19_782));
        assert_eq!(days("2026/11"), Some(20_758));
        assert_eq!(days("1958"), Some(0), "before the first tick");
        for none in
            ["2023-02-29", "24", "20245", "2024-13", "2024-00", "2024-1-1-1", "soon", "2024-+1"]
        {
            assert_eq!(days(none), None, "{none}");
        }
    }

    #[test]
    fn every_moment_has_its_year() {
        for year in 1970..2600 {
            assert_eq!(year_of(year_begins(year)), year);
            assert_eq!(year_of(year_begins(year + 1) - 1), year);
        }
    }
}
