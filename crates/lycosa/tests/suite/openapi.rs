//! Does the API keep to its document, whatever is asked? Held against schemathesis, which makes up requests
//! from the document: those that it allows and those that it does not.

use crate::support::outside::{http, python, python_has, with_token};
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Nothing that is asked for here leaves this machine: the proxy is a port that nobody listens on.
const NOWHERE: &str =
    "[crawl]\nretry = \"50ms\"\nattempts = 1\n[fetch]\nproxy = \"http://127.0.0.1:9\"\n";

/// What is checked, and how long.
const CHECKS: &str = "[checks]\npositive_data_acceptance.expected-statuses = \
    [\"2xx\", \"401\", \"403\", \"404\", \"409\", \"422\"]\n";

/// A data folder with some pages, a hunt by a team that talks, and settings that lead nowhere.
struct Place {
    dir: TempDir,
    data: PathBuf,
}

impl Place {
    fn new() -> Place {
        let web = LiveWeb::serve(1, Shape::demo());
        let dir = tempfile::tempdir().expect("a folder");
        let data = dir.path().join("data");
        let mut hunt = lycosa(["hunt", "telescope galaxy", &web.facts.fronts[0]]);
        hunt.args(["--allow-private", "-q", "--strategy", "contract-net", "--agents", "3"]);
        hunt.args(["--delay", "0s", "--pages", "60", "--data", text(&data)]);
        Running::start(hunt).finish().exits(0);
        std::fs::write(dir.path().join("config.toml"), NOWHERE).expect("write");
        std::fs::write(dir.path().join("schemathesis.toml"), CHECKS).expect("write");
        Place { dir, data }
    }

    /// A server that watches something, and where it is.
    fn serve(&self) -> (Running, String) {
        let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
        let config = self.dir.path().join("config.toml");
        command.args(["--data", text(&self.data), "--config", text(&config)]);
        let server = Running::start(command);
        let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
        let listen = told["listen"].as_str().expect("an address").to_owned();
        let address = listen.trim_start_matches("http://").trim_end_matches('/');
        let address = with_token(address, &self.data);
        let added = http(&address, "POST", "/api/v1/watches", r#"{"query":"telescope"}"#);
        assert_eq!(added.status, 201, "{}", added.body);
        (server, listen)
    }
}

#[test]
fn what_is_told_of_hunts_and_watches_is_as_the_document_has_it() {
    if !python_has("jsonschema") {
        return;
    }
    let place = Place::new();
    let (server, listen) = place.serve();
    let ask = |path: &str| -> Value {
        let address = listen.trim_start_matches("http://").trim_end_matches('/');
        let answer = http(address, "GET", &format!("/api/v1{path}"), "");
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{path}: {}", answer.body))
    };
    let first = |path: &str, field: &str| match &ask(path)[0][field] {
        Value::String(text) => text.clone(),
        _ => panic!("{path} has nothing"),
    };
    let agent = first("/hunts/1/agents", "name");
    let conversation = first("/hunts/1/conversations", "id");
    let page = ask("/hunts/1/results")["results"][0]["url"].as_str().expect("a page").to_owned();
    until("the watch was looked at", || ask("/watches/1")["checks"][0].is_object().then_some(()));
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/support/openapi_answers.py");
    let mut asking = Command::new(python());
    asking.args([text(&script), &listen]).args([
        "/hunts=/hunts".to_owned(),
        "/hunts/{id}=/hunts/1".to_owned(),
        "/hunts/{id}/agents=/hunts/1/agents".to_owned(),
        format!("/hunts/{{id}}/agents/{{name}}=/hunts/1/agents/{agent}"),
        format!("/hunts/{{id}}/path=/hunts/1/path?url={page}"),
        "/hunts/{id}/graph=/hunts/1/graph?nodes=20".to_owned(),
        "/hunts/{id}/conversations=/hunts/1/conversations".to_owned(),
        format!(
            "/hunts/{{id}}/conversations/{{conversation}}=/hunts/1/conversations/{conversation}"
        ),
        "/watches=/watches".to_owned(),
        "/watches/{id}=/watches/1".to_owned(),
    ]);
    let said = asking.output().expect("it is here");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    server.signal("INT");
    server.finish().exits(0);
}

/// How many operations the document has.
fn operations(listen: &str) -> usize {
    let address = listen.trim_start_matches("http://").trim_end_matches('/');
    let document = http(address, "GET", "/api/v1/openapi.json", "").body;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").values();
    paths.filter_map(Value::as_object).map(serde_json::Map::len).sum()
}

#[test]
fn schemathesis_finds_nothing_that_the_document_does_not_say() {
    if !python_has("schemathesis") {
        return;
    }
    let place = Place::new();
    let (server, listen) = place.serve();
    let (dir, checks) = (place.dir.path(), place.dir.path().join("schemathesis.toml"));
    let bearer = with_token("", &place.data);
    let bearer = format!("Authorization: Bearer {}", bearer.trim_end_matches('@'));
    let document = format!("{listen}api/v1/openapi.json");
    let mut asking = Command::new(python());
    asking.args(["-m", "schemathesis.cli", "--config-file", text(&checks), "run", &document]);
    asking.args(["--header", &bearer, "--seed", "6", "--max-examples", "12"]);
    asking.args(["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"]);
    // A stream has no end while the hunt has none.
    asking.args(["--exclude-operation-id", "huntEvents"]);
    asking.arg("--generation-deterministic");
    asking.args(["--request-timeout", "20", "--max-time", "45"]);
    let said = asking.current_dir(dir).output().expect("it is here");
    let words = String::from_utf8_lossy(&said.stdout).into_owned();
    let errors = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{words}\n{errors}");
    assert!(words.contains("passed"), "{words}");
    let operations = operations(&listen);
    assert!(words.contains(&format!("Tested: {}", operations - 1)), "all but one: {words}");
    server.signal("INT");
    let ran = server.finish();
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}
