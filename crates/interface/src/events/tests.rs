use super::*;
use lycosa_model::{
    AclMessage, Attempt, Deed, Event, Happening, Protocol, TeamAgent, TeamContent, Tick, UrlId,
};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

fn page(n: u64, url: &str, via: Option<&str>, agent: &str) -> Event {
    let attempt = Attempt {
        url: url.into(),
        agent: agent.into(),
        via: via.map(str::to_owned),
        outcome: "fetched".into(),
        relevance: Some(0.5),
        ..Attempt::default()
    };
    let what = Happening::Page { n, title: format!("Page {n}"), attempt: Box::new(attempt) };
    Event { t: n as f64, what }
}

fn deed(t: f64, agent: &str, deed: Deed) -> Event {
    let what = Happening::Agent { at: Tick(0), agent: agent.into(), address: None, deed };
    Event { t, what }
}

fn write(data: &Path, events: &[Event]) -> Log {
    let folder = data.join(FOLDER);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut file =
        OpenOptions::new().create(true).append(true).open(folder.join("3.jsonl")).expect("a file");
    for event in events {
        writeln!(file, "{}", serde_json::to_string(event).expect("written")).expect("room");
    }
    Log::of_run(data, 3)
}

#[test]
fn a_reader_that_was_cut_off_goes_on_without_gap_or_repeat() {
    let dir = tempfile::tempdir().expect("a folder");
    let events: Vec<Event> =
        (1..=50).map(|n| page(n, &format!("http://a/{n}"), None, "x")).collect();
    let log = write(dir.path(), &events);
    for step in [1, 100, 333, 1_000, 1 << 20] {
        let (mut after, mut text) = (0, String::new());
        loop {
            let chunk = log.read(after, step).expect("read");
            if chunk.text.is_empty() {
                break;
            }
            assert!(chunk.text.ends_with('\n'), "whole lines only");
            text += &chunk.text;
            after = chunk.end;
        }
        let read: Vec<Event> =
            text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        assert_eq!(read, events, "{step} bytes at a time");
        assert_eq!(after, log.len());
    }
    // A place within a line is what a broken client sends.
    let within = log.read(10, 1 << 20).expect("read");
    assert_eq!(within.text.lines().count(), 49);
    assert_eq!(log.read(1 << 40, 100).expect("read").text, "");
}

#[test]
fn a_torn_line_is_nobodys_event_until_it_is_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = write(dir.path(), &[page(1, "http://a/1", None, "x")]);
    let whole = log.len();
    let path = dir.path().join(FOLDER).join("3.jsonl");
    let mut file = OpenOptions::new().append(true).open(path).expect("a file");
    write!(file, "{{\"t\":2.0,\"event\":\"sta").expect("room");
    assert_eq!(log.read(0, 1 << 20).expect("read").end, whole);
    let mut picture = Picture::default();
    picture.advance(&log).expect("read");
    assert_eq!((picture.end, picture.attempts), (whole, 1));
    writeln!(file, "te\",\"state\":\"paused\"}}").expect("room");
    picture.advance(&log).expect("read");
    assert_eq!(picture.state, Some(lycosa_model::Phase::Paused));
    assert_eq!(picture.end, log.len());
}

#[test]
fn a_picture_knows_families_histories_and_ways() {
    let dir = tempfile::tempdir().expect("a folder");
    let born = |parent: Option<&str>| Deed::Born {
        parent: parent.map(str::to_owned),
        energy: 1.0,
        keywords: vec!["whale".into()],
    };
    let log = write(
        dir.path(),
        &[
            deed(0.0, "Ana", born(None)),
            page(1, "http://a/1", None, "Ana"),
            deed(1.0, "Ana", Deed::Visited { url: UrlId::of("x"), relevance: 0.5, energy: 1.5 }),
            deed(2.0, "Bea", born(Some("Ana"))),
            page(2, "http://a/2", Some("http://a/1"), "Bea"),
            page(3, "http://a/3", Some("http://a/2"), "Ana"),
            deed(3.0, "Ana", Deed::Died { energy: -0.1 }),
        ],
    );
    let mut picture = Picture::default();
    picture.advance(&log).expect("read");
    assert_eq!((picture.births, picture.deaths, picture.came), (2, 1, 3));
    let bea = picture.agent("Bea").expect("known");
    assert_eq!((bea.parent.as_deref(), bea.born, bea.died), (Some("Ana"), 2.0, None));
    assert_eq!(picture.agent("Ana").and_then(|ana| ana.died), Some(3.0));
    let history = picture.history("Ana", 10);
    assert_eq!(history.iter().map(|page| page.t).collect::<Vec<_>>(), [3.0, 1.0]);
    let path = picture.path("http://a/3").expect("known");
    assert_eq!(
        path.iter().map(|page| page.url.as_str()).collect::<Vec<_>>(),
        ["http://a/1", "http://a/2", "http://a/3"]
    );
    assert!(picture.path("http://a/4").is_none());
    assert_eq!(Log::latest(dir.path()), Some(log));
}

#[test]
fn a_run_that_is_taken_up_again_has_other_agents_under_the_same_names() {
    let dir = tempfile::tempdir().expect("a folder");
    let born = || Deed::Born { parent: None, energy: 1.0, keywords: Vec::new() };
    let begun = |t| Event {
        t,
        what: Happening::Begun { run: 3, at: Tick(0), strategy: "infospiders".into() },
    };
    let log = write(
        dir.path(),
        &[
            begun(0.0),
            deed(0.0, "Ana", born()),
            page(1, "http://a/1", None, "Ana"),
            begun(5.0),
            deed(5.0, "Ana", born()),
            page(6, "http://a/2", None, "Ana"),
        ],
    );
    let mut picture = Picture::default();
    picture.advance(&log).expect("read");
    let lives: Vec<_> = picture.agents().iter().map(|life| (life.born, life.died)).collect();
    assert_eq!(lives, [(0.0, Some(5.0)), (5.0, None)]);
    assert_eq!(picture.history("Ana", 10).len(), 1, "what the other one read is not hers");
}

#[test]
fn members_of_a_team_have_pages_and_an_ability_although_they_tell_of_no_visits() {
    let dir = tempfile::tempdir().expect("a folder");
    let (sender, receiver) = (TeamAgent::Assistant(1), TeamAgent::Facilitator);
    let content = TeamContent::Ability { ability: 0.25, waiting: 3 };
    let message = AclMessage {
        performative: content.performative(),
        sender,
        receiver,
        content,
        protocol: Protocol::FipaRequest,
        conversation_id: "round-1".into(),
        reply_with: 1,
        in_reply_to: None,
        reply_by: None,
    };
    let said = Deed::Said { arrives: Some(Tick(1)), message: Box::new(message) };
    let visited = Deed::Visited { url: UrlId::of("x"), relevance: 0.25, energy: 1.5 };
    let log = write(
        dir.path(),
        &[
            page(1, "http://a/1", None, "crawler-1"),
            page(2, "http://a/2", None, "crawler-1"),
            deed(2.0, "assistant-1", said),
            // A spider tells of the page that it was seen on before: it is one page.
            page(3, "http://a/3", None, "Ana"),
            deed(3.0, "Ana", visited),
        ],
    );
    let mut picture = Picture::default();
    picture.advance(&log).expect("read");
    let of = |name: &str| picture.agent(name).map(|life| (life.pages, life.relevance, life.energy));
    assert_eq!(of("crawler-1"), Some((2, 1.0, None)));
    assert_eq!(of("assistant-1"), Some((0, 0.0, Some(0.25))));
    assert_eq!(of("Ana"), Some((1, 0.25, Some(1.5))));
}
