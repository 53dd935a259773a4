//! What does each call answer?

use super::*;

#[tokio::test]
async fn the_whole_life_of_a_url_is_as_the_protocol_says() {
    let mut yard = Yard::open().await;
    let crawls: StringList = yard.client.call("ListCrawls", Local::default()).await.expect("list");
    assert_eq!(crawls.values, [""; 0]);
    let mut item = discovered("http://a.test/?x=1");
    item.id = "mine".into();
    let acks = yard.put(vec![item, discovered("http://a.test/?x=1")]).await;
    let wanted = [("mine".to_owned(), Status::Ok), ("http://a.test/?x=1".into(), Status::Skipped)];
    assert_eq!(acks, wanted);
    let stats = yard.stats("").await;
    assert_eq!((stats.size, stats.number_of_queues, stats.crawl_id.as_str()), (1, 1, "DEFAULT"));
    let got = yard.get(GetParams { delay_requestable: 1, ..ask(1, 1) }).await;
    assert_eq!(got.len(), 1);
    assert_eq!((got[0].key.as_str(), got[0].crawl_id.as_str()), ("a.test", "DEFAULT"));
    assert_eq!(yard.stats("a.test").await.in_process, 1);
    assert_eq!(yard.urls(ask(1, 1)).await, [""; 0], "it is held");
    // The lease of one second ends.
    while yard.stats("a.test").await.in_process > 0 {
        tokio::task::yield_now().await;
    }
    yard.hurry().await;
    assert_eq!(yard.urls(ask(1, 1)).await, ["http://a.test/?x=1"]);
    assert_eq!(yard.put(vec![known("http://a.test/?x=1", 0)]).await[0].1, Status::Ok);
    let stats = yard.stats("a.test").await;
    assert_eq!((stats.size, stats.in_process), (0, 0));
    assert_eq!((stats.counts["completed"], stats.counts["active_queues"]), (1, 0));
    assert_eq!(yard.put(vec![discovered("http://a.test/?x=1")]).await[0].1, Status::Skipped);
    let asked = QueueWithinCrawlParams { key: "a.test".into(), ..Default::default() };
    let deleted: Long = yard.client.call("DeleteQueue", asked.clone()).await.expect("delete");
    assert_eq!(deleted.value, 1);
    let deleted: Long = yard.client.call("DeleteQueue", asked).await.expect("delete");
    assert_eq!(deleted.value, 0);
    assert_eq!(yard.stats("").await.number_of_queues, 0);
}

#[tokio::test]
async fn crawls_are_apart_and_blank_names_are_the_default() {
    let mut yard = Yard::open().await;
    yard.hurry().await;
    let of = |crawl: &str, key: &str| {
        let info = UrlInfo { crawl_id: crawl.into(), key: key.into(), ..info("http://a.test/") };
        let item = url_item::Item::Discovered(DiscoveredUrlItem { info: Some(info) });
        UrlItem { item: Some(item), ..UrlItem::default() }
    };
    let puts =
        vec![of("", ""), of(" ", ""), of("DEFAULT", ""), of("OTHER", ""), of("", "elsewhere")];
    let fates: Vec<Status> = yard.put(puts).await.into_iter().map(|ack| ack.1).collect();
    use Status::{Ok, Skipped};
    assert_eq!(fates, [Ok, Skipped, Skipped, Ok, Ok]);
    let crawls: StringList = yard.client.call("ListCrawls", Local::default()).await.expect("list");
    assert_eq!(crawls.values, ["DEFAULT", "OTHER"]);
    let from = |item| GetParams { item: Some(item), ..ask(0, 0) };
    let other = get_params::Item::CrawlId("OTHER".into());
    let got = yard.get(from(other)).await;
    assert_eq!(got.iter().map(|info| info.crawl_id.as_str()).collect::<Vec<_>>(), ["OTHER"]);
    let keyed = GetParams { key: "elsewhere".into(), ..from(get_params::Item::CrawlId("".into())) };
    assert_eq!(yard.get(keyed).await[0].key, "elsewhere");
    let any = yard.get(from(get_params::Item::Any(AnyCrawlId {}))).await;
    assert_eq!(any.len(), 1, "the rest is held");
    let muddled = GetParams { key: "a".into(), ..from(get_params::Item::Any(AnyCrawlId {})) };
    let fault = yard.client.list::<_, UrlInfo>("GetURLs", muddled).await.expect_err("refused");
    assert_eq!(fault.code(), Code::InvalidArgument);
    for (crawl, count) in [("OTHER", 1), ("", 2), ("", 0)] {
        let asked = DeleteCrawlMessage { value: crawl.into(), local: false };
        let deleted: Long = yard.client.call("DeleteCrawl", asked).await.expect("delete");
        assert_eq!(deleted.value, count);
    }
}

