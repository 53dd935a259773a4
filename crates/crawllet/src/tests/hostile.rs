//! Is whatever was altered, dropped, swapped, replayed or blown up noticed?

use super::*;
use crate::engine::{Event, MAX_LOG_BYTES, MAX_STATE_BYTES, Reason};
use crate::host::{Upload, UploadReader};
use crate::record::MAX_RECORD_BYTES;
use crate::wire::{STREAM_HEAD_BYTES, Sealer, frame};
use crate::{Fault, cbor, zip};

/// The frames of a message, after its head.
fn frames(message: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &message[STREAM_HEAD_BYTES..];
    let mut list = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let end = u32::from_le_bytes(*length) as usize;
        list.push(rest[..4 + end].to_vec());
        rest = &after[end..];
    }
    list
}

/// A message of this head and these frames.
fn message(like: &[u8], frames: &[Vec<u8>]) -> Vec<u8> {
    [&like[..STREAM_HEAD_BYTES], &frames.concat()].concat()
}

fn upload() -> Vec<u8> {
    let (seeds, seen) = (seeds(), seen());
    let (granted, _) = world().session();
    let cargo = Cargo { seeds: &seeds, seen: &seen, resume: Some(b"state"), ..cargo(true) };
    granted.upload(cargo).unwrap().0
}

fn read_upload(bytes: &[u8]) -> Result<Upload, Fault> {
    let (_, session) = world().session();
    let mut reader = UploadReader::new(session);
    reader.push(bytes)?;
    reader.finish()
}

/// A whole RESULT of three records.
fn whole(compressed: bool) -> Vec<u8> {
    let (_, mut writer, mut bytes) = result(compressed);
    bytes.extend(writer.started(&limits(), None).unwrap());
    for record in records(3) {
        bytes.extend(writer.record(&record.encode()).unwrap());
        bytes.extend(writer.flush().unwrap());
    }
    bytes.extend(writer.progress(3, 3, 3).unwrap());
    bytes.extend(writer.end(Reason::Done, 1, 1).unwrap());
    bytes
}

/// The records that were given out, and how it ended.
fn read(bytes: &[u8], compressed: bool) -> (u64, Result<crate::engine::End, Fault>) {
    let (mut reader, _, _) = result(compressed);
    let _ = reader.push(bytes);
    (reader.records(), reader.finish())
}

#[test]
fn no_byte_of_an_upload_can_be_changed_or_left_out() {
    let upload = upload();
    assert!(read_upload(&upload).is_ok());
    for at in 0..upload.len() {
        let mut other = upload.clone();
        other[at] ^= 1 << (at % 8);
        assert!(read_upload(&other).is_err(), "byte {at}");
        assert!(read_upload(&upload[..at]).is_err(), "cut at {at}");
    }
    assert!(read_upload(&[&upload[..], b"x"].concat()).is_err());
}

#[test]
fn no_byte_of_a_result_can_be_changed_or_left_out() {
    for compressed in [false, true] {
        let bytes = whole(compressed);
        assert!(read(&bytes, compressed).1.is_ok());
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            assert!(read(&other, compressed).1.is_err(), "byte {at}");
            assert!(read(&bytes[..at], compressed).1.is_err(), "cut at {at}");
        }
        let more = [&bytes[..], b"x"].concat();
        assert_eq!(read(&more, compressed).1, Err(Fault::Order("after the end")));
    }
}

