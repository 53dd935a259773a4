use super::*;
use proptest::prelude::*;

fn words(asked: &Asked) -> Vec<&str> {
    asked.words.iter().map(|word| word.text.as_str()).collect()
}

#[test]
fn words_phrases_exclusions_and_filters_are_told_apart() {
    let asked = parse(
        r#"cup "world of sport" -tennis -"red card" site:Example.org lang:es -site:a.test -lang:en"#,
    );
    assert_eq!(words(&asked), ["cup"]);
    assert_eq!(asked.phrases, [vec!["world", "of", "sport"]]);
    assert_eq!(asked.not, [vec!["tennis"], vec!["red", "card"]]);
    assert_eq!(asked.sites, ["example.org"]);
    assert_eq!(asked.not_sites, ["a.test"]);
    assert_eq!((asked.langs, asked.not_langs), (vec![Lang::ES], vec![Lang::EN]));
}

#[test]
fn a_broken_query_is_repaired() {
    assert_eq!(parse(r#"a "b c"#).phrases, [vec!["b", "c"]]);
    assert_eq!(words(&parse(r#"a""b"#)), ["a", "b"]);
    assert_eq!(words(&parse("lang:spanish time: - -- +b")), ["lang", "spanish", "time", "b"]);
    assert_eq!(words(&parse("site: cats")), ["cats"]);
    assert!(parse(" \" - ' ").is_empty());
}

#[test]
fn a_quoted_word_is_a_word_and_a_hyphen_inside_is_no_sign() {
    let asked = parse(r#""gol" e-mail -e-mail"#);
    assert_eq!(words(&asked), ["gol", "e", "mail"]);
    assert_eq!(asked.not, [vec!["e", "mail"]]);
}

#[test]
fn a_query_without_end_is_cut() {
    let asked = parse(&"word ".repeat(10_000));
    assert_eq!(asked.words.len(), MAX_WORDS);
    let filters = parse(&"site:a.test ".repeat(100));
    assert_eq!(filters.sites.len(), MAX_FILTERS);
}

proptest! {
    #[test]
    fn every_word_stands_where_it_says(query in "[a-zñ\"«»:+ '\\-]{0,60}|\\PC{0,60}") {
        for word in parse(&query).words {
            prop_assert_eq!(&query[word.at.clone()], &word.text);
        }
    }
}
