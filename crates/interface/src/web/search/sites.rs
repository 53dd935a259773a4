//! What does the visitor want of sites, and how is that changed?

use super::super::clean;
use super::super::form::{Form, host};
use super::super::ui::Ui;
use lycosa_model::{Preference, Preferences};

/// Characters of the name of a site that are shown.
const MAX_NAME: usize = 80;
/// With so many preferences they are shown at once; more are folded.
const FEW: usize = 6;

/// What can be done about the site of a result.
pub(super) struct SiteView {
    /// Its name, as forms send it.
    pub(super) site: String,
    /// What holds for it now, and the site that this was said of.
    pub(super) held: Option<(&'static str, String)>,
    /// What else could: the name of the button and its words.
    pub(super) offers: Vec<(&'static str, &'static str)>,
}

impl SiteView {
    /// Nothing for what is no site.
    pub(super) fn new(site: &str, preferences: &Preferences, ui: Ui) -> Option<SiteView> {
        let site = host(site)?;
        let t = &ui.texts().sites;
        let held = preferences.on(&site);
        let other = |preference: &Preference| Some(*preference) != held.map(|(_, now)| now);
        let offer = |preference: Preference| (preference.name(), t.act(preference));
        Some(SiteView {
            offers: Preference::ALL.into_iter().filter(other).map(offer).collect(),
            held: held.map(|(by, preference)| (t.state(preference), by.to_owned())),
            site,
        })
    }
}

/// Everything that the visitor wants of sites, and what came of it.
pub(super) struct SitesView {
    /// How many of each kind.
    pub(super) summary: String,
    /// State, name as it is shown, name as forms send it.
    pub(super) rows: Vec<(&'static str, String, String)>,
    /// Whether there are so few that all are shown at once.
    pub(super) few: bool,
    /// That pages were left out.
    pub(super) left_out: Option<String>,
    /// This search with all of it in its address.
    pub(super) link: String,
}

impl SitesView {
    /// Nothing when nothing is wanted.
    pub(super) fn new(
        preferences: &Preferences,
        blocked: usize,
        form: &Form,
        ui: Ui,
    ) -> Option<SitesView> {
        if preferences.is_empty() {
            return None;
        }
        let t = &ui.texts().sites;
        let of = |kind: Preference| preferences.iter().filter(|(_, now)| *now == kind).count();
        let mut rows: Vec<(Preference, &str)> =
            preferences.iter().map(|(site, preference)| (preference, site)).collect();
        rows.sort_unstable();
        let row = |(preference, site): (Preference, &str)| {
            (t.state(preference), clean::line(site, MAX_NAME), site.to_owned())
        };
        Some(SitesView {
            summary: (t.summary)(Preference::ALL.map(of)),
            few: rows.len() <= FEW,
            rows: rows.into_iter().map(row).collect(),
            left_out: (blocked > 0).then(|| (t.left_out)(blocked as u64)),
            link: form.with(|form| form.preferences = preferences.clone()),
        })
    }
}
