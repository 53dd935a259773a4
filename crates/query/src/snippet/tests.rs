use super::*;
use lycosa_model::Lang;
use proptest::prelude::*;

fn make(lang: Lang, texts: &[&str], words: &str) -> String {
    let analyser = Analyser::for_language(Some(lang));
    let forms: Vec<String> = words.split(' ').filter_map(|w| analyser.form(w)).collect();
    let found = snippet(texts, &analyser, &forms);
    found.map_or_else(|| beginning(texts), |found| found.html)
}

#[test]
fn accents_and_inflections_are_marked() {
    let html = make(Lang::ES, &["La canción y las Canciones"], "cancion");
    assert_eq!(html, "La <mark>canción</mark> y las <mark>Canciones</mark>");
}

#[test]
fn everything_else_is_escaped() {
    let html = make(Lang::EN, &["<script>alert('x')</script> a&b \"cats\""], "cat script");
    assert_eq!(
        html,
        "&lt;<mark>script</mark>&gt;alert(&#39;x&#39;)&lt;/<mark>script</mark>&gt; a&amp;b &quot;<mark>cats</mark>&quot;"
    );
}

#[test]
fn words_are_counted_where_they_stand_also_far_behind_the_passage() {
    let analyser = Analyser::for_language(Some(Lang::EN));
    let forms: Vec<String> = analyser.form("spider").into_iter().collect();
    let mut text = "spider ".repeat(10_000);
    text.push_str(&"nothing of it here ".repeat(20_000));
    text.push_str(&"the spider again ".repeat(20_000));
    let counts = snippet(&[&text], &analyser, &forms).unwrap().positions.counts();
    assert_eq!(counts.len(), lycosa_model::Hit::CELLS);
    assert!(counts[0] > 100 && counts[31] > 20, "{counts:?}");
    assert!(counts[8..14].iter().all(|count| *count == 0), "{counts:?}");
    assert!(snippet(&["", "  ", "🕷"], &analyser, &forms).is_none());
}

#[test]
fn the_passage_with_most_of_the_words_wins() {
    let filler = "nothing to see in this sentence at all. ".repeat(20);
    let text = format!("A spider.\n{filler}\nThe wolf spider hunts at night.\n{filler}");
    let html = make(Lang::EN, &[&text], "wolf spider hunting");
    assert!(html.contains("<mark>wolf</mark> <mark>spider</mark> <mark>hunts</mark>"), "{html}");
    assert!(html.starts_with("…The <mark>wolf"), "{html}");
    assert!(html.ends_with('…'), "{html}");
}

#[test]
fn the_next_text_is_asked_when_the_first_has_nothing() {
    assert_eq!(make(Lang::EN, &["first", "second text"], "text"), "second <mark>text</mark>");
    assert_eq!(make(Lang::EN, &["", " first ", "second"], "other"), "first");
    assert_eq!(make(Lang::EN, &["", ""], "other"), "");
}

proptest! {
    #[test]
    fn no_text_breaks_a_snippet(text in "(\\PC|\\s){0,400}", word in "\\PC{1,8}") {
        let html = make(Lang::EN, &[&text], &word);
        let plain = html.replace("<mark>", "").replace("</mark>", "");
        prop_assert!(!plain.contains(['<', '>', '"']));
    }

    #[test]
    fn a_snippet_is_short_and_shows_the_word(before in "[a-z ]{0,900}", after in "[a-z\n ]{0,900}") {
        let html = make(Lang::EN, &[&format!("{before} Lycosa {after}")], "lycosa");
        prop_assert!(html.contains("<mark>Lycosa</mark>"), "{}", html);
        let plain = html.replace("<mark>", "").replace("</mark>", "");
        // Dots between blocks come on top.
        prop_assert!(plain.replace(" · ", " ").chars().count() <= LENGTH + 2);
    }
}

#[test]
fn a_heading_does_not_run_into_the_paragraph_below_it() {
    let plain = Analyser::for_language(None);
    let of = |text: &str, word: &str| snippet(&[text], &plain, &[word.to_owned()]).unwrap().html;
    assert_eq!(
        of("How it began \n\nA wolf hunts.\nIt waits", "wolf"),
        "How it began · A <mark>wolf</mark> hunts. It waits"
    );
    assert_eq!(of("The wolf\nA spider", "wolf"), "The <mark>wolf</mark> · A spider");
    assert_eq!(of("Say \"wolf\"\nA spider", "wolf"), "Say &quot;<mark>wolf</mark>&quot; A spider");
}

#[test]
fn a_cut_leaves_no_comma_and_no_dot_before_the_ellipsis() {
    let plain = Analyser::for_language(None);
    for end in ["word,", "word:", "word\n"] {
        // The passage is cut after this word, wherever that is.
        let text = format!("wolf {}", format!("{end} ").repeat(100));
        let cut = snippet(&[&text], &plain, &["wolf".to_owned()]).unwrap().html;
        assert!(cut.ends_with("word…"), "{cut}");
    }
}
