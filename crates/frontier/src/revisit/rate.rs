//! How often does a page change?
//!
//! Changes are taken for a Poisson process of an unknown rate D. An interval I without a change has the
//! likelihood `exp(-D·I)`, one with at least one change `1 - exp(-D·I)`, and one that began with the last
//! change `D·exp(-D·I)`. The rate at which their product is greatest solves
//!
//! ```text
//! sum over changed of I/(exp(D·I) - 1)  +  known changes / D  =  sum over the others of I
//! ```
//!
//! Kolobov et al., "Staying up to date with online content changes using reinforcement learning for
//! scheduling" (2019), add one imaginary interval of half a day of each of the first two kinds. It keeps
//! the rate finite where every look found a change, above zero where none did, and corrects the bias of
//! few looks.

use lycosa_model::{Change, Observation};
use std::time::Duration;

/// Lowest rate, in changes per day: one in five years and a half.
pub const MIN_RATE: f64 = 0.0005;

/// Highest rate, in changes per day.
pub const MAX_RATE: f64 = 7.0;

/// The imaginary intervals, in days.
const IMAGINARY: f64 = 0.5;

/// Steps of the bisection: the rate is then known to 10 digits.
const STEPS: usize = 48;

const DAY: f64 = 86_400.0;

/// Changes per day, from [`MIN_RATE`] to [`MAX_RATE`], whatever the observations.
pub fn estimate(observations: &[Observation]) -> f64 {
    let mut quiet = IMAGINARY;
    let mut known = 0.0;
    for told in observations {
        let days = f64::from(told.seconds) / DAY;
        match told.change {
            Change::Some => {}
            Change::None => quiet += days,
            Change::AtStart => {
                quiet += days;
                known += 1.0;
            }
        }
    }
    // Falls with the rate, so its root is between the bounds or beyond one of them.
    let surplus = |rate: f64| {
        let seen: f64 = observations
            .iter()
            .filter(|told| told.change == Change::Some)
            .map(|told| expected(rate, f64::from(told.seconds) / DAY))
            .sum();
        seen + expected(rate, IMAGINARY) + known / rate - quiet
    };
    let (mut low, mut high) = (MIN_RATE.ln(), MAX_RATE.ln());
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if surplus(middle.exp()) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high).exp().clamp(MIN_RATE, MAX_RATE)
}

/// `I/(exp(D·I) - 1)`; its limit `1/D` for an interval of no length.
fn expected(rate: f64, days: f64) -> f64 {
    let exponent = rate * days;
    if exponent < 1e-9 { 1.0 / rate } else { days / exponent.exp_m1() }
}

/// A time in days.
pub fn days(time: Duration) -> f64 {
    time.as_secs_f64() / DAY
}

/// Mean freshness of a page of this rate of changes that is visited at this rate, both per day: the share
/// of time in which our copy is right (Cho and Garcia-Molina, for visits at even intervals).
pub fn freshness(rate: f64, visits: f64) -> f64 {
    if visits <= 0.0 {
        return 0.0;
    }
    let changes = rate / visits;
    if changes < 1e-9 { 1.0 } else { -(-changes).exp_m1() / changes }
}
