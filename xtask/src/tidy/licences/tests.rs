use super::*;

fn package(name: &str, license: Option<&str>) -> Package {
    Package {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        license: license.map(str::to_owned),
        ..Package::default()
    }
}

fn deny(names: &[&str]) -> String {
    let lines: Vec<String> = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    format!("[licenses]\nallow = [\n{}]\n", lines.concat())
}

fn messages(graph: &[Package], deny: &str) -> Vec<String> {
    let lock = "[[package]]\nname = \"good\"\nversion = \"1.0.0\"\n\n\
                [[package]]\nname = \"bad\"\nversion = \"1.0.0\"\n";
    let tree = Tree::of(&[(DENY, deny), (LOCK, lock)]);
    check(graph, &tree).iter().map(ToString::to_string).collect()
}

#[test]
fn a_licence_outside_the_list_is_found_with_its_line() {
    let graph = [package("good", Some("MIT OR Apache-2.0")), package("bad", Some("GPL-3.0-only"))];
    assert_eq!(
        messages(&graph, &deny(ALLOWED)),
        ["Cargo.lock:6: bad 1.0.0: its licence is not on our list: GPL-3.0-only"]
    );
}

#[test]
fn no_licence_and_an_unreadable_one_are_found() {
    let graph = [package("bad", None), package("good", Some("MIT MIT"))];
    assert_eq!(messages(&graph, &deny(ALLOWED)).len(), 2);
}

#[test]
fn the_two_lists_must_be_equal() {
    let fewer = messages(&[], &deny(&ALLOWED[1..]));
    assert_eq!(fewer, ["deny.toml:2: `0BSD` is missing here"]);
    let more: Vec<&str> = ALLOWED.iter().copied().chain(["WTFPL"]).collect();
    let more = messages(&[], &deny(&more));
    assert_eq!(more, ["deny.toml:2: `WTFPL` is not allowed by tidy/licences.rs"]);
}

#[test]
fn the_list_is_in_order_without_doubles() {
    assert!(ALLOWED.windows(2).all(|pair| pair[0] < pair[1]));
}
