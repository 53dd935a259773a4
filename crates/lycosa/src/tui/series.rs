//! How did it go over time? Pages, their relevance and who lived, in steps that grow with the run.

use lycosa_model::{Deed, Event, Happening};

/// Steps at most; when there are more, two become one.
const MOST_STEPS: usize = 240;

/// Seconds of a step at first.
const FIRST_STEP: f64 = 1.0;

/// What happened in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Step {
    /// Pages that came.
    pub(super) pages: u64,
    /// The relevance of all of them.
    pub(super) relevance: f64,
    /// Agents that lived at its end.
    pub(super) alive: u64,
}

impl Step {
    /// This one and the next as one.
    fn and(self, next: Step) -> Step {
        Step {
            pages: self.pages + next.pages,
            relevance: self.relevance + next.relevance,
            alive: next.alive,
        }
    }

    /// Relevance per page.
    pub(super) fn mean(&self) -> f64 {
        if self.pages == 0 { 0.0 } else { self.relevance / self.pages as f64 }
    }
}

/// A run in steps.
#[derive(Clone, Debug)]
pub(super) struct Series {
    steps: Vec<Step>,
    /// Seconds of a step.
    pub(super) length: f64,
    alive: u64,
}

impl Default for Series {
    fn default() -> Series {
        Series { steps: Vec::new(), length: FIRST_STEP, alive: 0 }
    }
}

impl Series {
    pub(super) fn add(&mut self, event: &Event) {
        match &event.what {
            // Whoever lived before a run was cut off is gone.
            Happening::Begun { .. } => self.alive = 0,
            Happening::Agent { deed: Deed::Born { .. }, .. } => self.alive += 1,
            Happening::Agent { deed: Deed::Died { .. }, .. } => {
                self.alive = self.alive.saturating_sub(1);
            }
            _ => {}
        }
        let alive = self.alive;
        let step = self.step(event.t);
        step.alive = alive;
        if let Happening::Page { attempt, .. } = &event.what
            && attempt.outcome == "fetched"
        {
            step.pages += 1;
            step.relevance += f64::from(attempt.relevance.unwrap_or_default());
        }
    }

    /// The step of a moment.
    fn step(&mut self, t: f64) -> &mut Step {
        let t = if t.is_finite() { t.max(0.0) } else { 0.0 };
        while t / self.length >= MOST_STEPS as f64 {
            self.length *= 2.0;
            let pair = |pair: &[Step]| pair.iter().copied().reduce(Step::and).unwrap_or_default();
            self.steps = self.steps.chunks(2).map(pair).collect();
        }
        let place = (t / self.length) as usize;
        let last = self.steps.last().map_or(0, |step| step.alive);
        while self.steps.len() <= place {
            self.steps.push(Step { alive: last, ..Step::default() });
        }
        &mut self.steps[place]
    }

    /// All of it in at most so many columns, and the seconds of one.
    pub(super) fn columns(&self, most: usize) -> (Vec<Step>, f64) {
        let group = self.steps.len().div_ceil(most.max(1)).max(1);
        let join = |some: &[Step]| some.iter().copied().reduce(Step::and).unwrap_or_default();
        (self.steps.chunks(group).map(join).collect(), self.length * group as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::Attempt;

    fn page(t: f64) -> Event {
        let attempt =
            Attempt { outcome: "fetched".into(), relevance: Some(0.5), ..Attempt::default() };
        let what = Happening::Page { n: 1, title: String::new(), attempt: Box::new(attempt) };
        Event { t, what }
    }

    #[test]
    fn a_long_run_has_no_more_steps_than_a_short_one_and_loses_no_page() {
        let mut series = Series::default();
        for t in 0..10_000 {
            series.add(&page(f64::from(t)));
        }
        series.add(&page(f64::NAN));
        for most in [1, 7, 100, 1_000] {
            let (columns, seconds) = series.columns(most);
            assert!(columns.len() <= most.min(MOST_STEPS), "{most}");
            assert_eq!(columns.iter().map(|step| step.pages).sum::<u64>(), 10_001);
            assert!(seconds * columns.len() as f64 >= 10_000.0);
            assert_eq!(columns[0].mean(), 0.5);
        }
    }
}
