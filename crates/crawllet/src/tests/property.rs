//! Is what is written read back, and is nothing else read?

use super::*;
use crate::terms::{Hints, MAX_CRAWL_DELAY, Runtime, Terms};
use crate::wire::{MAX_BODY_BYTES, Opener, Sealer};
use crate::{Fault, cbor, guests, zip};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

fn any_limits() -> impl Strategy<Value = Limits> {
    let numbers = (any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>());
    (numbers, any::<u32>(), any::<u32>(), any::<u32>()).prop_map(
        |(first, pages, wall_s, module_kib)| {
            let (cpu_ms, fuel, mem_mib, out_mib) = first;
            Limits { cpu_ms, fuel, mem_mib, out_mib, pages, wall_s, module_kib }
        },
    )
}

fn any_terms() -> impl Strategy<Value = Terms> {
    let paths =
        || vec("/[a-z0-9/]{0,20}".prop_filter("no //", |path| !path.starts_with("//")), 0..5);
    let words = || vec("[ -~é]{0,30}", 0..4);
    let first = (any::<[u8; 16]>(), any::<u64>(), any_limits(), paths(), paths());
    let second = (any::<Option<[u8; 32]>>(), 0..100_000_u64, words(), any::<u64>(), words());
    let third = (any::<u32>(), "[ -~]{0,30}", words(), any::<[u8; 16]>(), vec(any::<u8>(), 0..100));
    (first, second, third).prop_map(|(first, second, third)| {
        let (session_id, valid_until_ms, limits, scope, deny) = first;
        let (robots_sha256, delay, sitemaps, pages, fs_roots) = second;
        let (abi, engine, features, server_nonce, ticket) = third;
        Terms {
            session_id,
            valid_until_ms,
            limits,
            scope,
            deny,
            robots_sha256,
            crawl_delay: Duration::from_millis(delay).min(MAX_CRAWL_DELAY),
            hints: Hints { server: engine.clone(), sitemaps, pages, fs_roots },
            runtime: Runtime { abi, engine, features },
            server_nonce,
            ticket,
        }
    })
}

fn any_links() -> impl Strategy<Value = Vec<LinkOut>> {
    let link = (".{0,40}", ".{0,40}").prop_map(|(url, anchor)| LinkOut { url, anchor });
    vec(link, 0..5)
}

fn any_record() -> impl Strategy<Value = Record> {
    let kinds = [Kind::Page, Kind::LinkOnly, Kind::Gone, Kind::Unchanged];
    let kind = prop::sample::select(kinds.to_vec());
    let source = prop::sample::select(vec![Source::Http, Source::File]);
    let headers = vec(("[a-z0-9-]{1,20}", "[ -~é]{0,40}"), 0..5);
    let first = ("/[!-\"$-~]{0,40}", 100..600_u16, kind, headers, vec(any::<u8>(), 0..500));
    let second = (any::<[u8; 32]>(), any_links(), any_links(), source, any::<u64>());
    (first, second, any::<[u8; 8]>()).prop_map(|(first, second, tag)| {
        let (path, status, kind, headers, body) = first;
        let (sha256, out_links, in_links, source, seq) = second;
        Record { path, status, kind, headers, body, sha256, out_links, in_links, source, seq, tag }
    })
}

