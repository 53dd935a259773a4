//! Is what was read before near, right, and not too much?

use crate::support::{content, key_of, settings};
use bytes::Bytes;
use lycosa_blobs::{Blobs, Cache, CacheCounts, Error, Key};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const BLOCK: u64 = 256 * 1024;

async fn store(folder: &Path, sizes: &[usize]) -> (Blobs, Vec<(Key, Bytes)>) {
    let blobs = Blobs::open_with(folder.join("store").to_str().unwrap(), [], settings()).unwrap();
    let mut all = Vec::new();
    for (seed, size) in sizes.iter().enumerate() {
        let bytes = content(*size, seed as u64);
        let key = key_of(&bytes);
        blobs.put_if_absent(&key, bytes.clone()).await.unwrap();
        all.push((key, bytes));
    }
    (blobs, all)
}

fn read(mut file: File) -> Vec<u8> {
    let mut all = Vec::new();
    file.read_to_end(&mut all).unwrap();
    all
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("entries")).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn bytes_in(folder: &Path) -> u64 {
    entries(folder).iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len()).sum()
}

#[tokio::test]
async fn what_was_read_is_read_from_near_even_when_the_store_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[1_000_000]).await;
    let (key, bytes) = &all[0];
    let place = folder.path().join("cache");
    let cache = Cache::open(&place, 10 << 20).unwrap();
    for range in [0..10, 100..300_000, 262_143..800_000, 999_999..1_000_000, 900_000..2_000_000] {
        let part = cache.range(&blobs, key, range.clone()).await.unwrap();
        assert_eq!(
            part,
            bytes[range.start as usize..range.end.min(1_000_000) as usize],
            "{range:?}"
        );
    }
    assert_eq!(read(cache.whole(&blobs, key).await.unwrap()), *bytes);
    // Four blocks and the whole: each was read from the store once.
    let counts = cache.counts();
    assert_eq!((counts.misses, counts.damaged, counts.removed), (5, 0, 0), "{counts:?}");
    blobs.delete(key).await.unwrap();
    // Another process finds them, too.
    let again = Cache::open(&place, 10 << 20).unwrap();
    assert_eq!(again.range(&blobs, key, 5..700_000).await.unwrap(), bytes[5..700_000]);
    assert_eq!(read(again.whole(&blobs, key).await.unwrap()), *bytes);
    assert_eq!(again.counts(), CacheCounts { hits: 4, ..CacheCounts::default() });
    assert_eq!(cache.range(&blobs, key, 3..3).await.unwrap(), "");
}

#[tokio::test]
async fn ranges_behind_the_end_are_the_same_as_without_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[2 * BLOCK as usize, 100]).await;
    let cache = Cache::open(&folder.path().join("cache"), 10 << 20).unwrap();
    for (key, bytes) in &all {
        let length = bytes.len() as u64;
        for start in [length, length + 5, length + 10 * BLOCK] {
            for result in [
                blobs.get_range(key, start..start + 9).await,
                cache.range(&blobs, key, start..start + 9).await,
            ] {
                let Err(Error::OutOfRange { start: told, .. }) = result else {
                    panic!("{result:?}");
                };
                assert!(told <= start);
            }
        }
        let whole = cache.range(&blobs, key, 0..length + 3 * BLOCK).await.unwrap();
        assert!(whole == *bytes);
    }
}

#[tokio::test]
async fn torn_and_changed_files_are_noticed_and_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[400_000]).await;
    let (key, bytes) = &all[0];
    let place = folder.path().join("cache");
    for damage in 0..4 {
        let cache = Cache::open(&place, 10 << 20).unwrap();
        assert_eq!(cache.range(&blobs, key, 0..400_000).await.unwrap(), *bytes);
        assert_eq!(read(cache.whole(&blobs, key).await.unwrap()), *bytes);
        let files = entries(&place);
        assert_eq!(files.len(), 3);
        for path in files {
            let mut content = std::fs::read(&path).unwrap();
            match damage {
                0 => content.truncate(content.len() / 2),
                1 => content.clear(),
                2 => content.push(0),
                _ => content[777] ^= 1,
            }
            std::fs::write(&path, content).unwrap();
        }
        // The same process sees a wrong size; a changed byte in a whole file is seen by the next one.
        let next = if damage == 3 { Cache::open(&place, 10 << 20).unwrap() } else { cache };
        let before = next.counts().damaged;
        assert_eq!(next.range(&blobs, key, 0..400_000).await.unwrap(), *bytes);
        assert_eq!(read(next.whole(&blobs, key).await.unwrap()), *bytes);
        assert_eq!(next.counts().damaged - before, 3, "{damage}");
    }
}

