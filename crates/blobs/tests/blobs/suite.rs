//! Are all stores the same to who uses them?

use crate::support::{at, content, key_of, settings, skipped};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use lycosa_blobs::{Blobs, Digest, Error, Key, Put, Sweep, Ulid, sweep};
use lycosa_servers::s3::S3;
use std::time::{Duration, SystemTime};

async fn what_is_put_is_there_until_it_is_deleted(blobs: &Blobs) {
    let bytes = content(1000, 1);
    let key = key_of(&bytes);
    assert_eq!(blobs.head(&key).await.unwrap(), None);
    assert!(matches!(blobs.get(&key).await, Err(Error::NotFound(k)) if k == key));
    assert!(matches!(blobs.get_range(&key, 0..1).await, Err(Error::NotFound(_))));
    assert_eq!(blobs.put_if_absent(&key, bytes.clone()).await.unwrap(), Put::Stored);
    assert_eq!(blobs.get(&key).await.unwrap(), bytes);
    let meta = blobs.head(&key).await.unwrap().unwrap();
    assert_eq!((&meta.key, meta.bytes), (&key, 1000));
    let age = SystemTime::now().duration_since(meta.changed).unwrap_or_default();
    assert!(age < Duration::from_secs(300), "{age:?}");
    blobs.put_if_absent(&key, bytes).await.unwrap();
    blobs.delete(&key).await.unwrap();
    assert_eq!(blobs.head(&key).await.unwrap(), None);
    blobs.delete(&key).await.unwrap();
}

async fn content_that_is_not_what_the_key_says_is_refused(blobs: &Blobs) {
    let key = key_of(b"right");
    let error = blobs.put_if_absent(&key, "wrong").await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }) && !error.passes(), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong");
    std::fs::write(&file, "wrong").unwrap();
    let error = blobs.put_file_if_absent(&key, &file).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert_eq!(blobs.head(&key).await.unwrap(), None);
}

async fn ranges_are_what_they_say(blobs: &Blobs) {
    let bytes = content(10_000, 2);
    let key = key_of(&bytes);
    blobs.put_if_absent(&key, bytes.clone()).await.unwrap();
    for range in [0..1, 0..10_000, 9_999..10_000, 5_000..5_001, 17..4_711, 9_000..20_000] {
        let part = blobs.get_range(&key, range.clone()).await.unwrap();
        let end = range.end.min(10_000) as usize;
        assert_eq!(part, bytes[range.start as usize..end], "{range:?}");
    }
    assert_eq!(blobs.get_range(&key, 5..5).await.unwrap(), Bytes::new());
    for start in [10_000, 20_000] {
        match blobs.get_range(&key, start..start + 1).await {
            Err(Error::OutOfRange { bytes: 10_000, start: told, .. }) => assert_eq!(told, start),
            other => panic!("{other:?}"),
        }
    }
}

async fn nothing_at_all_can_be_kept(blobs: &Blobs) {
    let key = key_of(b"");
    blobs.put_if_absent(&key, "").await.unwrap();
    assert_eq!(blobs.get(&key).await.unwrap(), "");
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().bytes, 0);
    assert!(matches!(blobs.get_range(&key, 0..1).await, Err(Error::OutOfRange { .. })));
}

