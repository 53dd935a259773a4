//! Does everything that was spooled get to the store, whatever dies in between?

use crate::support::{content, settings, skipped};
use lycosa_blobs::{Blobs, Digest, Error, Key, Result, Spool, Ulid};
use std::path::Path;
use std::process::{Command, Stdio};

fn warc(digest: &Digest) -> Result<Key> {
    Key::warc("c", jiff::civil::date(2026, 11, 18), Ulid::now(), digest)
}

fn folder_store(folder: &Path) -> Blobs {
    Blobs::open_with(folder.join("store").to_str().unwrap(), [], settings()).unwrap()
}

#[tokio::test]
async fn files_are_uploaded_recorded_and_then_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (spool, blobs) =
        (Spool::open(&folder.path().join("spool"), 10_000).unwrap(), folder_store(folder.path()));
    let file = folder.path().join("made.warc.gz");
    std::fs::write(&file, content(6000, 1)).unwrap();
    let first = spool.take(&file, warc).await.unwrap();
    assert!(!file.exists());
    let second = spool.keep(content(5000, 2), warc).await.unwrap();
    assert_eq!((spool.bytes(), spool.is_full()), (11_000, true));
    // Who makes more is told to wait; a file that exists is taken all the same.
    let full = spool.keep("more", warc).await.unwrap_err();
    assert!(matches!(full, Error::SpoolFull { bytes: 11_000, limit: 10_000 }) && full.passes());
    std::fs::write(&file, "more").unwrap();
    spool.take(&file, warc).await.unwrap();
    // A record that fails keeps its file and those behind it.
    let mut told = Vec::new();
    let failed = spool.upload(&blobs, async |upload| {
        told.push(upload.clone());
        if told.len() == 2 { Err(Error::Disturbed("no database".to_owned())) } else { Ok(()) }
    });
    assert!(failed.await.unwrap_err().passes());
    assert_eq!(spool.bytes(), 5004);
    assert_eq!(told[0].key, first.key);
    assert_eq!(told[0].digest, Digest::of(&content(6000, 1)));
    let mut again = Vec::new();
    let uploaded = spool.upload(&blobs, async |upload| {
        again.push(upload.key.clone());
        Ok(())
    });
    assert_eq!(uploaded.await.unwrap(), 2);
    assert_eq!(again[0], second.key);
    assert_eq!((spool.bytes(), spool.is_full()), (0, false));
    assert!(spool.waiting().await.unwrap().is_empty());
    assert_eq!(blobs.get(&first.key).await.unwrap(), content(6000, 1));
    assert_eq!(blobs.get(&second.key).await.unwrap(), content(5000, 2));
}

#[tokio::test]
async fn a_damaged_file_is_put_aside_and_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("spool");
    let spool = Spool::open(&place, 1 << 20).unwrap();
    let bad = spool.keep("bad content", warc).await.unwrap();
    let good = spool.keep("good content", warc).await.unwrap();
    let name = bad.key.as_str().replace('/', "~");
    std::fs::write(place.join("ready").join(&name), "bad").unwrap();
    let blobs = folder_store(folder.path());
    assert_eq!(spool.upload(&blobs, async |_| Ok(())).await.unwrap(), 1);
    assert!(blobs.head(&good.key).await.unwrap().is_some());
    assert_eq!(blobs.head(&bad.key).await.unwrap(), None);
    assert_eq!(spool.damaged().unwrap(), [place.join("damaged").join(name)]);
}

#[test]
fn one_process_has_a_spool() {
    let folder = tempfile::tempdir().unwrap();
    let first = Spool::open(folder.path(), 1).unwrap();
    assert!(matches!(Spool::open(folder.path(), 1), Err(Error::Locked(_))));
    drop(first);
    Spool::open(folder.path(), 1).unwrap();
}

