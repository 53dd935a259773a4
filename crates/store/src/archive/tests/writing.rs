use super::*;

#[test]
fn a_file_opens_with_its_maker_and_holds_what_was_appended() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1 << 30);
    assert!(files(dir.path(), "").is_empty(), "no file before the first append");
    let places: Vec<_> = (1..=3).map(|n| writer.append(&page(n)).unwrap()).collect();
    writer.finish().unwrap();
    let path = &files(dir.path(), ".warc.gz")[0];
    assert_eq!(path.file_name().unwrap(), "bot-1-20261115081924-00000.warc.gz");
    let (records, faults) = records(path);
    assert_eq!(faults, []);
    assert_eq!(
        kinds(&records),
        ["warcinfo", "response", "request", "response", "request", "response", "request"]
    );
    let info = String::from_utf8_lossy(&records[0].block).into_owned();
    assert!(info.contains("software: lycosa/"), "{info}");
    assert!(info.contains("operator: someone@example.org"), "{info}");
    for (place, n) in places.iter().zip(1..) {
        let record = read_at(&dir.path().join(&place.file), place.offset).unwrap();
        assert_eq!(record.length, place.length);
        assert_eq!(record.target_uri.unwrap(), format!("http://example.org/{n}"));
    }
    let summary = check(path).unwrap();
    assert!(summary.is_clean(), "{summary:?}");
    // Block digests of seven records, payload digests of three.
    assert_eq!((summary.digests_right, summary.digests_wrong), (10, 0));
}

#[test]
fn the_index_beside_a_finished_file_is_sorted_and_right() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1 << 30);
    for n in [9, 3, 7, 1] {
        writer.append(&page(n)).unwrap();
    }
    writer.finish().unwrap();
    let text = std::fs::read_to_string(&files(dir.path(), ".cdxj")[0]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.is_sorted());
    let paths: Vec<String> = lines
        .iter()
        .map(|line| {
            let entry = IndexEntry::parse(line).unwrap();
            assert_eq!(entry.line("bot-1-20261115081924-00000.warc.gz").trim(), *line);
            assert_eq!((entry.mime.as_str(), entry.status), ("text/html", 200));
            let record = read_at(&files(dir.path(), ".warc.gz")[0], entry.offset).unwrap();
            assert_eq!(record.length, entry.length);
            assert_eq!(record.payload_digest(), Some(entry.digest.as_str()));
            record.target_uri.unwrap()
        })
        .collect();
    assert_eq!(paths, [1, 3, 7, 9].map(|n| format!("http://example.org/{n}")));
}

#[test]
fn a_full_file_is_followed_by_a_new_one_and_both_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1000);
    for n in 1..=4 {
        writer.append(&page(n)).unwrap();
    }
    let marks = writer.marks();
    let warcs = files(dir.path(), ".warc.gz");
    assert!(warcs.len() > 1);
    assert_eq!(marks.len(), warcs.len());
    for (mark, path) in marks.iter().zip(&warcs) {
        assert_eq!(mark.file, path.file_name().unwrap().to_string_lossy());
        assert_eq!(mark.end, std::fs::metadata(path).unwrap().len());
    }
    writer.acknowledged(&marks);
    assert_eq!(writer.marks().len(), 1, "only the file that may still grow");
}

#[test]
fn two_writers_of_one_name_and_second_do_not_share_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (writer(dir.path(), 1 << 30), writer(dir.path(), 1 << 30));
    let first = one.append(&page(1)).unwrap();
    let second = two.append(&page(2)).unwrap();
    assert_ne!(first.file, second.file);
}

#[test]
fn a_name_that_cannot_stand_in_a_file_name_is_made_safe() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "../evil bot/é", WriterSettings::default()).unwrap();
    let place = writer.append(&page(1)).unwrap();
    assert_eq!(place.file, "___evil_bot__-20261115081924-00000.warc.gz");
}

#[test]
fn a_folder_that_cannot_be_written_is_named_in_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let error =
        Writer::open(&blocked.join("archive"), "bot", WriterSettings::default()).err().unwrap();
    assert!(error.to_string().contains("file"), "{error}");
    assert!(!error.is_full());
}

/// Set in a process in which no file may grow beyond 64 KiB.
const SMALL_FILES: &str = "LYCOSA_TEST_SMALL_FILES";

/// Runs the named test again in a process whose files may not grow far; false in that process itself.
fn rerun_with_small_files(test: &str) -> bool {
    if std::env::var_os(SMALL_FILES).is_some() {
        return false;
    }
    // Without the trap the signal would end the process instead of failing the write.
    let script = "trap '' XFSZ; ulimit -f 128; exec \"$0\" --exact \"$1\"";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("archive::tests::writing::{test}"))
        .env(SMALL_FILES, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
    true
}

/// A page that does not fit.
fn large_page() -> Encoded {
    let body: Vec<u8> =
        (0u32..60_000).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    encode_capture(&capture("http://example.org/large", &Headers::default(), &body), ids(99), 0)
}

#[test]
fn after_a_failed_append_nothing_torn_stays() {
    if rerun_with_small_files("after_a_failed_append_nothing_torn_stays") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1 << 30);
    writer.append(&page(1)).unwrap();
    let path = files(dir.path(), ".warc.gz")[0].clone();
    let before = std::fs::read(&path).unwrap();
    let marks = writer.marks();
    let error = writer.append(&large_page()).unwrap_err();
    assert!(error.is_full(), "{error}");
    assert!(error.to_string().contains("bot-1-20261115081924-00000"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(writer.marks(), marks);
    let place = writer.append(&page(3)).unwrap();
    assert_eq!(place.offset, before.len() as u64);
    writer.finish().unwrap();
    assert!(check(&path).unwrap().is_clean());
    assert_eq!(records(&path).0.len(), 5);
    assert_eq!(std::fs::read_to_string(&files(dir.path(), ".cdxj")[0]).unwrap().lines().count(), 2);
}

#[test]
fn a_file_whose_first_write_fails_does_not_stay() {
    if rerun_with_small_files("a_file_whose_first_write_fails_does_not_stay") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1 << 30);
    assert!(writer.append(&large_page()).unwrap_err().is_full());
    assert!(files(dir.path(), "").is_empty());
    assert!(writer.marks().is_empty());
}

#[test]
fn another_program_accepts_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 2000);
    for n in 1..=6 {
        writer.append(&page(n)).unwrap();
    }
    let headers = headers(&[
        ("Content-Type", "text/html"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Encoding", "gzip"),
        ("X-Odd", "na\u{ef}ve"),
    ]);
    let mut odd = capture("https://example.org/a b?c=\u{e9}", &headers, b"\x1f\x8b not gzip");
    odd.version = "2";
    odd.truncated = Some("length");
    writer.append(&encode_capture(&odd, ids(77), 9)).unwrap();
    let revisit = Revisit {
        profile: Profile::IdenticalPayload,
        payload_digest: Some("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"),
        refers_to_date: Some(THEN),
        refers_to_url: None,
    };
    writer.append(&encode_revisit(&odd, &revisit, ids(78), 9)).unwrap();
    writer.finish().unwrap();
    let Some((good, text)) = warcio_check(&files(dir.path(), ".warc.gz")) else {
        return;
    };
    assert!(good, "{text}");
    assert!(!text.contains("no digest to check"), "{text}");
    assert_eq!(text.matches("digest pass").count(), 7 + 8 + files(dir.path(), ".warc.gz").len());
}
