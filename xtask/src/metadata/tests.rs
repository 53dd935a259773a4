use super::*;

#[test]
fn packages_are_read_from_the_answer_of_cargo() {
    let json = serde_json::json!({ "packages": [{
        "name": "lycosa-page", "version": "0.1.0", "license": "MIT",
        "manifest_path": "/w/crates/page/Cargo.toml",
        "dependencies": [{ "name": "url", "kind": null }, { "name": "proptest", "kind": "dev" }],
        "targets": [{ "name": "lycosa_page", "kind": ["lib"] }],
    }]});
    let packages = packages(&json, Path::new("/w")).unwrap();
    assert_eq!(packages[0].manifest, "crates/page/Cargo.toml");
    let dev: Vec<bool> = packages[0].dependencies.iter().map(|d| d.dev).collect();
    assert_eq!(dev, [false, true]);
    assert_eq!(packages[0].targets[0].kinds, ["lib"]);
}

#[test]
fn an_answer_without_names_is_an_error() {
    let json = serde_json::json!({ "packages": [{ "version": "1" }] });
    assert!(packages(&json, Path::new("/w")).is_err());
}

#[test]
fn this_workspace_can_be_loaded() {
    let workspace = Workspace::load().unwrap();
    assert!(workspace.packages.iter().any(|p| p.name == "xtask"));
    assert!(workspace.root.join("Cargo.lock").exists());
}
