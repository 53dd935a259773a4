use super::*;
use proptest::prelude::*;
use std::io::Cursor;

fn read_bytes(bytes: Vec<u8>) -> (Vec<Record>, Vec<Fault>, Option<ArchiveError>) {
    let path = Path::new("memory.warc");
    let limits = Limits { block: 1 << 20, ..Limits::default() };
    let reader = Reader::over(Box::new(Cursor::new(bytes)), path, 0, 0, limits).unwrap();
    let (mut records, mut faults, mut error) = (Vec::new(), Vec::new(), None);
    for entry in reader {
        match entry {
            Ok(Entry::Record(record)) => records.push(record),
            Ok(Entry::Fault(fault)) => faults.push(fault),
            Err(found) => error = Some(found),
        }
    }
    (records, faults, error)
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::copy(&mut flate2::bufread::MultiGzDecoder::new(bytes), &mut out).unwrap();
    out
}

fn three() -> (Vec<u8>, [usize; 3]) {
    let pages = [page(1), page(2), page(3)].map(|page| page.bytes);
    let ends = [pages[0].len(), pages[0].len() + pages[1].len(), pages.iter().map(Vec::len).sum()];
    (pages.concat(), ends)
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    super::super::pack::gzip(&[plain], 6, &mut out);
    out
}

#[test]
fn a_plain_file_a_file_of_members_and_a_file_of_one_member_read_alike() {
    let (members, _) = three();
    let plain = gunzip(&members);
    let one = packed(&plain);
    let (expected, faults, _) = read_bytes(members);
    assert_eq!((expected.len(), faults.len()), (6, 0));
    let (from_plain, faults, _) = read_bytes(plain.clone());
    assert_eq!(faults, []);
    let (from_one, faults, _) = read_bytes(one.clone());
    assert_eq!(faults.len(), 1, "one fault for the shared member: {faults:?}");
    for other in [&from_plain, &from_one] {
        let blocks = |records: &[Record]| -> Vec<_> {
            records.iter().map(|record| record.block.clone()).collect()
        };
        assert_eq!(blocks(other), blocks(&expected));
    }
    // Each record can be found again by its place.
    for (bytes, records) in [(&plain, &from_plain), (&one, &from_one)] {
        for record in records {
            let input = Box::new(Cursor::new(bytes.clone()));
            let path = Path::new("memory");
            let mut reader =
                Reader::over(input, path, record.offset, record.inner, Limits::default()).unwrap();
            let Some(Ok(Entry::Record(again))) = reader.next() else {
                panic!("no record at {} + {}", record.offset, record.inner);
            };
            assert_eq!(again.block, record.block);
        }
    }
}

#[test]
fn the_lengths_of_the_records_add_up_to_the_file() {
    let (members, _) = three();
    for bytes in [members.clone(), gunzip(&members)] {
        let length = bytes.len() as u64;
        let (records, _, _) = read_bytes(bytes);
        assert_eq!(records.iter().map(|record| record.length).sum::<u64>(), length);
        assert!(records.windows(2).all(|w| w[0].offset + w[0].length == w[1].offset));
    }
}

#[test]
fn a_torn_tail_is_a_fault_and_what_stands_before_it_is_read() {
    let (bytes, ends) = three();
    let (records, faults, error) = read_bytes(bytes[..ends[2] - 3].to_vec());
    assert!(error.is_none());
    assert_eq!(records.len(), 5);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].what.contains("ends inside"), "{faults:?}");
}

#[test]
fn behind_a_damaged_member_reading_goes_on() {
    let (mut bytes, ends) = three();
    for byte in &mut bytes[ends[0] + 40..ends[0] + 60] {
        *byte ^= 0x5a;
    }
    let (records, faults, _) = read_bytes(bytes);
    assert_eq!(faults[0].offset, ends[0] as u64);
    let uris: Vec<_> = records
        .iter()
        .filter(|record| record.kind == Kind::Response)
        .filter_map(|record| record.target_uri.clone())
        .collect();
    assert_eq!(uris, ["http://example.org/1", "http://example.org/3"]);
}

