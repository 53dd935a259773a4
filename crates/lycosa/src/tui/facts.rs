//! What is known of a run? What its log tells, added up, and what its crawl answers.

use super::journal::Journal;
use super::series::Series;
use lycosa_interface::events::{Picture, Seen};
use lycosa_model::message::CrawlStatus;
use lycosa_model::{Event, Happening, Phase, Prey};

/// Results that are shown.
pub(super) const MOST_RESULTS: usize = 100;

/// What is known of a run before it is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// What is looked for, or where it began.
    pub(crate) query: String,
    /// Pages at most.
    pub(crate) pages: Option<u64>,
    /// What was found, of a run that has ended.
    pub(crate) results: Vec<Prey>,
    /// Whether the crawl is that of this process, and ends with the view.
    pub(crate) own: bool,
}

/// What comes to the view from those who look and ask for it.
#[derive(Debug)]
pub(super) enum Told {
    /// The next lines of the log, each with its number.
    Events(Vec<(u64, Event)>),
    /// How the crawl is; nothing when none answers.
    Status(Option<Box<CrawlStatus>>),
    /// The best pages.
    Results(Vec<Prey>),
    /// What came of a person's wish.
    Answer(String),
    /// A line that the program would have printed.
    Printed(String),
}

/// A page in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) url: String,
    pub(super) title: String,
    /// Nothing in a crawl that looks for nothing.
    pub(super) relevance: Option<f32>,
    /// Who found it.
    pub(super) finder: String,
    /// When, in seconds of the run.
    pub(super) t: f64,
    pub(super) verdict: Option<bool>,
}

/// Everything that can be shown.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) about: About,
    pub(super) status: Option<Box<CrawlStatus>>,
    /// Whether the crawl has ever answered.
    pub(super) met: bool,
    pub(super) picture: Picture,
    pub(super) journal: Journal,
    pub(super) series: Series,
}

impl Facts {
    pub(super) fn new(about: About) -> Facts {
        Facts { about, ..Facts::default() }
    }

    /// Takes note of something; tells what a person should read.
    pub(super) fn take(&mut self, told: Told) -> Option<String> {
        match told {
            Told::Events(events) => {
                events.into_iter().for_each(|(end, event)| self.add(end, event))
            }
            Told::Status(status) => {
                self.met |= status.is_some();
                self.status = status;
            }
            Told::Results(results) => self.about.results = results,
            Told::Answer(answer) => return Some(answer),
            Told::Printed(line) => self.journal.print(self.picture.t, &line),
        }
        None
    }

    fn add(&mut self, end: u64, event: Event) {
        if let Happening::Limit(budget) = &event.what {
            self.about.pages = budget.pages.or(self.about.pages);
        }
        self.series.add(&event);
        self.journal.add(&event);
        self.picture.take(end, event);
    }

    /// What it is doing, in the word that people know.
    pub(super) fn state(&self) -> &'static str {
        match (&self.status, self.picture.state) {
            (Some(status), _) => status.broker.state.name(),
            (None, _) if self.about.own && !self.met => Phase::Starting.name(),
            (None, _) if self.about.own => "ending",
            (None, None) => Phase::Waiting.name(),
            (None, Some(Phase::Finished | Phase::Stopping)) => Phase::Finished.name(),
            // It was cut off, and nobody has gone on with it.
            (None, Some(_)) => "cut off",
        }
    }

    /// Whether it begins nothing new.
    pub(super) fn is_paused(&self) -> bool {
        let state = self.status.as_ref().map(|status| status.broker.state);
        matches!(state, Some(Phase::Paused | Phase::Pausing))
    }

    /// Pages that came.
    pub(super) fn pages(&self) -> u64 {
        self.status.as_ref().map_or(self.picture.came, |status| status.broker.pages)
    }

    /// Seconds that it has been worked on.
    pub(super) fn seconds(&self) -> f64 {
        self.status.as_ref().map_or(self.picture.t, |status| status.broker.seconds)
    }

    /// Whether pages are ranked by what is looked for.
    pub(super) fn is_ranked(&self) -> bool {
        !self.about.results.is_empty()
            || self.picture.pages().iter().any(|page| page.relevance > 0.0)
    }

    /// The best pages; in a crawl that looks for nothing, the last ones.
    pub(super) fn found(&self) -> Vec<Found> {
        if !self.about.results.is_empty() {
            return self.about.results.iter().map(of_prey).collect();
        }
        let came = self.picture.pages().iter().filter(|page| page.came);
        if !self.is_ranked() {
            return came.rev().take(MOST_RESULTS).map(|page| self.of_page(page)).collect();
        }
        let mut best: Vec<&Seen> = came.filter(|page| page.relevance > 0.0).collect();
        best.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
        best.into_iter().take(MOST_RESULTS).map(|page| self.of_page(page)).collect()
    }

    fn of_page(&self, page: &Seen) -> Found {
        let agent = self.picture.agents().get(page.agent as usize);
        Found {
            url: page.url.clone(),
            title: page.title.clone(),
            relevance: (page.relevance > 0.0).then_some(page.relevance),
            finder: agent.map(|life| life.name.clone()).unwrap_or_default(),
            t: page.t,
            verdict: page.verdict,
        }
    }
}

fn of_prey(prey: &Prey) -> Found {
    Found {
        url: prey.url.clone(),
        title: prey.title.clone(),
        relevance: Some(prey.relevance),
        finder: prey.finder.clone(),
        t: prey.seconds,
        verdict: prey.verdict,
    }
}
