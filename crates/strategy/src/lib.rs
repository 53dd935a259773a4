//! Which URL next? One module per strategy, one trait.
//!
//! A strategy sees links and pages and names the next URLs. It does no I/O and takes time and chance as
//! arguments, so the same code runs on the live web, on a replayed archive and in a simulator.

mod agent_log;
mod best_first;
mod breadth_first;
pub mod dice;
mod fish;
pub mod infospiders;
mod language_first;
mod learned;
mod mean_of_parents;
mod n_best_first;
mod names;
mod opic;
mod parents;
mod pool;
mod pooled;
mod random;
mod redirect;
mod saved;
mod score;
mod shark;
mod site_queues;
mod tag_path;
pub mod team;
mod terrain;
pub mod walkers;
mod why;
mod words;

pub use best_first::BestFirst;
pub use breadth_first::BreadthFirst;
pub use fish::FishParameters;
pub use learned::LearnedParameters;
pub use mean_of_parents::MeanParameters;
pub use names::{AGENTS, NAMES, Parameters, Setup, UnknownStrategy, blind, by_name};
pub use shark::SharkParameters;
pub use tag_path::TagPathParameters;

use lycosa_knowledge::lattice::Lattice;
use lycosa_knowledge::{Bag, MOST_RELEVANT, RelevanceModel};
use lycosa_model::{
    AgentEvent, AgentView, Care, Outcome, Rank, Site, Spot, Tended, Term, Tick, UrlId, Why,
};
use std::sync::Arc;
use std::time::Duration;

/// One discovery of a link, also when its target is known already.
#[derive(Clone, Copy, Debug)]
pub struct LinkEvidence<'a> {
    /// The target.
    pub url: UrlId,
    /// Its address, whose words may tell something; empty when nobody knows it any more.
    pub address: &'a str,
    /// Its site.
    pub site: &'a Site,
    /// Whether the run has met it before: it waits, or was fetched already.
    pub known: bool,
    /// Whether a person gave it.
    pub seed: bool,
    /// Page on which it was found.
    pub via: Option<UrlId>,
    /// Relevance of that page.
    pub parent_relevance: f32,
    /// Whether that page has some of the wanted language.
    pub wanted_language: bool,
    /// Links from a seed.
    pub depth: u32,
    /// Words of the link.
    pub anchor: &'a str,
    /// Words around the link.
    pub context: &'a str,
    /// Where in the page it stands: the elements from the root to the link, as `ul.nav/li/a`.
    pub tag_path: &'a str,
    /// What is wanted.
    pub topic: &'a RelevanceModel,
}

/// A page that was fetched.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// The URL.
    pub url: UrlId,
    /// Its site.
    pub site: &'a Site,
    /// Links from a seed.
    pub depth: u32,
    /// Its words, the most frequent first.
    pub terms: &'a [Term],
    /// The same words as numbers.
    pub bag: &'a Bag,
    /// Whether some of it is in the wanted language.
    pub wanted_language: bool,
    /// Links on it that may be followed; [`Strategy::on_link`] is told of each of them next.
    pub links: usize,
    /// When it was there.
    pub at: Tick,
    /// How long it took.
    pub took: Duration,
    /// What is wanted.
    pub topic: &'a RelevanceModel,
}

/// How close a page is to what is wanted, as the shared relevance model sees it: 1 is as close as an
/// example, 0 has nothing in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Relevance(pub f32);

/// What a person says of a page.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    /// The page.
    pub url: UrlId,
    /// Its words.
    pub bag: &'a Bag,
    /// Whether it is what is wanted.
    pub good: bool,
    /// What is wanted, which has heard the verdict already.
    pub topic: &'a RelevanceModel,
}

impl Verdict<'_> {
    /// What the page is worth, whatever its words say.
    pub(crate) fn relevance(&self) -> f32 {
        if self.good { MOST_RELEVANT } else { 0.0 }
    }
}

/// Why an agent was not fed or stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untended {
    /// What is wrong.
    pub error: String,
    /// What to do about it.
    pub hint: String,
}

impl Untended {
    pub(crate) fn new(error: impl Into<String>, hint: impl Into<String>) -> Untended {
        Untended { error: error.into(), hint: hint.into() }
    }

    /// There is no such agent, or no more.
    pub(crate) fn nobody(agent: &str, has_died: bool) -> Untended {
        let error = match has_died {
            true => format!("{agent} has died"),
            false => format!("no agent is called {agent}"),
        };
        Untended::new(error, "lycosa agents, or the agents of the hunt, name those that live")
    }
}

/// Whether a site may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now; one URL.
    Now,
    /// In a moment: it is being asked, or rests briefly. A strategy may wait for it.
    Soon,
    /// Not for a while. Nobody should wait for it.
    Later,
    /// No more of any site in this answer. The site is not set aside.
    Stop,
}

