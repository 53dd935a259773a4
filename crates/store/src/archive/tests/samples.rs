//! Files of other makers, good and broken, behave as their names say.

use super::*;

fn sample(name: &str) -> Option<PathBuf> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let path = Path::new(shared).join("conformance/warc-samples").join(name);
    if !path.exists() {
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: ../shared/conformance/warc-samples is not here\n",
        );
        return None;
    }
    Some(path)
}

#[test]
fn good_samples_have_no_faults() {
    for (name, expected) in [
        (
            "example.warc",
            &["warcinfo", "warcinfo", "response", "request", "revisit", "request"][..],
        ),
        ("example.warc.gz", &["warcinfo", "warcinfo", "response", "request", "revisit", "request"]),
        ("example-iana.org-chunked.warc", &["warcinfo", "response", "request"]),
        ("example-resource.warc.gz", &["warcinfo", "warcinfo", "resource"]),
        ("example-space-in-target-uri.warc.gz", &["warcinfo", "resource"]),
        (
            "example-wget-bad-target-uri.warc.gz",
            &["warcinfo", "request", "response", "metadata", "resource", "resource"],
        ),
        (
            "post-test.warc.gz",
            &["response", "request", "response", "request", "response", "request"],
        ),
        ("example.arc", &["warcinfo", "response"]),
        ("example.arc.gz", &["warcinfo", "response"]),
    ] {
        let Some(path) = sample(name) else { return };
        let (records, faults) = records(&path);
        assert_eq!(faults, [], "{name}");
        assert_eq!(kinds(&records), expected, "{name}");
        let summary = check(&path).unwrap();
        assert!(summary.is_clean(), "{name}: {summary:?}");
        for record in records.iter().filter(|record| record.kind == Kind::Response) {
            assert_eq!(record.http().unwrap().status, 200, "{name}");
            let again = read_at(&path, record.offset).unwrap();
            assert_eq!(again.block, record.block, "{name}");
        }
    }
}

#[test]
fn addresses_that_other_makers_misspell_are_mended() {
    let Some(path) = sample("example-wget-bad-target-uri.warc.gz") else {
        return;
    };
    for record in records(&path).0 {
        if let Some(uri) = record.target_uri {
            assert!(!uri.starts_with('<'), "{uri}");
        }
    }
    let (records, _) = records(&sample("example-space-in-target-uri.warc.gz").unwrap());
    let uri = records[1].target_uri.as_deref();
    assert_eq!(uri, Some("file:///example%20with%20spaces.png"));
}

#[test]
fn a_space_in_the_address_of_an_arc_is_no_obstacle_and_a_short_record_is_told() {
    let Some(path) = sample("example-space-in-url.arc") else {
        return;
    };
    // The line ends of this sample were changed, so its second record is shorter than it says.
    let (records, faults) = records(&path);
    assert_eq!(kinds(&records), ["warcinfo", "response"]);
    assert!(records[1].cut && !records[0].cut);
    let uri = records[1].target_uri.as_deref().unwrap();
    assert!(uri.contains("Examples%20From%20The%20Live%20Web"), "{uri}");
    assert_eq!(faults.len(), 1);
    assert!(faults[0].what.contains("ends inside"), "{faults:?}");
}

#[test]
fn a_chunked_response_is_put_together() {
    let Some(path) = sample("example-iana.org-chunked.warc") else {
        return;
    };
    let (records, _) = records(&path);
    let http = records[1].http().unwrap();
    assert_eq!(http.body.len(), 0x1c37, "one chunk of this size");
    assert!(http.body.starts_with(b"<!doctype html>"));
    assert!(http.body.trim_ascii_end().ends_with(b"</html>"));
}

#[test]
fn a_file_of_one_member_is_read_with_a_fault() {
    for name in ["example-bad-non-chunked.warc.gz", "example-bad.warc.gz.bad"] {
        let Some(path) = sample(name) else { return };
        let (records, faults) = records(&path);
        assert!(records.len() >= 3, "{name}: {:?}", kinds(&records));
        assert!(
            faults.iter().any(|fault| fault.what.contains("share this gzip member")),
            "{name}: {faults:?}"
        );
    }
}

#[test]
fn a_truncated_record_is_found_and_the_next_one_too() {
    let Some(path) = sample("example-trunc.warc") else {
        return;
    };
    let summary = check(&path).unwrap();
    assert!(!summary.is_clean());
    assert_eq!(summary.digests_wrong, 2, "{summary:?}");
    assert_eq!(summary.records["request"], 1, "{summary:?}");
}

#[test]
fn a_wrong_length_is_a_fault() {
    let Some(path) = sample("example-wrong-chunks.warc.gz") else {
        return;
    };
    let summary = check(&path).unwrap();
    assert!(!summary.is_clean(), "{summary:?}");
}

#[test]
fn only_the_wrong_digest_is_a_fault() {
    let Some(path) = sample("example-digest.warc") else {
        return;
    };
    let summary = check(&path).unwrap();
    assert_eq!(summary.digests_wrong, 1, "{summary:?}");
    assert_eq!(summary.fault_count, 1, "{summary:?}");
    assert_eq!(summary.faults[0].offset, 0);
}

#[test]
fn lengths_that_are_no_numbers_are_faults_of_an_arc() {
    let Some(path) = sample("bad.arc") else {
        return;
    };
    let (records, faults) = records(&path);
    assert_eq!(kinds(&records), ["response"]);
    assert_eq!(faults.len(), 3, "{faults:?}");
}
