//! Do we cut hosts where the Public Suffix List wants?

mod shared;

use lycosa_frontier::registrable_domain;

/// Lines of the suite that ask about a host.
const EXPECTED: usize = 70;

#[test]
fn every_line_of_the_public_suffix_tests_is_met() {
    let Some(text) = shared::text("conformance/psl/tests.txt") else {
        return;
    };
    let mut asked = 0;
    for line in text.lines().filter(|line| !line.starts_with("//")) {
        let Some((host, expected)) = line.split_once(' ') else {
            continue;
        };
        // The list speaks of names that a URL parser has seen: in Punycode, without a dot in front.
        if host == "null" || host.starts_with('.') {
            continue;
        }
        let Some(host) = host_of(host) else {
            panic!("{host} should parse");
        };
        // `null` means that the host is itself a public suffix; we map those to themselves.
        let expected = match expected {
            "null" => host.clone(),
            name => host_of(name).expect("a host"),
        };
        assert_eq!(registrable_domain(&host), expected, "{line}");
        asked += 1;
    }
    assert!(asked >= EXPECTED, "only {asked} lines were asked");
}

fn host_of(name: &str) -> Option<String> {
    let address = lycosa_frontier::normal::parse(&format!("http://{name}/")).ok()?;
    Some(address.site.host().to_owned())
}
