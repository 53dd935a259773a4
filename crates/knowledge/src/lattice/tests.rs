use super::*;
use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};
use std::collections::HashSet;

/// A table from words a page.
fn context(pages: &[&str]) -> Context {
    let names: Vec<String> = (0..pages.len()).map(|n| format!("p{n}")).collect();
    let words = |text: &'static str| text.split_ascii_whitespace().map(|word| (word, 1.0));
    let pages: Vec<&'static str> = pages.iter().map(|page| &*page.to_string().leak()).collect();
    Context::new(names.iter().zip(&pages).map(|(name, page)| (name.as_str(), words(page))))
}

fn lattice(pages: &[&str]) -> Lattice {
    Lattice::new(context(pages), MAX_CONCEPTS)
}

fn equal(a: &str, b: &str) -> f32 {
    if a == b { 1.0 } else { 0.001 }
}

#[test]
fn a_small_table_has_the_lattice_of_the_textbook() {
    let lattice = lattice(&["leech water", "bream water legs", "frog water land legs"]);
    let context = lattice.context();
    let shown: Vec<(u32, Vec<&str>)> = lattice
        .concepts()
        .iter()
        .map(|concept| {
            let words = bits(u64::from(concept.intent)).map(|k| context.keywords()[k].as_str());
            (concept.extent.count_ones(), words.collect())
        })
        .collect();
    assert_eq!(shown[0], (3, vec!["water"]));
    assert_eq!(shown[1], (2, vec!["legs", "water"].into_iter().rev().collect::<Vec<_>>()));
    assert_eq!(lattice.concepts().len(), 6, "{shown:?}");
    let covers = lattice.covers();
    assert_eq!(covers[0], Vec::<usize>::new());
    assert_eq!(covers[1], [0]);
    assert_eq!(covers.last().map(Vec::len), Some(3), "below all three pages there is nothing");
}

#[test]
fn a_lattice_that_is_cut_says_so_and_keeps_the_general_concepts() {
    // Every page lacks another keyword: 2^10 concepts.
    let words: Vec<String> = (0..10).map(|n| format!("w{n}")).collect();
    let pages: Vec<String> = (0..10)
        .map(|n| {
            words.iter().filter(|word| **word != words[n]).cloned().collect::<Vec<_>>().join(" ")
        })
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let whole = Lattice::new(context(&pages), 1_024);
    assert!(!whole.truncated() && whole.concepts().len() == 1_024);
    let cut = Lattice::new(context(&pages), 100);
    assert!(cut.truncated() && cut.concepts().len() == 100);
    assert_eq!(cut.concepts()[0].extent.count_ones(), 10);
    assert!(cut.xml().contains("truncated=\"true\"") && cut.dot().contains("not all concepts"));
}

#[test]
fn a_table_has_no_more_than_its_limits() {
    let page: String = (0..200).map(|n| format!("w{n} ")).collect();
    let context = context(&vec![page.as_str(); 100]);
    assert_eq!((context.pages().len(), context.keywords().len()), (MAX_PAGES, MAX_KEYWORDS));
    let empty = Lattice::new(Context::default(), MAX_CONCEPTS);
    assert_eq!(similarity(&empty, &empty, 0.0, equal), 0.0);
}

#[test]
fn alike_is_what_shares_keywords_or_their_meaning() {
    let one = lattice(&["football goal team", "football team", "goal keeper"]);
    let same = similarity(&one, &one, 0.5, equal);
    assert!((same - 1.0).abs() < 1e-5, "{same}");
    let other = lattice(&["soup basil", "soup salt"]);
    assert!(similarity(&one, &other, 0.0, equal) < 0.01);
    let near = lattice(&["soccer goal team", "soccer team"]);
    let by_letter = similarity(&one, &near, 0.0, equal);
    let by_meaning = similarity(&one, &near, 0.0, |a, b| match (a, b) {
        ("football", "soccer") => 1.0,
        _ => equal(a, b),
    });
    assert!(by_meaning > by_letter + 0.1, "{by_meaning} {by_letter}");
}

#[test]
fn a_lattice_is_written_as_xml_and_as_a_drawing() {
    let lattice = lattice(&["a<b c", "c"]);
    let xml = lattice.context().xml();
    assert!(xml.contains("<context pages=\"2\" keywords=\"2\">"));
    assert!(xml.contains("<keyword id=\"1\">a&lt;b</keyword>"));
    assert!(xml.contains("<has page=\"0\">0 1</has>"));
    let xml = lattice.xml();
    assert!(xml.contains("concepts=\"2\" truncated=\"false\""), "{xml}");
    assert!(xml.contains(
        "<concept id=\"1\"><extent>0</extent><intent>0 1</intent><above>0</above></concept>"
    ));
    let dot = lattice.dot();
    assert!(dot.contains("c0 -- c1;") && dot.contains("c1 [label=\"a<b\\n1 pages\"]"), "{dot}");
}

proptest! {
    #[test]
    fn the_concepts_are_all_closed_sets_and_no_others(
        rows in prop::collection::vec(0u32..256, 0..8)
    ) {
        let words: Vec<String> = rows.iter().map(|row| {
            bits(u64::from(*row)).map(|k| format!("w{k} ")).collect()
        }).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let lattice = lattice(&words);
        let context = lattice.context();
        let slow: HashSet<Concept> = (0..1_u64 << context.pages().len())
            .map(|pages| {
                let intent = context.shared_by(pages);
                Concept { extent: context.with(intent), intent }
            })
            .collect();
        let found: HashSet<Concept> = lattice.concepts().iter().copied().collect();
        prop_assert_eq!(found.len(), lattice.concepts().len(), "one came twice");
        prop_assert_eq!(&found, &slow);
        prop_assert!(!lattice.truncated());
        // Who is above is above by the lines of the diagram, and by them only.
        let covers = lattice.covers();
        for (place, concept) in lattice.concepts().iter().enumerate() {
            let mut reached = HashSet::new();
            let mut next = covers[place].clone();
            while let Some(higher) = next.pop() {
                if reached.insert(higher) {
                    next.extend(&covers[higher]);
                }
            }
            for (other, above) in lattice.concepts().iter().enumerate() {
                let higher = other != place && above.extent & concept.extent == concept.extent;
                prop_assert_eq!(higher, reached.contains(&other));
            }
            for &one in &covers[place] {
                for &two in &covers[place] {
                    let (a, b) = (lattice.concepts()[one].extent, lattice.concepts()[two].extent);
                    prop_assert!(one == two || a & b != a, "a line that is not direct");
                }
            }
        }
    }
}
