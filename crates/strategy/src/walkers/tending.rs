//! What happens to a walker that a person feeds or stops?

use super::crawl::{Walkers, born, name};
use super::{Graph, Kind};
use crate::Untended;
use lycosa_model::{Care, Deed, Tended, Tick};

impl Walkers {
    /// A walker that is fed clones itself where it stands, as one does on a page without pheromone; where the rules
    /// know no clones, nobody is fed. One that is stopped ends, but never the last.
    pub(super) fn take_care(
        &mut self,
        now: Tick,
        agent: &str,
        how: Care,
    ) -> Result<Tended, Untended> {
        let mut walkers = self.colony.walkers().iter();
        let Some(walker) = walkers.find(|walker| name(walker.number) == agent) else {
            return Err(Untended::nobody(agent, false));
        };
        let (number, at) = (walker.number, walker.at);
        let other = match how {
            Care::Feed if matches!(self.kind, Kind::Single | Kind::Multiple) => {
                return Err(Untended::new(
                    "these walkers are always as many as they began with",
                    "those of walkers:cloning and walkers:immune can multiply",
                ));
            }
            Care::Feed => {
                let child = self.colony.multiply(number, self.links.links(at));
                let child = child.ok_or_else(|| {
                    let error = "there are as many walkers as there may be";
                    Untended::new(error, "stop another one first")
                })?;
                Some(name(child))
            }
            Care::Stop => {
                self.colony.end(number).ok_or_else(|| {
                    let error = format!("{agent} is the last walker, and one always walks");
                    Untended::new(error, "stop the hunt instead")
                })?;
                None
            }
        };
        let tended = Tended { how, before: None, after: None, other: other.clone(), links: 0 };
        self.log.tell(now, agent.to_owned(), Deed::Tended(tended.clone()));
        match other {
            Some(child) => self.log.tell(now, child, born(Some(agent.to_owned()))),
            None => self.log.tell(now, agent.to_owned(), Deed::Died { energy: 0.0 }),
        }
        Ok(tended)
    }
}
