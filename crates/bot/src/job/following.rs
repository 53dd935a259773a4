//! Which links of a page is the broker told of?

use super::Bench;
use lycosa_model::{Found, Link};

impl Bench {
    fn follows(&self, link: &Link) -> bool {
        self.settings.follow.takes(link.kind) && (self.settings.follow_nofollow || !link.nofollow())
    }

    /// The links that the broker is told of, and that somebody else needs as well.
    pub(super) fn followed_by(&self, links: &[Link]) -> Vec<Found> {
        let found = |link: &Link| match self.wants_evidence {
            true => Found {
                url: link.url.clone(),
                anchor: link.anchor.clone(),
                context: link.context.clone(),
                tag_path: link.tag_path.clone(),
                changed: None,
            },
            false => Found { url: link.url.clone(), ..Found::default() },
        };
        links.iter().filter(|link| self.follows(link)).map(found).collect()
    }

    /// The links that the broker is told of.
    pub(super) fn followed(&self, links: Vec<Link>) -> Vec<Found> {
        let found = |link: Link| match self.wants_evidence {
            true => {
                let Link { url, anchor, context, tag_path, .. } = link;
                Found { url, anchor, context, tag_path, changed: None }
            }
            false => Found { url: link.url, ..Found::default() },
        };
        links.into_iter().filter(|link| self.follows(link)).map(found).collect()
    }
}