#[test]
fn a_wrong_checksum_is_found() {
    let (mut bytes, _) = three();
    let first = page(1).response_length as usize;
    bytes[first - 6] ^= 1;
    let (records, faults, _) = read_bytes(bytes);
    assert_eq!((records.len(), faults.len()), (5, 1));
    assert!(faults[0].what.contains("damaged"), "{faults:?}");
}

#[test]
fn junk_between_records_is_passed_over() {
    let (bytes, ends) = three();
    let mut plain = gunzip(&bytes[..ends[0]]);
    plain.extend_from_slice(b"some\njunk\n");
    plain.extend_from_slice(&gunzip(&bytes[ends[0]..]));
    let (records, faults, _) = read_bytes(plain);
    assert_eq!((records.len(), faults.len()), (6, 1));
    let zipped = [&bytes[..ends[0]], &[0; 512], &bytes[ends[0]..]].concat();
    let (records, faults, _) = read_bytes(zipped);
    assert_eq!((records.len(), faults.len()), (6, 1));
    assert_eq!(faults[0].offset, ends[0] as u64);
}

#[test]
fn a_record_beyond_the_limit_is_told_and_passed_over() {
    let body = vec![b'x'; 2 << 20];
    let headers = Headers::default();
    let large = encode_capture(&capture("http://example.org/large", &headers, &body), ids(1), 1);
    let bytes = [large.bytes, page(1).bytes].concat();
    let (records, faults, _) = read_bytes(bytes);
    assert_eq!(kinds(&records), ["request", "response", "request"]);
    assert!(faults[0].what.contains("too large"), "{faults:?}");
}

#[test]
fn only_the_beginning_of_a_block_is_kept_when_asked() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), three().0).unwrap();
    let limits = Limits { keep: 20, ..Limits::default() };
    for entry in Reader::open(file.path(), limits).unwrap() {
        let Entry::Record(record) = entry.unwrap() else {
            panic!("a fault in a good file");
        };
        assert_eq!(record.block.len(), 20);
        assert!(!record.is_whole());
        if record.kind == Kind::Response {
            assert_eq!(record.http_status(), Some(200));
        }
    }
}

#[test]
fn what_is_no_archive_is_an_error_with_a_reason() {
    for bytes in [
        &b"<html>hello</html>"[..],
        b"\x1f\x8b\x08 not gzip at all",
        &[0xff; 100],
        &packed(b"a text file"),
    ] {
        let (records, _, error) = read_bytes(bytes.to_vec());
        assert!(records.is_empty());
        assert!(matches!(error, Some(ArchiveError::NotAnArchive { .. })), "{error:?}");
    }
    let (records, faults, error) = read_bytes(Vec::new());
    assert!(records.is_empty() && faults.is_empty() && error.is_none());
    let error = Reader::open(Path::new("/no/such/file.warc"), Limits::default()).err().unwrap();
    assert!(error.to_string().contains("/no/such/file.warc"), "{error}");
}

#[test]
fn a_place_without_a_record_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), three().0).unwrap();
    assert!(read_at(file.path(), 0).is_ok());
    for wrong in [1, 1 << 40] {
        let error = read_at(file.path(), wrong).unwrap_err();
        assert!(matches!(error, ArchiveError::NoRecord { .. }), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_damage_makes_the_reader_fail_or_invent_records(
        at in 0usize..10_000,
        flip in 1u8..,
        cut in 0usize..10_000,
        plain in any::<bool>(),
    ) {
        let (bytes, _) = three();
        let mut bytes = if plain { gunzip(&bytes) } else { bytes };
        bytes.truncate(bytes.len() - cut % bytes.len());
        let at = at % bytes.len();
        bytes[at] ^= flip;
        let (records, _, _) = read_bytes(bytes);
        prop_assert!(records.len() <= 6);
    }

    #[test]
    fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000), head in 0usize..4) {
        let heads: [&[u8]; 4] = [b"", b"WARC/1.1\r\nContent-Length: 5\r\n\r\n", b"\x1f\x8b\x08\0", b"filedesc://x 1.1.1.1 20140301000000 a 7\n"];
        let _ = read_bytes([heads[head], &bytes].concat());
    }
}
