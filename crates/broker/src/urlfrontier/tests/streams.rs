//! Do streams hold what crawlers put on them?

use super::*;
use std::collections::{BTreeMap, HashSet};

/// As many as StormCrawler keeps in flight.
const FLIGHT: usize = 100_000;

fn url(number: usize) -> String {
    format!("http://host{}.test/page/{number}", number % 1_000)
}

#[tokio::test]
async fn a_hundred_thousand_urls_may_be_sent_before_an_acknowledgement_is_read() {
    let mut yard = Yard::open().await;
    let (line, mut items) = tokio::sync::mpsc::channel(1);
    let sent = stream::poll_fn(move |context| items.poll_recv(context));
    let mut acks = yard.client.stream("PutURLs", sent).await.expect("a stream");
    for number in 0..FLIGHT {
        line.send(discovered(&url(number))).await.expect("the server reads on");
    }
    let mut seen: HashSet<String> = HashSet::new();
    for _ in 0..FLIGHT {
        let ack: AckMessage = acks.next().await.expect("open").expect("an ack");
        assert_eq!(ack.status(), Status::Ok);
        assert!(seen.insert(ack.id), "each URL is acknowledged once");
    }
    // The stream is long-lived: it goes on after that.
    line.send(discovered(&url(0))).await.expect("open");
    let ack: AckMessage = acks.next().await.expect("open").expect("an ack");
    assert_eq!((ack.id.as_str(), ack.status()), (url(0).as_str(), Status::Skipped));
    drop(line);
    assert!(acks.next().await.is_none(), "it ends when the client has said everything");
    assert_eq!(yard.stats("").await.size, FLIGHT as u64);
    let text = yard.metrics.text();
    assert!(text.contains("frontier_putURLs_total 100001\n"), "{text}");
    assert!(text.contains("frontier_putURLs_ignored_total 1\n"), "{text}");
}

#[tokio::test]
async fn a_crawler_that_takes_and_reports_in_a_loop_sees_every_url_once() {
    let mut yard = Yard::open().await;
    yard.hurry().await;
    const PAGES: usize = 3_000;
    let (line, mut items) = tokio::sync::mpsc::channel(64);
    let sent = stream::poll_fn(move |context| items.poll_recv(context));
    let mut acks = yard.client.stream("PutURLs", sent).await.expect("a stream");
    let acked = tokio::spawn(async move {
        let mut count = 0;
        while let Some(ack) = acks.next().await {
            let ack: AckMessage = ack.expect("an ack");
            assert_eq!(ack.status(), Status::Ok, "{}", ack.id);
            count += 1;
        }
        count
    });
    let seed = |number: usize| format!("http://h{}.test/{number}", number % 40);
    for number in 0..10 {
        line.send(discovered(&seed(number))).await.expect("open");
    }
    let (mut known_urls, mut visits) = (10, BTreeMap::new());
    while visits.len() < PAGES {
        let asked = GetParams { delay_requestable: 600, ..ask(10, 10) };
        for info in yard.get(asked).await {
            *visits.entry(info.url.clone()).or_insert(0) += 1;
            for _ in 0..2 {
                if known_urls < PAGES {
                    line.send(discovered(&seed(known_urls))).await.expect("open");
                    known_urls += 1;
                }
            }
            line.send(known(&info.url, 0)).await.expect("open");
        }
    }
    drop(line);
    assert_eq!(acked.await.expect("acks"), 2 * PAGES);
    assert!(visits.values().all(|count| *count == 1), "none was given twice");
    let stats = yard.stats("").await;
    assert_eq!((stats.size, stats.counts["completed"]), (0, PAGES as u64));
    assert_eq!(yard.urls(ask(0, 0)).await, [""; 0]);
    let text = yard.metrics.text();
    assert!(text.contains("frontier_getURLs_total 3000\n"), "{text}");
    assert!(text.contains("frontier_putURLs_completed_total 3000\n"), "{text}");
    assert!(
        text.contains("frontier_putURLs_discovered_total{discovered=\"true\"} 3000\n"),
        "{text}"
    );
}

#[tokio::test]
async fn batches_get_one_status_for_each_url_in_order() {
    let mut yard = Yard::open().await;
    let batch = |id: &str, urls: &[&str]| DiscoveredBatch {
        id: id.into(),
        items: urls.iter().map(|url| info(url)).collect(),
    };
    let batches = [
        batch("probe", &[]),
        batch("one", &["http://a/1", "http://a/1", "", "http://a/2"]),
        batch("two", &["http://a/2", "http://a/3"]),
    ];
    let acks = yard.client.stream("PutDiscovered", stream::iter(batches)).await.expect("a stream");
    let acks: Vec<Result<BatchAck, Fault>> = acks.collect().await;
    let acks = acks.into_iter().map(|ack| ack.expect("an ack"));
    let told: Vec<(String, Vec<Status>)> =
        acks.map(|ack| (ack.id.clone(), ack.statuses().collect())).collect();
    use Status::{Ok, Skipped};
    assert_eq!(told[0], ("probe".into(), vec![]));
    assert_eq!(told[1], ("one".into(), vec![Ok, Skipped, Skipped, Ok]));
    assert_eq!(told[2], ("two".into(), vec![Skipped, Ok]));
}

#[tokio::test]
async fn two_who_ask_at_once_never_get_the_same_url() {
    let mut yard = Yard::open().await;
    yard.hurry().await;
    yard.put((0..2_000).map(|number| discovered(&url(number))).collect()).await;
    let takers = (0..4).map(|_| {
        let mut client = yard.client.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            loop {
                let urls = client.list("GetURLs", ask(1, 7)).await.expect("a stream");
                let urls: Vec<Result<UrlInfo, Fault>> = urls.collect().await;
                if urls.is_empty() {
                    return taken;
                }
                taken.extend(urls.into_iter().map(|url| url.expect("a URL").url));
            }
        })
    });
    let mut all = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        all.extend(taker.await.expect("taken"));
    }
    // Of each queue one URL may be in process, as all of them asked.
    assert_eq!(all.len(), 1_000);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 1_000);
}
