use super::*;
use crate::Item;
use lycosa_model::message::{DeliveryState, WatchEdit, WatchEntry};

const RANDOM: [u8; SECRET_BYTES] = [7; SECRET_BYTES];
const NOW: Tick = Tick(1_000);
const DUE: Tick = Tick(9_000);

fn watch(order: &str) -> Watch {
    let order: WatchOrder = serde_json::from_str(order).expect("an order");
    let mut watch = Watch { order, baseline: true, due: Tick(5_000), ..Watch::default() };
    watch.items.insert("https://x.test/".into(), Item::default());
    watch
}

fn edit(watch: &mut Watch, edit: &str) -> Option<String> {
    let edit: WatchEdit = serde_json::from_str(edit).expect("an edit");
    let order = edit.of(&watch.order);
    watch.edit(order, DUE, &RANDOM, NOW)
}

#[test]
fn what_is_not_said_stays_and_what_is_empty_goes() {
    let mut watch = watch(
        r#"{"query":"a","name":"n","best":5,"min_score":1.5,"require":["x"],"whole":true,
            "mail":["me@m.test"],"mail_every":60,"tell":["gone"]}"#,
    );
    let before = watch.order.clone();
    assert_eq!(edit(&mut watch, "{}"), None);
    assert_eq!((&watch.order, watch.due, watch.baseline), (&before, Tick(5_000), true));
    let new =
        r#"{"name":" ","best":0,"min_score":0,"require":[""],"whole":false,"mail":[],"tell":[]}"#;
    edit(&mut watch, new);
    let bare: WatchOrder = serde_json::from_str(r#"{"query":"a"}"#).expect("an order");
    assert_eq!(watch.order, bare);
}

#[test]
fn what_is_compared_otherwise_begins_with_a_new_baseline_and_the_rest_goes_on() {
    for (json, is_new) in [
        (r#"{"min_score":2}"#, true),
        (r#"{"best":3}"#, true),
        (r#"{"ignore":["visitors"]}"#, true),
        (r#"{"lang":"es"}"#, true),
        (r#"{"name":"other"}"#, false),
        (r#"{"quiet":"22:00-07:00"}"#, false),
        (r#"{"schedule":"hourly"}"#, false),
        (r#"{"tell":["new"]}"#, false),
    ] {
        let mut watch = watch(r#"{"query":"a"}"#);
        let before = watch.order.clone();
        edit(&mut watch, json);
        assert_eq!((watch.baseline, watch.items.is_empty()), (!is_new, is_new), "{json}");
        assert_eq!(watch.is_edited_since(&before), is_new, "{json}");
        let due = match json {
            _ if is_new => NOW,
            r#"{"schedule":"hourly"}"# => DUE,
            _ => Tick(5_000),
        };
        assert_eq!(watch.due, due, "{json}");
    }
}

#[test]
fn another_receiver_has_another_secret_and_none_gets_nothing_more() {
    let mut watch = watch(r#"{"query":"a"}"#);
    let first = edit(&mut watch, r#"{"hook":"https://one.test/"}"#).expect("a secret");
    assert_eq!(edit(&mut watch, r#"{"hook":"https://one.test/"}"#), None, "it is the same");
    watch.hook_off = Some("410".into());
    let random = [8; SECRET_BYTES];
    let order = WatchOrder { hook: Some("https://two.test/".into()), ..watch.order.clone() };
    let second = watch.edit(order, DUE, &random, NOW).expect("a secret");
    assert_ne!(first, second);
    assert_eq!((watch.secrets.len(), &watch.hook_off), (1, &None), "the old one signs no more");
    let entry = WatchEntry {
        number: 1,
        change: lycosa_model::message::ChangeKind::New,
        url: "https://x.test/".into(),
        title: "T".into(),
        at: NOW,
        text: String::new(),
        diff: Vec::new(),
        score: None,
        agent: String::new(),
        why: String::new(),
    };
    watch.tell(&[entry], NOW);
    assert_eq!(edit(&mut watch, r#"{"hook":""}"#), None);
    assert_eq!(watch.deliveries[0].state, DeliveryState::Dead);
    assert!(
        watch.secrets.is_empty() && watch.hook_off.is_none() && watch.next_delivery().is_none()
    );
}
