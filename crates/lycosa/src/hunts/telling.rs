//! What is a hunt told, and what of it is written down?

use super::manager::{Manager, note, refused};
use super::shelf::Kept;
use lycosa_frontier::Exclusions;
use lycosa_model::Phase;
use lycosa_model::message::{HuntReply, InterfaceMessage, InterfaceReply};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use std::path::Path;

impl Manager {
    /// Tells a hunt something.
    pub(super) async fn tell(&self, id: u64, message: InterfaceMessage) -> HuntReply {
        let Some(kept) = self.find(id) else { return HuntReply::Unknown };
        let view = kept.view();
        if view.state == Phase::Finished {
            return refused("it has ended", "start another one");
        }
        if !view.served {
            return refused("it was started at a terminal", "use lycosa steer there");
        }
        let begun = self.has_begun(id);
        let elsewhere = !begun && self.is_at_work_elsewhere(&view).await;
        let mut done = HuntReply::Done;
        if begun || elsewhere {
            match self.ask(message.clone()).await {
                Err(refused) => return refused,
                Ok(InterfaceReply::Tended(tended)) => done = HuntReply::Tended(tended),
                Ok(_) => {}
            }
        }
        if elsewhere {
            // Whoever works on it writes down what becomes of it.
            return done;
        }
        match self.write_down(id, &kept, message, begun) {
            Ok(()) => done,
            Err(refused) => refused,
        }
    }

    /// What it shall be is written down, so that it is the same after a restart of the server.
    fn write_down(
        &self,
        id: u64,
        kept: &Kept,
        message: InterfaceMessage,
        begun: bool,
    ) -> Result<(), HuntReply> {
        let at_work = self.at_work.as_ref().filter(|work| work.id == id);
        match (message, at_work) {
            (InterfaceMessage::Stop, None) => note(kept, |view| view.state = Phase::Finished),
            (InterfaceMessage::Stop, Some(work)) => {
                note(kept, |view| view.state = Phase::Stopping);
                if !begun {
                    // Its thread may be gone, which is as good.
                    let _ = work.stop.send(true);
                }
            }
            (InterfaceMessage::Pause, _) => note(kept, |view| view.state = Phase::Paused),
            (InterfaceMessage::GoOn, _) => note(kept, |view| {
                view.state = match (begun, at_work.is_some()) {
                    (true, _) => Phase::Running,
                    (false, true) => Phase::Starting,
                    (false, false) => Phase::Waiting,
                };
            }),
            (InterfaceMessage::Limit(limits), _) => note(kept, |view| {
                view.order.pages = limits.pages.or(view.order.pages);
                view.order.seconds = limits.seconds.or(view.order.seconds);
            }),
            (
                message @ (InterfaceMessage::Exclude { .. } | InterfaceMessage::Include { .. }),
                work,
            ) => {
                let view = kept.view();
                // The run knows what it leaves alone; before it began, the order does.
                let list = match (view.run, work) {
                    // It has taken it already; the record only follows.
                    _ if begun => {
                        changed(&view.order.exclude, &message).unwrap_or(view.order.exclude)
                    }
                    (None, None) => changed(&view.order.exclude, &message)?,
                    (Some(run), None) => amend(self.folder(), run, &message)?,
                    (_, Some(_)) => {
                        return Err(refused("it is about to begin", "say it again in a moment"));
                    }
                };
                note(kept, |view| view.order.exclude = list);
            }
            _ if begun => {}
            _ => return Err(refused("it has not begun yet", "say it again when it runs")),
        }
        Ok(())
    }
}

/// Changes what a run leaves alone that nobody works on, such as one that is paused.
fn amend(data: &Path, run: u32, message: &InterfaceMessage) -> Result<Vec<String>, HuntReply> {
    let folder = DataFolder::lock(data).map_err(not_now)?;
    let records = Records::open(&folder.broker()).map_err(not_now)?;
    let kept = records.exclusions(run).map_err(not_now)?.unwrap_or_default();
    let list = changed(&kept, message)?;
    let mut change = records.change();
    change.put_exclusions(run, &list);
    change.commit().map_err(not_now)?;
    Ok(list)
}

fn not_now(error: impl std::error::Error) -> HuntReply {
    refused(error.to_string(), "say it again in a moment")
}

/// What is left alone after this.
fn changed(kept: &[String], message: &InterfaceMessage) -> Result<Vec<String>, HuntReply> {
    let mut all = Exclusions::of(kept).unwrap_or_default();
    let outcome = match message {
        InterfaceMessage::Exclude { patterns } => {
            patterns.iter().try_for_each(|pattern| all.add(pattern).map(|_| ()))
        }
        InterfaceMessage::Include { patterns } => {
            patterns.iter().try_for_each(|pattern| all.remove(pattern).map(|_| ()))
        }
        _ => Ok(()),
    };
    match outcome {
        Ok(()) => Ok(all.list().to_vec()),
        Err(error) => Err(refused(error.to_string(), error.hint())),
    }
}
