use super::*;

fn messages(files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).iter().map(ToString::to_string).collect()
}

#[test]
fn links_to_files_folders_and_headings_are_fine() {
    let found = messages(&[
        ("README.md", "[a](docs/guide/start.md#first-steps) [b](docs) [c](docs/) [d](#top)\n# Top"),
        ("docs/guide/start.md", "# First steps\n[up](../../README.md) [w](https://example.org/x)"),
        (
            "docs/two words.md",
            "[m](mailto:a@example.org) [x](./two%20words.md) [y](guide/start.md)",
        ),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_link_to_nothing_is_found_with_its_line() {
    let found = messages(&[("docs/a.md", "one\n[b](b.md)")]);
    assert_eq!(found, ["docs/a.md:2: `b.md`: there is no docs/b.md"]);
}

#[test]
fn an_anchor_without_a_heading_is_found() {
    let found = messages(&[("a.md", "[b](b.md#no) [c](#no)"), ("b.md", "# Yes")]);
    assert_eq!(found.len(), 2);
}

#[test]
fn links_that_leave_the_project_are_found() {
    let found = messages(&[("docs/a.md", "[b](../../shared/x.md)\n[c](/etc/passwd)\n[d]()")]);
    assert_eq!(found.len(), 3);
    assert!(found[0].contains("leads out of the project"));
}

#[test]
fn a_line_of_a_source_file_may_be_named() {
    let found = messages(&[("a.md", "[x](src/lib.rs#L10)"), ("src/lib.rs", "")]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn percent_signs_are_decoded_and_broken_ones_kept() {
    assert_eq!(percent_decoded("a%20b%C3%B1"), "a bñ");
    assert_eq!(percent_decoded("50%"), "50%");
    assert_eq!(percent_decoded("%zz%+1"), "%zz%+1");
}
