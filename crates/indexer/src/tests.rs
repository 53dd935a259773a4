use super::*;
use lycosa_model::message::{Entry, IndexerMessage, IndexerReply};
use lycosa_model::{ArchiveMark, Document, Lang, LangShare, Tick, UrlId};
use lycosa_runtime::{Agent, Clock, Exit, Registry, RestartLimit, mailbox, spawn};
use lycosa_segments::{Segments, for_each_document};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

fn entry(url: &str, text: &str) -> Entry {
    Entry {
        document: Document {
            text: text.into(),
            languages: vec![LangShare { lang: Lang::EN, share: 1.0 }],
            ..Document::empty(UrlId::of(url), url)
        },
        agent: "bot-1".into(),
        fetched: Tick(1),
        id: None,
    }
}

fn mark(end: u64) -> ArchiveMark {
    ArchiveMark { file: "a.warc.gz".into(), end }
}

fn add(entries: Vec<Entry>, end: u64) -> IndexerMessage {
    IndexerMessage::Add { entries, marks: vec![mark(end)] }
}

/// Groups that only end by count or by order.
fn patient() -> Settings {
    Settings { group_time: Duration::from_secs(3_600), ..Settings::default() }
}

fn texts(data: &Path) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for_each_document(data, |document| {
        all.entry(document.url).or_default().push(document.text);
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

async fn send(indexer: &mut Indexer, message: IndexerMessage) -> IndexerReply {
    indexer.handle(message).await
}

#[tokio::test]
async fn an_update_leaves_one_document_also_within_one_group() {
    let data = tempfile::tempdir().unwrap();
    let (mut indexer, marks) = Indexer::open(data.path(), patient()).unwrap();
    assert!(marks.is_empty());
    let twice = vec![entry("http://a.test/", "one"), entry("http://a.test/", "two")];
    send(&mut indexer, add(twice, 1)).await;
    send(&mut indexer, add(vec![entry("http://a.test/", "three")], 2)).await;
    let reply = send(&mut indexer, IndexerMessage::Commit).await;
    assert!(matches!(reply, IndexerReply::Committed { documents: 1 }), "{reply:?}");
    send(&mut indexer, add(vec![entry("http://a.test/", "four")], 3)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert_eq!(texts(data.path())["http://a.test/"], ["four"]);
}

#[tokio::test]
async fn a_page_that_asks_for_it_is_not_indexed_and_leaves_the_index() {
    let data = tempfile::tempdir().unwrap();
    let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
    let mut shy = entry("http://a.test/", "now hidden");
    shy.document.robots.noindex = true;
    send(&mut indexer, add(vec![entry("http://a.test/", "open")], 1)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert_eq!(texts(data.path()).len(), 1);
    send(&mut indexer, add(vec![shy.clone()], 2)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert!(texts(data.path()).is_empty());
    assert_eq!(indexer.observe().skipped, 1);
    // So does one that did not want to be found after a day that has passed.
    let mut late = entry("http://a.test/", "out of date");
    late.document.robots.unavailable_after = Some(late.fetched);
    send(&mut indexer, add(vec![entry("http://a.test/", "open")], 3)).await;
    send(&mut indexer, add(vec![late], 4)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert!(texts(data.path()).is_empty());
    drop(indexer);
    let settings = Settings { ignore_noindex: true, ..patient() };
    let (mut indexer, _) = Indexer::open(data.path(), settings).unwrap();
    send(&mut indexer, add(vec![shy], 5)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert_eq!(texts(data.path()).len(), 1);
}

#[tokio::test]
async fn a_kill_between_groups_leaves_marks_and_documents_of_the_same_commit() {
    let data = tempfile::tempdir().unwrap();
    let settings = Settings { group_documents: 3, ..patient() };
    let (mut indexer, _) = Indexer::open(data.path(), settings).unwrap();
    let url = |n: u64| format!("http://a.test/{n}");
    for n in 1..=8 {
        send(&mut indexer, add(vec![entry(&url(n), "text")], n * 100)).await;
    }
    let state = indexer.observe();
    assert_eq!((state.committed, state.pending, state.groups), (6, 2, 2));
    // Dropped without a commit, as a killed process leaves it.
    drop(indexer);
    let (mut indexer, marks) = Indexer::open(data.path(), settings).unwrap();
    assert_eq!(marks, [mark(600)]);
    assert_eq!(texts(data.path()).len(), 6);
    // The caller replays what lies behind the mark, and a bit more does no harm.
    for n in 6..=8 {
        send(&mut indexer, add(vec![entry(&url(n), "text")], n * 100)).await;
    }
    send(&mut indexer, IndexerMessage::Commit).await;
    drop(indexer);
    let all = texts(data.path());
    assert_eq!(all.len(), 8);
    assert!(all.values().all(|copies| copies.len() == 1));
    let (_, marks) = Indexer::open(data.path(), settings).unwrap();
    assert_eq!(marks, [mark(800)]);
}

#[tokio::test]
async fn a_mark_follows_an_archive_that_was_cut() {
    let data = tempfile::tempdir().unwrap();
    let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
    send(&mut indexer, add(vec![entry("http://a.test/", "x")], 500)).await;
    send(&mut indexer, add(Vec::new(), 300)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    drop(indexer);
    let (_, marks) = Indexer::open(data.path(), patient()).unwrap();
    assert_eq!(marks, [mark(300)]);
}

/// Runs an indexer as a supervised agent on a paused clock.
fn on_virtual_time<F: Future<Output = ()>>(
    data: &Path,
    settings: Settings,
    work: impl FnOnce(lycosa_runtime::Mailbox<IndexerMessage>, Registry) -> F,
) -> Exit {
    let (indexer, _) = Indexer::open(data, settings).unwrap();
    Clock::replay_runtime().unwrap().block_on(async {
        let registry = Registry::default();
        let (mailbox, inbox) = mailbox(8);
        let limit = RestartLimit::default();
        let build = move || indexer.clone();
        let handle = spawn(&registry, "indexer", "indexer".into(), (&mailbox, inbox), limit, build);
        work(mailbox, registry).await;
        handle.join().await
    })
}

#[test]
fn the_last_group_is_committed_when_the_mailbox_closes() {
    let data = tempfile::tempdir().unwrap();
    let exit = on_virtual_time(data.path(), patient(), |mailbox, _| async move {
        mailbox.tell(add(vec![entry("http://a.test/", "x")], 7)).await.unwrap();
    });
    assert_eq!(exit, Exit::Finished);
    assert_eq!(texts(data.path()).len(), 1);
    assert_eq!(Segments::open(data.path()).unwrap().note().unwrap().marks["a.warc.gz"], 7);
}

#[test]
fn virtual_time_commits_nothing() {
    let data = tempfile::tempdir().unwrap();
    on_virtual_time(data.path(), patient(), |mailbox, registry| async move {
        mailbox.ask(add(vec![entry("http://a.test/", "x")], 7)).await.unwrap();
        // A thousand years of the crawl's clock pass in an instant.
        tokio::time::sleep(Duration::from_secs(1_000 * 365 * 86_400)).await;
        let observed = &registry.agents()[0].observed;
        assert_eq!(observed["groups"], 0);
        assert_eq!(observed["pending"], 1);
    });
}

#[test]
fn an_idle_group_is_committed_in_real_time_and_shown() {
    let data = tempfile::tempdir().unwrap();
    let settings = Settings { group_time: Duration::from_millis(1), ..Settings::default() };
    on_virtual_time(data.path(), settings, |mailbox, registry| async move {
        mailbox.ask(add(vec![entry("http://a.test/", "x")], 7)).await.unwrap();
        // No message follows; the timer's thread commits by itself.
        while registry.agents()[0].observed["committed"] != 1 {
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(texts(data.path()).len(), 1);
}

#[tokio::test]
async fn a_rebuilt_agent_goes_on_with_what_was_taken() {
    let data = tempfile::tempdir().unwrap();
    let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
    let mut successor = indexer.clone();
    send(&mut indexer, add(vec![entry("http://a.test/1", "x")], 1)).await;
    drop(indexer);
    send(&mut successor, add(vec![entry("http://a.test/2", "x")], 2)).await;
    let reply = send(&mut successor, IndexerMessage::Commit).await;
    assert!(matches!(reply, IndexerReply::Committed { documents: 2 }), "{reply:?}");
}

#[tokio::test]
async fn an_index_that_cannot_be_written_is_reported_and_nothing_more_is_taken() {
    let data = tempfile::tempdir().unwrap();
    let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
    std::fs::remove_dir_all(data.path().join("index")).unwrap();
    let mut replies = Vec::new();
    for n in 0..3 {
        replies.push(send(&mut indexer, add(vec![entry("http://a.test/", "x")], n)).await);
        replies.push(send(&mut indexer, IndexerMessage::Commit).await);
    }
    assert!(
        replies[1..].iter().all(|reply| matches!(reply, IndexerReply::Broken(_))),
        "{replies:?}"
    );
    assert!(indexer.observe().broken.is_some());
}

#[tokio::test]
async fn a_second_indexer_on_the_same_folder_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let (first, _) = Indexer::open(data.path(), patient()).unwrap();
    let second = Indexer::open(data.path(), patient()).err().unwrap();
    assert!(second.to_string().contains("another process"), "{second}");
    drop(first);
    assert!(Indexer::open(data.path(), patient()).is_ok());
}

#[tokio::test]
async fn a_page_that_is_removed_leaves_the_index_with_the_next_commit_and_not_before() {
    let data = tempfile::tempdir().unwrap();
    {
        let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
        let both = vec![entry("http://a.test/1", "one"), entry("http://a.test/2", "two")];
        send(&mut indexer, add(both, 1)).await;
        send(&mut indexer, IndexerMessage::Commit).await;
        let urls = vec![UrlId::of("http://a.test/1"), UrlId::of("http://a.test/unknown")];
        let reply = send(&mut indexer, IndexerMessage::Remove { urls, copies: Vec::new() }).await;
        assert!(matches!(reply, IndexerReply::Taken), "{reply:?}");
        assert_eq!(texts(data.path()).len(), 2, "not committed yet");
        assert_eq!(indexer.observe().removed, 2);
        let reply = send(&mut indexer, IndexerMessage::Commit).await;
        assert!(matches!(reply, IndexerReply::Committed { documents: 1 }), "{reply:?}");
    }
    assert_eq!(texts(data.path()).into_keys().collect::<Vec<_>>(), ["http://a.test/2"]);
    // What is put in after it was taken out is in.
    let (mut indexer, _) = Indexer::open(data.path(), patient()).unwrap();
    let urls = vec![UrlId::of("http://a.test/2")];
    send(&mut indexer, IndexerMessage::Remove { urls, copies: Vec::new() }).await;
    send(&mut indexer, add(vec![entry("http://a.test/2", "again")], 2)).await;
    send(&mut indexer, IndexerMessage::Commit).await;
    assert_eq!(texts(data.path())["http://a.test/2"], ["again"]);
}
