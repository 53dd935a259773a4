//! Do whole frontiers move, and in the form that others read?

use super::dump::{self, Loaded, Loader};
use super::*;

/// In the form of the reference client's dump.
const FOREIGN: &str = r#"{"known":{"info":{"url":"http://a.test/1","key":"a.test","metadata":{"depth":{"values":["1"]},"none":{}},"crawlID":"X"},"refetchableFromDate":"4000000000"},"creationDate":"1700000000"}
{"known":{"info":{"url":"http://a.test/2","key":"a.test","crawlID":"X"}},"creationDate":"1700000001"}"#;

#[test]
fn a_dump_is_read_and_written_again_letter_for_letter() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = queues(dir.path());
    let mut loader = Loader::open(store.clone()).expect("open");
    for line in FOREIGN.lines() {
        loader.line(line).expect("a line");
    }
    assert_eq!(loader.finish().expect("finish"), Loaded { taken: 2, skipped: 0 });
    let lines: Vec<String> = dump::lines(&store).map(|line| line.expect("a line")).collect();
    assert_eq!(lines.join("\n"), FOREIGN);
}

#[test]
fn addresses_other_spellings_and_repetitions_are_read_too() {
    let dir = tempfile::tempdir().expect("temp dir");
    let mut loader = Loader::open(queues(dir.path())).expect("open");
    for line in [
        "http://plain.test/",
        r#"{"discovered": {"info": {"url": "http://plain.test/"}}, "ID": "x"}"#,
        r#"{"known": {"info": {"url": "http://b.test/", "metadata": null}, "refetchable_from_date": 5}}"#,
        "no-host-but-a-name",
        r#"{"known": {"info": {"url": "http:///"}}}"#,
    ] {
        loader.line(line).expect(line);
    }
    for line in [
        "{",
        r#"{"url": "http://a/"}"#,
        r#"{"known": {}}"#,
        r#"{"known": {"info": {"url": 5}}}"#,
        r#"{"known": {"info": {"url": "http://a/"}, "refetchableFromDate": "soon"}}"#,
        r#"{"known": {"info": {"url": "http://a/", "metadata": {"k": {"values": [1]}}}}}"#,
    ] {
        let error = loader.line(line).expect_err(line).to_string();
        assert!(error.starts_with("the line is no URLItem: "), "{error}");
    }
    assert_eq!(loader.finish().expect("finish"), Loaded { taken: 3, skipped: 2 });
}

#[tokio::test]
async fn what_a_server_lists_can_be_loaded_into_another_one() {
    let mut yard = Yard::open().await;
    yard.put(vec![discovered("http://a.test/1"), known("http://b.test/", 0)]).await;
    let asked = ListUrlParams { size: i32::MAX as u32, ..Default::default() };
    let items = yard.client.list("ListURLs", asked).await.expect("list");
    let items: Vec<Result<UrlItem, Fault>> = items.collect().await;
    let dir = tempfile::tempdir().expect("temp dir");
    let store = queues(dir.path());
    let mut loader = Loader::open(store.clone()).expect("open");
    for item in &items {
        loader.line(&dump::to_json(item.as_ref().expect("an item"))).expect("a line");
    }
    assert_eq!(loader.finish().expect("finish").taken, 2);
    let items: Vec<UrlItem> = items.into_iter().map(|item| item.expect("an item")).collect();
    let again: Vec<UrlItem> = dump::lines(&store)
        .map(|line| dump::from_json(&line.expect("a line")).expect("an item"))
        .collect();
    assert_eq!(again, items);
}
