use super::*;

#[test]
fn comments_and_literals_are_blanked_and_code_stays() {
    let text = "let a = \"x.unwrap()\"; // .unwrap()\n/* a /* b */ c */ let b = r#\"\"todo!\"#;";
    let code = bare(text);
    assert!(!code.contains("unwrap") && !code.contains("todo"));
    assert!(code.contains("let a =") && code.contains("let b ="));
    assert_eq!(code.lines().count(), 2);
}

#[test]
fn a_quote_character_does_not_open_a_string() {
    let code = bare("let q = '\"'; let e = '\\''; let n = '\\u{1F600}'; x.unwrap()");
    assert!(code.contains("x.unwrap()"));
}

#[test]
fn a_lifetime_is_not_a_character() {
    let text = "fn f<'a>(x: &'a str) -> &'a str { x.unwrap() }";
    assert_eq!(bare(text), text);
}

#[test]
fn words_ending_in_r_do_not_open_a_raw_string() {
    let code = bare("matches!(bar\"x\", y) + 1");
    assert!(code.starts_with("matches!(bar") && code.ends_with(", y) + 1"));
}

#[test]
fn unfinished_literals_and_comments_end_with_the_file() {
    for text in ["\"abc", "r#\"abc", "/* abc", "b'", "'", "'\\", "\"\\"] {
        assert_eq!(bare(text).chars().count(), text.chars().count(), "{text}");
    }
}

#[test]
fn items_for_tests_are_cut_out_and_lines_stay() {
    let text = "fn a() { one() }\n#[cfg(test)]\nmod tests {\n    fn b() { two() }\n}\n\
                #[cfg(test)]\nuse x::{y, z};\n#[cfg(test)]\nfn c(v: [u8; 3]) { three() }\nfn d() { four() }";
    let code = without_tests(text);
    assert!(code.contains("one()") && code.contains("four()"));
    assert!(!code.contains("two()") && !code.contains("three()") && !code.contains("use x"));
    assert_eq!(code.lines().count(), text.lines().count());
}

#[test]
fn a_file_for_tests_alone_ships_nothing() {
    assert_eq!(without_tests("#![cfg(test)]\nfn a() {}").trim(), "");
}

#[test]
fn modules_declared_for_tests_are_known_by_their_files() {
    let tree = Tree::of(&[
        ("crates/a/src/lib.rs", "#[cfg(test)]\nmod props;\nmod real;"),
        ("crates/a/src/real.rs", "#[cfg(test)] mod world;"),
    ]);
    assert_eq!(test_modules(&tree), ["crates/a/src/props", "crates/a/src/real/world"]);
    assert!(belongs_to("crates/a/src/props.rs", "crates/a/src/props"));
    assert!(belongs_to("crates/a/src/props/deep.rs", "crates/a/src/props"));
    assert!(!belongs_to("crates/a/src/properties.rs", "crates/a/src/props"));
}

#[test]
fn shipped_code_leaves_out_all_kinds_of_tests() {
    let tree = Tree::of(&[
        ("crates/a/src/lib.rs", "mod x;\n#[cfg(test)]\nmod props;"),
        ("crates/a/src/props.rs", ""),
        ("crates/a/src/x/tests.rs", ""),
        ("crates/a/tests/door.rs", ""),
        ("crates/a/benches/speed.rs", ""),
    ]);
    let paths: Vec<&str> = tree.shipped_code().map(|(path, _)| path).collect();
    assert_eq!(paths, ["crates/a/src/lib.rs"]);
}
