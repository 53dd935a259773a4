use super::*;
use std::net::IpAddr;
use std::sync::Arc;
use std::thread;

fn state() -> (tempfile::TempDir, Arc<State>) {
    let dir = tempfile::tempdir().unwrap();
    let state = State::open(dir.path()).unwrap();
    (dir, Arc::new(state))
}

#[test]
fn a_session_is_claimed_by_exactly_one_of_many() {
    let (_dir, state) = state();
    assert!(state.keep_session("a1", b"keys").unwrap());
    let tries: Vec<_> = (0..50)
        .map(|_| {
            let state = state.clone();
            thread::spawn(move || state.claim("a1").unwrap())
        })
        .collect();
    let claims: Vec<Claim> = tries.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(claims.iter().filter(|c| **c == Claim::Ours(b"keys".to_vec())).count(), 1);
    assert_eq!(claims.iter().filter(|c| **c == Claim::Used).count(), 49);
    assert_eq!(state.claim("b2").unwrap(), Claim::Unknown);
    let left = fs::read(state.folder().join("used/a1")).unwrap();
    assert!(left.is_empty(), "keys of a used session are gone");
}

#[test]
fn no_more_sessions_wait_than_allowed_also_when_many_come_at_once() {
    let (_dir, state) = state();
    let tries: Vec<_> = (0..MAX_SESSIONS + 20)
        .map(|n| {
            let state = state.clone();
            thread::spawn(move || state.keep_session(&format!("{n:032x}"), b"k").unwrap())
        })
        .collect();
    let kept = tries.into_iter().filter(|_| true).map(|t| t.join().unwrap()).filter(|k| *k).count();
    assert_eq!(kept, MAX_SESSIONS);
    assert_eq!(fs::read_dir(state.folder().join("sessions")).unwrap().count(), MAX_SESSIONS);
}

#[test]
fn slots_are_few_and_come_back() {
    let (_dir, state) = state();
    let first = state.slot(2).unwrap();
    let second = state.slot(2).unwrap();
    assert!(first.is_some() && second.is_some() && state.slot(2).unwrap().is_none());
    drop(first);
    assert!(state.slot(2).unwrap().is_some());
}

#[test]
fn an_address_has_its_number_of_first_messages_in_a_minute() {
    let (_dir, state) = state();
    let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
    let pace = |who, now| state.pace(who, 3, now).unwrap();
    for _ in 0..3 {
        assert_eq!(pace(address("10.0.0.1"), 0), Pace::Fine);
        assert_eq!(pace(address("2001:db8::1"), 0), Pace::Fine);
    }
    assert_eq!(pace(address("10.0.0.1"), 59_999), Pace::TooMany);
    assert_eq!(pace(address("2001:db8::2"), 0), Pace::TooMany, "the same network");
    assert_eq!(pace(address("10.0.0.2"), 0), Pace::Fine);
    assert_eq!(pace(address("10.0.0.1"), 60_000), Pace::Fine);
}

#[test]
fn all_addresses_together_have_a_limit_and_the_table_does_not_grow() {
    let (_dir, state) = state();
    let mut fine = 0;
    for n in 0..3_000u32 {
        let address = IpAddr::from((n * 7919).to_be_bytes());
        fine += u32::from(state.pace(Some(address), 10, 0).unwrap() == Pace::Fine);
    }
    assert_eq!(fine, counters::MAX_HELLOS_PER_MINUTE);
    assert!(fs::metadata(state.folder().join("hellos")).unwrap().len() <= 129 * 128);
}

#[test]
fn a_first_message_counts_once_and_only_now() {
    let (_dir, state) = state();
    let now = 1_000_000_000;
    assert!(state.is_new(&[1; 16], now - 1_000, now).unwrap());
    assert!(!state.is_new(&[1; 16], now - 1_000, now).unwrap());
    assert!(state.is_new(&[2; 16], now, now).unwrap());
    assert!(!state.is_new(&[3; 16], now - 120_001, now).unwrap());
    assert!(!state.is_new(&[3; 16], now + 120_001, now).unwrap());
    let later = now + 300_000;
    assert!(state.is_new(&[4; 16], later, later).unwrap());
    assert_eq!(fs::metadata(state.folder().join("nonces")).unwrap().len(), 24);
}

#[test]
fn a_day_is_counted_and_ends() {
    let (_dir, state) = state();
    let day = 86_400_000;
    state.spend("a.example", 1, 100, 5 * day).unwrap();
    state.spend("a.example", 1, 50, 5 * day + 1).unwrap();
    let today = state.today(5 * day).unwrap();
    assert_eq!((today.jobs, today.cpu_ms, today.engines["a.example"]), (2, 150, 2));
    assert_eq!(state.today(6 * day).unwrap().jobs, 0);
}

#[test]
fn the_log_is_read_as_it_was_written_and_survives_a_torn_line() {
    let (_dir, state) = state();
    let entry = Entry { what: "job".to_owned(), pages: 3, ..Entry::default() };
    state.journal().write(&entry).unwrap();
    let mut file = OpenOptions::new().append(true).open(state.folder().join("log.jsonl")).unwrap();
    file.write_all(b"{\"what\":\"jo\n").unwrap();
    state.journal().write(&entry).unwrap();
    assert_eq!(state.journal().read().unwrap(), vec![entry.clone(), entry]);
}
