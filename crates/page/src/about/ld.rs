//! Which things does a page describe in JSON-LD? Their kinds and the fields that readers ask for.
//!
//! Things are taken from the outermost object or list, from `@graph`, and from what is said to be the
//! main entity. JSON that is nearly right is repaired first: comment marks around it, commas too many,
//! raw line breaks in strings, an end that is missing.

mod repair;

use crate::date;
use crate::space::fold_space;
use lycosa_model::Tick;
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

/// Reads what one script holds and adds its things.
pub(crate) fn read(json: &str, things: &mut Vec<Thing>) {
    let json = json.trim_start_matches('\u{feff}').trim();
    match serde_json::from_str::<Value>(json) {
        Ok(value) => take(&value, things, 0),
        Err(_) => {
            let repaired = repair::repair(json);
            let mut values = serde_json::Deserializer::from_str(&repaired).into_iter::<Value>();
            while let Some(Ok(value)) = values.next() {
                take(&value, things, 0);
            }
        }
    }
}

fn take(value: &Value, things: &mut Vec<Thing>, depth: usize) {
    if depth > MAX_DEPTH || things.len() >= MAX_THINGS {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| take(value, things, depth + 1)),
        Value::Object(fields) => {
            if let Some(thing) = thing(fields) {
                things.push(thing);
            }
            for inner in ["@graph", "mainEntity", "mainEntityOfPage"] {
                if let Some(value) = fields.get(inner) {
                    take(value, things, depth + 1);
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
    let headline = text("headline");
    Some(Thing {
        id: text("@id"),
        types,
        name: if headline.is_empty() { text("name") } else { headline },
        url: text("url"),
        author: fields
            .get("author")
            .or_else(|| fields.get("creator"))
            .map(names)
            .unwrap_or_default(),
        published: moment("datePublished").or_else(|| moment("dateCreated")),
        modified: moment("dateModified"),
    })
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
