//! A site that changes, watched from a data folder.

use super::receiver::Receiver;
use super::site::{Answer, Site};
use super::{Ran, Running, lycosa, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A site that changes, and a data folder from which it is watched.
pub struct World {
    dir: TempDir,
    site: Site,
    pages: Arc<Mutex<BTreeMap<String, String>>>,
    pub receiver: Receiver,
}

pub const CONFIG: &str = "[crawl]\ndelay = \"0s\"\nretry = \"10ms\"\n[fetch]\nallow_private = true\n\
                      [watch]\nallow_private = true\n";

impl World {
    pub fn new() -> World {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("config.toml"), CONFIG).expect("written");
        let pages = Arc::<Mutex<BTreeMap<String, String>>>::default();
        let known = Arc::clone(&pages);
        let site = Site::serve(move |_, path| match known.lock().expect("whole").get(path) {
            Some(html) => Answer::html(html.clone()),
            None => Answer::missing(),
        });
        let world = World { dir, site, pages, receiver: Receiver::listen() };
        // Links to pages that come later are there from the beginning, so that the front page stays as it is.
        let links: String =
            (0..40).map(|n| format!("<li><a href=\"/p{n}\">page {n}</a>")).collect();
        world
            .html("/", &format!("<title>Front</title><h1>Front</h1><p>All pages.<ul>{links}</ul>"));
        world
    }

    pub fn html(&self, path: &str, html: &str) {
        self.pages.lock().expect("whole").insert(path.into(), html.into());
    }

    /// A page that says this.
    pub fn put(&self, path: &str, words: &str) {
        let html = format!(
            "<title>Page {path}</title><h1>{path}</h1><p>This page is about {words}, as seen from {path} in the marsh."
        );
        self.html(path, &html);
    }

    pub fn remove(&self, path: &str) {
        self.pages.lock().expect("whole").remove(path);
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.site.address)
    }

    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub fn config(&self) -> PathBuf {
        self.dir.path().join("config.toml")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = lycosa(["--data", text(&self.data()), "--config", text(&self.config())]);
        command.args(arguments);
        command
    }

    /// `lycosa watch …` to its end.
    pub fn watch(&self, arguments: &[&str]) -> Ran {
        Running::start(self.command(&[&["watch"], arguments].concat())).finish()
    }

    pub fn add(&self, arguments: &[&str]) -> Value {
        self.watch(&[&["add", "--json"], arguments].concat()).exits(0).json()
    }

    /// Looks at everything and tells what was found, as `change path`.
    pub fn found(&self) -> BTreeSet<String> {
        let told = self.watch(&["run", "--all", "--json"]).exits(0).json();
        changes(&told["watches"][0]["entries"])
    }

    /// What the feed of the first watch tells, the oldest first, with the ids.
    pub fn feed(&self) -> Vec<(String, String)> {
        read_feed(&self.watch(&["feed", "1"]).exits(0).stdout)
    }
}

/// `change path` of each entry.
pub fn changes(entries: &Value) -> BTreeSet<String> {
    let entries = entries.as_array().expect("a list");
    let told: Vec<String> = entries.iter().map(change).collect();
    let distinct: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(told.len(), distinct.len(), "once each: {told:?}");
    distinct
}

pub fn change(entry: &Value) -> String {
    let url = entry["url"].as_str().expect("a url");
    format!("{} {}", entry["change"].as_str().expect("a change"), path_of(url))
}

fn path_of(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or("/", |at| &url[host + at..])
}

/// Ids and changes of a feed, the oldest first.
pub fn read_feed(text: &str) -> Vec<(String, String)> {
    let document = roxmltree::Document::parse(text).expect("XML");
    let entries = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2005/Atom", "entry")));
    let mut rows: Vec<(String, String)> = entries
        .map(|entry| {
            let find = |name: &str| {
                entry.children().find(|node| node.tag_name().name() == name).expect("a child")
            };
            let change = find("category").attribute("term").expect("a term");
            let href = find("link").attribute("href").expect("an address");
            (find("id").text().expect("an id").to_owned(), format!("{change} {}", path_of(href)))
        })
        .collect();
    rows.reverse();
    rows
}

pub fn set(changes: &[&str]) -> BTreeSet<String> {
    changes.iter().map(|&change| change.to_owned()).collect()
}
