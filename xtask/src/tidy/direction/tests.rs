use super::*;
use crate::metadata::Dependency;

fn package(name: &str, uses: &[&str], dev: &[&str]) -> Package {
    let dependency = |dev| move |name: &&str| Dependency { name: (*name).to_owned(), dev };
    let short = name.trim_start_matches("lycosa-");
    Package {
        name: name.to_owned(),
        manifest: format!("crates/{short}/Cargo.toml"),
        dependencies: uses
            .iter()
            .map(dependency(false))
            .chain(dev.iter().map(dependency(true)))
            .collect(),
        ..Package::default()
    }
}

fn messages(packages: &[Package], tree: &Tree) -> Vec<String> {
    check(packages, tree).iter().map(ToString::to_string).collect()
}

#[test]
fn dependencies_on_lower_layers_are_fine() {
    let packages = [
        package("lycosa-model", &["serde"], &["tokio"]),
        package("lycosa-page", &["lycosa-model"], &[]),
        package("lycosa-store", &["lycosa-model", "fjall"], &[]),
        package("lycosa-bot", &["lycosa-store", "lycosa-model", "tokio"], &[]),
        package("lycosa", &["lycosa-bot", "lycosa-page"], &[]),
    ];
    assert_eq!(messages(&packages, &Tree::default()), [""; 0]);
}

#[test]
fn an_agent_that_depends_on_an_agent_is_found_with_its_line() {
    let tree = Tree::of(&[(
        "crates/bot/Cargo.toml",
        "[package]\nname = \"lycosa-bot\"\n\n[dependencies]\nlycosa-broker.workspace = true\n",
    )]);
    let packages =
        [package("lycosa-bot", &["lycosa-broker"], &[]), package("lycosa-broker", &[], &[])];
    assert_eq!(
        messages(&packages, &tree),
        ["crates/bot/Cargo.toml:5: agents talk by messages only: lycosa-bot must not depend on \
          lycosa-broker"]
    );
}

#[test]
fn tests_of_an_agent_may_not_use_another_agent_either() {
    let packages =
        [package("lycosa-bot", &[], &["lycosa-broker"]), package("lycosa-broker", &[], &[])];
    assert_eq!(messages(&packages, &Tree::default()).len(), 1);
}

#[test]
fn a_dependency_upwards_is_found() {
    let packages =
        [package("lycosa-model", &["lycosa-page"], &[]), package("lycosa-page", &[], &[])];
    assert!(messages(&packages, &Tree::default())[0].contains("wrong direction: lycosa-model"));
}

#[test]
fn only_the_listed_dependencies_inside_a_layer_are_allowed() {
    let all = |user: &str, used: &str| {
        messages(&[package(user, &[used], &[]), package(used, &[], &[])], &Tree::default()).len()
    };
    assert_eq!(all("lycosa-page", "lycosa-knowledge"), 0);
    assert_eq!(all("lycosa-knowledge", "lycosa-page"), 1);
    assert_eq!(all("lycosa-store", "lycosa-segments"), 1);
}

#[test]
fn xtask_stands_alone() {
    let packages = [package("xtask", &["lycosa-model"], &[]), package("lycosa-model", &[], &[])];
    assert_eq!(messages(&packages, &Tree::default()).len(), 1);
}

#[test]
fn a_crate_without_a_layer_is_found() {
    let found = messages(&[package("lycosa-new", &[], &[])], &Tree::default());
    assert!(found[0].contains("lycosa-new has no layer"));
}

#[test]
fn a_pure_crate_with_a_runtime_is_found_unless_only_its_tests_use_it() {
    let with = |uses: &[&str], dev: &[&str]| {
        messages(&[package("lycosa-page", uses, dev)], &Tree::default()).len()
    };
    assert_eq!(with(&["tokio"], &[]), 1);
    assert_eq!(with(&[], &["tokio"]), 0);
}

#[test]
fn a_clock_in_pure_code_is_found_and_in_its_tests_is_not() {
    let tree = Tree::of(&[
        (
            "crates/page/src/lib.rs",
            "//! Instant::now() is not used\nfn f() { let t = Instant::now(); }\n\
             #[cfg(test)]\nmod tests { fn g() { std::fs::read(\"x\"); } }\n",
        ),
        ("crates/page/src/a/tests.rs", "fn g() { std::fs::read(\"x\"); }"),
        ("crates/bot/src/lib.rs", "fn f() { let t = Instant::now(); }"),
    ]);
    let packages = [package("lycosa-page", &[], &[]), package("lycosa-bot", &[], &[])];
    assert_eq!(
        messages(&packages, &tree),
        ["crates/page/src/lib.rs:2: Instant::now in a pure crate: take the time as an argument"]
    );
}

#[test]
fn every_exception_is_inside_one_layer_and_has_a_reason() {
    for (user, used, why) in SIDEWAYS {
        assert_eq!(layer(user), layer(used), "{user} -> {used}");
        assert!(layer(user) != Some(Layer::Agent), "agents have no exceptions");
        assert!(!why.is_empty());
    }
}
