//! What is a hunt told, and what of it is written down?

use super::manager::{Manager, note, refused};
use super::shelf::Kept;
use lycosa_frontier::Exclusions;
use lycosa_model::Phase;
use lycosa_model::message::{HuntReply, HuntView, InterfaceMessage, InterfaceReply};

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
                // The run knows what it leaves alone; before it began, the order does.
                if !begun && (work.is_some() || kept.view().run.is_some()) {
                    let hint = "say it again when it runs";
                    return Err(refused("nobody works on it at the moment", hint));
                }
                let list = changed(&kept.view(), &message)?;
                note(kept, |view| view.order.exclude = list);
            }
            _ if begun => {}
            _ => return Err(refused("it has not begun yet", "say it again when it runs")),
        }
        Ok(())
    }
}

/// What an order leaves alone after this.
fn changed(view: &HuntView, message: &InterfaceMessage) -> Result<Vec<String>, HuntReply> {
    let mut all = Exclusions::of(&view.order.exclude).unwrap_or_default();
    let begun = view.run.is_some();
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
        // The run has taken it already; the record only follows.
        Err(error) if !begun => Err(refused(error.to_string(), error.hint())),
        _ => Ok(all.list().to_vec()),
    }
}
