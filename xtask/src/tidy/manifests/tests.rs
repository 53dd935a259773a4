use super::*;

const ROOT_TEXT: &str = "[workspace.dependencies]\nlycosa-model = { path = \"crates/model\" }\n\
                         # a comment = not a dependency\nurl = \"2.5\"\nserde = \"1\"\n\n\
                         [workspace.lints.rust]\nunsafe_code = \"forbid\"\n";

fn messages(packages: &[Package], files: &[(&str, &str)]) -> Vec<String> {
    check(packages, &Tree::of(files)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_dependency_without_a_decision_is_found() {
    let found = messages(&[], &[("Cargo.toml", ROOT_TEXT), ("docs/decisions.md", "- `url`: URLs")]);
    assert_eq!(found, ["Cargo.toml:5: `serde` has no line in docs/decisions.md"]);
}

#[test]
fn without_decisions_there_is_one_finding() {
    assert_eq!(messages(&[], &[("Cargo.toml", ROOT_TEXT)]).len(), 1);
}

#[test]
fn a_version_outside_the_root_manifest_is_found() {
    let manifest = "crates/page/Cargo.toml";
    let package = Package { manifest: manifest.to_owned(), ..Package::default() };
    let text = "[package]\nname = \"x\"\n[dependencies]\nurl.workspace = true\n\
                serde = { workspace = true }\n[dev-dependencies]\nregex = \"1\"\n";
    let found = messages(&[package], &[(manifest, text), ("docs/decisions.md", "")]);
    assert_eq!(
        found,
        ["crates/page/Cargo.toml:7: regex: declare it in the root manifest and use it from there"]
    );
}
