//! What follows when a watch is to be kept otherwise?

#[cfg(test)]
mod tests;

use crate::delivery::Channel;
use crate::hook::SECRET_BYTES;
use crate::watch::Watch;
use lycosa_model::Tick;
use lycosa_model::message::WatchOrder;

impl Watch {
    /// Keeps watch by another order from now on, and looks next when that says. Gives the secret of the webhook, made
    /// of random bytes, if its address is another one. Where other texts are compared than before, what is there next
    /// time is the baseline: nothing is told of what only the order has changed.
    pub fn edit(
        &mut self,
        order: WatchOrder,
        due: Tick,
        random: &[u8; SECRET_BYTES],
        now: Tick,
    ) -> Option<String> {
        let mut secret = None;
        if order.hook != self.order.hook {
            // Whoever was told before must not be able to speak in our name to whoever is told now.
            self.secrets.clear();
            match order.hook {
                Some(_) => {
                    self.hook_off = None;
                    secret = Some(self.rotate(random, now));
                }
                None => {
                    self.switch_off(Channel::Webhook, "it has no webhook any more");
                    self.hook_off = None;
                }
            }
        }
        if order.mail.is_empty() && !self.order.mail.is_empty() {
            self.switch_off(Channel::Mail, "nobody gets mail any more");
            self.mail_off = None;
        }
        let is_timed_otherwise =
            (&order.schedule, &order.zone) != (&self.order.schedule, &self.order.zone);
        if compares_otherwise(&order, &self.order) {
            self.baseline = false;
            self.items.clear();
            self.failing.clear();
            self.due = now;
        } else if is_timed_otherwise && self.baseline {
            self.due = due;
        }
        self.order = order;
        secret
    }

    /// Whether what was seen for this order says nothing about what is watched now.
    pub fn is_edited_since(&self, order: &WatchOrder) -> bool {
        compares_otherwise(&self.order, order)
    }
}

/// Whether other pages, or other texts of them, count by one order than by the other.
fn compares_otherwise(a: &WatchOrder, b: &WatchOrder) -> bool {
    let pages = |order: &WatchOrder| {
        let score = order.min_score.map(f32::to_bits);
        (order.best, score, order.pages, order.lang.clone(), order.require.clone())
    };
    let texts = |order: &WatchOrder| (order.ignore.clone(), order.part.clone(), order.whole);
    pages(a) != pages(b) || texts(a) != texts(b)
}