/// A URL that a strategy names.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The URL.
    pub url: UrlId,
    /// Its site.
    pub site: Site,
    /// Where it waited.
    pub spot: Spot,
    /// The score it was chosen with; larger is better.
    pub score: f32,
    /// The agent of the strategy that goes there, if it has any.
    pub agent: Option<Arc<str>>,
}

/// Why a strategy places a URL where it does: one sentence per reason.
pub type Explanation = Vec<String>;

/// URLs of one site that a strategy is shown at a time, unless it wants more.
pub const WINDOW: usize = 64;

/// The brain of the frontier (SPEC 4.1).
///
/// All URLs that wait lie on disk, by site and by [`Spot`]. A strategy says which rank a link has when
/// it is found, and is then shown the first of each site ([`Strategy::offer`]): of what it is not shown,
/// nothing comes before what it is shown. Whoever wants to see everything asks for no [`window`].
///
/// [`window`]: Strategy::window
pub trait Strategy: Send {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The rank of a link among those of its site: a function of the link and of what was learned so
    /// far. It stays as it is.
    fn rank(&self, link: &LinkEvidence<'_>) -> Rank;

    /// Every discovery of a link, also of known URLs; before [`Strategy::offer`] shows a new one, and after
    /// [`Strategy::on_page`] of the page that it is on.
    fn on_link(&mut self, _link: &LinkEvidence<'_>) {}

    /// A page was fetched.
    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance) {}

    /// A URL was tried and gave no page.
    fn on_fail(&mut self, _url: UrlId, _why: Outcome, _took: Duration) {}

    /// Shows a URL that may be chosen; never one that is shown already.
    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot);

    /// The first URL of a site among those that it was shown and has not given; nothing when it has its own
    /// order, which is not that on disk.
    fn first(&self, _site: &Site) -> Option<(Spot, UrlId)> {
        None
    }

    /// Forgets all but the first `keep` URLs of a site; tells the last spot that is left. The others are
    /// offered again when their time comes. Whoever wants to see everything forgets nothing.
    fn trim(&mut self, _site: &Site, _keep: usize) -> Option<Spot> {
        None
    }

    /// Takes up to `k` URLs out of those it was shown into `out`, best first, only of sites whose `turn`
    /// is now; `now` is the moment. Each [`Turn::Now`] stands for one URL of that site. A site whose turn is not now is set
    /// aside: it is not asked for again until [`Strategy::wake`].
    fn next(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    );

    /// A site that was set aside may be asked for again.
    fn wake(&mut self, site: &Site);

    /// Why a URL that waits stands where it does.
    fn explain(&self, url: UrlId, spot: Spot) -> Explanation;

    /// Why it named a URL, asked for right after that; or why it would, of one that waits.
    fn why(&self, _url: UrlId) -> Option<Why> {
        None
    }

    /// A person feeds or stops one of its agents. What came of it is told, and is in [`Strategy::log`] as well.
    ///
    /// # Errors
    /// With what is wrong and what to do about it, when nothing was changed.
    fn tend(&mut self, _now: Tick, _agent: &str, _how: Care) -> Result<Tended, Untended> {
        Err(Untended::new(
            "this strategy has no agents of its own",
            "hunt with infospiders, walkers:cloning or contract-net",
        ))
    }

    /// A person says whether a page that was read is what is wanted.
    fn on_verdict(&mut self, _verdict: &Verdict<'_>) {}

    /// Whether it names nothing any more, although URLs wait: all its agents have died.
    fn is_over(&self) -> bool {
        false
    }

    /// The crawl ends. Agents say what is left to say.
    fn end(&mut self, _now: Tick) {}

    /// What it has learned and how its agents are, for [`Strategy::load`]; nothing when it learns nothing.
    /// What waits is not part of it: that is offered again.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Takes up what [`Strategy::save`] gave, perhaps some pages before the crawl was cut off; before anything
    /// is offered.
    ///
    /// # Errors
    /// With what is wrong with the bytes; then it begins with nothing, as if it had not been called.
    fn load(&mut self, _saved: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// The concept lattices that its agents have built of their pages, by the agents' names.
    fn lattices(&self) -> Vec<(String, Lattice)> {
        Vec::new()
    }

    /// URLs that it may choose from now.
    fn loaded(&self) -> usize;

    /// Tells what its agents did since it was asked last, into `out`. A strategy without agents has nothing
    /// to tell; one with agents keeps no more than it must and forgets the oldest when nobody asks.
    fn log(&mut self, _out: &mut Vec<AgentEvent>) {}

    /// Its agents as they are now.
    fn agents(&self) -> Vec<AgentView> {
        Vec::new()
    }

    /// How many URLs of one site it must be shown at a time; `None` for all of them, which then lie in
    /// memory.
    fn window(&self) -> Option<usize> {
        Some(WINDOW)
    }

    /// Whether it reads anchors, contexts and terms, which cost bytes to send.
    fn wants_evidence(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod agent_tests;
#[cfg(test)]
mod saved_tests;
#[cfg(test)]
mod tending_tests;
#[cfg(test)]
mod tests;
