//! Does everything arrive, and is whatever does not arrive noticed?

use super::*;
use crate::engine::{Event, Reason};
use crate::host::{Piece, UploadReader};

#[test]
fn an_upload_arrives_in_slices_of_any_size() {
    for size in [1, 7, 100_000] {
        let (granted, session) = world().session();
        let session = SessionFile::from_bytes(&session.to_bytes()).unwrap();
        let (seeds, seen) = (seeds(), seen());
        let cargo = Cargo { seeds: &seeds, seen: &seen, resume: Some(b"state"), ..cargo(true) };
        let (upload, _) = granted.upload(cargo).unwrap();
        let mut reader = UploadReader::new(&session);
        let mut pieces = Vec::new();
        for slice in upload.chunks(size) {
            pieces.extend(reader.push(slice).unwrap());
        }
        assert!(matches!(
            pieces[..],
            [Piece::Manifest(_), Piece::Module, Piece::Seeds, Piece::Seen, Piece::Resume]
        ));
        let upload = reader.finish().unwrap();
        assert_eq!(upload.module, MODULE);
        assert_eq!(upload.seed_paths().unwrap(), ["/", "/a?b=1"]);
        assert_eq!(upload.seen_pages().unwrap(), seen);
        assert_eq!(upload.resume.as_deref(), Some(&b"state"[..]));
        assert_eq!(upload.scope(), ["/"]);
        assert!(upload.manifest.compressed);
    }
}

#[test]
fn a_result_arrives_packed_and_unpacked_in_slices_of_any_size() {
    for compressed in [false, true] {
        for size in [1, 100, 100_000] {
            let (mut reader, mut writer, mut bytes) = result(compressed);
            let sent = records(20);
            bytes.extend(writer.started(&limits(), Some(&[4; 32])).unwrap());
            for record in &sent {
                bytes.extend(writer.record(&record.encode()).unwrap());
            }
            bytes.extend(writer.progress(20, 4000, 7).unwrap());
            bytes.extend(writer.log("a word").unwrap());
            bytes.extend(writer.state(&vec![3; 200_000]).unwrap());
            bytes.extend(writer.end(Reason::Suspended, 5, 6).unwrap());
            let mut events = Vec::new();
            for slice in bytes.chunks(size) {
                events.extend(reader.push(slice).unwrap());
            }
            let found: Vec<&Record> = events
                .iter()
                .filter_map(|event| match event {
                    Event::Record(record) => Some(record),
                    _ => None,
                })
                .collect();
            assert_eq!(found, sent.iter().collect::<Vec<_>>());
            assert!(found.iter().all(|record| record.is_whole()));
            assert!(events.contains(&Event::Progress { pages: 20, bytes: 4000, fuel_left: 7 }));
            assert!(events.contains(&Event::Log("a word".to_owned())));
            assert!(events.contains(&Event::State(vec![3; 200_000])));
            let end = reader.finish().unwrap();
            assert_eq!((end.reason, end.pages), (Reason::Suspended, 20));
            assert_eq!((end.fuel_used, end.cpu_ms), (5, 6));
            assert_eq!(end.chain_head, sent[19].tag);
        }
    }
}

#[test]
fn the_largest_state_fits_into_the_next_upload() {
    let state: Vec<u8> = (0..crate::host::MAX_RESUME_BYTES).map(|n| n as u8).collect();
    assert_eq!(state.len(), crate::engine::MAX_STATE_BYTES);
    let (mut reader, mut writer, mut bytes) = result(true);
    bytes.extend(writer.started(&limits(), None).unwrap());
    bytes.extend(writer.state(&state).unwrap());
    bytes.extend(writer.end(Reason::Suspended, 0, 0).unwrap());
    let events = reader.push(&bytes).unwrap();
    let found = events.iter().find_map(|event| match event {
        Event::State(state) => Some(state.clone()),
        _ => None,
    });
    let found = found.unwrap();
    let (granted, session) = world().session();
    let cargo = Cargo { resume: Some(&found), ..cargo(true) };
    let (upload, _) = granted.upload(cargo).unwrap();
    let mut reader = UploadReader::new(&session);
    reader.push(&upload).unwrap();
    assert_eq!(reader.finish().unwrap().resume, Some(state));
}

