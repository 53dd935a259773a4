//! Does another crawler find what it expects? A real client speaks with a real server over loopback.

mod calls;
mod dumps;
mod hostile;
mod streams;
mod wire;

use super::client::Client;
use super::messages::*;
use super::*;
use futures_util::{StreamExt, stream};
use lycosa_store::records::Records;
use std::path::Path;
use std::sync::Mutex;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::{Code, Status as Fault};

/// A server on a folder, and a client.
struct Yard {
    dir: TempDir,
    client: Client,
    metrics: Arc<Metrics>,
    levels: Arc<Mutex<Vec<tracing::Level>>>,
    stop: oneshot::Sender<()>,
    server: tokio::task::JoinHandle<()>,
    address: std::net::SocketAddr,
}

impl Yard {
    async fn open() -> Yard {
        Yard::at(tempfile::tempdir().expect("temp dir")).await
    }

    async fn at(dir: TempDir) -> Yard {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let address = listener.local_addr().expect("address");
        let levels: Arc<Mutex<Vec<tracing::Level>>> = Arc::default();
        let told = levels.clone();
        let set_level: SetLevel = Arc::new(move |level| told.lock().expect("lock").push(level));
        let frontier =
            UrlFrontier::open(queues(dir.path()), &address.to_string(), set_level).expect("open");
        let metrics = frontier.metrics();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(frontier.serve(listener, async move { drop(stopped.await) }));
        let client = Client::new(address).expect("client");
        Yard { dir, client, metrics, levels, stop, server, address }
    }

    /// Stops the server and starts another one on the same folder.
    async fn restart(self) -> Yard {
        drop((self.client, self.stop));
        self.server.await.expect("it ends in good order");
        Yard::at(self.dir).await
    }

    /// Puts items and waits for all acknowledgements.
    async fn put(&mut self, items: Vec<UrlItem>) -> Vec<(String, Status)> {
        let acks = self.client.put(items).await.expect("acks");
        acks.into_iter().map(|ack| (ack.id.clone(), ack.status())).collect()
    }

    async fn get(&mut self, asked: GetParams) -> Vec<UrlInfo> {
        self.client.get(asked).await.expect("URLs")
    }

    async fn urls(&mut self, asked: GetParams) -> Vec<String> {
        self.get(asked).await.into_iter().map(|info| info.url).collect()
    }

    async fn stats(&mut self, key: &str) -> Stats {
        let asked = QueueWithinCrawlParams { key: key.into(), ..Default::default() };
        self.client.call("GetStats", asked).await.expect("stats")
    }

    /// No pause between servings.
    async fn hurry(&mut self) {
        let asked = QueueDelayParams::default();
        let _: Empty = self.client.call("SetDelay", asked).await.expect("set");
    }
}

fn queues(dir: &Path) -> Queues {
    Queues::open(&Records::open(dir).expect("records")).expect("queues")
}

fn info(url: &str) -> UrlInfo {
    UrlInfo { url: url.into(), ..UrlInfo::default() }
}

fn discovered(url: &str) -> UrlItem {
    let item = DiscoveredUrlItem { info: Some(info(url)) };
    UrlItem { item: Some(url_item::Item::Discovered(item)), ..UrlItem::default() }
}

fn known(url: &str, refetchable_from_date: u64) -> UrlItem {
    let item = KnownUrlItem { info: Some(info(url)), refetchable_from_date };
    UrlItem { item: Some(url_item::Item::Known(item)), ..UrlItem::default() }
}

fn ask(urls: u32, queues: u32) -> GetParams {
    GetParams { max_urls_per_queue: urls, max_queues: queues, ..GetParams::default() }
}

fn now() -> u64 {
    desk::now().seconds()
}
