//! How fast does a URLFrontier server take URLs in and give them out? Run it against any server:
//!
//! ```text
//! lycosa agent broker --urlfrontier 127.0.0.1:7071 --data /tmp/hub
//! cargo run --release -p lycosa-broker --example urlfrontier-load -- 127.0.0.1:7071 2000000 2
//! ```
//!
//! The arguments are the address, the number of URLs (over one host per thousand) and the streams that put
//! them at the same time. It uses the crawl `LOAD` and deletes it first.
#![allow(clippy::print_stdout, reason = "it is a tool, and this is its result")]

use futures_util::stream;
use lycosa_broker::urlfrontier::client::Client;
use lycosa_broker::urlfrontier::messages::*;
use std::error::Error;
use std::time::Instant;

/// The crawl that is filled.
const CRAWL: &str = "LOAD";

/// Calls of `GetURLs` that are timed.
const GETS: usize = 200;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn item(number: usize, hosts: usize) -> UrlItem {
    let info = UrlInfo {
        url: format!(
            "https://www.host{}.example/section/{}/page-{number}.html",
            number % hosts,
            number % 7
        ),
        crawl_id: CRAWL.into(),
        metadata: [("depth".to_owned(), StringList { values: vec!["3".to_owned()] })].into(),
        ..UrlInfo::default()
    };
    let item = url_item::Item::Discovered(DiscoveredUrlItem { info: Some(info) });
    UrlItem { item: Some(item), ..UrlItem::default() }
}

/// Puts all URLs on so many streams; URLs per second, and how many were new.
async fn put(client: &Client, urls: usize, streams: usize) -> Outcome<(f64, usize)> {
    let hosts = urls.div_ceil(1_000);
    let began = Instant::now();
    let tasks = (0..streams).map(|stream| {
        let mut client = client.clone();
        tokio::spawn(async move {
            let numbers = (stream..urls).step_by(streams);
            let items = stream::iter(numbers.map(move |number| item(number, hosts)));
            let mut acks = client.stream::<_, AckMessage>("PutURLs", items).await?;
            let mut new = 0;
            while let Some(ack) = acks.message().await? {
                new += usize::from(ack.status() == Status::Ok);
            }
            Outcome::Ok(new)
        })
    });
    let mut new = 0;
    for task in tasks.collect::<Vec<_>>() {
        new += task.await??;
    }
    Ok((urls as f64 / began.elapsed().as_secs_f64(), new))
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let address = next("127.0.0.1:7071").parse()?;
    let (urls, streams): (usize, usize) = (next("1000000").parse()?, next("1").parse()?);
    let mut client = Client::new(address)?;
    let crawl = DeleteCrawlMessage { value: CRAWL.into(), local: false };
    let _: Long = client.call("DeleteCrawl", crawl).await?;
    for what in ["new", "known"] {
        let (rate, new) = put(&client, urls, streams).await?;
        println!("{what}: {rate:.0} URLs/s on {streams} streams, {new} of {urls} were new");
    }
    let mut times = Vec::with_capacity(GETS);
    let mut count = 0;
    for _ in 0..GETS {
        let crawl = get_params::Item::CrawlId(CRAWL.into());
        let asked = GetParams {
            max_urls_per_queue: 10,
            max_queues: 10,
            delay_requestable: 600,
            item: Some(crawl),
            ..GetParams::default()
        };
        let began = Instant::now();
        count += client.get(asked).await?.len();
        times.push(began.elapsed());
    }
    times.sort();
    let median = times.get(GETS / 2).copied().unwrap_or_default();
    println!("GetURLs, 10 queues of 10: {count} URLs in {GETS} calls, median {median:?}");
    Ok(())
}
