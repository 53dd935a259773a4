//! Is a server safe as it is started?

use crate::support::outside::{http, with_token};
use crate::support::*;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A server on a data folder, with everything logged, and the port it has.
fn serve(data: &Path, listen: &str) -> (Running, String) {
    let mut command = lycosa(["serve", "--listen", listen, "--json", "-vv"]);
    command.args(["--data", text(data)]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    assert_eq!(told["token_file"], text(&data.join("token")));
    let address = told["listen"].as_str().expect("an address").trim_end_matches('/');
    let port = address.rsplit(':').next().expect("a port").to_owned();
    (server, format!("127.0.0.1:{port}"))
}

fn token(data: &Path) -> String {
    std::fs::read_to_string(data.join("token")).expect("a token").trim().to_owned()
}

#[test]
fn the_token_is_for_its_owner_alone_and_never_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let (server, address) = serve(&data, "127.0.0.1:0");
    let mode = std::fs::metadata(data.join("token")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let known = token(&data);
    assert!(known.len() >= 40, "256 bits");
    assert_eq!(http(&address, "POST", "/api/v1/hunts", "{}").status, 401);
    let door = with_token(&address, &data);
    assert_eq!(http(&door, "POST", "/api/v1/hunts", "{}").status, 422, "it is let in");
    let wrong = format!("a-wrong-token-of-mine@{address}");
    assert_eq!(http(&wrong, "GET", "/", "").status, 401);
    let home = http(&address, "GET", "/", "");
    let cookie = home.head.lines().find(|line| line.to_lowercase().starts_with("set-cookie"));
    let session = cookie.expect("a session").split(['=', ';']).nth(1).expect("a value").to_owned();
    server.signal("INT");
    let ran = server.finish().exits(0);
    for secret in [&known, &session, "a-wrong-token-of-mine"] {
        assert!(!ran.stderr.contains(secret) && !ran.stdout.contains(secret), "{}", ran.stderr);
    }
    // The next server has the same.
    let (_server, address) = serve(&data, "127.0.0.1:0");
    assert_eq!(token(&data), known);
    assert_eq!(http(&with_token(&address, &data), "POST", "/api/v1/hunts", "{}").status, 422);
}

#[test]
fn a_server_that_others_can_reach_demands_the_token() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let (_server, address) = serve(&data, "0.0.0.0:0");
    for path in ["/", "/search?q=a", "/api/status", "/api/v1/hunts", "/metrics"] {
        assert_eq!(http(&address, "GET", path, "").status, 401, "{path}");
        assert_eq!(http(&with_token(&address, &data), "GET", path, "").status, 200, "{path}");
    }
    assert_eq!(http(&address, "GET", "/healthz", "").status, 200);
    assert_eq!(http(&address, "GET", "/signin", "").status, 200);
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("mine");
    let config = dir.path().join("config.toml");
    std::fs::write(&config, format!("[serve]\ntoken_file = \"{}\"", text(&file))).expect("write");
    std::fs::write(&file, "secret\n").expect("write");
    let options =
        ["--listen", "127.0.0.1:0", "--config", text(&config), "--data", text(dir.path())];
    run([&["serve"], &options[..]].concat()).fails_with(&["no token", "mine"], "16 characters");
}
