//! What is watched in a data folder? Who looks, what is kept, and who is told.

mod check;
mod hook;
mod keeper;
mod look;
mod mail;
mod orders;
mod send;
mod shelf;

pub(crate) use check::{Checked, check};
pub(crate) use keeper::open;
pub(crate) use orders::{Added, add, edit, go_on, rotate};
pub(crate) use send::{Sent, send_due};
pub(crate) use shelf::Shelf;

use crate::config::Config;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use jiff::tz::TimeZone;
use lycosa_model::Tick;
use lycosa_model::message::{WatchOrder, WatchView};
use lycosa_watch::{Plan, Watch, Wrong};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What whoever looks and tells needs.
#[derive(Clone)]
pub(crate) struct Env {
    pub(crate) data: PathBuf,
    pub(crate) config: Config,
    pub(crate) shelf: Shelf,
    pub(crate) interrupt: Interrupt,
}

impl Env {
    pub(crate) fn new(data: &Path, config: Config, interrupt: Interrupt) -> Env {
        Env { data: data.to_owned(), config, shelf: Shelf::new(data), interrupt }
    }
}

/// The plan of an order, and its time zone.
pub(crate) fn plan_of(order: &WatchOrder) -> Result<(Plan, TimeZone), Failure> {
    let plan = Plan::of(order).map_err(|Wrong { error, hint }| Failure::new(error).hint(hint))?;
    let zone = match order.zone.as_deref() {
        None => TimeZone::system(),
        Some(name) if name.eq_ignore_ascii_case("utc") => TimeZone::UTC,
        Some(name) => TimeZone::get(name).map_err(|_| {
            Failure::new(format!("`{name}` is no time zone of this machine"))
                .hint("write one as in Europe/Madrid, or UTC")
        })?,
    };
    Ok((plan, zone))
}

/// A watch as others may see it.
pub(crate) fn view_of(watch: &Watch) -> WatchView {
    let schedule = Plan::of(&watch.order).map(|plan| plan.schedule.text().to_owned());
    watch.view(schedule.as_deref().unwrap_or_default())
}

/// What to say when there is no watch of a number.
pub(crate) fn unknown(id: u64) -> Failure {
    Failure::new(format!("there is no watch {id}")).hint("lycosa watch list tells which there are")
}

/// The time of the day, as schedules mean it.
pub(crate) fn now() -> Tick {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Tick(wall.as_millis() as u64)
}