/// What this program does when another test starts it: `LYCOSA_CHILD` is the task, and the folder.
#[tokio::test]
async fn a_child_does_its_task() {
    let Some(task) = std::env::var("LYCOSA_CHILD").ok() else { return };
    let (task, folder) = task.split_once(' ').unwrap();
    let folder = Path::new(folder);
    match task {
        // Spools for ever; each line tells what is certainly there.
        "spool" => {
            let spool = Spool::open(&folder.join("spool"), u64::MAX).unwrap();
            for number in 0.. {
                let bytes = content(50_000, number);
                let file = folder.join("made");
                std::fs::write(&file, &bytes).unwrap();
                let key = match number % 2 {
                    0 => spool.take(&file, warc).await.unwrap().key,
                    _ => spool.keep(bytes, warc).await.unwrap().key,
                };
                tell(&format!("kept {key}"));
            }
        }
        // Spools into a disk that gets full.
        "fill" => {
            let spool = Spool::open(&folder.join("small"), u64::MAX).unwrap();
            let file = folder.join("made");
            for number in 0..100 {
                let bytes = content(100_000, number);
                std::fs::write(&file, &bytes).unwrap();
                let before = spool.bytes();
                let Err(error) = spool.take(&file, warc).await else { continue };
                // The file is still there, nothing of it is here, and bytes get the same answer.
                assert!(matches!(error, Error::DiskFull(_)) && error.passes(), "{error}");
                assert_eq!(std::fs::read(&file).unwrap(), bytes);
                let error = spool.keep(bytes, warc).await.unwrap_err();
                assert!(matches!(error, Error::DiskFull(_)), "{error}");
                let drafts = std::fs::read_dir(folder.join("small/drafts")).unwrap();
                assert_eq!((drafts.count(), spool.bytes()), (0, before));
                // What was taken is uploaded, and then there is room.
                let blobs = folder_store(folder);
                let uploaded = spool.upload(&blobs, async |_| Ok(())).await.unwrap();
                assert_eq!(uploaded as u64, number);
                spool.take(&file, warc).await.unwrap();
                tell("full and empty again");
                return;
            }
            panic!("the disk was never full");
        }
        other => panic!("{other}"),
    }
}

#[allow(clippy::print_stdout, reason = "the parent reads it")]
fn tell(text: &str) {
    println!("{text}");
}

fn child(task: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "spool::a_child_does_its_task", "--nocapture"]);
    command.env("LYCOSA_CHILD", format!("{task} {}", folder.display()));
    command.stdout(Stdio::piped());
    command
}

#[tokio::test]
async fn what_a_killed_process_spooled_is_found_and_uploaded() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = Vec::new();
    for _ in 0..3 {
        let mut process = child("spool", folder.path()).spawn().unwrap();
        let out = process.stdout.take().unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(out));
        let mut seen = 0;
        for line in lines.map_while(std::io::Result::ok) {
            // The harness writes on the same line before the first.
            let Some((_, key)) = line.split_once("kept ") else { continue };
            kept.push(key.parse::<Key>().unwrap());
            seen += 1;
            if seen == 20 {
                process.kill().unwrap();
            }
        }
        process.wait().unwrap();
    }
    assert!(kept.len() >= 60);
    let spool = Spool::open(&folder.path().join("spool"), u64::MAX).unwrap();
    let blobs = folder_store(folder.path());
    let uploaded = spool.upload(&blobs, async |_| Ok(())).await.unwrap();
    // Those that were finished and not told of are there, too.
    assert!((kept.len()..=kept.len() + 3).contains(&uploaded), "{uploaded} of {}", kept.len());
    for key in &kept {
        assert_eq!(blobs.get(key).await.unwrap().len(), 50_000);
    }
    assert!(spool.damaged().unwrap().is_empty());
    let drafts = std::fs::read_dir(folder.path().join("spool/drafts")).unwrap();
    assert_eq!((drafts.count(), spool.bytes()), (0, 0));
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small");
    std::fs::create_dir(&small).unwrap();
    // A disk of one megabyte, which only the child sees.
    let script = "mount -t tmpfs -o size=1m none \"$1\" || exit 77; shift; exec \"$@\"";
    let inner = child("fill", folder.path());
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]);
    command.arg(&small).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let Ok(output) = command.output() else { return skipped("unshare") };
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || err.contains("unshare:") {
        return skipped("disk that may be mounted");
    }
    assert!(output.status.success() && out.contains("full and empty again"), "{out}\n{err}");
}
