//! Which pages does a page lead to, and what does it say of them? Kept with the page, so that a page which
//! is replaced or removed takes its links along, and the graph of all links can be made from the index alone.

use crate::importance::{Visit, site_key};
use lycosa_frontier::normal;
use lycosa_model::{Link, UrlId};

/// Links of one page that are kept.
const MAX_LINKS: usize = 1_000;
/// Bytes of an anchor that are kept; one byte tells its length.
const MAX_ANCHOR: usize = 120;

/// A link as the index keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlink<'a> {
    /// The first 64 bits of the id of the page that it leads to.
    pub target: u64,
    /// Its words.
    pub anchor: &'a str,
}

/// The first 64 bits of an id.
pub(crate) fn tie(id: UrlId) -> u64 {
    id.0.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// The links of a page, as they are kept; `visit` takes note of where they lead. Those that only make up the
/// page, that lead back to it, or that the author does not vouch for (`nofollow`) are none.
pub(crate) fn written(links: &[Link], own: UrlId, visit: &mut Visit) -> Vec<u8> {
    let mut out = Vec::new();
    let counted = links.iter().filter(|link| link.kind.leads_to_page() && !link.nofollow());
    for link in counted.take(MAX_LINKS) {
        let Ok(address) = normal::parse(&link.url) else { continue };
        if address.id == own {
            continue;
        }
        let anchor = link.anchor.trim();
        let anchor = &anchor[..anchor.floor_char_boundary(MAX_ANCHOR)];
        let target = tie(address.id);
        visit.pages.push(target);
        visit.sites.push(site_key(address.site.authority()));
        out.extend(target.to_le_bytes());
        out.push(anchor.len() as u8);
        out.extend(anchor.as_bytes());
    }
    out
}

/// Reads them back; ends where something stands that is none.
pub(crate) fn read(mut bytes: &[u8]) -> impl Iterator<Item = Outlink<'_>> {
    std::iter::from_fn(move || {
        let (target, rest) = bytes.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first()?;
        let (anchor, rest) = rest.split_at_checked(usize::from(*length))?;
        bytes = rest;
        let anchor = std::str::from_utf8(anchor).ok()?;
        Some(Outlink { target: u64::from_le_bytes(*target), anchor })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::LinkKind;

    fn link(url: &str, anchor: &str, rel: &str, kind: LinkKind) -> Link {
        let (url, anchor, rel) = (url.to_owned(), anchor.to_owned(), rel.to_owned());
        Link { url, anchor, context: String::new(), tag_path: String::new(), rel, kind }
    }

    #[test]
    fn links_come_back_without_those_that_count_for_nothing() {
        let own = normal::parse("http://a.test/").unwrap().id;
        let long = "ñ".repeat(100);
        let links = [
            link("http://a.test/b", " araña lobo ", "", LinkKind::Anchor),
            link("http://a.test/", "home", "", LinkKind::Anchor),
            link("http://a.test/c", "paid", "nofollow sponsored", LinkKind::Anchor),
            link("http://a.test/d.png", "", "", LinkKind::Resource),
            link("http://b.test/#x", &long, "", LinkKind::Anchor),
        ];
        let mut visit = Visit::default();
        let bytes = written(&links, own, &mut visit);
        let found: Vec<Outlink<'_>> = read(&bytes).collect();
        let target = |url: &str| tie(normal::parse(url).unwrap().id);
        assert_eq!(
            found,
            [
                Outlink { target: target("http://a.test/b"), anchor: "araña lobo" },
                Outlink { target: target("http://b.test/"), anchor: &long[..MAX_ANCHOR] },
            ]
        );
        assert_eq!(visit.pages, [target("http://a.test/b"), target("http://b.test/")]);
        assert_eq!(visit.sites, [site_key("a.test"), site_key("b.test")]);
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).count() <= 1, "a torn list ends early");
        }
    }
}
