//! How is a watch looked at? It is seen what is there, compared with what is known, and written down in one step.

use super::shelf::Work;
use super::{Env, look, now, plan_of, unknown};
use crate::failure::Failure;
use lycosa_model::message::{WatchCheck, WatchEntry};
use lycosa_watch::compare;
use std::collections::BTreeMap;
use std::time::Duration;

/// What was found.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) check: WatchCheck,
    pub(crate) entries: Vec<WatchEntry>,
    /// What could not be read, and why, by address.
    pub(crate) failing: BTreeMap<String, String>,
}

/// How often it is looked at once more because what is watched was changed meanwhile.
const TRIES: usize = 3;

/// Looks at a watch, and writes down what was found, unless it is only to be told. Waits so long while another
/// process looks at one.
///
/// # Errors
/// If it could not be looked at, which is written down as well.
pub(crate) fn check(
    env: &Env,
    id: u64,
    dry_run: bool,
    patience: Duration,
) -> Result<Checked, Failure> {
    let Some(_turn) = env.shelf.turn(Work::Check, patience)? else {
        return Err(Failure::new("another process is looking at watches of this data folder")
            .hint("wait for it, or stop it"));
    };
    for _ in 0..TRIES {
        if let Some(checked) = once(env, id, dry_run)? {
            return Ok(checked);
        }
    }
    Err(Failure::new("what is watched was changed meanwhile").hint("it is looked at once more"))
}

/// Looks at it; nothing if what was seen says nothing about what is watched now.
fn once(env: &Env, id: u64, dry_run: bool) -> Result<Option<Checked>, Failure> {
    let shelf = &env.shelf;
    // Read now that it is our turn: another process may have looked at it meanwhile.
    let watch = shelf.one(id)?.ok_or_else(|| unknown(id))?;
    let (plan, zone) = plan_of(&watch.order)?;
    let seen = match look::look(env, &watch, &plan) {
        Ok(seen) => seen,
        Err(failure) => {
            if !dry_run && !env.interrupt.asked() {
                let now = now();
                let due = plan.schedule.next(now, &zone).unwrap_or(now);
                let why = failure.to_string();
                shelf.change(id, |watch| watch.take_failure(why, now, due))?;
            }
            return Err(failure);
        }
    };
    let texts = shelf.texts(&watch);
    let now = now();
    let found = compare(&watch, &plan, &texts, seen, now);
    let told = Checked {
        check: found.check.clone(),
        entries: found.entries.clone(),
        failing: found.failing.clone(),
    };
    if dry_run {
        return Ok(Some(told));
    }
    let number = match &found.texts {
        Some(texts) => shelf.put_texts(&watch, texts)?,
        None => watch.texts,
    };
    let due = plan.schedule.next(now, &zone).unwrap_or(now);
    // Everything that follows from it becomes true in this moment.
    let kept = shelf.change(id, |kept| {
        let counts = !kept.is_edited_since(&watch.order);
        if counts {
            kept.texts = number;
            kept.take(found, now, due);
        }
        (kept.texts, counts)
    })?;
    shelf.remove_texts(id, kept.map(|(number, _)| number));
    let (_, counts) = kept.ok_or_else(|| unknown(id))?;
    Ok(counts.then_some(told))
}
