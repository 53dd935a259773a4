use super::*;

fn messages(files: &[(&str, &str)]) -> Vec<String> {
    let mut all: Vec<(&str, &str)> = DOCUMENTS
        .iter()
        .filter(|path| !files.iter().any(|(p, _)| p == *path))
        .map(|path| match *path {
            "README.md" => (*path, "`cargo run --release -- demo` and `cargo xtask test`"),
            "CHANGELOG.md" => (*path, "## Unreleased"),
            _ => (*path, ""),
        })
        .collect();
    all.extend_from_slice(files);
    check(&Tree::of(&all)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_house_with_its_documents_is_tidy() {
    assert_eq!(messages(&[]), [""; 0]);
}

#[test]
fn an_empty_house_misses_every_document() {
    assert_eq!(check(&Tree::default()).len(), DOCUMENTS.len());
}

#[test]
fn a_crate_without_a_readme_is_found() {
    let found = messages(&[
        ("crates/page/Cargo.toml", ""),
        ("crates/page/README.md", ""),
        ("crates/page/fuzz/Cargo.toml", ""),
        ("crates/bot/Cargo.toml", ""),
        ("xtask/Cargo.toml", ""),
    ]);
    let missing = "missing: every crate has a one-screen README";
    let at = |folder: &str| format!("{folder}/README.md:1: {missing}");
    assert_eq!(found, [at("crates/bot"), at("xtask")]);
}

#[test]
fn a_readme_without_the_commands_is_found() {
    let found = messages(&[("README.md", "# Lycosa\n`cargo xtask test`")]);
    assert_eq!(found, ["README.md:1: does not name `cargo run --release -- demo`"]);
}

#[test]
fn a_changelog_needs_a_release() {
    assert_eq!(messages(&[("CHANGELOG.md", "# Changes\n")]).len(), 1);
    for good in ["## [Unreleased]", "## 0.1.0", "## [0.1.0] - 2026-01-01", "## v1.2.0"] {
        assert_eq!(messages(&[("CHANGELOG.md", good)]).len(), 0, "{good}");
    }
}

#[test]
fn panics_are_counted_in_shipped_crate_code_only() {
    let tree = Tree::of(&[
        (
            "crates/page/src/lib.rs",
            "fn a() { b().unwrap().expect(\"c\") } // .unwrap()\n\
             fn d() { e.unwrap_or(1); f.expect_err(2) }\n\
             #[cfg(test)]\nmod tests { fn g() { h().unwrap() } }\n",
        ),
        ("crates/page/tests/all.rs", "fn a() { b().unwrap() }"),
        ("xtask/src/main.rs", "fn a() { b().unwrap() }"),
    ]);
    let found = panics(&tree);
    assert_eq!(found.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 1]);
    assert!(counts(&found).contains("2 of at most 40 (page 2)"));
    assert_eq!(too_many_panics(&found), []);
}

#[test]
fn over_the_limit_every_place_is_named() {
    let line = "fn a() { b().unwrap() }\n";
    let tree = Tree::of(&[("crates/page/src/lib.rs", &line.repeat(MAX_PANICS + 1))]);
    assert_eq!(too_many_panics(&panics(&tree)).len(), MAX_PANICS + 1);
}