async fn files_go_in_and_out_whatever_their_size(blobs: &Blobs) {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source"), folder.path().join("target"));
    for (length, seed) in [(100, 3), (5 << 20, 4), (12_345_678, 5)] {
        let bytes = content(length, seed);
        std::fs::write(&source, &bytes).unwrap();
        let key = key_of(&bytes);
        assert_eq!(blobs.put_file_if_absent(&key, &source).await.unwrap(), Put::Stored);
        assert_eq!(blobs.get_file(&key, &target).await.unwrap(), length as u64);
        assert!(std::fs::read(&target).unwrap() == bytes, "{length}");
        assert!(source.exists());
        let range = 5_000_000..6_000_000;
        if length > 6_000_000 {
            let part = blobs.get_range(&key, range).await.unwrap();
            assert!(part == bytes[5_000_000..6_000_000]);
            assert_eq!(blobs.put_file_if_absent(&key, &source).await.unwrap(), Put::There);
        }
        blobs.delete(&key).await.unwrap();
    }
    // Nothing unfinished is left beside the target.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

async fn the_same_thing_put_by_many_at_once_is_there_once(blobs: &Blobs) -> usize {
    let bytes = content(200_000, 6);
    let key = key_of(&bytes);
    let puts = (0..16).map(|_| blobs.put_if_absent(&key, bytes.clone()));
    let puts = futures_util::future::join_all(puts).await;
    let stored = puts.into_iter().filter(|put| *put.as_ref().unwrap() == Put::Stored).count();
    assert!(stored >= 1);
    assert_eq!(blobs.get(&key).await.unwrap(), bytes);
    let all: Vec<_> = blobs.list(key.as_str()).try_collect().await.unwrap();
    assert_eq!(all.iter().map(|meta| &meta.key).collect::<Vec<_>>(), [&key]);
    stored
}

async fn lists_are_whole_and_in_order(blobs: &Blobs, count: usize) {
    let keys: Vec<Key> = (0..count)
        .map(|number| {
            let folder = format!("list/{}", ["a", "a.b", "a/b", "b"][number % 4]);
            let digest = Digest::of(number.to_string().as_bytes());
            Key::new(&folder, Ulid::new(number as u64, 0), &digest, "x").unwrap()
        })
        .collect();
    let puts = keys.iter().enumerate().map(|(number, key)| async move {
        blobs.put_if_absent(key, number.to_string()).await.unwrap();
    });
    stream::iter(puts).buffer_unordered(16).collect::<Vec<()>>().await;
    let list = async |prefix: &str| -> Vec<Key> {
        blobs.list(prefix).map_ok(|meta| meta.key).try_collect().await.unwrap()
    };
    let mut sorted = keys.clone();
    sorted.sort();
    assert!(list("list/").await == sorted);
    let below = |prefix: &str| -> Vec<Key> {
        sorted.iter().filter(|key| key.as_str().starts_with(prefix)).cloned().collect()
    };
    for prefix in ["list/a/", "list/a", "list/b/0000000", sorted[7].as_str()] {
        let wanted = below(prefix);
        assert!(!wanted.is_empty() && list(prefix).await == wanted, "{prefix}");
    }
    assert!(list("nothing/").await.is_empty());
    let bad = blobs.list("../").try_collect::<Vec<_>>().await;
    assert!(matches!(bad, Err(Error::Key(_))), "{bad:?}");
}

async fn a_sweep_takes_what_no_record_names_and_nothing_else(blobs: &Blobs) {
    let mut keys = Vec::new();
    for name in ["known", "orphan", "doubtful"] {
        let digest = Digest::of(name.as_bytes());
        let key = Key::new(&format!("sweep/{name}"), Ulid::now(), &digest, "x").unwrap();
        blobs.put_if_absent(&key, name).await.unwrap();
        keys.push(key);
    }
    let day = Duration::from_secs(24 * 3600);
    let judge = async |key: &Key| match key.as_str().split('/').nth(1) {
        Some("known") => Ok(true),
        Some("orphan") => Ok(false),
        _ => Err("the database is away"),
    };
    // Today they are all too young.
    let swept = sweep(blobs, "sweep/", day, SystemTime::now(), judge).await.unwrap();
    assert_eq!(swept, Sweep { young: 3, ..Sweep::default() });
    let later = SystemTime::now() + 2 * day;
    let swept = sweep(blobs, "sweep/", day, later, judge).await.unwrap();
    let wanted = Sweep { known: 1, removed: 1, removed_bytes: 6, doubtful: 1, young: 0 };
    assert_eq!(swept, wanted);
    for (key, stays) in keys.iter().zip([true, false, true]) {
        assert_eq!(blobs.head(key).await.unwrap().is_some(), stays, "{key}");
    }
}

/// All of it. Tells how many of those who put the same thing at once were told that it was theirs.
async fn everything_holds(blobs: &Blobs, listed: usize) -> usize {
    what_is_put_is_there_until_it_is_deleted(blobs).await;
    content_that_is_not_what_the_key_says_is_refused(blobs).await;
    ranges_are_what_they_say(blobs).await;
    nothing_at_all_can_be_kept(blobs).await;
    files_go_in_and_out_whatever_their_size(blobs).await;
    a_sweep_takes_what_no_record_names_and_nothing_else(blobs).await;
    lists_are_whole_and_in_order(blobs, listed).await;
    the_same_thing_put_by_many_at_once_is_there_once(blobs).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_holds_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    let blobs = Blobs::open_with(plain.to_str().unwrap(), [], settings()).unwrap();
    assert_eq!(everything_holds(&blobs, 3000).await, 1);
    // No unfinished file is left, and a second opening finds what is there.
    assert_eq!(std::fs::read_dir(plain.join(".drafts")).unwrap().count(), 0);
    let again = Blobs::open(&format!("file://{}", plain.display())).unwrap();
    assert_eq!(again.list("list/").count().await, 3000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_holds_at_a_server_with_conditional_writes() {
    let Some(server) = S3::moto().unwrap() else { return skipped("moto (LYCOSA_TEST_PYTHON)") };
    everything_holds(&at(&server), 3000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_holds_at_a_server_that_overwrites() {
    let Some(server) = S3::rclone().unwrap() else { return skipped("rclone") };
    let blobs = at(&server);
    everything_holds(&blobs, 100).await;
    // Bytes that were changed in the store are not taken for what the key says.
    let key = key_of(b"whole");
    blobs.put_if_absent(&key, "whole").await.unwrap();
    let file = server.files().join("some/prefix").join(key.as_str());
    std::fs::write(&file, "whale").unwrap();
    let error = blobs.get(&key).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }) && !error.passes(), "{error}");
    std::fs::write(&file, "who").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x");
    let error = blobs.get_file(&key, &target).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }) && !target.exists(), "{error}");
}