#[test]
fn frames_that_are_dropped_swapped_or_replayed_are_noticed() {
    let bytes = upload();
    let list = frames(&bytes);
    assert_eq!(list.len(), 6);
    for at in 0..list.len() {
        let mut dropped = list.clone();
        dropped.remove(at);
        assert!(read_upload(&message(&bytes, &dropped)).is_err(), "dropped {at}");
        let mut twice = list.clone();
        twice.insert(at, list[at].clone());
        assert!(read_upload(&message(&bytes, &twice)).is_err(), "replayed {at}");
        let mut swapped = list.clone();
        swapped.swap(at, (at + 1) % list.len());
        assert!(read_upload(&message(&bytes, &swapped)).is_err(), "swapped {at}");
    }
    let bytes = whole(true);
    let list = frames(&bytes);
    for at in 0..list.len() {
        let mut dropped = list.clone();
        dropped.remove(at);
        let last = at + 1 == list.len();
        let fault = read(&message(&bytes, &dropped), true).1.unwrap_err();
        let wanted = if last { Fault::Truncated(3) } else { Fault::Frame(at as u64) };
        assert_eq!(fault, wanted, "dropped {at}");
        let mut swapped = list.clone();
        swapped.swap(at, (at + 1) % list.len());
        assert!(read(&message(&bytes, &swapped), true).1.is_err(), "swapped {at}");
        let mut twice = list.clone();
        twice.insert(at, list[at].clone());
        assert!(read(&message(&bytes, &twice), true).1.is_err(), "replayed {at}");
    }
}

#[test]
fn frames_of_the_other_direction_or_of_another_session_are_not_opened() {
    let bytes = upload();
    let answer = whole(true);
    let turned = [&answer[..STREAM_HEAD_BYTES], &bytes[STREAM_HEAD_BYTES..]].concat();
    assert_eq!(read(&turned, true).1, Err(Fault::Frame(0)));
    let world = world();
    let (hello, sent) = world.hello();
    let (grant, other) = world.read(&hello).unwrap().grant(terms(), [55; 32]).unwrap();
    sent.read_grant(&grant).unwrap();
    let mut reader = UploadReader::new(&other);
    assert_eq!(reader.push(&bytes), Err(Fault::Session));
    let mut renamed = bytes;
    renamed[6..22].copy_from_slice(&other.terms.session_id);
    assert_eq!(UploadReader::new(&other).push(&renamed), Err(Fault::Frame(0)));
}

#[test]
fn records_before_a_cut_or_a_fault_stay_usable() {
    for compressed in [false, true] {
        let bytes = whole(compressed);
        let list = frames(&bytes);
        // STARTED and the frames of two records.
        let cut = message(&bytes, &list[..3]);
        let (mut reader, _, _) = result(compressed);
        let events = reader.push(&cut).unwrap();
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Record(_))).count(), 2);
        assert_eq!(reader.finish().unwrap_err(), Fault::Truncated(2));
        let mut torn = message(&bytes, &list);
        let last = cut.len() + 10;
        torn[last] ^= 1;
        let (mut reader, _, _) = result(compressed);
        let events = reader.push(&torn).unwrap();
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Record(_))).count(), 2);
        assert_eq!(reader.push(b"").unwrap_err(), Fault::Frame(3));
        assert_eq!(reader.finish().unwrap_err(), Fault::Frame(3));
    }
}

#[test]
fn an_error_of_the_site_is_told_and_ends_the_job() {
    let (mut reader, mut writer, mut bytes) = result(true);
    bytes.extend(writer.error(3, "no\nmemory").unwrap());
    let events = reader.push(&bytes).unwrap();
    assert_eq!(events, [Event::Error { code: 3, text: "no memory".to_owned() }]);
    assert_eq!(reader.finish(), Err(Fault::Failed(3)));
    assert!(writer.record(&records(1)[0].encode()).is_err());
}

/// A reader, fed with frames that a host could make who does not keep to the rules.
struct Liar {
    reader: ResultReader,
    sealer: Sealer,
}

impl Liar {
    fn new(compressed: bool) -> Liar {
        let (granted, session) = world().session();
        let (_, reader) = granted.upload(cargo(compressed)).unwrap();
        let kept = cbor::map(&session.to_bytes()).unwrap().need(8).unwrap().fixed().unwrap();
        let mut liar = Liar { reader, sealer: Sealer::new(&kept) };
        let (mut writer, mut bytes) = ResultWriter::new(&session, compressed).unwrap();
        bytes.extend(writer.started(&limits(), None).unwrap());
        liar.reader.push(&bytes).unwrap();
        liar.sealer.seal(&mut Vec::new(), frame::STARTED, b"").unwrap();
        liar
    }

