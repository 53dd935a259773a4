use super::*;

fn messages(path: &str, text: &str) -> Vec<String> {
    check(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
}

#[test]
fn a_long_rust_file_is_found_and_a_long_document_is_not() {
    let long = "\n".repeat(MAX_LINES + 1);
    assert_eq!(messages("a/src/b.rs", &long).len(), 1);
    assert_eq!(messages("a/src/b.rs", &long[1..]).len(), 0);
    assert_eq!(messages("docs/b.md", &long).len(), 0);
}

#[test]
fn unfinished_code_is_found_and_words_about_it_are_not() {
    assert_eq!(messages("b.rs", "fn a() {\n    todo!()\n}").len(), 1);
    assert_eq!(messages("b.rs", "#[ignore = \"slow\"]\nfn a() {}").len(), 1);
    assert_eq!(messages("b.rs", "// no todo!() here\nlet a = \"unimplemented!\";").len(), 0);
}

#[test]
fn marks_are_found_as_words_in_any_file() {
    let fix = MARKS[0];
    assert_eq!(messages("b.md", &format!("one\ntwo {fix}: later")).len(), 1);
    assert_eq!(messages("b.rs", &format!("// {fix}")).len(), 1);
    assert_eq!(messages("b.rs", &format!("let a{fix} = 1;")).len(), 0);
}

#[test]
fn paths_of_a_machine_are_found_and_urls_are_not() {
    let home = MACHINE_PATHS[2];
    for text in [format!("cd {home}ana/x"), format!("\"{home}ana\""), format!("file://{home}ana")] {
        assert_eq!(messages("b.rs", &text).len(), 1, "{text}");
    }
    for text in [
        format!("http://a.test{home}page"),
        format!("concat!(dir, \"x{home}y\")"),
        format!("Disallow: {home}"),
        format!("format!(\"{{base}}{home}x\")"),
    ] {
        assert_eq!(messages("b.rs", &text), [""; 0], "{text}");
    }
}

#[test]
fn every_table_has_a_reason() {
    assert!(TABLES.iter().all(|(_, reason)| !reason.is_empty()));
}
