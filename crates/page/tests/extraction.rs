//! How well is the main text found? Measured on pages whose article bodies people marked.
//!
//! The measure is that of the benchmark the pages are from: counted shingles of four words (`\w+`), precision
//! meant over the pages where something was found and recall over those where something is to be found,
//! and F1 of these two means. Beside it the mean of the pages' own F1, which is the stricter of the two.

use lycosa_model::UrlId;
use lycosa_page::{Input, Limits, Reading, read};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/extraction");
/// What was reached; a change that falls below has to explain itself.
const FLOOR: f64 = 0.97;

/// The shingles of four words that the benchmark compares, with their counts.
fn shingles(text: &str) -> HashMap<Vec<String>, i64> {
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut counts = HashMap::new();
    for window in words.windows(4.min(words.len()).max(1)) {
        *counts.entry(window.to_vec()).or_insert(0) += 1;
    }
    counts
}

/// Precision and recall of one page.
fn score(found: &str, wanted: &str) -> (f64, f64) {
    let (found, wanted) = (shingles(found), shingles(wanted));
    let hits: i64 = found
        .iter()
        .map(|(shingle, count)| (*count).min(wanted.get(shingle).copied().unwrap_or(0)))
        .sum();
    let share = |of: &HashMap<Vec<String>, i64>| match of.values().sum::<i64>() {
        0 => 0.0,
        all => hits as f64 / all as f64,
    };
    (share(&found), share(&wanted))
}

fn f1(precision: f64, recall: f64) -> f64 {
    match precision + recall {
        0.0 => 0.0,
        sum => 2.0 * precision * recall / sum,
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "the figure is the point of this test")]
fn the_main_text_of_marked_pages_is_found() {
    let truth = Path::new(PAGES).join("ground-truth.json");
    let Ok(truth) = std::fs::read(&truth) else {
        eprintln!("skipped: ../shared/conformance/extraction is not here");
        return;
    };
    let truth: HashMap<String, serde_json::Value> = serde_json::from_slice(&truth).unwrap();
    let mut names: Vec<&String> = truth.keys().collect();
    names.sort();
    let dump = std::env::var_os("LYCOSA_EXTRACTION_DUMP");
    let (mut precisions, mut recalls, mut f1s) = (Vec::new(), Vec::new(), 0.0);
    for name in &names {
        let packed = std::fs::File::open(format!("{PAGES}/html/{name}.html.gz")).unwrap();
        let mut body = Vec::new();
        flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut body).unwrap();
        let url = truth[*name]["url"].as_str().unwrap_or("http://example.org/");
        let input = Input {
            content_type: Some("text/html; charset=utf-8"),
            ..Input::new(UrlId::of(url), url, &body)
        };
        let Reading::Document(document) = read(&input, &Limits::default()) else {
            panic!("{name} is not read as HTML");
        };
        let wanted = truth[*name]["articleBody"].as_str().unwrap_or("");
        let (precision, recall) = score(&document.main, wanted);
        if let Some(folder) = &dump {
            let folder = Path::new(folder);
            std::fs::write(folder.join(format!("{name}.found")), &document.main).unwrap();
            std::fs::write(folder.join(format!("{name}.wanted")), wanted).unwrap();
            std::fs::write(folder.join(format!("{name}.md")), &document.markdown).unwrap();
            eprintln!("{:.3} p {precision:.3} r {recall:.3} {name}", f1(precision, recall));
        }
        // A text without words has no shingles, and no precision or recall.
        let has_words = |text: &str| !shingles(text).is_empty();
        precisions.extend(has_words(&document.main).then_some(precision));
        recalls.extend(has_words(wanted).then_some(recall));
        f1s += f1(precision, recall);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (precision, recall) = (mean(&precisions), mean(&recalls));
    let (of_means, of_pages) = (f1(precision, recall), f1s / names.len() as f64);
    eprintln!(
        "extraction: {} pages, precision {precision:.3}, recall {recall:.3}, F1 {of_means:.3}, mean F1 of the pages {of_pages:.3}",
        names.len(),
    );
    assert!(of_means >= FLOOR, "F1 {of_means:.3} is below {FLOOR}");
    assert!(of_pages >= FLOOR, "the mean F1 {of_pages:.3} is below {FLOOR}");
}
