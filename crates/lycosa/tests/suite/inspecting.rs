//! Does `lycosa inspect` say something sensible of files that make no sense?

use crate::support::*;
use std::path::Path;

/// The commands that take a file, each with what has to follow the file.
const COMMANDS: [(&str, &[&str]); 4] = [
    ("page", &[]),
    ("sitemap", &[]),
    ("robots", &["--agent", "lycosa", "http://a.test/"]),
    ("warc", &[]),
];

fn inspect(what: &str, file: &str, more: &[&str]) -> Ran {
    run(["inspect", what, file].iter().chain(more))
}

/// Bytes that look like nothing at all, always the same.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    });
    next.take(count).collect()
}

#[test]
fn what_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let missing = dir.path().join("missing");
    for (what, more) in COMMANDS {
        inspect(what, text(&missing), more).fails_with(&["missing", "No such file"], "");
        inspect(what, text(dir.path()), more).fails_with(&[text(dir.path()), "directory"], "");
    }
    if Path::new("/dev/zero").exists() {
        for (what, more) in &COMMANDS[..3] {
            inspect(what, "/dev/zero", more).fails_with(&["/dev/zero", "larger than"], "");
        }
        for what in ["page", "robots", "sitemap"] {
            let ran = run(["inspect", what, "/dev/zero", "--batch"]);
            ran.fails_with(&["/dev/zero", "larger than"], "");
        }
    }
}

#[test]
fn any_bytes_are_answered_and_nothing_panics() {
    let dir = tempfile::tempdir().expect("a folder");
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).expect("memory");
        encoder.finish().expect("memory")
    };
    let bomb = gzip(&vec![0; 80 << 20]);
    let files: [(&str, Vec<u8>); 9] = [
        ("empty", Vec::new()),
        ("noise", noise(100_000)),
        ("zeros", vec![0; 1 << 20]),
        ("brackets", b"<".repeat(1 << 20)),
        ("deep", b"<div>".repeat(200_000)),
        ("line", b"Disallow: /".repeat(200_000)),
        ("packed-noise.gz", gzip(&noise(100_000))),
        ("torn.gz", bomb[..bomb.len() / 2].to_vec()),
        ("bomb.gz", bomb),
    ];
    for (name, bytes) in &files {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).expect("written");
        for (what, more) in COMMANDS {
            let ran = inspect(what, text(&file), more);
            let said = || format!("{what} {name}: {:?} {}", ran.code, ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{}", said());
            match ran.code {
                Some(0 | 1) => assert!(!ran.stdout.is_empty(), "{}", said()),
                Some(2) => assert!(ran.stderr.starts_with("lycosa: "), "{}", said()),
                _ => panic!("{}", said()),
            }
        }
    }
}

#[test]
fn a_line_that_is_no_text_does_not_end_a_batch() {
    let dir = tempfile::tempdir().expect("a folder");
    let batch = dir.path().join("batch.jsonl");
    let good = br#"{"url":"HTTP://A.test/"}"#;
    let lines =
        [&noise(500).iter().copied().filter(|byte| *byte != b'\n').collect::<Vec<_>>(), &good[..]];
    std::fs::write(&batch, lines.join(&b'\n')).expect("written");
    let rows = run(["inspect", "url", "--batch", text(&batch)]).exits(0).json_lines();
    assert_eq!(rows.len(), 2);
    assert!(rows[0]["error"].is_string(), "{}", rows[0]);
    assert_eq!(rows[1]["request"], "http://a.test/");
}
