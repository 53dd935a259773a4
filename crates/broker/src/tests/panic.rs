//! What happens when the broker itself fails?

use super::yard::{Yard, page};
use crate::{Broker, BrokerState};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_runtime::{Agent, AskError, Registry, RestartLimit, mailbox, spawn};

/// A broker that cannot bear one question. Everything else is the broker itself.
struct Fragile(Broker);

const LAST_STRAW: &str = "http://last.straw/";

impl Agent for Fragile {
    type Message = BrokerMessage;
    type State = BrokerState;

    fn observe(&self) -> BrokerState {
        self.0.observe()
    }

    async fn handle(&mut self, message: BrokerMessage) -> BrokerReply {
        assert!(!matches!(&message, BrokerMessage::Url { url } if url == LAST_STRAW));
        self.0.handle(message).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_is_built_anew_in_its_process_keeps_the_leases_of_its_bots() {
    let mut yard = Yard::new();
    yard.seed(&["http://a.test/", "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");

    let Yard { dir, plan, broker } = yard;
    let mut first = Some(broker);
    let build = {
        let plan = plan.clone();
        move || Fragile(first.take().unwrap_or_else(|| Broker::open(plan.clone(), true)))
    };
    let registry = Registry::default();
    let (mailbox, inbox) = mailbox(4);
    let limit = RestartLimit::default();
    let handle = spawn(&registry, "broker", "broker-1".into(), (&mailbox, inbox), limit, build);
    let straw = mailbox.ask(BrokerMessage::Url { url: LAST_STRAW.into() }).await;
    assert_eq!(straw.err(), Some(AskError::Failed));

    let reports = vec![page(&lease, &["http://a.test/3"])];
    let report = BrokerMessage::Report { bot, reports, marks: Vec::new() };
    let reply = mailbox.ask(report).await.expect("alive");
    assert!(matches!(&reply, BrokerReply::Acks(acks) if *acks == [Ok(())]), "{reply:?}");
    let reply = mailbox.ask(BrokerMessage::GiveMe { bot, n: 9 }).await.expect("alive");
    match reply {
        BrokerReply::Leases { leases, .. } => assert_eq!(leases[0].url, "http://a.test/2"),
        other => panic!("{other:?}"),
    }
    assert_eq!(registry.agents()[0].restarts, 1);
    drop(mailbox);
    handle.join().await;
    drop(dir);
}
