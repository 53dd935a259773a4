//! Is a descriptor read strictly, and does trust pass from key to key?

use super::*;
use crate::Fault;
use crate::descriptor::MAX_DESCRIPTOR_BYTES;

#[test]
fn a_descriptor_survives_its_json() {
    let world = world();
    assert_eq!(Descriptor::parse(&world.bytes).unwrap(), world.descriptor);
    assert!(world.bytes.len() < MAX_DESCRIPTOR_BYTES);
    let text = String::from_utf8(world.bytes).unwrap();
    assert!(text.contains(r#""admit":"allowlist""#), "{text}");
}

#[test]
fn a_descriptor_with_anything_odd_is_refused() {
    let good = world().descriptor.to_json();
    let odd = [
        good.replace(r#""clp":1"#, r#""clp":2"#),
        good.replace(r#""clp":1"#, r#""clp":1,"clp":1"#),
        good.replace(r#""clp":1"#, r#""clp":1,"more":1"#),
        good.replace(r#""clp":1,"#, ""),
        good.replace("/.well-known/crawllet/run", "https://evil.test/"),
        good.replace("/.well-known/crawllet/run", "//evil.test/"),
        good.replace("/.well-known/crawllet/run", "/run?x=1"),
        good.replace(r#""example.org""#, r#""Example.org""#),
        good.replace(r#""example.org""#, r#""a/b""#),
        good.replace(r#"["/"]"#, "[]"),
        good.replace(r#"["/"]"#, r#"["x"]"#),
        good.replace(r#"["/"]"#, &format!("[\"{}\"]", vec!["/"; 40].join("\",\""))),
        good.replace(r#""abi":[1]"#, r#""abi":[]"#),
        good.replace(r#""nbf":17"#, r#""nbf":97"#),
        good.replace("allowlist", "everybody"),
        good.replace("mailto:", r"\n"),
        format!("{good} x"),
        good[..good.len() - 1].to_owned(),
        format!("{good}{}", " ".repeat(MAX_DESCRIPTOR_BYTES)),
    ];
    for text in odd {
        assert_ne!(text, good);
        assert!(Descriptor::parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn the_id_of_a_key_belongs_to_the_key() {
    let world = world();
    let mut other = world.descriptor.clone();
    other.keys[0].id[0] ^= 1;
    assert!(Descriptor::parse(other.to_json().as_bytes()).is_err());
    let mut twice = world.descriptor;
    twice.keys.push(twice.keys[0].clone());
    assert!(Descriptor::parse(twice.to_json().as_bytes()).is_err());
}

#[test]
fn the_newest_key_that_is_valid_is_used() {
    let mut descriptor = world().descriptor;
    let second = SiteSecret::generate([21; 32]).unwrap();
    let now_s = NOW / 1000;
    descriptor.keys.push(SiteKey::of(&second, now_s, now_s + 5000));
    assert_eq!(descriptor.key_at(NOW).unwrap().id, second.id());
    assert_eq!(descriptor.key_at(NOW - 1000).unwrap().id, world().site.id());
    assert_eq!(descriptor.key_at(NOW + 4_999_999).unwrap().id, second.id());
    assert_eq!(descriptor.key_at(NOW + 5_000_000), None);
}

/// The descriptor after a rotation to a new key, signed by the old one or not.
fn rotated(signed: bool) -> Descriptor {
    let world = world();
    let mut next = world.descriptor;
    let second = SiteSecret::generate([21; 32]).unwrap();
    next.keys.push(SiteKey::of(&second, NOW / 1000, NOW / 1000 + 5000));
    if signed {
        next.sign(&world.site);
    }
    Descriptor::parse(next.to_json().as_bytes()).unwrap()
}

#[test]
fn a_new_key_is_trusted_when_an_earlier_one_signed_for_it() {
    let before = world().descriptor;
    assert_eq!(rotated(true).verify_rotation(&before, NOW), Ok(()));
    assert_eq!(rotated(false).verify_rotation(&before, NOW), Err(Fault::Signature));
    assert_eq!(before.verify_rotation(&before, NOW), Ok(()), "nothing new");
    // The old key may be gone from the new descriptor.
    let mut alone = rotated(false);
    alone.keys.remove(0);
    alone.sign(&world().site);
    assert_eq!(alone.verify_rotation(&before, NOW), Ok(()));
}

#[test]
fn a_rotation_that_was_changed_or_signed_by_a_stranger_or_too_late_is_refused() {
    let before = world().descriptor;
    let next = rotated(true);
    let mut other = next.clone();
    other.limits.pages += 1;
    assert_eq!(other.verify_rotation(&before, NOW), Err(Fault::Signature));
    let mut other = rotated(false);
    other.sign(&SiteSecret::generate([50; 32]).unwrap());
    assert_eq!(other.verify_rotation(&before, NOW), Err(Fault::UnknownKey));
    let late = NOW + 1_000_000;
    assert_eq!(next.verify_rotation(&before, late), Err(Fault::KeyExpired));
    let mut longer = before.clone();
    longer.keys[0].exp += 1;
    assert_eq!(longer.verify_rotation(&before, NOW), Err(Fault::Signature), "a longer life");
    let mut moved = before.clone();
    moved.authority = "example.net".to_owned();
    assert!(moved.verify_rotation(&before, NOW).is_err());
}
