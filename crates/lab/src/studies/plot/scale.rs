//! Where does a value stand, and which numbers stand beside the axis?

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Equal differences are equally wide.
    #[default]
    Linear,
    /// Equal ratios are; only values above 0 have a place.
    Log,
}

/// A range of values, ends at round numbers unless they were given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) spread: Spread,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// What counts as the same tick in spite of rounding.
const ROUNDING: f64 = 1e-9;

impl Scale {
    /// A scale that shows all these values. Ends that are given stay; the others move out to the next round
    /// number when `rounded`.
    pub(super) fn over(
        values: impl Iterator<Item = f64>,
        spread: Spread,
        ends: (Option<f64>, Option<f64>),
        rounded: bool,
    ) -> Scale {
        let has_place =
            |value: &f64| value.is_finite() && (spread == Spread::Linear || *value > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.chain(ends.0).chain(ends.1).filter(has_place) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if high - low <= ROUNDING * high.abs().max(low.abs()) {
            (low, high) = match spread {
                Spread::Linear if low == 0.0 => (0.0, 1.0),
                Spread::Linear => (low - low.abs() / 2.0, high + high.abs() / 2.0),
                Spread::Log => (low / 2.0, high * 2.0),
            };
        }
        let scale = Scale { spread, from: low, to: high };
        let (outer_low, outer_high) = if rounded { scale.outer() } else { (low, high) };
        let given = |end: Option<f64>| end.filter(has_place);
        let from = given(ends.0).unwrap_or(outer_low);
        let to = given(ends.1).unwrap_or(outer_high);
        match from < to {
            true => Scale { spread, from, to },
            false => Scale { spread, from: outer_low, to: outer_high },
        }
    }

    /// Where a value stands, from 0 to 1; what is outside stands at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let along = match self.spread {
            Spread::Linear => (value - self.from) / (self.to - self.from),
            Spread::Log if value <= 0.0 => 0.0,
            Spread::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        if along.is_nan() { 0.0 } else { along.clamp(0.0, 1.0) }
    }

    /// The next round numbers outside.
    fn outer(&self) -> (f64, f64) {
        match self.spread {
            Spread::Linear => {
                let step = self.step(6);
                let down = (self.from / step + ROUNDING).floor() * step;
                (down, (self.to / step - ROUNDING).ceil() * step)
            }
            Spread::Log => {
                let round = [1.0, 2.0, 5.0, 10.0];
                let power = |value: f64| 10_f64.powf((value.log10() + ROUNDING).floor());
                let (low, high) = (power(self.from), power(self.to));
                let below = round.iter().rev().find(|m| *m * low <= self.from * (1.0 + ROUNDING));
                let above = round.iter().find(|m| *m * high >= self.to * (1.0 - ROUNDING));
                (below.unwrap_or(&1.0) * low, above.unwrap_or(&10.0) * high)
            }
        }
    }

    /// 1, 2 or 5 times a power of ten, so that about `count` steps make the range.
    fn step(&self, count: usize) -> f64 {
        let raw = (self.to - self.from) / count.max(1) as f64;
        let power = 10_f64.powf(raw.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0];
        round.iter().find(|m| *m * power >= raw * (1.0 - ROUNDING)).unwrap_or(&10.0) * power
    }

    /// Round numbers inside, about `count` of them.
    pub(super) fn ticks(&self, count: usize) -> Vec<f64> {
        let slack = ROUNDING * (self.to - self.from);
        match self.spread {
            Spread::Linear => {
                let step = self.step(count);
                let first = ((self.from - slack) / step).ceil() as i64;
                let last = ((self.to + slack) / step).floor() as i64;
                (first..=last).map(|number| number as f64 * step).collect()
            }
            Spread::Log => {
                let first = self.from.log10().floor() as i32;
                let last = self.to.log10().ceil() as i32;
                let inside = |value: &f64| {
                    (self.from * (1.0 - ROUNDING)..=self.to * (1.0 + ROUNDING)).contains(value)
                };
                let of = |multiples: &[f64], every: i32| -> Vec<f64> {
                    let powers = (first..=last).filter(|power| (power - first) % every == 0);
                    powers
                        .flat_map(|power| multiples.iter().map(move |m| m * 10_f64.powi(power)))
                        .filter(inside)
                        .collect()
                };
                let fine = of(&[1.0, 2.0, 5.0], 1);
                if fine.len() <= count + 1 {
                    return fine;
                }
                let every = (1..).find(|every| of(&[1.0], *every).len() <= count + 1);
                of(&[1.0], every.unwrap_or(1))
            }
        }
    }
}

/// A number as people write it beside an axis.
pub(super) fn label(value: f64) -> String {
    let size = value.abs();
    if size < 1e-12 {
        return "0".into();
    }
    let (value, unit) = match size {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 2,
        size => 2 + (-size.log10()).ceil().max(0.0) as usize,
    };
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    text + unit
}
