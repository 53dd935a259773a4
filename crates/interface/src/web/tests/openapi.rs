//! Does the document say what the server does?

use super::hunts::{send, with_hunts};
use super::*;
use serde_json::Value;
use std::collections::BTreeSet;

const HERE: (&str, &str) = ("host", "127.0.0.1:8080");
const JSON: (&str, &str) = ("content-type", "application/json");
const BEARER: (&str, &str) = ("authorization", "Bearer a-token-of-the-tests");

async fn document(router: &Router) -> Value {
    send(router, ("GET", "/api/v1/openapi.json"), &[HERE], "").await.1
}

/// Every reference in a value.
fn references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                into.insert(reference.clone());
            }
            fields.values().for_each(|field| references(field, into));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        _ => {}
    }
}

#[tokio::test]
async fn every_operation_of_the_document_is_there_and_nothing_else_is() {
    let router = with_hunts(Reach::ThisMachine);
    let document = document(&router).await;
    assert_eq!(document["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap();
        // A stream has no end while the hunt has none.
        let id = if path.ends_with("/events") { "8" } else { "7" };
        let concrete = path.replace("{id}", id);
        let concrete = concrete.replace("{name}", "Ana%20x").replace("{conversation}", "c");
        assert!(!concrete.contains('{'), "{path}");
        for method in ["get", "post", "put", "patch", "delete"] {
            let asked = (method.to_uppercase(), concrete.as_str());
            let asked = (asked.0.as_str(), asked.1);
            let (status, told) = send(&router, asked, &[HERE, JSON, BEARER], "{}").await;
            let Some(operation) = methods.get(method) else {
                assert_eq!(status, 405, "{method} {path}");
                continue;
            };
            assert!(
                status != 405 && told["error"] != "no such endpoint",
                "{method} {path}: {told}"
            );
            assert!(operation["responses"].get(status.to_string()).is_some(), "{path}: {status}");
            assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()));
            let parts = operation["parameters"].as_array().unwrap().iter();
            let parts = parts.filter(|parameter| parameter["in"] == "path").count();
            assert_eq!(parts, path.matches('{').count(), "{path}");
            let needs_token = operation["security"]
                .as_array()
                .unwrap()
                .iter()
                .all(|way| way != &serde_json::json!({}));
            let (status, _) = send(&router, asked, &[HERE, JSON], "{}").await;
            assert_eq!(status == 401, needs_token, "{method} {path}");
            let guess = ("authorization", "Bearer a-token-of-nobody");
            let (status, _) = send(&router, asked, &[HERE, JSON, guess], "{}").await;
            assert_eq!(status, 401, "{method} {path}");
        }
    }
    assert!(names.len() >= 38, "{names:?}");
    let mut wanted = BTreeSet::new();
    references(&document, &mut wanted);
    for reference in wanted {
        let pointer = reference.strip_prefix('#').expect("a reference inside the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

#[tokio::test]
async fn a_program_is_told_of_parameters_that_cannot_be_used() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "A title"))));
    for (query, part) in [
        ("q=a&limit=ten", "a whole number from 1 to 100"),
        ("q=a&limit=101", "a whole number from 1 to 100"),
        ("q=a&lang=klingon", "as in es"),
        ("q=a&explain=perhaps", "true or false"),
        ("q=a&qq=b", "there is q, limit, offset"),
        ("", "The words"),
        ("q=+", "write a word"),
    ] {
        let got = stage.get(&format!("/api/v1/search?{query}")).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(got.body.contains(part), "{query}: {}", got.body);
    }
    let got = stage.get("/api/v1/search?q=a&limit=100&offset=3&lang=es&explain=true").await;
    assert_eq!(got.status, StatusCode::OK);
    assert_eq!((stage.last_asked().limit, stage.last_asked().lang), (100, Some(Lang::ES)));
    let same = stage.get("/api/search?q=a&limit=ten&qq=b").await;
    assert_eq!(same.status, StatusCode::OK, "where it always was, it is repaired");
}
