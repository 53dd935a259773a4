//! Which pages does a JSON feed name? (jsonfeed.org, version 1.1 and before.)
//!
//! Items are taken as they are read, so a feed that breaks off gives what came before. Of what is not
//! wanted nothing is kept, so no nesting costs memory.

use super::list::List;
use super::{Entry, Kind};
use crate::date;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// What the `version` of every JSON feed begins with, behind `http://` or `https://`.
const VERSION: &str = "jsonfeed.org/version/";

/// Reads a feed; the text begins with a brace.
pub(super) fn read(text: &str, list: &mut List) -> Kind {
    let mut feed = Feed { list, is_feed: false, has_items: false };
    let mut json = serde_json::Deserializer::from_str(text);
    let read = json.deserialize_map(&mut feed);
    let Feed { is_feed, has_items, .. } = feed;
    if let Err(error) = read {
        list.fault(format!("it is broken JSON: {error}"));
    }
    // Some feeds forget to say what they are.
    match is_feed || (has_items && !list.is_empty()) {
        true => Kind::Json,
        false => {
            list.fault("it is JSON, but no feed");
            Kind::Unknown
        }
    }
}

/// The outermost object.
struct Feed<'l> {
    list: &'l mut List,
    is_feed: bool,
    has_items: bool,
}

impl<'de> Visitor<'de> for &mut Feed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "version" => {
                    let version = map.next_value_seed(Loose(None))?;
                    self.is_feed |= matches!(version, Part::Text(text) if text.contains(VERSION));
                }
                "items" => {
                    self.has_items = true;
                    map.next_value_seed(Items(self.list))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The list of items.
struct Items<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(part) = items.next_element_seed(Loose(Some(&mut *self.0)))? {
            // What is no item says nothing of the others.
            if !matches!(part, Part::Item) {
                self.0.reject();
            }
        }
        Ok(())
    }
}

/// What stands in some place of a feed.
enum Part {
    Text(String),
    /// An item, which has been added to the list.
    Item,
    /// As good as nothing. It was passed over, and nothing of it is kept.
    Other,
}

/// Reads whatever stands there: an item if there is a list for it, or a text.
struct Loose<'l>(Option<&'l mut List>);

impl<'de> DeserializeSeed<'de> for Loose<'_> {
    type Value = Part;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Part, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Loose<'_> {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Part, E> {
        Ok(Part::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Part, A::Error> {
        IgnoredAny.visit_seq(list).map(|_| Part::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
        match self.0 {
            Some(list) => read_item(map, list).map(|()| Part::Item),
            None => IgnoredAny.visit_map(map).map(|_| Part::Other),
        }
    }
}

fn read_item<'de, A: MapAccess<'de>>(mut map: A, list: &mut List) -> Result<(), A::Error> {
    let (mut url, mut id, mut published, mut modified) = (None, None, None, None);
    while let Some(key) = map.next_key::<String>()? {
        let field = match key.as_str() {
            "url" => &mut url,
            "id" => &mut id,
            "date_published" => &mut published,
            "date_modified" => &mut modified,
            _ => {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
        };
        // What is no text is as good as not said; an id may be a number.
        *field = match map.next_value_seed(Loose(None))? {
            Part::Text(text) => Some(text),
            Part::Item | Part::Other => None,
        };
    }
    // `external_url` leads to what the item speaks of, which is not the site's own.
    let is_address = |id: &String| id.starts_with("http://") || id.starts_with("https://");
    if let Some(url) = url.or(id.filter(is_address)) {
        let at = |text: Option<String>| text.and_then(|text| date::parse(&text));
        let lastmod = at(modified).or(at(published));
        list.add(&url, Entry { lastmod, ..Entry::default() });
    }
    Ok(())
}
