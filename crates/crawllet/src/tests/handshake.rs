//! Do the two sides know each other after two messages, and nobody else?

use super::*;
use crate::noise;
use crate::wire::{Opener, Sealer};
use crate::{Fault, Refusal, cbor};
use data_encoding::HEXLOWER;

#[test]
fn a_grant_tells_the_engine_what_the_site_allows() {
    let world = world();
    let (hello, sent) = world.hello();
    let read = world.read(&hello).unwrap();
    assert_eq!(read.engine, "engine.test");
    assert_eq!(read.ed25519, world.engine.ed25519());
    assert_eq!(read.x25519, world.engine.x25519());
    assert_eq!((read.time_ms, read.job, read.resume, read.abi), (NOW, [7; 16], false, 1));
    assert_eq!(read.purpose, ["search"]);
    assert!(read.is_timely());
    let (grant, session) = read.grant(terms(), [5; 32]).unwrap();
    let granted = sent.read_grant(&grant).unwrap();
    assert_eq!(granted.session_id, session.terms.session_id);
    assert_eq!(granted.limits, Limits { pages: 1000, ..limits() });
    assert_eq!(granted.deny, ["/admin/"]);
    assert_eq!(granted.robots_sha256, Some([4; 32]));
    assert_eq!(granted.crawl_delay.as_millis(), 250);
    assert_eq!(granted.valid_until_ms, NOW + 50 + 120_000);
    assert!(!session.is_expired(NOW + 50 + 120_000));
    assert!(session.is_expired(NOW + 50 + 120_001));
}

#[test]
fn a_refusal_is_read_as_one() {
    let world = world();
    for code in [Refusal::Busy, Refusal::Clock, Refusal::Other(77)] {
        let (hello, sent) = world.hello();
        let no = world.read(&hello).unwrap().refuse(code, 60, [5; 32]).unwrap();
        let fault = sent.read_grant(&no).unwrap_err();
        assert_eq!(fault, Fault::Refused { code, retry_after_s: 60 });
    }
}

#[test]
fn no_byte_of_hello_can_be_changed_or_left_out() {
    let world = world();
    let (hello, _) = world.hello();
    for at in 0..hello.len() {
        let mut other = hello.clone();
        other[at] ^= 1 << (at % 8);
        assert!(world.read(&other).is_err(), "byte {at}");
        assert!(world.read(&hello[..at]).is_err(), "cut at {at}");
    }
    assert!(world.read(&[&hello[..], b"x"].concat()).is_err());
}

