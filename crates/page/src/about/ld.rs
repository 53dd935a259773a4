//! Which things does a page describe in JSON-LD? Their kinds and the fields that readers ask for.
//!
//! Things are taken from the outermost object or list, from `@graph`, and from what is said to be the
//! main entity. JSON that is nearly right is repaired first: comment marks around it, commas too many,
//! raw line breaks in strings, an end that is missing.

mod repair;

use crate::date;
use crate::space::fold_space;
use lycosa_model::{Thing as Described, Tick};
use serde_json::{Map, Value};

/// Bytes of JSON of one page that are read.
pub(crate) const MAX_JSON: usize = 256 << 10;
/// Things of one page that are kept.
const MAX_THINGS: usize = 64;
/// Objects inside each other that are looked into.
const MAX_DEPTH: usize = 8;
/// Names in one field.
const MAX_NAMES: usize = 16;
/// Bytes of one field.
const MAX_FIELD: usize = 1_024;

/// A thing that a page describes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Thing {
    id: String,
    pub(crate) types: Vec<String>,
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) author: Vec<Name>,
    publisher: Vec<Name>,
    headline: String,
    description: String,
    image: Vec<String>,
    breadcrumb: Vec<String>,
    pub(crate) published: Option<Tick>,
    pub(crate) modified: Option<Tick>,
}

/// The name of somebody, or where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Name {
    Is(String),
    /// The `@id` of another thing.
    Of(String),
}

/// Reads what one script holds and adds its things; `in_full` with what only a reader of the page's facts
/// wants to know.
pub(crate) fn read(json: &str, in_full: bool, things: &mut Vec<Thing>) {
    let json = json.trim_start_matches('\u{feff}').trim();
    match serde_json::from_str::<Value>(json) {
        Ok(value) => take(&value, in_full, things, 0),
        Err(_) => {
            let repaired = repair::repair(json);
            let mut values = serde_json::Deserializer::from_str(&repaired).into_iter::<Value>();
            while let Some(Ok(value)) = values.next() {
                take(&value, in_full, things, 0);
            }
        }
    }
}

fn take(value: &Value, in_full: bool, things: &mut Vec<Thing>, depth: usize) {
    if depth > MAX_DEPTH || things.len() >= MAX_THINGS {
        return;
    }
    match value {
        Value::Array(values) => {
            values.iter().for_each(|value| take(value, in_full, things, depth + 1));
        }
        Value::Object(fields) => {
            if let Some(mut thing) = thing(fields) {
                if in_full {
                    thing.complete(fields);
                }
                things.push(thing);
            }
            for inner in ["@graph", "mainEntity", "mainEntityOfPage"] {
                if let Some(value) = fields.get(inner) {
                    take(value, in_full, things, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// The thing of an object, unless that only names one that stands elsewhere.
fn thing(fields: &Map<String, Value>) -> Option<Thing> {
    let types = strings(fields.get("@type")).map(short_type).collect::<Vec<_>>();
    if types.is_empty() {
        return None;
    }
    let text = |field: &str| strings(fields.get(field)).next().map(tidy).unwrap_or_default();
    let moment = |field: &str| strings(fields.get(field)).next().and_then(date::parse);
    Some(Thing {
        id: text("@id"),
        types,
        name: text("name"),
        url: text("url"),
        author: fields
            .get("author")
            .or_else(|| fields.get("creator"))
            .map(names)
            .unwrap_or_default(),
        published: moment("datePublished").or_else(|| moment("dateCreated")),
        modified: moment("dateModified"),
        ..Thing::default()
    })
}

impl Thing {
    /// Adds what only a reader of the page's facts wants to know.
    fn complete(&mut self, fields: &Map<String, Value>) {
        let text = |field: &str| strings(fields.get(field)).next().map(tidy).unwrap_or_default();
        self.headline = text("headline");
        self.description = text("description");
        self.publisher = fields.get("publisher").map(names).unwrap_or_default();
        self.image = fields.get("image").map(addresses).unwrap_or_default();
        let list = match fields.get("breadcrumb") {
            Some(Value::Object(list)) => Some(list),
            _ => self.types.iter().any(|name| name == "BreadcrumbList").then_some(fields),
        };
        self.breadcrumb = list.map(crumbs).unwrap_or_default();
        if self.url.is_empty() {
            let address = |value: &Value| addresses(value).into_iter().next();
            self.url = fields.get("mainEntityOfPage").and_then(address).unwrap_or_default();
        }
    }

    /// The thing with the names that stand elsewhere.
    pub(crate) fn describe(&self, things: &[Thing]) -> Described {
        Described {
            types: self.types.clone(),
            name: self.name.clone(),
            headline: self.headline.clone(),
            description: self.description.clone(),
            author: resolve(&self.author, things),
            publisher: resolve(&self.publisher, things),
            published: self.published,
            modified: self.modified,
            url: self.url.clone(),
            image: self.image.clone(),
            breadcrumb: self.breadcrumb.clone(),
        }
    }
}

/// The address or addresses that a value is, has or is known by.
fn addresses(value: &Value) -> Vec<String> {
    let list = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let one = |value: &Value| match value {
        Value::String(address) => Some(tidy(address)),
        Value::Object(fields) => ["url", "contentUrl", "@id"]
            .iter()
            .find_map(|field| fields.get(*field)?.as_str())
            .map(tidy),
        _ => None,
    };
    list.iter().take(MAX_NAMES).filter_map(one).collect()
}

/// The names of a `BreadcrumbList`, by position.
fn crumbs(list: &Map<String, Value>) -> Vec<String> {
    let Some(Value::Array(items)) = list.get("itemListElement") else {
        return Vec::new();
    };
    let position = |item: &Value| match &item["position"] {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    let name = |item: &Value| {
        [&item["name"], &item["item"]["name"]].into_iter().find_map(|name| name.as_str().map(tidy))
    };
    let mut items: Vec<&Value> = items.iter().take(MAX_NAMES).collect();
    items.sort_by_key(|item| position(item).unwrap_or(u64::MAX));
    items.into_iter().filter_map(name).collect()
}

/// `http://schema.org/Article` and `schema:Article` are an `Article`.
fn short_type(name: &str) -> String {
    tidy(name.rsplit(['/', '#', ':']).next().unwrap_or(name))
}

/// The string or strings that a value is.
fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = match value {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    list.iter().take(MAX_NAMES).filter_map(|value| match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(fields) => fields.get("@value").and_then(Value::as_str),
        _ => None,
    })
}

/// Who is meant: a name, somebody with a name, or a list of them.
fn names(value: &Value) -> Vec<Name> {
    let list = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let one = |value: &Value| match value {
        Value::String(name) => Some(Name::Is(tidy(name))),
        Value::Object(fields) => match strings(fields.get("name")).next() {
            Some(name) => Some(Name::Is(tidy(name))),
            None => Some(Name::Of(tidy(fields.get("@id")?.as_str()?))),
        },
        _ => None,
    };
    list.iter().take(MAX_NAMES).filter_map(one).collect()
}

fn tidy(text: &str) -> String {
    let mut out = String::new();
    fold_space(text.trim(), &mut out, MAX_FIELD);
    out
}

/// The names of those who are meant, where they can be found.
pub(crate) fn resolve(names: &[Name], things: &[Thing]) -> Vec<String> {
    let name = |name: &Name| match name {
        Name::Is(name) => Some(name.clone()),
        Name::Of(id) => things.iter().find(|thing| thing.id == *id).map(|thing| thing.name.clone()),
    };
    names.iter().filter_map(name).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests;
