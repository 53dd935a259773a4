//! When is nobody told anything? `22:00-07:00`, in the time zone of the watch.

use super::{clock, moment, tick_of};
use jiff::ToSpan;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use lycosa_model::Tick;

/// Hours of every day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    from: Time,
    to: Time,
}

impl Quiet {
    /// Reads two times of the day.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn parse(text: &str) -> Result<Quiet, String> {
        let wrong = || format!("`{text}` are no hours of the day");
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let quiet = Quiet { from: clock(from)?, to: clock(to)? };
        if quiet.from == quiet.to { Err(wrong()) } else { Ok(quiet) }
    }

    /// When they end, if this moment is one of them.
    pub fn until(&self, now: Tick, zone: &TimeZone) -> Option<Tick> {
        let here = moment(now)?.to_zoned(zone.clone());
        let time = here.time();
        let over_midnight = self.from > self.to;
        let is_quiet = match over_midnight {
            true => time >= self.from || time < self.to,
            false => time >= self.from && time < self.to,
        };
        if !is_quiet {
            return None;
        }
        let tomorrow = over_midnight && time >= self.from;
        let date = if tomorrow { here.date().checked_add(1.day()).ok()? } else { here.date() };
        // When clocks are put back the same hour comes twice.
        tick_of(date, self.to, zone).filter(|end| *end > now)
    }
}
