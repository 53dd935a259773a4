use super::*;

fn address(url: &str) -> Address {
    normal::parse(url).expect("address")
}

fn names(url: &str) -> Vec<String> {
    siblings(&address(url)).into_iter().map(|(_, other)| other.request).collect()
}

#[test]
fn tracking_parameters_are_taken_off_and_others_stay() {
    let rule = VariantRule { parameters: vec!["ref".into()], ..VariantRule::default() };
    let plain = |url: &str| rule.without_tracking(&address(url)).map(|address| address.request);
    assert_eq!(
        plain("https://a.test/p?id=7&utm_source=x&UTM_Medium=y&fbclid=z").as_deref(),
        Some("https://a.test/p?id=7")
    );
    assert_eq!(plain("https://a.test/p?gclid=1").as_deref(), Some("https://a.test/p"));
    assert_eq!(plain("https://a.test/p?ref=home").as_deref(), Some("https://a.test/p"));
    assert_eq!(plain("https://a.test/p?id=7&page=2&utm=1"), None);
    assert_eq!(plain("https://a.test/p"), None);
    let off = VariantRule { strip_tracking: false, ..rule };
    assert_eq!(off.without_tracking(&address("https://a.test/p?gclid=1")), None);
}

#[test]
fn siblings_are_named_in_both_directions() {
    assert_eq!(names("http://a.test/x"), ["http://www.a.test/x", "http://a.test/x/"]);
    assert_eq!(
        names("http://www.a.test/x/"),
        ["http://a.test/x/", "http://www.a.test/x", "http://www.a.test/x/index.html"]
    );
    assert_eq!(names("http://b.a.test/x/Index.php"), ["http://b.a.test/x/"]);
    assert_eq!(names("http://b.a.test/x.html"), [""; 0]);
    assert_eq!(names("http://b.a.test/"), ["http://b.a.test/index.html"]);
    assert_eq!(names("http://xn--a.test/x.y"), ["http://www.xn--a.test/x.y"]);
    assert_eq!(names("http://www.xn--a.test/x.y"), ["http://xn--a.test/x.y"]);
    assert_eq!(names("http://10.0.0.1:81/x.y"), [""; 0]);
    assert_eq!(names("http://[::1]:81/x.y"), [""; 0]);
    assert_eq!(
        names("http://b.a.test/x?p=1&q=2"),
        ["http://b.a.test/x?q=2", "http://b.a.test/x?p=1"]
    );
    assert_eq!(names("http://127.0.0.1:80/x.html"), [""; 0]);
}

#[test]
fn variants_are_joined_by_proof_and_not_where_they_differ() {
    let rule = VariantRule { proof: 3, ..VariantRule::default() };
    let mut counters = SiteCounters::default();
    let joined = |counters: &SiteCounters| {
        (0..64)
            .filter(|n| {
                let address = address(&format!("http://a.test/{n}/"));
                rule.is_joined(counters, Variant::Slash, &address)
            })
            .count()
    };
    for _ in 0..2 {
        assert!(count(&mut counters, Variant::Slash, true));
        assert_eq!(joined(&counters), 0);
    }
    count(&mut counters, Variant::Slash, true);
    assert!((48..64).contains(&joined(&counters)), "most, and a few are still asked for");
    assert!(!rule.is_joined(&counters, Variant::Www, &address("http://a.test/1/")));
    count(&mut counters, Variant::Slash, false);
    assert_eq!(joined(&counters), 0, "they differ on this site");
}

#[test]
fn a_site_cannot_fill_memory_with_kinds_of_variants() {
    let mut counters = SiteCounters::default();
    for n in 0..1000 {
        count(&mut counters, Variant::Parameter(n), true);
    }
    assert_eq!(counters.variants.len(), MAX_VARIANTS);
}

#[test]
fn the_foot_of_a_site_alone_does_not_say_that_a_page_is_missing() {
    let text = |number| lycosa_model::TextDigest([number; 16]);
    let (simhash, shape, lines, words) = (1, 2, 3, 7);
    let not_found =
        Fingerprint { text: text(1), simhash, shape, title: 4, lines, words, says_missing: false };
    let gallery = Fingerprint { text: text(2), title: 5, ..not_found };
    assert!(look_alike(&gallery, &not_found) && !says_not_found(&gallery, &not_found));
    let untitled = Fingerprint { text: text(3), ..not_found };
    assert!(says_not_found(&untitled, &not_found));
    let repeats_the_address = Fingerprint { says_missing: true, ..gallery };
    assert!(says_not_found(&repeats_the_address, &not_found));
    let other = Fingerprint { shape: 9, ..repeats_the_address };
    assert!(!says_not_found(&other, &not_found));
}
