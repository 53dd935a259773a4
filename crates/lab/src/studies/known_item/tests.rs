use super::*;
use crate::documents;
use lycosa_model::Lang;
use lycosa_segments::{CommitNote, Segments, WriterSettings};

fn index(lines: &[String]) -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    let mut writer =
        Segments::create_or_open(data.path()).unwrap().writer(WriterSettings::default()).unwrap();
    for line in lines {
        writer.put(documents::read(line).unwrap()).unwrap();
    }
    writer.commit(&CommitNote::new(Default::default())).unwrap();
    data
}

fn page(site: usize, title: &str, text: &str) -> String {
    serde_json::json!({
        "url": format!("http://site-{site}.test/"), "title": title, "text": text, "lang": "en"
    })
    .to_string()
}

const ANIMALS: [&str; 8] = [
    "wolf spider",
    "barn owl",
    "sea horse",
    "red fox",
    "grey seal",
    "tree frog",
    "brown bear",
    "tiger shark",
];

/// Pages about animals, and some that cannot be drawn.
fn zoo() -> Vec<String> {
    let about = |(number, animal): (usize, &&str)| {
        page(
            number,
            &format!("The {animal}"),
            &format!("All that is known of the {animal}: number {number}."),
        )
    };
    let mut pages: Vec<String> = ANIMALS.iter().enumerate().map(about).collect();
    pages.push(page(90, "The and of it", "wolf spider wolf spider"));
    pages.push(page(91, "2024 - 12", "barn owl"));
    pages
}

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.figures.get(name).and_then(|value| value.as_f64()).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn pages_are_found_by_their_titles() {
    let data = index(&zoo());
    let outcome = run(data.path(), 200, 1, &mut |_| {}).unwrap();
    assert_eq!(figure(&outcome, "documents"), 10.0);
    assert_eq!(figure(&outcome, "candidates"), 8.0, "two titles say nothing");
    assert_eq!(figure(&outcome, "pages"), 8.0);
    assert_eq!(figure(&outcome, "within_3"), 1.0, "{}", outcome.text);
    assert_eq!(figure(&outcome, "missed"), 0.0);
}

#[test]
fn a_page_that_hides_behind_others_of_its_title_is_missed_and_told() {
    let mut pages = zoo();
    // Twelve pages of one title that say different things; only three can be among the first three.
    for number in 100..112 {
        let text = format!(
            "Shop {number} sells {} of kind {}.",
            "things ".repeat(number % 7),
            number * 37
        );
        pages.push(page(number, "Annual report", &text));
    }
    let data = index(&pages);
    let outcome = run(data.path(), 200, 1, &mut |_| {}).unwrap();
    assert_eq!(figure(&outcome, "pages"), 20.0);
    let missed = figure(&outcome, "missed");
    assert!(missed > 0.0, "{}", outcome.text);
    assert_eq!(figure(&outcome, "missed_with_a_shared_title"), missed);
    assert_eq!(figure(&outcome, "within_3"), 1.0 - missed / 20.0);
    assert_eq!(figure(&outcome, "pages_with_a_title_of_their_own"), 8.0);
    assert_eq!(figure(&outcome, "within_3_with_a_title_of_their_own"), 1.0);
    assert!(outcome.text.contains("11 other pages have this title"), "{}", outcome.text);
    // Of the twelve three fit in, so a quarter of them can be expected.
    assert_eq!(figure(&outcome, "pages_whose_title_has_no_room"), 12.0);
    assert_eq!(figure(&outcome, "reachable"), (8.0 + 12.0 * 0.25) / 20.0);
    assert!(figure(&outcome, "within_3") <= figure(&outcome, "reachable"));
    let report = &outcome.files.iter().find(|(name, _)| name == "known-item.md").unwrap().1;
    let report = String::from_utf8_lossy(report);
    assert_eq!(report.matches("Annual report").count(), missed as usize);
}

#[test]
fn a_twin_counts_as_the_page() {
    let text =
        "Everything about the harvest of olives in the hills, told at length and twice. ".repeat(3);
    let twins: Vec<String> = (0..6).map(|n| page(n, "Olive harvest", &text)).collect();
    let data = index(&twins);
    let outcome = run(data.path(), 6, 3, &mut |_| {}).unwrap();
    assert_eq!(figure(&outcome, "within_3"), 1.0, "{}", outcome.text);
    assert_eq!(figure(&outcome, "reachable"), 1.0, "six pages, but one text");
}

#[test]
fn equal_seeds_draw_equal_pages_and_other_seeds_others() {
    let data = index(&zoo());
    let drawn = |seed| -> Vec<String> {
        sample(data.path(), 3, seed).unwrap().pages.into_iter().map(|page| page.url).collect()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_eq!(drawn(1).len(), 3);
    assert!((2..20).any(|seed| drawn(seed) != drawn(1)));
}

#[test]
fn an_index_without_titles_is_no_ground_for_a_study() {
    let data = index(&[page(1, "2024", "some text")]);
    let error = run(data.path(), 10, 1, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("none of the 1 documents"), "{error}");
    assert!(!error.hint().is_empty());
    let nowhere = tempfile::tempdir().unwrap();
    assert!(matches!(run(nowhere.path(), 10, 1, &mut |_| {}), Err(StudyError::Segments(_))));
}

#[test]
fn informative_words_are_counted_once() {
    assert_eq!(informative("The wolf and the wolf", Some(Lang::EN)), 1);
    assert_eq!(informative("Arañas: las arañas lobo, 2024", Some(Lang::ES)), 2);
    assert_eq!(informative("The sea horse", Some(Lang::EN)), 2);
    assert_eq!(informative("x 7 the", None), 0);
}

#[test]
fn texts_are_alike_by_what_they_share() {
    assert_eq!(alike("a b c d", "a b c d"), 1.0);
    assert_eq!(alike("a b c d", "w x y z"), 0.0);
    assert_eq!(alike("", ""), 1.0);
    let long: String = (0..100).map(|n| format!("word{n} ")).collect();
    assert!(alike(&long, &long.replace("word50", "another")) > 0.9);
}
