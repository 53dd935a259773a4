use super::*;
use crate::mailbox::{AskError, mailbox};

struct Number(u32);

impl Message for Number {
    type Reply = u32;
}

#[derive(Default)]
struct Adder {
    sum: u32,
}

impl Agent for Adder {
    type Message = Number;
    type State = u32;

    fn observe(&self) -> u32 {
        self.sum
    }

    async fn handle(&mut self, message: Number) -> u32 {
        assert_ne!(message.0, 13, "thirteen is unlucky");
        self.sum += message.0;
        self.sum
    }
}

fn start(limit: RestartLimit) -> (Registry, Mailbox<Number>, Handle) {
    let registry = Registry::default();
    let (mailbox, inbox) = mailbox(8);
    let handle =
        spawn(&registry, "adder", "adder-1".into(), (&mailbox, inbox), limit, Adder::default);
    (registry, mailbox, handle)
}

#[tokio::test]
async fn an_agent_that_panics_is_restarted_and_its_mailbox_kept() {
    let (registry, mailbox, handle) = start(RestartLimit::default());
    assert_eq!(mailbox.ask(Number(1)).await, Ok(1));
    // All three wait in the mailbox while the first kills the agent.
    let (unlucky, next, last) =
        tokio::join!(mailbox.ask(Number(13)), mailbox.ask(Number(5)), mailbox.ask(Number(6)));
    assert_eq!(unlucky, Err(AskError::Failed));
    assert_eq!((next, last), (Ok(5), Ok(11)), "a new agent begins at zero with the old mailbox");
    let view = &registry.agents()[0];
    assert_eq!((view.state, view.restarts, view.handled), ("running", 1, 3));
    assert_eq!(view.observed, serde_json::json!(11));
    drop(mailbox);
    assert_eq!(handle.join().await, Exit::Finished);
    assert_eq!(registry.agents()[0].state, "finished");
}

#[tokio::test]
async fn an_agent_that_only_panics_is_given_up() {
    let limit = RestartLimit { restarts: 2, period: Duration::from_secs(60) };
    let (registry, mailbox, handle) = start(limit);
    for _ in 0..3 {
        assert_eq!(mailbox.ask(Number(13)).await, Err(AskError::Failed));
    }
    assert!(matches!(handle.join().await, Exit::Failed(why) if why.contains("thirteen")));
    assert_eq!(mailbox.ask(Number(1)).await, Err(AskError::Gone));
    assert_eq!(registry.agents()[0].state, "failed");
}

#[tokio::test]
async fn a_pool_shares_one_mailbox() {
    let registry = Registry::default();
    let (mailbox, inbox) = mailbox(8);
    let handles = spawn_pool(&registry, "adder", 3, (&mailbox, inbox), |_| Adder::default());
    for _ in 0..30 {
        assert!(mailbox.ask(Number(1)).await.is_ok());
    }
    drop(mailbox);
    for handle in handles {
        assert_eq!(handle.join().await, Exit::Finished);
    }
    assert_eq!(registry.messages(), 30);
    let names: Vec<_> = registry.agents().into_iter().map(|view| view.name).collect();
    assert_eq!(names, ["adder-1", "adder-2", "adder-3"]);
}

#[tokio::test]
async fn a_full_mailbox_makes_the_sender_wait() {
    let (mailbox, inbox) = mailbox::<Number>(1);
    mailbox.tell(Number(1)).await.expect("room for one");
    assert_eq!((mailbox.len(), mailbox.capacity()), (1, 1));
    let second = mailbox.tell(Number(2));
    tokio::pin!(second);
    assert!(futures_util::poll!(&mut second).is_pending(), "no room for a second");
    assert!(inbox.try_next().is_some());
    second.await.expect("room again");
}
