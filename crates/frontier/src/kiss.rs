//! Which bot is dismissed? i-Bot sends a silent or slow bot "a kiss".

use lycosa_model::{BotRecord, Tick};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// When a bot is dismissed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KissRule {
    /// Not heard of for longer than this.
    pub silent: Duration,
    /// Leases in a row that it let expire.
    pub expired: u32,
    /// Slower than this share of the median of the live bots.
    pub slow_share: f64,
    /// Speed is compared only among at least this many live bots: among two, the median says nothing.
    pub min_bots: usize,
    /// Speed is compared only after a bot has worked this long.
    pub warm_up: Duration,
}

impl Default for KissRule {
    fn default() -> KissRule {
        KissRule {
            silent: Duration::from_secs(5 * 60),
            expired: 2,
            slow_share: 0.10,
            min_bots: 3,
            warm_up: Duration::from_secs(2 * 60),
        }
    }
}

/// The bots that a bot is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fleet {
    /// Bots that are not dismissed, the one in question included.
    pub live: usize,
    /// Median of their pages per minute.
    pub median_rate: f64,
}

impl Fleet {
    /// The fleet whose live bots have these rates.
    pub fn of(mut rates: Vec<f64>) -> Fleet {
        rates.sort_by(f64::total_cmp);
        let live = rates.len();
        let median_rate = match (rates.get(live.wrapping_sub(1) / 2), rates.get(live / 2)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => 0.0,
        };
        Fleet { live, median_rate }
    }
}

/// Pages per minute that a bot reported since its first contact.
pub fn rate(bot: &BotRecord, now: Tick) -> f64 {
    let minutes = now.since(bot.dinit).as_secs_f64() / 60.0;
    if minutes > 0.0 { bot.reported as f64 / minutes } else { 0.0 }
}

/// Why this bot should be dismissed now, in words for its record; `None` when it should stay.
///
/// `own_rate` is the bot's pages per minute by the measure that made `fleet`. A bot that is already
/// dismissed gets no second kiss.
pub fn verdict(
    rule: &KissRule,
    bot: &BotRecord,
    now: Tick,
    own_rate: f64,
    fleet: &Fleet,
) -> Option<String> {
    if bot.kissed.is_some() {
        return None;
    }
    let silence = now.since(bot.dlast);
    if silence > rule.silent {
        return Some(format!("silent for {} s", silence.as_secs()));
    }
    if bot.expired >= rule.expired {
        return Some(format!("{} leases expired in a row", bot.expired));
    }
    let comparable = fleet.live >= rule.min_bots && now.since(bot.dinit) >= rule.warm_up;
    if comparable && own_rate < rule.slow_share * fleet.median_rate {
        return Some(format!(
            "{own_rate:.1} pages a minute, less than {:.0} % of the median {:.1}",
            rule.slow_share * 100.0,
            fleet.median_rate
        ));
    }
    None
}