proptest! {
    #[test]
    fn records_survive(record in any_record()) {
        let bytes = record.encode();
        prop_assert_eq!(Record::decode(&bytes).unwrap(), record);
        for cut in 0..bytes.len().min(100) {
            prop_assert!(Record::decode(&bytes[..cut]).is_err());
        }
    }

    #[test]
    fn terms_and_session_files_survive(terms in any_terms(), resume: bool, key: [u8; 32]) {
        let mut to = cbor::Writer::new();
        terms.write(&mut to);
        let bytes = to.finish();
        prop_assert_eq!(&Terms::read(&cbor::map(&bytes).unwrap()).unwrap(), &terms);
        let (_, mut session) = world().session();
        (session.terms, session.resume, session.thumbprint) = (terms, resume, key);
        prop_assert_eq!(SessionFile::from_bytes(&session.to_bytes()).unwrap(), session);
    }

    #[test]
    fn the_smaller_of_two_limits_is_never_larger_than_either(one in any_limits(), two in any_limits()) {
        let least = one.min(two);
        prop_assert_eq!(least, two.min(one));
        prop_assert_eq!(least.min(one), least);
        prop_assert!(one.pages == 0 || least.pages <= one.pages);
        prop_assert!(two.out_mib == 0 || least.out_mib <= two.out_mib);
        prop_assert_eq!(one.min(Limits::default()), one);
    }

    #[test]
    fn frames_survive_any_slicing(bodies in vec(vec(any::<u8>(), 0..300), 0..10), size in 1..400_usize) {
        let (mut sealer, mut opener) = (Sealer::new(&[1; 32]), Opener::new(&[1; 32]));
        let mut bytes = Vec::new();
        for (kind, body) in bodies.iter().enumerate() {
            sealer.seal(&mut bytes, kind as u8, body).unwrap();
        }
        let mut found = Vec::new();
        for slice in bytes.chunks(size) {
            opener.push(slice);
            while let Some((kind, body)) = opener.open().unwrap() {
                prop_assert_eq!(usize::from(kind), found.len());
                found.push(body);
            }
        }
        prop_assert!(!opener.is_torn());
        prop_assert_eq!(found, bodies);
    }

    #[test]
    fn packed_bytes_survive(bytes in vec(any::<u8>(), 0..2000), times in 1..200_usize) {
        let bytes = bytes.repeat(times);
        let packed = zip::pack(&bytes).unwrap();
        prop_assert_eq!(zip::unpack(&packed, bytes.len()).unwrap(), bytes);
    }

    #[test]
    fn keys_are_put_into_their_slot_and_nowhere_else(
        before in vec(any::<u8>(), 0..200),
        after in vec(any::<u8>(), 0..200),
        key: [u8; 32],
    ) {
        let slot = [&guests::KEY_MARKER[..], &[0; 32]].concat();
        let module = [&before[..], &slot, &after].concat();
        let patched = guests::patched(&module, &key).unwrap();
        let wanted = [&before[..], guests::KEY_MARKER, &key, &after].concat();
        prop_assert_eq!(patched, wanted);
        let twice = [&module[..], &slot].concat();
        prop_assert_eq!(guests::patched(&twice, &key), Err(Fault::KeySlot));
        prop_assert_eq!(guests::patched(&before, &key), Err(Fault::KeySlot));
    }

    #[test]
    fn numbers_of_any_width_are_read(number: u64) {
        let mut to = cbor::Writer::new();
        to.uint(number);
        let bytes = to.finish();
        prop_assert_eq!(cbor::item(&bytes).unwrap().uint().unwrap(), number);
        let small = cbor::item(&bytes).unwrap().number::<u16>();
        prop_assert_eq!(small.is_ok(), number <= 0xffff);
    }
}

