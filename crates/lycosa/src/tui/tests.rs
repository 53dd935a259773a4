use super::facts::{About, Facts, Told};
use super::look::Look;
use super::state::{Action, Open, Pane, State};
use super::*;
use lycosa_model::message::{BrokerStatus, Budget, CrawlStatus};
use lycosa_model::{
    AclMessage, Attempt, Deed, Happening, Phase, Prey, Protocol, TeamAgent, TeamContent, Tick,
    UrlId,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;

fn event(t: f64, what: Happening) -> lycosa_model::Event {
    lycosa_model::Event { t, what }
}

fn deed(t: f64, agent: &str, deed: Deed) -> lycosa_model::Event {
    event(t, Happening::Agent { at: Tick(0), agent: agent.into(), address: None, deed })
}

fn born(t: f64, agent: &str, parent: Option<&str>) -> lycosa_model::Event {
    let keywords = vec!["whale".into()];
    deed(t, agent, Deed::Born { parent: parent.map(str::to_owned), energy: 1.0, keywords })
}

fn page(
    t: f64,
    url: &str,
    via: Option<&str>,
    agent: &str,
    outcome: &'static str,
) -> lycosa_model::Event {
    let attempt = Attempt {
        url: url.into(),
        agent: agent.into(),
        via: via.map(str::to_owned),
        outcome: outcome.into(),
        relevance: Some(0.5),
        ..Attempt::default()
    };
    let title = format!("Title of {url}");
    event(t, Happening::Page { n: 1, title, attempt: Box::new(attempt) })
}

fn said(
    t: f64,
    sender: TeamAgent,
    receiver: TeamAgent,
    content: TeamContent,
) -> lycosa_model::Event {
    let message = AclMessage {
        performative: content.performative(),
        sender,
        receiver,
        content,
        protocol: Protocol::FipaContractNet,
        conversation_id: "round-1".into(),
        reply_with: 1,
        in_reply_to: None,
        reply_by: None,
    };
    let arrives = Some(Tick(0));
    deed(t, &sender.to_string(), Deed::Said { arrives, message: Box::new(message) })
}

fn status(state: Phase) -> Told {
    let broker = BrokerStatus {
        state,
        pages: 7,
        queued: 42,
        strategy: "infospiders".into(),
        limited_by: "politeness: every site must rest".into(),
        ..BrokerStatus::default()
    };
    Told::Status(Some(Box::new(CrawlStatus::new(broker, 3, 9))))
}

fn prey(rank: usize, url: &str, title: &str, finder: &str) -> Prey {
    let relevance = 1.0 / rank as f32;
    Prey {
        rank,
        url: url.into(),
        title: title.into(),
        relevance,
        finder: finder.into(),
        ..Prey::default()
    }
}

/// A hunt in which Ana has had a child, Bea, and died.
fn hunt() -> Facts {
    let about =
        About { query: "blue whale".into(), pages: Some(20), own: true, ..About::default() };
    let mut facts = Facts::new(about);
    let begun = Happening::Begun { run: 3, at: Tick(0), strategy: "infospiders".into() };
    let events = [
        event(0.0, begun),
        event(0.0, Happening::State { state: Phase::Running }),
        born(0.0, "Ana", None),
        page(1.0, "http://a/1", None, "Ana", "fetched"),
        deed(1.0, "Ana", Deed::Visited { url: UrlId::of("x"), relevance: 0.5, energy: 1.5 }),
        born(2.0, "Bea", Some("Ana")),
        page(3.0, "http://a/2", Some("http://a/1"), "Bea", "fetched"),
        page(3.5, "http://a/gone", Some("http://a/1"), "Bea", "not_found"),
        deed(4.0, "Ana", Deed::Died { energy: -0.1 }),
    ];
    facts.take(Told::Events((1..).zip(events).collect()));
    facts.take(status(Phase::Running));
    facts.take(Told::Results(vec![
        prey(1, "http://a/2", "The blue whale", "Bea"),
        prey(2, "http://a/1", "Whales", "own index"),
    ]));
    facts
}

/// What a terminal of this size shows, line by line.
fn screen(facts: &Facts, state: &State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    let look = Look { colour: true };
    let paint = |frame: &mut ratatui::Frame| {
        draw::draw(frame.area(), frame.buffer_mut(), facts, state, look)
    };
    terminal.draw(paint).expect("drawn");
    terminal.backend().to_string()
}

#[track_caller]
fn shows(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

fn press(state: &mut State, facts: &Facts, keys: &[KeyCode]) -> Option<Action> {
    keys.iter().map(|key| state.press(KeyEvent::from(*key), facts)).last().flatten()
}

fn key(letter: char) -> KeyCode {
    KeyCode::Char(letter)
}

#[test]
fn a_hunt_is_seen_as_a_whole() {
    let text = screen(&hunt(), &State::default(), 120, 36);
    shows(&text, &["running", "blue whale", "infospiders", "7 of 20 pages", "42 waiting"]);
    shows(&text, &["limited by politeness: every site must rest"]);
    shows(&text, &["1 alive", "2 born", "1 dead"]);
    shows(&text, &["1.00", "Bea", "The blue whale", "own index", "Whales"]);
    shows(&text, &["† Ana", "1 p", "▾"]);
    shows(&text, &["run 3 with the strategy infospiders", "Bea is born of Ana", "Ana dies"]);
    shows(&text, &["not found: http://a/gone", "alive: 1", "relevance per page", "? help"]);
}

#[test]
fn every_size_can_be_drawn() {
    let facts = hunt();
    for pane in Pane::ALL {
        for open in [None, Some(Open::Agent(0)), Some(Open::Page("http://a/2".into()))] {
            for help in [false, true] {
                let state = State { pane, open: open.clone(), help, scroll: 9, ..State::default() };
                for (width, height) in [(1, 1), (2, 2), (20, 5), (29, 7), (80, 16), (500, 200)] {
                    screen(&facts, &state, width, height);
                    screen(&Facts::default(), &state, width, height);
                }
            }
        }
    }
    let tiny = screen(&facts, &State::default(), 20, 5);
    shows(&tiny, &["running 7 of 20", "▸ Results 2", "1.00   The blue whal", "? help"]);
}

#[test]
fn what_a_page_calls_itself_cannot_leave_its_row() {
    let mut facts = hunt();
    let hostile = "\u{1b}[2J\u{1b}]0;mine\u{7}evil\r\n\u{202e}drow\u{200d}\u{9b}5m";
    let wide = "東京タワー".repeat(60);
    let results = vec![
        prey(1, "http://a/\u{1b}[31m", hostile, "\u{1b}[1mBea"),
        prey(2, "http://b/", &wide, "Bea"),
        prey(3, "http://c/", &format!("x{}", "\u{301}".repeat(5_000)), "Bea"),
    ];
    facts.take(Told::Results(results));
    facts.take(Told::Printed("\u{1b}[33m WARN\u{1b}[0m beware \u{1b}[2J".into()));
    for size in [(120, 36), (20, 5), (33, 9)] {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a terminal");
        for open in [None, Some(Open::Page("http://a/\u{1b}[31m".into()))] {
            let state = State { open, ..State::default() };
            let look = Look { colour: true };
            let paint = |frame: &mut ratatui::Frame| {
                draw::draw(frame.area(), frame.buffer_mut(), &facts, &state, look);
            };
            terminal.draw(paint).expect("drawn");
            for cell in terminal.backend().buffer().content() {
                let symbol = cell.symbol();
                let bad = |c: char| {
                    c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
                };
                assert!(!symbol.contains(bad), "{symbol:?}");
                assert!(symbol.chars().count() < 8, "{symbol:?}");
            }
        }
    }
    let text = screen(&facts, &State::default(), 120, 36);
    shows(&text, &["evil", "WARN beware"]);
    let rows =
        text.lines().filter(|line| ["evil", "東京", "x\u{301}"].iter().any(|it| line.contains(it)));
    assert_eq!(
        rows.filter(|row| row.contains("││")).count(),
        3,
        "frames stay where they are: {text}"
    );
}

#[test]
fn keys_move_between_panes_and_open_what_is_chosen() {
    let facts = hunt();
    let mut state = State::default();
    press(&mut state, &facts, &[key('j'), KeyCode::Enter]);
    assert_eq!(state.open, Some(Open::Page("http://a/1".into())));
    shows(&screen(&facts, &state, 100, 30), &["http://a/1", "own index", "The way to it"]);
    press(&mut state, &facts, &[KeyCode::Esc, KeyCode::Tab, KeyCode::Enter]);
    assert_eq!((state.pane, &state.open), (Pane::Agents, &Some(Open::Agent(0))));
    let text = screen(&facts, &state, 100, 30);
    shows(&text, &["Ana", "died after 0:04", "whale", "below it", "Bea", "Title of http://a/1"]);
    press(&mut state, &facts, &[KeyCode::Esc, KeyCode::Left]);
    let text = screen(&facts, &state, 100, 30);
    shows(&text, &["▸ † Ana"]);
    assert!(!text.contains("  Bea 1 p"), "a folded family is not seen: {text}");
    press(&mut state, &facts, &[KeyCode::Right, KeyCode::Down, KeyCode::Enter]);
    assert_eq!(state.open, Some(Open::Agent(1)));
    press(&mut state, &facts, &[KeyCode::BackTab]);
    assert_eq!((state.pane, &state.open), (Pane::Results, &None));
    press(&mut state, &facts, &[key('?')]);
    shows(&screen(&facts, &state, 100, 30), &["Ctrl-C", "fold and unfold"]);
}

#[test]
fn a_chosen_page_stays_chosen_while_better_ones_come() {
    let mut facts = hunt();
    let mut state = State::default();
    press(&mut state, &facts, &[KeyCode::Down]);
    let mut results = facts.about.results.clone();
    results.insert(0, prey(1, "http://a/3", "Better", "Bea"));
    facts.take(Told::Results(results));
    let action = press(&mut state, &facts, &[key('g')]);
    let url = "http://a/1".to_owned();
    assert_eq!(action, Some(Action::Ask(InterfaceMessage::Verdict { url, good: true })));
}

#[test]
fn keys_steer_only_a_crawl_that_runs() {
    let mut facts = hunt();
    let mut state = State::default();
    let ask = |message| Some(Action::Ask(message));
    assert_eq!(press(&mut state, &facts, &[key('p')]), ask(InterfaceMessage::Pause));
    facts.take(status(Phase::Paused));
    assert_eq!(press(&mut state, &facts, &[key('p')]), ask(InterfaceMessage::GoOn));
    assert_eq!(press(&mut state, &facts, &[key('q')]), ask(InterfaceMessage::Stop));
    shows(&screen(&facts, &state, 80, 20), &["stopping: what is under way"]);
    facts.take(status(Phase::Stopping));
    assert_eq!(press(&mut state, &facts, &[key('s')]), None, "once is enough");
    shows(&screen(&facts, &state, 80, 20), &["Ctrl-C twice"]);
    let interrupt = KeyEvent::new(key('c'), KeyModifiers::CONTROL);
    assert_eq!(state.press(interrupt, &facts), Some(Action::Interrupt));

    // Another process's crawl is left alone, and one that has ended cannot be steered.
    let mut state = State::default();
    (facts.about.own, facts.status) = (false, None);
    assert_eq!(press(&mut state, &facts, &[key('p')]), None);
    shows(&screen(&facts, &state, 80, 20), &["no crawl is running here", "cut off"]);
    assert_eq!(press(&mut state, &facts, &[key('q')]), Some(Action::Leave));
    assert_eq!(state.press(interrupt, &facts), Some(Action::Leave));
}

#[test]
fn a_team_is_a_tree_and_its_talk_can_be_opened() {
    let (boss, helper) = (TeamAgent::Facilitator, TeamAgent::Assistant(1));
    let mut facts = Facts::default();
    let call = TeamContent::Call { ability: 0.25, waiting: 3, links: Vec::new() };
    let events = [
        page(0.0, "http://a/1", None, "crawler-1", "fetched"),
        said(1.0, helper, boss, call),
        said(2.0, boss, helper, TeamContent::NoContract),
    ];
    facts.take(Told::Events((1..).zip(events).collect()));
    let mut state = State { pane: Pane::Log, ..State::default() };
    let text = screen(&facts, &state, 120, 36);
    shows(&text, &["assistant-1 → facilitator: cfp: call: ability 0.250", "2 messages said"]);
    let agents = text.split("Agents 3").nth(1).expect("a pane");
    let place = |name: &str| agents.find(name).unwrap_or_else(|| panic!("{name} in {text}"));
    assert!(place("▾ facilitator 0 p") < place("▾ assistant-1 0 p 0.25"), "{text}");
    assert!(place("▾ assistant-1") < place("crawler-1 1 p"), "{text}");
    press(&mut state, &facts, &[KeyCode::Up, KeyCode::Enter]);
    shows(&screen(&facts, &state, 120, 36), &["round-1", "reject-proposal", "cfp"]);
}

#[test]
fn a_crawl_that_looks_for_nothing_shows_its_last_pages() {
    let mut facts = Facts::default();
    let mut events = Vec::new();
    for number in 0..300 {
        let mut page =
            page(f64::from(number), &format!("http://a/{number}"), None, "bot-1", "fetched");
        if let Happening::Page { attempt, .. } = &mut page.what {
            attempt.relevance = None;
        }
        events.push((u64::from(number as u32), page));
    }
    facts.take(Told::Events(events));
    let text = screen(&facts, &State::default(), 120, 36);
    shows(&text, &["Pages, the last first", "Title of http://a/299", "bot-1 300 p"]);
    assert!(!text.contains("relevance"), "{text}");
    assert_eq!(facts.found().len(), facts::MOST_RESULTS);
}

#[test]
fn limits_and_states_follow_the_events() {
    let mut facts = hunt();
    let budget = Budget { pages: Some(900), seconds: Some(60) };
    facts.take(Told::Events(vec![(9, event(5.0, Happening::Limit(budget)))]));
    let text = screen(&facts, &State::default(), 100, 30);
    shows(&text, &["of 900 pages", "new limits: 900 pages, 60 s"]);
    facts.take(Told::Status(None));
    assert_eq!(facts.state(), "ending");
    facts.about.own = false;
    let finished = Happening::State { state: Phase::Finished };
    facts.take(Told::Events(vec![(10, event(6.0, finished))]));
    assert_eq!(facts.state(), "finished");
    assert_eq!(Facts::new(About { own: true, ..About::default() }).state(), "starting");
}

#[test]
fn a_long_log_is_bounded_and_followed_until_somebody_looks_back() {
    let mut facts = Facts::default();
    for number in 0..5_000 {
        facts.take(Told::Printed(format!("line {number}.")));
    }
    assert_eq!(facts.journal.entries().len(), 2_000);
    let mut state = State { pane: Pane::Log, ..State::default() };
    shows(&screen(&facts, &state, 40, 10), &["line 4999."]);
    press(&mut state, &facts, &[KeyCode::Home]);
    shows(&screen(&facts, &state, 40, 10), &["line 3000.", "End to follow"]);
    press(&mut state, &facts, &[KeyCode::End]);
    shows(&screen(&facts, &state, 40, 10), &["line 4999."]);
    assert!(state.line.is_none(), "it is followed again");
}

#[test]
fn without_colour_nothing_is_coloured_and_the_chosen_row_is_still_seen() {
    let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a terminal");
    let (facts, look) = (hunt(), Look { colour: false });
    let paint = |frame: &mut ratatui::Frame| {
        draw::draw(frame.area(), frame.buffer_mut(), &facts, &State::default(), look);
    };
    terminal.draw(paint).expect("drawn");
    let cells = terminal.backend().buffer().content();
    assert!(cells.iter().all(|cell| cell.fg == ratatui::style::Color::Reset));
    assert!(cells.iter().any(|cell| cell.modifier.contains(Modifier::REVERSED)));
}
