use super::{Thing, read};
use proptest::prelude::*;

fn things(json: &str) -> Vec<Thing> {
    let mut things = Vec::new();
    read(json, true, &mut things);
    things
}

fn names(json: &str) -> Vec<String> {
    things(json).into_iter().map(|thing| thing.name).collect()
}

#[test]
fn things_stand_alone_in_lists_and_in_graphs() {
    assert_eq!(names(r#"{"@type":"Article","name":"A"}"#), ["A"]);
    assert_eq!(
        names(r#"[{"@type":"Article","name":"A"},{"@type":"Person","name":"B"}]"#),
        ["A", "B"]
    );
    assert_eq!(
        names(
            r#"{"@graph":[{"@type":["WebPage"],"name":"A","mainEntity":{"@type":"Thing","name":"B"}}]}"#
        ),
        ["A", "B"]
    );
    let types = &things(r#"{"@type":["http://schema.org/Article","schema:Thing"]}"#)[0].types;
    assert_eq!(types, &["Article", "Thing"]);
    assert_eq!(names(r#"{"name":"without a kind"}"#), Vec::<String>::new());
}

#[test]
fn json_that_is_nearly_right_is_read() {
    for json in [
        "<!-- {\"@type\":\"Article\",\"name\":\"A\"} -->",
        "//<![CDATA[\n{\"@type\":\"Article\",\"name\":\"A\"}\n//]]>",
        "{\"@type\":\"Article\",\"name\":\"A\",}",
        "{\"@type\":\"Article\",\"name\":\"A\",\"url\":[1,2,],};",
        "{\"@type\":\"Article\",\"name\":\"A\n\"}",
        "{\"@type\":\"Article\", /* its name */ \"name\":\"A\"",
        "{\"@type\":\"Article\",\"name\":\"A\",\"author\":{\"na",
        "{\"@type\":\"Article\",\"name\":\"A\",\"author\":",
        "{\"@type\":\"Article\",\"name\":\"A\",\"description\":\"it\\'s \\x\"}",
        "{\"@type\":\"Article\",\"name\":\"A\"}}}",
        "\u{feff}{\"@type\":\"Article\",\"name\":\"A\"}",
    ] {
        assert_eq!(names(json), ["A"], "{json}");
    }
    assert_eq!(
        names("{\"@type\":\"A\",\"name\":\"1\"}\n{\"@type\":\"B\",\"name\":\"2\"}"),
        ["1", "2"]
    );
}

#[test]
fn deep_and_long_json_has_bounds() {
    assert_eq!(names(&"[".repeat(200_000)), Vec::<String>::new());
    let one = "{\"@type\":\"Article\",\"name\":\"A\"},";
    assert_eq!(names(&format!("[{}]", one.repeat(1_000))).len(), super::MAX_THINGS);
    let deep = format!("{}{}", "{\"@graph\":".repeat(60), one);
    assert_eq!(names(&deep), Vec::<String>::new());
}

proptest! {
    #[test]
    fn any_text_is_taken(json in "[\\[\\]{}\",:\\\\/*<>!;a-z0-9 \\n@é-]{0,200}") {
        let _ = things(&json);
    }

    #[test]
    fn json_cut_off_anywhere_is_read_up_to_there(cut in 28_usize..120) {
        let json = "{\"@type\":\"Article\",\"name\":\"A\",\"author\":[{\"@type\":\"Person\",\"name\":\
                    \"Ana\"},\"Bo\"],\"datePublished\":\"2024-05-01\",\"n\":[1,true,null]}";
        let cut = json.floor_char_boundary(cut);
        let found = names(&json[..cut]);
        // Words that break off in the middle (`tru`) leave nothing.
        prop_assert!(found == ["A"] || found.is_empty() && json[..cut].ends_with(|c: char| "truenl".contains(c)));
    }
}