#[test]
fn a_guest_is_initialised_with_what_was_granted_and_sent() {
    let (granted, session) = world().session();
    let (seeds, seen) = (seeds(), seen());
    let cargo = Cargo { seeds: &seeds, seen: &seen, resume: Some(b"r"), ..cargo(true) };
    let (upload, _) = granted.upload(cargo).unwrap();
    let mut reader = UploadReader::new(&session);
    reader.push(&upload).unwrap();
    let init = reader.finish().unwrap().init("https://example.org", 1000);
    let fields = crate::cbor::map(&init).unwrap();
    assert_eq!(fields.need(1).unwrap().text().unwrap(), "https://example.org");
    assert_eq!(fields.need(2).unwrap().texts(9).unwrap(), ["/"]);
    assert_eq!(fields.need(3).unwrap().texts(9).unwrap(), ["/admin/"]);
    assert_eq!(fields.need(4).unwrap().bytes().unwrap(), b"\xa0");
    assert_eq!(fields.need(5).unwrap().texts(9).unwrap(), ["/", "/a?b=1"]);
    assert_eq!(fields.need(6).unwrap().array().unwrap().count(), 2);
    assert_eq!(fields.need(7).unwrap().bytes().unwrap(), b"r");
    assert_eq!(fields.need(8).unwrap().uint().unwrap(), 1000);
}

/// The session of the tests, at a site that can only do this with modules.
fn site_with(features: &[String]) -> (Granted, SessionFile) {
    let (mut granted, mut session) = world().session();
    granted.terms.runtime.features = features.to_vec();
    session.terms.runtime.features = features.to_vec();
    (granted, session)
}

#[test]
fn a_module_travels_in_the_shortest_form_that_the_site_takes() {
    let guest = crate::guests::by_name("pages").unwrap();
    let module = crate::guests::key_patched(guest, &MAC_KEY).unwrap();
    let size = |features: &[String]| {
        let (granted, session) = site_with(features);
        let (upload, _) = granted.upload(Cargo { module: &module, ..cargo(true) }).unwrap();
        let mut reader = UploadReader::new(&session);
        assert!(reader.push(&upload).unwrap().contains(&Piece::Module));
        let found = reader.finish().unwrap();
        assert!(found.module == module, "the key is in its slot");
        upload.len()
    };
    let all = crate::host::features();
    let (plain, packed, named) = (size(&[]), size(&all[..1]), size(&all));
    assert!(plain > module.len() && packed < module.len() / 2 && named < 1000);
}

#[test]
fn a_form_that_was_not_granted_is_refused() {
    let guest = crate::guests::by_name("pages").unwrap();
    let module = crate::guests::key_patched(guest, &MAC_KEY).unwrap();
    let all = crate::host::features();
    for given in [&all[..1], &all] {
        let (granted, _) = site_with(given);
        let (upload, _) = granted.upload(Cargo { module: &module, ..cargo(true) }).unwrap();
        let (_, session) = site_with(&[]);
        let fault = UploadReader::new(&session).push(&upload).unwrap_err();
        assert_eq!(fault, crate::Fault::Malformed("form of the module"));
    }
}

#[test]
fn a_module_unpacks_to_no_more_than_the_manifest_says() {
    let module = vec![7; 700_000];
    let (granted, session) = site_with(&crate::host::features()[..1]);
    let (upload, _) = granted.upload(Cargo { module: &module, ..cargo(true) }).unwrap();
    assert!(upload.len() < 2_000, "a bomb of its kind");
    assert!(UploadReader::new(&session).push(&upload).is_ok(), "as long as it says so");
    // The same frames under a manifest that says less.
    let [key, _] = crate::fuzz::keys(&session);
    let plain = crate::fuzz::opened(&upload, &key);
    let (long, short) = (700_000_u32.to_be_bytes(), 600_000_u32.to_be_bytes());
    let at = plain.windows(4).position(|window| window == long).unwrap();
    let mut lies = plain.clone();
    lies[at..at + 4].copy_from_slice(&short);
    let frames = crate::fuzz::sealed(&lies, &key, &[]);
    let mut reader = UploadReader::new(&session);
    reader.push(&upload[..crate::wire::STREAM_HEAD_BYTES]).unwrap();
    assert_eq!(reader.push(&frames).unwrap_err(), crate::Fault::Bomb(600_000));
}
