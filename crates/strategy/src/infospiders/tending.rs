//! What happens to a spider that a person feeds or stops?

use super::InfoSpiders;
use super::names::name;
use crate::Untended;
use lycosa_model::{Care, Deed, Tended, Tick};

/// A spider that has so many times THETA is not fed any more: it has offspring with every page as it is.
const MOST_FED: f64 = 4.0;

impl InfoSpiders {
    /// Food is what a spider begins with: half of THETA. So it lives longer and has offspring sooner, by the rules
    /// of all and never beyond the cap. Who is stopped dies where it is; what it was on its way to still comes, and
    /// all that waits is there for the others.
    pub(super) fn take_care(
        &mut self,
        now: Tick,
        agent: &str,
        how: Care,
    ) -> Result<Tended, Untended> {
        let Some(place) = self.spiders.iter().position(|spider| name(spider.number) == agent)
        else {
            let has_died = self.dead.iter().any(|view| view.name == agent);
            return Err(Untended::nobody(agent, has_died));
        };
        let theta = self.parameters.theta;
        let Some(spider) = self.spiders.get_mut(place) else {
            return Err(Untended::nobody(agent, false));
        };
        let before = spider.energy;
        if how == Care::Feed {
            if before > MOST_FED * theta {
                let error = format!("{agent} has energy {before:.2}, which is plenty");
                return Err(Untended::new(error, "wait until it has had offspring"));
            }
            spider.energy += theta / 2.0;
        }
        let after = if how == Care::Feed { spider.energy } else { 0.0 };
        let (before, after) = (Some(before as f32), Some(after as f32));
        let tended = Tended { how, before, after, other: None, links: 0 };
        self.log.tell(now, agent.to_owned(), Deed::Tended(tended.clone()));
        if how == Care::Stop
            && let Some(mut spider) = self.spiders.remove(place)
        {
            spider.energy = 0.0;
            self.bury(now, &spider);
        }
        Ok(tended)
    }
}
