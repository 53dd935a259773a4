use super::*;
use lycosa_model::message::WatchOrder;

#[test]
fn signatures_are_those_of_standard_webhooks() {
    // The example of the specification's libraries.
    let signed = sign(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        r#"{"test": 2432232314}"#,
    );
    assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn two_secrets_sign_while_one_takes_the_place_of_the_other() {
    let mut watch = Watch::default();
    let first = watch.rotate(&[1; SECRET_BYTES], Tick(0));
    let second = watch.rotate(&[2; SECRET_BYTES], Tick(1_000));
    assert!(first.starts_with("whsec_") && first != second);
    let expected = format!("{} {}", sign(&second, "m", 5, "{}"), sign(&first, "m", 5, "{}"));
    assert_eq!(watch.signature("m", 5, "{}", Tick(2_000)), expected);
    let later = Tick(1_000).after(ROTATION);
    assert_eq!(watch.signature("m", 5, "{}", later), sign(&second, "m", 5, "{}"));
    let third = watch.rotate(&[3; SECRET_BYTES], Tick(3_000));
    let expected = format!("{} {}", sign(&third, "m", 5, "{}"), sign(&second, "m", 5, "{}"));
    assert_eq!(watch.signature("m", 5, "{}", Tick(4_000)), expected, "never more than two");
}

#[test]
fn no_secret_is_ever_shown() {
    let mut watch = Watch { token: Secret("t0ken".into()), ..Watch::default() };
    watch.order = WatchOrder { query: Some("x".into()), ..WatchOrder::default() };
    let secret = watch.rotate(&[7; SECRET_BYTES], Tick(0));
    let view = serde_json::to_string(&watch.view("daily")).expect("json");
    let debug = format!("{watch:?}");
    for shown in [view, debug] {
        assert!(
            !shown.contains(secret.trim_start_matches("whsec_")) && !shown.contains("t0ken"),
            "{shown}"
        );
    }
}
