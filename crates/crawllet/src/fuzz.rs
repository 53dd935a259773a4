//! Does any message break either side?
//!
//! What is sealed is fuzzed inside the seal: a changed byte outside of it never gets further than the cipher.

use crate::descriptor::Descriptor;
use crate::engine::{self, Event};
use crate::host::{self, SessionFile, UploadReader};
use crate::identity::web_bot_auth::{SignedHeaders, agent_domain, parse_directory, verify_request};
use crate::identity::{EngineKeys, SiteSecret};
use crate::record::Record;
use crate::tests::{
    AUTHORITY, MAC_KEY, MODULE, NOW, cargo, limits, records, result, seeds, seen, terms, world,
};
use crate::wire::{self, MAX_BODY_BYTES, Opener, Sealer, frame};
use crate::{cbor, guests, zip};
use lycosa_fuzz::Fuzz;

const CBOR_WORDS: &[&[u8]] = &[
    b"\xa0",
    b"\xa1\x01",
    b"\xab",
    b"\xbf",
    b"\xff",
    b"\x80",
    b"\x81",
    b"\x82",
    b"\x9b\xff",
    b"\x40",
    b"\x50",
    b"\x58\x20",
    b"\x58\x40",
    b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x60",
    b"\x61/",
    b"\x7b\xff",
    b"\xc0",
    b"\xf4",
    b"\xf5",
    b"\xf6",
    b"\xfb",
    b"\x18\x5a",
    b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x00",
    b"\x01",
    b"\x0a",
    b"\x0b",
    b"\x20",
    b"\x81\x81\x81\x81\x81",
];

#[test]
fn items_of_any_bytes_are_read_or_refused() {
    let record = records(1)[0].encode();
    Fuzz { seeds: &[&record, b"\xa2\x01\x82\x00\x61a\x02\xa1\x03\xf5"], words: CBOR_WORDS }.run(
        |bytes| {
            let Ok(item) = cbor::item(bytes) else { return };
            assert_eq!(item.raw(), bytes);
            let mut nested = vec![item];
            while let Some(item) = nested.pop() {
                let _ = (item.uint(), item.bytes(), item.text(), item.bool(), item.texts(8));
                nested.extend(item.array().into_iter().flatten());
                if let Ok(fields) = item.map() {
                    nested.extend((0..64).filter_map(|key| fields.get(key)));
                }
            }
        },
    );
}

#[test]
fn records_of_any_bytes_are_read_or_refused() {
    let (one, two) = (records(1)[0].encode(), records(2)[1].encode());
    Fuzz { seeds: &[&one, &two], words: CBOR_WORDS }.run(|bytes| {
        if let Ok(record) = Record::decode(bytes) {
            assert_eq!(Record::decode(&record.encode()).as_ref(), Ok(&record));
            let _ = record.is_whole();
        }
    });
}

#[test]
fn descriptors_of_any_bytes_are_read_or_refused() {
    let world = world();
    let mut signed = world.descriptor.clone();
    signed.sign(&world.site);
    let signed = signed.to_json();
    let words: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b",",
        b":",
        b"\\u0000",
        b"\"clp\":1",
        b"\"keys\"",
        b"\"x25519\"",
        b"-1",
        b"1e9",
        b"18446744073709551615",
        b"null",
        b"true",
        b"\"web-bot-auth\"",
        b"\"open\"",
        b"/",
        b"//",
        b".",
    ];
    Fuzz { seeds: &[&world.bytes, signed.as_bytes()], words }.run(|bytes| {
        if let Ok(found) = Descriptor::parse(bytes) {
            let again = Descriptor::parse(found.to_json().as_bytes());
            // Written without spaces it is not longer, but escapes may be.
            if found.to_json().len() < crate::descriptor::MAX_DESCRIPTOR_BYTES {
                assert_eq!(again.as_ref(), Ok(&found));
            }
            let _ = found.key_at(NOW);
            let _ = found.verify_rotation(&world.descriptor, NOW);
        }
    });
}

#[test]
fn hellos_of_any_payload_are_read_or_refused() {
    let mut payload = cbor::Writer::new();
    let key = world().engine.ed25519();
    payload.map(11).uint(1).text("engine.test");
    payload.uint(2).bytes(&crate::identity::thumbprint_bytes(&key)).uint(3).bytes(&[0; 64]);
    payload.uint(4).uint(NOW).uint(5).bytes(&[1; 16]).uint(6);
    limits().write(&mut payload);
    payload.uint(7).texts(&["search"]).uint(8).uint(1).uint(9).bytes(&[7; 16]);
    payload.uint(10).bool(false).uint(11).bytes(&key);
    let payload = payload.finish();
    assert!(host::Payload::read(&payload).is_ok());
    Fuzz { seeds: &[&payload], words: CBOR_WORDS }.run(|bytes| {
        let _ = host::Payload::read(bytes);
    });
}

