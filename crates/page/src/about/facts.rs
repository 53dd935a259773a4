//! What does a page tell programs? Open Graph, JSON-LD, the same page in other languages, its feeds.

use super::ld;
use crate::html::{Attr, Attrs};
use crate::relation;
use crate::space::fold_space;
use lycosa_model::{Alternate, Facts, Feed, LinkKind};
use std::collections::BTreeMap;

/// Properties that are kept, and bytes of each.
const MAX_PROPERTIES: usize = 64;
const MAX_VALUE: usize = 1_024;
/// Languages and feeds that are kept.
const MAX_ALTERNATES: usize = 256;
const MAX_FEEDS: usize = 32;

/// What is told while the page is read, addresses as written.
#[derive(Debug, Default)]
pub(super) struct Raw {
    open_graph: BTreeMap<String, String>,
    alternates: Vec<Alternate>,
    feeds: Vec<Feed>,
}

impl Raw {
    /// Reads a `meta` element.
    pub(super) fn take_meta(&mut self, attrs: &Attrs, content: &str) {
        // Many write `name` where `property` is meant.
        let names = [Attr::Property, Attr::Name];
        let Some(name) = names.into_iter().filter_map(|attr| attrs.get(attr)).find_map(property)
        else {
            return;
        };
        if self.open_graph.len() < MAX_PROPERTIES && !content.trim().is_empty() {
            self.open_graph.entry(name).or_insert_with(|| tidy(content));
        }
    }

    /// Reads a `link` element.
    pub(super) fn take_link(&mut self, attrs: &Attrs) {
        let (Some(rel), Some(href)) = (attrs.get(Attr::Rel), attrs.get(Attr::Href)) else {
            return;
        };
        let media_type = attrs.get(Attr::Type);
        let kind = relation::kind(rel, media_type);
        let is_alternate =
            rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("alternate"));
        if kind == Some(LinkKind::Feed) {
            if self.feeds.len() < MAX_FEEDS {
                self.feeds.push(Feed {
                    url: href.to_owned(),
                    title: tidy(attrs.get(Attr::Title).unwrap_or("")),
                    media_type: tidy(media_type.unwrap_or("")).to_ascii_lowercase(),
                });
            }
        } else if let (true, Some(lang)) = (is_alternate, attrs.get(Attr::Hreflang))
            && !lang.trim().is_empty()
            && self.alternates.len() < MAX_ALTERNATES
        {
            self.alternates.push(Alternate { lang: tidy(lang), url: href.to_owned() });
        }
    }

    /// What all of it says; addresses that lead nowhere are left out.
    pub(super) fn tell(
        self,
        things: &[ld::Thing],
        mut resolve: impl FnMut(&str) -> Option<String>,
    ) -> Facts {
        let Raw { open_graph, mut alternates, mut feeds } = self;
        let mut lead = |url: &mut String| resolve(url).map(|absolute| *url = absolute).is_some();
        alternates.retain_mut(|alternate| lead(&mut alternate.url));
        feeds.retain_mut(|feed| lead(&mut feed.url));
        let json_ld = things.iter().map(|thing| thing.describe(things)).collect();
        Facts { open_graph, json_ld, alternates, feeds, ..Facts::default() }
    }
}

/// The name of a property of Open Graph, without `og:`; those of its kinds of objects keep their prefix.
fn property(name: &str) -> Option<String> {
    /// Bytes of the longest name.
    const LONGEST: usize = 64;
    let name = name.trim();
    let (prefix, rest) = name.split_once(':')?;
    if rest.is_empty() || name.len() > LONGEST {
        return None;
    }
    match prefix.to_ascii_lowercase().as_str() {
        "og" => Some(rest.to_ascii_lowercase()),
        "article" | "book" | "profile" | "video" | "music" | "product" => {
            Some(name.to_ascii_lowercase())
        }
        _ => None,
    }
}

fn tidy(text: &str) -> String {
    let mut out = String::new();
    fold_space(text.trim(), &mut out, MAX_VALUE);
    out
}

#[cfg(test)]
mod tests;
