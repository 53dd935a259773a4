//! Are the names of keys and the signatures those that others compute?

use super::*;
use crate::Fault;
use crate::identity::web_bot_auth::{
    SignedHeaders, agent_domain, base, parse_directory, verify_request,
};
use crate::identity::{thumbprint, unbase64, verify};
use data_encoding::BASE64;

const NOW_S: u64 = NOW / 1000;

/// The Ed25519 key of RFC 9421, appendix B.1.4.
const RFC_KEY: &str = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";

#[test]
fn the_thumbprint_is_that_of_the_web_bot_auth_examples() {
    let key = unbase64(RFC_KEY).unwrap();
    assert_eq!(thumbprint(&key), "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
}

#[test]
fn the_signature_base_is_that_of_rfc_9421() {
    // Appendix B.2.6.
    let covered = [
        ("\"date\"", "Tue, 20 Apr 2021 02:07:55 GMT"),
        ("\"@method\"", "POST"),
        ("\"@path\"", "/foo"),
        ("\"@authority\"", "example.com"),
        ("\"content-type\"", "application/json"),
        ("\"content-length\"", "18"),
    ];
    let params = r#"("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#;
    let signature =
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==";
    let signature = BASE64.decode(signature.as_bytes()).unwrap().try_into().unwrap();
    let text = base(&covered, params);
    verify(&unbase64(RFC_KEY).unwrap(), text.as_bytes(), &signature).unwrap();
}

#[test]
fn keys_survive_their_text_and_do_not_show_in_debug() {
    let world = world();
    let text = world.engine.to_text();
    let again = EngineKeys::parse(&text).unwrap();
    assert_eq!(again.to_text(), text);
    assert_eq!((again.ed25519(), again.x25519()), (world.engine.ed25519(), world.engine.x25519()));
    let site = SiteSecret::parse(&world.site.to_text()).unwrap();
    assert_eq!(site.id(), world.site.id());
    let secret = text.lines().last().unwrap().strip_prefix("secret ").unwrap();
    assert!(!format!("{:?} {:?}", world.engine, world.site).contains(&secret[..8]));
    for bad in ["", "crawllet engine key 1", &format!("{text}more"), &text.replace("domain ", "x ")]
    {
        assert!(EngineKeys::parse(bad).is_err(), "{bad}");
    }
    assert!(SiteSecret::parse(&text).is_err());
}

#[test]
fn domains_are_names_in_lower_case_perhaps_with_a_port() {
    for good in ["example.org", "a", "127.0.0.1:8080", "x-y.example:1", "xn--bcher-kva.example"] {
        assert!(EngineKeys::generate(good, [1; 32]).is_ok(), "{good}");
    }
    let long = "a.".repeat(200);
    for bad in
        ["", "Example.org", "a b", "a/b", "-a", "a..b", "a:", "a:0", "a:99999", "a:+1", &long]
    {
        assert!(EngineKeys::generate(bad, [1; 32]).is_err(), "{bad}");
    }
}

#[test]
fn a_directory_lists_the_key_and_is_read_back() {
    let keys = world().engine;
    let json = keys.directory_json(NOW_S, NOW_S + 10);
    let found = parse_directory(json.as_bytes()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].ed25519, keys.ed25519());
    assert!(found[0].is_valid_at(NOW_S) && !found[0].is_valid_at(NOW_S + 10));
    assert!(!found[0].is_valid_at(NOW_S - 1));
    let mixed = format!(
        r#"{{"keys":[{{"kty":"RSA","n":"x","e":"AQAB"}},{{"kty":"OKP","crv":"Ed25519","x":"{RFC_KEY}"}}],"purpose":"x"}}"#
    );
    let found = parse_directory(mixed.as_bytes()).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].is_valid_at(0));
    assert!(parse_directory(b"[]").is_err());
    assert!(parse_directory(br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#).is_err());
}

#[test]
fn a_directory_is_signed_for_our_own_domain() {
    let keys = world().engine;
    let [(_, input), (_, signature)] = keys.sign_directory(NOW_S, 60);
    let params = input.strip_prefix("sig1=").unwrap();
    assert_eq!(
        params,
        format!(
            r#"("@authority";req);created={NOW_S};expires={};keyid="{}";alg="ed25519";tag="http-message-signatures-directory""#,
            NOW_S + 60,
            keys.thumbprint()
        )
    );
    let signature = signature.strip_prefix("sig1=:").unwrap().strip_suffix(':').unwrap();
    let signature = BASE64.decode(signature.as_bytes()).unwrap().try_into().unwrap();
    let text =
        |domain: &str| format!("\"@authority\";req: {domain}\n\"@signature-params\": {params}");
    verify(&keys.ed25519(), text("engine.test").as_bytes(), &signature).unwrap();
    assert!(verify(&keys.ed25519(), text("mirror.test").as_bytes(), &signature).is_err());
}

fn signed() -> (EngineKeys, SignedHeaders) {
    let keys = world().engine;
    let headers = keys.sign_request(AUTHORITY, NOW_S, 60, &[5; 32]);
    (keys, headers)
}

#[test]
fn a_signed_request_is_verified_by_its_key_for_its_authority_in_its_time() {
    let (keys, headers) = signed();
    let key = keys.ed25519();
    assert_eq!(agent_domain(&headers).unwrap(), "engine.test");
    assert!(headers.signature_input.contains(";tag=\"web-bot-auth\""));
    for now in [NOW_S - 120, NOW_S, NOW_S + 180] {
        verify_request(&headers, AUTHORITY, &key, now).unwrap();
    }
    for now in [NOW_S - 121, NOW_S + 181] {
        assert_eq!(verify_request(&headers, AUTHORITY, &key, now), Err(Fault::Expired));
    }
    let other = verify_request(&headers, "example.net", &key, NOW_S);
    assert_eq!(other, Err(Fault::Signature));
    let stranger = EngineKeys::generate("s.test", [8; 32]).unwrap().ed25519();
    assert_eq!(verify_request(&headers, AUTHORITY, &stranger, NOW_S), Err(Fault::UnknownKey));
}

#[test]
fn no_character_of_a_signed_request_can_be_changed() {
    let (keys, headers) = signed();
    let key = keys.ed25519();
    let change = |text: &str, at: usize| {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] ^= 1;
        String::from_utf8(bytes).unwrap()
    };
    for at in 0..headers.signature_agent.len() {
        let agent = change(&headers.signature_agent, at);
        let other = SignedHeaders { signature_agent: agent, ..headers.clone() };
        assert!(verify_request(&other, AUTHORITY, &key, NOW_S).is_err(), "agent {at}");
    }
    for at in 0..headers.signature_input.len() {
        let input = change(&headers.signature_input, at);
        let other = SignedHeaders { signature_input: input, ..headers.clone() };
        assert!(verify_request(&other, AUTHORITY, &key, NOW_S).is_err(), "input {at}");
    }
    for at in 0..headers.signature.len() {
        let signature = change(&headers.signature, at);
        let other = SignedHeaders { signature, ..headers.clone() };
        assert!(verify_request(&other, AUTHORITY, &key, NOW_S).is_err(), "signature {at}");
    }
}

#[test]
fn a_request_that_covers_too_little_is_refused() {
    let (keys, headers) = signed();
    for list in
        [r#"("@authority")"#, r#"("@authority" "@authority")"#, r#"("@authority" "date")"#, "()"]
    {
        let input = headers.signature_input.replace(r#"("@authority" "signature-agent")"#, list);
        let other = SignedHeaders { signature_input: input, ..headers.clone() };
        let result = verify_request(&other, AUTHORITY, &keys.ed25519(), NOW_S);
        assert_eq!(result, Err(Fault::Malformed("Signature-Input")), "{list}");
    }
}