#[test]
fn hellos_and_grants_of_any_bytes_are_read_or_refused() {
    let world = world();
    let (hello, _) = world.hello();
    let (grant, _) = world.read(&hello).unwrap().grant(terms(), [5; 32]).unwrap();
    Fuzz { seeds: &[&hello, &grant], words: &[b"CLP1\x01\0", b"CLP1\x02\0", b"CLP1", b"\xff"] }
        .run(|bytes| {
            if bytes != hello {
                assert!(world.read(bytes).is_err());
            }
            if bytes != grant && bytes.starts_with(b"CLP1\x02") {
                assert!(world.hello().1.read_grant(bytes).is_err());
            }
        });
}

#[test]
fn grants_of_any_payload_are_read_or_refused() {
    let (_, session) = world().session();
    let mut payload = cbor::Writer::new();
    session.terms.write(&mut payload);
    let payload = payload.finish();
    let refusal = b"\xa2\x18\x5a\x01\x18\x5b\x18\x3c";
    Fuzz { seeds: &[&payload, refusal], words: CBOR_WORDS }.run(|bytes| {
        if let Ok(terms) = engine::read_terms(bytes) {
            let mut again = cbor::Writer::new();
            terms.write(&mut again);
            assert_eq!(engine::read_terms(&again.finish()), Ok(terms));
        }
    });
}

#[test]
fn session_files_of_any_bytes_are_read_or_refused() {
    let (_, session) = world().session();
    let bytes = session.to_bytes();
    Fuzz { seeds: &[&bytes], words: CBOR_WORDS }.run(|bytes| {
        if let Ok(session) = SessionFile::from_bytes(bytes) {
            assert_eq!(SessionFile::from_bytes(&session.to_bytes()), Ok(session));
        }
    });
}

/// Inputs are read as frames: a type, a length of two bytes, a body.
pub(crate) fn sealed(bytes: &[u8], key: &[u8; 32], first: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut sealer = Sealer::new(key);
    let mut out = Vec::new();
    for (kind, body) in first {
        sealer.seal(&mut out, *kind, body).unwrap();
    }
    let mut rest = bytes;
    while let [kind, low, high, after @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(after.len());
        let (body, after) = after.split_at(length);
        sealer.seal(&mut out, *kind, &body[..length.min(MAX_BODY_BYTES)]).unwrap();
        rest = after;
    }
    out
}

/// The frames of a message, opened, in the form that [`sealed`] reads.
pub(crate) fn opened(message: &[u8], key: &[u8; 32]) -> Vec<u8> {
    let mut opener = Opener::new(key);
    opener.push(&message[wire::STREAM_HEAD_BYTES..]);
    let mut out = Vec::new();
    while let Some((kind, body)) = opener.open().unwrap() {
        out.push(kind);
        out.extend((body.len() as u16).to_le_bytes());
        out.extend(body);
    }
    out
}

/// The two keys of the session that all tests share.
pub(crate) fn keys(session: &SessionFile) -> [[u8; 32]; 2] {
    let bytes = session.to_bytes();
    let fields = cbor::map(&bytes).unwrap();
    [7, 8].map(|key| fields.need(key).unwrap().fixed().unwrap())
}

#[test]
fn uploads_of_any_frames_are_read_or_refused() {
    let (granted, session) = world().session();
    let (seeds, seen) = (seeds(), seen());
    let cargo = engine::Cargo { seeds: &seeds, seen: &seen, resume: Some(b"r"), ..cargo(true) };
    let (upload, _) = granted.upload(cargo).unwrap();
    let guest = guests::by_name("titles").unwrap();
    let module = guests::key_patched(guest, &MAC_KEY).unwrap();
    let cargo = engine::Cargo { module: &module, ..super::tests::cargo(true) };
    let (named, _) = world().session().0.upload(cargo).unwrap();
    let [key, _] = keys(&session);
    let plain = opened(&upload, &key);
    let named = opened(&named, &key);
    let head = &upload[..wire::STREAM_HEAD_BYTES];
    assert!(read_upload(&session, head, &sealed(&plain, &key, &[])));
    assert!(read_upload(&session, head, &sealed(&named, &key, &[])));
    let words: &[&[u8]] = &[
        b"\x01\x02\0\xa0\0",
        b"\x02\x01\0x",
        b"\x03\x01\0x",
        b"\x04\x01\0x",
        b"\x05\x01\0x",
        b"\x06\x01\0x",
        b"\x0f\x01\0\xa0",
        b"\x28\xb5\x2f\xfd",
        MODULE,
    ];
    Fuzz { seeds: &[&plain, &named], words }.run(|bytes| {
        read_upload(&session, head, &sealed(bytes, &key, &[]));
        read_upload(&session, head, bytes);
    });
}

fn read_upload(session: &SessionFile, head: &[u8], frames: &[u8]) -> bool {
    let mut reader = UploadReader::new(session);
    if reader.push(head).and_then(|_| reader.push(frames)).is_err() {
        return false;
    }
    let Ok(upload) = reader.finish() else { return false };
    upload.seed_paths().unwrap();
    upload.seen_pages().unwrap();
    cbor::map(&upload.init("https://example.org", 1)).unwrap();
    true
}

