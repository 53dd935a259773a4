use super::*;
use proptest::prelude::*;

fn every_kind() -> Vec<Message> {
    let numbers = Numbers { fuel: 1, memory: 2, wall_ms: 3, cpu_ms: 4, max_emit: 5 };
    let left = Left { pages: 1, out: 2, ms: 3 };
    vec![
        Message::Terms(numbers),
        Message::Module(b"module".to_vec()),
        Message::Init(vec![]),
        Message::Locked(Locks { landlock: true, seccomp: false }),
        Message::Compiled(b"code".to_vec()),
        Message::Ready(true),
        Message::Fetch(7, b"/a".to_vec()),
        Message::Emit(8, b"record".to_vec()),
        Message::Budget(9),
        Message::Log(b"line".to_vec()),
        Message::Finished(1, -1),
        Message::Failed(0, Failure::Memory, "too big".to_owned()),
        Message::Page(left, b"meta".to_vec(), b"body".to_vec()),
        Message::Status(left, -9),
        Message::Left(left),
    ]
}

#[test]
fn what_is_written_is_read() {
    let mut bytes = Vec::new();
    for message in every_kind() {
        message.write(&mut bytes).unwrap();
    }
    let mut from = bytes.as_slice();
    for message in every_kind() {
        assert_eq!(Message::read(&mut from).unwrap(), Some(message));
    }
    assert_eq!(Message::read(&mut from).unwrap(), None);
}

#[test]
fn a_length_beyond_the_limit_is_refused_unread() {
    let mut bytes = u32::MAX.to_le_bytes().to_vec();
    bytes.push(7);
    assert!(Message::read(&mut bytes.as_slice()).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut from = bytes.as_slice();
        while let Ok(Some(_)) = Message::read(&mut from) {}
    }
}