#[tokio::test]
async fn delays_blocks_limits_leases_and_the_switch_survive_a_restart() {
    let mut yard = Yard::open().await;
    yard.hurry().await;
    for host in ["slow", "blocked", "limited", "held", "free"] {
        let url = |page| format!("http://{host}/{page}");
        yard.put((1..=3).map(|page| discovered(&url(page))).collect()).await;
    }
    let key = |key: &str| key.to_owned();
    let delay =
        QueueDelayParams { key: key("slow"), delay_requestable: 3_600, ..Default::default() };
    let _: Empty = yard.client.call("SetDelay", delay.clone()).await.expect("set");
    let unknown = QueueDelayParams { key: key("nobody"), ..delay };
    let _: Empty = yard.client.call("SetDelay", unknown).await.expect("silently nothing");
    let block = BlockQueueParams { key: key("blocked"), time: now() + 3_600, ..Default::default() };
    let _: Empty = yard.client.call("BlockQueueUntil", block.clone()).await.expect("set");
    let unknown = BlockQueueParams { key: key("nobody"), ..block };
    let _: Empty = yard.client.call("BlockQueueUntil", unknown).await.expect("silently nothing");
    let limit = CrawlLimitParams { key: key("limited"), limit: 1, ..Default::default() };
    let _: Empty = yard.client.call("SetCrawlLimit", limit.clone()).await.expect("set");
    let unknown = CrawlLimitParams { key: key("nobody"), ..limit };
    let fault = yard.client.call::<_, Empty>("SetCrawlLimit", unknown).await.expect_err("unknown");
    assert_eq!(fault.code(), Code::NotFound);
    assert_eq!(yard.put(vec![known("http://limited/1", 0)]).await[0].1, Status::Ok);
    let long = GetParams { delay_requestable: 3_600, ..ask(1, 0) };
    assert_eq!(yard.urls(long).await, ["http://slow/1", "http://held/1", "http://free/1"]);
    let _: Empty = yard.client.call("SetActive", Active::default()).await.expect("set");
    let mut yard = yard.restart().await;
    let active: Boolean = yard.client.call("GetActive", Local::default()).await.expect("get");
    assert!(!active.state);
    assert_eq!(yard.urls(ask(0, 0)).await, [""; 0]);
    let on = Active { state: true, local: false };
    let _: Empty = yard.client.call("SetActive", on).await.expect("set");
    let got = yard.urls(ask(0, 0)).await;
    assert_eq!(got, ["http://held/2", "http://held/3", "http://free/2", "http://free/3"]);
    assert_eq!(yard.stats("held").await.in_process, 3);
    let asked = Pagination { include_inactive: true, start: 1, size: 3, ..Default::default() };
    let list: QueueList = yard.client.call("ListQueues", asked).await.expect("list");
    assert_eq!(list.values, ["free", "held", "limited"]);
    assert_eq!((list.start, list.size, list.crawl_id.as_str()), (1, 3, "DEFAULT"));
    let list: QueueList =
        yard.client.call("ListQueues", Pagination::default()).await.expect("list");
    assert_eq!(list.values, ["free", "held", "limited", "slow"], "the blocked one is not active");
}

