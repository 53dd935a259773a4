//! What was found, who found it, and what a person can do about it.

use super::yard::{Yard, page, redirect, seconds};
use crate::Plan;
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::message::{BrokerMessage, BrokerReply, Budget, Refusal, Report};
use lycosa_model::{AgentView, BotId, Care, Lease, Phase, Prey, Term};

const SEED: &str = "http://a.test/";
const CATS: &str = "http://a.test/cats";
const CARS: &str = "http://a.test/cars";

/// A crawl that looks for jaguars.
fn yard() -> Yard {
    let mut yard = Yard::new();
    let topic = RelevanceModel::new(Bag::of_words(["jaguar"].into_iter()), Vec::new());
    yard.plan.settings.memory = Some(yard.dir.path().join("agents/memory"));
    yard.plan = Plan { strategy: "best-first".into(), relevance: topic, ..yard.plan.clone() };
    yard.restart(false);
    yard
}

/// A page about something.
fn about(lease: &Lease, title: &str, words: &str, links: &[&str]) -> Report {
    let terms = words.split(' ').map(|word| Term { word: word.into(), count: 1 }).collect();
    Report { title: title.into(), terms, ..page(lease, links) }
}

async fn read(yard: &mut Yard, bot: BotId, title: &str, words: &str, links: &[&str]) {
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, about(&lease, title, words, links)).await;
}

async fn results(yard: &mut Yard) -> Vec<Prey> {
    match yard.ask(BrokerMessage::Results { limit: 10 }).await {
        BrokerReply::Results(prey) => prey,
        other => panic!("no results but {other:?}"),
    }
}

async fn say(yard: &mut Yard, url: &str, good: bool) -> BrokerReply {
    yard.ask(BrokerMessage::Verdict { url: url.into(), good }).await
}

/// Three pages: one off the topic, a cat and a car.
async fn read_all(yard: &mut Yard) {
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot-1").await;
    read(yard, bot, "Soup", "tomato basil", &[CATS, CARS]).await;
    read(yard, bot, "Cats", "jaguar cat forest prey night water tail", &[]).await;
    read(yard, bot, "Cars", "jaguar car engine wheel", &[]).await;
}

