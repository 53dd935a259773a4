use super::*;
use crate::live::head::{HeadTape, headers_as_received};
use proptest::prelude::*;

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: x\r\nSET-cookie: a\r\nVia: 1\r\nset-Cookie: b\r\n\r\n";

fn parsed(lines: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

#[test]
fn order_and_spelling_are_those_of_the_tape() {
    let map = parsed(&[("server", "x"), ("set-cookie", "a"), ("set-cookie", "b"), ("via", "1")]);
    let headers = headers_as_received(&map, Some(HEAD));
    let names: Vec<&str> = headers.0.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(names, ["Server", "SET-cookie", "Via", "set-Cookie"]);
}

#[test]
fn a_tape_that_does_not_agree_is_not_believed() {
    let map = parsed(&[("server", "x"), ("age", "7")]);
    for head in [Some(HEAD), Some(&b"rubbish"[..]), None] {
        let headers = headers_as_received(&map, head);
        assert_eq!(lines(&headers), [("server", &b"x"[..]), ("age", b"7")]);
    }
}

#[test]
fn a_new_request_rewinds_the_tape() {
    let mut tape = HeadTape::new(1024);
    tape.on_write();
    tape.on_read(HEAD);
    assert_eq!(tape.head(), Some(HEAD));
    tape.on_read(b"body, not head");
    assert_eq!(tape.head(), Some(HEAD));
    tape.on_write();
    assert_eq!(tape.head(), None);
    tape.on_read(b"HTTP/1.1 404 No\nA: b\n\nbody");
    assert_eq!(tape.head(), Some(&b"HTTP/1.1 404 No\nA: b\n\n"[..]));
}

#[test]
fn a_head_over_the_limit_is_forgotten() {
    let mut tape = HeadTape::new(HEAD.len() - 1);
    tape.on_read(HEAD);
    assert_eq!(tape.head(), None);
    let mut tape = HeadTape::new(HEAD.len());
    tape.on_read(HEAD);
    assert_eq!(tape.head(), Some(HEAD));
}

proptest! {
    #[test]
    fn a_head_is_heard_however_it_is_cut(
        interim in 0usize..3,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let stream = [&b"HTTP/1.1 100 Continue\r\n\r\n".repeat(interim)[..], HEAD, b"body\n\n"].concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
        cuts.sort_unstable();
        cuts.push(stream.len());
        let mut tape = HeadTape::new(1024);
        tape.on_write();
        let mut from = 0;
        for to in cuts {
            tape.on_read(&stream[from..to]);
            from = to;
        }
        prop_assert_eq!(tape.head(), Some(HEAD));
    }

    #[test]
    fn any_bytes_may_be_heard(
        reads in prop::collection::vec(prop::collection::vec(
            prop::sample::select(b"\r\n: aH1/\0\xff".to_vec()), 0..20), 0..12),
        max in 0usize..64,
    ) {
        let mut tape = HeadTape::new(max);
        for bytes in &reads {
            tape.on_write();
            tape.on_read(bytes);
            prop_assert!(tape.head().is_none_or(|head| head.len() <= max));
            headers_as_received(&HeaderMap::new(), tape.head());
        }
    }
}