#[test]
fn cbor_that_is_not_ours_is_refused() {
    let odd: &[(&str, &[u8])] = &[
        ("nothing", b""),
        ("an indefinite map", b"\xbf\xff"),
        ("indefinite bytes", b"\xa1\x01\x5f\x41a\xff"),
        ("a tag", b"\xa1\x01\xc0\x00"),
        ("a text as key", b"\xa1\x61a\x00"),
        ("a negative key", b"\xa1\x20\x00"),
        ("a key twice", b"\xa2\x01\x00\x01\x00"),
        ("a key twice, in two widths", b"\xa2\x01\x00\x18\x01\x00"),
        ("bytes after the end", b"\xa0\x00"),
        ("a length that is not there", b"\xa1\x01\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"),
        ("a length that overflows", b"\xa1\x01\x5b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("an array that is not there", b"\xa1\x01\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("a map that is not there", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("text that is not UTF-8", b"\xa1\x01\x61\xff"),
        ("five levels", b"\xa1\x01\x81\x81\x81\x81\x00"),
        ("a reserved length", b"\xa1\x01\x1c"),
    ];
    for (what, bytes) in odd {
        assert!(cbor::map(bytes).is_err(), "{what}");
    }
    assert!(cbor::map(b"\xa1\x01\x81\x81\x81\x00").is_ok(), "four levels");
    let mut many = cbor::Writer::new();
    many.map(65);
    for key in 0..65 {
        many.uint(key).uint(0);
    }
    assert_eq!(cbor::map(&many.finish()).unwrap_err(), Fault::TooLarge("CBOR map"));
}

#[test]
fn unknown_keys_of_any_kind_are_passed_over() {
    let mut record = records(1)[0].encode();
    record[0] += 4;
    record.extend(
        b"\x18\x63\x3a\x00\x00\x00\x01\x18\x64\xfb\x3f\xf0\0\0\0\0\0\0\x18\x65\xf6\x18\x66\x81\x01",
    );
    assert_eq!(Record::decode(&record).unwrap(), records(1)[0]);
}

#[test]
fn the_tag_of_a_record_is_keyed_blake2s_over_the_fields_in_order() {
    let record = Record { path: "/a".to_owned(), status: 0x0102, ..records(1).remove(0) };
    let mut bytes = vec![0; 8 + 8];
    bytes.extend([2, 0, 0, 0]);
    bytes.extend(b"/a\x02\x01");
    bytes.extend(record.sha256);
    use blake2::digest::{FixedOutput, KeyInit, Update};
    type Keyed = blake2::Blake2sMac<blake2::digest::consts::U8>;
    let mut mac = <Keyed as KeyInit>::new(&MAC_KEY.into());
    mac.update(&bytes);
    let wanted: [u8; 8] = mac.finalize_fixed().into();
    let mut chain = Chain::new(MAC_KEY);
    assert_eq!(chain.next(&record), wanted);
    assert_eq!((chain.head(), chain.count()), (wanted, 1));
}

#[test]
fn a_frame_holds_no_more_than_noise_allows() {
    let mut sealer = Sealer::new(&[1; 32]);
    let mut bytes = Vec::new();
    sealer.seal(&mut bytes, 1, &vec![0; MAX_BODY_BYTES]).unwrap();
    assert_eq!(bytes.len(), 4 + 65_535);
    let fault = sealer.seal(&mut bytes, 1, &vec![0; MAX_BODY_BYTES + 1]);
    assert_eq!(fault, Err(Fault::TooLarge("frame")));
    for (length, fault) in [(65_536_u32, Fault::TooLarge("frame")), (16, Fault::Malformed("frame"))]
    {
        let mut opener = Opener::new(&[1; 32]);
        opener.push(&length.to_le_bytes());
        assert_eq!(opener.open(), Err(fault));
    }
}

#[test]
fn built_in_guests_are_those_of_the_sums_and_have_one_slot_for_the_key() {
    let sums = include_str!("../../guests/SHA256SUMS");
    let listed = sums.lines().filter(|line| line.ends_with(".wasm")).count();
    assert_eq!(listed, guests::ALL.len());
    for guest in guests::ALL {
        let sum = data_encoding::HEXLOWER.encode(&Sha256::digest(guest.wasm));
        assert!(sums.contains(&format!("{sum}  {}.wasm", guest.name)), "{}", guest.name);
        assert!(guest.wasm.starts_with(b"\0asm"), "{}", guest.name);
        assert!(guests::key_patched(guest, &[7; 32]).is_ok(), "{}", guest.name);
        assert_eq!(guests::by_name(guest.name).unwrap().about, guest.about);
    }
    assert!(guests::by_name("nobody").is_none());
}
