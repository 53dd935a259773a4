//! Which pages does somebody want more of, less of, or not at all? What was said of sites, as sets of documents.
//!
//! The score of a page whose site is raised or lowered is multiplied, so that a poor match stays behind much
//! better ones whatever the question is, and no score becomes negative.

use crate::bits::Bits;
use crate::matching::add_documents;
use crate::sight::Sight;
use lycosa_model::{Preference, Preferences};
use lycosa_segments::site_filter;
use tantivy::{DocAddress, Term};

/// What the score of a page is multiplied by when its site is raised.
const RAISED: f32 = 2.0;
/// What it is multiplied by when its site is lowered.
const LOWERED: f32 = 0.5;

/// The pages that preferences speak of, by segment; without preferences there is no segment.
#[derive(Default)]
pub(crate) struct Preferred {
    segments: Vec<Named>,
    /// Whether a site is raised.
    raises: bool,
}

struct Named {
    raised: Bits,
    lowered: Bits,
    blocked: Option<Bits>,
}

impl Preferred {
    /// The pages that these preferences speak of. Of two sites one of which is below the other, the lower one
    /// decides, unless the upper one is blocked. What cannot be a site has no page.
    pub(crate) fn of(preferences: &Preferences, sight: Sight<'_>) -> tantivy::Result<Preferred> {
        if preferences.is_empty() {
            return Ok(Preferred::default());
        }
        let mut sites: Vec<(String, Preference)> = preferences
            .iter()
            .filter_map(|(site, preference)| Some((site_filter(site)?, preference)))
            .collect();
        sites.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut segments = Vec::new();
        for (_, segment) in sight.segments() {
            let none = || Bits::none(segment.max_doc());
            let mut named = Named { raised: none(), lowered: none(), blocked: None };
            for (site, preference) in &sites {
                let mut pages = none();
                let term = Term::from_field_text(sight.fields.site, site);
                add_documents(segment, &term, &mut pages)?;
                let (to, from) = match preference {
                    Preference::Raise => (&mut named.raised, &mut named.lowered),
                    Preference::Lower => (&mut named.lowered, &mut named.raised),
                    Preference::Block => {
                        named.blocked.get_or_insert_with(none).or(&pages);
                        continue;
                    }
                };
                to.or(&pages);
                from.take_out(&pages);
            }
            segments.push(named);
        }
        let raises = sites.iter().any(|(_, preference)| *preference == Preference::Raise);
        Ok(Preferred { segments, raises })
    }

    /// What the score of a page is multiplied by.
    pub(crate) fn factor(&self, page: DocAddress) -> f32 {
        match self.segments.get(page.segment_ord as usize) {
            Some(named) if named.raised.has(page.doc_id) => RAISED,
            Some(named) if named.lowered.has(page.doc_id) => LOWERED,
            _ => 1.0,
        }
    }

    /// The most that a score is multiplied by.
    pub(crate) fn most(&self) -> f32 {
        if self.raises { RAISED } else { 1.0 }
    }

    /// What a factor stands for, for a person.
    pub(crate) fn words(factor: f32) -> &'static str {
        if factor > 1.0 { "the site is raised" } else { "the site is lowered" }
    }

    /// The documents of a segment whose sites are blocked; nothing when none is.
    pub(crate) fn blocked(&self, number: u32) -> Option<&Bits> {
        self.segments.get(number as usize)?.blocked.as_ref()
    }
}