    fn tell(&mut self, kind: u8, body: &[u8]) -> Result<Vec<Event>, Fault> {
        let mut bytes = Vec::new();
        for slice in body.chunks(crate::wire::MAX_BODY_BYTES).chain(body.is_empty().then_some(body))
        {
            self.sealer.seal(&mut bytes, kind, slice).unwrap();
        }
        self.reader.push(&bytes)
    }
}

fn framed(record: &Record) -> Vec<u8> {
    let bytes = record.encode();
    [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat()
}

#[test]
fn records_out_of_the_chain_are_refused() {
    let good = records(3);
    let order = |list: &[&Record]| {
        let mut liar = Liar::new(false);
        let bytes: Vec<u8> = list.iter().flat_map(|record| framed(record)).collect();
        let events = liar.tell(frame::DATA, &bytes);
        (liar.reader.records(), events.and(liar.reader.push(b"")))
    };
    assert_eq!(order(&[&good[0], &good[1], &good[2]]), (3, Ok(Vec::new())));
    assert_eq!(order(&[&good[1]]).1, Err(Fault::Chain(0)), "the first is missing");
    assert_eq!(order(&[&good[0], &good[2]]).1, Err(Fault::Chain(1)), "one is missing");
    assert_eq!(order(&[&good[0], &good[0]]).1, Err(Fault::Chain(1)), "one is there twice");
    let mut fault = good[0].clone();
    fault.status = 404;
    assert_eq!(order(&[&fault]).1, Err(Fault::Chain(0)), "another status");
    let mut fault = good[0].clone();
    fault.path.push('x');
    assert_eq!(order(&[&fault]).1, Err(Fault::Chain(0)), "another path");
    let mut fault = good[0].clone();
    fault.sha256[0] ^= 1;
    assert_eq!(order(&[&fault]).1, Err(Fault::Chain(0)), "another digest");
    // The digest is in the chain, not the body: whoever uses a page looks whether it is whole.
    let mut fault = good[0].clone();
    fault.body.push(b'x');
    assert_eq!(order(&[&fault]).0, 1);
    assert!(!fault.is_whole());
}

#[test]
fn a_bomb_is_put_out_long_before_it_fills_memory() {
    // 2 MiB are granted: 128 MiB unpacked, and 2 MiB as they are.
    let mut liar = Liar::new(true);
    let record = MAX_RECORD_BYTES as u32;
    let mut bomb = record.to_le_bytes().to_vec();
    bomb.resize(bomb.len() + MAX_RECORD_BYTES, 0);
    let packed = zip::pack(&bomb).unwrap();
    assert!(packed.len() < 10_000);
    assert!(liar.tell(frame::DATA, &packed).is_err(), "zeros are no record");
    let mut liar = Liar::new(true);
    let packed = zip::pack(&(record + 1).to_le_bytes()).unwrap();
    assert_eq!(liar.tell(frame::DATA, &packed), Err(Fault::TooLarge("record")));
    let mut liar = Liar::new(false);
    let mut last = Ok(Vec::new());
    let mut chain = Chain::new(MAC_KEY);
    for seq in 0..40 {
        let mut record = records(1).remove(0);
        (record.seq, record.body) = (seq, vec![0; 60_000]);
        record.tag = chain.next(&record);
        last = liar.tell(frame::DATA, &framed(&record));
        if last.is_err() {
            break;
        }
    }
    assert_eq!(last, Err(Fault::Bomb(2 << 20)), "more than granted, unpacked");
}

#[test]
fn packed_records_may_be_at_most_64_times_the_grant() {
    let mut liar = Liar::new(true);
    let mut chain = Chain::new(MAC_KEY);
    let mut packer = zip::Packer::new().unwrap();
    let mut last = Ok(Vec::new());
    for seq in 0..20 {
        let mut record = records(1).remove(0);
        (record.seq, record.body) = (seq, vec![0; 10 << 20]);
        record.tag = chain.next(&record);
        let mut packed = Vec::new();
        packer.push(&framed(&record), &mut packed).unwrap();
        packer.flush(&mut packed).unwrap();
        last = liar.tell(frame::DATA, &packed);
        if last.is_err() {
            break;
        }
    }
    assert_eq!(last, Err(Fault::Bomb(128 << 20)));
    assert_eq!(liar.reader.records(), 12);
}

#[test]
fn a_window_larger_than_8_mib_is_refused() {
    use zstd::stream::raw::{CParameter, Encoder, InBuffer, Operation, OutBuffer};
    for (log, good) in [(23, true), (24, false)] {
        let mut encoder = Encoder::new(1).unwrap();
        encoder.set_parameter(CParameter::WindowLog(log)).unwrap();
        let mut packed = vec![0; 1000];
        let mut out = OutBuffer::around(&mut packed[..]);
        encoder.run(&mut InBuffer::around(&[1, 2, 3]), &mut out).unwrap();
        encoder.finish(&mut out, true).unwrap();
        let length = out.pos();
        assert_eq!(zip::unpack(&packed[..length], 100).is_ok(), good, "{log}");
    }
}

#[test]
fn lists_of_an_upload_that_unpack_to_too_much_are_refused() {
    let packed = zip::pack(&vec![0; 17 << 20]).unwrap();
    assert_eq!(zip::unpack(&packed, 16 << 20), Err(Fault::Bomb(16 << 20)));
    let twice = [&packed[..], &packed].concat();
    assert_eq!(zip::unpack(&twice, 64 << 20), Err(Fault::Packed("after its end")));
    assert_eq!(zip::unpack(&packed[..100], 64 << 20), Err(Fault::Packed("cut off")));
    assert_eq!(zip::unpack(b"", 10), Err(Fault::Packed("cut off")));
}

#[test]
fn words_state_and_signs_of_life_have_an_end() {
    let mut liar = Liar::new(true);
    liar.tell(frame::LOG, &vec![b'a'; MAX_LOG_BYTES]).unwrap();
    assert_eq!(liar.tell(frame::LOG, b"a"), Err(Fault::TooLarge("log")));
    let mut liar = Liar::new(true);
    let slice = vec![0; 60_000];
    let mut last = Ok(Vec::new());
    for _ in 0..=MAX_STATE_BYTES / 60_000 {
        last = liar.tell(frame::STATE, &slice);
    }
    assert_eq!(last, Err(Fault::TooLarge("state")));
    let mut liar = Liar::new(true);
    let (_, mut writer, _) = result(true);
    let sign = [0xa3, 1, 0, 2, 0, 3, 0];
    let mut count = 0;
    let fault = loop {
        match liar.tell(frame::PROGRESS, &sign) {
            Ok(events) => count += events.len() as u64,
            Err(fault) => break fault,
        }
    };
    assert_eq!((fault, count), (Fault::TooLarge("signs of life"), crate::engine::MAX_SIGNS));
    let long = "é".repeat(MAX_LOG_BYTES);
    assert!(!writer.log(&long).unwrap().is_empty());
    assert!(writer.log("more").unwrap().is_empty(), "the host cuts what the engine would refuse");
}

#[test]
fn frames_at_the_wrong_place_are_refused() {
    let order = Err(Fault::Order("frame"));
    assert_eq!(Liar::new(true).tell(frame::STARTED, b"\xa0"), order);
    assert_eq!(Liar::new(true).tell(frame::MANIFEST, b"\xa0"), order);
    assert_eq!(Liar::new(true).tell(0x77, b""), order);
    let mut liar = Liar::new(true);
    liar.tell(frame::STATE, b"\x01state").unwrap();
    assert_eq!(liar.tell(frame::STATE, b"\x01"), Err(Fault::Order("a second state")));
    assert_eq!(Liar::new(true).tell(frame::STATE, b""), Err(Fault::Malformed("state")));
    assert_eq!(Liar::new(true).tell(frame::STATE, b"\0"), Err(Fault::Malformed("state")));
}

#[test]
fn more_records_than_pages_were_granted_are_refused() {
    let (hello, sent) = world().hello();
    let mut few = terms();
    few.limits.pages = 2;
    let (grant, session) = world().read(&hello).unwrap().grant(few, [5; 32]).unwrap();
    let (_, mut reader) = sent.read_grant(&grant).unwrap().upload(cargo(true)).unwrap();
    let (mut writer, mut bytes) = ResultWriter::new(&session, true).unwrap();
    bytes.extend(writer.started(&limits(), None).unwrap());
    for record in records(3) {
        bytes.extend(writer.record(&record.encode()).unwrap());
    }
    bytes.extend(writer.end(Reason::Done, 0, 0).unwrap());
    reader.push(&bytes).unwrap();
    assert_eq!(reader.records(), 2);
    assert_eq!(reader.finish(), Err(Fault::TooLarge("number of records")));
}

#[test]
fn a_module_larger_than_granted_is_neither_sent_nor_read() {
    let (granted, _) = world().session();
    let module = vec![0; 1024 * 1024 + 1];
    let fault = granted.upload(Cargo { module: &module, ..cargo(true) }).unwrap_err();
    assert_eq!(fault, Fault::TooLarge("module"));
    let (_, session) = world().session();
    let mut reader = UploadReader::new(&session);
    let most = crate::host::max_upload_bytes(&limits());
    assert_eq!(reader.push(&vec![0; most + 1]), Err(Fault::TooLarge("UPLOAD")));
}

#[test]
fn the_host_sends_no_record_that_the_engine_would_refuse() {
    let (_, mut writer, _) = result(true);
    let good = records(2);
    assert!(writer.record(b"\xa0").is_err());
    assert_eq!(writer.record(&good[1].encode()), Err(Fault::Chain(0)));
    let mut odd = good[0].clone();
    odd.headers.push(("x".to_owned(), "a\r\nb: c".to_owned()));
    assert_eq!(writer.record(&odd.encode()), Err(Fault::Malformed("header")));
    writer.record(&good[0].encode()).unwrap();
    assert_eq!((writer.records(), writer.bytes()), (1, framed(&good[0]).len() as u64));
}

#[test]
fn a_job_without_records_ends_well() {
    for compressed in [false, true] {
        let (mut reader, mut writer, mut bytes) = result(compressed);
        bytes.extend(writer.started(&limits(), None).unwrap());
        bytes.extend(writer.flush().unwrap());
        bytes.extend(writer.end(Reason::Pages, 0, 0).unwrap());
        reader.push(&bytes).unwrap();
        let end = reader.finish().unwrap();
        assert_eq!((end.reason, end.pages, end.chain_head), (Reason::Pages, 0, [0; 8]));
    }
}

#[test]
fn the_scope_of_a_job_is_never_wider_than_granted() {
    let scoped = |granted: &[&str], wished: &[&str]| {
        let (hello, sent) = world().hello();
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let terms = Terms { scope: own(granted), ..terms() };
        let (grant, session) = world().read(&hello).unwrap().grant(terms, [5; 32]).unwrap();
        let scope = own(wished);
        let cargo = Cargo { scope: &scope, ..cargo(true) };
        let (bytes, _) = sent.read_grant(&grant).unwrap().upload(cargo).unwrap();
        let mut reader = UploadReader::new(&session);
        reader.push(&bytes).unwrap();
        reader.finish().map(|upload| upload.scope().to_vec())
    };
    assert_eq!(scoped(&["/docs/"], &[]).unwrap(), ["/docs/"]);
    assert_eq!(scoped(&["/docs/"], &["/docs/a/", "/secret/"]).unwrap(), ["/docs/a/"]);
    assert_eq!(scoped(&["/docs/"], &["/"]).unwrap(), ["/docs/"]);
    assert!(scoped(&["/docs/"], &["/secret/"]).is_err());
}
