//! Can another crawler trust its frontier to the program? A real process is asked over gRPC, killed at a
//! bad moment and started again; dumps go in and out.

use crate::support::outside::http;
use crate::support::*;
use lycosa_broker::urlfrontier::client::Client;
use lycosa_broker::urlfrontier::messages::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;

/// A process that keeps frontiers, and where it is found.
struct Keeper {
    running: Running,
    client: Client,
    door: String,
}

impl Keeper {
    fn start(data: &Path) -> Keeper {
        let mut command = lycosa(["agent", "broker", "--listen", "127.0.0.1:0", "--json"]);
        command.args(["--urlfrontier", "127.0.0.1:0", "--data", text(data)]);
        let running = Running::start(command);
        let line = running.notes("other crawlers find their frontier");
        let address = line.rsplit(' ').next().expect("an address").parse().expect("an address");
        let line = running.notes("the broker waits for bots at http://");
        let door = line.split("http://").nth(1).and_then(|rest| rest.split(';').next());
        let door = door.expect("an address").to_owned();
        Keeper { running, client: Client::new(address).expect("a client"), door }
    }

    /// Every URL of the default crawl.
    async fn urls(&mut self) -> BTreeSet<String> {
        let asked = ListUrlParams { size: u32::MAX, ..Default::default() };
        let mut items = self.client.list::<_, UrlItem>("ListURLs", asked).await.expect("a list");
        let mut urls = BTreeSet::new();
        while let Some(item) = items.message().await.expect("an item") {
            let Some(url_item::Item::Known(known)) = item.item else { panic!("{item:?}") };
            urls.insert(known.info.expect("info").url);
        }
        urls
    }

    async fn stats(&mut self, key: &str) -> Stats {
        let asked = QueueWithinCrawlParams { key: key.to_owned(), ..Default::default() };
        self.client.call("GetStats", asked).await.expect("stats")
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

fn discovered(url: &str) -> UrlItem {
    let info = Some(UrlInfo { url: url.to_owned(), ..UrlInfo::default() });
    let item = url_item::Item::Discovered(DiscoveredUrlItem { info });
    UrlItem { item: Some(item), ..UrlItem::default() }
}

fn ask(urls: u32, lease: u32) -> GetParams {
    GetParams { max_urls_per_queue: urls, delay_requestable: lease, ..GetParams::default() }
}

#[test]
fn a_kill_loses_nothing_acknowledged_and_no_delay_block_limit_or_lease() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime();
    let mut keeper = Keeper::start(dir.path());
    let epoch = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    let acked = runtime.block_on(async {
        let client = &mut keeper.client;
        let urls =
            ["slow", "blocked", "limited", "free"].map(|host| format!("http://{host}.test/1"));
        client.put(urls.iter().map(|url| discovered(url)).collect()).await.expect("acks");
        let (key, hour) = (|name: &str| format!("{name}.test"), 3_600);
        let delay =
            QueueDelayParams { key: key("slow"), delay_requestable: hour, ..Default::default() };
        let _: Empty = client.call("SetDelay", delay).await.expect("set");
        let time = epoch + u64::from(hour);
        let block = BlockQueueParams { key: key("blocked"), time, ..Default::default() };
        let _: Empty = client.call("BlockQueueUntil", block).await.expect("set");
        let limit = CrawlLimitParams { key: key("limited"), limit: 1, ..Default::default() };
        let _: Empty = client.call("SetCrawlLimit", limit).await.expect("set");
        let got = client.get(ask(1, hour)).await.expect("URLs");
        let got: Vec<&str> = got.iter().map(|info| info.url.as_str()).collect();
        assert_eq!(got, ["http://slow.test/1", "http://limited.test/1", "http://free.test/1"]);
        let more =
            ["slow", "limited", "free"].map(|host| discovered(&format!("http://{host}.test/2")));
        client.put(more.to_vec()).await.expect("acks");
        let info = Some(UrlInfo { url: "http://limited.test/1".into(), ..UrlInfo::default() });
        let done = url_item::Item::Known(KnownUrlItem { info, refetchable_from_date: 0 });
        let done = UrlItem { item: Some(done), ..UrlItem::default() };
        client.put(vec![done]).await.expect("acks");
        let _: Empty = client.call("SetDelay", QueueDelayParams::default()).await.expect("set");
        // Groups follow one another while the plug is pulled.
        let mut writer = client.clone();
        let (count, mut seen) = tokio::sync::watch::channel(0);
        let writing = tokio::spawn(async move {
            let mut acked = BTreeSet::new();
            for group in 0_u32.. {
                let urls = (0..100).map(|page| format!("http://h{page}.test/{group}"));
                let items = urls.map(|url| discovered(&url)).collect();
                let Ok(acks) = writer.put(items).await else { break };
                acked.extend(
                    acks.into_iter().filter(|ack| ack.status() == Status::Ok).map(|ack| ack.id),
                );
                count.send_replace(acked.len());
            }
            acked
        });
        seen.wait_for(|count| *count > 2_000).await.expect("it writes");
        keeper.running.kill();
        writing.await.expect("the writer ends")
    });
    let mut keeper = Keeper::start(dir.path());
    runtime.block_on(async {
        let kept = keeper.urls().await;
        let lost: Vec<&String> = acked.difference(&kept).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        for host in ["slow", "limited", "free"] {
            assert!(kept.contains(&format!("http://{host}.test/2")));
        }
        assert_eq!(keeper.stats("free.test").await.in_process, 1, "its lease holds");
        assert_eq!(keeper.stats("limited.test").await.counts["completed"], 1);
        let got = keeper.client.get(ask(0, 60)).await.expect("URLs");
        let ours = got.into_iter().map(|info| info.url).filter(|url| !url.starts_with("http://h"));
        assert_eq!(ours.collect::<Vec<_>>(), ["http://free.test/2"]);
    });
    let page = http(&keeper.door, "GET", "/metrics", "");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("frontier_getURLs_calls_total 1\n"), "{}", page.body);
    drop(keeper.client);
    keeper.running.signal("INT");
    keeper.running.finish().exits(0);
}

#[test]
fn a_dump_goes_in_and_comes_out_and_lines_that_are_none_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let (data, dump) = (dir.path().join("data"), dir.path().join("dump.jsonl"));
    let lines = concat!(
        r#"{"known":{"info":{"url":"http://a.test/","key":"k","metadata":{"m":{"values":["1"]}},"#,
        r#""crawlID":"DEFAULT"},"refetchableFromDate":"4000000000"},"creationDate":"1700000000"}"#,
        "\n"
    );
    std::fs::write(&dump, lines).expect("written");
    let data = text(&data);
    let told = run(["import", "urlfrontier", text(&dump), "--data", data, "--json"]).exits(0);
    assert_eq!(told.json(), serde_json::json!({ "imported": 1, "skipped": 0 }));
    let out = run(["export", "urlfrontier", "--data", data]).exits(0);
    assert_eq!(out.stdout, lines);
    std::fs::write(&dump, "{\"url\": \"http://a.test/\"}\n").expect("written");
    let ran = run(["import", "urlfrontier", text(&dump), "--data", data]);
    ran.fails_with(&["dump.jsonl:1", "no URLItem"], "or just a URL");
    // Plain addresses are discovered; what is known is skipped.
    std::fs::write(&dump, "http://b.test/\nhttp://b.test/\n").expect("written");
    let told = run(["import", "urlfrontier", text(&dump), "--data", data, "--json"]).exits(0);
    assert_eq!(told.json(), serde_json::json!({ "imported": 1, "skipped": 1 }));
}