fn titles(prey: &[Prey]) -> Vec<&str> {
    prey.iter().map(|prey| &*prey.title).collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_found_is_ranked_and_names_its_finder() {
    let mut yard = yard();
    read_all(&mut yard).await;
    let found = results(&mut yard).await;
    assert_eq!(titles(&found), ["Cars", "Cats"], "the shorter one is closer; soup is no jaguar");
    assert_eq!((found[0].rank, &*found[0].finder, &*found[0].url), (1, "bot-1", CARS));
    assert_eq!(found[0].via.as_deref(), Some(SEED));
    let kept = yard.view(CARS).await.find.expect("kept");
    assert_eq!((&*kept.title, &*kept.agent), ("Cars", "bot-1"));
}

#[tokio::test(start_paused = true)]
async fn a_verdict_changes_the_ranking_and_survives() {
    let mut yard = yard();
    read_all(&mut yard).await;
    assert!(matches!(say(&mut yard, CARS, false).await, BrokerReply::Done));
    assert!(matches!(say(&mut yard, CATS, true).await, BrokerReply::Done));
    let found = results(&mut yard).await;
    assert_eq!(titles(&found), ["Cats", "Cars"]);
    assert_eq!((found[0].verdict, found[1].verdict), (Some(true), Some(false)));
    yard.broker.ledger_mut().close().expect("a quiet end");
    yard.restart(true);
    assert_eq!(results(&mut yard).await, found);

    let unread = say(&mut yard, "http://a.test/unread", true).await;
    assert!(matches!(unread, BrokerReply::Refused(Refusal::NotRead)));
    let nonsense = say(&mut yard, "no address", true).await;
    assert!(matches!(nonsense, BrokerReply::Refused(Refusal::UnknownUrl)));
    // A new run looks for something of its own.
    yard.restart(false);
    assert_eq!(results(&mut yard).await, []);
    assert!(matches!(say(&mut yard, CARS, true).await, BrokerReply::Refused(Refusal::NotRead)));
}

#[tokio::test(start_paused = true)]
async fn the_engine_that_named_a_page_is_its_finder_also_behind_a_redirect_and_a_restart() {
    let mut yard = yard();
    let seeds = vec![(SEED.into(), "library".into()), (CARS.into(), "garage".into())];
    let reply = yard.ask(BrokerMessage::Named { seeds }).await;
    assert!(matches!(reply, BrokerReply::Offered { queued: 2, .. }));
    yard.restart(true);
    let bot = yard.inside("bot-1").await;
    let lease = yard.next(bot).await.expect("the first seed");
    yard.accept(bot, redirect(&lease, CATS)).await;
    for _ in 0..2 {
        read(&mut yard, bot, "Jaguar", "jaguar", &[]).await;
    }
    let mut finders: Vec<(String, String)> =
        results(&mut yard).await.into_iter().map(|prey| (prey.url, prey.finder)).collect();
    finders.sort();
    let pair = |url: &str, engine: &str| (url.to_owned(), engine.to_owned());
    assert_eq!(finders, [pair(CARS, "garage"), pair(CATS, "library")]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_gives_nothing_out_and_takes_no_time() {
    let mut yard = yard();
    yard.seed(&[SEED, CATS]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.ask(BrokerMessage::Limit(Budget { seconds: Some(60), pages: None })).await;
    yard.ask(BrokerMessage::Pause).await;
    assert_eq!(yard.status().await.state, Phase::Pausing);
    let (given, _, finished) = yard.try_give(bot, 9).await.expect("not refused");
    assert!(given.is_empty() && !finished);
    yard.accept(bot, page(&lease, &[])).await;
    assert_eq!(yard.status().await.state, Phase::Paused);
    let before = yard.status().await.seconds;
    seconds(600).await;
    let status = yard.status().await;
    assert_eq!((status.state, status.finished), (Phase::Paused, false));
    assert!((status.seconds - before).abs() < 1e-6, "{} after {before}", status.seconds);
    yard.ask(BrokerMessage::GoOn).await;
    assert_eq!(yard.status().await.state, Phase::Running);
    assert!(yard.next(bot).await.is_some(), "a minute was allowed, and ten were paused");
    seconds(61).await;
    yard.ask(BrokerMessage::Pause).await;
    let before = yard.status().await.seconds;
    assert!(matches!(say(&mut yard, SEED, true).await, BrokerReply::Refused(_)));
    seconds(30).await;
    yard.ask(BrokerMessage::Stop).await;
    assert!((yard.status().await.seconds - before).abs() < 1e-6);
    assert_eq!(yard.status().await.state, Phase::Stopping, "a paused crawl can be stopped");
}

#[tokio::test(start_paused = true)]
async fn a_limit_can_be_raised_while_it_runs() {
    let mut yard = Yard::with(|settings| settings.max_pages = Some(1));
    yard.seed(&[SEED, CATS]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &[]).await;
    assert_eq!(yard.status().await.state, Phase::Finished);
    yard.ask(BrokerMessage::Limit(Budget { pages: Some(2), seconds: None })).await;
    assert_eq!(yard.status().await.state, Phase::Running);
    yard.fetch(bot, CATS, &[]).await;
    assert_eq!(yard.status().await.state, Phase::Finished);
}

#[tokio::test(start_paused = true)]
async fn what_was_learned_is_taken_up_by_the_run_it_belongs_to_and_rubbish_is_not() {
    let mut yard = yard();
    let path = yard.dir.path().join("agents/memory");
    yard.plan.strategy = "learned".into();
    yard.restart(false);
    read_all(&mut yard).await;
    let common = yard.broker.ledger_mut().relevance.common();
    yard.broker.ledger_mut().close().expect("a quiet end");
    let memory = crate::Memory::read(&path).expect("written");
    assert_eq!((&*memory.strategy, memory.state.is_empty()), ("learned", false));
    yard.restart(true);
    assert_eq!(yard.broker.ledger_mut().relevance.common(), common);
    std::fs::write(&path, b"\xff\xff\xff\xff rubbish").expect("write");
    yard.restart(true);
    assert_eq!(yard.broker.ledger_mut().relevance.common().0, 0);
}

#[tokio::test(start_paused = true)]
async fn a_pause_in_which_the_process_ends_takes_no_time_and_a_crawl_that_is_done_ends_in_it() {
    let mut yard = yard();
    yard.plan.settings.max_pages = Some(3);
    yard.restart(false);
    read_all(&mut yard).await;
    assert_eq!(yard.status().await.state, Phase::Finished);
    yard.ask(BrokerMessage::Limit(Budget { pages: Some(9), seconds: None })).await;
    seconds(5).await;
    yard.ask(BrokerMessage::Pause).await;
    let before = yard.status().await.seconds;
    seconds(60).await;
    assert!(matches!(say(&mut yard, CATS, true).await, BrokerReply::Done));
    yard.restart(true);
    assert!((yard.status().await.seconds - before).abs() < 1e-3);
    let found = results(&mut yard).await;
    assert!(found.iter().all(|prey| prey.seconds < 5.0), "they were found before the pause");

    let bot = yard.inside("bot-2").await;
    yard.ask(BrokerMessage::Pause).await;
    yard.ask(BrokerMessage::Limit(Budget { pages: Some(3), seconds: None })).await;
    let (given, _, finished) = yard.try_give(bot, 9).await.expect("not refused");
    assert!(given.is_empty() && finished, "nothing is left to do, paused or not");
}

async fn living(yard: &mut Yard) -> Vec<AgentView> {
    match yard.ask(BrokerMessage::Population).await {
        BrokerReply::Population(agents) => agents.into_iter().filter(|agent| agent.alive).collect(),
        other => panic!("no population but {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_is_fed_and_stopped_in_the_log_and_after_a_kill() {
    let mut yard = yard();
    yard.plan.strategy = "infospiders".into();
    yard.plan.settings.events = Some(yard.dir.path().join("events"));
    yard.restart(false);
    yard.seed(&[SEED, CARS]).await;
    let bot = yard.inside("bot-1").await;
    read(&mut yard, bot, "Soup", "tomato basil", &[CATS]).await;
    let before = living(&mut yard).await;
    assert_eq!(before.len(), 2);
    let (fed, stopped) = (before[0].name.clone(), before[1].name.clone());
    let tend = |agent: &str, how| BrokerMessage::Tend { agent: agent.into(), how };
    let reply = yard.ask(tend(&fed, Care::Feed)).await;
    let BrokerReply::Tended(tended) = reply else { panic!("{reply:?}") };
    assert_eq!(
        (tended.before, tended.after),
        (before[0].energy, before[0].energy.map(|e| e + 1.0))
    );
    assert!(matches!(yard.ask(tend(&stopped, Care::Stop)).await, BrokerReply::Tended(_)));
    let after = living(&mut yard).await;
    assert_eq!((after.len(), after[0].energy), (1, tended.after));
    // Nothing is closed: the process is killed.
    yard.restart(true);
    assert_eq!(living(&mut yard).await, after);

    let log = std::fs::read_to_string(yard.dir.path().join("events/3.jsonl")).expect("a log");
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("tended")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].contains(&fed) && lines[0].contains("\"how\":\"feed\""), "{}", lines[0]);
    assert!(lines[1].contains(&stopped) && lines[1].contains("\"before\":"), "{}", lines[1]);
    let reply = yard.ask(tend("Nobody", Care::Stop)).await;
    assert!(matches!(reply, BrokerReply::Declined { .. }), "{reply:?}");
    yard.plan.strategy = "best-first".into();
    yard.restart(false);
    let reply = yard.ask(tend(&fed, Care::Feed)).await;
    let BrokerReply::Declined { hint, .. } = reply else { panic!("{reply:?}") };
    assert!(hint.contains("infospiders"), "{hint}");
}