#[test]
fn results_of_any_frames_are_read_or_refused() {
    let (_, session) = world().session();
    let [_, key] = keys(&session);
    for compressed in [true, false] {
        let (_, mut writer, mut whole) = result(compressed);
        whole.extend(writer.started(&limits(), Some(&[1; 32])).unwrap());
        for record in records(3) {
            whole.extend(writer.record(&record.encode()).unwrap());
            whole.extend(writer.flush().unwrap());
        }
        whole.extend(writer.progress(1, 2, 3).unwrap());
        whole.extend(writer.log("word").unwrap());
        whole.extend(writer.state(b"state").unwrap());
        whole.extend(writer.end(engine::Reason::Done, 1, 2).unwrap());
        let plain = opened(&whole, &key);
        let head = &whole[..wire::STREAM_HEAD_BYTES];
        let read = |frames: &[u8]| {
            let (mut reader, _, _) = result(compressed);
            let fed = reader.feed(head).and_then(|()| reader.feed(frames));
            let mut count = 0;
            while let (Ok(()), Ok(Some(event))) = (&fed, reader.next_event()) {
                count += u64::from(matches!(event, Event::Record(_)));
            }
            assert_eq!(count, reader.records());
            reader.finish().is_ok()
        };
        assert!(read(&sealed(&plain, &key, &[])));
        let started = plain[3..3 + usize::from(u16::from_le_bytes([plain[1], plain[2]]))].to_vec();
        let words: &[&[u8]] = &[
            b"\x11\x01\0x",
            b"\x12\x01\0\xa0",
            b"\x13\x01\0x",
            b"\x14\x02\0\x01x",
            b"\x15\x01\0\xa0",
            b"\x16\x01\0\xa0",
            b"\x28\xb5\x2f\xfd",
            b"\xff\xff\xff\xff",
        ];
        Fuzz { seeds: &[&plain], words }.run(|bytes| {
            read(&sealed(bytes, &key, &[(frame::STARTED, started.clone())]));
            read(&sealed(bytes, &key, &[]));
            read(bytes);
        });
    }
}

#[test]
fn packed_streams_of_any_bytes_unpack_within_bounds() {
    let (one, two) = (zip::pack(b"hello hello hello").unwrap(), zip::pack(&[0; 5000]).unwrap());
    let words: &[&[u8]] = &[b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\xff\xff", b"\0\0\0"];
    Fuzz { seeds: &[&one, &two], words }.run(|bytes| {
        if let Ok(unpacked) = zip::unpack(bytes, 100_000) {
            assert!(unpacked.len() <= 100_000);
        }
    });
}

#[test]
fn signed_headers_of_any_text_are_verified_or_refused() {
    let keys = world().engine;
    let headers = keys.sign_request(AUTHORITY, NOW / 1000, 60, &[5; 32]);
    let all = headers.pairs().map(|(_, value)| value).join("\n");
    let words: &[&[u8]] = &[
        b"\n",
        b"sig1=",
        b"(",
        b")",
        b"\"",
        b";",
        b"=",
        b":",
        b"@authority",
        b"signature-agent",
        b"created=",
        b"expires=",
        b"keyid=",
        b"tag=\"web-bot-auth\"",
        b"alg=\"ed25519\"",
        b"99999999999999999999",
        b" ",
        b"https://",
    ];
    Fuzz { seeds: &[all.as_bytes()], words }.run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.splitn(3, '\n').map(str::to_owned);
        let mut line = || lines.next().unwrap_or_default();
        let (signature_agent, signature_input, signature) = (line(), line(), line());
        let other = SignedHeaders { signature_agent, signature_input, signature };
        let _ = agent_domain(&other);
        if verify_request(&other, AUTHORITY, &keys.ed25519(), NOW / 1000).is_ok() {
            assert_eq!(other.signature_agent.trim(), headers.signature_agent);
        }
    });
}

#[test]
fn directories_and_key_files_of_any_bytes_are_read_or_refused() {
    let world = world();
    let directory = world.engine.directory_json(1, 2);
    let (engine, site) = (world.engine.to_text(), world.site.to_text());
    let seeds: &[&[u8]] = &[directory.as_bytes(), engine.as_bytes(), site.as_bytes()];
    let words: &[&[u8]] = &[
        b"\"kty\":\"OKP\"",
        b"\"crv\":\"Ed25519\"",
        b"\"x\":",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\n",
        b"secret ",
    ];
    Fuzz { seeds, words }.run(|bytes| {
        let _ = parse_directory(bytes);
        let text = String::from_utf8_lossy(bytes);
        if let Ok(keys) = EngineKeys::parse(&text) {
            assert!(EngineKeys::parse(&keys.to_text()).is_ok());
        }
        let _ = SiteSecret::parse(&text);
    });
}

#[test]
fn modules_of_any_bytes_are_patched_or_refused() {
    let module = [&b"\0asm"[..], guests::KEY_MARKER, &[0; 40]].concat();
    Fuzz { seeds: &[&module], words: &[guests::KEY_MARKER, &[0; 32], b"CLP1"] }.run(|bytes| {
        if let Ok(patched) = guests::patched(bytes, &[7; 32]) {
            assert_eq!(patched.len(), bytes.len());
            assert_ne!(patched, bytes);
        }
    });
}
