use super::*;
use proptest::prelude::*;

fn cut(text: &str) -> Vec<&str> {
    words(text).collect()
}

fn forms(lang: &str, text: &str) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    Analyser::for_language(Lang::parse(lang))
        .analyse(text, &mut |token, at| out.push((token.to_owned(), at)));
    out
}

#[test]
fn a_word_is_cut_at_joints_but_a_number_stays_whole() {
    assert_eq!(cut("L'homme, l’été"), ["L", "homme", "l", "été"]);
    assert_eq!(cut("snake_case example.com a:b"), ["snake", "case", "example", "com", "a", "b"]);
    assert_eq!(cut("3.14 at 10:30, v2.0"), ["3.14", "at", "10", "30", "v2.0"]);
    assert_eq!(cut("-- … !? _ '"), Vec::<&str>::new());
}

#[test]
fn a_run_of_letters_without_end_is_no_word() {
    let long = "x".repeat(MAX_WORD + 1);
    assert_eq!(cut(&format!("a {long} b")), ["a", "b"]);
    assert_eq!(cut(&"y".repeat(MAX_WORD)).len(), 1);
}

#[test]
fn offsets_point_at_the_words() {
    let text = "El niño’s_code, ½ 中文";
    for (at, word) in word_indices(text) {
        assert_eq!(&text[at..at + word.len()], word);
    }
}

#[test]
fn accents_do_not_matter_to_the_form() {
    assert_eq!(forms("es", "canciones Españolas"), forms("es", "CANCIONES espanolas"));
    assert_eq!(forms("es", "la canción"), forms("es", "la cancion"));
    assert_eq!(forms("de", "Häuser"), forms("de", "hauser"));
}

#[test]
fn inflections_meet_and_stop_words_leave_gaps() {
    assert_eq!(
        forms("en", "connections of the world"),
        [("connect".into(), 0), ("world".into(), 3)]
    );
    assert_eq!(forms("en", "connected"), [("connect".into(), 0)]);
    assert_eq!(forms("", "The connections")[0], ("the".into(), 0));
}

#[test]
fn languages_with_a_stop_list_have_a_stemmer() {
    for code in ["ca", "de", "en", "es", "fr", "it", "nl", "pt", "nb", "ru", "el"] {
        let lang = Lang::parse(code);
        assert!(lang.and_then(algorithm).is_some(), "{code}");
    }
}

#[test]
fn terms_are_the_frequent_words_in_a_fixed_order() {
    let found = terms("The goal: a goal is a Gól, gol! No world cup, Pelé y Pele", 4);
    let found: Vec<(&str, u32)> = found.iter().map(|t| (t.word.as_str(), t.count)).collect();
    assert_eq!(found, [("goal", 2), ("gol", 2), ("pele", 2), ("cup", 1)]);
    assert!(terms("of the y de", 10).is_empty());
}

proptest! {
    #[test]
    fn no_text_breaks_an_analyser(text in "\\PC{0,80}") {
        for code in ["ar", "ca", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "it", "nl", "pt", "ru", "sv",
            "ta", "tr", "yi", "zh"] {
            let analyser = Analyser::for_language(Lang::parse(code));
            analyser.analyse(&text, &mut |token, _| assert!(!token.is_empty()));
        }
    }

    #[test]
    fn words_are_disjoint_and_in_order(text in "[a-zñ0-9'._: ’中\\-]{0,60}") {
        let mut end = 0;
        for (at, word) in word_indices(&text) {
            prop_assert!(at >= end);
            prop_assert!(word.chars().any(char::is_alphanumeric));
            end = at + word.len();
        }
    }
}