#[test]
fn no_byte_of_grant_can_be_changed_or_left_out() {
    let world = world();
    let (hello, _) = world.hello();
    let (grant, _) = world.read(&hello).unwrap().grant(terms(), [5; 32]).unwrap();
    let read = |bytes: &[u8]| world.hello().1.read_grant(bytes);
    assert!(read(&grant).is_ok());
    for at in 0..grant.len() {
        let mut other = grant.clone();
        other[at] ^= 1 << (at % 8);
        assert!(read(&other).is_err(), "byte {at}");
        assert!(read(&grant[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn a_hello_for_another_authority_descriptor_or_key_is_not_opened() {
    let world = world();
    let (hello, _) = world.hello();
    let site = std::slice::from_ref(&world.site);
    let fault = |secrets: &[SiteSecret], authority: &str, bytes: &[u8], now: u64| {
        read_hello(&hello, secrets, authority, bytes, now).unwrap_err()
    };
    assert_eq!(fault(site, "example.net", &world.bytes, NOW), Fault::Handshake);
    let mut other = world.descriptor.clone();
    other.limits.pages += 1;
    assert_eq!(fault(site, AUTHORITY, other.to_json().as_bytes(), NOW), Fault::Handshake);
    let stranger = [SiteSecret::generate([99; 32]).unwrap()];
    assert_eq!(fault(&stranger, AUTHORITY, &world.bytes, NOW), Fault::UnknownKey);
    assert_eq!(fault(&[], AUTHORITY, &world.bytes, NOW), Fault::UnknownKey);
    let later = NOW + 2_000_000;
    assert_eq!(fault(site, AUTHORITY, &world.bytes, later), Fault::KeyExpired);
}

#[test]
fn a_hello_from_another_time_is_read_and_known_as_such() {
    let world = world();
    let (hello, _) = world.hello();
    let site = std::slice::from_ref(&world.site);
    for (now, timely) in [(NOW + 120_000, true), (NOW + 120_001, false), (NOW - 120_001, false)] {
        let read = read_hello(&hello, site, AUTHORITY, &world.bytes, now).unwrap();
        assert_eq!(read.is_timely(), timely, "{now}");
    }
}

#[test]
fn a_hello_that_is_too_large_is_refused_before_any_cryptography() {
    let mut hello = world().hello().0;
    hello.resize(wire_max() + 1, 0);
    assert_eq!(world().read(&hello).unwrap_err(), Fault::TooLarge("HELLO"));
}

fn wire_max() -> usize {
    crate::wire::MAX_HELLO_BYTES
}

#[test]
fn a_wish_that_does_not_fit_is_not_sent() {
    let world = world();
    let wanted = Wanted { purpose: vec!["x".repeat(3000)], ..wanted() };
    let (keys, descriptor, bytes) = (&world.engine, &world.descriptor, &world.bytes);
    let fault = Hello::new(keys, descriptor, bytes, AUTHORITY, wanted, NOW, [3; 32]).unwrap_err();
    assert_eq!(fault, Fault::TooLarge("HELLO"));
}

/// A HELLO with any payload, from whoever has the engine's handshake key.
fn forged(world: &World, payload: &[u8]) -> Vec<u8> {
    let prologue = noise::prologue(AUTHORITY, &world.bytes);
    let key = world.site.x25519();
    let mut shake = noise::shake(world.engine.x25519_private(), Some(&key), &prologue).unwrap();
    let message = shake.write(payload, [6; 32]).unwrap();
    [b"CLP1\x01\0", &world.site.id()[..], &message].concat()
}

/// The payload of a HELLO that names the key of `who`, and is signed as `bound` says.
fn payload(who: &EngineKeys, bound: &crate::identity::Bound<'_>) -> Vec<u8> {
    let mut to = cbor::Writer::new();
    let thumbprint = crate::identity::thumbprint_bytes(&who.ed25519());
    to.map(11).uint(1).text(who.domain()).uint(2).bytes(&thumbprint);
    to.uint(3).bytes(&who.bind(bound)).uint(4).uint(NOW).uint(5).bytes(&[1; 16]).uint(6);
    limits().write(&mut to);
    to.uint(7).texts(&["search"]).uint(8).uint(1).uint(9).bytes(&[7; 16]).uint(10).bool(false);
    to.uint(11).bytes(&who.ed25519());
    to.finish()
}

#[test]
fn a_signature_binds_the_handshake_key_the_site_the_authority_and_the_time() {
    let world = world();
    let (engine, site) = (world.engine.x25519(), world.site.x25519());
    let bound = || crate::identity::Bound {
        engine: &engine,
        site: &site,
        authority: AUTHORITY,
        time_ms: NOW,
        nonce: &[1; 16],
    };
    let read = |bound| world.read(&forged(&world, &payload(&world.engine, &bound)));
    assert!(read(bound()).is_ok());
    let others = [
        crate::identity::Bound { engine: &site, ..bound() },
        crate::identity::Bound { site: &engine, ..bound() },
        crate::identity::Bound { authority: "example.net", ..bound() },
        crate::identity::Bound { time_ms: NOW + 1, ..bound() },
        crate::identity::Bound { nonce: &[2; 16], ..bound() },
    ];
    for other in others {
        assert_eq!(read(other).unwrap_err(), Fault::Signature);
    }
    // Another's name and key do not come with another's signature.
    let stranger = EngineKeys::generate("stranger.test", [77; 32]).unwrap();
    let mut bytes = payload(&stranger, &bound());
    let text = |key: [u8; 32]| bytes.windows(32).rposition(|window| window == key);
    let at = text(stranger.ed25519()).unwrap();
    bytes[at..at + 32].copy_from_slice(&world.engine.ed25519());
    assert_eq!(world.read(&forged(&world, &bytes)).unwrap_err(), Fault::UnknownKey);
}

/// Two sides after their handshake, and their keys.
fn shaken() -> (noise::Shake, noise::Shake) {
    let (one, two) = ([11; 32], [12; 32]);
    let public = noise::public(&two).unwrap();
    let mut initiator = noise::shake(&one, Some(&public), b"p").unwrap();
    let mut responder = noise::shake(&two, None, b"p").unwrap();
    let hello = initiator.write(b"hello", [13; 32]).unwrap();
    assert_eq!(responder.read(&hello).unwrap(), b"hello");
    let grant = responder.write(b"grant", [14; 32]).unwrap();
    assert_eq!(initiator.read(&grant).unwrap(), b"grant");
    (initiator, responder)
}

#[test]
fn frames_are_the_transport_messages_of_noise() {
    let (mut initiator, mut responder) = shaken();
    let (i2r, r2i) = initiator.keys().unwrap();
    assert_eq!(responder.keys().unwrap(), (i2r, r2i));
    let mut theirs = [
        initiator.state.into_transport_mode().unwrap(),
        responder.state.into_transport_mode().unwrap(),
    ];
    for (from, to, key) in [(0, 1, i2r), (1, 0, r2i)] {
        let (mut sealer, mut opener) = (Sealer::new(&key), Opener::new(&key));
        for n in 0..5_u8 {
            let body = vec![n; 100 * usize::from(n)];
            let plain = [&[n][..], &body].concat();
            let mut ours = Vec::new();
            sealer.seal(&mut ours, n, &body).unwrap();
            let mut buffer = vec![0; 1000];
            let length = theirs[to].read_message(&ours[4..], &mut buffer).unwrap();
            assert_eq!(buffer[..length], plain, "snow opens what we seal");
            // The same counter and key again, by the other library.
            let mut again = vec![0; 1000];
            let length = theirs[from].write_message(&plain, &mut again).unwrap();
            assert_eq!(again[..length], ours[4..], "both seal the same bytes");
            opener.push(&(length as u32).to_le_bytes());
            opener.push(&again[..length]);
            assert_eq!(opener.open().unwrap(), Some((n, body)), "we open what snow seals");
        }
    }
}

/// The test vectors that snow ships, where its source is on this machine.
fn vectors(file: &str) -> Option<serde_json::Value> {
    let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    let paths = registries
        .flatten()
        .map(|folder| folder.path().join("snow-0.10.0/tests/vectors").join(file));
    let text = paths.filter_map(|path| std::fs::read(path).ok()).next()?;
    serde_json::from_slice(&text).ok()
}

fn key(vector: &serde_json::Value, name: &str) -> [u8; 32] {
    bytes(vector, name).try_into().unwrap()
}

fn bytes(vector: &serde_json::Value, name: &str) -> Vec<u8> {
    HEXLOWER.decode(vector[name].as_str().unwrap().as_bytes()).unwrap()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that cannot run here says so")]
fn published_vectors_of_the_handshake_hold() {
    for file in ["cacophony.txt", "snow.txt"] {
        let Some(all) = vectors(file) else {
            eprintln!("skipped: no source of snow with {file} in cargo's registry");
            return;
        };
        let ours = |vector: &&serde_json::Value| vector["protocol_name"] == noise::PATTERN;
        let vector = all["vectors"].as_array().unwrap().iter().find(ours).unwrap();
        let remote = key(vector, "init_remote_static");
        let (prologue, other) = (bytes(vector, "init_prologue"), bytes(vector, "resp_prologue"));
        let mut initiator =
            noise::shake(&key(vector, "init_static"), Some(&remote), &prologue).unwrap();
        let mut responder = noise::shake(&key(vector, "resp_static"), None, &other).unwrap();
        let messages = vector["messages"].as_array().unwrap();
        let (shaking, rest) = messages.split_at(2);
        let first = initiator.write(&bytes(&shaking[0], "payload"), key(vector, "init_ephemeral"));
        assert_eq!(first.unwrap(), bytes(&shaking[0], "ciphertext"));
        responder.read(&bytes(&shaking[0], "ciphertext")).unwrap();
        let second = responder.write(&bytes(&shaking[1], "payload"), key(vector, "resp_ephemeral"));
        assert_eq!(second.unwrap(), bytes(&shaking[1], "ciphertext"));
        initiator.read(&bytes(&shaking[1], "ciphertext")).unwrap();
        let (i2r, r2i) = initiator.keys().unwrap();
        let mut sealers = [Sealer::new(&i2r), Sealer::new(&r2i)];
        assert!(!rest.is_empty());
        for (n, message) in rest.iter().enumerate() {
            let plain = bytes(message, "payload");
            let mut frame = Vec::new();
            sealers[n % 2].seal(&mut frame, plain[0], &plain[1..]).unwrap();
            assert_eq!(frame[4..], bytes(message, "ciphertext"), "{file}, message {n}");
        }
    }
}
