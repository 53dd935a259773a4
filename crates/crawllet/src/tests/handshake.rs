//! Do the two sides know each other after two messages, and nobody else?

use super::*;
use crate::{Fault, Refusal};

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
    assert_eq!(granted.valid_until_ms, NOW + 120_000);
}

#[test]
fn a_refusal_is_read_as_one() {
    let world = world();
    let (hello, sent) = world.hello();
    let no = world.read(&hello).unwrap().refuse(Refusal::Busy, 60, [5; 32]).unwrap();
    let fault = sent.read_grant(&no).unwrap_err();
    assert_eq!(fault, Fault::Refused { code: Refusal::Busy, retry_after_s: 60 });
}