#[tokio::test]
async fn what_was_not_used_for_longest_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[100_000; 12]).await;
    let place = folder.path().join("cache");
    let cache = Cache::open(&place, 1_000_000).unwrap();
    for (key, _) in &all[..9] {
        cache.whole(&blobs, key).await.unwrap();
    }
    cache.whole(&blobs, &all[0].0).await.unwrap();
    let kept_open = cache.whole(&blobs, &all[1].0).await.unwrap();
    // The second lies back by hand: clocks of file systems are coarse.
    for (number, (key, _)) in all[..9].iter().enumerate() {
        let name = format!("{}+whole", key.as_str().replace('/', "~"));
        let file = File::options().append(true).open(place.join("entries").join(name)).unwrap();
        let ago =
            std::time::Duration::from_secs(if number == 0 { 1 } else { 1000 - number as u64 });
        file.set_modified(std::time::SystemTime::now() - ago).unwrap();
    }
    for (key, _) in &all[9..] {
        cache.whole(&blobs, key).await.unwrap();
    }
    assert!(bytes_in(&place) <= 1_000_000);
    assert!(cache.counts().removed >= 2);
    let misses = cache.counts().misses;
    cache.whole(&blobs, &all[0].0).await.unwrap();
    assert_eq!(cache.counts().misses, misses, "what was used lately is still there");
    assert_eq!(read(kept_open), all[1].1, "who has a file open reads on");
    assert_eq!(read(cache.whole(&blobs, &all[1].0).await.unwrap()), all[1].1);
    assert_eq!(cache.counts().misses, misses + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_in_two_caches_over_one_folder_read_what_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[300_000; 10]).await;
    let place = folder.path().join("cache");
    let limit = 1_500_000;
    let caches = [0, 1].map(|_| Cache::open(&place, limit).unwrap());
    let mut tasks = Vec::new();
    for reader in 0..8_usize {
        let (cache, blobs, all) = (caches[reader % 2].clone(), blobs.clone(), all.clone());
        tasks.push(tokio::spawn(async move {
            for round in 0..30 {
                let (key, bytes) = &all[(reader * 7 + round * 3) % all.len()];
                if round % 3 == 0 {
                    assert!(read(cache.whole(&blobs, key).await.unwrap()) == *bytes);
                } else {
                    let start = (round * 9_973) % 290_000;
                    let range = start as u64..start as u64 + 9_000;
                    let part = cache.range(&blobs, key, range).await.unwrap();
                    assert!(part == bytes[start..start + 9_000]);
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert!(caches.iter().all(|cache| cache.counts().damaged == 0));
    assert!(caches.iter().any(|cache| cache.counts().removed > 0));
    // Each adds to what it saw at its last look, so together they may be over by what one added.
    assert!(bytes_in(&place) <= 2 * limit);
    assert_eq!(std::fs::read_dir(place.join("drafts")).unwrap().count(), 0);
}

#[tokio::test]
async fn many_who_want_the_same_at_once_read_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, all) = store(folder.path(), &[200_000]).await;
    let cache = Cache::open(&folder.path().join("cache"), 10 << 20).unwrap();
    let reads = (0..20).map(|_| cache.range(&blobs, &all[0].0, 10..20));
    for part in futures_util::future::join_all(reads).await {
        assert_eq!(part.unwrap(), all[0].1[10..20]);
    }
    let counts = cache.counts();
    assert_eq!((counts.misses, counts.hits), (1, 19));
}
