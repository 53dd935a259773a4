//! What does a cluster of NATS servers do when its members die?

use crate::process::{Process, free_port, http_get, programs, wait_until};
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// How long a cluster may take to have a leader.
const START: Duration = Duration::from_secs(30);

/// How often a start is tried: a free port may be taken by somebody else before the server listens on it.
const STARTS: usize = 3;

/// What a cluster tells of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamState {
    /// Number of the node that leads it.
    pub leader: usize,
    /// Messages in it.
    pub messages: u64,
    /// Copies that it has.
    pub replicas: usize,
}

#[derive(Debug)]
struct Node {
    process: Option<Process>,
    client: u16,
    monitor: u16,
    config: PathBuf,
}

/// Servers that form a cluster with JetStream; one server is a cluster of one. All are killed when it goes.
#[derive(Debug)]
pub struct Cluster {
    program: PathBuf,
    nodes: Vec<Node>,
    folder: TempDir,
}

/// The NATS servers of this machine: every `nats-server` found, with its version, as in `2.15.1`.
pub fn servers() -> Vec<(PathBuf, String)> {
    let versions = programs("nats-server").into_iter().filter_map(|program| {
        let output = Command::new(&program).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.trim().rsplit(['v', ' ']).next()?.to_owned();
        Some((program, version))
    });
    versions.collect()
}

impl Cluster {
    /// Starts a cluster of the first server that is found; nothing when there is none on this machine.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(nodes: usize) -> io::Result<Option<Cluster>> {
        let Some(program) = programs("nats-server").into_iter().next() else { return Ok(None) };
        Self::start_with(&program, nodes).map(Some)
    }

    /// Starts a cluster of this program, and waits until it can keep streams.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start_with(program: &Path, nodes: usize) -> io::Result<Cluster> {
        let mut tries = 0;
        loop {
            tries += 1;
            match Self::try_start(program, nodes) {
                Err(_) if tries < STARTS => {}
                other => return other,
            }
        }
    }

    fn try_start(program: &Path, count: usize) -> io::Result<Cluster> {
        let folder = tempfile::Builder::new().prefix("nats").tempdir()?;
        let routes = (0..count).map(|_| free_port()).collect::<io::Result<Vec<u16>>>()?;
        let mut nodes = Vec::new();
        for number in 0..count {
            let (client, monitor) = (free_port()?, free_port()?);
            let config = folder.path().join(format!("n{number}.conf"));
            let text = config_of(number, client, monitor, &routes, folder.path());
            std::fs::write(&config, text)?;
            nodes.push(Node { process: None, client, monitor, config });
        }
        let mut cluster = Cluster { program: program.to_owned(), nodes, folder };
        for number in 0..count {
            cluster.spawn(number)?;
        }
        cluster.wait_ready()?;
        Ok(cluster)
    }

    fn spawn(&mut self, number: usize) -> io::Result<()> {
        let log = self.folder.path().join(format!("n{number}.log"));
        let node = &mut self.nodes[number];
        let mut command = Command::new(&self.program);
        node.process = Some(Process::start(command.arg("-c").arg(&node.config), &log)?);
        Ok(())
    }

    /// Waits until the cluster can keep streams.
    ///
    /// # Errors
    /// When a server has ended, or there is no leader in time.
    pub fn wait_ready(&mut self) -> io::Result<()> {
        let wanted = self.nodes.len();
        let ready = wait_until("a leader of the cluster", START, || {
            if self.nodes.iter_mut().any(|n| n.process.as_mut().is_some_and(Process::has_ended)) {
                return true;
            }
            self.alive().iter().all(|number| {
                if !self.listens(*number) {
                    return false;
                }
                let Some(state) = self.ask(*number, "/jsz") else { return false };
                let meta = &state["meta_cluster"];
                wanted == 1
                    || meta["leader"].as_str().is_some_and(|leader| !leader.is_empty())
                        && meta["cluster_size"].as_u64() == Some(wanted as u64)
            })
        });
        for node in &mut self.nodes {
            if let Some(process) = &mut node.process
                && (process.has_ended() || ready.is_err())
            {
                return Err(io::Error::other(format!("nats-server: {}", process.log())));
            }
        }
        ready
    }

    /// Whether a node hears clients, which is later than it answers questions; and whether it is ours who answers.
    fn listens(&self, number: usize) -> bool {
        let client = self.nodes[number].client;
        self.ask(number, "/varz").is_some_and(|state| state["port"] == client)
            && TcpStream::connect(("127.0.0.1", client)).is_ok()
    }

    fn ask(&self, number: usize, path: &str) -> Option<Value> {
        let body = http_get(self.nodes[number].monitor, path).ok()?;
        serde_json::from_slice(&body).ok()
    }

    /// The addresses of all nodes, as clients write them: `nats://127.0.0.1:1,127.0.0.1:2`.
    pub fn address(&self) -> String {
        let all: Vec<String> =
            self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.client)).collect();
        format!("nats://{}", all.join(","))
    }

    /// The port on which one node hears clients.
    pub fn port(&self, number: usize) -> u16 {
        self.nodes[number].client
    }

    /// The numbers of the nodes that were not killed.
    pub fn alive(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|number| self.nodes[*number].process.is_some()).collect()
    }

    /// Kills one node (SIGKILL).
    ///
    /// # Errors
    /// When the system refuses.
    pub fn kill(&mut self, number: usize) -> io::Result<()> {
        match self.nodes[number].process.take() {
            Some(mut process) => process.kill(),
            None => Ok(()),
        }
    }

    /// Starts a node again that was killed, with what it had on disk.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn revive(&mut self, number: usize) -> io::Result<()> {
        self.spawn(number)
    }

    /// What the leader of a stream tells of it now; nothing while there is no leader. The answer of a follower
    /// is not taken: it may be old, and killing a follower looks deceptively good.
    pub fn stream(&self, name: &str) -> Option<StreamState> {
        let path = "/jsz?accounts=true&streams=true&config=true";
        self.alive().into_iter().find_map(|number| {
            let state = self.ask(number, path)?;
            let streams = state["account_details"].as_array()?.iter();
            let details = streams.filter_map(|account| account["stream_detail"].as_array());
            let mut found = details.flatten().filter(|stream| stream["name"] == name);
            let stream = found.next()?;
            let leads = stream["cluster"]["leader"].as_str() == Some(&format!("n{number}"));
            (leads || self.nodes.len() == 1).then(|| StreamState {
                leader: number,
                messages: stream["state"]["messages"].as_u64().unwrap_or_default(),
                replicas: stream["config"]["num_replicas"].as_u64().unwrap_or_default() as usize,
            })
        })
    }

    /// How many clients one node has now, by their names.
    pub fn clients(&self, number: usize) -> Vec<String> {
        let state = self.ask(number, "/connz").unwrap_or_default();
        let all = state["connections"].as_array().cloned().unwrap_or_default();
        all.iter().map(|client| client["name"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

fn config_of(number: usize, client: u16, monitor: u16, routes: &[u16], folder: &Path) -> String {
    let store = folder.join(format!("n{number}"));
    let mut text = format!(
        "server_name: n{number}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\n\
         jetstream {{ store_dir: {store:?}, max_memory_store: 64MB, max_file_store: 1GB }}\n"
    );
    if routes.len() > 1 {
        let all: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        text += &format!(
            "cluster {{ name: test, listen: 127.0.0.1:{}, routes: [{}] }}\n",
            routes[number],
            all.join(", ")
        );
    }
    text
}
