//! `GET /api/v1/openapi.json`: how is the API asked, for programs that read such documents? Written from the
//! [table](super::table) and from the types of the answers.

use super::Fault;
use super::operation::{Kind, NOT_IN_HOSTS, Operation, Parameter};
use super::table::{OPERATIONS, ROOT};
use crate::web::language;
use axum::http::header;
use axum::response::IntoResponse;
use lycosa_model::Preferences;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());

/// What may be answered to anything.
const ANYTIME: &[(u16, &str)] = &[
    (401, "The token is missing or wrong."),
    (403, "The request comes from another site."),
    (429, "Too many requests; Retry-After says how long to wait."),
    (503, "Whoever could answer has no time, or cannot."),
];

/// What may be answered to whoever sends something.
const SENT: &[(u16, &str)] = &[
    (400, "The body or a parameter cannot be read."),
    (408, "The body did not arrive in time."),
    (413, "The body is too large."),
    (415, "The body is no JSON."),
];

pub(super) async fn endpoint() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
}

/// The whole document.
pub(in crate::web) fn document() -> Value {
    let mut answers = SchemaSettings::draft2020_12().for_serialize();
    answers.definitions_path = "/components/schemas".into();
    let mut answers = answers.into_generator();
    let mut bodies = SchemaSettings::draft2020_12().for_deserialize();
    bodies.inline_subschemas = true;
    let mut bodies = bodies.into_generator();
    let fault = answers.subschema_for::<Fault>().to_value();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        let path = format!("{ROOT}{}", operation.path);
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[operation.method] = described(operation, &mut answers, &mut bodies, &fault);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lycosa",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Searches an index, starts and steers hunts, and keeps watch. Reading needs no token on a \
                            server for this machine; whatever changes something does.",
        },
        "paths": paths,
        "components": {
            "schemas": answers.take_definitions(true),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token in the file `token` of the data folder.",
                },
            },
        },
    })
}

fn described(
    operation: &Operation,
    answers: &mut SchemaGenerator,
    bodies: &mut SchemaGenerator,
    fault: &Value,
) -> Value {
    let changes = operation.method != "get";
    let (status, answer) = operation.answer;
    let mut responses = Map::new();
    let answer = answer(answers).to_value();
    responses.insert(status.to_string(), response("The answer.", operation.media, &answer));
    let sent = SENT.iter().filter(|(status, _)| changes || *status == 400);
    for (status, about) in operation.faults.iter().chain(sent).chain(ANYTIME) {
        responses.insert(status.to_string(), response(about, &["application/json"], fault));
    }
    let parts = operation.parts().map(|part| parameter(part, "path"));
    let asked = operation.parameters.iter().map(|asked| parameter(asked, "query"));
    let parameters: Vec<Value> = parts.chain(asked).collect();
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters,
        "responses": responses,
        "security": if changes { json!([{ "token": [] }]) } else { json!([{}, { "token": [] }]) },
    });
    if let Some(body) = operation.body {
        let schema = bounded(body(bodies).to_value());
        described["requestBody"] = json!({ "required": !operation.may_be_empty, "content": { "application/json": { "schema": schema } } });
    }
    described
}

/// Numbers end where the program's end, or far below the place from which on floating point, which some programs
/// write, misses whole numbers.
fn bounded(mut schema: Value) -> Value {
    let most = match schema["format"].as_str() {
        Some("uint64" | "uint") => Some(1_000_000_000_000_u64),
        Some("uint32") => Some(u64::from(u32::MAX)),
        _ => None,
    };
    if let Some(fields) = schema.as_object_mut() {
        if let Some(most) = most {
            fields.insert("maximum".into(), most.into());
        }
        for field in fields.values_mut().filter(|field| field.is_object()) {
            *field = bounded(field.take());
        }
    }
    schema
}

fn response(about: &str, media: &[&str], schema: &Value) -> Value {
    let content = media.iter().map(|media| ((*media).to_owned(), json!({ "schema": schema })));
    json!({ "description": about, "content": content.collect::<Map<String, Value>>() })
}

fn parameter(parameter: &Parameter, place: &str) -> Value {
    let schema = match parameter.kind {
        Kind::Text => json!({ "type": "string" }),
        // Something that is neither white space nor a control character.
        Kind::Words => {
            json!({ "type": "string", "pattern": "[^\\s\\u0000-\\u001f\\u007f-\\u009f]" })
        }
        Kind::Number { default, least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most, "default": default })
        }
        Kind::Flag => json!({ "type": "boolean", "default": false }),
        Kind::OneOf(values) => {
            json!({ "type": "string", "enum": values, "default": values.first() })
        }
        Kind::Id => {
            json!({ "type": "integer", "minimum": 1, "maximum": 1_u64 << 53, "examples": [1] })
        }
        Kind::Name => json!({ "type": "string", "minLength": 1 }),
        Kind::Sites => {
            let odd = NOT_IN_HOSTS.replace('\\', "\\\\").replace('^', "\\^");
            let pattern = format!(
                "^[^\\s\\u0000-\\u001f\\u007f-\\u009f{odd}]{{1,{}}}$",
                Preferences::MOST_BYTES
            );
            let site = json!({ "type": "string", "pattern": pattern, "examples": ["example.org"] });
            json!({ "type": "array", "items": site, "maxItems": Preferences::MOST })
        }
        Kind::Language => {
            json!({ "type": "string", "enum": language::codes().collect::<Vec<_>>() })
        }
    };
    json!({
        "name": parameter.name,
        "in": place,
        "description": parameter.about,
        "required": parameter.required,
        "schema": schema,
    })
}
