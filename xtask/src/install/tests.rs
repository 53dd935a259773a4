use super::*;

#[test]
fn a_program_is_found_in_the_folders_of_path_only() {
    let bin = std::env::join_paths(["/nowhere", "/bin", "/usr/bin"]).unwrap();
    assert!(find("sh", &bin).is_some());
    assert_eq!(find("sh", &OsString::from("/nowhere")), None);
    assert_eq!(find("no-such-program-here", &bin), None);
}

#[test]
fn python_packages_are_pinned() {
    for package in PYTHON_PACKAGES {
        let (name, version) = package.split_once("==").expect("a version");
        assert!(!name.is_empty() && version.split('.').all(|part| part.parse::<u32>().is_ok()));
    }
}

#[test]
fn a_missing_environment_has_no_packages() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let workspace = Workspace { target: root.clone(), root, packages: Vec::new() };
    assert!(!has_packages(&workspace, Path::new("/nowhere/bin/python")));
}
