//! What is there to know of one thing that programs can ask, and which parameters does it refuse?

use super::Fault;
use crate::web::door::Doors;
use crate::web::form::Params;
use crate::web::language;
use crate::web::visit::Visit;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use lycosa_model::Preferences;
use schemars::{Schema, SchemaGenerator};
use std::sync::Arc;

/// How a type is described.
pub(super) type Describe = fn(&mut SchemaGenerator) -> Schema;

/// One thing that programs can ask or do.
pub(super) struct Operation {
    /// `get`, `post`, `patch` or `delete`.
    pub(super) method: &'static str,
    /// Below [`ROOT`](super::table::ROOT); a part in braces is one of [`PARTS`].
    pub(super) path: &'static str,
    /// Where it was before there were versions. There parameters are repaired instead of refused.
    pub(super) alias: Option<&'static str>,
    /// Its name in generated clients.
    pub(super) id: &'static str,
    /// What it does, in a line.
    pub(super) summary: &'static str,
    /// Parameters of the query.
    pub(super) parameters: &'static [Parameter],
    /// What must be sent.
    pub(super) body: Option<Describe>,
    /// Whether nothing may be sent instead.
    pub(super) may_be_empty: bool,
    /// Media types of the answer.
    pub(super) media: &'static [&'static str],
    /// Status and type of the answer.
    pub(super) answer: (u16, Describe),
    /// What else may be answered, beside what may be answered to anything.
    pub(super) faults: &'static [(u16, &'static str)],
    pub(super) handler: fn() -> MethodRouter<Arc<Doors>>,
}

/// Characters that no name of a host has, beside white space and controls.
pub(super) const NOT_IN_HOSTS: &str = "\"#%/<>?@\\^`{|}";

/// A parameter of the query, or a part of the path.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
}

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Words: not nothing.
    Words,
    /// Any text.
    Text,
    /// A whole number.
    Number { default: usize, least: usize, most: usize },
    /// `true` or `false`.
    Flag,
    /// An ISO 639-1 code.
    Language,
    /// One of these; the first without.
    OneOf(&'static [&'static str]),
    /// The number of a hunt or a watch.
    Id,
    /// A name: not nothing.
    Name,
    /// Hosts, each by itself under this name, [`Preferences::MOST`] at most.
    Sites,
}

pub(super) const fn required(name: &'static str, about: &'static str, kind: Kind) -> Parameter {
    Parameter { name, about, kind, required: true }
}

pub(super) const fn optional(name: &'static str, about: &'static str, kind: Kind) -> Parameter {
    Parameter { name, about, kind, required: false }
}

/// The parts of paths.
const PARTS: &[Parameter] = &[
    required("id", "Its number", Kind::Id),
    required("name", "The name of an agent, as the list of them has it", Kind::Name),
    required("conversation", "The id of a conversation, as the list of them has it", Kind::Name),
];

impl Operation {
    /// The parts of its path that differ from one to the other.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static Parameter> {
        let names =
            self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        names.filter_map(|name| PARTS.iter().find(|part| part.name == name))
    }
}

/// Refuses parameters that are not what the table says: a program is better told than repaired.
pub(super) async fn strictly(
    parameters: &'static [Parameter],
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = RawPathParams::from_request_parts(&mut parts, &()).await;
    if let Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) = path {
        let error = "there is nothing of that name";
        return Fault::new(StatusCode::NOT_FOUND, error, "names are UTF-8").into_response();
    }
    match check(parameters, &Visit::of(&parts).params) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(fault) => fault.into_response(),
    }
}

fn check(parameters: &[Parameter], given: &Params) -> Result<(), Fault> {
    let wrong = |error: String, hint: String| Fault::new(StatusCode::BAD_REQUEST, error, hint);
    for (name, value) in &given.0 {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let hint = match names.is_empty() {
                true => "it takes none".to_owned(),
                false => format!("there is {}", names.join(", ")),
            };
            return Err(wrong(format!("there is no parameter `{name}` here"), hint));
        };
        if let Err(hint) = parameter.kind.accepts(value) {
            return Err(wrong(format!("`{name}` cannot be this"), hint));
        }
    }
    for parameter in parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Sites)) {
        let times = given.0.iter().filter(|(name, _)| name == parameter.name).count();
        if times > Preferences::MOST {
            let error = format!("`{}` is there too often", parameter.name);
            return Err(wrong(error, format!("{} times at most", Preferences::MOST)));
        }
    }
    let missing = parameters.iter().find(|parameter| {
        parameter.required && given.0.iter().all(|(name, _)| name != parameter.name)
    });
    match missing {
        Some(parameter) => {
            Err(wrong(format!("`{}` is missing", parameter.name), parameter.about.to_owned()))
        }
        None => Ok(()),
    }
}

impl Kind {
    fn accepts(self, value: &str) -> Result<(), String> {
        let good = match self {
            Kind::Text => true,
            Kind::Words => value.chars().any(|c| !c.is_whitespace() && !c.is_control()),
            Kind::Number { least, most, .. } => {
                let number = value.parse::<usize>();
                number.is_ok_and(|number| (least..=most).contains(&number))
            }
            Kind::Flag => matches!(value, "true" | "false" | "1" | "0" | ""),
            Kind::Language => language::codes().any(|code| code == value),
            Kind::OneOf(values) => values.contains(&value),
            Kind::Id => value.parse::<u64>().is_ok(),
            Kind::Name => !value.is_empty(),
            Kind::Sites => {
                let length = value.chars().count();
                let odd = |c: char| c.is_whitespace() || c.is_control() || NOT_IN_HOSTS.contains(c);
                (1..=Preferences::MOST_BYTES).contains(&length) && !value.contains(odd)
            }
        };
        if good { Ok(()) } else { Err(self.hint()) }
    }

    fn hint(self) -> String {
        match self {
            Kind::Text | Kind::Words => "write a word".into(),
            Kind::Number { least, most, .. } => format!("a whole number from {least} to {most}"),
            Kind::Flag => "true or false".into(),
            Kind::Language => "a language of two letters, as in es".into(),
            Kind::OneOf(values) => values.join(", "),
            Kind::Id => "a number".into(),
            Kind::Name => "a name".into(),
            Kind::Sites => "a host, as in example.org".into(),
        }
    }
}
