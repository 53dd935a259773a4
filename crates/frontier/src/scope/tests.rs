use super::*;
use crate::normal::parse;

fn address(text: &str) -> Address {
    parse(text).expect("an address")
}

fn scope(kind: ScopeKind, seeds: &[&str]) -> Scope {
    let seeds: Vec<Address> = seeds.iter().map(|seed| address(seed)).collect();
    Scope::new(kind, &seeds)
}

#[track_caller]
fn check(scope: &Scope, inside: &[&str], outside: &[&str]) {
    for url in inside {
        assert!(scope.admits(&address(url)), "{url} should be inside");
    }
    for url in outside {
        assert!(!scope.admits(&address(url)), "{url} should be outside");
    }
}

#[test]
fn a_site_is_host_and_port_under_both_schemes() {
    check(
        &scope(ScopeKind::Site, &["http://example.org/a", "http://127.0.0.1:4001/"]),
        &["https://example.org/", "http://EXAMPLE.org./b?c", "http://127.0.0.1:4001/x"],
        &["http://www.example.org/", "http://example.org:8080/", "http://127.0.0.1:4002/"],
    );
}

#[test]
fn a_domain_has_all_its_hosts() {
    check(
        &scope(ScopeKind::Domain, &["https://www.example.co.uk/"]),
        &["http://example.co.uk/", "https://a.b.example.co.uk:8080/"],
        &["https://other.co.uk/", "https://notexample.co.uk/"],
    );
}

#[test]
fn a_prefix_is_the_folder_of_the_seed() {
    check(
        &scope(ScopeKind::Prefix, &["http://example.org/docs/index.html?x=/y/"]),
        &[
            "https://example.org/docs/",
            "http://example.org/docs/a/b?c",
            "http://example.org/docs/%7Ex",
        ],
        &[
            "http://example.org/docs",
            "http://example.org/docsx/",
            "http://example.org/",
            "http://example.org/?u=/docs/",
        ],
    );
    check(
        &scope(ScopeKind::Prefix, &["http://example.org"]),
        &["http://example.org/a"],
        &["http://example.com/a"],
    );
}

#[test]
fn any_is_everywhere_even_without_seeds() {
    check(&scope(ScopeKind::Any, &[]), &["http://a.org/"], &[]);
    check(&scope(ScopeKind::Site, &[]), &[], &["http://a.org/"]);
}

#[test]
fn the_target_of_a_seeds_redirect_can_be_let_in() {
    let mut scope = scope(ScopeKind::Site, &["http://example.org/"]);
    let target = address("https://www.example.org/");
    assert!(!scope.admits(&target));
    scope.extend(&target);
    check(&scope, &["https://www.example.org/x", "http://example.org/"], &["http://other.org/"]);
}

#[test]
fn kinds_are_read_and_written_in_lower_case() {
    for kind in [ScopeKind::Site, ScopeKind::Domain, ScopeKind::Any, ScopeKind::Prefix] {
        assert_eq!(kind.name().parse(), Ok(kind));
        let json = serde_json::to_string(&kind).expect("JSON");
        assert_eq!(json, format!("\"{kind}\""));
    }
    let error = "sites".parse::<ScopeKind>().expect_err("unknown");
    assert_eq!(error.to_string(), "unknown scope `sites`: expected site, domain, any or prefix");
}

#[test]
fn a_scope_survives_storage() {
    let scope = scope(ScopeKind::Domain, &["http://a.example.org/", "http://b.org/"]);
    let json = serde_json::to_string(&scope).expect("JSON");
    assert_eq!(serde_json::from_str::<Scope>(&json).expect("a scope"), scope);
}