#[tokio::test]
async fn urls_are_listed_counted_told_and_purged_whatever_their_date() {
    let mut yard = Yard::open().await;
    let mut item = known("http://a.test/Späti", 4_000_000_000);
    let Some(url_item::Item::Known(inner)) = &mut item.item else { unreachable!() };
    let said = inner.info.as_mut().expect("info");
    said.metadata.insert("k".into(), StringList { values: vec!["v".into(), "".into()] });
    said.metadata.insert("none".into(), StringList::default());
    let wanted = said.metadata.clone();
    let rest = ["http://a.test/1", "http://b.test/2", "http://b.test/3"];
    yard.put(vec![item]).await;
    yard.put(rest.map(discovered).to_vec()).await;
    yard.put(vec![known("http://b.test/4", 0)]).await;
    let status = |url: &str, key: &str| UrlStatusRequest {
        url: url.into(),
        key: key.into(),
        ..Default::default()
    };
    let asked = status("http://a.test/Späti", "");
    let told: UrlItem = yard.client.call("GetURLStatus", asked).await.expect("known");
    let Some(url_item::Item::Known(inner)) = told.item else { unreachable!("it is known") };
    assert_eq!(inner.refetchable_from_date, 4_000_000_000);
    assert_eq!(inner.info.expect("info").metadata, wanted);
    assert!(told.creation_date.abs_diff(now()) < 100);
    for (asked, code) in [
        (status("http://a.test/nothing", ""), Code::NotFound),
        (status("http://a.test/1", "elsewhere"), Code::NotFound),
        (status("", ""), Code::InvalidArgument),
    ] {
        let fault = yard.client.call::<_, UrlItem>("GetURLStatus", asked).await.expect_err("no");
        assert_eq!(fault.code(), code);
    }
    let mut list = async |asked: ListUrlParams| -> Vec<String> {
        let items = yard.client.list("ListURLs", asked).await.expect("list");
        let items: Vec<Result<UrlItem, Fault>> = items.collect().await;
        let url = |item: UrlItem| match item.item {
            Some(url_item::Item::Known(known)) => known.info.expect("info").url,
            other => panic!("{other:?}"),
        };
        items.into_iter().map(|item| url(item.expect("an item"))).collect()
    };
    let all = ListUrlParams::default();
    let order = ["a.test/1", "a.test/Späti", "b.test/2", "b.test/3", "b.test/4"];
    assert_eq!(list(all.clone()).await, order.map(|url| format!("http://{url}")));
    let part = ListUrlParams { start: 1, size: 2, ..all.clone() };
    assert_eq!(list(part).await, ["http://a.test/Späti", "http://b.test/2"]);
    let queue = ListUrlParams { key: "b.test".into(), start: 2, ..all.clone() };
    assert_eq!(list(queue).await, ["http://b.test/4"]);
    let filter = Some("spÄTI".to_owned());
    let exact = ListUrlParams { filter: filter.clone(), ..all.clone() };
    assert_eq!(list(exact.clone()).await, [""; 0]);
    let loose = ListUrlParams { ignore_case: Some(true), ..exact };
    assert_eq!(list(loose).await, ["http://a.test/Späti"]);
    assert_eq!(list(ListUrlParams { crawl_id: "none".into(), ..all }).await, [""; 0]);
    for (key, filter, wanted) in [("", None, 5), ("b.test", None, 3), ("", Some("/3"), 1)] {
        let filter = filter.map(str::to_owned);
        let asked = CountUrlParams { key: key.into(), filter, ..Default::default() };
        let count: Long = yard.client.call("CountURLs", asked).await.expect("count");
        assert_eq!(count.value, wanted, "{key}");
    }
    let purge = |days| PurgeUrlParams { days, key: "b.test".into(), ..Default::default() };
    let purged: Long = yard.client.call("PurgeURLs", purge(1)).await.expect("purge");
    assert_eq!(purged.value, 0, "nothing is a day old");
    let began = now();
    while now() == began {
        tokio::task::yield_now().await;
    }
    let purged: Long = yard.client.call("PurgeURLs", purge(0)).await.expect("purge");
    assert_eq!(purged.value, 3);
    assert_eq!(yard.stats("").await.size, 2);
}

#[tokio::test]
async fn the_rest_of_the_calls_answer_too() {
    let mut yard = Yard::open().await;
    let nodes: StringList = yard.client.call("ListNodes", Empty {}).await.expect("nodes");
    assert_eq!(nodes.values, [yard.address.to_string()]);
    let level = LogLevelParams { level: Level::Debug.into(), ..Default::default() };
    let _: Empty = yard.client.call("SetLogLevel", level).await.expect("set");
    assert_eq!(*yard.levels.lock().expect("lock"), [tracing::Level::DEBUG]);
    let level = LogLevelParams { level: 77, ..Default::default() };
    let fault = yard.client.call::<_, Empty>("SetLogLevel", level).await.expect_err("no level");
    assert_eq!(fault.code(), Code::InvalidArgument);
    let fault = yard.client.call::<_, Empty>("Nonsense", Empty {}).await.expect_err("no call");
    assert_eq!(fault.code(), Code::Unimplemented);
}
