use super::*;
use lycosa_model::message::{ChangeKind, WatchOrder};

fn entries(count: u64) -> Vec<WatchEntry> {
    let entry = |number| WatchEntry {
        number,
        change: ChangeKind::New,
        url: format!("https://x.test/{number}"),
        title: "T".into(),
        at: Tick(1),
        text: String::new(),
        diff: Vec::new(),
        score: None,
        agent: String::new(),
        why: String::new(),
    };
    (1..=count).map(entry).collect()
}

fn watch(order: &str) -> Watch {
    let order: WatchOrder = serde_json::from_str(order).expect("an order");
    Watch { uid: "u".into(), order, ..Watch::default() }
}

const HOOK: &str = r#"{"query":"x","hook":"https://h.test/"}"#;
const MAIL: &str = r#"{"query":"x","mail":["me@m.test"],"mail_every":60}"#;

fn failed() -> Attempt {
    Attempt::Failed("status 500".into(), None)
}

#[test]
fn a_webhook_is_tried_again_with_growing_pauses_and_then_given_up() {
    let mut watch = watch(HOOK);
    watch.tell(&entries(1), Tick(0));
    let id = watch.deliveries[0].id.clone();
    let mut now = Tick(0);
    let mut pauses = Vec::new();
    while let Some(next) = watch.next_delivery() {
        pauses.push(next.since(now));
        now = next;
        assert_eq!(watch.due_deliveries(now).count(), 1);
        watch.attempted(&id, failed(), now);
    }
    assert_eq!(pauses.len(), 10);
    assert!(pauses.is_sorted(), "{pauses:?}");
    assert_eq!(watch.deliveries[0].state, DeliveryState::Dead);
    assert_eq!(watch.retry(Some("another"), now), 0);
    assert_eq!(watch.retry(None, now), 1);
    watch.attempted(&id, Attempt::Taken("200".into()), now);
    let delivery = &watch.deliveries[0];
    assert_eq!((&delivery.id, delivery.state), (&id, DeliveryState::Delivered));
    assert!(delivery.entries.is_empty() && delivery.numbers == [1]);
    assert_eq!(watch.retry(None, now), 0, "what was taken is not repeated");
}

#[test]
fn a_receiver_that_is_gone_is_asked_no_more() {
    let mut watch = watch(HOOK);
    watch.tell(&entries(50), Tick(0));
    assert_eq!(watch.deliveries.len(), 3, "so many at a time");
    let id = watch.deliveries[0].id.clone();
    watch.attempted(&id, Attempt::Unwanted("410".into()), Tick(1));
    assert_eq!(watch.hook_off.as_deref(), Some("410"));
    assert_eq!(watch.next_delivery(), None);
    watch.tell(&entries(1), Tick(2));
    assert_eq!(watch.deliveries.len(), 3);
}

#[test]
fn a_receiver_in_trouble_gets_the_others_later_and_may_ask_for_a_longer_pause() {
    let mut watch = watch(HOOK);
    watch.tell(&entries(40), Tick(0));
    let id = watch.deliveries[0].id.clone();
    let asked = Some(Duration::from_secs(60));
    watch.attempted(&id, Attempt::Failed("503".into(), asked), Tick(0));
    assert_eq!(watch.due_deliveries(Tick(59_999)).count(), 0);
    assert_eq!(watch.due_deliveries(Tick(60_000)).count(), 2);
}

#[test]
fn changes_wait_for_the_next_mail_but_one_that_was_tried_is_not_added_to() {
    let mut watch = watch(MAIL);
    watch.tell(&entries(1), Tick(0));
    let first = watch.deliveries[0].id.clone();
    assert_eq!(watch.due_deliveries(Tick(0)).count(), 1);
    watch.attempted(&first, Attempt::Taken("250".into()), Tick(0));
    watch.tell(&entries(2), Tick(10));
    watch.tell(&entries(3), Tick(20));
    assert_eq!(watch.deliveries.len(), 2);
    assert_eq!(watch.deliveries[1].entries.len(), 5);
    assert_eq!(watch.next_delivery(), Some(Tick(60_000)));
    let second = watch.deliveries[1].id.clone();
    watch.attempted(&second, failed(), Tick(60_000));
    watch.tell(&entries(1), Tick(60_001));
    assert_eq!(watch.deliveries.len(), 3);
}

#[test]
fn lists_have_bounds_whatever_the_receiver_does() {
    let mut watch = watch(HOOK);
    for round in 0..700 {
        watch.tell(&entries(1), Tick(round));
    }
    let count =
        |watch: &Watch, state| watch.deliveries.iter().filter(|it| it.state == state).count();
    assert_eq!(count(&watch, DeliveryState::Waiting), MOST_WAITING);
    assert_eq!(count(&watch, DeliveryState::Dead), MOST_DEAD);
    let waiting: Vec<String> =
        watch.due_deliveries(Tick(u64::MAX)).map(|it| it.id.clone()).collect();
    for id in waiting {
        watch.attempted(&id, Attempt::Taken("204".into()), Tick(1_000));
    }
    assert_eq!(count(&watch, DeliveryState::Delivered), MOST_DELIVERED);
}

#[test]
fn quiet_hours_hold_what_waits() {
    let mut watch = watch(HOOK);
    watch.tell(&entries(1), Tick(0));
    watch.hold_until(Tick(500));
    assert_eq!(watch.next_delivery(), Some(Tick(500)));
}
