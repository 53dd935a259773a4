//! Which web does a test crawl? The synthetic one: served on loopback by the test itself, which then
//! knows what was asked for, or kept in an archive for replays.

use super::{Running, lycosa, text};
use lycosa_lab::synthetic::{self, Facts, Naming, Served, Shape, SyntheticWeb};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Runtime;

/// A synthetic web on loopback, served until it is dropped.
pub struct LiveWeb {
    pub facts: Facts,
    served: Option<Served>,
    runtime: Option<Runtime>,
}

impl LiveWeb {
    /// Serves a web on a free port.
    pub fn serve(seed: u64, shape: Shape) -> LiveWeb {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket");
        let port = listener.local_addr().expect("bound").port();
        let web = Arc::new(SyntheticWeb::new(seed, shape, Naming::Loopback { port }));
        let facts = web.facts();
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
            synthetic::serve(web, listener, std::future::pending()).expect("bound")
        });
        LiveWeb { facts, served: Some(served), runtime: Some(runtime) }
    }

    fn served(&self) -> &Served {
        self.served.as_ref().expect("taken only when dropped")
    }

    /// The web itself.
    pub fn web(&self) -> &SyntheticWeb {
        self.served().web()
    }

    /// How often each address was asked for so far.
    pub fn visits(&self) -> BTreeMap<String, u64> {
        assert!(self.web().visits().is_complete(), "every request is counted");
        self.web().visits().all()
    }

    /// All requests so far.
    pub fn total(&self) -> u64 {
        self.web().visits().total()
    }
}

impl Drop for LiveWeb {
    fn drop(&mut self) {
        drop(self.served.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A synthetic web as an archive in `dir`: its files, and what is true of it.
pub fn kept_web(seed: u64, shape: Shape, naming: Naming, dir: &Path) -> (PathBuf, Facts) {
    let web = SyntheticWeb::new(seed, shape, naming);
    let archive = dir.join("web");
    std::fs::create_dir_all(&archive).expect("a folder");
    web.export_warc(&archive).expect("an archive");
    (archive, web.facts())
}

/// Crawls an archive: the summary, and where the trace is.
pub fn replayed(archive: &Path, dir: &Path, arguments: &[&str]) -> (serde_json::Value, PathBuf) {
    let (data, trace) = (dir.join("data"), dir.join("trace.jsonl"));
    let mut command = lycosa(["crawl", "--json", "-q", "--replay", text(archive)]);
    command.args(["--data", text(&data), "--trace", text(&trace)]).args(arguments);
    let summary = Running::start(command).finish().exits(0).json();
    (summary, trace)
}
